/**
 * The explorer's static page in a browser, served locally: the first kernel from an empty storage, the first kernel of
 * a second visit, edits; and the simulator beside Node's, on the same launch. Medians of several runs.
 *
 *     npm run build:page && node dist/bench/page.js [RUNS]
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import type { Example } from '../page/examples.js';
import type { WorkerMessage } from '../page/worker.js';
import { Explorer } from '../src/explorer/explorer.js';
import type { ExploreOutcome, ExploreQuestion, Launched } from '../src/explorer/protocol.js';
import { createCompiler } from '../src/index.js';
import { loadLayout } from '../src/report/graph/layout.js';
import { browserPath, withBrowser } from '../test/support/browser.js';
import { siteServer } from '../test/support/site.js';

const SITE = path.join(fileURLToPath(new URL('../../', import.meta.url)), 'dist', 'site');
const EDITS = 4;
const runs = Number(process.argv[2] ?? 3);
const executable = browserPath();
if (executable === null) throw new Error('there is no browser on this machine');

const examples = JSON.parse(await readFile(path.join(SITE, 'examples.json'), 'utf8')) as Example[];
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
const ms = (values: readonly number[]): string => `${Math.round(median(values))} ms`;

/** Milliseconds from the visit until the page shows the kernel. */
async function visit(page: Page, url: string): Promise<number> {
  const started = performance.now();
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForFunction(() => document.body.dataset['compiled'] !== undefined, { timeout: 300_000, polling: 10 });
  return performance.now() - started;
}

/** Milliseconds that each of these edits takes from the question to the answer. */
async function edits(page: Page, { job }: Example): Promise<number[]> {
  const comment = job.language === 'ir' ? ';' : '//';
  const times: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    const before = await page.evaluate(() => Number(document.body.dataset['compiled']));
    await page.focus('#editor .cm-content');
    await page.keyboard.type(`${comment}\n`);
    await page.waitForFunction((count) => Number(document.body.dataset['compiled']) > count, { polling: 10 }, before);
    times.push(Number(/(\d+) ms/.exec((await page.$eval('#status', (each) => each.textContent)) ?? '')?.[1]));
  }
  return times.slice(1);
}

async function visits(browser: Browser, url: string, example: Example): Promise<void> {
  const [first, second, edited]: number[][] = [[], [], []];
  for (let run = 0; run < runs; run++) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    first!.push(await visit(page, `${url}/?example=${example.id}`));
    await page.close();
    const again = await context.newPage();
    second!.push(await visit(again, `${url}/?example=${example.id}`));
    edited!.push(...(await edits(again, example)));
    await context.close();
  }
  console.log(`${example.id}: first ${ms(first!)}, second visit ${ms(second!)}, edit ${ms(edited!)}`);
}

/** A launch that takes a while. */
function longLaunch({ job, spec }: Example): ExploreQuestion {
  return { kind: 'launch', job, spec: spec.replace(/"value": \d+\}\s*\]/, '"value": 400}]'), simulation: {} };
}

async function simulator(browser: Browser, url: string, example: Example): Promise<void> {
  const question = longLaunch(example);
  const compiler = createCompiler({ threads: 0 });
  const explorer = new Explorer(compiler, loadLayout);
  const page = await browser.newPage();
  await page.goto(`${url}/icon.svg`);
  await page.evaluate(() => {
    Object.assign(window, { worker: new Worker('worker.js', { type: 'module' }) });
  });
  const inPage = (): Promise<number> =>
    page.evaluate(async (asked) => {
      const { worker } = window as unknown as { worker: Worker };
      const outcome = await new Promise<ExploreOutcome>((resolve) => {
        worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
          if (data.kind === 'answer') resolve(data.outcome);
        };
        worker.postMessage({ id: 0, question: asked });
      });
      if (!outcome.ok) throw new Error(outcome.error.message);
      return (outcome.value as Launched).time[1];
    }, question);
  const inNode = async (): Promise<number> => ((await explorer.answer(question)) as Launched).time[1];
  const times: { node: number[]; page: number[] } = { node: [], page: [] };
  for (let run = 0; run < runs + 1; run++) {
    times.node.push(await inNode());
    times.page.push(await inPage());
  }
  const ratio = median(times.page.slice(1)) / median(times.node.slice(1));
  console.log(
    `simulator: ${ms(times.node.slice(1))} in Node, ${ms(times.page.slice(1))} in the page: × ${ratio.toFixed(2)}`,
  );
  await page.close();
  await compiler.close();
}

const named = (id: string): Example => examples.find((each) => each.id === id)!;
await using server = await siteServer(SITE);
await withBrowser(executable, async (browser) => {
  await visits(browser, server.url, named('bitonic-ir'));
  await visits(browser, server.url, named('bitonic'));
  await simulator(browser, server.url, named('sb1'));
});
