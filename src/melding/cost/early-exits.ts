/**
 * Branches behind which one side is soon done with the function, while the main work lies on the other one: tests for
 * input that needs none. Most threads stay (T. Ball and J. R. Larus, "Branch Prediction for Free", PLDI 1993: their
 * return heuristic is right for 72 % of the branches that it is about). Branches in loops are left out.
 */
import type { Analyses } from '../../analysis/analyses.js';
import type { BlockId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import {
  NO_INTEGER,
  Opcode,
  definingInstr,
  isConditionalBranch,
  terminatorOf,
  type FunctionSnapshot,
} from '../../ir/snapshot.js';

/** What is soon done with: instructions, in how many blocks. */
const FEW = { instructions: 12, blocks: 4 };
/** What is the main work: so many instructions, and so many times what is on the other side. */
const MUCH = { instructions: 40, times: 4 };

/**
 * The conditions of such branches of which threads part, and what these consist of, with the outcome that leaves: of
 * `a || b` each leaves where it holds, of `a && b` where it does not.
 */
export function earlyExits(fn: FunctionSnapshot, analyses: Analyses): ReadonlyMap<ValueId, boolean> {
  const found = new Map<ValueId, boolean>();
  for (let b = 0 as BlockId; b < fn.blockCount; b++) {
    if (analyses.divergence.terminatorDivergent[b] !== 1 || !isConditionalBranch(fn, b)) continue;
    const side = sideOfEarlyExit(fn, analyses, b);
    if (side === NONE) continue;
    found.set(fn.operand[fn.operandStart[terminatorOf(fn, b)]!] as ValueId, side === 0);
  }
  // A map's walk also comes to what is added during it.
  for (const [v, leaves] of found)
    for (const part of partsOf(fn, v, leaves)) if (!found.has(part)) found.set(part, leaves);
  return found;
}

/** The operands of `a || b` if it leaves where it holds, or of `a && b` if it leaves where it does not. */
function partsOf(fn: FunctionSnapshot, v: ValueId, leaves: boolean): readonly ValueId[] {
  const i = definingInstr(fn, v);
  if (i === NONE) return [];
  const operand = (k: number): ValueId => fn.operand[fn.operandStart[i]! + k] as ValueId;
  if (fn.instrOpcode[i] === (leaves ? Opcode.Or : Opcode.And)) return [operand(0), operand(1)];
  if (fn.instrOpcode[i] !== Opcode.Select) return [];
  const [given, other] = leaves ? [operand(1), operand(2)] : [operand(2), operand(1)];
  return isBit(fn, given, leaves) ? [operand(0), other] : [];
}

/** Of a constant. Snapshots hold `true` as 1 or, with its sign, as -1. */
const isBit = (fn: FunctionSnapshot, v: ValueId, bit: boolean): boolean =>
  fn.valueInteger[v] !== NO_INTEGER && (fn.valueInteger[v]! & 1) === Number(bit);

/** Which side of a branch leaves early: 0 for T, 1 for F, or `NONE`. */
function sideOfEarlyExit(fn: FunctionSnapshot, analyses: Analyses, branch: BlockId): 0 | 1 | -1 {
  if (analyses.cycles.cycleOf(branch) !== NONE) return NONE;
  const join = (analyses.liveFlow ?? analyses).postDominators.idom[branch] as BlockId | -1;
  if (join === NONE || stretch(fn, join, NONE) === null) return NONE;
  const [t, f] = [0, 1].map((k) => fn.succ[fn.succStart[branch]! + k] as BlockId) as [BlockId, BlockId];
  const leaves = (exit: BlockId, main: BlockId): boolean => {
    const short = stretch(fn, exit, join);
    return short !== null && isMainWork(fn, main, join, Math.max(MUCH.instructions, MUCH.times * short));
  };
  return leaves(t, f) ? 0 : leaves(f, t) ? 1 : NONE;
}

/** How many instructions lie between a block and another one, or the end of the function; null: more than a few. */
function stretch(fn: FunctionSnapshot, from: BlockId, to: BlockId | -1): number | null {
  let count = 0;
  let b = from;
  for (let blocks = 0; b !== to; blocks++) {
    count += sizeOf(fn, b);
    if (blocks === FEW.blocks || count > FEW.instructions) return null;
    const ways = fn.succStart[b + 1]! - fn.succStart[b]!;
    if (ways !== 1) return ways === 0 && to === NONE ? count : null;
    b = fn.succ[fn.succStart[b]!] as BlockId;
  }
  return count;
}

/** Whether so many instructions lie between a block and another one, on any way, or a `switch` does. */
function isMainWork(fn: FunctionSnapshot, from: BlockId, to: BlockId, least: number): boolean {
  const seen = new Set<number>([to, from]);
  let count = 0;
  for (const b of seen) {
    if (b === to) continue;
    count += sizeOf(fn, b);
    if (count >= least || fn.succStart[b + 1]! - fn.succStart[b]! > 2) return true;
    for (let e = fn.succStart[b]!; e < fn.succStart[b + 1]!; e++) seen.add(fn.succ[e]!);
  }
  return false;
}

const sizeOf = (fn: FunctionSnapshot, b: number): number => fn.blockInstrStart[b + 1]! - fn.blockInstrStart[b]!;
