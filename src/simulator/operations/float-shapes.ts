/**
 * The shapes of floating-point operations: loops over lanes for one, two or three operands in f32, and over bit
 * patterns. Those in f64 are in float-f64-shapes.ts.
 *
 * An f32 or f64 operation is two functions. `plain` computes in JavaScript's own arithmetic and is used while the MODE
 * register asks for just that (nearest even, denormals kept); storing its result in an f32 row rounds it. `exact` takes
 * the rounding mode; denormals are flushed around it as MODE and the operation say. Where either gives NaN, a third
 * function makes the pattern of the result from the patterns of the operands: JavaScript's NaNs have no dependable
 * payload.
 *
 * There is one loop for f32 and one for patterns. What differs with the number of operands is how a lane's operands are
 * read and passed on (`OfLane`); loop and reader are specialised for each operation, so that V8 inlines one into the
 * other. They refer to nothing but their parameters. (A loop that always reads three operands is a quarter slower for
 * two.)
 */
import { flushF32 } from '../arithmetic/denormals.js';
import { pickNaN32 } from '../arithmetic/nan.js';
import type { Rounding } from '../arithmetic/rounding.js';
import type { Source, ValueType } from '../operands.js';
import { specialize } from '../specialize.js';
import type { FloatMode, Step, Wave } from '../wave.js';
import type { Operation } from './operation.js';

/** Which denormals an operation flushes. */
export const Denormals = {
  /** Inputs and results as MODE says. */
  Mode: 0,
  /** All, whatever MODE says. */
  Flushed: 1,
  /** Inputs as MODE says; the result is one of them. */
  ModeOfInputs: 2,
  /** None. */
  Kept: 3,
} as const;
export type Denormals = (typeof Denormals)[keyof typeof Denormals];

/**
 * Operand names of the accumulating operations (`v_mac`, `v_fmac`), and of those with a constant as addend or factor.
 */
export const ACCUMULATE = ['src0', 'src1', 'vdst'] as const;
export const ADD_CONSTANT = ['src0', 'src1', 'imm'] as const;
export const MULTIPLY_CONSTANT = ['src0', 'imm', 'src1'] as const;
export const THREE = ['src0', 'src1', 'src2'] as const;

type Plain1 = (a: number) => number;
type Plain2 = (a: number, b: number) => number;
type Plain3 = (a: number, b: number, c: number) => number;
type Exact1 = (a: number, rounding: Rounding) => number;
type Exact2 = (a: number, b: number, rounding: Rounding) => number;
type Exact3 = (a: number, b: number, c: number, rounding: Rounding) => number;
/** From bit patterns to a bit pattern. */
type Bits1 = (a: number, mode: FloatMode) => number;
type Bits2 = (a: number, b: number, mode: FloatMode) => number;
type Bits3 = (a: number, b: number, c: number, mode: FloatMode) => number;
type Flush = (x: number) => number;
export type { Bits1, Bits2, Bits3, Exact1, Exact2, Exact3, Flush, Plain1, Plain2, Plain3 };

// --- reading a lane's operands ---------------------------------------------------------------------------------------

/**
 * Applies an operation to the operands of lane `l`, which are in the rows `a`, `b` and `c` as far as there are as many.
 */
type OfLane<Words, More extends unknown[]> = (
  ...operands: [words: Words, l: number, a: Source, b: Source, c: Source, ...More]
) => number;
type PlainOfLane = OfLane<Float32Array, []>;
type ExactOfLane = OfLane<Float32Array, [rounding: Rounding, flushes: boolean]>;
type BitsOfLane = OfLane<Uint32Array, [mode: FloatMode]>;

const plain1 =
  (f: Plain1): PlainOfLane =>
  (words, l, a) =>
    f(words[a.lo + l * a.stride]!);
const plain2 =
  (f: Plain2): PlainOfLane =>
  (words, l, a, b) =>
    f(words[a.lo + l * a.stride]!, words[b.lo + l * b.stride]!);
const plain3 =
  (f: Plain3): PlainOfLane =>
  (words, l, a, b, c) =>
    f(words[a.lo + l * a.stride]!, words[b.lo + l * b.stride]!, words[c.lo + l * c.stride]!);

const exact1 =
  (f: Exact1, flush: Flush): ExactOfLane =>
  (words, l, a, _b, _c, rounding, flushes) => {
    const x = words[a.lo + l * a.stride]!;
    return flushes ? f(flush(x), rounding) : f(x, rounding);
  };
const exact2 =
  (f: Exact2, flush: Flush): ExactOfLane =>
  (words, l, a, b, _c, rounding, flushes) => {
    const x = words[a.lo + l * a.stride]!;
    const y = words[b.lo + l * b.stride]!;
    return flushes ? f(flush(x), flush(y), rounding) : f(x, y, rounding);
  };
const exact3 =
  (f: Exact3, flush: Flush): ExactOfLane =>
  (words, l, a, b, c, rounding, flushes) => {
    const x = words[a.lo + l * a.stride]!;
    const y = words[b.lo + l * b.stride]!;
    const z = words[c.lo + l * c.stride]!;
    return flushes ? f(flush(x), flush(y), flush(z), rounding) : f(x, y, z, rounding);
  };

const bits1 =
  (f: Bits1): BitsOfLane =>
  (words, l, a, _b, _c, mode) =>
    f(words[a.lo + l * a.stride]!, mode);
const bits2 =
  (f: Bits2): BitsOfLane =>
  (words, l, a, b, _c, mode) =>
    f(words[a.lo + l * a.stride]!, words[b.lo + l * b.stride]!, mode);
const bits3 =
  (f: Bits3): BitsOfLane =>
  (words, l, a, b, c, mode) =>
    f(words[a.lo + l * a.stride]!, words[b.lo + l * b.stride]!, words[c.lo + l * c.stride]!, mode);

// --- f32 -------------------------------------------------------------------------------------------------------------

interface F32Spec<Plain, Exact, Nan> {
  /** Null where only `exact` is right. */
  readonly plain: Plain | null;
  readonly exact: Exact;
  /** The pattern of a NaN result; by default the first NaN operand, quieted. */
  readonly nan?: Nan;
  readonly denormals?: Denormals;
}

/** An operation on a lane, in the three ways of `F32Spec`. */
interface F32Lane {
  readonly plain: PlainOfLane | null;
  readonly exact: ExactOfLane;
  readonly nan: BitsOfLane;
  readonly denormals: Denormals;
}

/** Binds a loop to the row of the result and to the operands, of which there are as many as the operation has. */
export type BindLoop = (d: number, operands: readonly Source[]) => Step;

type F32Loop = (lane: F32Lane, flush: Flush, d: number, a: Source, b: Source, c: Source) => Step;
const f32Loop: F32Loop = (lane, flush, d, a, b, c) => (w: Wave) => {
  const { f32, u32, lanes, active, mode } = w;
  const { plain, exact, nan, denormals } = lane;
  if (plain !== null && w.plainF32) {
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const result = plain(f32, l, a, b, c);
      if (result === result) f32[d + l] = result;
      else u32[d + l] = nan(u32, l, a, b, c, mode);
    }
    return;
  }
  const rounding = mode.roundF32 as Rounding;
  const flushesIn = denormals === 1 || (denormals !== 3 && (mode.denormF32 & 1) === 0);
  const flushesOut = denormals === 1 || (denormals === 0 && (mode.denormF32 & 2) === 0);
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const result = exact(f32, l, a, b, c, rounding, flushesIn);
    if (result === result) f32[d + l] = flushesOut ? flush(result) : result;
    else u32[d + l] = nan(u32, l, a, b, c, mode);
  }
};

function bindF32(lane: F32Lane): BindLoop {
  const loop = specialize(f32Loop);
  return (d, [a, b = a, c = a]) => loop(lane, flushF32, d, a!, b!, c!);
}

function f32Operation(bind: BindLoop, names: readonly string[]): Operation {
  return (site) => {
    const operands = names.map((name) => site.source(name, 'f32'));
    const d = site.destination('vdst', 'f32');
    return site.step(bind(d.lo, operands));
  };
}

/** vdst = f(src0). */
export function unaryF32(spec: F32Spec<Plain1, Exact1, Bits1>): Operation {
  const { plain, exact, nan = (a) => pickNaN32(a, 0), denormals = Denormals.Mode } = spec;
  const bind = bindF32({
    plain: plain && specialize(plain1)(plain),
    exact: specialize(exact1)(exact, flushF32),
    nan: specialize(bits1)(nan),
    denormals,
  });
  return f32Operation(bind, ['src0']);
}

/** The loop of `binaryF32`, which packed operations bind twice. */
export function f32Loop2(spec: F32Spec<Plain2, Exact2, Bits2>): BindLoop {
  const { plain, exact, nan = (a, b) => pickNaN32(a, b), denormals = Denormals.Mode } = spec;
  return bindF32({
    plain: plain && specialize(plain2)(plain),
    exact: specialize(exact2)(exact, flushF32),
    nan: specialize(bits2)(nan),
    denormals,
  });
}

/** vdst = f(src0, src1). */
export const binaryF32 = (spec: F32Spec<Plain2, Exact2, Bits2>): Operation =>
  f32Operation(f32Loop2(spec), ['src0', 'src1']);

export function f32Loop3(spec: F32Spec<Plain3, Exact3, Bits3>): BindLoop {
  const { plain, exact, nan = (a, b, c) => pickNaN32(a, b, c), denormals = Denormals.Mode } = spec;
  return bindF32({
    plain: plain && specialize(plain3)(plain),
    exact: specialize(exact3)(exact, flushF32),
    nan: specialize(bits3)(nan),
    denormals,
  });
}

/** vdst = f of the three named operands. */
export const ternaryF32 = (spec: F32Spec<Plain3, Exact3, Bits3>, names: readonly string[] = THREE): Operation =>
  f32Operation(f32Loop3(spec), names);

// --- bit patterns ----------------------------------------------------------------------------------------------------

type BitsLoop = (bits: BitsOfLane, d: number, a: Source, b: Source, c: Source) => Step;
const bitsLoop: BitsLoop = (bits, d, a, b, c) => (w: Wave) => {
  const { i32, u32, lanes, active, mode } = w;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    i32[d + l] = bits(u32, l, a, b, c, mode);
  }
};

function bindBits(bits: BitsOfLane): BindLoop {
  const loop = specialize(bitsLoop);
  return (d, [a, b = a, c = a]) => loop(bits, d, a!, b!, c!);
}

export const bitsLoop2 = (f: Bits2): BindLoop => bindBits(specialize(bits2)(f));
export const bitsLoop3 = (f: Bits3): BindLoop => bindBits(specialize(bits3)(f));

function bitsOperation(
  bind: BindLoop,
  names: readonly string[],
  sources: readonly ValueType[],
  destination: ValueType,
): Operation {
  return (site) => {
    const operands = names.map((name, at) => site.source(name, sources[at]!));
    const d = site.destination('vdst', destination);
    return site.step(bind(d.lo, operands));
  };
}

/** vdst = f(src0) on unsigned patterns of the given types. */
export const unaryBits = (f: Bits1, sources: readonly [ValueType], destination: ValueType): Operation =>
  bitsOperation(bindBits(specialize(bits1)(f)), ['src0'], sources, destination);

/** vdst = f(src0, src1) on unsigned patterns of the given types. */
export const binaryBits = (f: Bits2, sources: readonly [ValueType, ValueType], destination: ValueType): Operation =>
  bitsOperation(bitsLoop2(f), ['src0', 'src1'], sources, destination);

/** vdst = f of the three named operands, on unsigned patterns of the given types. */
export const ternaryBits = (
  f: Bits3,
  sources: readonly [ValueType, ValueType, ValueType],
  destination: ValueType,
  names: readonly string[] = THREE,
): Operation => bitsOperation(bitsLoop3(f), names, sources, destination);
