/**
 * What may not be melded at all: rules 1.1 to 1.7, and rule 4 for markers (docs/melding.md). Each function here looks
 * at one level: the whole function, the region between branch and join, or one subgraph. When a subgraph is refused,
 * its neighbours on the same side may still meld. analysis/regions.ts checks the control flow itself and names a
 * problem.
 *
 * Markers: an `assume` in a melded block is dropped. Lifetime markers of one alloca would have to stay together, and
 * different `noalias.scope.decl` cannot become one. Both refuse the subgraph.
 */
import type { DivergentRegion, RegionProblem } from '../../analysis/regions.js';
import type { BlockId, InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import {
  FunctionFlag,
  InstrFlag,
  LaneSource,
  Opcode,
  TypeKind,
  definingInstr,
  hasFlag,
  isBranch,
  terminatorOf,
} from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { refusal, type Refusal } from '../rules.js';

const MAY_WAIT = InstrFlag.Atomic | InstrFlag.Volatile | InstrFlag.MaySync;

const REGION_REFUSALS: Readonly<Record<RegionProblem, Refusal>> = {
  'same-successors': refusal('NoCommonJoin', 'both successors are the same block'),
  'no-join': refusal('NoCommonJoin', 'the branch has no immediate post-dominator'),
  'one-sided': refusal('NoCommonJoin', 'one successor post-dominates the other'),
  'join-heads-loop': refusal('NoCommonJoin', 'the join dominates the branch: it heads an enclosing loop'),
  irreducible: refusal('UnstructuredControlFlow', 'irreducible control flow between branch and join'),
};

export const problemRefusal = (problem: RegionProblem): Refusal => REGION_REFUSALS[problem];

export function functionRefusal(fn: FunctionSnapshot): Refusal | null {
  if ((fn.flags & FunctionFlag.OptNone) !== 0) return refusal('UnsupportedConstruct', 'the function is optnone');
  if ((fn.flags & FunctionFlag.Naked) !== 0) return refusal('UnsupportedConstruct', 'the function is naked');
  if ((fn.flags & FunctionFlag.AddressTaken) !== 0)
    return refusal('UnsupportedConstruct', 'the address of a block is taken');
  if ((fn.flags & FunctionFlag.ConvergenceControl) !== 0)
    return refusal('ConvergentOperation', 'the function uses convergence control tokens');
  return null;
}

export function regionRefusal({ fn }: PlanningContext, { branch, blocks }: DivergentRegion): Refusal | null {
  const inside = new Set<number>(blocks.filter((b) => b !== branch));
  for (const b of blocks) {
    if (!isBranch(fn, b) && fn.instrOpcode[terminatorOf(fn, b)] !== Opcode.Switch)
      return refusal('UnstructuredControlFlow', 'between branch and join is a terminator other than br and switch');
    for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++) {
      if (fn.instrOpcode[i] === Opcode.LandingPad)
        return refusal('UnstructuredControlFlow', 'between branch and join is an exception handling pad');
      if (fn.typeKind[fn.instrType[i]] === TypeKind.Token)
        return refusal('UnsupportedConstruct', 'between branch and join is a value of token type');
      // Behind a unifying block, a phi would stand for the alloca. Markers take none.
      if (hasFlag(fn, i as InstrId, InstrFlag.Marker) && inside.has(blockOfAlloca(fn, i as InstrId)))
        return refusal('ScopedMarkers', 'between branch and join is an alloca with lifetime markers');
    }
  }
  return null;
}

/**
 * Whether threads may be asked behind the blocks of `front` which side of a region with several entry edges they are
 * on. They wait for each other there, on their way to both sides.
 */
export function mayJoin(ctx: PlanningContext, region: DivergentRegion, front: readonly BlockId[]): boolean {
  const { fn } = ctx;
  const { branch, blocks } = region;
  // The branch itself may be in a loop that both sides leave.
  if ([branch, ...front].some((b) => !isBranch(fn, b) || mayWait(ctx, region, b))) return false;
  const stays = InstrFlag.Convergent | InstrFlag.WritesWaveState;
  for (const b of blocks)
    for (let i = fn.blockInstrStart[b]; b !== branch && i < fn.blockInstrStart[b + 1]; i++)
      if ((fn.instrFlags[i] & stays) !== 0) return false;
  return true;
}

/**
 * Whether the ways out of a region through dead ends stay right when its sides meld. Where several blocks of the region
 * lead to a dead end, some may come to lie behind a meld and others in front of it. So only phis may bring values of
 * the region there, and only from blocks of the region.
 */
export function mayLeave({ fn }: PlanningContext, { branch, blocks, deadEnds }: DivergentRegion): boolean {
  const inside = new Set<number>(blocks);
  // What the branch itself holds stays in front of everything.
  inside.delete(branch);
  /** By dead end: the block outside of dead ends from which all come there, or `NONE` if there are several. */
  const wayIn = new Map<number, number>();
  for (const { block: d, from } of deadEnds) {
    const ways = new Set(from.map((b) => wayIn.get(b) ?? b));
    wayIn.set(d, ways.size === 1 ? [...ways][0]! : NONE);
    for (let i = fn.blockInstrStart[d] as InstrId; i < fn.blockInstrStart[d + 1]; i++) {
      if (hasFlag(fn, i, InstrFlag.Marker) && inside.has(blockOfAlloca(fn, i))) return false;
      for (let o = fn.operandStart[i]; o < fn.operandStart[i + 1]; o++) {
        const at = fn.instrOpcode[i] === Opcode.Phi ? fn.operandBlock[o] : d;
        const definition = definingInstr(fn, fn.operand[o] as ValueId);
        if (wayIn.get(at) === NONE && definition !== NONE && inside.has(fn.instrBlock[definition])) return false;
      }
    }
  }
  return true;
}

/** Of a branch to a dead end: who fails has nobody to meet again. */
export const checkRefusal = refusal('NoCommonJoin', 'from one side no thread comes back: it is a failed check');

/** Refuses what `mayLeave` says no to. */
export const sharedDeadEndRefusal = refusal(
  'NoCommonJoin',
  'several blocks between branch and join lead to one dead end, which uses values from there',
);

/** Sources seldom have one: it is mostly a question of versions per wave, which an earlier round has made. */
const BALLOT = 'a ballot, which is convergent: of the source, or of versions per wave';

const isBallot = (fn: FunctionSnapshot, i: InstrId): boolean => fn.instrSource[i] === LaneSource.Ballot;

/** @param blocks the blocks of one subgraph */
export function subgraphRefusal(ctx: PlanningContext, blocks: readonly BlockId[]): Refusal | null {
  const { fn, cycles } = ctx;
  const members = new Set<number>(blocks);
  for (const b of blocks) {
    if (!isBranch(fn, b)) return refusal('UnsuitableBranch', 'the subgraph holds a switch');
    if (fn.succStart[b + 1] - fn.succStart[b] !== ctx.graph.succStart[b + 1] - ctx.graph.succStart[b])
      return refusal('UnstructuredControlFlow', 'a way out of the subgraph ends without reaching the join');
    const cycle = cycles.cycleOf(b);
    const ownLoop = cycle !== NONE && members.has(cycles.header[cycle]);
    for (let i = fn.blockInstrStart[b] as InstrId; i < fn.blockInstrStart[b + 1]; i++) {
      const flags = fn.instrFlags[i];
      if ((flags & InstrFlag.Convergent) !== 0)
        return refusal(
          'ConvergentOperation',
          `the subgraph holds ${isBallot(fn, i) ? BALLOT : 'a convergent operation'}`,
        );
      if ((flags & InstrFlag.WritesWaveState) !== 0)
        return refusal('ConvergentOperation', 'the subgraph writes wave state');
      if (ownLoop && (flags & MAY_WAIT) !== 0)
        return refusal('MayWaitForThreads', 'a loop of the subgraph may wait for other threads');
      if (fn.instrOpcode[i] === Opcode.Alloca) return refusal('NothingInCommon', 'the subgraph holds an alloca');
      if (hasFlag(fn, i as InstrId, InstrFlag.Marker) && !isAssume(fn, i as InstrId))
        return refusal('ScopedMarkers', 'the subgraph holds lifetime markers or alias scope declarations');
    }
  }
  return null;
}

/**
 * Refuses the subgraphs of a side behind a loop that may wait. After the meld, threads of the other side run the
 * subgraph together with the threads of the loop, so they wait until those have left the loop. But the loop may wait
 * for just what they do next.
 */
export const waitRefusal = refusal('MayWaitForThreads', 'a loop in front of the subgraph may wait for other threads');

/** Whether block `b` of a region is in a loop that may wait for other threads. Loops around all of it do not count. */
export function mayWait(
  { fn, cycles }: PlanningContext,
  { branch, join }: Pick<DivergentRegion, 'branch' | 'join'>,
  b: BlockId,
): boolean {
  const cycle = cycles.cycleOf(b);
  if (cycle === NONE || (cycles.contains(cycle, branch) && cycles.contains(cycle, join))) return false;
  for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++)
    if ((fn.instrFlags[i] & MAY_WAIT) !== 0) return true;
  return false;
}

/** The block of the alloca that a marker is about, or `NONE`. */
function blockOfAlloca(fn: FunctionSnapshot, marker: InstrId): BlockId | -1 {
  if (fn.operandStart[marker] === fn.operandStart[marker + 1]) return NONE;
  const alloca = definingInstr(fn, fn.operand[fn.operandStart[marker]] as ValueId);
  return alloca !== NONE && fn.instrOpcode[alloca] === Opcode.Alloca ? (fn.instrBlock[alloca] as BlockId) : NONE;
}

/** `assume` is the only marker whose first operand is a condition. */
function isAssume(fn: FunctionSnapshot, i: InstrId): boolean {
  const type = fn.valueType[fn.operand[fn.operandStart[i]]];
  return (
    fn.operandStart[i + 1] > fn.operandStart[i] && fn.typeKind[type] === TypeKind.Integer && fn.typeBits[type] === 1
  );
}
