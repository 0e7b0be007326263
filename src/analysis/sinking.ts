/**
 * Where work in front of a branch really runs. LLVM's code generation moves instructions down to the only side that
 * uses them (its Sinking pass, Sink.cpp), so a wave that does not come there does not run them. A melded instruction
 * that selects such a value needs it whatever side a thread is on: then every wave runs the work of both sides.
 *
 * An instruction goes to the nearest block that dominates all of its uses, or to a dominator of that one, but into no
 * loop. Accesses that may write stay where they are, and so do loads in front of a store of their block.
 *
 * Arithmetic of OpenCL that LLVM takes for convergent stays where it is as long as it is IR, and so does what it is
 * computed from. Machine instructions do not say that they are convergent, and go down after all (MachineSink.cpp).
 * Loads do not go with them, and what they have loaded waits in registers.
 */
import type { Analyses } from './analyses.js';
import type { BlockId, InstrId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { InstrFlag, Opcode, hasFlag, instrValue, type FunctionSnapshot } from '../ir/snapshot.js';

/** Found when it is first asked for: most functions hold nothing that is worth a question. */
export class Sinking {
  #sunk: Sunk | null = null;

  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly analyses: Analyses,
  ) {}

  /** The instructions that code generation moves down to block `b`. */
  into(b: BlockId): readonly InstrId[] {
    this.#sunk ??= sunkWork(this.fn, this.analyses);
    return this.#sunk.into.get(b) ?? [];
  }

  /** Whether an instruction stays in its block. */
  stays(i: InstrId): boolean {
    return this.home[i] === this.fn.instrBlock[i];
  }

  /** `[instrCount]`: the block in which an instruction ends up. */
  get home(): Int32Array {
    this.#sunk ??= sunkWork(this.fn, this.analyses);
    return this.#sunk.home;
  }
}

interface Sunk {
  /** By block: the instructions that code generation moves there. */
  readonly into: ReadonlyMap<number, readonly InstrId[]>;
  readonly home: Int32Array;
}

function sunkWork(fn: FunctionSnapshot, analyses: Analyses): Sunk {
  /** The block of each instruction behind LLVM's Sinking pass. */
  const first = Int32Array.from({ length: fn.instrCount }, (_, i) => fn.instrBlock[i]);
  /** The block in which its machine instructions are in the end. */
  const home = fn.instrFlags.some((flags) => (flags & InstrFlag.TakenForConvergent) !== 0) ? first.slice() : first;
  const sunk = new Map<number, InstrId[]>();
  // Users are looked at first: where they go decides where their operands can.
  const blocks = Array.from({ length: fn.blockCount }, (_, b) => b as BlockId)
    .filter((b) => analyses.order[b] !== NONE)
    .sort((a, b) => analyses.order[b] - analyses.order[a]);
  for (const b of blocks) {
    let isStoreBehind = false;
    for (let i = (fn.blockInstrStart[b + 1] - 1) as InstrId; i >= fn.blockInstrStart[b]; i--) {
      if (hasFlag(fn, i, InstrFlag.MayWriteMemory)) isStoreBehind = true;
      if (!maySink(fn, i, isStoreBehind)) continue;
      if (!hasFlag(fn, i, InstrFlag.TakenForConvergent)) first[i] = placeFor(fn, analyses, first, i);
      const goesOnce = home === first || hasFlag(fn, i, InstrFlag.MayReadMemory);
      home[i] = goesOnce ? first[i] : placeFor(fn, analyses, home, i);
      const to = home[i] as BlockId;
      if (to === b) continue;
      const list = sunk.get(to);
      if (list) list.push(i);
      else sunk.set(to, [i]);
    }
  }
  return { into: sunk, home };
}

/** The block to which an instruction goes whose users are in the blocks `places`: its own, if it goes nowhere. */
function placeFor(fn: FunctionSnapshot, analyses: Analyses, places: Int32Array, i: InstrId): BlockId {
  const { dominators } = analyses;
  const b = fn.instrBlock[i] as BlockId;
  const isLoad = hasFlag(fn, i, InstrFlag.MayReadMemory);
  let to = commonDominator(fn, analyses, (user) => places[user] as BlockId, i);
  while (to !== NONE && to !== b && !mayGoTo(analyses, b, to, isLoad)) to = dominators.idom[to] as BlockId | -1;
  return to !== NONE && dominators.dominates(b, to) ? to : b;
}

const STAYS = InstrFlag.HasSideEffects | InstrFlag.MayWriteMemory | InstrFlag.Convergent | InstrFlag.Terminator;

function maySink(fn: FunctionSnapshot, i: InstrId, isStoreBehind: boolean): boolean {
  const opcode = fn.instrOpcode[i];
  if (opcode === Opcode.Phi || opcode === Opcode.Alloca || (fn.instrFlags[i] & STAYS) !== 0) return false;
  return !(isStoreBehind && hasFlag(fn, i, InstrFlag.MayReadMemory));
}

function mayGoTo({ graph, cycles }: Analyses, from: BlockId, to: BlockId, isLoad: boolean): boolean {
  const first = graph.predStart[to];
  if (graph.predStart[to + 1] - first === 1 && graph.pred[first] === from) return true;
  const loop = cycles.cycleOf(to);
  return !isLoad && (loop === NONE || loop === cycles.cycleOf(from));
}

/**
 * The nearest block that dominates all uses; `NONE` without any.
 *
 * @param placeOf the block in which a user is
 */
export function commonDominator(
  fn: FunctionSnapshot,
  { uses, order, dominators }: Analyses,
  placeOf: (user: InstrId) => BlockId,
  i: InstrId,
): BlockId | -1 {
  const v = instrValue(fn, i);
  let common = NONE as BlockId | -1;
  for (let u = uses.start[v]; u < uses.start[v + 1]; u++) {
    const user = uses.user[u] as InstrId;
    const at = fn.instrOpcode[user] === Opcode.Phi ? (fn.operandBlock[uses.operand[u]] as BlockId) : placeOf(user);
    if (order[at] === NONE) continue;
    if (common === NONE) common = at;
    while (common !== NONE && !dominators.dominates(common, at)) common = dominators.idom[common] as BlockId | -1;
    if (common === fn.instrBlock[i]) break;
  }
  return common;
}
