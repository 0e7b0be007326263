/**
 * Runs scalar operations on hard operands and compares with a truth in BigInt.
 *
 * All operations of a table are assembled into one program; their steps are then called one by one on one wave.
 */
import type { KernelCode } from '../../../src/simulator/code.js';
import { assemble, machine } from '../../support/simulator.js';
import { assert } from '../../support/suite.js';

export interface Result {
  /** The value of sdst; when absent, sdst stays. */
  readonly d?: bigint;
  /** When absent, SCC stays. */
  readonly scc?: boolean;
}

export interface ScalarCase {
  readonly name: string;
  /** Bits of sdst (0 if there is none), src0 and src1 (absent if there is none). */
  readonly bits: readonly [d: number, a: number, b?: number];
  /** Operands are unsigned; `d` is what sdst held. */
  readonly truth: (a: bigint, b: bigint, scc: bigint, d: bigint) => Result;
}

export const mask = (bits: number): bigint => (1n << BigInt(bits)) - 1n;
export const signed = (x: bigint, bits: number): bigint => BigInt.asIntN(bits, x);
export const test = (d: bigint): Result => ({ d, scc: d !== 0n });

const WORDS = [
  0x00000000, 0x00000001, 0x00000002, 0x00000005, 0x0000001f, 0x00000020, 0x00000021, 0x0000003f, 0x00000040, 0x0000ffff,
  0x00008000, 0x0001ffff, 0x00100004, 0x00200000, 0x00080018, 0x0010001c, 0x0021001f, 0x007f0007, 0x0040003f, 0x00380010,
  0x12345678, 0x55555555, 0x7ffffffe, 0x7fffffff, 0x80000000, 0x80000001, 0xcccccccc, 0xf0000000, 0xffff0000, 0xffff3333,
  0xfffffffe, 0xffffffff,
].map(BigInt); // prettier-ignore

/** Words, and pairs of words that differ in their halves. */
function operands(bits: number): bigint[] {
  if (bits === 32) return WORDS;
  const pairs = WORDS.map((low, at) => low | (WORDS[(7 * at + 3) % WORDS.length]! << 32n));
  return [...pairs, ...WORDS.filter((_, at) => at % 3 === 0), ...WORDS.map((high) => high << 32n), mask(64), 1n << 63n];
}

const D = 20;
const A = 4;
const B = 8;
/** Where result and sources are: apart, the result in place of src0, or of src1. */
const PLACES: readonly (readonly [d: number, a: number, b: number])[] = [[D, A, B], [A, A, B], [B, A, B]]; // prettier-ignore

const register = (number: number, bits: number): string => (bits === 64 ? `s[${number}:${number + 1}]` : `s${number}`);

function lineOf({ name, bits: [d, a, b] }: ScalarCase, [dAt, aAt, bAt]: readonly [number, number, number]): string {
  const names = [
    ...(d > 0 ? [register(dAt, d)] : []),
    register(aAt, a),
    ...(b === undefined ? [] : [register(bAt, b)]),
  ];
  return `${name} ${names.join(', ')}`;
}

/** Runs all cases on a processor; returns how many results were compared. */
export async function checkScalars(cpu: string, cases: readonly ScalarCase[]): Promise<number> {
  const lines = cases.flatMap((each) => PLACES.map((places) => lineOf(each, places)));
  const code = await assemble(cpu, lines);
  let compared = 0;
  cases.forEach((each, at) => {
    PLACES.forEach((places, variant) => {
      const index = PLACES.length * at + variant;
      compared += checkCase(code, index, each, places[0], `${cpu} ${lines[index]}`);
    });
  });
  return compared;
}

function checkCase(
  code: KernelCode,
  index: number,
  { name, bits: [dBits, aBits, bBits], truth }: ScalarCase,
  dAt: number,
  what: string,
): number {
  const step = code.steps[index]!;
  assert.is(code.program.instructions[index]!.mnemonic, name);
  const { wave } = machine(code);
  const { u32 } = wave;
  const put = (at: number, value: bigint): void => {
    u32[at] = Number(value & mask(32));
    u32[at + 1] = Number(value >> 32n);
  };
  const get = (at: number, bits: number): bigint => BigInt(u32[at]!) | (bits === 64 ? BigInt(u32[at + 1]!) << 32n : 0n);
  let compared = 0;
  for (const a of operands(aBits))
    for (const b of bBits === undefined ? [0x1234n] : operands(bBits))
      for (const scc of [0, 1]) {
        put(D, 0xdeadbeefcafef00dn);
        put(A, a);
        put(B, b);
        const before = get(dAt, dBits);
        wave.scc = scc;
        const guard = u32[dAt + dBits / 32];
        step(wave);
        const expected = truth(a, b, BigInt(scc), before);
        const d = dBits > 0 ? get(dAt, dBits) : 0n;
        const wantD = dBits > 0 ? (expected.d ?? before) & mask(dBits) : 0n;
        const wantScc = expected.scc === undefined ? scc : Number(expected.scc);
        compared++;
        if (d === wantD && wave.scc === wantScc && u32[dAt + dBits / 32] === guard) continue;
        const hex = (x: bigint): string => `0x${x.toString(16)}`;
        assert.unreachable(
          `${what} with ${hex(a)}, ${hex(b)}, SCC ${scc}: ${hex(d)}, SCC ${wave.scc}; expected ${hex(wantD)}, SCC ${wantScc}`,
        );
      }
  return compared;
}
