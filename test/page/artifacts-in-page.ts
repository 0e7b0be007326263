/** Code objects as the page's Web Worker makes them, without the page around it. */
import type { Page } from 'puppeteer-core';
import type { ExploreJob } from '../../src/explorer/protocol.js';

/** @param page of the site, whichever */
export async function artifactsInPage(page: Page, jobs: readonly ExploreJob[]): Promise<Buffer[]> {
  const sent = jobs.map(({ source, ...job }) =>
    typeof source === 'string' ? { ...job, source } : { ...job, base64: Buffer.from(source).toString('base64') },
  );
  const made = await page.evaluate(async (all) => {
    const worker = new Worker('worker.js', { type: 'module' });
    const waiting = new Map<number, (outcome: { ok: boolean; value: Uint8Array; error: unknown }) => void>();
    worker.onmessage = ({ data }) => {
      if (data.kind === 'answer') waiting.get(data.id)!(data.outcome);
    };
    const results: string[] = [];
    for (const [id, { base64, ...rest }] of (all as { base64?: string }[]).entries()) {
      const bytes = base64 === undefined ? {} : { source: Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) };
      const question = { kind: 'artifact', side: 'after', job: { ...rest, ...bytes } };
      const outcome = new Promise<{ ok: boolean; value: Uint8Array; error: unknown }>((resolve) =>
        waiting.set(id, resolve),
      );
      worker.postMessage({ id, question });
      const { ok, value, error } = await outcome;
      if (!ok) results.push(`failed: ${JSON.stringify(error)}`);
      else {
        let binary = '';
        for (const byte of value) binary += String.fromCharCode(byte);
        results.push(btoa(binary));
      }
    }
    worker.terminate();
    return results;
  }, sent);
  return made.map((text) => {
    if (text.startsWith('failed: ')) throw new Error(text);
    return Buffer.from(text, 'base64');
  });
}
