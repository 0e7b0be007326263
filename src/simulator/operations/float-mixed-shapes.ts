/**
 * Loops of operations whose operands or results are of different formats: conversions between integers and floats and
 * between float formats, and scaling by an integer. They follow float-shapes.ts; MODE is passed to the operation,
 * because a conversion rounds by the field of its result's format.
 */
import { flushF32, flushF64 } from '../arithmetic/denormals.js';
import { pickNaN32, pickNaN64 } from '../arithmetic/nan.js';
import type { Rounding } from '../arithmetic/rounding.js';
import type { ValueType } from '../operands.js';
import { specialize } from '../specialize.js';
import type { FloatMode, Wave } from '../wave.js';
import type { Operation } from './operation.js';

type Flush = (x: number) => number;
/** From a value; never a NaN where there is also a function for the patterns of NaNs. */
type OfValue = (x: number, mode: FloatMode) => number;
type OfPattern = (bits: number, mode: FloatMode) => number;
type Scale = (x: number, n: number, rounding: Rounding) => number;

const cell = new Float64Array(1);
const words = new Uint32Array(cell.buffer);

/** vdst = the bits f(src0); `nan` gives them for a NaN. */
export function f32ToBits(f: OfValue, destination: ValueType, nan: OfPattern = () => 0): Operation {
  const loop = specialize((f: OfValue, nan: OfPattern, flush: Flush, d: number, a: number, as: number) => (w: Wave) => {
    const { f32, i32, u32, lanes, active, mode } = w;
    const flushes = (mode.denormF32 & 1) === 0;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const x = f32[a + l * as]!;
      i32[d + l] = x === x ? f(flushes ? flush(x) : x, mode) : nan(u32[a + l * as]!, mode);
    }
  });
  return (site) => {
    const a = site.source('src0', 'f32');
    const d = site.destination('vdst', destination);
    return site.step(loop(f, nan, flushF32, d.lo, a.lo, a.stride));
  };
}

/** vdst = f(src0) as f32, of signed words or halves; `nan` gives the pattern where f gives NaN. */
export function bitsToF32(f: OfPattern, source: ValueType, nan: OfPattern = () => 0): Operation {
  const loop = specialize((f: OfPattern, nan: OfPattern, d: number, a: number, as: number) => (w: Wave) => {
    const { f32, i32, u32, lanes, active, mode } = w;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const bits = i32[a + l * as]!;
      const result = f(bits, mode);
      if (result === result) f32[d + l] = result;
      else u32[d + l] = nan(bits, mode);
    }
  });
  return (site) => {
    const a = site.source('src0', source);
    const d = site.destination('vdst', 'f32');
    return site.step(loop(f, nan, d.lo, a.lo, a.stride));
  };
}

/** vdst = the bits f(src0); 0 for a NaN. */
export function f64ToBits(f: OfValue): Operation {
  const loop = specialize(
    (f: OfValue, flush: Flush, cell: Float64Array, words: Uint32Array, d: number, a: number, ah: number, as: number) =>
      (w: Wave) => {
        const { i32, u32, lanes, active, mode } = w;
        const flushes = (mode.denormF16F64 & 1) === 0;
        for (let k = 0; k < active; k++) {
          const l = lanes[k]!;
          words[0] = u32[a + l * as]!;
          words[1] = u32[ah + l * as]!;
          const x = cell[0]!;
          i32[d + l] = x === x ? f(flushes ? flush(x) : x, mode) : 0;
        }
      },
  );
  return (site) => {
    const a = site.source('src0', 'f64');
    const d = site.destination('vdst', 'b32');
    return site.step(loop(f, flushF64, cell, words, d.lo, a.lo, a.hi, a.stride));
  };
}

/** vdst = f(src0) as f64, of signed words; never NaN. */
export function bitsToF64(f: (bits: number) => number): Operation {
  const loop = specialize(
    (
      f: (bits: number) => number,
      cell: Float64Array,
      words: Uint32Array,
      d: number,
      dh: number,
      a: number,
      as: number,
    ) =>
      (w: Wave) => {
        const { i32, u32, lanes, active } = w;
        for (let k = 0; k < active; k++) {
          const l = lanes[k]!;
          cell[0] = f(i32[a + l * as]!);
          u32[d + l] = words[0]!;
          u32[dh + l] = words[1]!;
        }
      },
  );
  return (site) => {
    const a = site.source('src0', 'b32');
    const d = site.destination('vdst', 'f64');
    return site.step(loop(f, cell, words, d.lo, d.hi, a.lo, a.stride));
  };
}

/** vdst = src0, an f32, as f64; `widen` puts a NaN's pattern into the two words. */
export function f32ToF64(widen: (words: Uint32Array, bits: number) => void): Operation {
  return (site) => {
    const a = site.source('src0', 'f32');
    const d = site.destination('vdst', 'f64');
    return site.step((w) => {
      const { f32, u32, lanes, active } = w;
      const flushes = (w.mode.denormF32 & 1) === 0;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        const x = f32[a.lo + l * a.stride]!;
        if (x === x) cell[0] = flushes ? flushF32(x) : x;
        else widen(words, u32[a.lo + l * a.stride]!);
        u32[d.lo + l] = words[0]!;
        u32[d.hi + l] = words[1]!;
      }
    });
  };
}

/** vdst = f(src0), an f64, as f32; `narrow` makes a NaN's pattern of two words. */
export function f64ToF32(f: OfValue, narrow: (high: number, low: number) => number): Operation {
  return (site) => {
    const a = site.source('src0', 'f64');
    const d = site.destination('vdst', 'f32');
    return site.step((w) => {
      const { f32, u32, lanes, active, mode } = w;
      const flushesIn = (mode.denormF16F64 & 1) === 0;
      const flushesOut = (mode.denormF32 & 2) === 0;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        words[0] = u32[a.lo + l * a.stride]!;
        words[1] = u32[a.hi + l * a.stride]!;
        const x = cell[0]!;
        if (x === x) {
          const result = f(flushesIn ? flushF64(x) : x, mode);
          f32[d.lo + l] = flushesOut ? flushF32(result) : result;
        } else u32[d.lo + l] = narrow(words[1], words[0]);
      }
    });
  };
}

/** vdst = f(src0, the integer src1) in f32. */
export function scaledF32(f: Scale): Operation {
  return (site) => {
    const a = site.source('src0', 'f32');
    const b = site.source('src1', 'b32');
    const d = site.destination('vdst', 'f32');
    return site.step((w) => {
      const { f32, i32, u32, lanes, active, mode } = w;
      const rounding = mode.roundF32 as Rounding;
      const flushesIn = (mode.denormF32 & 1) === 0;
      const flushesOut = (mode.denormF32 & 2) === 0;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        const x = f32[a.lo + l * a.stride]!;
        if (x === x) {
          const result = f(flushesIn ? flushF32(x) : x, i32[b.lo + l * b.stride]!, rounding);
          f32[d.lo + l] = flushesOut ? flushF32(result) : result;
        } else u32[d.lo + l] = pickNaN32(u32[a.lo + l * a.stride]!, 0);
      }
    });
  };
}

/** vdst = f(src0, the integer src1) in f64; f gets NaNs too, because it may look at their exponent. */
export function scaledF64(f: Scale): Operation {
  return (site) => {
    const a = site.source('src0', 'f64');
    const b = site.source('src1', 'b32');
    const d = site.destination('vdst', 'f64');
    return site.step((w) => {
      const { i32, u32, lanes, active, mode } = w;
      const rounding = mode.roundF16F64 as Rounding;
      const flushesIn = (mode.denormF16F64 & 1) === 0;
      const flushesOut = (mode.denormF16F64 & 2) === 0;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        words[0] = u32[a.lo + l * a.stride]!;
        words[1] = u32[a.hi + l * a.stride]!;
        const x = cell[0]!;
        const result = f(flushesIn ? flushF64(x) : x, i32[b.lo + l * b.stride]!, rounding);
        if (result === result) cell[0] = flushesOut ? flushF64(result) : result;
        else pickNaN64(words, 0, words[1], words[0], 0, 0);
        u32[d.lo + l] = words[0];
        u32[d.hi + l] = words[1];
      }
    });
  };
}
