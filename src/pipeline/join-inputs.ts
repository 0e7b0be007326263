/**
 * Keeps melded code from a fault of LLVM 23's StructurizeCFG (`hoistZeroCostElseBlockPhiValues`; docs/simulator.md).
 *
 * A join takes values from two blocks. If one of them computes its value by an operation that costs nothing (`trunc`,
 * `fneg`, `shufflevector`), LLVM moves that up to the branch in front of both blocks. It then passes the result on along
 * one edge into the block. Where several ways lead into the block, threads that come by the others lose the value.
 * Melding makes such blocks, behind what runs for one side only, and in chains of branches that were a `switch`.
 *
 * Here each way into the block computes the operation, and a phi takes the results: LLVM does not move phis. A `switch`
 * in front of such a block becomes a chain of branches.
 */
import { cfgOf, type Graph } from '../analysis/graph.js';
import type { Editor, Incoming, ValueRef } from '../ir/editor.js';
import type { BlockId, InstrId, ValueId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { destinations } from '../ir/switches.js';
import { InstrFlag, Opcode, definingInstr, hasFlag, terminatorOf, type FunctionSnapshot } from '../ir/snapshot.js';

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

/** An operation in front of a join that LLVM may move. */
interface JoinInput {
  readonly phi: InstrId;
  /** Which of the phi's operands it is. */
  readonly index: number;
  readonly input: InstrId;
  readonly block: BlockId;
}

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
  const switches = joinInputs(fn).flatMap(({ block }) => waysInto(graph, block).filter(isSwitch));
  return new Set(switches.filter((b) => destinations(fn, b).size <= MOST_DESTINATIONS));
}

/** Returns whether anything has changed. */
function separate({ snapshot: fn, editor }: OpenFunction): boolean {
  const graph = cfgOf(fn);
  const separated = new Map<InstrId, ValueRef>();
  for (const { phi, index, input, block } of joinInputs(fn)) {
    const ways = waysInto(graph, block);
    if (ways.length < 2) continue;
    let once = separated.get(input);
    if (once === undefined) separated.set(input, (once = onEachWay(fn, editor, input, ways)));
    editor.setOperand(editor.instr(phi), index, once);
  }
  return separated.size > 0;
}

function joinInputs(fn: FunctionSnapshot): JoinInput[] {
  const found: JoinInput[] = [];
  for (let block = 0 as BlockId; block < fn.blockCount; block++) {
    if (fn.succStart[block + 1]! - fn.succStart[block]! !== 1) continue;
    const join = fn.succ[fn.succStart[block]!]!;
    for (let phi = fn.blockInstrStart[join]! as InstrId; fn.instrOpcode[phi] === Opcode.Phi; phi++)
      for (let o = fn.operandStart[phi]!; o < fn.operandStart[phi + 1]!; o++) {
        const input = definingInstr(fn, fn.operand[o] as ValueId);
        if (fn.operandBlock[o] !== block || input === NONE || !mayBeMoved(fn, input, block)) continue;
        found.push({ phi, index: o - fn.operandStart[phi]!, input, block });
      }
  }
  return found;
}

/** The blocks from which edges lead to `b`, once for each edge. */
const waysInto = ({ predStart, pred }: Graph, b: BlockId): BlockId[] =>
  [...pred.subarray(predStart[b]!, predStart[b + 1]!)] as BlockId[];

/** Whether LLVM may move an instruction out of its block. It does not if an operand comes from the block, too. */
function mayBeMoved(fn: FunctionSnapshot, i: InstrId, b: BlockId): boolean {
  const isFree =
    MAY_BE_FREE.has(fn.instrOpcode[i]!) ||
    (hasFlag(fn, i, InstrFlag.Intrinsic) && hasFlag(fn, i, InstrFlag.Speculatable));
  if (fn.instrBlock[i] !== b || !isFree || hasFlag(fn, i, InstrFlag.Convergent)) return false;
  for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++) {
    const operand = definingInstr(fn, fn.operand[o] as ValueId);
    if (operand !== NONE && fn.instrBlock[operand] === b) return false;
  }
  return true;
}

function onEachWay(fn: FunctionSnapshot, editor: Editor, input: InstrId, ways: readonly BlockId[]): ValueRef {
  const original = editor.instr(input);
  const copies = new Map<BlockId, Incoming>();
  for (const from of new Set(ways)) {
    const value = editor.cloneBefore(editor.instr(terminatorOf(fn, from)), original);
    copies.set(from, { value, block: editor.block(from) });
  }
  const incoming = ways.map((from) => copies.get(from)!);
  return editor.prependPhi(editor.block(fn.instrBlock[input] as BlockId), original, incoming);
}
