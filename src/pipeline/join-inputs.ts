/**
 * Keeps melded code from a fault of LLVM 23's StructurizeCFG (`hoistZeroCostElseBlockPhiValues`; docs/simulator.md).
 *
 * Of a block in front of a join, it moves an operation that costs nothing (`trunc`, `fneg`, `shufflevector`) up to where
 * the ways to both blocks of the join part, and takes the result for what all threads bring that do not come through the
 * other block. Where several ways lead into the block, only one of them gets it: threads of the others lose the value.
 * Melding makes such blocks, behind what runs for one side only, and in chains of branches that were a `switch`.
 *
 * Here each way into the block computes the operation, and a phi takes the results: LLVM does not move phis. A `switch`
 * in front of such a block becomes a chain of branches.
 */
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

/** An operation in front of a join that LLVM may move. */
interface JoinInput {
  readonly phi: InstrId;
  /** Which of the phi's operands it is. */
  readonly index: number;
  readonly input: InstrId;
  readonly block: BlockId;
}

/** @param open the function as it is */
export function separateJoinInputs(open: () => OpenFunction): void {
  let found = open();
  const switches = switchesInFront(found.snapshot);
  if (switches.size > 0) {
    // As a chain, each destination has one edge.
    for (const b of switches) found.editor.lowerSwitch(found.editor.block(b));
    found.editor[Symbol.dispose]();
    found = open();
  }
  separate(found);
  found.editor[Symbol.dispose]();
}

interface OpenFunction {
  readonly snapshot: FunctionSnapshot;
  readonly editor: Editor & Disposable;
}

function switchesInFront(fn: FunctionSnapshot): Set<BlockId> {
  const ways = entryEdges(fn);
  const isSwitch = (b: BlockId): boolean => fn.instrOpcode[terminatorOf(fn, b)] === Opcode.Switch;
  const switches = joinInputs(fn).flatMap(({ block }) => ways[block]!.filter(isSwitch));
  return new Set(switches.filter((b) => destinations(fn, b).size <= MOST_DESTINATIONS));
}

function separate({ snapshot: fn, editor }: OpenFunction): void {
  const ways = entryEdges(fn);
  const separated = new Map<InstrId, ValueRef>();
  for (const { phi, index, input, block } of joinInputs(fn)) {
    if (ways[block]!.length < 2) continue;
    let once = separated.get(input);
    if (once === undefined) separated.set(input, (once = onEachWay(fn, editor, input, ways[block]!)));
    editor.setOperand(editor.instr(phi), index, once);
  }
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

/** By block: the blocks from which edges lead to it, once for each edge. */
function entryEdges(fn: FunctionSnapshot): BlockId[][] {
  const from = Array.from({ length: fn.blockCount }, (): BlockId[] => []);
  for (let b = 0 as BlockId; b < fn.blockCount; b++)
    for (let e = fn.succStart[b]!; e < fn.succStart[b + 1]!; e++) from[fn.succ[e]!]!.push(b);
  return from;
}

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
