/**
 * The final order of a block pair: between two paired instructions the gaps of both sides form one group, T against F only
 * (rule 4). A run is speculated when all of it is safe whatever its operands are, short and cheap; else it is guarded. In a group
 * the speculated runs come first, then the guarded ones side by side, so that they share one diamond.
 */
import type { BlockId, InstrId } from '../ir/ids.js';
import { NONE } from '../ir/ids.js';
import { InstrFlag, hasFlag } from '../ir/snapshot.js';
import type { Draft } from './draft.js';
import { CostModel } from './gains.js';
import type { AlignedInstr } from './plan.js';

/** A pair, or one side's run of gaps. */
export type Group =
  | { readonly kind: 'pair'; readonly t: InstrId; readonly f: InstrId }
  | { readonly kind: 'run'; readonly side: 't' | 'f'; readonly instrs: readonly InstrId[]; readonly speculate: boolean };

export function groupsOf(draft: Draft, bt: BlockId, bf: BlockId): Group[] {
  const groups: Group[] = [];
  const t = [...draft.workOf(bt)];
  const g = [...draft.workOf(bf)];
  for (let i = 0, j = 0; i < t.length || j < g.length; ) {
    const runT: InstrId[] = [];
    const runF: InstrId[] = [];
    while (i < t.length && draft.partner[t[i]] === NONE) runT.push(t[i++]);
    while (j < g.length && draft.partner[g[j]] === NONE) runF.push(g[j++]);
    const runs: Group[] = [];
    if (runT.length > 0) runs.push({ kind: 'run', side: 't', instrs: runT, speculate: mayRunForAll(draft, runT) });
    if (runF.length > 0) runs.push({ kind: 'run', side: 'f', instrs: runF, speculate: mayRunForAll(draft, runF) });
    groups.push(...runs.filter((r) => r.kind === 'run' && r.speculate), ...runs.filter((r) => r.kind === 'run' && !r.speculate));
    if (i < t.length && j < g.length) groups.push({ kind: 'pair', t: t[i++], f: g[j++] });
  }
  return groups;
}

function mayRunForAll({ ctx }: Draft, run: readonly InstrId[]): boolean {
  let cycles = 0;
  for (const i of run) {
    if (!hasFlag(ctx.f, i, InstrFlag.Speculatable)) return false;
    cycles += ctx.costs.vector[i];
  }
  return run.length <= CostModel.longestSpeculation && cycles <= CostModel.speculationCycles;
}

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
