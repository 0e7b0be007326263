/**
 * `npm run fuzz`: compiles random kernels without melding and in four variants of melding, executes them in the
 * simulator, and compares memory.
 *
 * A batch of kernels depends only on the campaign's seed and the batch's number. Counts are kept in build/fuzz/, and
 * the same command continues from there; when the code has changed, the campaign starts over. Kernels that fail are
 * shrunk (fast-check) and saved in test/melding/fixtures/, where the tests repeat them, or in build/fuzz/ when LLVM is
 * at fault (triage.ts). Exit code 1 if there ever was a failure.
 */
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { compileLlvm } from '../../src/binding/load.js';
import { WORKER_LIMITS } from '../../src/workers/executor.js';
import { setTierPolicy } from '../../src/workers/tier-policy.js';
import { BATCH } from './case.js';
import { State } from './state.js';
import type { Failure, Report, Setup, BatchRequest } from './messages.js';

const USAGE = `usage: npm run fuzz -- [--minutes N] [--kernels N] [--seed S] [--jobs N] [--shrink SECONDS] [--only NUMBER]

  --minutes N   for how long (default 10)
  --kernels N   until the campaign has this many, earlier runs included
  --seed S      of the campaign (default 1)
  --jobs N      threads (default: one per processor)
  --shrink N    seconds for shrinking a failure (default 60)
  --only N      only the batch of this kernel, k<N> of a report; leaves the campaign's counts alone`;

/** Limit for a batch, including the investigation of failures. */
const HANGS_MS = 15 * 60_000;
const SAVE_MS = 10_000;
/** After this many failures of darm's in one run something is broken in general. */
const MOST_FAILURES = 60;

function options() {
  try {
    const { values } = parseArgs({
      options: {
        minutes: { type: 'string' },
        kernels: { type: 'string' },
        seed: { type: 'string', default: '1' },
        jobs: { type: 'string', default: String(cpus().length) },
        shrink: { type: 'string', default: '60' },
        only: { type: 'string' },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) {
      console.log(USAGE);
      process.exit(0);
    }
    const kernels = Number(values.kernels ?? Infinity);
    const minutes = Number(values.minutes ?? (values.kernels === undefined ? 10 : Infinity));
    const [seed, jobs, shrink] = [Number(values.seed), Number(values.jobs), Number(values.shrink)];
    const only = values.only === undefined ? null : Number(values.only.replace(/^k/, ''));
    const whole = [seed, jobs, only ?? 0].every((each) => Number.isInteger(each) && each >= 0);
    if (whole && jobs > 0 && minutes > 0 && kernels > 0 && shrink > 0)
      return { minutes, kernels, seed, jobs, shrink, only };
  } catch (error) {
    console.error((error as Error).message);
  }
  console.error(USAGE);
  process.exit(2);
}

/** A thread that is replaced when it hangs or dies. */
class Thread {
  #worker: Worker | null = null;

  constructor(private readonly setup: Setup) {}

  async run(request: BatchRequest): Promise<Report> {
    const worker = (this.#worker ??= new Worker(new URL('./worker.js', import.meta.url), {
      workerData: this.setup,
      resourceLimits: WORKER_LIMITS,
    }));
    const died = (how: string): Report => {
      void worker.terminate();
      this.#worker = null;
      const kernel = request.batch * BATCH;
      const failure: Failure = { kernel, kind: 'error', class: how, how, variant: '', whose: 'open', notes: [], saved: null }; // prettier-ignore
      return { batch: request.batch, kernels: 0, melded: 0, unusable: [], variants: [], failures: [failure] };
    };
    return new Promise((resolve) => {
      const give = (report: Report): void => {
        clearTimeout(timer);
        worker.off('message', give).off('error', onError);
        resolve(report);
      };
      const onError = (error: unknown): void => give(died(`the thread died: ${String(error)}`));
      const timer = setTimeout(() => give(died(`not finished after ${HANGS_MS / 1000} s`)), HANGS_MS);
      worker.on('message', give).on('error', onError);
      worker.postMessage(request);
    });
  }

  async end(): Promise<void> {
    await this.#worker?.terminate();
  }
}

function print(failures: readonly Failure[], seed: number): void {
  for (const { kernel, kind, how, variant, whose, notes, saved } of failures) {
    console.log(`${whose === 'llvm' ? 'LLVM' : 'FAIL'} k${kernel} ${variant}: ${kind}: ${how}`);
    for (const note of notes) console.log(`     ${note}`);
    if (saved !== null) console.log(`     ${saved}`);
    console.log(`     npm run fuzz -- --seed ${seed} --only ${kernel}`);
  }
}

async function main(): Promise<void> {
  const { minutes, kernels, seed, jobs, shrink, only } = options();
  setTierPolicy('long');
  const setup: Setup = { llvm: await compileLlvm(), campaign: seed, shrink };
  if (only !== null) {
    const thread = new Thread(setup);
    const report = await thread.run({ batch: Math.floor(only / BATCH) });
    await thread.end();
    print(report.failures, seed);
    for (const why of report.unusable) console.log(`not usable: ${why}`);
    for (const { name, melded } of report.variants) console.log(`${melded > 0 ? 'melded' : '      '} ${name}`);
    console.log(`${report.failures.length} failures`);
    process.exitCode = report.failures.length > 0 ? 1 : 0;
    return;
  }
  const state = new State(seed);
  if (state.restarted !== null) console.log(`starting over: ${state.restarted}`);
  const until = performance.now() + minutes * 60_000;
  const threads = Array.from({ length: jobs }, () => new Thread(setup));
  let interrupted = false;
  process.once('SIGINT', () => (interrupted = true));
  const saving = setInterval(() => void state.save(), SAVE_MS);
  let last = performance.now();
  let failed = 0;
  const more = (): boolean =>
    !interrupted &&
    failed < MOST_FAILURES &&
    performance.now() < until &&
    state.data.kernels + state.data.begun.length * BATCH < kernels;
  await Promise.all(
    threads.map(async (thread) => {
      while (more()) {
        const report = await thread.run({ batch: state.begin() });
        if (report.failures.some(({ kind }) => kind === 'campaign')) throw new Error(report.failures[0]!.how);
        const now = performance.now();
        state.end(report, (now - last) / 1000);
        last = now;
        failed += report.failures.filter(({ whose }) => whose !== 'llvm').length;
        print(report.failures, seed);
      }
      await thread.end();
    }),
  );
  clearInterval(saving);
  await state.save();
  state.print();
  process.exitCode = state.data.failures.some(({ whose }) => whose !== 'llvm') ? 1 : 0;
}

await main();
