/**
 * Keeps code from a fault of LLVM 23's StructurizeCFG (`hoistZeroCostElseBlockPhiValues`; docs/simulator.md).
 *
 * A join takes values from two blocks. If one of them computes its value by an operation that costs nothing (`trunc`,
 * `fneg`, `shufflevector`), LLVM moves that up to the branch in front of both blocks. It then passes the result on along
 * one edge into the block. Where several ways lead into the block, threads that come by the others lose the value.
 * Melding makes such blocks, behind what runs for one side only, and in chains of branches that were a `switch`.
 *
 * Here each way into the block computes the operation, and a phi takes the results: LLVM does not move phis. The same
 * goes for operations in front of the block that LLVM moves down to it first. A `switch` in front of such a block
 * becomes a chain of branches.
 *
 * In melded functions all of this is done wherever LLVM might come to such a shape, by folding branches, too. Others
 * should get the code that `llc` makes of them, so there it is done only where the function has the shape already, or
 * gets it when LLVM takes a wide vector apart.
 */
import { cycles } from '../analysis/cycles.js';
import { dominators, type DominatorTree } from '../analysis/dominators.js';
import { cfgOf, type Graph } from '../analysis/graph.js';
import { usesOf, type Uses } from '../analysis/uses.js';
import type { BlockRef, Editor, ValueRef } from '../ir/editor.js';
import type { BlockId, InstrId, ValueId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { destinations } from '../ir/switches.js';
import {
  InstrFlag,
  NO_INTEGER,
  Opcode,
  TypeKind,
  definingInstr,
  hasFlag,
  isBranch,
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

/** So many copies of one function at most. Long chains of joins may ask for the square of their length. */
const MOST_COPIES = 16_384;

/** So many joins in a row at most. */
const MOST_JOINS = 1000;

/** So many blocks at most that may become one: the walk up must also end in unreachable loops. */
const MOST_BLOCKS = 1000;

/** Which operations are kept from being moved: all that LLVM may move wrongly, or those of the shape that it looks for. */
export type Caution = 'possible' | 'likely';

/**
 * Beyond these limits, which no known kernel comes near, an operation stays where LLVM may move it.
 *
 * @param open the function as it is
 * @returns whether there was anything to look at: otherwise the function is unchanged
 */
export function separateJoinInputs(open: () => OpenFunction, caution: Caution): boolean {
  let found = open();
  const inputs = joinInputs(found.snapshot, caution);
  const switches = switchesInFront(found.snapshot, inputs.keys());
  if (switches.size > 0) {
    // As a chain, each destination has one edge.
    for (const b of switches) found.editor.lowerSwitch(found.editor.block(b));
    found.editor[Symbol.dispose]();
    found = open();
  }
  const separator = new Separator(found);
  const all = switches.size > 0 ? joinInputs(found.snapshot, caution) : inputs;
  for (const [block, list] of all) for (const i of list) separator.separate(i, block);
  found.editor[Symbol.dispose]();
  return inputs.size > 0;
}

interface OpenFunction {
  readonly snapshot: FunctionSnapshot;
  readonly editor: Editor & Disposable;
}

/** @param blocks from which joins take what LLVM may move */
function switchesInFront(fn: FunctionSnapshot, blocks: Iterable<BlockId>): Set<BlockId> {
  const graph = cfgOf(fn);
  const switches = new Set([...blocks].flatMap((block) => waysInto(graph, block).filter((b) => isSwitch(fn, b))));
  return new Set([...switches].filter((b) => destinations(fn, b).size <= MOST_DESTINATIONS));
}

const isSwitch = (fn: FunctionSnapshot, b: BlockId): boolean => fn.instrOpcode[terminatorOf(fn, b)] === Opcode.Switch;

/** The blocks from which edges lead to `b`, once for each edge. */
const waysInto = ({ predStart, pred }: Graph, b: BlockId): BlockId[] =>
  [...pred.subarray(predStart[b]!, predStart[b + 1]!)] as BlockId[];

class Separator {
  private readonly graph: Graph;
  /** Blocks on edges, by their ends. */
  private readonly edges = new Map<string, BlockRef>();
  private copies = 0;

  constructor(private readonly open: OpenFunction) {
    this.graph = cfgOf(open.snapshot);
  }

  /** Makes a phi of an instruction that the join behind block `b` takes. */
  separate(i: InstrId, b: BlockId): void {
    const { editor } = this.open;
    if (!this.hasSeveralWays(b) || this.copies >= MOST_COPIES) return;
    const original = editor.instr(i);
    editor.replaceAllUses(original, this.phiOf(i, b, new Map()));
    editor.erase(original);
  }

  private waysInto(b: BlockId): BlockId[] {
    return [...new Set(waysInto(this.graph, b))];
  }

  /** Several, and none from a terminator that a block on its edge would change in meaning. */
  private hasSeveralWays(b: BlockId): boolean {
    const { snapshot: fn } = this.open;
    const ways = this.waysInto(b);
    return ways.length > 1 && ways.every((from) => isBranch(fn, from) || isSwitch(fn, from));
  }

  /** @param known its phis by block: a block may be on several ways, also of a loop */
  private phiOf(i: InstrId, b: BlockId, known: Map<BlockId, ValueRef>): ValueRef {
    const { editor } = this.open;
    const ways = this.waysInto(b).map((from) => ({ from, block: this.edge(from, b) }));
    const phi = editor.prependPhi(editor.block(b), editor.instr(i), []);
    known.set(b, phi);
    for (const { from, block } of ways) editor.addIncoming(phi, { value: this.atEnd(i, from, block, known), block });
    return phi;
  }

  /** What stands for the instruction at the end of `block`, which is `from` itself or on an edge out of it. */
  private atEnd(i: InstrId, from: BlockId, block: BlockRef, known: Map<BlockId, ValueRef>): ValueRef {
    const { snapshot: fn, editor } = this.open;
    if (block === editor.block(from)) {
      // A copy in front of the phi that takes it is what LLVM moves next, if several ways lead there, too.
      const phi = known.get(from);
      if (phi !== undefined) return phi;
      const isNext = this.hasSeveralWays(from) && !dependsOn(fn, i, from);
      if (isNext && this.copies < MOST_COPIES && known.size < MOST_JOINS) return this.phiOf(i, from, known);
    }
    this.copies++;
    return editor.cloneBefore(editor.instructions(block).at(-1)!, editor.instr(i));
  }

  /**
   * The block at the end of which a way into `b` computes: the one from which it comes or, if other ways lead out of
   * that, a new one on the edge. Otherwise LLVM would make one of this copy and others behind it.
   */
  private edge(from: BlockId, b: BlockId): BlockRef {
    const { snapshot: fn, editor } = this.open;
    if (fn.succStart[from + 1]! - fn.succStart[from]! === 1) return editor.block(from);
    const key = `${from} ${b}`;
    let found = this.edges.get(key);
    if (found === undefined) this.edges.set(key, (found = editor.splitEdge(editor.block(from), editor.block(b))));
    return found;
  }
}

/**
 * By block: what joins take from it that LLVM may move out of it. Nothing, if LLVM may only make it there: then a
 * `switch` in front of the block must go all the same.
 */
function joinInputs(fn: FunctionSnapshot, caution: Caution): Map<BlockId, ReadonlySet<InstrId>> {
  const graph = cfgOf(fn);
  const before = caution === 'likely' ? null : onlyWays(fn, graph);
  const byBlock: Set<InstrId>[] = [];
  const apart = new Set<BlockId>();
  for (let join = 0 as BlockId; join < fn.blockCount; join++) {
    if (caution === 'likely' && !hasShape(fn, graph, join)) continue;
    for (let phi = fn.blockInstrStart[join]! as InstrId; fn.instrOpcode[phi] === Opcode.Phi; phi++)
      for (let o = fn.operandStart[phi]!; o < fn.operandStart[phi + 1]!; o++) {
        const last = fn.operandBlock[o] as BlockId;
        if (isTakenApart(fn, phi) && (before !== null || isFromElsewhere(fn, fn.operand[o] as ValueId, last))) {
          const block = before === null ? last : firstOf(before, last, []);
          apart.add(block);
          byBlock[block] ??= new Set();
        }
        const input = definingInstr(fn, fn.operand[o] as ValueId);
        if (input === NONE || !mayBeFree(fn, input)) continue;
        const needed = blocksOfOperands(fn, input);
        const block = before === null ? last : firstOf(before, last, needed);
        // LLVM moves nothing that needs something of the same block.
        if (needed.includes(block)) continue;
        if (before !== null || fn.instrLatency[input] === 0) (byBlock[block] ??= new Set()).add(input);
      }
  }
  // In the order of the blocks.
  const found = new Map(byBlock.flatMap((inputs, block) => [[block as BlockId, inputs]] as const));
  if (found.size === 0) return found;
  const [uses, tree, loops] = [usesOf(fn), dominators(graph), cycles(graph)];
  /** LLVM moves an instruction down to `b` if nothing else needs it, but into no loop. */
  const mayBeSunk = (i: InstrId, b: BlockId): boolean =>
    loops.cycleOf(fn.instrBlock[i] as BlockId) === loops.cycleOf(b) && isNeededBehind(fn, uses, tree, i, b);
  const all = [...found.values()].flatMap((inputs) => [...inputs]);
  const needed = new Set(all.flatMap((i) => [...fn.operand.subarray(fn.operandStart[i]!, fn.operandStart[i + 1]!)]));
  // What the copies of others need must stay in front of them.
  for (const [block, inputs] of found) {
    if (!tree.isReachable(block)) inputs.clear();
    for (const i of inputs)
      if (fn.instrBlock[i] !== block && (needed.has(instrValue(fn, i)) || !mayBeSunk(i, block))) inputs.delete(i);
    if (inputs.size === 0 && !apart.has(block)) found.delete(block);
  }
  return found;
}

/** By block: the only one from which anything comes, if LLVM may join the two; otherwise `NONE`. */
function onlyWays(fn: FunctionSnapshot, graph: Graph): Int32Array {
  const before = new Int32Array(fn.blockCount).fill(NONE);
  for (let b = 0 as BlockId; b < fn.blockCount; b++) {
    const [way, ...others] = new Set(waysInto(graph, b));
    // Code generation may make several ways of one that comes from a switch.
    if (way !== undefined && others.length === 0 && !isSwitch(fn, way)) before[b] = way;
  }
  return before;
}

/**
 * The first block of what may become one block with `b`. LLVM folds branches whose conditions it can prove, also such as
 * melding has left, and then joins blocks to which only one way leads.
 *
 * @param before of `onlyWays`
 * @param needed blocks that compute what an instruction needs: it cannot be computed in front of them
 */
function firstOf(before: Int32Array, b: BlockId, needed: readonly BlockId[]): BlockId {
  let first = b;
  for (let steps = 0; steps < MOST_BLOCKS && before[first] !== NONE && !needed.includes(first); steps++)
    first = before[first] as BlockId;
  return first;
}

/** The blocks of the instructions that are operands of `i`. */
function blocksOfOperands(fn: FunctionSnapshot, i: InstrId): BlockId[] {
  const blocks: BlockId[] = [];
  for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++) {
    const operand = definingInstr(fn, fn.operand[o] as ValueId);
    if (operand !== NONE) blocks.push(fn.instrBlock[operand] as BlockId);
  }
  return blocks;
}

/** Whether LLVM may take a phi of a vector apart (AMDGPUCodeGenPrepare): it then takes free parts of what it joins. */
const isTakenApart = (fn: FunctionSnapshot, phi: InstrId): boolean =>
  fn.typeKind[fn.instrType[phi]!] === TypeKind.Vector && fn.typeBits[fn.instrType[phi]!]! > LARGEST_WHOLE;

/** Whether a value is computed, or given, in front of a block: LLVM can move what it takes of it out of the block. */
function isFromElsewhere(fn: FunctionSnapshot, v: ValueId, block: BlockId): boolean {
  const i = definingInstr(fn, v);
  return i === NONE ? v < fn.argCount : fn.instrBlock[i] !== block;
}

/** In bits: LLVM's `amdgpu-codegenprepare-break-large-phis-threshold`. */
const LARGEST_WHOLE = 32;

const onlySuccessor = (fn: FunctionSnapshot, b: BlockId): BlockId | -1 =>
  fn.succStart[b + 1]! - fn.succStart[b]! === 1 ? (fn.succ[fn.succStart[b]!] as BlockId) : NONE;

/**
 * Whether two blocks and nothing else lead to a join, and several ways into one of them: it is such joins of which
 * LLVM moves inputs (`hoistZeroCostElseBlockPhiValues`). It also asks for a branch that leads to both blocks, but that
 * may come about when empty blocks go.
 */
function hasShape(fn: FunctionSnapshot, graph: Graph, join: BlockId): boolean {
  if (graph.predStart[join + 1]! - graph.predStart[join]! !== 2) return false;
  const blocks = waysInto(graph, join);
  if (blocks.some((b) => onlySuccessor(fn, b) !== join)) return false;
  // Code generation may make several ways of one that comes from a switch.
  return blocks.some((b) => {
    const ways = waysInto(graph, b);
    return ways.length > 1 || ways.some((from) => isSwitch(fn, from));
  });
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

/** Whether LLVM may move an instruction, because it may cost nothing. */
function mayBeFree(fn: FunctionSnapshot, i: InstrId): boolean {
  const isPriced = fn.instrLatency[i] === 0 && fn.instrOpcode[i] !== Opcode.Phi;
  const isFree =
    (MAY_BE_FREE.has(fn.instrOpcode[i]!) && !hasVariableIndex(fn, i)) ||
    (hasFlag(fn, i, InstrFlag.Speculatable) && (isPriced || hasFlag(fn, i, InstrFlag.Intrinsic)));
  return isFree && !hasFlag(fn, i, InstrFlag.Convergent);
}

/** Whether an element is at an index that only the run knows: LLVM makes one `select` of it for each element. */
function hasVariableIndex(fn: FunctionSnapshot, i: InstrId): boolean {
  const opcode = fn.instrOpcode[i];
  if (opcode !== Opcode.ExtractElement && opcode !== Opcode.InsertElement) return false;
  return isVariable(fn, fn.operand[fn.operandStart[i + 1]! - 1] as ValueId);
}

/**
 * Whether a whole number is certain to differ from run to run. Of the rest LLVM may find out that it is a constant, above
 * all in code that was not optimised.
 */
function isVariable(fn: FunctionSnapshot, v: ValueId, depth = 4): boolean {
  if (v < fn.argCount) return true;
  const i = definingInstr(fn, v);
  if (i === NONE || depth === 0) return false;
  const operands = [...fn.operand.subarray(fn.operandStart[i]!, fn.operandStart[i + 1]!)] as ValueId[];
  const isConstant = (each: ValueId): boolean => fn.valueInteger[each] !== NO_INTEGER;
  switch (fn.instrOpcode[i]) {
    case Opcode.Load:
    case Opcode.Call:
    case Opcode.Phi:
      return true;
    case Opcode.Trunc:
    case Opcode.ZExt:
    case Opcode.SExt:
      return isVariable(fn, operands[0]!, depth - 1);
    case Opcode.Add:
      return operands.every((each) => isConstant(each) || isVariable(fn, each, depth - 1));
    case Opcode.And:
      return isConstant(operands[1]!) && fn.valueInteger[operands[1]!] !== 0 && isVariable(fn, operands[0]!, depth - 1);
    default:
      return false;
  }
}

/** Whether an operand comes from block `b`. */
const dependsOn = (fn: FunctionSnapshot, i: InstrId, b: BlockId): boolean => blocksOfOperands(fn, i).includes(b);
