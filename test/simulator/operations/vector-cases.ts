/**
 * Table-driven tests of vector operations: every case is one instruction and what it must give, in BigInt arithmetic,
 * for one lane. All cases of a table are assembled into one program and run on all inputs, one input a lane.
 *
 * In an instruction, `$a`, `$b`, `$c` are the operands (32 bits; `$A`, `$B`, `$C` 64 bits), `$d` is the result (`$D` 64
 * bits), `$m` a lane mask that it writes and `$i` one that it reads.
 */
import { assemble, execute, machine } from '../../support/simulator.js';
import { assert } from '../../support/suite.js';

/** One lane's operands: unsigned, of the width that the instruction names; `carry` is the lane's bit of `$i`. */
export interface Lane {
  readonly a: bigint;
  readonly b: bigint;
  readonly c: bigint;
  readonly carry: bigint;
  readonly lane: number;
}

export interface VectorCase {
  readonly text: string;
  /** Taken modulo 2^32 or 2^64. */
  readonly result?: (lane: Lane) => bigint;
  readonly mask?: (lane: Lane) => boolean;
}

export type Input = readonly [a: bigint, b: bigint, c: bigint];

interface VectorTable {
  readonly cpu: string;
  readonly waveSize?: 32 | 64;
  readonly exec?: readonly [low: number, high: number];
  readonly cases: readonly VectorCase[];
  readonly inputs: readonly Input[];
}

/** What the destination holds before. */
export const OLD = 0xdeadbeefn;
const OLD_HIGH = 0xcafef00dn;
const FIRST_RESULT = 16;
const FIRST_MASK = 16;
const CARRIES = [0x9669_c33c, 0x0ff0_a55a] as const;

export const low = (value: bigint, bits: number): bigint => BigInt.asUintN(bits, value);
export const signed = (value: bigint, bits = 32): bigint => BigInt.asIntN(bits, value);
export const clamp = (value: bigint, least: bigint, most: bigint): bigint =>
  value < least ? least : value > most ? most : value;
export const abs = (value: bigint): bigint => (value < 0n ? -value : value);

const SIGNIFICANT_32 = [
  0n, 1n, 2n, 15n, 16n, 31n, 32n, 33n, 0x7fn, 0x80n, 0xffn, 0x7fffn, 0x8000n, 0x8001n, 0xffffn, 0x1_0000n, 0x7f_ffffn,
  0x80_0000n, 0xff_ffffn, 0x7fff_ffffn, 0x8000_0000n, 0x8000_0001n, 0xffff_fffen, 0xffff_ffffn, 0x1234_5678n,
  0x7fff_8000n, 0x8000_7fffn, 0x00ff_80c3n,
]; // prettier-ignore
const FEW_32 = [
  0n, 1n, 31n, 33n, 0x80n, 0x7fffn, 0x8000n, 0xffffn, 0x80_0000n, 0xff_ffffn, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn,
  0x1b3d_05c9n,
]; // prettier-ignore
const SIGNIFICANT_64 = [
  0n, 1n, 31n, 32n, 63n, 64n, 0xffff_ffffn, 0x1_0000_0000n, 0x7fff_ffff_ffff_ffffn, 0x8000_0000_0000_0000n,
  0xffff_ffff_ffff_ffffn, 0x8000_0000n, 0xffff_ffff_0000_0000n, 0x7fff_ffff_8000_0000n, 0x0123_4567_89ab_cdefn,
]; // prettier-ignore

/** Hard 32-bit values crossed with each other. */
export const pairs32 = (): Input[] => SIGNIFICANT_32.flatMap((a) => SIGNIFICANT_32.map((b): Input => [a, b, a ^ b]));
export const triples32 = (): Input[] =>
  FEW_32.flatMap((a) => FEW_32.flatMap((b) => FEW_32.map((c): Input => [a, b, c])));
export const pairs64 = (): Input[] =>
  SIGNIFICANT_64.flatMap((a) => SIGNIFICANT_64.map((b): Input => [a, b, low(a * 5n + b, 64)]));
/** Hard values of `a` and `b` crossed, with 64-bit addends. */
export const productsAndAddends = (): Input[] =>
  FEW_32.flatMap((a) => FEW_32.flatMap((b) => SIGNIFICANT_64.map((c): Input => [a, b, c])));

/** Words of a linear congruential generator (Knuth, MMIX). */
export function randomInputs(count: number, seed = 1n): Input[] {
  let state = seed;
  const next = (): bigint => {
    state = low(state * 6364136223846793005n + 1442695040888963407n, 64);
    return low(state >> 13n, 32) | ((state >> 32n) << 32n);
  };
  return Array.from({ length: count }, (): Input => [next(), next(), next()]);
}

function instruction(text: string, index: number, size: number): string {
  const pair = (first: number): string => `v[${first}:${first + 1}]`;
  const mask = (first: number): string => (size === 64 ? `s[${first}:${first + 1}]` : `s${first}`);
  const at = FIRST_RESULT + 2 * index;
  const places: Readonly<Record<string, string>> = {
    a: 'v0', b: 'v2', c: 'v4', A: pair(0), B: pair(2), C: pair(4),
    d: `v${at}`, D: pair(at), m: mask(FIRST_MASK + 2 * index), i: mask(2),
  }; // prettier-ignore
  return text.replace(/\$(\w)/g, (_, name: string) => places[name]!);
}

/** Runs a table; every lane of every case must be right, and inactive lanes unchanged. */
export async function checkVector({ cpu, waveSize, exec = [-1, -1], cases, inputs }: VectorTable): Promise<void> {
  const size = waveSize ?? (cpu.startsWith('gfx9') ? 64 : 32);
  const lines = cases.map(({ text }, index) => instruction(text, index, size));
  const code = await assemble(cpu, lines, size);
  const active = (lane: number): boolean => ((exec[lane >> 5]! >>> (lane & 31)) & 1) !== 0;
  for (let first = 0; first < inputs.length; first += size) {
    const m = machine(code, { exec });
    const { u32 } = m.wave;
    const word = (register: number, lane: number): number => m.vgpr(register) + lane;
    for (let lane = 0; lane < size; lane++) {
      const input = inputs[(first + lane) % inputs.length]!;
      input.forEach((value, operand) => {
        u32[word(2 * operand, lane)] = Number(low(value, 32));
        u32[word(2 * operand + 1, lane)] = Number(value >> 32n);
      });
      cases.forEach((_, index) => {
        u32[word(FIRST_RESULT + 2 * index, lane)] = Number(OLD);
        u32[word(FIRST_RESULT + 2 * index + 1, lane)] = Number(OLD_HIGH);
      });
    }
    u32.set(CARRIES, 2);
    u32.set(CARRIES, 106);
    u32.fill(0xffffffff, FIRST_MASK, 100);
    execute(m);

    cases.forEach(({ text, result, mask }, index) => {
      for (let lane = 0; lane < size; lane++) {
        const [a, b, c] = inputs[(first + lane) % inputs.length]!;
        const operands: Lane = {
          a: text.includes('$A') ? a : low(a, 32),
          b: text.includes('$B') ? b : low(b, 32),
          c: text.includes('$C') ? c : low(c, 32),
          carry: BigInt((CARRIES[lane >> 5]! >>> (lane & 31)) & 1),
          lane,
        };
        const where = (): string =>
          `${cpu} ${text}: lane ${lane}, a ${hex(operands.a)}, b ${hex(operands.b)}, c ${hex(operands.c)}`;
        if (result !== undefined) {
          const is64 = text.includes('$D');
          const at = FIRST_RESULT + 2 * index;
          const got = BigInt(u32[word(at, lane)]!) | (BigInt(u32[word(at + 1, lane)]!) << 32n);
          const value = active(lane) ? low(result(operands), is64 ? 64 : 32) : is64 ? (OLD_HIGH << 32n) | OLD : OLD;
          const expected = is64 ? value : (OLD_HIGH << 32n) | value;
          if (got !== expected) assert.is(hex(got), hex(expected), where());
        }
        if (mask !== undefined) {
          const bit = (u32[FIRST_MASK + 2 * index + (lane >> 5)]! >>> (lane & 31)) & 1;
          const expected = active(lane) && mask(operands) ? 1 : 0;
          if (bit !== expected) assert.is(bit, expected, `${where()}: the mask`);
        }
      }
    });
  }
}

const hex = (value: bigint): string => `0x${value.toString(16)}`;

/** The cases of a table from instructions and results. */
export const cases = (
  entries: Readonly<Record<string, (lane: Lane) => bigint>>,
  format: (name: string) => string = (name) => name,
): VectorCase[] => Object.entries(entries).map(([name, result]) => ({ text: format(name), result }));
