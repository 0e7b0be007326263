/**
 * All tests are written with this wrapper of uvu. By itself uvu passes when `.run()` is forgotten, has no time limits,
 * and hides what its hooks throw. So:
 * - every file gives its number of tests, and it is a failure if another number runs or is left out (`selection.ts`);
 * - every test has a time limit;
 * - there are no hooks: set-up happens inside tests, or in a function that a test calls;
 * - a process that stays alive after its last test (because a worker pool is open) is a failure.
 *
 *     const test = suite('formats/bitcode', { tests: 3, timeoutMs: 5000 });
 *     test('unwraps', () => { assert.is(1, 1); });
 *     test('rejects', async () => { … });
 *     test.long('unwraps a million', () => { … });
 *     test.run();
 *
 * A file can be run by itself (`node dist/test/formats/bitcode.test.js`); `run.ts` runs all and collects the reports,
 * and lets files that only compute share a process.
 */
import { writeSync } from 'node:fs';
import { suite as uvuSuite } from 'uvu';
import { isLeftOut, modeOfProcess } from './selection.js';

export * as assert from 'uvu/assert';

export interface SuiteOptions {
  /** Number of tests in the suite, the long ones included. */
  readonly tests: number;
  /** Time limit of one test in milliseconds. */
  readonly timeoutMs?: number;
}

type Body = () => void | Promise<void>;

export interface Suite {
  (name: string, body: Body): void;
  /** A test that `npm test` leaves out, because it takes long. */
  long(name: string, body: Body): void;
  run(): void;
}

/**
 * What a test file reports to the runner. Those of all files of a process are one line of JSON on the file descriptor
 * `DARM_TEST_REPORT_FD`.
 */
export interface FileReport {
  readonly registered: number;
  readonly passed: number;
  readonly failed: number;
  /** Registered, and not to be run in this mode. */
  readonly leftOut: number;
  /** That its tests took. */
  readonly seconds: number;
}

interface SuiteState {
  readonly name: string;
  /** Which of the files of the process it is in. */
  readonly file: number;
  readonly expected: number;
  registered: number;
  passed: number;
  failed: number;
  leftOut: number;
  seconds: number;
}

const MODE = modeOfProcess();
const LINGER_MS = 10_000;
const suites: SuiteState[] = [];

export function suite(name: string, { tests, timeoutMs = 30_000 }: SuiteOptions): Suite {
  if (suites.length === 0) process.once('exit', reportAtExit);
  const { UVU_INDEX: file = 0 } = globalThis as { UVU_INDEX?: number };
  const counts = { registered: 0, passed: 0, failed: 0, leftOut: 0, seconds: 0 };
  const state: SuiteState = { name, file, expected: tests, ...counts };
  suites.push(state);
  const inner = uvuSuite(name);

  const register = (testName: string, body: Body, isLong: boolean): void => {
    state.registered++;
    if (isLeftOut(isLong, MODE)) {
      state.leftOut++;
      return;
    }
    inner(testName, async () => {
      const started = performance.now();
      try {
        await withTimeout(body, timeoutMs);
        state.passed++;
      } catch (error) {
        state.failed++;
        throw error instanceof Error ? error : new Error(`thrown: ${String(error)}`);
      } finally {
        state.seconds += (performance.now() - started) / 1000;
        if (suites.every((s) => s.passed + s.failed + s.leftOut >= s.expected)) failIfProcessLingers();
      }
    });
  };
  return Object.assign((testName: string, body: Body) => register(testName, body, false), {
    long: (testName: string, body: Body) => register(testName, body, true),
    run: () => inner.run(),
  });
}

async function withTimeout(body: Body, timeoutMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no result after ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([body(), limit]);
  } finally {
    clearTimeout(timer);
  }
}

function failIfProcessLingers(): void {
  setTimeout(() => {
    console.error(`the process is still alive ${LINGER_MS} ms after its last test: something was left open`);
    process.exit(1);
  }, LINGER_MS).unref();
}

function reportAtExit(code: number): void {
  const reports: FileReport[] = [];
  for (const { name, file, expected, registered, passed, failed, leftOut, seconds } of suites) {
    const ran = passed + failed;
    const isWhole = registered === expected && ran + leftOut === expected;
    if (!isWhole)
      writeSync(
        2,
        `suite ${name}: ${expected} tests expected, ${registered} registered, ${ran} ran, ${leftOut} left out\n`,
      );
    const before = reports[file] ?? { registered: 0, passed: 0, failed: 0, leftOut: 0, seconds: 0 };
    reports[file] = {
      registered: before.registered + registered,
      passed: before.passed + passed,
      failed: before.failed + failed + (isWhole ? 0 : 1),
      leftOut: before.leftOut + leftOut,
      seconds: before.seconds + seconds,
    };
  }
  const sum = (pick: (report: FileReport) => number): number => reports.reduce((total, each) => total + pick(each), 0);
  const failed = sum((each) => each.failed);
  if (failed > 0) process.exitCode = 1;
  const reportFd = process.env['DARM_TEST_REPORT_FD'];
  if (reportFd !== undefined) writeSync(Number(reportFd), `${JSON.stringify(reports)}\n`);
  else writeSync(1, `${sum((each) => each.passed)} passed, ${failed === 0 && code !== 0 ? 1 : failed} failed\n`);
}
