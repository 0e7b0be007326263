/**
 * The explorer's static page in a browser, served locally, each visit in a new process of the browser: the first visit
 * from an empty profile; a second visit with another kernel, which is compiled; a third one with the kernel of the
 * first, whose result the browser has kept; then edits, and changes of an option. And the simulator beside Node's, on
 * the same launch. Medians of several runs.
 *
 *     npm run build:page && node dist/bench/page.js [RUNS [SITE …]]
 *
 * With several sites (`dist/site` of other builds), their visits take turns.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'puppeteer-core';
import type { Example } from '../page/examples.js';
import { linkOf } from '../page/link.js';
import type { WorkerMessage } from '../page/worker.js';
import { Explorer } from '../src/explorer/explorer.js';
import type { ExploreOutcome, ExploreQuestion, Launched } from '../src/explorer/protocol.js';
import { createCompiler } from '../src/index.js';
import { loadLayout } from '../src/report/graph/layout.js';
import { browserPath, withBrowser } from '../test/support/browser.js';
import { siteServer } from '../test/support/site.js';

const own = path.join(fileURLToPath(new URL('../../', import.meta.url)), 'dist', 'site');
const [count = '3', ...others] = process.argv.slice(2);
const runs = Number(count);
const sites = others.length === 0 ? [own] : others;
const EDITS = 6;
/** How long a reader looks at the page, in milliseconds: Chromium keeps optimised code meanwhile. */
const LOOK = 10_000;
/** How long a browser that has just started is left alone: it has its own pages to load. */
const REST = 3000;
/** Launches before the simulator's time is taken. */
const WARM = 2;
const executable = browserPath();
if (executable === null) throw new Error('there is no browser on this machine');

const examples = JSON.parse(await readFile(path.join(own, 'examples.json'), 'utf8')) as Example[];
const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1]!;
const ms = (values: readonly number[]): string => `${Math.round(median(values))} ms`;

/** Seconds that the browser's processes have computed. */
async function processorTime(browser: Browser): Promise<number> {
  const session = await browser.target().createCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  return processInfo.reduce((sum, { cpuTime }) => sum + cpuTime, 0);
}

const compilations = (page: Page): Promise<number> =>
  page.evaluate(() => Number(document.body.dataset['compiled'] ?? 0));

const isCompiled = (page: Page, before: number): Promise<unknown> =>
  page.waitForFunction((count) => Number(document.body.dataset['compiled'] ?? 0) > count, { polling: 10 }, before);

/** Milliseconds from the visit until the page shows the kernel, and milliseconds of all processors in them. */
async function visit(browser: Browser, page: Page, url: string): Promise<{ wall: number; processor: number }> {
  const computed = await processorTime(browser);
  const started = performance.now();
  await page.goto(url, { waitUntil: 'load' });
  await isCompiled(page, 0);
  const wall = performance.now() - started;
  return { wall, processor: 1000 * ((await processorTime(browser)) - computed) };
}

/** Milliseconds from the question to the answer, as the page tells them. */
async function answered(page: Page, act: () => Promise<unknown>): Promise<number> {
  const before = await compilations(page);
  await act();
  await isCompiled(page, before);
  return Number(/(\d+) ms/.exec((await page.$eval('#status', (each) => each.textContent)) ?? '')?.[1]);
}

const isIr = ({ job }: Example): boolean => job.language === 'ir';

async function edits(page: Page, example: Example): Promise<number[]> {
  const times: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    const text = `${isIr(example) ? ';' : '//'} edited ${edit}\n`;
    times.push(
      await answered(page, async () => {
        await page.focus('#editor .cm-content');
        await page.evaluate((typed) => document.execCommand('insertText', false, typed), text);
      }),
    );
  }
  return times;
}

/** An option of melding; clang has no part in it. */
const optionChange = (page: Page): Promise<number> => answered(page, () => page.select('#meld', 'off'));

/** The same work as the example's kernel, but no earlier visit knows it. */
async function unknown({ job, spec }: Example): Promise<string> {
  const source = `${job.language === 'ir' ? ';' : '//'} another kernel\n${job.source}`;
  return `/${await linkOf({ job: { ...job, source }, spec, tab: 'flow' })}`;
}

const FIGURES = [
  'first visit',
  'second visit, another kernel (compiled)',
  'third visit, the kernel of the first (kept)',
  'first edit',
  'later edits',
  'another option',
] as const;
type Figures = Record<(typeof FIGURES)[number], { wall: number[]; processor: number[] }>;

async function round(executablePath: string, url: string, example: Example, figures: Figures): Promise<void> {
  const profile = await mkdtemp(path.join(tmpdir(), 'darm-page-'));
  const known = `/?example=${example.id}`;
  for (const [index, address] of [known, await unknown(example), known].entries())
    await withBrowser(
      executablePath,
      async (browser) => {
        const page = await browser.newPage();
        await sleep(REST);
        const { wall, processor } = await visit(browser, page, url + address);
        figures[FIGURES[index]!].wall.push(wall);
        figures[FIGURES[index]!].processor.push(processor);
        await sleep(LOOK);
        if (index < 2) return;
        const [first, ...later] = await edits(page, example);
        figures['first edit'].wall.push(first!);
        figures['later edits'].wall.push(...later);
        figures['another option'].wall.push(await optionChange(page));
      },
      profile,
    );
  await rm(profile, { recursive: true, force: true });
}

async function visits(executablePath: string, urls: readonly string[], example: Example): Promise<void> {
  const all = urls.map(
    () => Object.fromEntries(FIGURES.map((name) => [name, { wall: [], processor: [] }])) as unknown as Figures,
  );
  for (let run = 0; run < runs; run++)
    for (const [index, url] of urls.entries()) await round(executablePath, url, example, all[index]!);
  for (const [index, figures] of all.entries()) {
    console.log(urls.length === 1 ? example.id : `${example.id}, ${sites[index]!}`);
    for (const name of FIGURES) {
      const { wall, processor } = figures[name];
      const computed = processor.length === 0 ? '' : `, ${ms(processor)} of processors`;
      console.log(`  ${name}: ${ms(wall)}${computed}`);
    }
  }
}

/** A launch that takes a while. */
function longLaunch({ job, spec }: Example): ExploreQuestion {
  return { kind: 'launch', job, spec: spec.replace(/"value": \d+\}\s*\]/, '"value": 2000}]'), simulation: {} };
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
  for (let run = 0; run < runs + WARM; run++) {
    times.node.push(await inNode());
    times.page.push(await inPage());
  }
  const ratio = median(times.page.slice(WARM)) / median(times.node.slice(WARM));
  console.log(
    `simulator: ${ms(times.node.slice(WARM))} in Node, ${ms(times.page.slice(WARM))} in the page: × ${ratio.toFixed(2)}`,
  );
  await page.close();
  await compiler.close();
}

const named = (id: string): Example => examples.find((each) => each.id === id)!;
const servers = await Promise.all(sites.map(siteServer));
const urls = servers.map(({ url }) => url);
await visits(executable, urls, named('bitonic-ir'));
await visits(executable, urls, named('bitonic'));
await withBrowser(executable, (browser) => simulator(browser, urls[0]!, named('sb1')));
for (const server of servers) await server[Symbol.asyncDispose]();
