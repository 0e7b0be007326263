/** What a reader of the explorer's page does, for tests. */
import type { Browser, Page } from 'puppeteer-core';

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
