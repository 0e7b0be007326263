/** The instructions of corresponding blocks that are aligned, and which of them match, whatever else pairs. */
import type { BlockId, InstrId } from '../../ir/ids.js';
import { NONE } from '../../ir/ids.js';
import { InstrFlag, hasFlag } from '../../ir/snapshot.js';
import type { PlanningContext } from '../cost/context.js';
import { OperandOrder } from '../cost/matching.js';
import { countsAsWork } from '../cost/profitability.js';

/** The instructions of two corresponding blocks that are aligned, in order. Empty where a side has no block. */
export interface BlockWork {
  readonly t: readonly InstrId[];
  readonly f: readonly InstrId[];
}

/** Which instructions of two corresponding blocks match, and how they were aligned so far. */
export interface BlockMatches {
  readonly speculatableT: Uint8Array;
  readonly speculatableF: Uint8Array;
  /** The pairs that match, as `i * f.length + j`, ascending. */
  readonly cells: Int32Array;
  /** `OperandOrder` bits per cell. */
  readonly orders: Uint8Array;
  /** Alignments that are known, with the gains (one per cell) that led to them. */
  readonly aligned: { readonly gains: Float64Array; readonly partner: Int32Array }[];
}

/** What is aligned of a block, in order. */
export function workOf({ fn }: PlanningContext, b: BlockId): InstrId[] {
  const list: InstrId[] = [];
  for (let i = fn.blockInstrStart[b]; i < fn.blockInstrStart[b + 1]; i++)
    if (countsAsWork(fn, i as InstrId)) list.push(i as InstrId);
  return list;
}

/** The places of F's instructions that match instructions of T of one kind, ascending, with `OperandOrder` bits. */
interface KindMatches {
  /** An instruction of the kind. Only its key, flags and predicate count. */
  readonly like: InstrId;
  /** Whether other instructions may be of this kind: LLVM is asked about none of the pairs. */
  readonly isShared: boolean;
  readonly places: readonly number[];
  readonly orders: readonly number[];
}

/**
 * Null when no two instructions match.
 *
 * @param hasStandIn whether every thread may execute a load because others stand in for it
 */
export function matchesOf(
  { fn, matcher, options }: PlanningContext,
  { t, f }: BlockWork,
  hasStandIn: (i: InstrId) => boolean,
): BlockMatches | null {
  if (t.length === 0 || f.length === 0) return null;
  /** The places of F's instructions by key, ascending. */
  const places = new Map<number, number[]>();
  for (let j = 0; j < f.length; j++) {
    const key = fn.instrKey[f[j]];
    const list = places.get(key);
    if (list) list.push(j);
    else if (key !== NONE) places.set(key, [j]);
  }
  const isChecked = (i: InstrId): boolean => hasFlag(fn, i, InstrFlag.NeedsPairCheck);
  const isOfKind = (i: InstrId, { like, isShared }: KindMatches): boolean =>
    isShared && fn.instrFlags[i] === fn.instrFlags[like] && fn.instrPredicate[i] === fn.instrPredicate[like];
  const kinds = new Map<number, KindMatches[]>();
  let count = 0;
  const rows = t.map((i): KindMatches | null => {
    const key = fn.instrKey[i];
    const list = places.get(key);
    if (!list) return null;
    let known = kinds.get(key);
    if (!known) kinds.set(key, (known = []));
    let kind = known.find((each) => isOfKind(i, each));
    if (!kind) {
      const all = list.map((j) => matcher.orders(i, f[j]));
      const fits = (_: number, k: number): boolean => all[k] !== OperandOrder.None;
      const isShared = !isChecked(i) && !list.some((j) => isChecked(f[j]));
      known.push((kind = { like: i, isShared, places: list.filter(fits), orders: all.filter(fits) }));
    }
    count += kind.places.length;
    return kind;
  });
  const cells = new Int32Array(count);
  const orders = new Uint8Array(count);
  let next = 0;
  for (let i = 0; i < t.length; i++) {
    const row = rows[i];
    if (!row) continue;
    for (let k = 0; k < row.places.length; k++, next++) {
      cells[next] = i * f.length + row.places[k];
      orders[next] = row.orders[k];
    }
  }
  if (cells.length === 0) return null;
  const speculatable = (list: readonly InstrId[]): Uint8Array => {
    const table = new Uint8Array(list.length);
    if (options.unpredicate === 'always') return table;
    for (let i = 0; i < list.length; i++)
      table[i] = hasFlag(fn, list[i], InstrFlag.Speculatable) || hasStandIn(list[i]) ? 1 : 0;
    return table;
  };
  return {
    orders,
    speculatableT: speculatable(t),
    speculatableF: speculatable(f),
    cells,
    aligned: [],
  };
}
