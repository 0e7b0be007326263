/** Where lanes were idle in a launch: by instruction, block of IR, and line of the source. */
import type { LaunchProfile, ProfiledInstruction, ProfileFigures } from '../src/simulator/profile/profile.js';
import type { Listing, ListingRow } from '../src/explorer/protocol.js';

export const METRICS = {
  lost: 'cycles lost with idle lanes',
  idle: 'idle lanes',
  cycles: 'cycles',
} as const;
export type Metric = keyof typeof METRICS;

/** Sums of instructions. */
export interface Figures {
  readonly executed: number;
  /** Active lanes, summed over executions. */
  readonly lanes: number;
  readonly cycles: number;
  readonly lost: number;
}

const NOTHING: Figures = { executed: 0, lanes: 0, cycles: 0, lost: 0 };

const figuresOf = ({ executed, lanes, time }: ProfileFigures): Figures => ({
  executed,
  lanes,
  cycles: time?.cycles ?? 0,
  lost: time?.lostCycles ?? 0,
});

const sum = (a: Figures, b: Figures): Figures => ({
  executed: a.executed + b.executed,
  lanes: a.lanes + b.lanes,
  cycles: a.cycles + b.cycles,
  lost: a.lost + b.lost,
});

const keyOf = (row: ListingRow): string => `${row.function} ${row.position}`;

/** Instructions that fill up to an address: the text does not have them. */
const PADDING = /^(s_nop|s_code_end)\b/;

const mnemonic = (text: string): string => /^\S*/.exec(text.trim())![0];

/** A profile put together with the listing of the same code. */
export class Heat {
  readonly #waveSize: number;
  /** By function and position. */
  readonly #rows = new Map<string, Figures>();
  /** By function and block. */
  readonly #blocks = new Map<string, Figures>();
  readonly #lines = new Map<number, Figures>();
  readonly #most = { lost: 0, cycles: 0 };

  constructor(profile: LaunchProfile, listing: Listing) {
    this.#waveSize = profile.waveSize;
    const functions = new Map<string, ProfiledInstruction[]>(profile.functions.map(({ name }) => [name, []]));
    for (const each of profile.instructions) functions.get(profile.functions[each.function]!.name)?.push(each);
    const next = new Map<string, number>();
    for (const row of listing.rows) {
      const instructions = functions.get(row.function);
      if (row.kind !== 'instruction' || instructions === undefined) continue;
      let at = next.get(row.function) ?? 0;
      const wanted = mnemonic(row.text);
      while (at < instructions.length && mnemonic(instructions[at]!.text) !== wanted && PADDING.test(instructions[at]!.text.trim())) at++; // prettier-ignore
      const found = instructions[at];
      next.set(row.function, at + 1);
      if (found === undefined || found.executed === 0) continue;
      this.#add(row, figuresOf(found));
    }
  }

  #add(row: ListingRow, figures: Figures): void {
    this.#rows.set(keyOf(row), figures);
    this.#most.lost = Math.max(this.#most.lost, figures.lost);
    this.#most.cycles = Math.max(this.#most.cycles, figures.cycles);
    if (row.block !== null) {
      const key = `${row.function} ${row.block}`;
      this.#blocks.set(key, sum(this.#blocks.get(key) ?? NOTHING, figures));
    }
    // What comes from several lines is of none of them.
    if (row.lines.length === 1) this.#lines.set(row.lines[0]!, sum(this.#lines.get(row.lines[0]!) ?? NOTHING, figures));
  }

  row(row: ListingRow): Figures | null {
    return this.#rows.get(keyOf(row)) ?? null;
  }

  block(name: string, block: string, lines: readonly number[]): Figures | null {
    const own = this.#blocks.get(`${name} ${block}`);
    if (own !== undefined) return own;
    const found = lines.flatMap((line) => this.#lines.get(line) ?? []);
    return found.length === 0 ? null : found.reduce(sum);
  }

  get lines(): ReadonlyMap<number, Figures> {
    return this.#lines;
  }

  /** 0 to 1: how hot, beside the others of a view. */
  share(figures: Figures, metric: Metric, all: Iterable<Figures>): number {
    if (metric === 'idle') return this.idle(figures);
    let most = 0;
    for (const each of all) most = Math.max(most, each[metric]);
    return most === 0 ? 0 : figures[metric] / most;
  }

  /** The same for a row, whose neighbours are known. */
  rowShare(figures: Figures, metric: Metric): number {
    if (metric === 'idle') return this.idle(figures);
    return this.#most[metric] === 0 ? 0 : figures[metric] / this.#most[metric];
  }

  idle({ executed, lanes }: Figures): number {
    return executed === 0 ? 0 : 1 - lanes / (executed * this.#waveSize);
  }

  /** In words. */
  describe(figures: Figures): string {
    const { executed, lanes, cycles, lost } = figures;
    const mean = (lanes / Math.max(1, executed)).toFixed(1);
    const time = cycles > 0 ? `; ${Math.round(cycles)} cycles, ${Math.round(lost)} lost with idle lanes` : '';
    return `ran ${executed} times with ${mean} of ${this.#waveSize} lanes (${percent(this.idle(figures))} idle)${time}`;
  }
}

export const percent = (share: number): string => `${Math.round(100 * share)} %`;
