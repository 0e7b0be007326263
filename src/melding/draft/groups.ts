/**
 * The final order of the instructions of a block pair (rule 4). Between two pairs, the gaps of both sides form one
 * group: a run of T and a run of F. A run is speculated if every instruction is safe whatever its operands are, or is a
 * load that another one stands in for, and the run is short and cheap; otherwise it is guarded. In a group the
 * speculated runs come first. The guarded ones follow side by side, so that they share one diamond.
 */
import type { InstrId, ValueId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, hasFlag, type FunctionSnapshot } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import type { Draft } from './draft.js';
import type { BlockWork } from './block-matches.js';
import { CostModel } from '../cost/cost-model.js';
import { pointerOf } from '../cost/memory-accesses.js';
import { isAddressKnown } from './stand-ins.js';
import type { AlignedInstr } from '../plan.js';

/** A run of gaps of one side. */
export interface Run {
  readonly kind: 'run';
  readonly side: 't' | 'f';
  readonly instrs: readonly InstrId[];
  readonly speculate: boolean;
  /** Of a speculated run: the loads that stand in for its loads (stand-ins.ts). */
  readonly standIns: ReadonlyMap<InstrId, InstrId>;
}

export type Group = { readonly kind: 'pair'; readonly t: InstrId; readonly f: InstrId } | Run;

const NO_STAND_INS: ReadonlyMap<InstrId, InstrId> = new Map();

export function groupsOf(draft: Draft, { t, f }: BlockWork): Group[] {
  const groups: Group[] = [];
  for (let i = 0, j = 0; i < t.length || j < f.length;) {
    const runT: InstrId[] = [];
    const runF: InstrId[] = [];
    const [placedT, placedF] = [i, j];
    while (i < t.length && draft.partner[t[i]] === NONE) runT.push(t[i++]);
    while (j < f.length && draft.partner[f[j]] === NONE) runF.push(f[j++]);
    const sT = runT.length > 0 ? standInsOf(draft, 't', runT, { work: f, placed: placedF }) : null;
    const sF = runF.length > 0 ? standInsOf(draft, 'f', runF, { work: t, placed: placedT }) : null;
    const add = (side: 't' | 'f', instrs: readonly InstrId[], standIns: ReadonlyMap<InstrId, InstrId> | null): void => {
      groups.push({ kind: 'run', side, instrs, speculate: standIns !== null, standIns: standIns ?? NO_STAND_INS });
    };
    if (sT) add('t', runT, sT);
    if (sF) add('f', runF, sF);
    if (!sT && runT.length > 0) add('t', runT, null);
    if (!sF && runF.length > 0) add('f', runF, null);
    if (i < t.length && j < f.length) groups.push({ kind: 'pair', t: t[i++], f: f[j++] });
  }
  return groups;
}

/**
 * The loads that stand in for those of a run that every thread may execute; null if it is to be guarded.
 *
 * @param other the work of the other side, of which the first `placed` instructions come in front of the run
 */
function standInsOf(
  draft: Draft,
  side: 't' | 'f',
  run: readonly InstrId[],
  other: { readonly work: readonly InstrId[]; readonly placed: number },
): ReadonlyMap<InstrId, InstrId> | null {
  const { ctx, frame } = draft;
  const { unpredicate } = ctx.options;
  if (unpredicate === 'always' || (unpredicate !== 'never' && isLong(ctx, run))) return null;
  let standIns: Map<InstrId, InstrId> | null = null;
  for (const i of run) {
    if (hasFlag(ctx.fn, i, InstrFlag.Speculatable)) continue;
    const known = frame.standIns(i).filter((each) => isAddressKnown(ctx, each, other.work, other.placed));
    if (known.length === 0) return null;
    // An address that needs no select of its own is best.
    const best = known.find((each) => draft.hasKey(frame.keyOf(...addressesOf(ctx.fn, side, i, each)))) ?? known[0];
    (standIns ??= new Map<InstrId, InstrId>()).set(i, best);
  }
  return standIns ?? NO_STAND_INS;
}

/** The addresses of a load of `side` and of its stand-in: that of T first. */
export function addressesOf(
  fn: FunctionSnapshot,
  side: 't' | 'f',
  i: InstrId,
  standIn: InstrId,
): [t: ValueId, f: ValueId] {
  const [own, other] = [pointerOf(fn, i), pointerOf(fn, standIn)];
  return side === 't' ? [own, other] : [other, own];
}

/** Whether a run is so long that a wave without threads for it is better off with a branch around it. */
export const isLong = ({ costs }: PlanningContext, run: readonly InstrId[]): boolean =>
  run.length > CostModel.longestSpeculation ||
  run.reduce((sum, i) => sum + costs.vector[i], 0) > CostModel.speculationCycles;

export function alignmentOf(draft: Draft, groups: readonly Group[]): AlignedInstr[] {
  const isHoisted = (i: InstrId): boolean => draft.frame.hoistedLoads.has(i);
  return groups.flatMap((group): AlignedInstr[] => {
    if (group.kind === 'pair')
      return [
        {
          t: group.t,
          f: group.f,
          ...(draft.swapped[group.t] === 1 && { swapped: true }),
          ...((isHoisted(group.t) || isHoisted(group.f)) && { hoisted: true }),
        },
      ];
    return group.instrs.map((i) => ({
      t: group.side === 't' ? i : NONE,
      f: group.side === 'f' ? i : NONE,
      ...(group.speculate && { speculate: true }),
      ...(isHoisted(i) && { hoisted: true }),
      ...(group.standIns.has(i) && { standIn: group.standIns.get(i)! }),
    }));
  });
}
