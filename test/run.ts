/**
 * Runs every test file under `dist/test`, or those whose path contains one of the arguments: each in its own process,
 * three at a time, results printed in the order of the file names. The last line is `N passed, N failed`. A file that
 * registers no test, dies, or does not end counts as a failure. Everything is bundled first: what is tested is what is
 * shipped. Before all files, prepared code is made for them, in build/: hundreds of processes would compile LLVM anew.
 */
import { spawn, spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MAIN } from './support/command.js';
import type { FileReport } from './support/suite.js';

await import('../packaging/bundle.js');

const TEST_ROOT = dirname(fileURLToPath(import.meta.url));
/** One more than the processors that the suite is made for: many tests wait for a process or a time limit. */
const PARALLEL = 3;
const FILE_LIMIT_MS = 15 * 60_000;
/** Tests of how processes start without it name another folder. */
process.env['DARM_PREPARED_DIR'] = fileURLToPath(new URL('../../build/prepared', import.meta.url));

interface FileOutcome {
  readonly output: string;
  readonly report: FileReport;
  readonly seconds: number;
}

function testFiles(filters: readonly string[]): string[] {
  const files = readdirSync(TEST_ROOT, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.js'))
    .map((file) => file.split(sep).join('/'))
    .sort((a, b) => (a < b ? -1 : 1));
  return filters.length === 0 ? files : files.filter((file) => filters.some((filter) => file.includes(filter)));
}

function runFile(file: string): Promise<FileOutcome> {
  return new Promise((resolve) => {
    const started = performance.now();
    const { DARM_TEST_REPORT_FD: _, ...environment } = process.env;
    const child = spawn(process.execPath, ['--enable-source-maps', join(TEST_ROOT, file)], {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env: { ...environment, DARM_TEST_REPORT_FD: '3' },
    });
    const chunks: Buffer[] = [];
    const reportChunks: Buffer[] = [];
    child.stdout!.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr!.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stdio[3]!.on('data', (chunk: Buffer) => reportChunks.push(chunk));
    const timer = setTimeout(() => {
      chunks.push(Buffer.from(`\n${file}: not finished after ${FILE_LIMIT_MS} ms\n`));
      child.kill('SIGKILL');
    }, FILE_LIMIT_MS);
    child.on('error', (error) => chunks.push(Buffer.from(`\n${error.message}\n`)));
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      const text = Buffer.concat(reportChunks).toString('utf8').trim();
      let report: FileReport = text === '' ? { registered: 0, passed: 0, failed: 0 } : (JSON.parse(text) as FileReport);
      const complaint =
        report.registered === 0
          ? 'registered no test'
          : (code !== 0 || signal !== null) && report.failed === 0
            ? `ended with ${signal ?? code} although no test failed`
            : null;
      if (complaint !== null) {
        chunks.push(Buffer.from(`\n${file}: ${complaint}\n`));
        report = { ...report, failed: report.failed + 1 };
      }
      const seconds = (performance.now() - started) / 1000;
      resolve({ output: Buffer.concat(chunks).toString('utf8'), report, seconds });
    });
  });
}

async function main(): Promise<void> {
  const files = testFiles(process.argv.slice(2));
  // From Node 25 on there is none, and tests take longer. For a few files it is not worth the time.
  if (process.argv.length === 2) spawnSync(process.execPath, [MAIN, 'prepare'], { stdio: 'ignore' });
  let passed = 0;
  let failed = files.length === 0 ? 1 : 0;
  const failures: string[] = [];
  const print = (file: string, { output, report, seconds }: FileOutcome): void => {
    passed += report.passed;
    failed += report.failed;
    if (report.failed > 0) failures.push(file);
    const name = relative(process.cwd(), join(TEST_ROOT, file));
    console.log(`${report.failed === 0 ? 'ok  ' : 'FAIL'} ${name}  ${report.passed} passed  ${seconds.toFixed(1)} s`);
    // A test may need something that not every machine has.
    for (const line of output.match(/^skipped: .*$/gm) ?? []) console.log(`     ${line}`);
    if (report.failed > 0) console.log(output.replace(/^/gm, '     '));
  };

  const outcomes: FileOutcome[] = [];
  let next = 0;
  let printed = 0;
  const worker = async (): Promise<void> => {
    while (next < files.length) {
      const index = next++;
      outcomes[index] = await runFile(files[index]!);
      for (; outcomes[printed] !== undefined; printed++) print(files[printed]!, outcomes[printed]!);
    }
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
  if (files.length === 0) console.log('no test file matches');
  if (failures.length > 0) console.log(`failed: ${failures.join(', ')}`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

await main();
