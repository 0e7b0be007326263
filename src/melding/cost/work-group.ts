/** The size of a function's work groups, for the waves that are sampled (wave-samples.ts). */
import type { ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { LaneSource, NO_INTEGER, Opcode, definingInstr, type FunctionSnapshot } from '../../ir/snapshot.js';

/** Threads of a work group where the function does not require a size. */
const USUAL_THREADS = 256;
/** Of a work group, on any target. */
export const MOST_THREADS = 1024;

/**
 * Threads of the work groups in which a function is supposed to run, in three dimensions: what the function requires,
 * or the usual shapes. All have equally many threads.
 */
export const workGroupsOf = (fn: FunctionSnapshot): readonly (readonly number[])[] =>
  fn.groupSize[0]! > 0 ? [fn.groupSize] : usualGroups(fn);

/**
 * The work groups of a function that requires no size. Where the function asks for the second number of its threads,
 * they are squares, and rectangles that are twice as wide and half as high: rows as long as a wave of 32 threads, and
 * rows as long as a wave. Who compares a thread number with a constant has threads on both sides of it, so the group is
 * at least so large.
 */
function usualGroups(fn: FunctionSnapshot): readonly (readonly number[])[] {
  const threads = fn.mostThreads || USUAL_THREADS;
  const isPlane = fn.instrSource.includes(LaneSource.ThreadY);
  const least = [LaneSource.ThreadX, LaneSource.ThreadY].map((source) => leastThreads(fn, source)) as [number, number];
  const side = 2 ** Math.ceil(Math.log2(threads) / 2);
  const groupOf = (width: number): readonly number[] => {
    const row = Math.min(MOST_THREADS, Math.max(width, least[0]));
    return [row, Math.min(MOST_THREADS / row, Math.max(Math.ceil(threads / row), least[1])), 1];
  };
  if (!isPlane) return [groupOf(threads)];
  const widths = new Set([side, 2 * side, fn.waveSize].map((width) => Math.max(width, least[0])));
  const [first, ...others] = [...widths].map(groupOf);
  const isLike = ([width, height]: readonly number[]): boolean =>
    height! > 1 && width! * height! === first![0]! * first![1]!;
  return [first!, ...others.filter(isLike)];
}

/** A power of two. */
function leastThreads(fn: FunctionSnapshot, source: number): number {
  let most = 0;
  for (let i = 0; i < fn.instrCount; i++) {
    if (fn.instrOpcode[i] !== Opcode.ICmp) continue;
    const of = definingInstr(fn, fn.operand[fn.operandStart[i]!] as ValueId);
    const constant = fn.valueInteger[fn.operand[fn.operandStart[i]! + 1]!]!;
    if (of !== NONE && fn.instrSource[of] === source && constant !== NO_INTEGER) most = Math.max(most, constant);
  }
  return 2 ** Math.ceil(Math.log2(most + 1));
}
