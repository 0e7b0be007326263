/**
 * A thread that measures the corpus for one target with given constants. The model's constants are variables of this
 * thread's modules, so the thread does everything itself: melding, code generation, simulation.
 *
 * Melding is done for every question. Code is only generated where it melds in a way that this thread has not seen,
 * and executed only where the code is new.
 */
import { createHash } from 'node:crypto';
import { workerData } from 'node:worker_threads';
import type { DataKind } from '../../kernels/corpus/coherent.js';
import { CORPUS, corpusModule, CORPUS_TARGETS, type CorpusKernel, type Half } from '../../kernels/corpus/index.js';
import { createCompiler, DEFAULT_OPTIONS, type JobOptions } from '../../src/index.js';
import { NO_EVENTS } from '../../src/job/events.js';
import { othersOf, type EditLog } from '../../src/job/edit-log.js';
import { ALL_FUNCTIONS } from '../../src/job/function-subset.js';
import { compileMelded, meldFunctions } from '../../src/pipeline/compile.js';
import { kindsOf, measureKernel, type Bench, type Measurement, type Versions } from '../corpus/measure.js';
import { setConstants, type Values } from './constants.js';
import { freshLlvm } from '../llvm.js';
import { codeWithoutMelds } from '../without-melds.js';

export interface WorkerData {
  readonly target: string;
  readonly options: Partial<JobOptions>;
  /** The kinds of data that every kernel is launched with. */
  readonly data: readonly DataKind[];
}
export interface Question {
  readonly half: Half;
  readonly values: Values;
}

const { target, options: given, data } = workerData as WorkerData;
const rt = await freshLlvm();
const compiler = createCompiler({ threads: 0 });
const settings = data.map((kind) => ({ seed: 1, size: 1, data: kind }));
const bench: Bench = { rt, compiler, settings, fullUnit: false, cache: new Map() };

/** By kernel and what melds in it. */
const known = new Map<string, Measurement>();
const unmelded = new Map<string, Uint8Array>();

/** The edits, without the figures that led to them. */
function fingerprint({ rounds }: EditLog): string {
  const edits = rounds.map((round) => ({ ...round, remarks: null }));
  const text = JSON.stringify(edits, (key, value: unknown) => (key === 'net' || key === 'profit' ? undefined : value));
  return createHash('sha256').update(text).digest('hex');
}

/** The kernels of a half, in their order, with these constants. */
export default async function measure({ half, values }: Question): Promise<Measurement[]> {
  setConstants([target], CORPUS_TARGETS, values);
  const measurements: Measurement[] = [];
  for (const family of new Set(CORPUS.map((each) => each.family))) {
    const kernels = CORPUS.filter((each) => each.family === family && each.half === half);
    if (kernels.length > 0) measurements.push(...(await measureFamily(family, kernels)));
  }
  return measurements;
}

async function measureFamily(family: string, kernels: readonly CorpusKernel[]): Promise<Measurement[]> {
  const module = corpusModule(family, target);
  const options: JobOptions = { ...DEFAULT_OPTIONS, ...given, functions: kernels.map(({ name }) => name) };
  const logs = meldFunctions(rt, module, options, ALL_FUNCTIONS, NO_EVENTS);
  const keys = new Map(logs.map((log) => [log.function, `${log.function} ${fingerprint(log)}`]));
  const keyOf = ({ name }: CorpusKernel): string => keys.get(name) ?? name;
  const fresh = kernels.filter((kernel) => !known.has(keyOf(kernel)));
  if (fresh.length > 0) {
    const versions = versionsOf(family, module, options, logs);
    for (const kernel of fresh) known.set(keyOf(kernel), await measureKernel(bench, kernel, target, versions));
  }
  return kernels.map((kernel) => known.get(keyOf(kernel))!);
}

function versionsOf(family: string, module: Uint8Array, options: JobOptions, logs: readonly EditLog[]): Versions {
  const emit = (edits: readonly EditLog[]) => compileMelded(rt, module, options, edits, NO_EVENTS).artifacts[0]!.bytes;
  const O3 = unmelded.get(family) ?? emit([]);
  unmelded.set(family, O3);
  const melds = new Map(
    logs.map(({ function: name, rounds }) => {
      return [name, kindsOf({ melds: rounds.flatMap((round) => round.melds), ...othersOf(rounds) })] as const;
    }),
  );
  const names = [...melds].filter(([, kinds]) => kinds.length > 0).map(([name]) => name);
  if (names.length === 0) return { O3, plain: O3, melded: O3, melds };
  return { O3, plain: codeWithoutMelds(rt, module, {}, names), melded: emit(logs), melds };
}
