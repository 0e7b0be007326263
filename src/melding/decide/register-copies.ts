/** What copies of registers cost where the work of a side moves in front of its branch (hoisted-sides.ts). */
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { Opcode, definingInstr, instrValue } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { selectCycles } from '../cost/operands.js';
import { incomingFrom } from '../draft/frame.js';

/**
 * How much of what passes a value on is looked at: uses and operands of phis. Where there is more, copies are taken to
 * cost more than hoisting spares, so that the time is in proportion to the number of branches.
 */
const MOST_PASSED_ON = 1 << 14;

/** A side whose work moves in front of its branch; the other one stays. */
interface MovedSide {
  readonly branch: BlockId;
  readonly join: BlockId;
  readonly side: BlockId;
  readonly other: BlockId;
  /** What moves. */
  readonly instrs: readonly InstrId[];
}

/**
 * What copies of registers cost behind the join, in cycles per wave that comes to the branch. Both sides may compute
 * the next value of a variable in the register of the last one. In front of the branch, one side needs a register of
 * its own, because the other side still needs the last value. Then everything behind that takes the last value on some
 * way, and the new one on others, has to copy: outer joins, and the head of a loop.
 */
export function copiesBehind(ctx: PlanningContext, { branch, join, side, other }: MovedSide): number {
  const { fn, uses, dominators, divergence, weight, waves } = ctx;
  const share = waves.shareComing(branch);
  let cycles = 0;
  for (let phi = fn.blockInstrStart[join] as InstrId; fn.instrOpcode[phi] === Opcode.Phi; phi++) {
    if (divergence.valueDivergent[instrValue(fn, phi)] !== 1) continue;
    let web: ReadonlySet<InstrId | -1> | null = null;
    for (const last of lastValues(ctx, incomingFrom(ctx, phi, side), side)) {
      if (uses.start[last + 1]! - uses.start[last]! > MOST_PASSED_ON) return Infinity;
      let isNeeded = false;
      let isAlive = false;
      for (let u = uses.start[last]!; u < uses.start[last + 1]!; u++) {
        const user = uses.user[u] as InstrId;
        if (fn.instrOpcode[user] === Opcode.Phi) continue;
        isNeeded ||= dominators.dominates(other, fn.instrBlock[user] as BlockId);
        isAlive ||= dominators.dominates(join, fn.instrBlock[user] as BlockId);
      }
      // What is needed behind the join has a register of its own anyway.
      if (!isNeeded || isAlive) continue;
      web ??= phisFrom(ctx, phi);
      if (web === null) return Infinity;
      const head = definingInstr(fn, last);
      for (const each of web) {
        const isHead = each === head;
        for (let o = fn.operandStart[each]!; each !== phi && o < fn.operandStart[each + 1]!; o++) {
          const v = fn.operand[o] as ValueId;
          const from = fn.operandBlock[o] as BlockId;
          const copies = isHead ? web.has(definingInstr(fn, v)) : v === last;
          if (copies && share > 0)
            cycles += (selectCycles(ctx, last) * weight[from]! * waves.shareComing(from)) / share;
        }
      }
    }
  }
  return cycles;
}

/**
 * What copies of whole vectors cost, in cycles per wave that comes to the branch. Private arrays have become vectors of
 * up to 32 registers. `insertelement` overwrites one of these registers, unless the old vector is still needed: then
 * all of it is copied first. In front of the branch, the other side still needs it. And what the other side makes of it
 * is copied once more, because the join wants both in the same registers.
 */
export function vectorCopies(ctx: PlanningContext, { branch, other, join, instrs }: MovedSide): number {
  const { fn, uses, dominators, weight } = ctx;
  const blockOfUse = (u: number): BlockId => {
    const user = uses.user[u] as InstrId;
    return (fn.instrOpcode[user] === Opcode.Phi ? fn.operandBlock[uses.operand[u]!] : fn.instrBlock[user]) as BlockId;
  };
  let cycles = 0;
  for (const i of instrs) {
    if (fn.instrOpcode[i] !== Opcode.InsertElement) continue;
    const vector = fn.operand[fn.operandStart[i]!] as ValueId;
    const [first, end] = [uses.start[vector]!, uses.start[vector + 1]!];
    if (end - first > MOST_PASSED_ON) return Infinity;
    let [isNeeded, isAlive] = [false, false];
    for (let u = first; u < end; u++) {
      isNeeded ||= dominators.dominates(other, blockOfUse(u));
      isAlive ||= dominators.dominates(join, blockOfUse(u));
    }
    // What is needed behind the join is copied in any case.
    if (isNeeded && !isAlive) cycles += 2 * selectCycles(ctx, vector) * weight[branch]!;
  }
  return cycles;
}

/** The phis to which the value of a phi may get by phis alone, and itself; null if that is too much to look at. */
function phisFrom({ fn, uses }: PlanningContext, phi: InstrId): ReadonlySet<InstrId | -1> | null {
  const web = new Set<InstrId>([phi]);
  let size = 0;
  for (const each of web) {
    const v = instrValue(fn, each);
    size += fn.operandStart[each + 1]! - fn.operandStart[each]! + uses.start[v + 1]! - uses.start[v]!;
    if (size > MOST_PASSED_ON) return null;
    for (let u = uses.start[v]!; u < uses.start[v + 1]!; u++) {
      const user = uses.user[u] as InstrId;
      if (fn.instrOpcode[user] === Opcode.Phi) web.add(user);
    }
  }
  return web;
}

/** The values from in front of a side from which it computes `v` directly, unless all threads share them. */
function lastValues({ fn, divergence }: PlanningContext, v: ValueId | null, side: BlockId): ReadonlySet<ValueId> {
  const i = v === null ? NONE : definingInstr(fn, v);
  if (i === NONE || fn.instrBlock[i] !== side) return new Set();
  const operands = fn.operand.subarray(fn.operandStart[i]!, fn.operandStart[i + 1]!) as unknown as ValueId[];
  const isLast = (each: ValueId): boolean =>
    divergence.valueDivergent[each] === 1 && fn.instrBlock[definingInstr(fn, each)] !== side;
  return new Set([...operands].filter(isLast));
}
