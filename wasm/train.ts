/**
 * Trains an instrumented module (`build.sh --train`) and writes the profile that `build.sh` compiles LLVM with.
 *
 *   npx tsc && node dist/wasm/train.js OUTPUT.profraw...     (build.sh does it)
 *
 * The workload is what darm does: read, meld at both points, optimise, generate code for gfx9, gfx10, gfx11, gfx12 and
 * PTX, link, write bitcode and text. 48 of the 123 modules are random kernels, so that the profile is not that of
 * kernels/ir alone.
 *
 * A job normally ends with the heap of a fresh instance, which would take the counters back. Here jobs are freed one
 * by one instead, and an instance that has grown large writes its counters and gives way to the next.
 */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { compileLlvm } from '../src/binding/load.js';
import { instantiateLlvm, type LlvmRuntime } from '../src/binding/runtime.js';
import type { JobPtr } from '../src/binding/abi.js';
import { DarmError } from '../src/errors.js';
import { NO_EVENTS } from '../src/job/events.js';
import { DEFAULT_OPTIONS, type JobOptions } from '../src/job/options.js';
import { compileModule } from '../src/pipeline/compile.js';
import { FAMILIES } from '../test/campaign/families.js';
import { draw } from '../test/campaign/random-kernel.js';
import { REPOSITORY } from '../test/support/llvm.js';

/** Beyond this an instance is given up. */
const LARGE_BYTES = 2 ** 31;
const RANDOM_MODULES = 48;
const PROCESSORS = ['gfx906', 'gfx1100', 'gfx90a', 'gfx1030', 'gfx942', 'gfx1201', 'gfx1100', 'gfx908'];

interface Lesson {
  readonly bytes: Uint8Array;
  readonly options: Partial<JobOptions>;
}

/** How the n-th input is compiled; the points, pipelines and kinds of output take turns. */
function optionsOf(n: number, early: boolean): Partial<JobOptions> {
  const meld = n % 4 === 3 ? ('off' as const) : ('darm' as const);
  const emit =
    n % 16 === 5 ? (['hsaco', 'll'] as const) : n % 16 === 11 ? (['bc', 'asm'] as const) : (['hsaco'] as const);
  const codegenLevel = n % 5 === 4 ? (3 as const) : (2 as const);
  const remarks = n % 8 === 2;
  return { meld, emit: [...emit], codegenLevel, remarks, ...(early && { meldPoint: 'early', optimize: 'O3' }) };
}

async function lessons(): Promise<Lesson[]> {
  const all: Lesson[] = [];
  const folder = path.join(REPOSITORY, 'kernels', 'ir');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.bc')).sort();
  for (const [n, file] of files.entries()) {
    // Each program for some of its targets.
    if (n % 3 !== 0) continue;
    const bytes = await readFile(path.join(folder, file));
    all.push({ bytes, options: file.startsWith('nvptx') ? { emit: ['ptx'] } : optionsOf(n, file.includes('.early.')) });
  }
  for (let n = 0; n < RANDOM_MODULES; n++) {
    const family = FAMILIES[(['mixed', 'wide', 'plain', 'ragged'] as const)[n % 4]!];
    const kernels = [0, 1, 2].map((k) => draw(`k${k}`, family.body(1 + (n % 3)), 1000 * n + k));
    const text = family.module(kernels).replaceAll('"gfx906"', `"${PROCESSORS[n % PROCESSORS.length]}"`);
    all.push({ bytes: new TextEncoder().encode(text), options: optionsOf(n, n % 3 !== 2) });
  }
  return all;
}

/** Keeps the counters over the end of a job: what the job allocated is freed, not overwritten. */
function keepCounters(runtime: LlvmRuntime): void {
  const { llvm } = runtime;
  const [create, dispose] = [llvm._darm_job_create, llvm._darm_job_dispose];
  const jobs = new Set<JobPtr>();
  llvm._darm_job_create = () => {
    const job = create();
    jobs.add(job);
    return job;
  };
  llvm._darm_job_dispose = () => {};
  runtime.peek = (ask) => ask();
  runtime.reset = () => {
    jobs.forEach((job) => dispose(job));
    jobs.clear();
    runtime.epoch++;
  };
}

/** What the instrumented module exports beside the others. */
interface Instrumented {
  ___llvm_profile_set_filename(name: number): void;
  ___llvm_profile_write_file(): number;
  readonly FS: { readFile(name: string): Uint8Array };
}

/** LLVM writes its profile to a file; this is one of the few that it may open (src/binding/file-access.ts). */
const PROFILE = '/kernel.hsaco';

async function writeCounters(runtime: LlvmRuntime, file: string): Promise<void> {
  const profiled = runtime.llvm as unknown as Instrumented;
  profiled.___llvm_profile_set_filename(runtime.name(PROFILE));
  if (profiled.___llvm_profile_write_file() !== 0) throw new Error('LLVM cannot write its profile');
  await writeFile(file, profiled.FS.readFile(PROFILE));
}

async function train(output: string): Promise<void> {
  const module = await compileLlvm();
  let files = 0;
  let runtime: LlvmRuntime | null = null;
  const finish = async (): Promise<void> => {
    if (runtime !== null && !runtime.poisoned) await writeCounters(runtime, `${output}.${files++}.profraw`);
    runtime = null;
  };
  const all = await lessons();
  for (const [n, { bytes, options }] of all.entries()) {
    if (runtime === null) {
      runtime = await instantiateLlvm(module, { memoryLimitBytes: 2 ** 32 });
      keepCounters(runtime);
    }
    const start = performance.now();
    try {
      compileModule(runtime, bytes, { ...DEFAULT_OPTIONS, ...options }, NO_EVENTS);
    } catch (error) {
      if (!(error instanceof DarmError)) throw error;
      console.log(`${n}: ${error.message}`);
      if (runtime.poisoned) runtime = null;
    }
    const { byteLength } = runtime?.memory.buffer ?? { byteLength: 0 };
    console.log(`${n + 1}/${all.length} ${Math.round(performance.now() - start)} ms, ${byteLength >> 20} MiB`);
    if (byteLength > LARGE_BYTES) await finish();
  }
  await finish();
}

await train(process.argv[2]!);
