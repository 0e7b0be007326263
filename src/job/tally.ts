/** Melds counted, for reports. */
import type { Meld, MeldKind } from '../melding/plan.js';

export interface Tally {
  readonly byKind: Readonly<Record<MeldKind, number>>;
  /** By the cost model, rounded as its own figures are: two decimals. */
  readonly cyclesSaved: number;
}

export function tally(melds: readonly Pick<Meld, 'kind' | 'net'>[]): Tally {
  const byKind: Record<MeldKind, number> = { 'block-block': 0, 'region-region': 0, 'block-region': 0 };
  let cycles = 0;
  for (const { kind, net } of melds) {
    byKind[kind]++;
    cycles += net;
  }
  return { byKind, cyclesSaved: Math.round(cycles * 100) / 100 };
}
