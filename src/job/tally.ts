/** Melds counted, for reports. */
import type { Meld, MeldKind } from '../melding/plan.js';

export interface Tally {
  readonly byKind: Readonly<Record<MeldKind, number>>;
  /** By the cost model, rounded as its own figures are: two decimals. */
  readonly saved: number;
}

export function tally(melds: readonly Pick<Meld, 'kind' | 'net'>[]): Tally {
  const byKind: Record<MeldKind, number> = { 'block-block': 0, 'region-region': 0, 'block-region': 0 };
  let saved = 0;
  for (const { kind, net } of melds) {
    byKind[kind]++;
    saved += net;
  }
  return { byKind, saved: Math.round(saved * 100) / 100 };
}
