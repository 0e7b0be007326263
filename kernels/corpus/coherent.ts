/**
 * Data on which waves agree. What a corpus kernel usually gets is mixed, and most waves part. Real programs often sort
 * their data first, or get a picture of one colour. Here every `RUN` neighbours have the data of the first of them.
 *
 * Nobody says which elements of a buffer belong to one thread. There are two usual ways, and each is one kind of data:
 * neighbouring elements are of neighbouring threads (`runs`), or a thread has a record of several (`records`).
 */
import type { Argument, CorpusLaunch, Elements } from './launch.js';

/** As the launch of a kernel has it, or made coherent in one of two ways. */
export const DATA_KINDS = ['usual', 'runs', 'records'] as const;
export type DataKind = (typeof DATA_KINDS)[number];

/** @throws Error where the name is none of `DATA_KINDS` */
export function dataKind(name: string): DataKind {
  const kind = DATA_KINDS.find((each) => each === name);
  if (kind === undefined) throw new Error(`'${name}' is no kind of data: there are ${DATA_KINDS.join(', ')}`);
  return kind;
}

/** The same of several names, with commas between. */
export const dataKinds = (names: string): DataKind[] => names.split(',').map(dataKind);

/** Threads of the largest wave. */
const RUN = 64;

/** Buffers that describe each other. With others, these kernels would not end, or would leave their buffers. */
const KEEP_USUAL: ReadonlySet<string> = new Set([
  'barnes_hut_force',
  'octree_descend',
  'packbits_decode',
  'parse_reals',
  'spmv_jds',
  'traverse_hierarchy',
]);

/** What a kernel is launched with instead, if it can be. */
export const kindFor = (kernel: string, kind: DataKind): DataKind => (KEEP_USUAL.has(kernel) ? 'usual' : kind);

/** The launch with data of a kind. What is sorted stays, as values and sizes do. */
export function withData(launch: CorpusLaunch, kind: DataKind): CorpusLaunch {
  if (kind === 'usual') return launch;
  const perGroup = product(launch.block);
  const threads = product(launch.grid) * perGroup;
  const change = (elements: Elements): Elements => {
    if (isSorted(elements)) return elements;
    if (kind === 'runs') return inRuns(elements, 1);
    const perThread = Math.max(1, Math.ceil(elements.length / threads));
    // The last group may have threads without data. With fewer records than that, it is a table.
    const records = elements.length / perThread;
    return Number.isInteger(records) && records > threads - perGroup ? inRuns(elements, perThread) : elements;
  };
  return { ...launch, args: launch.args.map((argument) => changed(argument, change)) };
}

function changed(argument: Argument, change: (elements: Elements) => Elements): Argument {
  if ('type' in argument) return argument;
  return 'contents' in argument ? { contents: change(argument.contents) } : change(argument);
}

/** Neighbours are alike enough, and where the rows of a matrix begin does not change. */
const isSorted = (elements: Elements): boolean => elements.every((x, k) => k === 0 || elements[k - 1]! <= x);

/** Every `RUN` records are the first of them, so all numbers are numbers that were there. */
function inRuns(elements: Elements, perRecord: number): Elements {
  const copy = elements.slice();
  for (let k = 0; k < copy.length; k++) {
    const record = Math.floor(k / perRecord);
    copy[k] = elements[k - (record % RUN) * perRecord]!;
  }
  return copy;
}

const product = (dimensions: readonly number[]): number => dimensions.reduce((all, each) => all * each, 1);
