/**
 * Runs the test files under `dist/test`: in processes of their own, three at a time, results printed in the order of
 * the file names. Files of a folder that only compute share a process; if anything goes wrong there, each of them is
 * run again by itself. The last line is `N passed, N failed`. A file that registers no test, dies, or does not end
 * counts as a failure. Everything is bundled first: what is tested is what is shipped. Before all files, prepared code
 * is made for them, in build/: hundreds of processes would compile LLVM anew.
 *
 *   node dist/test/run.js                   the quick tests of all files
 *   node dist/test/run.js --long            their long tests
 *   node dist/test/run.js melding cli/      all tests of the files whose path contains one of these
 */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAIN } from './support/command.js';
import { longTests, neverRuns, nothingRuns, runsIn, type Mode } from './support/selection.js';
import type { FileReport } from './support/suite.js';

await import('../packaging/bundle.js');

const TEST_ROOT = dirname(fileURLToPath(import.meta.url));
const FILTERS = process.argv.slice(2).filter((word) => word !== '--long');
const MODE: Mode = process.argv.includes('--long') ? 'long' : FILTERS.length === 0 ? 'quick' : 'all';
/** One more than the processors that the suite is made for: many tests wait for a process or a time limit. */
const PARALLEL = 3;
const FILE_LIMIT_MS = 15 * 60_000;
/** Tests of how processes start without it name another folder. */
process.env['DARM_PREPARED_DIR'] = fileURLToPath(new URL('../../build/prepared', import.meta.url));

const TOGETHER = join(TEST_ROOT, 'support', 'run-together.js');
/** Else the last processes would take long while other processors are idle. */
const MOST_TOGETHER = 8;
/** Files with a process of their own: they start processes or threads, change their process, or look at it. */
const ALONE = new RegExp(
  [
    ...['child_process', 'createCompiler', 'freshRuntime', 'workers/', 'service/', 'process\\.(env|memoryUsage)'],
    'support/(browser|command|fleet|postgres|profile|redis|server|service|tools)\\.js',
  ].join('|'),
);

interface FileOutcome {
  readonly output: string;
  readonly passed: number;
  readonly failed: number;
  readonly leftOut: number;
  readonly seconds: number;
}

const textOf = (file: string): string => readFileSync(join(TEST_ROOT, file), 'utf8');

function testFiles(): string[] {
  const files = readdirSync(TEST_ROOT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => file.split(sep).join('/'))
    .sort((a, b) => (a < b ? -1 : 1));
  return FILTERS.length === 0 ? files : files.filter((file) => FILTERS.some((filter) => file.includes(filter)));
}

/** The files of each process. */
function inProcesses(files: readonly string[]): string[][] {
  const processes: string[][] = [];
  const open = new Map<string, string[]>();
  for (const file of files) {
    const folder = dirname(file);
    const others = open.get(folder);
    const isAlone = ALONE.test(textOf(file));
    if (!isAlone && others !== undefined && others.length < MOST_TOGETHER) {
      others.push(file);
      continue;
    }
    const own = [file];
    processes.push(own);
    if (!isAlone) open.set(folder, own);
  }
  return processes;
}

const NOTHING: FileReport = { registered: 0, passed: 0, failed: 0, leftOut: 0, seconds: 0 };

/** What is wrong with a file of which no test failed. */
function fault(file: string, { registered, leftOut }: FileReport): string | null {
  if (registered === 0) return 'registered no test';
  return neverRuns(textOf(file), MODE, leftOut) ? `left out ${leftOut} tests that its text does not show` : null;
}

/** The outcomes of files, in their order. */
async function runFiles(files: readonly string[]): Promise<FileOutcome[]> {
  const { output, reports, complaint, seconds } = await runProcess(files);
  const outcomes = files.map((file, index): FileOutcome => {
    const report = reports[index] ?? NOTHING;
    const { passed, failed, leftOut, seconds: ofTests } = report;
    const wrong = failed > 0 ? null : (complaint ?? fault(file, report));
    if (wrong === null) return { output, passed, failed, leftOut, seconds: files.length === 1 ? seconds : ofTests };
    return { output: `${output}\n${file}: ${wrong}\n`, passed, failed: failed + 1, leftOut, seconds };
  });
  const told = reports.findIndex((report) => (report?.failed ?? 0) > 0);
  const blamed = told >= 0 ? told : outcomes.findIndex(({ failed }) => failed > 0);
  if (files.length === 1 || blamed < 0) return outcomes;
  const alone: FileOutcome[] = [];
  for (const file of files) alone.push(...(await runFiles([file])));
  if (alone.every(({ failed }) => failed === 0))
    alone[blamed] = { ...outcomes[blamed]!, output: `${output}\nfails only beside others: ${files.join(', ')}\n` };
  return alone;
}

interface ProcessOutcome {
  readonly output: string;
  readonly reports: readonly (FileReport | null)[];
  /** How the process ended; null when all is well. */
  readonly complaint: string | null;
  readonly seconds: number;
}

function runProcess(files: readonly string[]): Promise<ProcessOutcome> {
  return new Promise((resolve) => {
    const started = performance.now();
    const { DARM_TEST_REPORT_FD: _, ...environment } = process.env;
    const paths = files.map((file) => join(TEST_ROOT, file));
    const words = paths.length === 1 ? paths : [TOGETHER, ...paths];
    const child = spawn(process.execPath, ['--enable-source-maps', ...words], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { ...environment, DARM_TEST_REPORT_FD: '3', DARM_TESTS: MODE },
    });
    const chunks: Buffer[] = [];
    const reportChunks: Buffer[] = [];
    child.stdout!.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr!.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stdio[3]!.on('data', (chunk: Buffer) => reportChunks.push(chunk));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      child.kill('SIGKILL');
    }, FILE_LIMIT_MS);
    child.on('error', (error) => chunks.push(Buffer.from(`\n${error.message}\n`)));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const text = Buffer.concat(reportChunks).toString('utf8').trim();
      resolve({
        output: Buffer.concat(chunks).toString('utf8'),
        reports: text === '' ? [] : (JSON.parse(text) as (FileReport | null)[]),
        complaint: isLate
          ? `not finished after ${FILE_LIMIT_MS} ms`
          : code !== 0
            ? `ended with ${signal ?? code} although no test failed`
            : null,
        seconds: (performance.now() - started) / 1000,
      });
    });
  });
}

async function main(): Promise<void> {
  const all = testFiles();
  const files = all.filter((file) => runsIn(textOf(file), MODE));
  // From Node 25 on there is none, and tests take longer. For a few files it is not worth the time.
  if (FILTERS.length === 0) spawnSync(process.execPath, [MAIN, 'prepare'], { stdio: 'ignore' });
  let passed = 0;
  let failed = files.length === 0 ? 1 : 0;
  let leftOut = 0;
  if (MODE === 'quick') for (const file of all) if (!files.includes(file)) leftOut += longTests(textOf(file));
  const failures: string[] = [];
  const skipped = new Set<string>();
  const print = (file: string, outcome: FileOutcome): void => {
    passed += outcome.passed;
    failed += outcome.failed;
    leftOut += outcome.leftOut;
    const isWrong = outcome.failed > 0;
    if (isWrong) failures.push(file);
    const name = relative(process.cwd(), join(TEST_ROOT, file));
    console.log(`${isWrong ? 'FAIL' : 'ok  '} ${name}  ${outcome.passed} passed  ${outcome.seconds.toFixed(1)} s`);
    // A test may need something that not every machine has. Files that share a process share its output.
    for (const line of outcome.output.match(/^skipped: .*$/gm) ?? [])
      if (!skipped.has(line)) {
        skipped.add(line);
        console.log(`     ${line}`);
      }
    if (isWrong) console.log(outcome.output.replace(/^/gm, '     '));
  };

  const outcomes = new Map<string, FileOutcome>();
  const waiting = inProcesses(files);
  let printed = 0;
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      for (const [index, outcome] of (await runFiles(next)).entries()) outcomes.set(next[index]!, outcome);
      for (let file = files[printed]; file !== undefined && outcomes.has(file); file = files[++printed])
        print(file, outcomes.get(file)!);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  if (files.length === 0) console.log(nothingRuns(FILTERS, all.length));
  if (failures.length > 0) console.log(`failed: ${failures.join(', ')}`);
  if (MODE === 'quick') console.log(`${leftOut} tests take long and were left out: npm run test:long`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
