/** Code objects as the page's Web Worker makes them, without the page around it. */
import type { Page } from 'puppeteer-core';
import type { WorkerMessage } from '../../page/worker.js';
import type { ExploreJob, ExploreOutcome } from '../../src/explorer/protocol.js';

/** @param page of the site, whichever */
export async function artifactsInPage(page: Page, jobs: readonly ExploreJob[]): Promise<Buffer[]> {
  const sent = jobs.map(({ source, ...job }) =>
    typeof source === 'string' ? { ...job, source } : { ...job, base64: Buffer.from(source).toString('base64') },
  );
  const made = await page.evaluate(async (all) => {
    const worker = new Worker('worker.js', { type: 'module' });
    const waiting = new Map<number, (outcome: ExploreOutcome<'artifact'>) => void>();
    worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
      if (data.kind === 'answer') waiting.get(data.id)!(data.outcome as ExploreOutcome<'artifact'>);
    };
    const results: string[] = [];
    for (const [id, { base64, ...rest }] of (all as { base64?: string }[]).entries()) {
      const bytes = base64 === undefined ? {} : { source: Uint8Array.from(atob(base64), (char) => char.charCodeAt(0)) };
      const question = { kind: 'artifact', side: 'after', job: { ...rest, ...bytes } };
      const answered = new Promise<ExploreOutcome<'artifact'>>((resolve) => waiting.set(id, resolve));
      worker.postMessage({ id, question });
      const outcome = await answered;
      if (!outcome.ok) results.push(`failed: ${JSON.stringify(outcome.error)}`);
      else {
        let binary = '';
        for (const byte of outcome.value) binary += String.fromCharCode(byte);
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
