/**
 * How many vector registers a function needs at least: the most words of divergent values that are live at one place,
 * with the instructions in the order in which they stand. Code generation orders them anew, so this is an estimate.
 *
 * A value is live from its definition to its last uses, and all the way to where a phi takes it. For each value the
 * blocks are found by walking from the uses back to the definition (Boissinot et al., "Computing Liveness Sets for
 * SSA-Form Programs", 2011, "liveness sets by use"), and each range adds its words at its start and takes them off
 * behind its end. So memory stays in proportion to the function, and time to the ranges.
 *
 * Conditions do not count: they are masks in scalar registers.
 */
import type { FunctionSnapshot } from '../ir/snapshot.js';
import { NONE } from '../ir/ids.js';
import { Opcode } from '../ir/snapshot.js';
import type { Analyses } from './analyses.js';

/**
 * @param home `[instrCount]`: the block in which each instruction is computed. Where that is not its own, it is moved
 *   to the beginning of the other one (sinking.ts). All that is moved to one block counts as computed at once there:
 *   what it needs in between does not count.
 */
export function vectorPressure(
  fn: FunctionSnapshot,
  { graph, uses, divergence }: Pick<Analyses, 'graph' | 'uses' | 'divergence'>,
  home: ArrayLike<number> = fn.instrBlock,
): number {
  const isMoved = (i: number): boolean => home[i] !== fn.instrBlock[i];
  /** What changes in front of each instruction. */
  const change = new Int32Array(fn.instrCount + 1);
  /** The value that was last found to be live where a block begins, and where it ends. */
  const liveIn = new Int32Array(fn.blockCount).fill(NONE);
  const liveOut = new Int32Array(fn.blockCount).fill(NONE);
  /** Up to where it is live in a block, as far as is known. */
  const end = new Int32Array(fn.blockCount);
  const touched = new Int32Array(fn.blockCount);
  const stack = new Int32Array(fn.blockCount);
  for (let v = 0; v < fn.argCount + fn.instrCount; v++) {
    if (divergence.valueDivergent[v] === 0 || uses.start[v] === uses.start[v + 1]) continue;
    const bits = fn.typeBits[fn.valueType[v]]!;
    if (bits <= 1) continue;
    const words = Math.ceil(bits / 32);
    const def = v - fn.argCount;
    const own = def < 0 ? 0 : home[def]!;
    const from = def < 0 ? 0 : isMoved(def) ? fn.blockInstrStart[own]! : def + 1;
    let blocks = 0;
    let depth = 0;
    const touch = (b: number, to: number): void => {
      if (liveIn[b] !== v) {
        liveIn[b] = v;
        end[b] = 0;
        touched[blocks++] = b;
      }
      if (to > end[b]!) end[b] = to;
    };
    const leave = (b: number): void => {
      if (liveOut[b] === v) return;
      liveOut[b] = v;
      touch(b, fn.blockInstrStart[b + 1]!);
      if (b !== own) stack[depth++] = b;
    };
    for (let u = uses.start[v]!; u < uses.start[v + 1]!; u++) {
      const user = uses.user[u]!;
      if (fn.instrOpcode[user] === Opcode.Phi) leave(fn.operandBlock[uses.operand[u]!]!);
      else {
        const b = home[user]!;
        const isNew = liveIn[b] !== v;
        touch(b, isMoved(user) ? fn.blockInstrStart[b]! : user + 1);
        if (isNew && b !== own) stack[depth++] = b;
      }
      while (depth > 0) {
        const b = stack[--depth]!;
        for (let e = graph.predStart[b]!; e < graph.predStart[b + 1]!; e++) leave(graph.pred[e]!);
      }
    }
    for (let k = 0; k < blocks; k++) {
      const b = touched[k]!;
      change[b === own ? from : fn.blockInstrStart[b]!] += words;
      change[end[b]!] -= words;
    }
  }
  let [now, most] = [0, 0];
  for (let i = 0; i < change.length; i++) most = Math.max(most, (now += change[i]!));
  return most;
}
