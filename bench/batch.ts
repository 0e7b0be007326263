/**
 * Compiles 200 kernels (or N) with `darm batch -j 2` and with `xargs -P2` of native llc and ld.lld, in turn in one run.
 * darm starts as a new process, is a warm compiler in this process, or has all results in its cache. Needs
 * `build.sh --native`.
 * usage: node dist/bench/batch.js [--rounds N] [--jobs N] [--kernels N]
 */
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { collectJobs } from '../src/batch/jobs.js';
import { Journal, makeOwnFolder } from '../src/batch/journal.js';
import { BatchOutputs } from '../src/batch/outputs.js';
import { runBatch } from '../src/batch/run.js';
import { createCompiler } from '../src/index.js';
import type { JobOptions } from '../src/job/options.js';
import { median, ms, nativeTool, option, printTable } from './support.js';

const rounds = option('rounds', 3);
const kernels = option('kernels', 200);
const jobs = option('jobs', 2);
const MAIN = fileURLToPath(new URL('../command/main.js', import.meta.url));
const folder = await mkdtemp(path.join(tmpdir(), 'darm-bench-'));
const source = fileURLToPath(new URL('../../kernels/ir/', import.meta.url));
const files = (await readdir(source))
  .filter((file) => file.includes('.gfx') && file.endsWith('.bc'))
  .sort()
  .slice(0, kernels)
  .map((file) => path.join(source, file));
const list = path.join(folder, 'list');
await writeFile(list, files.map((file) => `${file}\n`).join(''));

/** The time that a process takes, in milliseconds. */
function time(command: string, args: readonly string[]): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve(performance.now() - start) : reject(new Error(`${command} ended with ${code}`)),
    );
  });
}

const out = path.join(folder, 'out');
const cache = path.join(folder, 'cache');
async function darm(...options: string[]): Promise<number> {
  await rm(out, { recursive: true, force: true });
  return time(process.execPath, [
    MAIN,
    'batch',
    `@${list}`,
    '--out-dir',
    out,
    '-j',
    String(jobs),
    '--quiet',
    ...options,
  ]);
}

async function native(): Promise<number> {
  await rm(out, { recursive: true, force: true });
  await mkdir(out);
  const script =
    'for f; do o="$0/${f##*/}"; llc-23 -O2 -filetype=obj "$f" -o "$o.o" && ld.lld-23 -shared "$o.o" -o "$o.hsaco" || exit 255; done';
  return time('sh', [
    '-c',
    `PATH="${nativeTool('')}:$PATH" xargs -P${jobs} -n1 sh -c '${script}' "${out}" < "${list}"`,
  ]);
}

const warm = createCompiler({ threads: jobs, tierPolicy: 'long' });
async function warmBatch(options: Partial<JobOptions>): Promise<number> {
  await rm(out, { recursive: true, force: true });
  const batch = await collectJobs(files, {
    options,
    fatBinary: false,
    extension: () => '.hsaco',
  });
  const start = performance.now();
  await makeOwnFolder(out);
  const journal = await Journal.open(out);
  await runBatch(warm, batch, {
    outDir: out,
    journal,
    outputs: new BatchOutputs(batch, out),
    width: jobs + 1,
    failFast: true,
    force: false,
    signal: new AbortController().signal,
    onEvent: () => {},
  });
  return performance.now() - start;
}

const ways: readonly (readonly [name: string, run: () => Promise<number>])[] = [
  [`xargs -P${jobs} of llc-23 and ld.lld-23`, native],
  ['darm batch --meld off, from nothing', () => darm('--no-cache', '--meld', 'off')],
  ['darm batch, from nothing', () => darm('--no-cache')],
  ['a warm compiler, --meld off', () => warmBatch({ meld: 'off' })],
  ['a warm compiler', () => warmBatch({})],
  ['darm batch, full cache', () => darm('--cache', cache)],
];
await darm('--cache', cache);
await warmBatch({});
const times = ways.map((): number[] => []);
for (let round = 0; round < rounds; round++) for (const [way, [, run]] of ways.entries()) times[way]!.push(await run());
await warm.close();
await rm(folder, { recursive: true });

const reference = median(times[0]!);
printTable(['way', `${files.length} kernels`, 'a kernel', 'times faster'],
  ways.map(([name], way) => {
    const total = median(times[way]!);
    return [name, ms(total), ms(total / files.length), (reference / total).toFixed(2)];
  }),
); // prettier-ignore
process.exit(0);
