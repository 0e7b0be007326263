/**
 * v_trig_preop_f64: 53 bits of 2/π, from where the exponent of the argument makes them matter: the first step of the
 * large argument reduction of sine and cosine.
 *
 * After the ISA documents: the table holds the 1201 leading fractional bits of 2/π and zeros beyond. The digits come
 * from Machin's formula, computed on first use.
 */
import { exponentFieldF64 } from './bits.js';
import { fixedPi } from './fixed-point.js';

const TABLE_BITS = 1201;
const SEGMENT_BITS = 53;

/** Results by shift: the first half for arguments below 2^945, the second, 2^128 times as large, from there on. */
let table: Float64Array | null = null;

/**
 * @param x only its exponent counts, of infinities and NaNs too
 * @param segment bits 4 to 0: which 53 bits after the first that matter
 */
export function trigPreopF64(x: number, segment: number): number {
  const exponent = exponentFieldF64(x);
  const shift = SEGMENT_BITS * (segment & 31) + Math.max(exponent - 1077, 0);
  if (shift >= TABLE_BITS) return 0;
  table ??= makeTable();
  return table[(exponent >= 1968 ? TABLE_BITS : 0) + shift];
}

function makeTable(): Float64Array {
  const guard = 64n;
  const bits = BigInt(TABLE_BITS) + guard;
  const twoOverPi = (1n << (2n * bits + 1n)) / fixedPi(bits);
  const digits = (twoOverPi >> guard) << BigInt(SEGMENT_BITS);
  const results = new Float64Array(2 * TABLE_BITS);
  for (let shift = 0; shift < TABLE_BITS; shift++) {
    const significand = (digits >> BigInt(TABLE_BITS - shift)) & ((1n << BigInt(SEGMENT_BITS)) - 1n);
    const scale = -SEGMENT_BITS - shift;
    results[shift] = scaled(significand, scale);
    results[TABLE_BITS + shift] = scaled(significand, scale + 128);
  }
  return results;
}

/** Truncated where it is denormal. */
function scaled(significand: bigint, scale: number): number {
  const drop = Math.max(-1074 - scale, 0);
  // In two steps, as the power of two alone may be below the least denormal; both products are exact.
  return Number(significand >> BigInt(drop)) * 2 ** -500 * 2 ** (scale + drop + 500);
}
