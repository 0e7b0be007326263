/**
 * The paper's melding profitability (section "Computing Melding Profitability"): MP_B for two basic blocks and MP_S
 * for two isomorphic subgraphs. Both are between 0 and 0.5.
 *
 *   MP_B(b1, b2) = Σ_q min(freq(q, b1), freq(q, b2)) · w_q / (lat(b1) + lat(b2))
 *   MP_S(S1, S2) = Σ MP_B(b1, b2) · (lat(b1) + lat(b2)) / Σ (lat(b1) + lat(b2))
 *
 * An instruction type q is an opcode. Where instructions of one opcode differ in latency (loads from LDS and from
 * global memory, a cheap call and an expensive one), each latency is a type of its own, so that w_q is one number. Phis
 * and markers do not count, because nothing executes for them. Terminators do not count either: the branches of
 * corresponding blocks always become one, which would give 0.5 to two blocks that hold nothing else. Two subgraphs
 * without any latency get 0.
 */
import type { BlockId, InstrId } from '../../ir/ids.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { InstrFlag, Opcode } from '../../ir/snapshot.js';
import type { InstrCosts } from './latency.js';

/** Sorted lists of the instruction types of the blocks of one function. A list is made when it is first asked for. */
export class BlockProfiles {
  private readonly types: (Float64Array | undefined)[];
  private readonly totals: Float64Array;

  constructor(
    private readonly fn: FunctionSnapshot,
    private readonly costs: InstrCosts,
  ) {
    this.types = new Array<Float64Array | undefined>(fn.blockCount);
    this.totals = new Float64Array(fn.blockCount);
  }

  /** lat(b). */
  latency(b: BlockId): number {
    this.typesOf(b);
    return this.totals[b]!;
  }

  /** Σ_q min(freq(q, a), freq(q, b)) · w_q: the numerator of MP_B. */
  common(a: BlockId, b: BlockId): number {
    const x = this.typesOf(a);
    const y = this.typesOf(b);
    let sum = 0;
    for (let i = 0, j = 0; i < x.length && j < y.length;) {
      if (x[i]! < y[j]!) i++;
      else if (x[i]! > y[j]!) j++;
      else {
        sum += latencyOfType(x[i]!);
        i++;
        j++;
      }
    }
    return sum;
  }

  /** The types of a block's instructions, sorted: one entry per instruction. */
  private typesOf(b: BlockId): Float64Array {
    const known = this.types[b];
    if (known) return known;
    const { fn, costs } = this;
    const list = new Float64Array(fn.blockInstrStart[b + 1]! - fn.blockInstrStart[b]!);
    let count = 0;
    for (let i = fn.blockInstrStart[b]!; i < fn.blockInstrStart[b + 1]!; i++) {
      if (!countsAsWork(fn, i as InstrId)) continue;
      list[count++] = typeOf(fn.instrOpcode[i]!, costs.latency[i]!);
      this.totals[b]! += costs.latency[i]!;
    }
    return (this.types[b] = list.subarray(0, count).sort());
  }
}

/** Whether an instruction takes part in the alignment: not a phi, terminator or marker. */
export const countsAsWork = (fn: FunctionSnapshot, i: InstrId): boolean =>
  fn.instrOpcode[i] !== Opcode.Phi && (fn.instrFlags[i]! & (InstrFlag.Terminator | InstrFlag.Marker)) === 0;

/** A type is an opcode and a latency in one number. Latencies are exact to 1/16 cycle and below 65536. */
const SCALE = 16;
const SPAN = 65536 * SCALE;
const typeOf = (opcode: number, latency: number): number => opcode * SPAN + Math.round(latency * SCALE);
const latencyOfType = (type: number): number => (type % SPAN) / SCALE;

/** MP_S, which is MP_B where there is only one pair of blocks. */
export function subgraphProfit(profiles: BlockProfiles, pairs: readonly (readonly [BlockId, BlockId])[]): number {
  let common = 0;
  let total = 0;
  for (const [a, b] of pairs) {
    common += profiles.common(a, b);
    total += profiles.latency(a) + profiles.latency(b);
  }
  return total === 0 ? 0 : common / total;
}
