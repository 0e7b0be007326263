/**
 * Half-precision arithmetic on patterns, after the same rules as float-f32.ts. `halfOf…` turn an operation with a
 * rounding mode into one that reads MODE; the packed operations use them too.
 *
 * `v_mad_f16` and `v_mac_f16` flush denormals and round product and sum (LLVM, `isFMADLegal`). modifiers.ts deals with
 * the upper half of a result's register.
 */
import { flushF16 } from '../arithmetic/denormals.js';
import { addF16, fmaF16, mulF16 } from '../arithmetic/f16.js';
import { max3F16, maxF16, med3F16, min3F16, minF16 } from '../arithmetic/minmax.js';
import { isNaN16, isSignalling16, quiet16 } from '../arithmetic/nan.js';
import type { Rounding } from '../arithmetic/rounding.js';
import { ceil, floor, integralF16, rndne, trunc } from '../arithmetic/shape.js';
import type { FloatMode } from '../wave.js';
import {
  ACCUMULATE,
  ADD_CONSTANT,
  binaryBits,
  MULTIPLY_CONSTANT,
  ternaryBits,
  unaryBits,
  type Bits1,
  type Bits2,
  type Bits3,
  type Exact1,
  type Exact2,
  type Exact3,
} from './float-shapes.js';
import type { Operation, OperationTable } from './operation.js';

const KEPT = 3;

/** An operand as MODE lets it in. */
export const inputF16 = (bits: number, mode: FloatMode): number =>
  (mode.denormF16F64 & 1) === 0 ? flushF16(bits) : bits;
/** A result as MODE lets it out. */
export const outputF16 = (bits: number, mode: FloatMode): number =>
  (mode.denormF16F64 & 2) === 0 ? flushF16(bits) : bits;

/** A NaN operand is the result, quieted; `f` never sees one. */
export const halfOf1 =
  (f: Exact1): Bits1 =>
  (a, mode) => {
    if (isNaN16(a)) return quiet16(a);
    const rounding = mode.roundF16F64 as Rounding;
    return mode.denormF16F64 === KEPT ? f(a, rounding) : outputF16(f(inputF16(a, mode), rounding), mode);
  };

export const halfOf2 =
  (f: Exact2): Bits2 =>
  (a, b, mode) => {
    const rounding = mode.roundF16F64 as Rounding;
    if (mode.denormF16F64 === KEPT) return f(a, b, rounding);
    return outputF16(f(inputF16(a, mode), inputF16(b, mode), rounding), mode);
  };

export const halfOf3 =
  (f: Exact3): Bits3 =>
  (a, b, c, mode) => {
    const rounding = mode.roundF16F64 as Rounding;
    if (mode.denormF16F64 === KEPT) return f(a, b, c, rounding);
    return outputF16(f(inputF16(a, mode), inputF16(b, mode), inputF16(c, mode), rounding), mode);
  };

const unfused: Bits3 = (a, b, c, mode) => {
  const rounding = mode.roundF16F64 as Rounding;
  const product = flushF16(mulF16(flushF16(a), flushF16(b), rounding));
  return flushF16(addF16(product, flushF16(c), rounding));
};

const fma = halfOf3(fmaF16);

type Choice = (a: number, b: number, ieee: boolean) => number;

/** Minimum or maximum. @param firstNan of two quiet NaNs the first is returned, see float-f32.ts */
export const halfChoice = (f: Choice, firstNan: boolean): Bits2 =>
  firstNan
    ? (a, b, mode) => {
        const bothNaN = isNaN16(a) && isNaN16(b);
        if (bothNaN && !(mode.ieee && (isSignalling16(a) || isSignalling16(b)))) return a;
        return f(inputF16(a, mode), inputF16(b, mode), mode.ieee);
      }
    : (a, b, mode) => f(inputF16(a, mode), inputF16(b, mode), mode.ieee);

const unary = (f: Bits1): Operation => unaryBits(f, ['f16'], 'f16');
const binary = (f: Bits2): Operation => binaryBits(f, ['f16', 'f16'], 'f16');
const ternary = (f: Bits3, names?: readonly string[]): Operation => ternaryBits(f, ['f16', 'f16', 'f16'], 'f16', names);

function extremum(f: Choice): Operation {
  const [older, newer] = [binary(halfChoice(f, false)), binary(halfChoice(f, true))];
  return (site) => (site.target.minMaxReturnsFirstNan ? newer : older)(site);
}

type Choice3 = (a: number, b: number, c: number, ieee: boolean) => number;
const ternaryChoice = (f: Choice3): Operation =>
  ternary((a, b, c, mode) => f(inputF16(a, mode), inputF16(b, mode), inputF16(c, mode), mode.ieee));

const integral = (f: (x: number) => number): Operation => unary(halfOf1((a) => integralF16(a, f)));

const NEGATE = 0x8000;

/** The other operand of a difference, its sign changed unless it is NaN. */
const negated = (bits: number): number => (isNaN16(bits) ? bits : bits ^ NEGATE);

export const floatF16: OperationTable = {
  v_add_f16: binary(halfOf2(addF16)),
  v_sub_f16: binary(halfOf2((a, b, rounding) => addF16(a, negated(b), rounding))),
  v_subrev_f16: binary(halfOf2((a, b, rounding) => addF16(negated(a), b, rounding))),
  v_mul_f16: binary(halfOf2(mulF16)),

  v_fma_f16: ternary(fma),
  // Clears the upper half, as GFX8 did.
  v_fma_legacy_f16: ternary(fma),
  v_fmac_f16: ternary(fma, ACCUMULATE),
  v_fmaak_f16: ternary(fma, ADD_CONSTANT),
  v_fmamk_f16: ternary(fma, MULTIPLY_CONSTANT),
  v_mad_f16: ternary(unfused),
  v_mad_legacy_f16: ternary(unfused),
  v_mac_f16: ternary(unfused, ACCUMULATE),
  v_madak_f16: ternary(unfused, ADD_CONSTANT),
  v_madmk_f16: ternary(unfused, MULTIPLY_CONSTANT),

  v_min_f16: extremum(minF16),
  v_max_f16: extremum(maxF16),
  v_min3_f16: ternaryChoice(min3F16),
  v_max3_f16: ternaryChoice(max3F16),
  v_med3_f16: ternaryChoice(med3F16),
  v_minmax_f16: ternaryChoice((a, b, c, ieee) => maxF16(minF16(a, b, ieee), c, ieee)),
  v_maxmin_f16: ternaryChoice((a, b, c, ieee) => minF16(maxF16(a, b, ieee), c, ieee)),

  v_trunc_f16: integral(trunc),
  v_ceil_f16: integral(ceil),
  v_floor_f16: integral(floor),
  v_rndne_f16: integral(rndne),
};
