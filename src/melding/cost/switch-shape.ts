/** A divergent switch as the cost model sees it (switch-cycles.ts), and what its branches cost. */
import type { Analyses } from '../../analysis/analyses.js';
import type { CaseRuns } from '../../analysis/case-runs.js';
import { Sinking } from '../../analysis/sinking.js';
import { NONE, type BlockId, type InstrId, type ValueId } from '../../ir/ids.js';
import { definingInstr, terminatorOf, type FunctionSnapshot } from '../../ir/snapshot.js';
import { destinations, firstBehindPhis, isComplete } from '../../ir/switches.js';
import type { Waiting } from './awaited-results.js';
import type { PlanningContext } from './context.js';
import { fusedInto } from './fusion.js';
import type { WorkCosts } from './gains.js';
import { isIdle } from './idle-work.js';
import { instrCosts, presentCosts } from './latency.js';
import { memoryAccesses } from './memory-accesses.js';
import { cyclesAlone } from './skipping.js';
import type { BranchCycles, SwitchShape } from './switch-cycles.js';
import type { TargetCosts } from './target-costs.js';

/**
 * Of a wave that is alone, branches take about twice what melding them is taken to gain, which other waves hide in part
 * (`diamond`, `guard`). Set by hand, after `node dist/bench/switches.js`.
 */
export const ALONE = 2;

export function branchCycles(
  fn: FunctionSnapshot,
  analyses: Analyses,
  b: BlockId,
  { valu, salu, guard, diamond }: TargetCosts,
): { readonly inTree: BranchCycles; readonly inChain: BranchCycles } {
  const inTree = { compare: valu, select: valu, mask: 2 * salu, ifElse: ALONE * diamond, guard: ALONE * guard };
  // LLVM makes the compares of a chain in front of the loop if it can, those of a tree where they stand.
  return { inTree, inChain: { ...inTree, compare: isFromOutside(fn, analyses, b) ? 0 : valu + salu } };
}

/** What the costs of switches are made from. */
export type SwitchCosts = WorkCosts & Waiting & Pick<PlanningContext, 'memory'>;

export function switchCosts(fn: FunctionSnapshot, analyses: Analyses): SwitchCosts {
  const { divergence, uses, dominators } = analyses;
  const memory = memoryAccesses(fn, divergence);
  const costs = instrCosts(fn, memory, divergence);
  const cost = presentCosts(fn, costs, divergence);
  const sinking = new Sinking(fn, analyses);
  return { fn, costs, cost, fusedInto: fusedInto(fn, uses, divergence), uses, dominators, sinking, memory };
}

export function switchShape(work: SwitchCosts, analyses: Analyses, b: BlockId, { runs, gaps }: CaseRuns): SwitchShape {
  const { fn } = work;
  const [otherwise, ...cases] = destinations(fn, b);
  const links = runs.map(({ to }) => cases.indexOf(to));
  const isSelect = cases.map((to) => doesNothing(fn, to) && phisOf(fn, fn.succ[fn.succStart[to]!] as BlockId) <= 1);
  const join = analyses.postDominators.idom[b];
  const hasDefault = otherwise !== join;
  const isOwn = (to: BlockId): boolean => to !== join && analyses.dominators.idom[to] === b;
  const idle = [...cases, otherwise!].map((to) => (isOwn(to) ? idleCycles(work, b, to) : 0));
  const isJoin = cases.map((to) => to === join);
  const popular = gaps.includes(true) ? NONE : mostValues(links, runs);
  return { links, gaps, isSelect, isJoin, idle, isComplete: isComplete(fn, b), hasDefault, popular };
}

/** The link with most values, of several that which gets to so many first. `NONE` if there is none. */
function mostValues(links: readonly number[], runs: CaseRuns['runs']): number {
  const counts = new Map<number, bigint>();
  let [found, most]: [number, bigint] = [NONE, 0n];
  for (const [run, { low, high }] of runs.entries()) {
    const link = links[run]!;
    const count = (counts.get(link) ?? 0n) + high - low + 1n;
    counts.set(link, count);
    if (count > most) [found, most] = [link, count];
  }
  return found;
}

/** What a wave spends in a destination of a switch that it has no thread for. */
function idleCycles(work: SwitchCosts, branch: BlockId, to: BlockId): number {
  const { fn } = work;
  if (fn.succStart[to + 1]! - fn.succStart[to]! !== 1) return 0;
  const [first, end] = [firstBehindPhis(fn, to), terminatorOf(fn, to)];
  const instrs = Array.from({ length: end - first }, (_, k) => (first + k) as InstrId);
  return isIdle(work, branch, instrs) ? cyclesAlone(work, instrs) : 0;
}

/** Whether what a switch asks about is known in front of the innermost loop around it. */
function isFromOutside(fn: FunctionSnapshot, { cycles }: Analyses, b: BlockId): boolean {
  const i = definingInstr(fn, fn.operand[fn.operandStart[terminatorOf(fn, b)]!] as ValueId);
  return cycles.depthOf(b) > (i === NONE ? 0 : cycles.depthOf(fn.instrBlock[i] as BlockId));
}

/** Whether a block goes on to the next one without doing anything. */
export const doesNothing = (fn: FunctionSnapshot, b: BlockId): boolean =>
  firstBehindPhis(fn, b) === terminatorOf(fn, b) && fn.succStart[b + 1]! - fn.succStart[b]! === 1;

const phisOf = (fn: FunctionSnapshot, b: BlockId): number => firstBehindPhis(fn, b) - fn.blockInstrStart[b]!;
