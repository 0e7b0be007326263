/** What a reader of the explorer's page does, for tests. */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Browser, Page } from 'puppeteer-core';
import { assert } from '../support/suite.js';

/** A machine that has other things to do, too. */
export const PATIENCE = { timeout: 180_000 };

/** Opens a page whose console and requests are watched. */
export async function openPage(browser: Browser, url: string, complaints: string[]): Promise<Page> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.setViewport({ width: 1280, height: 800 });
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${String(error)}`));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (origin !== new URL(url).origin && protocol !== 'blob:') complaints.push(`request: ${request.url()}`);
  });
  await page.goto(url, { waitUntil: 'load' });
  return page;
}

const countOf = (page: Page, what: 'compiled' | 'ran'): Promise<number> =>
  page.evaluate((key) => Number(document.body.dataset[key] ?? 0), what);

/** Waits until a page that was just opened shows a kernel: what it knows it may show before one looks. */
export const isShown = (page: Page): Promise<unknown> =>
  page.waitForFunction(
    () => document.body.dataset['compiled'] !== undefined && document.body.dataset['state'] === 'idle',
    PATIENCE,
  );

/** Does something that makes the page compile or run, and waits until it has. */
export async function after(page: Page, what: 'compiled' | 'ran', act: () => Promise<unknown>): Promise<void> {
  const before = await countOf(page, what);
  await act();
  await page.waitForFunction(
    (key, count) => Number(document.body.dataset[key] ?? 0) > count && document.body.dataset['state'] === 'idle',
    PATIENCE,
    what,
    before,
  );
}

export const textOf = (page: Page, selector: string): Promise<string> =>
  page.$eval(selector, (element) => element.textContent ?? '');

/** Puts a text into an editor, as if it were typed. */
export async function type(page: Page, text: string, editor = '#editor'): Promise<void> {
  await page.focus(`${editor} .cm-content`);
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.evaluate((content) => document.execCommand('insertText', false, content), text);
}

/** Waits until all of LLVM is kept, unpacked: it happens after the first results are shown. */
export async function isLlvmKept(page: Page, site: string): Promise<void> {
  const files = (await readdir(path.join(site, 'wasm'))).filter((name) => name.endsWith('.br'));
  const parts = files.map((name) => name.split('.').slice(1, 3)).filter(([part]) => !/^(clang|headers)/.test(part!));
  assert.ok(parts.length >= 4, files.join(' '));
  await page.waitForFunction(
    async (wanted) => {
      const kept = (await (await caches.open('darm-modules')).keys()).map(({ url }) =>
        url.split('/').pop()!.split('.'),
      );
      return wanted.every(([part, extension]) => kept.some((name) => name[0] === part && name[2] === extension));
    },
    { ...PATIENCE, polling: 100 },
    parts,
  );
}
