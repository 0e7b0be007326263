/**
 * The three helpers of the hardware's division sequence, in which the compiler puts a reciprocal and Newton-Raphson
 * steps: v_div_scale moves numerator and denominator to where no step over- or underflows, v_div_fmas takes the last
 * step and scales back with one rounding, v_div_fixup puts in sign and special cases.
 *
 * After the pseudo-code of the ISA documents (Vega, CDNA 3). In three places that text does not work as it stands, and
 * we read it as other public models of the hardware do:
 * - "N/D is denormal" is the exponents' difference being at most -96 (f32) or -768 (f64), "1/D is denormal" the
 *   denominator's exponent field being at least 253 or 2045; if both hold, the denominator is scaled down (the text
 *   would scale it up, to infinity).
 * - v_div_fmas scales by 2^±64 (f32) or 2^±128 (f64), up if the exponent field of src2 exceeds the bias, else down (the
 *   text has 2^32 and 2^64, which do not undo v_div_scale).
 * - v_div_fixup makes an infinity of a quotient that is NaN: the steps give NaN where the quotient overflows.
 *
 * NaN results of v_div_scale and v_div_fmas have no payload; v_div_fixup finds the operands' NaNs again, so no compiled
 * division shows it.
 */
import { exponentFieldF32, exponentFieldF64 } from './bits.js';
import { fmaExact, isNegative } from './exact-f64.js';
import { fmaF64 } from './f64.js';
import { isNaN16, isNaN32, isNaN64, quiet16, quiet32 } from './nan.js';
import type { Rounding } from './rounding.js';
import { fmaOdd, Round, roundF32 } from './rounding.js';

/** What v_div_scale does, by the exponent fields of denominator and numerator. */
const Plan = {
  Keep: 0,
  /** The quotient is near the largest value. */
  DenominatorUp: 1,
  BothUp: 2,
  DenominatorDown: 3,
  BothDown: 4,
  NumeratorUp: 5,
} as const;
type Plan = (typeof Plan)[keyof typeof Plan];

function planF32(denominator: number, numerator: number): Plan {
  return plan(exponentFieldF32(denominator), exponentFieldF32(numerator), 96, 253, 23);
}

function planF64(denominator: number, numerator: number): Plan {
  return plan(exponentFieldF64(denominator), exponentFieldF64(numerator), 768, 2045, 53);
}

function plan(denominator: number, numerator: number, far: number, huge: number, tiny: number): Plan {
  const difference = numerator - denominator;
  if (difference >= far) return Plan.DenominatorUp;
  if (denominator === 0) return Plan.BothUp;
  const quotientDenormal = difference <= -far;
  if (denominator >= huge) return quotientDenormal ? Plan.DenominatorDown : Plan.BothDown;
  if (quotientDenormal) return Plan.NumeratorUp;
  return numerator <= tiny ? Plan.BothUp : Plan.Keep;
}

/** By how many times 64 (or 128) binary places `value` is scaled. */
function steps(chosen: Plan, value: number, denominator: number, numerator: number): number {
  switch (chosen) {
    case Plan.Keep:
      return 0;
    case Plan.BothUp:
      return 1;
    case Plan.BothDown:
      return -1;
    case Plan.DenominatorUp:
      return value === denominator ? 1 : 0;
    case Plan.DenominatorDown:
      return value === denominator ? -1 : 0;
    case Plan.NumeratorUp:
      return value === numerator ? 1 : 0;
  }
}

/** v_div_scale_f32's value: `value`, which is one of the other two, scaled. NaN if either of them is zero. */
export function divScaleF32(value: number, denominator: number, numerator: number): number {
  if (denominator === 0 || numerator === 0) return NaN;
  const n = steps(planF32(denominator, numerator), value, denominator, numerator);
  return n === 0 ? value : Math.fround(value * (n > 0 ? 2 ** 64 : 2 ** -64));
}

/** v_div_scale_f32's VCC bit: whether v_div_fmas has to scale back. */
export function divScaleVccF32(denominator: number, numerator: number): boolean {
  if (denominator === 0 || numerator === 0) return false;
  return needsPostScale(planF32(denominator, numerator));
}

/** As `divScaleF32`. */
export function divScaleF64(value: number, denominator: number, numerator: number): number {
  if (denominator === 0 || numerator === 0) return NaN;
  const n = steps(planF64(denominator, numerator), value, denominator, numerator);
  return n === 0 ? value : value * (n > 0 ? 2 ** 128 : 2 ** -128);
}

/** As `divScaleVccF32`. */
export function divScaleVccF64(denominator: number, numerator: number): boolean {
  if (denominator === 0 || numerator === 0) return false;
  return needsPostScale(planF64(denominator, numerator));
}

function needsPostScale(chosen: Plan): boolean {
  return chosen === Plan.DenominatorUp || chosen === Plan.DenominatorDown || chosen === Plan.NumeratorUp;
}

/** v_div_fmas_f32: a · b + c, scaled if `vcc`, rounded once. */
export function divFmasF32(a: number, b: number, c: number, vcc: boolean, rounding: Rounding): number {
  const sum = fmaOdd(a, b, c);
  if (!vcc) return roundF32(sum, rounding);
  return roundF32(sum * (exponentFieldF32(c) > 127 ? 2 ** 64 : 2 ** -64), rounding);
}

/** v_div_fmas_f64: a · b + c, scaled if `vcc`, rounded once. */
export function divFmasF64(a: number, b: number, c: number, vcc: boolean, rounding: Rounding): number {
  const scale = !vcc ? 0 : exponentFieldF64(c) > 1023 ? 128 : -128;
  if (rounding === Round.NearestEven) {
    const sum = fmaF64(a, b, c);
    if (scale === 0) return sum;
    // Scaling is exact where sum and result are normal.
    const magnitude = Math.abs(sum);
    if (magnitude > 2 ** -800 && magnitude < 2 ** 800) return sum * (scale > 0 ? 2 ** 128 : 2 ** -128);
  }
  if (!Number.isFinite(a) || !Number.isFinite(b)) return a * b + c;
  return Number.isFinite(c) ? fmaExact(a, b, c, scale, rounding) : c;
}

/** What v_div_fixup returns, by the values of denominator and numerator, neither of them a NaN. */
function fixup(quotient: number, denominator: number, numerator: number, underflow: boolean): number {
  const negative = isNegative(denominator) !== isNegative(numerator);
  const zeroOverZero = denominator === 0 && numerator === 0;
  const divisorInfinite = denominator === Infinity || denominator === -Infinity;
  const dividendInfinite = numerator === Infinity || numerator === -Infinity;
  if (zeroOverZero || (divisorInfinite && dividendInfinite)) return NaN;
  let magnitude: number;
  if (denominator === 0 || dividendInfinite) magnitude = Infinity;
  else if (divisorInfinite || numerator === 0 || underflow) magnitude = 0;
  else magnitude = quotient !== quotient ? Infinity : Math.abs(quotient);
  return negative ? -magnitude : magnitude;
}

/**
 * v_div_fixup_f32 on values. NaN for NaN operands, 0/0 and ∞/∞: `fixupNaN32` has the pattern. A quotient below 2^-150
 * is a zero of its sign, whatever the rounding mode.
 */
export function divFixupF32(quotient: number, denominator: number, numerator: number): number {
  if (denominator !== denominator || numerator !== numerator) return NaN;
  const underflow = exponentFieldF32(numerator) - exponentFieldF32(denominator) < -150;
  return fixup(quotient, denominator, numerator, underflow);
}

/** v_div_fixup_f64 on values; `fixupNaN64` has the pattern of a NaN. */
export function divFixupF64(quotient: number, denominator: number, numerator: number): number {
  if (denominator !== denominator || numerator !== numerator) return NaN;
  const underflow = exponentFieldF64(numerator) - exponentFieldF64(denominator) < -1075;
  return fixup(quotient, denominator, numerator, underflow);
}

/** v_div_fixup_f16 on values (f16 values as numbers); `fixupNaN16` has the pattern of a NaN. */
export function divFixupF16(quotient: number, denominator: number, numerator: number): number {
  if (denominator !== denominator || numerator !== numerator) return NaN;
  return fixup(quotient, denominator, numerator, false);
}

/**
 * The NaN of v_div_fixup_f32, of patterns: the numerator's, else the denominator's, quieted; of no NaN, the negative
 * one.
 */
export function fixupNaN32(denominator: number, numerator: number): number {
  if (isNaN32(numerator)) return quiet32(numerator);
  return isNaN32(denominator) ? quiet32(denominator) : 0xffc00000;
}

/** The NaN of v_div_fixup_f16, of patterns, as `fixupNaN32`. */
export function fixupNaN16(denominator: number, numerator: number): number {
  if (isNaN16(numerator)) return quiet16(numerator);
  return isNaN16(denominator) ? quiet16(denominator) : 0xfe00;
}

/**
 * The NaN of v_div_fixup_f64 as `pickNaN64` leaves one: low word to `into[at]`, high word, quieted, to `into[at + 1]`.
 */
export function fixupNaN64(
  into: Uint32Array,
  at: number,
  denominatorHigh: number,
  denominatorLow: number,
  numeratorHigh: number,
  numeratorLow: number,
): void {
  const ofNumerator = isNaN64(numeratorHigh, numeratorLow);
  const ofDenominator = !ofNumerator && isNaN64(denominatorHigh, denominatorLow);
  into[at] = ofNumerator ? numeratorLow : ofDenominator ? denominatorLow : 0;
  into[at + 1] = (ofNumerator ? numeratorHigh : ofDenominator ? denominatorHigh : 0xfff80000) | 0x00080000;
}
