/**
 * Keeps melded code from a fault of LLVM 23's StructurizeCFG (`hoistZeroCostElseBlockPhiValues`; docs/simulator.md).
 *
 * A join takes values from two blocks. If one of them computes its value by an operation that costs nothing (`trunc`,
 * `fneg`, `shufflevector`), LLVM moves that up to the branch in front of both blocks. It then passes the result on along
 * one edge into the block. Where several ways lead into the block, threads that come by the others lose the value.
 * Melding makes such blocks, behind what runs for one side only, and in chains of branches that were a `switch`.
 *
 * Here each way into the block computes the operation, and a phi takes the results: LLVM does not move phis. The same
 * goes for operations in front of the block that LLVM moves down to it first. A `switch` in front of such a block becomes
 * a chain of branches.
 */
import { cycles } from '../analysis/cycles.js';
import { dominators, type DominatorTree } from '../analysis/dominators.js';
import { cfgOf, type Graph } from '../analysis/graph.js';
import { usesOf, type Uses } from '../analysis/uses.js';
import type { Editor, Incoming } from '../ir/editor.js';
import type { BlockId, InstrId, ValueId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { destinations } from '../ir/switches.js';
import {
  InstrFlag,
  Opcode,
  definingInstr,
  hasFlag,
  instrValue,
  terminatorOf,
  type FunctionSnapshot,
} from '../ir/snapshot.js';

/** What may cost nothing on some processor. LLVM knows better, but one copy more of these does no harm. */
const MAY_BE_FREE: ReadonlySet<number> = new Set([
  Opcode.Trunc,
  Opcode.ZExt,
  Opcode.BitCast,
  Opcode.PtrToInt,
  Opcode.PtrToAddr,
  Opcode.IntToPtr,
  Opcode.AddrSpaceCast,
  Opcode.GetElementPtr,
  Opcode.FNeg,
  Opcode.Freeze,
  Opcode.ExtractElement,
  Opcode.InsertElement,
  Opcode.ShuffleVector,
  Opcode.ExtractValue,
  Opcode.InsertValue,
]);

/** Code generation makes of a `switch` a tree whose leaves lead to the same blocks. Larger ones stay as they are. */
const MOST_DESTINATIONS = 256;

/** So many joins in a row at most. Only loops without an end have more. */
const MOST_ROUNDS = 256;

/**
 * The copies of one round may be what LLVM moves next: they stand in front of the phi that takes them, and several ways
 * may lead there, too. So it goes on until nothing is left, upwards from join to join.
 *
 * @param open the function as it is
 */
export function separateJoinInputs(open: () => OpenFunction): void {
  for (let round = 0, isDone = false; !isDone && round < MOST_ROUNDS; round++) {
    const found = open();
    const switches = switchesInFront(found.snapshot);
    // As a chain, each destination has one edge.
    for (const b of switches) found.editor.lowerSwitch(found.editor.block(b));
    isDone = switches.size === 0 && !separate(found);
    found.editor[Symbol.dispose]();
  }
}

interface OpenFunction {
  readonly snapshot: FunctionSnapshot;
  readonly editor: Editor & Disposable;
}

function switchesInFront(fn: FunctionSnapshot): Set<BlockId> {
  const graph = cfgOf(fn);
  const isSwitch = (b: BlockId): boolean => fn.instrOpcode[terminatorOf(fn, b)] === Opcode.Switch;
  const switches = [...joinInputs(fn).keys()].flatMap((block) => waysInto(graph, block).filter(isSwitch));
  return new Set(switches.filter((b) => destinations(fn, b).size <= MOST_DESTINATIONS));
}

/** The blocks from which edges lead to `b`, once for each edge. */
const waysInto = ({ predStart, pred }: Graph, b: BlockId): BlockId[] =>
  [...pred.subarray(predStart[b]!, predStart[b + 1]!)] as BlockId[];

/** Returns whether anything has changed. */
function separate({ snapshot: fn, editor }: OpenFunction): boolean {
  const graph = cfgOf(fn);
  let hasChanged = false;
  for (const [block, inputs] of joinInputs(fn)) {
    const ways = [...new Set(waysInto(graph, block))].map((from) => editor.block(from));
    if (ways.length < 2) continue;
    const at = editor.block(block);
    // A copy at the end of a block with several ways out may stand in front of another copy: LLVM would make them one.
    const edges = ways.map((from) => (editor.successors(from).length === 1 ? from : editor.splitEdge(from, at)));
    for (const input of inputs) {
      const original = editor.instr(input);
      const incoming = edges.map((edge): Incoming => {
        const end = editor.instructions(edge).at(-1)!;
        return { value: editor.cloneBefore(end, original), block: edge };
      });
      const once = editor.prependPhi(at, original, incoming);
      editor.replaceAllUses(original, once);
      editor.erase(original);
    }
    hasChanged = true;
  }
  return hasChanged;
}

/** By block: what joins take from it that LLVM may move out of it. */
function joinInputs(fn: FunctionSnapshot): Map<BlockId, ReadonlySet<InstrId>> {
  const graph = cfgOf(fn);
  const [uses, tree, loops] = [usesOf(fn), dominators(graph), cycles(graph)];
  /** LLVM moves an instruction down to `b` if nothing else needs it, but into no loop. */
  const mayBeSunk = (i: InstrId, b: BlockId): boolean =>
    loops.cycleOf(fn.instrBlock[i] as BlockId) === loops.cycleOf(b) && isNeededBehind(fn, uses, tree, i, b);
  const found = new Map<BlockId, Set<InstrId>>();
  for (let block = 0 as BlockId; block < fn.blockCount; block++) {
    if (fn.succStart[block + 1]! - fn.succStart[block]! !== 1) continue;
    const join = fn.succ[fn.succStart[block]!]!;
    const inputs = new Set<InstrId>();
    for (let phi = fn.blockInstrStart[join]! as InstrId; fn.instrOpcode[phi] === Opcode.Phi; phi++)
      for (let o = fn.operandStart[phi]!; o < fn.operandStart[phi + 1]!; o++) {
        const input = definingInstr(fn, fn.operand[o] as ValueId);
        if (fn.operandBlock[o] === block && input !== NONE && mayBeMoved(fn, input, block)) inputs.add(input);
      }
    for (const input of inputs) if (fn.instrBlock[input] !== block && !mayBeSunk(input, block)) inputs.delete(input);
    if (inputs.size > 0) found.set(block, inputs);
  }
  return found;
}

/** Whether an instruction is needed only behind the start of `b`. */
function isNeededBehind(fn: FunctionSnapshot, uses: Uses, tree: DominatorTree, i: InstrId, b: BlockId): boolean {
  const v = instrValue(fn, i);
  for (let u = uses.start[v]!; u < uses.start[v + 1]!; u++) {
    const user = uses.user[u]!;
    const at = fn.instrOpcode[user] === Opcode.Phi ? fn.operandBlock[uses.operand[u]!]! : fn.instrBlock[user]!;
    if (!tree.dominates(b, at as BlockId)) return false;
  }
  return true;
}

/** Whether LLVM may move an instruction out of block `b`. It does not if an operand comes from the block, too. */
function mayBeMoved(fn: FunctionSnapshot, i: InstrId, b: BlockId): boolean {
  const isFree =
    MAY_BE_FREE.has(fn.instrOpcode[i]!) ||
    (hasFlag(fn, i, InstrFlag.Intrinsic) && hasFlag(fn, i, InstrFlag.Speculatable));
  if (!isFree || hasFlag(fn, i, InstrFlag.Convergent)) return false;
  for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++) {
    const operand = definingInstr(fn, fn.operand[o] as ValueId);
    if (operand !== NONE && fn.instrBlock[operand] === b) return false;
  }
  return true;
}
