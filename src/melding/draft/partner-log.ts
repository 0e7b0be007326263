/**
 * Which instructions become one by the melds of a branch, in chain order. A candidate supposes that the melds in front
 * of it have been carried out, so it sees the beginning of the log.
 */
import type { InstrId } from '../../ir/ids.js';
import type { Tables } from '../../analysis/tables.js';

/** `[t0, f0, t1, f1, …]`: the instructions of both sides that one meld makes one. */
export type Partners = readonly InstrId[];

/** The beginning of a log. */
export interface EarlierPartners {
  pairs(t: InstrId, f: InstrId): boolean;
}

export class PartnerLog {
  private readonly written: InstrId[] = [];
  /** By instruction of T: its partner, and the place of the meld. */
  private readonly partner: Int32Array;
  private readonly place: Int32Array;
  private first = Infinity;

  constructor(private readonly tables: Tables) {
    this.partner = tables.lend();
    this.place = tables.lend();
  }

  /** @param place of the meld in its chain; melds come in ascending order */
  add(place: number, partners: Partners): void {
    this.first = Math.min(this.first, place);
    for (let k = 0; k < partners.length; k += 2) {
      this.partner[partners[k]] = partners[k + 1];
      this.place[partners[k]] = place;
      this.written.push(partners[k]);
    }
  }

  /** The melds whose place is less than `end`, or null when there are none. */
  until(end: number): EarlierPartners | null {
    if (this.first >= end) return null;
    const { partner, place } = this;
    return { pairs: (t, f) => partner[t] === f && place[t] < end };
  }

  /** Gives the tables back. */
  release(): void {
    for (const table of [this.partner, this.place]) this.tables.takeBack(table, this.written);
  }
}
