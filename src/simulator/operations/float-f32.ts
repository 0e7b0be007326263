/**
 * Single-precision arithmetic: sums, products, fused and unfused multiply-adds, minimum, maximum, median, integral
 * parts.
 *
 * After the ISA documents (Vega, CDNA 3, RDNA 2 and 3). What they leave open: `v_mad_f32`, `v_mac_f32` and their
 * relatives always flush denormals (LLVM, `isFMADLegal`) and round product and sum; minimum and maximum flush inputs
 * only ("the output denorm mode is irrelevant").
 */
import { addF32, fmaF32Mode, mulF32 } from '../arithmetic/f32.js';
import { flushBits32, flushF32 } from '../arithmetic/denormals.js';
import { mulLegacy } from '../arithmetic/legacy.js';
import { max3F32, maxF32, med3F32, min3F32, minF32 } from '../arithmetic/minmax.js';
import { isNaN32, isSignalling32, pickNaN32 } from '../arithmetic/nan.js';
import { fmaF32, Round, type Rounding } from '../arithmetic/rounding.js';
import { ceil, floor, rndne, trunc } from '../arithmetic/shape.js';
import type { FloatMode } from '../wave.js';
import {
  ACCUMULATE,
  ADD_CONSTANT,
  binaryF32,
  Denormals,
  MULTIPLY_CONSTANT,
  ternaryF32,
  unaryF32,
  type Bits2,
  type Bits3,
} from './float-shapes.js';
import { named, type Operation, type OperationTable } from './operation.js';

// --- multiply-add ----------------------------------------------------------------------------------------------------

const fma = { plain: fmaF32, exact: fmaF32Mode };

/** Product and sum are rounded, and denormal intermediate results flushed. */
function mad(a: number, b: number, c: number, rounding: Rounding): number {
  return addF32(flushF32(mulF32(a, b, rounding)), c, rounding);
}

function madLegacy(a: number, b: number, c: number, rounding: Rounding): number {
  return addF32(flushF32(mulLegacy(a, b, rounding)), c, rounding);
}

/** RDNA: "D0.f = S2.f" where a factor is zero, so that -0 stays. */
function fmaLegacy(a: number, b: number, c: number, rounding: Rounding): number {
  return a === 0 || b === 0 ? c : fmaF32Mode(a, b, c, rounding);
}

/** A NaN factor that the other factor, a zero, hides is not the result. */
const legacyNaN =
  (flushesAll: boolean): Bits3 =>
  (a, b, c, mode) => {
    const zeroes = flushesAll || (mode.denormF32 & 1) === 0 ? 0x7f800000 : 0x7fffffff;
    return (a & zeroes) === 0 || (b & zeroes) === 0 ? pickNaN32(c, 0) : pickNaN32(a, b, c);
  };

const unfused = { plain: null, exact: mad, denormals: Denormals.Flushed };
const unfusedLegacy = { plain: null, exact: madLegacy, nan: legacyNaN(true), denormals: Denormals.Flushed };
const fusedLegacy = {
  plain: (a: number, b: number, c: number) => fmaLegacy(a, b, c, Round.NearestEven),
  exact: fmaLegacy,
  nan: legacyNaN(false),
};

const legacyProduct = {
  plain: (a: number, b: number) => mulLegacy(a, b, Round.NearestEven),
  exact: mulLegacy,
};

/** "Multiply for lighting": the largest negative value where the exponent or the light is out of range. */
function mullit(a: number, b: number, c: number, rounding: Rounding): number {
  if (b === -MAX_F32 || b === -Infinity || b !== b || !(c > 0)) return -MAX_F32;
  return mulLegacy(a, b, rounding);
}
const MAX_F32 = 3.4028234663852886e38;

// --- minimum, maximum ------------------------------------------------------------------------------------------------

type Choice = (a: number, b: number, ieee: boolean) => number;

/**
 * On patterns. Of two quiet NaNs RDNA 3 returns the first (its document asks "isQuietNAN(S1)" before "isQuietNAN(S0)"),
 * older processors the second.
 */
const choice = (f: Choice): { readonly older: Bits2; readonly newer: Bits2 } => ({
  older: (a, b, mode) => f(a, b, mode.ieee),
  newer: (a, b, mode) => {
    const bothNaN = isNaN32(a) && isNaN32(b);
    return bothNaN && !(mode.ieee && (isSignalling32(a) || isSignalling32(b))) ? a : f(a, b, mode.ieee);
  },
});

/** Except for NaNs, JavaScript's minimum is the hardware's: -0 is less than +0. */
function extremum(plain: (a: number, b: number) => number, onBits: Choice): Operation {
  const { older, newer } = choice(onBits);
  // A NaN operand makes `plain` NaN; the result is then a value, and flushed like one.
  const flushed =
    (nan: Bits2): Bits2 =>
    (a, b, mode) =>
      nan(flushInput(a, mode), flushInput(b, mode), mode);
  const shared = { plain, exact: plain, denormals: Denormals.ModeOfInputs };
  const [first, second] = [older, newer].map((nan) => binaryF32({ ...shared, nan: flushed(nan) })) as [
    Operation,
    Operation,
  ];
  return (site) => (site.target.minMaxReturnsFirstNan ? second : first)(site);
}

const flushInput = (bits: number, mode: FloatMode): number => ((mode.denormF32 & 1) === 0 ? flushBits32(bits) : bits);

type Choice3 = (a: number, b: number, c: number, ieee: boolean) => number;

/** @param plain NaN where only the patterns decide */
function ternaryChoice(plain: (a: number, b: number, c: number) => number, onBits: Choice3): Operation {
  const nan: Bits3 = (a, b, c, mode) =>
    onBits(flushInput(a, mode), flushInput(b, mode), flushInput(c, mode), mode.ieee);
  return ternaryF32({ plain, exact: plain, nan, denormals: Denormals.ModeOfInputs });
}

const { max, min } = Math;

/** Which zero the median is depends on more than the order. */
function median(a: number, b: number, c: number): number {
  const middle = max(min(a, b), min(max(a, b), c));
  return middle === 0 ? NaN : middle;
}

// --- one operand -----------------------------------------------------------------------------------------------------

const integral = (f: (a: number) => number): Operation => unaryF32({ plain: f, exact: f });

export const floatF32: OperationTable = {
  v_add_f32: binaryF32({ plain: (a, b) => a + b, exact: addF32 }),
  v_sub_f32: binaryF32({ plain: (a, b) => a - b, exact: (a, b, rounding) => addF32(a, -b, rounding) }),
  v_subrev_f32: binaryF32({ plain: (a, b) => b - a, exact: (a, b, rounding) => addF32(-a, b, rounding) }),
  v_mul_f32: binaryF32({ plain: (a, b) => a * b, exact: mulF32 }),
  ...named(binaryF32(legacyProduct), 'v_mul_legacy_f32', 'v_mul_dx9_zero_f32'),

  v_fma_f32: ternaryF32(fma),
  v_fmac_f32: ternaryF32(fma, ACCUMULATE),
  v_fmaak_f32: ternaryF32(fma, ADD_CONSTANT),
  v_fmamk_f32: ternaryF32(fma, MULTIPLY_CONSTANT),
  ...named(ternaryF32(fusedLegacy), 'v_fma_legacy_f32', 'v_fma_dx9_zero_f32'),
  ...named(ternaryF32(fusedLegacy, ACCUMULATE), 'v_fmac_legacy_f32', 'v_fmac_dx9_zero_f32'),
  v_mad_f32: ternaryF32(unfused),
  v_mac_f32: ternaryF32(unfused, ACCUMULATE),
  v_madak_f32: ternaryF32(unfused, ADD_CONSTANT),
  v_madmk_f32: ternaryF32(unfused, MULTIPLY_CONSTANT),
  v_mad_legacy_f32: ternaryF32(unfusedLegacy),
  v_mac_legacy_f32: ternaryF32(unfusedLegacy, ACCUMULATE),
  v_mullit_f32: ternaryF32({ plain: (a, b, c) => mullit(a, b, c, Round.NearestEven), exact: mullit }),

  v_min_f32: extremum((a, b) => min(a, b), minF32),
  v_max_f32: extremum((a, b) => max(a, b), maxF32),
  v_min3_f32: ternaryChoice((a, b, c) => min(a, b, c), min3F32),
  v_max3_f32: ternaryChoice((a, b, c) => max(a, b, c), max3F32),
  v_med3_f32: ternaryChoice(median, med3F32),
  v_minmax_f32: ternaryChoice(
    (a, b, c) => max(min(a, b), c),
    (a, b, c, ieee) => maxF32(minF32(a, b, ieee), c, ieee),
  ),
  v_maxmin_f32: ternaryChoice(
    (a, b, c) => min(max(a, b), c),
    (a, b, c, ieee) => minF32(maxF32(a, b, ieee), c, ieee),
  ),

  v_trunc_f32: integral(trunc),
  v_ceil_f32: integral(ceil),
  v_floor_f32: integral(floor),
  v_rndne_f32: integral(rndne),
};
