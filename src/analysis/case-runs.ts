/**
 * The cases of a `switch` in the order of their values, as code generation's tree of compares has them (LowerSwitch).
 */
import type { BlockId, ValueId } from '../ir/ids.js';
import { terminatorOf, type FunctionSnapshot } from '../ir/snapshot.js';
import { isComplete } from '../ir/switches.js';
import { knownMaximum } from './known-maximum.js';

/** Values next to each other that lead to one destination. */
export interface CaseRun {
  readonly low: bigint;
  readonly high: bigint;
  readonly to: BlockId;
}

/**
 * Narrower numbers are extended with zeros before code generation makes a tree of their switch (CodeGenPrepare). So are
 * some wider ones, of odd sizes; these are taken as they are.
 */
const NARROWEST = 16;

/** What lies between two runs, or in front of or behind all, leads to the default, as what is no run does. */
export interface CaseRuns {
  /** In the order of their values. */
  readonly runs: readonly CaseRun[];
  /** `[runs + 1]`: whether numbers that the value may be lie in front of a run; last, behind all. */
  readonly gaps: readonly boolean[];
  /** Whether the numbers have no sign. */
  readonly isUnsigned: boolean;
}

/** Where the values are not known, they are taken to be the first numbers, in the order in which the cases stand. */
export function caseRuns(fn: FunctionSnapshot, b: BlockId): CaseRuns {
  const [otherwise, ...edges] = fn.succ.subarray(fn.succStart[b]!, fn.succStart[b + 1]!);
  const value = fn.operand[fn.operandStart[terminatorOf(fn, b)]!] as ValueId;
  const bits = fn.typeBits[fn.valueType[value]!]!;
  const isUnsigned = bits < NARROWEST;
  const known = fn.switchValues(b);
  const number = (k: number): bigint => {
    const x = known?.values[k] ?? BigInt(k);
    return isUnsigned ? BigInt.asUintN(bits, x) : x;
  };
  const cases = edges
    .map((to, k) => ({ at: number(k), to: to as BlockId }))
    .filter(({ to }) => to !== otherwise)
    .sort((a, b) => (a.at < b.at ? -1 : 1));
  const runs: { low: bigint; high: bigint; to: BlockId }[] = [];
  for (const { at, to } of cases) {
    const last = runs.at(-1);
    if (last?.to === to && at === last.high + 1n) last.high = at;
    else runs.push({ low: at, high: at, to });
  }
  if (isComplete(fn, b)) return { runs, gaps: Array<boolean>(runs.length + 1).fill(false), isUnsigned };
  const range = rangeOf(fn, value, bits, known?.range ?? null);
  const [least, end] = range ?? [0n, 0n];
  const gaps = runs.map(({ low }, k) => (k === 0 ? range === null || low > least : low > runs[k - 1]!.high + 1n));
  gaps.push(range === null || runs.length === 0 || runs.at(-1)!.high + 1n < end);
  return { runs, gaps, isUnsigned };
}

/**
 * The least number that a value may be, and the first that it is not any more, as the runs count; null if that is not
 * seen. What the text says may wrap.
 */
function rangeOf(
  fn: FunctionSnapshot,
  v: ValueId,
  bits: number,
  said: readonly [bigint, bigint] | null,
): readonly [bigint, bigint] | null {
  if (said !== null) {
    const isNarrow = bits < NARROWEST;
    const [from, to] = said.map((x) => (isNarrow ? BigInt.asUintN(bits, x) : x)) as [bigint, bigint];
    if (to > from) return [from, to];
    const border = 1n << BigInt(isNarrow ? bits : bits - 1);
    if (to === (isNarrow ? 0n : -border)) return [from, border];
  }
  const most = knownMaximum(fn, v) ?? (bits < NARROWEST ? 2n ** BigInt(bits) - 1n : null);
  return most === null ? null : [0n, most + 1n];
}
