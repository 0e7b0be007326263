/**
 * Double-precision arithmetic, after the same rules as float-f32.ts; rounding and denormals by the fields that f64 and
 * f16 share.
 */
import { addF64, fmaF64, fmaF64Mode, mulF64 } from '../arithmetic/f64.js';
import { maxF64, minF64, Selection } from '../arithmetic/minmax.js';
import { isNaN64, isSignalling64, quiet64High } from '../arithmetic/nan.js';
import { ceil, floor, rndne, trunc } from '../arithmetic/shape.js';
import { binaryF64, ternaryF64, unaryF64 } from './float-f64-shapes.js';
import { ACCUMULATE, Denormals } from './float-shapes.js';
import type { Operation, OperationTable } from './operation.js';

const fma = { plain: fmaF64, exact: fmaF64Mode };

type Choice = typeof minF64;

/** Which of two quiet NaNs is returned depends on the processor, as in float-f32.ts. */
function extremum(plain: (a: number, b: number) => number, choose: Choice): Operation {
  const operation = (first: boolean): Operation =>
    binaryF64({
      plain,
      exact: plain,
      denormals: Denormals.ModeOfInputs,
      nan: (words, mode) => {
        // A denormal next to a NaN is the result: it is flushed like one.
        if ((mode.denormF16F64 & 1) === 0) {
          flushWords(words, 0);
          flushWords(words, 2);
        }
        const [aLow, aHigh, bLow, bHigh] = words as unknown as [number, number, number, number];
        const signalling = mode.ieee && (isSignalling64(aHigh, aLow) || isSignalling64(bHigh, bLow));
        if (first && !signalling && isNaN64(aHigh, aLow) && isNaN64(bHigh, bLow)) return;
        const selection = choose(aHigh, aLow, bHigh, bLow, mode.ieee);
        const isSecond = selection === Selection.Second || selection === Selection.SecondQuieted;
        const high = isSecond ? bHigh : aHigh;
        const quieted = selection === Selection.FirstQuieted || selection === Selection.SecondQuieted;
        words[0] = isSecond ? bLow : aLow;
        words[1] = quieted ? quiet64High(high) : high;
      },
    });
  const [older, newer] = [operation(false), operation(true)];
  return (site) => (site.target.minMaxReturnsFirstNan ? newer : older)(site);
}

function flushWords(words: Uint32Array, at: number): void {
  if ((words[at + 1]! & 0x7ff00000) !== 0) return;
  words[at] = 0;
  words[at + 1]! &= 0x80000000;
}

const integral = (f: (a: number) => number): Operation => unaryF64({ plain: f, exact: f });

export const floatF64: OperationTable = {
  v_add_f64: binaryF64({ plain: (a, b) => a + b, exact: addF64 }),
  v_mul_f64: binaryF64({ plain: (a, b) => a * b, exact: mulF64 }),
  v_fma_f64: ternaryF64(fma),
  v_fmac_f64: ternaryF64(fma, ACCUMULATE),
  v_min_f64: extremum((a, b) => Math.min(a, b), minF64),
  v_max_f64: extremum((a, b) => Math.max(a, b), maxF64),
  v_trunc_f64: integral(trunc),
  v_ceil_f64: integral(ceil),
  v_floor_f64: integral(floor),
  v_rndne_f64: integral(rndne),
};
