/** A headless browser, if the machine has one: `CHROME_PATH`, or chromium or Chrome on the `PATH`. */
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'puppeteer-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome'];

export function browserPath(): string | null {
  const named = process.env['CHROME_PATH'];
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter(Boolean);
  const candidates = folders.flatMap((folder) => NAMES.map((name) => path.join(folder, name)));
  for (const candidate of named === undefined ? candidates : [named])
    try {
      accessSync(candidate, constants.X_OK);
      return candidate;
    } catch {
      // Try the next one.
    }
  return null;
}

/** A name of this machine that browsers take for another machine's. */
export const OTHER_HOST = 'other.test';

/** @param userDataDir the profile's folder; by default the profile is new, and goes with the browser */
export async function withBrowser(
  executablePath: string,
  use: (browser: Browser) => Promise<void>,
  userDataDir?: string,
): Promise<void> {
  const { launch } = await import('puppeteer-core');
  // The sandbox needs rights that containers do not have. Only our own pages are opened. That V8 optimises LLVM would
  // take longer than the tests do.
  const args = ['--no-sandbox', '--js-flags=--liftoff-only', '--disable-gpu', '--disable-dev-shm-usage', `--host-resolver-rules=MAP ${OTHER_HOST} 127.0.0.1`]; // prettier-ignore
  const browser = await launch({ executablePath, args, ...(userDataDir === undefined ? {} : { userDataDir }) });
  try {
    await use(browser);
  } finally {
    await browser.close();
  }
}

export interface OpenPage {
  readonly page: Page;
  /** Requests besides the page itself, and errors in it. */
  readonly complaints: readonly string[];
}

/** Opens a file in a new tab. */
export async function openFile(browser: Browser, file: string): Promise<OpenPage> {
  const page = await browser.newPage();
  const complaints: string[] = [];
  const url = `file://${file}`;
  page.on('console', (message) => complaints.push(`console: ${message.text()}`));
  page.on('pageerror', (error) => complaints.push(`error: ${String(error)}`));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url() !== url) complaints.push(`request: ${request.url().slice(0, 100)}`);
  });
  await page.setViewport({ width: 1400, height: 1000 });
  await page.goto(url, { waitUntil: 'load' });
  return { page, complaints };
}
