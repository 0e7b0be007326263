/**
 * Profiles as JSON: trace events that say what the time line says, and that speedscope opens. Without a browser on the
 * machine the latter is left out, and said.
 */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { profileDocument, type ProfileDocument } from '../../../src/report/json/profile-document.js';
import { browserPath, withBrowser } from '../../support/browser.js';
import { inFolder } from '../../support/command.js';
import { kernelProfile } from '../../support/profile.js';
import { assert, suite } from '../../support/suite.js';

const BROWSER = browserPath();
const test = suite('report/profile-document', { tests: BROWSER === null ? 1 : 2, timeoutMs: 120_000 });

async function bitonic(): Promise<ProfileDocument> {
  const launches = [await kernelProfile('bitonic', { meld: 'off' })];
  const document = profileDocument([{ title: 'meld off', launches }]);
  return JSON.parse(JSON.stringify(document)) as ProfileDocument;
}

test('trace events are the time line', async () => {
  const { traceEvents, darmProfile } = await bitonic();
  const [profile] = darmProfile.runs[0]!.launches;
  const { waves } = profile!;
  const named = (name: string) => traceEvents.filter((each) => each.ph === 'M' && each.name === name);
  assert.equal(
    named('process_name').map(({ args }) => args),
    [{ name: 'bitonic (meld off)' }],
  );
  assert.is(named('thread_name').length, waves);
  const spans = traceEvents.filter(({ ph }) => ph === 'X');
  assert.is(spans.length + 1 + waves, traceEvents.length);
  // All waves are resident from the start, so what they spend is in the time line.
  const spent = spans.reduce((sum, { dur }) => sum + dur!, 0);
  const idle = spans.reduce((sum, { dur, args }) => sum + dur! * (64 - (args['lanes'] as number)), 0);
  assert.is(spent, profile!.time!.waveCycles);
  assert.is(idle, profile!.time!.idleLaneCycles);
  for (const { cat, args, pid, tid, ts, dur } of spans) {
    assert.is(cat, args['lanes'] === 64 ? 'all lanes' : 'idle lanes');
    assert.ok(pid === 1 && tid >= 1 && tid <= waves && ts! >= 0 && dur! > 0);
  }
  if (BROWSER === null) console.log('\nskipped: speedscope; no browser found on the PATH, nor by CHROME_PATH');
});

if (BROWSER !== null)
  test.long('speedscope opens it', async () => {
    const text = JSON.stringify(await bitonic());
    const app = path.join(path.dirname(fileURLToPath(import.meta.resolve('speedscope/package.json'))), 'dist/release');
    await inFolder(async (folder) => {
      const file = path.join(folder, 'profile.json');
      await writeFile(file, text);
      await withBrowser(BROWSER, async (browser) => {
        const page = await browser.newPage();
        const complaints: string[] = [];
        page.on('pageerror', (error) => complaints.push(String(error)));
        page.on('dialog', (dialog) => {
          complaints.push(dialog.message());
          void dialog.dismiss();
        });
        await page.goto(`file://${path.join(app, 'index.html')}`);
        const input = await page.waitForSelector('input[type=file]');
        await (input as unknown as { uploadFile(name: string): Promise<void> }).uploadFile(file);
        await page.waitForFunction(() => document.body.innerText.includes('bitonic (meld off)'), { timeout: 30_000 });
        // The first of four waves, each a time line of its own.
        assert.match(await page.evaluate(() => document.body.innerText), /workgroup 0 wave 0.*\(1\/4\)/);
        assert.equal(complaints, []);
      });
    });
  });

test.run();
