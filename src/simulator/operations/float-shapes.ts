/**
 * The loops of floating-point operations: over lanes, for one, two or three operands in f32, and over bit patterns. Those
 * in f64 are in float-f64-shapes.ts.
 *
 * An f32 or f64 operation is two functions. `plain` computes in JavaScript's own arithmetic and is used while the MODE
 * register asks for just that (nearest even, denormals kept); storing its result in an f32 row rounds it. `exact` takes the
 * rounding mode; denormals are flushed around it as MODE and the operation say. Where either gives NaN, a third function
 * makes the pattern of the result from the patterns of the operands: JavaScript's NaNs have no dependable payload.
 *
 * Loops are specialised (`specialize`): they refer to nothing but their parameters.
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

/** Operand names of the accumulating operations (`v_mac`, `v_fmac`), and of those with a constant as addend or factor. */
export const ACCUMULATE = ['src0', 'src1', 'vdst'] as const;
export const ADD_CONSTANT = ['src0', 'src1', 'imm'] as const;
export const MULTIPLY_CONSTANT = ['src0', 'imm', 'src1'] as const;
export const THREE = ['src0', 'src1', 'src2'] as const;

interface F32Spec<Plain, Exact, Nan> {
  /** null: always `exact`. */
  readonly plain: Plain | null;
  readonly exact: Exact;
  /** The pattern of a NaN result; by default the first NaN operand, quieted. */
  readonly nan?: Nan;
  readonly denormals?: Denormals;
}

// --- f32 ----------------------------------------------------------------------------------------------------------------------

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

const nan1: Bits1 = (a) => pickNaN32(a, 0);
const nan2: Bits2 = (a, b) => pickNaN32(a, b);
const nan3: Bits3 = (a, b, c) => pickNaN32(a, b, c);

type Loop1 = (
  plain: Plain1 | null,
  exact: Exact1,
  nan: Bits1,
  flush: Flush,
  denormals: Denormals,
  d: number,
  a: number,
  as: number,
) => Step;
const loop1: Loop1 = (plain, exact, nan, flush, denormals, d, a, as) => (w: Wave) => {
  const { f32, u32, lanes, active, mode } = w;
  if (plain !== null && w.plainF32) {
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const result = plain(f32[a + l * as]!);
      if (result === result) f32[d + l] = result;
      else u32[d + l] = nan(u32[a + l * as]!, mode);
    }
    return;
  }
  const rounding = mode.roundF32 as Rounding;
  const flushesIn = denormals === 1 || (denormals !== 3 && (mode.denormF32 & 1) === 0);
  const flushesOut = denormals === 1 || (denormals === 0 && (mode.denormF32 & 2) === 0);
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    let x = f32[a + l * as]!;
    if (flushesIn) x = flush(x);
    const result = exact(x, rounding);
    if (result === result) f32[d + l] = flushesOut ? flush(result) : result;
    else u32[d + l] = nan(u32[a + l * as]!, mode);
  }
};

/** vdst = f(src0). */
export function unaryF32(spec: F32Spec<Plain1, Exact1, Bits1>): Operation {
  const loop = specialize(loop1);
  return (site) => {
    const a = site.source('src0', 'f32');
    const d = site.destination('vdst', 'f32');
    return site.step(
      loop(spec.plain, spec.exact, spec.nan ?? nan1, flushF32, spec.denormals ?? Denormals.Mode, d.lo, a.lo, a.stride),
    );
  };
}

type Loop2 = (
  plain: Plain2 | null,
  exact: Exact2,
  nan: Bits2,
  flush: Flush,
  denormals: Denormals,
  d: number,
  a: number,
  as: number,
  b: number,
  bs: number,
) => Step;
const loop2: Loop2 = (plain, exact, nan, flush, denormals, d, a, as, b, bs) => (w: Wave) => {
  const { f32, u32, lanes, active, mode } = w;
  if (plain !== null && w.plainF32) {
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const result = plain(f32[a + l * as]!, f32[b + l * bs]!);
      if (result === result) f32[d + l] = result;
      else u32[d + l] = nan(u32[a + l * as]!, u32[b + l * bs]!, mode);
    }
    return;
  }
  const rounding = mode.roundF32 as Rounding;
  const flushesIn = denormals === 1 || (denormals !== 3 && (mode.denormF32 & 1) === 0);
  const flushesOut = denormals === 1 || (denormals === 0 && (mode.denormF32 & 2) === 0);
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    let x = f32[a + l * as]!;
    let y = f32[b + l * bs]!;
    if (flushesIn) {
      x = flush(x);
      y = flush(y);
    }
    const result = exact(x, y, rounding);
    if (result === result) f32[d + l] = flushesOut ? flush(result) : result;
    else u32[d + l] = nan(u32[a + l * as]!, u32[b + l * bs]!, mode);
  }
};

/** A loop from places to places: what `binaryF32` binds, and the packed operations bind twice. */
export type F32Loop2 = (d: number, a: number, as: number, b: number, bs: number) => Step;
export function f32Loop2(spec: F32Spec<Plain2, Exact2, Bits2>): F32Loop2 {
  const loop = specialize(loop2);
  const denormals = spec.denormals ?? Denormals.Mode;
  return (d, a, as, b, bs) => loop(spec.plain, spec.exact, spec.nan ?? nan2, flushF32, denormals, d, a, as, b, bs);
}

/** vdst = f(src0, src1). */
export function binaryF32(spec: F32Spec<Plain2, Exact2, Bits2>): Operation {
  const loop = f32Loop2(spec);
  return (site) => {
    const a = site.source('src0', 'f32');
    const b = site.source('src1', 'f32');
    const d = site.destination('vdst', 'f32');
    return site.step(loop(d.lo, a.lo, a.stride, b.lo, b.stride));
  };
}

type Loop3 = (
  plain: Plain3 | null,
  exact: Exact3,
  nan: Bits3,
  flush: Flush,
  denormals: Denormals,
  d: number,
  a: number,
  as: number,
  b: number,
  bs: number,
  c: number,
  cs: number,
) => Step;
const loop3: Loop3 = (plain, exact, nan, flush, denormals, d, a, as, b, bs, c, cs) => (w: Wave) => {
  const { f32, u32, lanes, active, mode } = w;
  if (plain !== null && w.plainF32) {
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const result = plain(f32[a + l * as]!, f32[b + l * bs]!, f32[c + l * cs]!);
      if (result === result) f32[d + l] = result;
      else u32[d + l] = nan(u32[a + l * as]!, u32[b + l * bs]!, u32[c + l * cs]!, mode);
    }
    return;
  }
  const rounding = mode.roundF32 as Rounding;
  const flushesIn = denormals === 1 || (denormals !== 3 && (mode.denormF32 & 1) === 0);
  const flushesOut = denormals === 1 || (denormals === 0 && (mode.denormF32 & 2) === 0);
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    let x = f32[a + l * as]!;
    let y = f32[b + l * bs]!;
    let z = f32[c + l * cs]!;
    if (flushesIn) {
      x = flush(x);
      y = flush(y);
      z = flush(z);
    }
    const result = exact(x, y, z, rounding);
    if (result === result) f32[d + l] = flushesOut ? flush(result) : result;
    else u32[d + l] = nan(u32[a + l * as]!, u32[b + l * bs]!, u32[c + l * cs]!, mode);
  }
};

export type F32Loop3 = (d: number, a: number, as: number, b: number, bs: number, c: number, cs: number) => Step;
export function f32Loop3(spec: F32Spec<Plain3, Exact3, Bits3>): F32Loop3 {
  const loop = specialize(loop3);
  const denormals = spec.denormals ?? Denormals.Mode;
  return (d, a, as, b, bs, c, cs) =>
    loop(spec.plain, spec.exact, spec.nan ?? nan3, flushF32, denormals, d, a, as, b, bs, c, cs);
}

/** vdst = f of the three named operands. */
export function ternaryF32(spec: F32Spec<Plain3, Exact3, Bits3>, names: readonly string[] = THREE): Operation {
  const loop = f32Loop3(spec);
  return (site) => {
    const [a, b, c] = names.map((name) => site.source(name, 'f32')) as [Source, Source, Source];
    const d = site.destination('vdst', 'f32');
    return site.step(loop(d.lo, a.lo, a.stride, b.lo, b.stride, c.lo, c.stride));
  };
}

// --- bit patterns ---------------------------------------------------------------------------------------------------------------

/** vdst = f(src0) on unsigned patterns of the given types. */
export function unaryBits(f: Bits1, sources: readonly [ValueType], destination: ValueType): Operation {
  const loop = specialize((f: Bits1, d: number, a: number, as: number) => (w: Wave) => {
    const { i32, u32, lanes, active, mode } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      i32[d + l] = f(u32[a + l * as]!, mode);
    }
  });
  return (site) => {
    const a = site.source('src0', sources[0]);
    const d = site.destination('vdst', destination);
    return site.step(loop(f, d.lo, a.lo, a.stride));
  };
}

export type BitsLoop2 = (f: Bits2, d: number, a: number, as: number, b: number, bs: number) => Step;
export const bitsLoop2 = (): BitsLoop2 =>
  specialize((f: Bits2, d: number, a: number, as: number, b: number, bs: number) => (w: Wave) => {
    const { i32, u32, lanes, active, mode } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      i32[d + l] = f(u32[a + l * as]!, u32[b + l * bs]!, mode);
    }
  });

/** vdst = f(src0, src1) on unsigned patterns of the given types. */
export function binaryBits(f: Bits2, sources: readonly [ValueType, ValueType], destination: ValueType): Operation {
  const loop = bitsLoop2();
  return (site) => {
    const a = site.source('src0', sources[0]);
    const b = site.source('src1', sources[1]);
    const d = site.destination('vdst', destination);
    return site.step(loop(f, d.lo, a.lo, a.stride, b.lo, b.stride));
  };
}

export type BitsLoop3 = (
  f: Bits3,
  d: number,
  a: number,
  as: number,
  b: number,
  bs: number,
  c: number,
  cs: number,
) => Step;
export const bitsLoop3 = (): BitsLoop3 =>
  specialize(
    (f: Bits3, d: number, a: number, as: number, b: number, bs: number, c: number, cs: number) => (w: Wave) => {
      const { i32, u32, lanes, active, mode } = w;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        i32[d + l] = f(u32[a + l * as]!, u32[b + l * bs]!, u32[c + l * cs]!, mode);
      }
    },
  );

/** vdst = f of the three named operands, on unsigned patterns of the given types. */
export function ternaryBits(
  f: Bits3,
  sources: readonly [ValueType, ValueType, ValueType],
  destination: ValueType,
  names: readonly string[] = THREE,
): Operation {
  const loop = bitsLoop3();
  return (site) => {
    const [a, b, c] = names.map((name, at) => site.source(name, sources[at]!)) as [Source, Source, Source];
    const d = site.destination('vdst', destination);
    return site.step(loop(f, d.lo, a.lo, a.stride, b.lo, b.stride, c.lo, c.stride));
  };
}

export type { Bits1, Bits2, Bits3, Exact1, Exact2, Exact3, Flush, Plain1, Plain2, Plain3 };
