/**
 * Runs single vector instructions on many operands, one per lane, and has the parts of the truth that all formats
 * share: flushing, the NaN that comes out, patterns of sixteen bits in registers.
 */
import type { KernelCode } from '../../../src/simulator/code.js';
import type { FloatMode } from '../../../src/simulator/wave.js';
import { assemble, machine } from '../../support/simulator.js';
import { assert } from '../../support/suite.js';
import { infinityBits, type Format, type Mode } from '../arithmetic/exact.js';

/** A vector register, or the pair that starts there. */
export interface Place {
  readonly v: number;
  readonly words: 1 | 2;
}
export const word = (v: number): Place => ({ v, words: 1 });
export const pair = (v: number): Place => ({ v, words: 2 });

export interface BenchOptions {
  readonly mode?: Partial<FloatMode>;
  /** What the result's register holds before. */
  readonly before?: bigint;
  /** Scalar registers by number. */
  readonly scalars?: ReadonlyMap<number, number>;
}

export class Bench {
  private constructor(
    private readonly code: KernelCode,
    private readonly lines: readonly string[],
  ) {}

  static async of(cpu: string, lines: readonly string[]): Promise<Bench> {
    const code = await assemble(cpu, lines);
    // Padding may follow.
    assert.ok(code.steps.length > lines.length, 'one instruction a line');
    return new Bench(code, lines);
  }

  /** The results of the lines from `first` to `last` (the same one by default) for each tuple of operands. */
  run(
    line: string | readonly [first: string, last: string],
    sources: readonly Place[],
    result: Place,
    tuples: readonly (readonly bigint[])[],
    { mode, before, scalars }: BenchOptions = {},
  ): bigint[] {
    const [first, last] = (typeof line === 'string' ? [line, line] : line).map((each) => this.lines.indexOf(each));
    assert.ok(first! >= 0 && last! >= 0, `a line of the program: ${String(line)}`);
    const { wave, vgpr } = machine(this.code);
    Object.assign(wave.mode, mode);
    wave.modeChanged();
    for (const [register, value] of scalars ?? []) wave.u32[register] = value;
    const put = ({ v, words }: Place, lane: number, bits: bigint): void => {
      wave.u32[vgpr(v) + lane] = Number(bits & 0xffffffffn);
      if (words === 2) wave.u32[vgpr(v + 1) + lane] = Number((bits >> 32n) & 0xffffffffn);
    };
    const get = ({ v, words }: Place, lane: number): bigint =>
      BigInt(wave.u32[vgpr(v) + lane]!) | (words === 2 ? BigInt(wave.u32[vgpr(v + 1) + lane]!) << 32n : 0n);
    const results: bigint[] = [];
    for (let start = 0; start < tuples.length; start += wave.size) {
      const count = Math.min(wave.size, tuples.length - start);
      for (let lane = 0; lane < count; lane++) {
        if (before !== undefined) put(result, lane, before);
        sources.forEach((place, at) => put(place, lane, tuples[start + lane]![at]!));
      }
      for (let step = first!; step <= last!; step++) this.code.steps[step]!(wave);
      for (let lane = 0; lane < count; lane++) results.push(get(result, lane));
    }
    return results;
  }

  /** Compares with a truth; returns the number of comparisons. */
  check(
    line: string | readonly [first: string, last: string],
    sources: readonly Place[],
    result: Place,
    tuples: readonly (readonly bigint[])[],
    truth: (...operands: bigint[]) => bigint,
    options: BenchOptions = {},
  ): number {
    const results = this.run(line, sources, result, tuples, options);
    tuples.forEach((operands, at) => {
      const expected = truth(...operands);
      if (results[at] === expected) return;
      const inputs = operands.map(hex).join(', ');
      const { mode } = options;
      assert.unreachable(
        `${String(line)} of ${inputs}: ${hex(results[at]!)}, expected ${hex(expected)}` +
          (mode === undefined ? '' : ` in ${JSON.stringify(mode)}`),
      );
    });
    return tuples.length;
  }
}

const hex = (bits: bigint): string => `0x${bits.toString(16)}`;

/** All pairs of two lists. */
export const cross = (a: readonly bigint[], b: readonly bigint[] = a): bigint[][] =>
  a.flatMap((x) => b.map((y) => [x, y]));

export const signOf = (f: Format): bigint => 1n << BigInt(f.width - 1);
export const quietBit = (f: Format): bigint => 1n << BigInt(f.fraction - 1);
export const defaultNaN = (f: Format): bigint => infinityBits(f) | quietBit(f);
export const isNaNBits = (bits: bigint, f: Format): boolean => (bits & ~signOf(f)) > infinityBits(f);
export const isSignalling = (bits: bigint, f: Format): boolean => isNaNBits(bits, f) && (bits & quietBit(f)) === 0n;

/** A denormal as a zero of its sign. */
export const flushed = (bits: bigint, f: Format): bigint => ((bits & infinityBits(f)) === 0n ? bits & signOf(f) : bits);

/** The first NaN among the operands, quieted, else the default one. */
export function nanOf(f: Format, ...operands: readonly bigint[]): bigint {
  const first = operands.find((bits) => isNaNBits(bits, f));
  return first === undefined ? defaultNaN(f) : first | quietBit(f);
}

/** A rounded result (-1n: NaN) as hardware with these modes has it. */
export type Rounded = (mode: Mode, ...operands: bigint[]) => bigint;

/** The whole of an operation: flushes, rounds, picks the NaN. */
export function withModes(
  f: Format,
  mode: Mode,
  denormals: number,
  rounded: Rounded,
): (...operands: bigint[]) => bigint {
  return (...operands) => {
    const inputs = (denormals & 1) === 0 ? operands.map((each) => flushed(each, f)) : operands;
    const result = rounded(mode, ...inputs);
    if (result === -1n) return nanOf(f, ...operands);
    return (denormals & 2) === 0 ? flushed(result, f) : result;
  };
}
