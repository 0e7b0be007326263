/**
 * The explorer's static page in a real browser: a reader types a kernel, looks at it, runs it, shares it and goes
 * offline. Without a browser on the machine only what needs none is tested, and said.
 */
import { access, cp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createCompiler } from '../../src/index.js';
import type { ExploreJob } from '../../src/explorer/protocol.js';
import { browserPath, OTHER_HOST, withBrowser } from '../support/browser.js';
import { inFolder } from '../support/command.js';
import { folderServer, siteServer } from '../support/site.js';
import { assert, suite } from '../support/suite.js';
import { artifactsInPage } from './artifacts-in-page.js';
import { after, isLlvmKept, isShown, openPage, PATIENCE, textOf, type } from './reader.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SITE = path.join(ROOT, 'dist', 'site');
const BROWSER = browserPath();
const test = suite('page', { tests: BROWSER === null ? 1 : 6, timeoutMs: 400_000 });

test('everything that a page of files needs is there', async () => {
  if (BROWSER === null) console.log('page: no browser on this machine, so nothing is opened');
  for (const file of ['index.html', 'main.js', 'worker.js', 'service-worker.js', 'page.css', 'examples.json'])
    await access(path.join(SITE, file));
  const html = await readFile(path.join(SITE, 'index.html'), 'utf8');
  assert.match(html, /default-src 'none'/);
  assert.not.match(html, /https?:/);
  const worker = await readFile(path.join(SITE, 'service-worker.js'), 'utf8');
  assert.not.match(worker, /__VERSION__|__FILES__/);
  assert.not.match(await readFile(path.join(SITE, 'worker.js'), 'utf8'), /from ?["']node:/);
});

const KERNEL = `target triple = "amdgcn-amd-amdhsa"
define amdgpu_kernel void @typed(ptr addrspace(1) %out, i32 %limit) "target-cpu"="gfx1100" {
entry:
  %id = call i32 @llvm.amdgcn.workitem.id.x()
  %slot = getelementptr i32, ptr addrspace(1) %out, i32 %id
  %odd = and i32 %id, 1
  %is.odd = icmp eq i32 %odd, 1
  br i1 %is.odd, label %left, label %right
left:
  %a = load i32, ptr addrspace(1) %slot
  %b = mul i32 %a, %limit
  %c = udiv i32 %b, 7
  store i32 %c, ptr addrspace(1) %slot
  br label %exit
right:
  %d = load i32, ptr addrspace(1) %slot
  %e = mul i32 %d, 5
  %f = udiv i32 %e, 7
  store i32 %f, ptr addrspace(1) %slot
  br label %exit
exit:
  ret void
}
declare i32 @llvm.amdgcn.workitem.id.x()
`;

if (BROWSER !== null) {
  test.long('type, meld, change an option, run, share, open the link elsewhere, go offline', async () => {
    await using server = await siteServer(SITE);
    const complaints: string[] = [];
    await withBrowser(BROWSER, async (browser) => {
      const page = await openPage(browser, `${server.url}/?example=bitonic-ir`, complaints);
      await isShown(page);
      assert.match(await textOf(page, '#status'), /^gfx1100: 10 melds/);

      await after(page, 'compiled', () => type(page, KERNEL));
      assert.match(await textOf(page, '#status'), /^gfx1100: 1 meld,/);
      assert.match(await textOf(page, '#flow'), /M1 T[^]*holds M1/);

      // Pointing at a block lights up its lines, and a line its blocks.
      await page.hover('#f1-g0-b1');
      assert.is(await page.$$eval('.cm-lit', (lines) => lines.length), 6);
      await page.click('#editor .cm-line:nth-child(10)');
      await page.mouse.move(640, 5);
      await page.click('#editor .cm-line:nth-child(11)');
      assert.ok((await page.$$eval('#flow .from-line', (found) => found.map(({ id }) => id))).includes('f1-g0-b1'));

      // A mistake is told in place, and what there was stays.
      await type(page, KERNEL.replace('%limit\n', '%limits\n'));
      await page.waitForFunction(() => document.body.dataset['state'] === 'failed', PATIENCE);
      assert.match(await textOf(page, '#messages'), /11:.*limits/);
      assert.match(await textOf(page, '#flow'), /holds M1/);
      await after(page, 'compiled', () => type(page, KERNEL));

      await after(page, 'compiled', () => page.select('#meld', 'off'));
      assert.match(await textOf(page, '#status'), /0 melds/);
      await after(page, 'compiled', () => page.select('#meld', 'darm'));

      await page.click('#as-json');
      const spec = {
        kernel: 'typed',
        grid: [1],
        block: [32],
        args: [
          { buffer: 'u32', length: 32, fill: { iota: 1 }, out: true },
          { scalar: 'u32', value: 3 },
        ],
      };
      await type(page, JSON.stringify(spec), '#json');
      await after(page, 'ran', () => page.click('#run'));
      assert.match(await textOf(page, '#counters'), /Both leave the same memory/);
      // A wave of 32 whose halves part: every lane waits for the other half.
      assert.match(await textOf(page, '#counters'), /Lanes that did nothing: [1-4]\d % without melding, \d % with/);
      await page.click('#tab-machine');
      await page.waitForSelector('#machine td.heat[title]', PATIENCE);
      // The two sides' blocks: half of the lanes idle without melding.
      await page.click('#tab-ir');
      await page.waitForSelector('#ir tr.label td.heat[title]', PATIENCE);
      const heads = await page.$$eval('#ir [data-side="before"] tr.label', (rows) =>
        rows.map((row) => row.textContent),
      );
      assert.ok(
        heads.some((head) => /^16.*50 % idle.*(left|right):/.test(head ?? '')),
        heads.join('\n'),
      );

      const link = await page.evaluate(() => location.href);
      const other = await openPage(browser, link, complaints);
      await isShown(other);
      assert.match(await textOf(other, '#editor .cm-content'), /@typed/);
      assert.match(await textOf(other, '#status'), /1 meld,/);
      await after(other, 'ran', () => other.click('#run'));

      await other.waitForFunction(() => navigator.serviceWorker.ready.then(() => true), PATIENCE);
      // All that compiling takes is kept before the network goes: it happens after results are shown.
      await isLlvmKept(other, SITE);
      await server[Symbol.asyncDispose]();
      await other.reload({ waitUntil: 'load' });
      await isShown(other);
      assert.match(await textOf(other, '#status'), /1 meld, known from before/);
      await after(other, 'compiled', () => type(other, `; edited\n${KERNEL}`));
      assert.match(await textOf(other, '#status'), /1 meld, \d+ ms/);
    });
    assert.equal(complaints, []);
  });

  test.long(
    'an endless compilation and an endless launch are stopped; a crash is a message and a new worker',
    async () => {
      await using server = await siteServer(SITE);
      const complaints: string[] = [];
      await withBrowser(BROWSER, async (browser) => {
        const page = await openPage(browser, `${server.url}/?example=scale`, complaints);
        await isShown(page);
        const shown = await textOf(page, '#flow');
        assert.match(shown, /holds M1/);
        const stop = async (): Promise<void> => {
          await page.waitForFunction(() => !document.getElementById('stop')!.hidden, PATIENCE);
          await page.click('#stop');
          await page.waitForFunction(() => document.body.dataset['state'] === 'failed', PATIENCE);
          assert.is(await textOf(page, '#status'), 'stopped');
        };

        const levels = Array.from({ length: 12 }, (_, n) => `#define A${n + 1} ${`A${n} `.repeat(8)}`);
        await type(
          page,
          `#define A0 x = -x;\n${levels.join('\n')}\nkernel void k(global int *o) { int x = *o; A12 *o = x; }\n`,
        );
        await stop();
        assert.is(await textOf(page, '#flow'), shown);

        await after(page, 'compiled', () =>
          type(page, 'kernel void k(global volatile int *o) { while (o[get_global_id(0)] >= 0) o[1] = 1; }\n'),
        );
        await page.click('#as-json');
        await type(page, ' ', '#json');
        await page.keyboard.press('Backspace');
        await page.click('#run');
        await stop();

        await after(page, 'compiled', () => type(page, 'kernel void a() {}\n'));
        const worker = page.workers().findLast((each) => each.url().endsWith('/worker.js'))!;
        await worker.evaluate(() => {
          self.onmessage = () => {
            throw new Error('gone');
          };
        });
        await type(page, 'kernel void b() {}\n');
        await page.waitForSelector('#messages li.error', PATIENCE);
        assert.match(await textOf(page, '#messages'), /the compiler ended: .*gone/);
        await after(page, 'compiled', () => type(page, 'kernel void c() {}\n'));
        assert.is(await textOf(page, '#messages'), '');
      });
      assert.equal(complaints, []);
    },
  );

  test.long('a damaged link, an empty one, and plain HTTP from another machine: the page says so', async () => {
    await using server = await siteServer(SITE);
    const complaints: string[] = [];
    await withBrowser(BROWSER, async (browser) => {
      const page = await openPage(browser, `${server.url}/?example=bitonic-ir#a=dZA5`, complaints);
      await isShown(page);
      assert.match(await textOf(page, '#messages'), /the link cannot be read: it is damaged/);
      assert.match(await textOf(page, '#editor .cm-content'), /source_filename = "bitonic.hip"/);
      await after(page, 'compiled', () => page.select('#meld', 'off'));
      assert.is(await textOf(page, '#messages'), '');
      const empty = await page.evaluate(() => {
        location.hash = '#a=q1ZKVLKqrq0FAA';
        return new Promise((resolve) =>
          setTimeout(() => resolve(document.getElementById('messages')!.textContent), 500),
        );
      });
      assert.is(empty, 'warning the link cannot be read: it lacks something');

      const far = await openPage(browser, `${server.url.replace('127.0.0.1', OTHER_HOST)}/`, complaints);
      await far.waitForSelector('#messages li.error', PATIENCE);
      assert.match(await textOf(far, '#messages'), /only over https, or from this machine/);
    });
    assert.equal(complaints, []);
  });

  test.long('a compiler that cannot be loaded: a message, and no attempt before the next question', async () => {
    await inFolder(async (folder) => {
      await cp(SITE, folder, {
        recursive: true,
        filter: (file) => !/(\/worker|service-worker)\.js$|\/wasm$/.test(file),
      });
      await using server = await folderServer(folder);
      const attempts = (): number => server.requests.filter((each) => each.endsWith('/worker.js')).length;
      await withBrowser(BROWSER, async (browser) => {
        const page = await openPage(browser, `${server.url}/?example=border`, []);
        await page.waitForSelector('#messages li.error', PATIENCE);
        assert.match(await textOf(page, '#messages'), /its worker cannot be loaded/);
        const before = attempts();
        await sleep(500);
        assert.is(attempts(), before);
        await page.select('#meld', 'off');
        while (attempts() === before) await sleep(50);
        await sleep(500);
        assert.is(attempts(), before + 1);
      });
    });
  });

  test.long("the page's code objects are the command's, byte for byte", async () => {
    const text = (file: string): Promise<string> => readFile(path.join(ROOT, file), 'utf8');
    const source = { language: 'hip', options: { mcpu: 'gfx1100' }, flags: [] } as const;
    const module = async (name: string): Promise<ExploreJob> => ({
      source: new Uint8Array(await readFile(path.join(ROOT, 'kernels/ir', `${name}.bc`))),
      ...{ language: 'ir', options: {}, flags: [] },
    });
    const jobs: ExploreJob[] = [
      await module('bitonic.gfx906.O3'),
      await module('sb3.gfx90a.O3'),
      await module('pcm.gfx1100.O3'),
      { ...source, source: await text('kernels/bitonic.hip') },
      { ...source, language: 'opencl', source: await text('page/examples/scale.cl') },
    ];
    const compiler = createCompiler({ threads: 0 });
    await using server = await siteServer(SITE);
    await withBrowser(BROWSER, async (browser) => {
      const page = await openPage(browser, `${server.url}/icon.svg`, []);
      const made = await artifactsInPage(page, jobs);
      for (const [index, { source: input, language, options, flags }] of jobs.entries()) {
        const { artifacts } = await (language === 'ir'
          ? compiler.compile(input, options)
          : compiler.compile(input, { ...options, language, flags: [...flags] }));
        assert.ok(Buffer.from(artifacts[0]!.bytes).equals(made[index]!), `job ${index} gives other bytes`);
      }
    });
    await compiler.close();
  });
}

test.run();
