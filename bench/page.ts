/**
 * The explorer's static page in a browser, served locally: the first kernel from an empty profile, the first kernel of
 * the second and the third visit, each in a new process of the browser; edits; and the simulator beside Node's, on the
 * same launch. Medians of several runs.
 *
 *     npm run build:page && node dist/bench/page.js [RUNS]
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
const EDITS = 8;
const VISITS = 3;
/** How long a reader looks at the page, in milliseconds: Chromium keeps optimised code meanwhile. */
const LOOK = 6000;
/** Launches before the simulator's time is taken. */
const WARM = 2;
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
  const comment = job.language === 'ir' ? '; edited' : '// edited';
  const times: number[] = [];
  for (let edit = 0; edit < EDITS; edit++) {
    const before = await page.evaluate(() => Number(document.body.dataset['compiled']));
    await page.focus('#editor .cm-content');
    await page.evaluate((text) => document.execCommand('insertText', false, text), `${comment} ${edit}\n`);
    await page.waitForFunction((count) => Number(document.body.dataset['compiled']) > count, { polling: 10 }, before);
    times.push(Number(/(\d+) ms/.exec((await page.$eval('#status', (each) => each.textContent)) ?? '')?.[1]));
  }
  // The first ones are made while V8 still optimises.
  return times.slice(EDITS / 2);
}

async function visits(executablePath: string, url: string, example: Example): Promise<void> {
  const times: number[][] = Array.from({ length: VISITS }, () => []);
  const edited: number[] = [];
  for (let run = 0; run < runs; run++) {
    const profile = await mkdtemp(path.join(tmpdir(), 'darm-page-'));
    for (const [index, each] of times.entries()) {
      const open = async (browser: Browser): Promise<void> => {
        const page = await browser.newPage();
        each.push(await visit(page, `${url}/?example=${example.id}`));
        if (index === VISITS - 1) edited.push(...(await edits(page, example)));
        else await sleep(LOOK);
      };
      await withBrowser(executablePath, open, profile);
    }
    await rm(profile, { recursive: true, force: true });
  }
  console.log(`${example.id}: visits ${times.map(ms).join(', ')}; edit ${ms(edited)}`);
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
await using server = await siteServer(SITE);
await visits(executable, server.url, named('bitonic-ir'));
await visits(executable, server.url, named('bitonic'));
await withBrowser(executable, (browser) => simulator(browser, server.url, named('sb1')));
