/**
 * Reciprocals, roots, exponentials, logarithms, sines; taking values apart and scaling them; cube map coordinates.
 *
 * Where the hardware approximates, these are correctly rounded to nearest, whatever MODE says
 * (arithmetic/approximate.ts). An invalid operation (the root or logarithm of a negative value, the sine of an
 * infinity) returns the negative default NaN (ISA documents, e.g. "V_SQRT_F32(-1.0) => -NaN").
 */
import {
  cosF16, cosF32, exp2F16, exp2F32, log2F16, log2F32, rcpF16, rcpF32, rcpF64, rsqF16, rsqF32, rsqF64, sinF16, sinF32,
  sqrtApproxF16, sqrtApproxF32, sqrtApproxF64,
} from '../arithmetic/approximate.js'; // prettier-ignore
import { f16ToNumber, roundF16 } from '../arithmetic/f16.js';
import {
  DEFAULT_NAN16,
  DEFAULT_NAN32,
  isNaN16,
  isNaN32,
  isNaN64,
  pickNaN64,
  quiet16,
  quiet32,
} from '../arithmetic/nan.js';
import { Round, type Rounding } from '../arithmetic/rounding.js';
import {
  fractF16, fractF32, fractF64, frexpExp, frexpMant, ldexpF16, ldexpF32, ldexpF64,
} from '../arithmetic/shape.js'; // prettier-ignore
import { trigPreopF64 } from '../arithmetic/trig-preop.js';
import { unaryF64 } from './float-f64-shapes.js';
import { halfOf1, inputF16, outputF16 } from './float-f16.js';
import { f32ToBits, f64ToBits, scaledF32, scaledF64 } from './float-mixed-shapes.js';
import { Denormals, binaryBits, ternaryF32, unaryBits, unaryF32, type Bits1, type Bits2 } from './float-shapes.js';
import { named, type Operation, type OperationTable } from './operation.js';

const SIGN16 = 0x8000;
const SIGN32 = 0x80000000;

// --- approximated by the hardware ------------------------------------------------------------------------------------

const invalid32: Bits1 = (a) => (isNaN32(a) ? quiet32(a) : (DEFAULT_NAN32 | SIGN32) >>> 0);

/** Denormals as `f` itself handles them. */
const approximateF32 = (f: (a: number) => number): Operation =>
  unaryF32({ plain: f, exact: f, nan: invalid32, denormals: Denormals.Kept });

/** Denormals as MODE says. */
const periodicF32 = (f: (a: number) => number): Operation => unaryF32({ plain: f, exact: f, nan: invalid32 });

const approximateF64 = (f: (a: number) => number): Operation =>
  unaryF64({
    plain: f,
    exact: f,
    nan: (words) => {
      const isOperand = isNaN64(words[1]!, words[0]!);
      pickNaN64(words, 0, words[1]!, words[0]!, 0, 0);
      if (!isOperand) words[1]! |= SIGN32;
    },
  });

const approximateF16 = (f: (a: number) => number): Operation =>
  unaryBits(
    halfOf1((a) => {
      const result = f(a);
      return isNaN16(result) ? DEFAULT_NAN16 | SIGN16 : result;
    }),
    ['f16'],
    'f16',
  );

/** GFX9 does not reduce arguments beyond 256 turns (LLVM: "trig-reduced-range"). */
const periodic = (make: (reducedRange: boolean) => Operation): Operation => {
  const [full, reduced] = [make(false), make(true)];
  return (site) => (site.target.trigReducedRange ? reduced : full)(site);
};

// --- shape -----------------------------------------------------------------------------------------------------------

const half = (f: (bits: number) => number): Operation => unaryBits(halfOf1(f), ['f16'], 'f16');

const ldexpOfHalf: Bits2 = (a, n, mode) => {
  if (isNaN16(a)) return quiet16(a);
  const scaled = ldexpF16(inputF16(a, mode), (n << 16) >> 16, mode.roundF16F64 as Rounding);
  return outputF16(scaled, mode);
};

/** The exponent of a half as a 16-bit integer; NaNs and infinities have 0. */
const exponentOfHalf: Operation = unaryBits(
  (a, mode) => {
    const isFlushed = (mode.denormF16F64 & 1) === 0 && (a & 0x7c00) === 0;
    return isFlushed ? 0 : frexpExp(f16ToNumber(a)) & 0xffff;
  },
  ['f16'],
  'b16',
);

// --- cube maps -------------------------------------------------------------------------------------------------------

type OfDirection = (x: number, y: number, z: number) => number;

const isZMajor: (x: number, y: number, z: number) => boolean = (x, y, z) =>
  Math.abs(z) >= Math.abs(x) && Math.abs(z) >= Math.abs(y);
const isYMajor = (x: number, y: number): boolean => Math.abs(y) >= Math.abs(x);

const cube = (f: OfDirection): Operation => ternaryF32({ plain: f, exact: f });

const cubeFace: OfDirection = (x, y, z) => {
  if (isZMajor(x, y, z)) return z < 0 ? 5 : 4;
  if (isYMajor(x, y)) return y < 0 ? 3 : 2;
  return x < 0 ? 1 : 0;
};

const cubeS: OfDirection = (x, y, z) => {
  if (isZMajor(x, y, z)) return z < 0 ? -x : x;
  if (isYMajor(x, y)) return x;
  return x < 0 ? z : -z;
};

const cubeT: OfDirection = (x, y, z) => {
  if (isZMajor(x, y, z)) return -y;
  if (isYMajor(x, y)) return y < 0 ? -z : z;
  return -y;
};

const cubeMajor: OfDirection = (x, y, z) => 2 * (isZMajor(x, y, z) ? z : isYMajor(x, y) ? y : x);

export const floatSpecial: OperationTable = {
  ...named(
    approximateF32((a) => rcpF32(a)),
    'v_rcp_f32',
    'v_rcp_iflag_f32',
  ),
  v_rsq_f32: approximateF32((a) => rsqF32(a)),
  v_sqrt_f32: approximateF32((a) => sqrtApproxF32(a)),
  ...named(
    approximateF32((a) => exp2F32(a)),
    'v_exp_f32',
    'v_exp_legacy_f32',
  ),
  ...named(
    approximateF32((a) => log2F32(a)),
    'v_log_f32',
    'v_log_legacy_f32',
  ),
  v_sin_f32: periodic((reducedRange) => periodicF32((a) => sinF32(a, reducedRange))),
  v_cos_f32: periodic((reducedRange) => periodicF32((a) => cosF32(a, reducedRange))),

  v_rcp_f64: approximateF64(rcpF64),
  v_rsq_f64: approximateF64(rsqF64),
  v_sqrt_f64: approximateF64(sqrtApproxF64),

  v_rcp_f16: approximateF16(rcpF16),
  v_rsq_f16: approximateF16(rsqF16),
  v_sqrt_f16: approximateF16(sqrtApproxF16),
  v_exp_f16: approximateF16(exp2F16),
  v_log_f16: approximateF16(log2F16),
  v_sin_f16: periodic((reducedRange) => approximateF16((a) => sinF16(a, reducedRange))),
  v_cos_f16: periodic((reducedRange) => approximateF16((a) => cosF16(a, reducedRange))),

  v_fract_f32: unaryF32({ plain: (a) => fractF32(a, Round.NearestEven), exact: fractF32 }),
  v_fract_f64: unaryF64({ plain: (a) => fractF64(a, Round.NearestEven), exact: fractF64 }),
  v_fract_f16: unaryBits(halfOf1(fractF16), ['f16'], 'f16'),

  v_frexp_mant_f32: unaryF32({ plain: frexpMant, exact: frexpMant }),
  v_frexp_mant_f64: unaryF64({ plain: frexpMant, exact: frexpMant }),
  v_frexp_mant_f16: half((a) => roundF16(frexpMant(f16ToNumber(a)), Round.NearestEven)),
  v_frexp_exp_i32_f32: f32ToBits(frexpExp, 'b32'),
  v_frexp_exp_i32_f64: f64ToBits(frexpExp),
  v_frexp_exp_i16_f16: exponentOfHalf,

  v_ldexp_f32: scaledF32(ldexpF32),
  v_ldexp_f64: scaledF64(ldexpF64),
  v_ldexp_f16: binaryBits(ldexpOfHalf, ['f16', 'b16'], 'f16'),

  v_trig_preop_f64: scaledF64(trigPreopF64),

  v_cubeid_f32: cube(cubeFace),
  v_cubesc_f32: cube(cubeS),
  v_cubetc_f32: cube(cubeT),
  v_cubema_f32: cube(cubeMajor),
};
