/** The cases of a `switch` in the order of their values, as code generation's tree of compares has them (LowerSwitch). */
import { NONE, type BlockId, type ValueId } from '../ir/ids.js';
import { NO_INTEGER, Opcode, definingInstr, terminatorOf, type FunctionSnapshot } from '../ir/snapshot.js';
import { isComplete } from '../ir/switches.js';

/** Values next to each other that lead to one destination. */
export interface CaseRun {
  readonly low: bigint;
  readonly high: bigint;
  readonly to: BlockId;
}

/** Narrower numbers are extended with zeros before code generation makes a tree of their switch (CodeGenPrepare). */
const NARROWEST = 16;

/** What lies between two runs, or in front of or behind all, leads to the default, as what is no run does. */
export interface CaseRuns {
  /** In the order of their values. */
  readonly runs: readonly CaseRun[];
  /** `[runs + 1]`: whether numbers that the value may be lie in front of a run; last, behind all. */
  readonly gaps: readonly boolean[];
}

/** Where the values are not known, they are taken to be the first numbers, in the order in which the cases stand. */
export function caseRuns(fn: FunctionSnapshot, b: BlockId): CaseRuns {
  const [otherwise, ...edges] = fn.succ.subarray(fn.succStart[b]!, fn.succStart[b + 1]!);
  const value = fn.operand[fn.operandStart[terminatorOf(fn, b)]!] as ValueId;
  const bits = fn.typeBits[fn.valueType[value]!]!;
  const known = fn.switchValues(b);
  const number = (k: number): bigint => {
    const x = known?.values[k] ?? BigInt(k);
    return bits < NARROWEST ? BigInt.asUintN(bits, x) : x;
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
  if (isComplete(fn, b)) return { runs, gaps: Array<boolean>(runs.length + 1).fill(false) };
  const widest = bits < NARROWEST ? (1n << BigInt(bits)) - 1n : null;
  const [least, end] = known?.range ?? [0n, (mostOf(fn, value) ?? widest ?? -1n) + 1n];
  const isKnown = end > least;
  const gaps = runs.map(({ low }, k) => (k === 0 ? !isKnown || low > least : low > runs[k - 1]!.high + 1n));
  gaps.push(!isKnown || runs.length === 0 || runs.at(-1)!.high + 1n < end);
  return { runs, gaps };
}

/** The most that a number is which is not negative; null if that is not seen. */
function mostOf(fn: FunctionSnapshot, v: ValueId): bigint | null {
  const i = definingInstr(fn, v);
  if (i === NONE) return null;
  const operand = (k: number): ValueId => fn.operand[fn.operandStart[i]! + k] as ValueId;
  const widest = (of: ValueId): bigint => (1n << BigInt(fn.typeBits[fn.valueType[of]!]!)) - 1n;
  const constant = fn.instrOpcode[i] === Opcode.ZExt ? NO_INTEGER : fn.valueInteger[operand(1)]!;
  switch (fn.instrOpcode[i]) {
    case Opcode.ZExt:
      return mostOf(fn, operand(0)) ?? widest(operand(0));
    case Opcode.And:
      return constant === NO_INTEGER || constant < 0 ? null : BigInt(constant);
    case Opcode.URem:
      return constant === NO_INTEGER || constant < 1 ? null : BigInt(constant) - 1n;
    case Opcode.LShr:
      return constant === NO_INTEGER || constant < 1 ? null : widest(v) >> BigInt(constant);
    default:
      return null;
  }
}
