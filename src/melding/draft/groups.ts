/**
 * The final order of the instructions of a block pair (rule 4). Between two pairs, the gaps of both sides form one
 * group: a run of T and a run of F. A run is speculated if every instruction is safe whatever its operands are, and the
 * run is short and cheap; otherwise it is guarded. In a group the speculated runs come first. The guarded ones follow
 * side by side, so that they share one diamond.
 */
import type { InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, hasFlag } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import type { Draft } from './draft.js';
import type { BlockWork } from './block-matches.js';
import { CostModel } from '../cost/cost-model.js';
import type { AlignedInstr } from '../plan.js';

/** A pair, or a run of gaps of one side. */
export type Group =
  | { readonly kind: 'pair'; readonly t: InstrId; readonly f: InstrId }
  | {
      readonly kind: 'run';
      readonly side: 't' | 'f';
      readonly instrs: readonly InstrId[];
      readonly speculate: boolean;
    };

export function groupsOf(draft: Draft, { t, f }: BlockWork): Group[] {
  const groups: Group[] = [];
  for (let i = 0, j = 0; i < t.length || j < f.length;) {
    const runT: InstrId[] = [];
    const runF: InstrId[] = [];
    while (i < t.length && draft.partner[t[i]] === NONE) runT.push(t[i++]);
    while (j < f.length && draft.partner[f[j]] === NONE) runF.push(f[j++]);
    const sT = runT.length > 0 && mayRunForAll(draft, runT);
    const sF = runF.length > 0 && mayRunForAll(draft, runF);
    if (sT) groups.push({ kind: 'run', side: 't', instrs: runT, speculate: true });
    if (sF) groups.push({ kind: 'run', side: 'f', instrs: runF, speculate: true });
    if (!sT && runT.length > 0) groups.push({ kind: 'run', side: 't', instrs: runT, speculate: false });
    if (!sF && runF.length > 0) groups.push({ kind: 'run', side: 'f', instrs: runF, speculate: false });
    if (i < t.length && j < f.length) groups.push({ kind: 'pair', t: t[i++], f: f[j++] });
  }
  return groups;
}

function mayRunForAll({ ctx }: Draft, run: readonly InstrId[]): boolean {
  const { unpredicate } = ctx.options;
  if (unpredicate === 'always' || !run.every((i) => hasFlag(ctx.fn, i, InstrFlag.Speculatable))) return false;
  return unpredicate === 'never' || !isLong(ctx, run);
}

/** Whether a run is so long that a wave without threads for it is better off with a branch around it. */
export const isLong = ({ costs }: PlanningContext, run: readonly InstrId[]): boolean =>
  run.length > CostModel.longestSpeculation ||
  run.reduce((sum, i) => sum + costs.vector[i], 0) > CostModel.speculationCycles;

export function alignmentOf(draft: Draft, groups: readonly Group[]): AlignedInstr[] {
  return groups.flatMap((group): AlignedInstr[] => {
    if (group.kind === 'pair')
      return [{ t: group.t, f: group.f, ...(draft.swapped[group.t] === 1 && { swapped: true }) }];
    return group.instrs.map((i) => ({
      t: group.side === 't' ? i : NONE,
      f: group.side === 'f' ? i : NONE,
      ...(group.speculate && { speculate: true }),
    }));
  });
}
