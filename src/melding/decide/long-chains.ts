/**
 * Finds what melding would make so that LLVM takes very long to compile it (rule 9). The arithmetic on the sides of a
 * branch does not dominate what follows; melded, it does. Where values go from one such branch to the next, a long
 * chain arises of which each member dominates the next ones. LLVM's StraightLineStrengthReduction compares the members
 * with each other, and the scalar expressions that it compares are as deep as the chain is long, so its time grows with
 * more than the square of the length.
 */
import { reversePostOrder } from '../../analysis/graph.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { Opcode, TypeKind, definingInstr, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';

/**
 * Instructions of the longest chain in which phis may become selects. LLVM takes
 * about twice as long for a chain of 256 as for the branches that it was melded from, ten times as long for 600.
 */
const LONGEST = 256;

/** What LLVM's scalar evolution looks through. To everything else, such as loads and masks, it gives a name. */
const LINKS: ReadonlySet<number> = new Set([
  Opcode.Add,
  Opcode.Sub,
  Opcode.Mul,
  Opcode.Shl,
  Opcode.Trunc,
  Opcode.ZExt,
  Opcode.SExt,
  Opcode.PtrToInt,
  Opcode.IntToPtr,
  Opcode.BitCast,
  Opcode.GetElementPtr,
  Opcode.Select,
  Opcode.Phi,
]);

/** The blocks with a phi in a chain that is too long. */
export function blocksOfLongChains({ fn, graph, order }: PlanningContext): Set<BlockId> {
  const found = new Set<BlockId>();
  const links: InstrId[] = [];
  for (const b of reversePostOrder(graph))
    for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1]; i++) if (isLink(fn, i)) links.push(i);
  if (links.length <= LONGEST) return found;

  /** The links in front of `i`. Those that come around a loop do not count. */
  const sources = (i: InstrId): InstrId[] => {
    const list: InstrId[] = [];
    for (let o = fn.operandStart[i]; o < fn.operandStart[i + 1]; o++) {
      const from = definingInstr(fn, fn.operand[o] as ValueId);
      if (from < 0 || !isLink(fn, from)) continue;
      const [at, to] = [order[fn.instrBlock[from]], order[fn.instrBlock[i]]];
      if (at < to || (at === to && from < i)) list.push(from);
    }
    return list;
  };
  /** The longest chains that end at a link, and that begin there, in links without itself. */
  const before = new Int32Array(fn.instrCount);
  const behind = new Int32Array(fn.instrCount);
  for (const i of links) for (const from of sources(i)) before[i] = Math.max(before[i], before[from] + 1);
  for (const i of links.toReversed())
    for (const from of sources(i)) behind[from] = Math.max(behind[from], behind[i] + 1);
  for (const i of links)
    if (fn.instrOpcode[i] === Opcode.Phi && before[i] + 1 + behind[i] > LONGEST) found.add(fn.instrBlock[i] as BlockId);
  return found;
}

function isLink(fn: FunctionSnapshot, i: InstrId): boolean {
  const kind = fn.typeKind[fn.instrType[i]];
  return (kind === TypeKind.Integer || kind === TypeKind.Pointer) && LINKS.has(fn.instrOpcode[i]);
}
