/**
 * Reciprocals, roots, exponentials, logarithms and sines. The hardware's are approximations, within 1 ulp for f32 and
 * f16 and with about 2^29 ulp for f64, in no documented way; these return the correctly rounded result to nearest even,
 * whatever the rounding mode. (A program that depends on the difference depends on the chip.)
 *
 * Method: the double of the JS library (error below 2^-50), rounded after moving it by ±2^-49; where the two disagree,
 * about once in 2^24, more digits decide (Ziv's method; `fixed-point.ts`).
 *
 * Denormals: v_rcp_f32, v_rsq_f32, v_sqrt_f32, v_exp_f32 and v_log_f32 flush denormal inputs and results by the ISA
 * documents ("denormals are flushed"), and LLVM's expansions scale around them; so that is the default here, and
 * `denormals` asks for the other. The f16 and f64 operations, and sine and cosine, keep denormals.
 *
 * Invalid operations give NaN. The caller chooses its pattern, also for NaN operands (`nan.ts`; the ISA documents show
 * the negative default NaN, 0xffc00000, for invalid operands of these operations).
 */
import { powerOfTwo } from './bits.js';
import { flushF32 } from './denormals.js';
import { rsqExact } from './exact-f64.js';
import { f16ToNumber, roundF16 } from './f16.js';
import { fmaF64 } from './f64.js';
import { cosTurnsOdd, exp2Odd, log2Odd, sinTurnsOdd } from './fixed-point.js';
import { divOdd, Round, sqrtOdd } from './rounding.js';
import { frexpExp, frexpMant } from './shape.js';

const BELOW = 1 - 2 ** -49;
const ABOVE = 1 + 2 ** -49;

/** v_rcp_f32. */
export function rcpF32(x: number, denormals = false): number {
  return denormals ? Math.fround(1 / x) : flushF32(Math.fround(1 / flushF32(x)));
}

/** v_rsq_f32. */
export function rsqF32(x: number, denormals = false): number {
  const input = denormals ? x : flushF32(x);
  // A reciprocal root of a normal or denormal f32 is far from f32's edges.
  const estimate = reciprocalRoot(input);
  const low = Math.fround(estimate * BELOW);
  return low === Math.fround(estimate * ABOVE) || estimate !== estimate
    ? low
    : Math.fround(rsqExact(input, Round.NearestEven));
}

/** 1 / √x with an error of about an ulp; -∞ for -0. */
function reciprocalRoot(x: number): number {
  return 1 / Math.sqrt(x);
}

/** v_sqrt_f32. */
export function sqrtApproxF32(x: number, denormals = false): number {
  return Math.fround(Math.sqrt(denormals ? x : flushF32(x)));
}

/** v_exp_f32: 2^x. */
export function exp2F32(x: number, denormals = false): number {
  const estimate = exp2Estimate(x);
  const low = Math.fround(estimate * BELOW);
  // The power of an integer is exact, and may be a tie: 2^-150.
  const settled = low === Math.fround(estimate * ABOVE) || estimate !== estimate;
  const result = settled || Number.isInteger(x) ? Math.fround(estimate) : Math.fround(exp2Odd(x));
  return denormals ? result : flushF32(result);
}

/** 2^x: exact for integers, else within a few ulp; saturates far beyond f32. */
function exp2Estimate(x: number): number {
  if (x > 300) return Infinity;
  if (x < -300) return 0;
  const integer = Math.round(x);
  return integer === integer ? Math.exp((x - integer) * Math.LN2) * powerOfTwo(integer) : NaN;
}

/** v_log_f32: log2(x). */
export function log2F32(x: number, denormals = false): number {
  const input = denormals ? x : flushF32(x);
  const estimate = Math.log2(input);
  const low = Math.fround(estimate * BELOW);
  if (low === Math.fround(estimate * ABOVE) || estimate !== estimate) return low;
  return Math.fround(log2Exact(input));
}

function log2Exact(x: number): number {
  // Around 1 the significand is the argument itself, or the logarithm would be a difference of large terms.
  return x > 0.5 && x < 2 ? log2Odd(x, 0) : log2Odd(frexpMant(x), frexpExp(x));
}

/**
 * v_sin_f32: sin(2πx). A whole or half number of turns gives +0 (-0 for x = -0), an infinity NaN. With `reducedRange`
 * (gfx8, gfx9; LLVM's "trig-reduced-range") the result is +0 beyond |x| = 256, otherwise every input is valid.
 */
export function sinF32(x: number, reducedRange = false): number {
  if (reducedRange && Math.abs(x) > 256 && Math.abs(x) < Infinity) return 0;
  const estimate = sinTurns(x, false);
  const low = Math.fround(estimate * BELOW);
  return low === Math.fround(estimate * ABOVE) || estimate !== estimate ? low : Math.fround(sinTurns(x, true));
}

/** v_cos_f32: cos(2πx), as `sinF32`; 1 beyond a reduced range. */
export function cosF32(x: number, reducedRange = false): number {
  if (reducedRange && Math.abs(x) > 256 && Math.abs(x) < Infinity) return 1;
  const estimate = cosTurns(x, false);
  const low = Math.fround(estimate * BELOW);
  return low === Math.fround(estimate * ABOVE) || estimate !== estimate ? low : Math.fround(cosTurns(x, true));
}

/** sin(2πx): the eighth of the circle by exact subtraction, then a series or the library on at most π/4. */
function sinTurns(x: number, odd: boolean): number {
  if (x === 0) return x;
  const t = x - Math.round(x);
  const quarter = Math.round(4 * t);
  return quadrant(quarter, t - quarter / 4, odd);
}

function cosTurns(x: number, odd: boolean): number {
  const t = x - Math.round(x);
  const quarter = Math.round(4 * t);
  return quadrant(quarter + 1, t - quarter / 4, odd);
}

/** sin(2π(q/4 + u)) for |u| <= 1/8. */
function quadrant(q: number, u: number, odd: boolean): number {
  const phase = q & 3;
  let magnitude: number;
  if ((phase & 1) === 1) magnitude = odd && u !== 0 ? cosTurnsOdd(u) : Math.cos(2 * Math.PI * u);
  // Whole and half turns: +0 from either side.
  else if (u === 0) return 0;
  else magnitude = odd ? sinTurnsOdd(u) : Math.sin(2 * Math.PI * u);
  return phase < 2 ? magnitude : -magnitude;
}

/** v_rcp_f64. */
export function rcpF64(x: number): number {
  return 1 / x;
}

/** v_sqrt_f64. */
export function sqrtApproxF64(x: number): number {
  return Math.sqrt(x);
}

/** v_rsq_f64. */
export function rsqF64(x: number): number {
  const estimate = reciprocalRoot(x);
  if (!(x > 2 ** -900 && x < 2 ** 900)) return x > 0 && x < Infinity ? rsqExact(x, Round.NearestEven) : estimate;
  // Exact residuals of the root and of its reciprocal give the error of the estimate to first order, 2^-53 of it
  // unknown.
  const root = Math.sqrt(x);
  const rootResidual = fmaF64(-root, root, x);
  const residual = fmaF64(-root, estimate, 1);
  const correction = estimate * (residual - (0.5 * rootResidual) / x);
  const result = estimate + correction * (1 - 2 ** -40);
  return result === estimate + correction * (1 + 2 ** -40) ? result : rsqExact(x, Round.NearestEven);
}

/** v_rcp_f16, of patterns as all below; NaNs in give the default NaN. */
export function rcpF16(bits: number): number {
  return roundF16(divOdd(1, f16ToNumber(bits)), Round.NearestEven);
}

/** v_sqrt_f16. */
export function sqrtApproxF16(bits: number): number {
  return roundF16(sqrtOdd(f16ToNumber(bits)), Round.NearestEven);
}

/** v_rsq_f16. */
export function rsqF16(bits: number): number {
  const x = f16ToNumber(bits);
  // No reciprocal root of an f16 value but the exact ones comes near a boundary: the tests go through all of them.
  return roundF16(reciprocalRoot(x), Round.NearestEven);
}

/** v_exp_f16. */
export function exp2F16(bits: number): number {
  return roundF16(exp2Estimate(f16ToNumber(bits)), Round.NearestEven);
}

/** v_log_f16. */
export function log2F16(bits: number): number {
  return roundF16(Math.log2(f16ToNumber(bits)), Round.NearestEven);
}

/** v_sin_f16: as `sinF32`. */
export function sinF16(bits: number, reducedRange = false): number {
  const x = f16ToNumber(bits);
  if (reducedRange && Math.abs(x) > 256 && Math.abs(x) < Infinity) return 0;
  return roundF16(sinTurns(x, false), Round.NearestEven);
}

/** v_cos_f16: as `cosF32`. */
export function cosF16(bits: number, reducedRange = false): number {
  const x = f16ToNumber(bits);
  if (reducedRange && Math.abs(x) > 256 && Math.abs(x) < Infinity) return 0x3c00;
  return roundF16(cosTurns(x, false), Round.NearestEven);
}
