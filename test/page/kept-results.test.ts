/** What the explorer's static page keeps for later visits, in a real browser. Skipped, visibly, without one. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'puppeteer-core';
import { browserPath, withBrowser } from '../support/browser.js';
import type { TestServer } from '../support/http-server.js';
import { siteServer } from '../support/site.js';
import { assert, suite } from '../support/suite.js';
import { after, isLlvmKept, isShown, openPage, PATIENCE, textOf, type } from './reader.js';

const SITE = path.join(fileURLToPath(new URL('../../../', import.meta.url)), 'dist', 'site');
const BROWSER = browserPath();
const test = suite('page/kept-results', { tests: BROWSER === null ? 1 : 4, timeoutMs: 400_000 });

const COMPILED = /^gfx1100: \d+ melds?, \d+ ms$/;
const KNOWN = /^gfx1100: \d+ melds?, known from before$/;

/** Of a damaged result: what takes its place has none. */
const DAMAGED = 'x-damaged';

/** Names of the stores of results. */
const stores = (page: Page): Promise<string[]> =>
  page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('darm-results')));

/** Waits until so many results are kept, and none is damaged: it happens after they are shown. */
const areKept = (page: Page, count: number): Promise<unknown> =>
  page.waitForFunction(
    async (least, mark) => {
      const name = (await caches.keys()).find((each) => each.startsWith('darm-results'));
      if (name === undefined) return false;
      const results = await (await caches.open(name)).matchAll();
      return results.length >= least && !results.some(({ headers }) => headers.has(mark));
    },
    { ...PATIENCE, polling: 100 },
    count,
    DAMAGED,
  );

/** Everything that the page says about the kernel; the source and the times are left out. */
async function views(page: Page): Promise<string[]> {
  const shown: string[] = [];
  for (const tab of ['flow', 'remarks', 'ir', 'machine']) {
    // Not with the mouse: on a busy machine the page may still move under it.
    await page.$eval(`#tab-${tab}`, (button) => (button as HTMLElement).click());
    // Listings and remarks come after what is shown first.
    if (tab !== 'flow') await page.waitForSelector(`#${tab} :is(tr, li)`, PATIENCE);
    shown.push(await page.$eval(`#${tab}`, (panel) => panel.innerHTML));
  }
  await page.click('#tab-flow');
  return [...shown, await textOf(page, '#messages'), await textOf(page, '#function')];
}

async function visitAgain(page: Page): Promise<string> {
  await page.reload({ waitUntil: 'load' });
  await isShown(page);
  return textOf(page, '#status');
}

/** OpenCL, for which clang is loaded, too, and LLVM IR. */
type Example = 'scale' | 'bitonic-ir';

/** @param use may empty the list of complaints */
async function withPage(
  example: Example,
  use: (page: Page, server: TestServer, complaints: string[]) => Promise<void>,
): Promise<void> {
  const complaints: string[] = [];
  await using server = await siteServer(SITE);
  await withBrowser(BROWSER!, async (browser) => {
    const page = await openPage(browser, `${server.url}/?example=${example}`, complaints);
    await isShown(page);
    assert.match(await textOf(page, '#status'), COMPILED);
    await use(page, server, complaints);
  });
  assert.equal(complaints, []);
}

if (BROWSER === null)
  test('there is a browser', () => console.log('page/kept-results: no browser on this machine, so nothing is tested'));
else {
  test.long('what an earlier visit compiled is shown as it was, and the next edit is compiled', () =>
    withPage('scale', async (page) => {
      const first = await views(page);
      // clang's translation, the compilation, and two listings of each kind.
      await areKept(page, 6);
      assert.match(await visitAgain(page), KNOWN);
      assert.equal(await views(page), first);

      const source = await page.evaluate(() => document.querySelector<HTMLElement>('.cm-content')!.innerText);
      await after(page, 'compiled', () => type(page, `// edited\n${source}`));
      assert.match(await textOf(page, '#status'), COMPILED);
      assert.match(await textOf(page, '#flow'), /holds M1/);
    }),
  );

  test.long('a change of an option needs no clang', () =>
    withPage('scale', async (page, server, complaints) => {
      await areKept(page, 2);
      await isLlvmKept(page, SITE);
      await page.waitForFunction(() => navigator.serviceWorker.ready.then(() => true), PATIENCE);
      await page.evaluate(async () => {
        const modules = await caches.open('darm-modules');
        for (const { url } of await modules.keys()) if (/\/clang/.test(url)) await modules.delete(url);
      });
      await server[Symbol.asyncDispose]();
      assert.match(await visitAgain(page), KNOWN);
      await after(page, 'compiled', () => page.select('#meld', 'off'));
      assert.match(await textOf(page, '#status'), /^gfx1100: 0 melds, \d+ ms$/);
      // clang is asked for, for the next edit, and cannot be had.
      complaints.length = 0;
    }),
  );

  test.long('results of another build, and damaged ones, are not shown', () =>
    withPage('bitonic-ir', async (page, server) => {
      await areKept(page, 1);
      const [name] = await stores(page);
      await page.evaluate(async (own) => {
        const from = await caches.open(own!);
        const to = await caches.open(`${own!.slice(0, -4)}0000`);
        for (const request of await from.keys()) await to.put(request, (await from.match(request))!);
        await caches.delete(own!);
      }, name);
      assert.match(await visitAgain(page), COMPILED);
      await page.waitForFunction(async () => !(await caches.keys()).some((each) => each.endsWith('0000')), PATIENCE);
      assert.equal(await stores(page), [name]);

      for (const damage of ['cut', 'bit', 'text'] as const) {
        await areKept(page, 1);
        assert.match(await visitAgain(page), KNOWN);
        // Away from the page, which compiles what is known once more, and keeps that.
        const address = page.url();
        await page.goto(`${server.url}/icon.svg`);
        await page.evaluate(
          async (own, how, mark) => {
            const store = await caches.open(own!);
            for (const request of await store.keys()) {
              const bytes = new Uint8Array(await (await store.match(request))!.arrayBuffer());
              const middle = bytes.length >> 1;
              if (how === 'bit') bytes[middle]! ^= 1;
              const body = how === 'text' ? 'no result' : how === 'cut' ? bytes.slice(0, middle) : bytes;
              await store.put(request, new Response(body, { headers: { [mark]: how } }));
            }
          },
          name,
          damage,
          DAMAGED,
        );
        await page.goto(address);
        await isShown(page);
        assert.match(await textOf(page, '#status'), COMPILED, damage);
      }
    }),
  );

  test.long('without room in the browser nothing is kept, and everything works', () =>
    withPage('bitonic-ir', async (page) => {
      await areKept(page, 1);
      await page.evaluate(async () => {
        for (const name of await caches.keys()) if (/results|modules/.test(name)) await caches.delete(name);
      });
      const session = await page.createCDPSession();
      await session.send('Storage.overrideQuotaForOrigin', { origin: new URL(page.url()).origin, quotaSize: 1 });
      assert.match(await visitAgain(page), COMPILED);
      assert.match(await visitAgain(page), COMPILED);
      assert.match(await textOf(page, '#flow'), /holds M1/);
    }),
  );
}

test.run();
