/**
 * `npm run bench:gpu`: runs the corpus and the paper's kernels on an NVIDIA GPU. Every kernel is compiled to PTX,
 * without and with melding, and launched through the driver's library (loader.py; it takes Python 3, no SDK). Both
 * versions must leave the same memory, and that of the simulator; the times of kernels that melding changes are printed
 * side by side. The paper's kernels have one size of data, which fills no large GPU. Without a GPU it says so and ends
 * with status 0.
 *
 * usage: node dist/bench/gpu/main.js [--kernels csr,bfs] [--seed 1] [--size 64] [--repeats 50] [--keep FOLDER]
 *   [--json FILE] [--prepare FOLDER] [options of melding, as of darm check]
 *
 * `--prepare` only writes what loader.py takes, a folder for each module, for a machine without Node. `--keep` leaves
 * the folders where they are.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { addJobOptions, jobOptions } from '../../src/cli/option-groups.js';
import { createCompiler } from '../../src/index.js';
import { geometricMean, printTable } from '../support.js';
import { evaluate, referenceCode, type GpuOutcome, type GpuResults } from './evaluate.js';
import { runLoader } from './loader.js';
import { gpuModules } from './modules.js';
import { prepareModule } from './prepare.js';

interface Flags {
  readonly kernels?: string;
  readonly seed: number;
  readonly size: number;
  readonly repeats: number;
  readonly keep?: string;
  readonly prepare?: string;
  readonly json?: string;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value < 2 ** 31)) throw new InvalidArgumentError('It must be a positive number.');
  return value;
}

function severalTimes(text: string): number {
  const value = positive(text);
  if (!Number.isInteger(value) || value < 2) throw new InvalidArgumentError('It must be a whole number from 2 on.');
  return value;
}

const flags = addJobOptions(
  new Command('check')
    .option('--kernels <parts of names>')
    .option('--seed <number>', 'of the data', positive, 1)
    .option('--size <factor>', 'of the data that times are taken with', positive, 64)
    .option('--repeats <n>', 'how often a time is taken', severalTimes, 50)
    .option('--keep <folder>', 'leave PTX and data here')
    .option('--prepare <folder>', 'only write PTX and data')
    .option('--json <file>', 'write all results'),
)
  .parse()
  .opts<Flags>();

const device = flags.prepare === undefined ? runLoader('--probe') : null;
if (device !== null || flags.prepare !== undefined) await run();

async function run(): Promise<void> {
  const { seed } = flags;
  const settings = { checked: { seed, size: 1 }, timed: { seed, size: flags.size } };
  const parts = flags.kernels?.split(',') ?? [''];
  const modules = gpuModules((name) => parts.some((part) => name.includes(part)), settings);
  const root = flags.prepare ?? flags.keep ?? (await mkdtemp(path.join(tmpdir(), 'darm-gpu-')));
  const outcomes: GpuOutcome[] = [];
  const compiler = createCompiler({ threads: 0 });
  for (const module of modules) {
    const folder = path.join(root, module.name);
    process.stderr.write(`${module.name}\n`);
    const prepared = await prepareModule(compiler, folder, module, flags.repeats, jobOptions(flags));
    if (device === null) continue;
    if (runLoader(folder) === null) throw new Error('the GPU is gone');
    const results = JSON.parse(await readFile(path.join(folder, 'results.json'), 'utf8')) as GpuResults;
    const reference = await referenceCode(compiler, module);
    for (const kernel of prepared) outcomes.push(await evaluate(compiler, folder, results, reference, kernel));
    if (flags.keep === undefined) await rm(folder, { recursive: true });
  }
  await compiler.close();
  if (flags.keep === undefined && flags.prepare === undefined) await rm(root, { recursive: true });
  if (device !== null) await report(outcomes);
}

async function report(outcomes: readonly GpuOutcome[]): Promise<void> {
  const timed = outcomes.flatMap(({ kernel, plain, melded, noise, simulator }) =>
    plain === null || melded === null ? [] : [{ kernel, plain, melded, noise, simulator, speedup: plain / melded }],
  );
  console.log(`${device}, seed ${flags.seed}, size ${flags.size}, medians of ${flags.repeats} times in microseconds\n`);
  printTable(
    ['kernel', 'plain', 'melded', 'speed-up', 'plain again', 'simulator'],
    timed.map(({ kernel, plain, melded, speedup, noise, simulator }) => [
      ...[kernel, plain.toFixed(1), melded.toFixed(1), speedup.toFixed(2), noise!.toFixed(2)],
      simulator,
    ]),
  );
  const speedups = timed.map(({ speedup }) => speedup);
  if (speedups.length > 0)
    console.log(
      `\n${speedups.length} kernels that melding changes: geo-mean ${geometricMean(speedups).toFixed(3)}, ` +
        `${speedups.filter((each) => each < 0.97).length} below 0.97, least ${Math.min(...speedups).toFixed(2)}`,
    );
  const count = (what: string) => outcomes.filter(({ simulator }) => simulator === what).length;
  console.log(`${outcomes.length} kernels: ${count('equal')} equal to the simulator, ${count('close')} close to it`);
  const wrong = outcomes.filter(({ complaint }) => complaint !== null);
  for (const { kernel, complaint } of wrong) console.log(`Wrong: ${kernel}: ${complaint}`);
  if (flags.json !== undefined) await writeFile(flags.json, JSON.stringify({ schema: 1, device, outcomes }) + '\n');
  if (wrong.length > 0) process.exitCode = 1;
}
