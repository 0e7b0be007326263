/**
 * Every kernel of `kernels/` in the explorer's page, in a real browser, and with the library: the code objects must be
 * the same bytes. Run with `npm run test:page`; a word as the argument chooses files whose names hold it.
 */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExploreJob } from '../../src/explorer/protocol.js';
import { createCompiler } from '../../src/index.js';
import { artifactsInPage } from '../page/artifacts-in-page.js';
import { browserPath, withBrowser } from '../support/browser.js';
import { siteServer } from '../support/site.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BATCH = 8;

const chosen = process.argv[2] ?? '';
const browser = browserPath();
if (browser === null) throw new Error('there is no browser on this machine');

const files: { readonly name: string; readonly job: ExploreJob }[] = [];
for (const name of (await readdir(path.join(ROOT, 'kernels/ir'))).sort())
  if (name.includes('.gfx') && name.endsWith('.bc') && name.includes(chosen))
    files.push({
      name,
      job: {
        source: new Uint8Array(await readFile(path.join(ROOT, 'kernels/ir', name))),
        ...{ language: 'ir', options: {}, flags: [] },
      },
    });
for (const name of (await readdir(path.join(ROOT, 'kernels'))).sort())
  if (name.endsWith('.hip') && name.includes(chosen))
    files.push({
      name,
      job: {
        source: await readFile(path.join(ROOT, 'kernels', name), 'utf8'),
        ...{ language: 'hip', options: { mcpu: 'gfx1100' }, flags: [] },
      },
    });

const compiler = createCompiler({ threads: 0 });
await using server = await siteServer(path.join(ROOT, 'dist', 'site'));
let different = 0;
let refused = 0;
await withBrowser(browser, async (opened) => {
  for (let at = 0; at < files.length; at += BATCH) {
    const page = await opened.newPage();
    await page.goto(`${server.url}/icon.svg`);
    for (const { name, job } of files.slice(at, at + BATCH)) {
      const { source, language, options, flags } = job;
      const ours = await (
        language === 'ir'
          ? compiler.compile(source, options)
          : compiler.compile(source, { ...options, language, flags: [...flags] })
      ).then(
        ({ artifacts }) => Buffer.from(artifacts[0]!.bytes),
        (error: Error) => error,
      );
      const theirs = await artifactsInPage(page, [job]).then(
        ([bytes]) => bytes!,
        (error: Error) => error,
      );
      if (ours instanceof Error && theirs instanceof Error) refused++;
      else if (ours instanceof Error || theirs instanceof Error || !ours.equals(theirs)) {
        different++;
        console.log(`${name}: different`, theirs instanceof Error ? theirs.message : '');
      }
    }
    await page.close();
    console.log(`${Math.min(at + BATCH, files.length)} of ${files.length}`);
  }
});
await compiler.close();
console.log(`${files.length} kernels, ${different} different, ${refused} that both refuse`);
process.exitCode = different === 0 ? 0 : 1;
