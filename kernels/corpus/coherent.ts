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

/** @throws Error where a name is none of `DATA_KINDS` */
export function dataKinds(names: string): DataKind[] {
  return names.split(',').map((name) => {
    const kind = DATA_KINDS.find((each) => each === name);
    if (kind === undefined) throw new Error(`'${name}' is no kind of data: there are ${DATA_KINDS.join(', ')}`);
    return kind;
  });
}

/** Threads of the largest wave. */
const RUN = 64;

/** The launch with data of a kind. Values that are no buffers stay, and so do sizes. */
export function withData(launch: CorpusLaunch, kind: DataKind): CorpusLaunch {
  if (kind === 'usual') return launch;
  const perGroup = product(launch.block);
  const threads = product(launch.grid) * perGroup;
  const change = (elements: Elements): Elements => {
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

/** Every `RUN` records are the first of them. What is sorted stays so, and all numbers are numbers that were there. */
function inRuns(elements: Elements, perRecord: number): Elements {
  const copy = elements.slice();
  for (let k = 0; k < copy.length; k++) {
    const record = Math.floor(k / perRecord);
    copy[k] = elements[k - (record % RUN) * perRecord]!;
  }
  return copy;
}

const product = (dimensions: readonly number[]): number => dimensions.reduce((all, each) => all * each, 1);
