/**
 * The loops of operations on f64 values, which are pairs of words in two rows. Otherwise as float-shapes.ts: `plain`,
 * `exact` and the NaN's pattern.
 */
import { flushF64 } from '../arithmetic/denormals.js';
import { pickNaN64 } from '../arithmetic/nan.js';
import type { Rounding } from '../arithmetic/rounding.js';
import type { Source } from '../operands.js';
import { specialize } from '../specialize.js';
import type { FloatMode, Step, Wave } from '../wave.js';
import {
  Denormals,
  THREE,
  type Exact1,
  type Exact2,
  type Exact3,
  type Flush,
  type Plain1,
  type Plain2,
  type Plain3,
} from './float-shapes.js';
import type { Operation } from './operation.js';

/**
 * Operands of up to 64 lanes as words, low word first, and as values: lane k of operand n is cell 64 · n + k. The
 * result replaces the first operand. All lanes go through each of the three phases together, because a processor waits
 * when it reads a value whose words were written just before.
 */
const cells = new Float64Array(3 * 64);
const words = new Uint32Array(cells.buffer);
/** The words of one lane's operands, for `Nan64`. */
const ofLane = new Uint32Array(6);

/**
 * Replaces the first two words, src0's, by the NaN (or other value) that results from the operands; low words first.
 */
type Nan64 = (words: Uint32Array, mode: FloatMode) => void;

interface F64Spec<Plain, Exact> {
  readonly plain: Plain;
  readonly exact: Exact;
  readonly nan?: Nan64;
  readonly denormals?: Denormals;
}

const nan64: Nan64 = (w) => pickNaN64(w, 0, w[1]!, w[0]!, w[3]!, w[2]!, w[5]!, w[4]!);

type Gather = (u32: Uint32Array, lanes: Uint8Array, active: number, words: Uint32Array, at: number, s: Source) => void;
const gather: Gather = (u32, lanes, active, words, at, { lo, hi, stride }) => {
  for (let k = 0; k < active; k++) {
    const l = lanes[k]! * stride;
    words[at + 2 * k] = u32[lo + l]!;
    words[at + 2 * k + 1] = u32[hi + l]!;
  }
};

type Loop64 = (
  plain: Plain3,
  exact: Exact3,
  nan: Nan64,
  flush: Flush,
  denormals: Denormals,
  cells: Float64Array,
  words: Uint32Array,
  ofLane: Uint32Array,
) => Step;
const loop64: Loop64 = (plain, exact, nan, flush, denormals, cells, words, ofLane) => (w: Wave) => {
  const { active, mode } = w;
  const isPlain = w.plainF64;
  const rounding = mode.roundF16F64 as Rounding;
  const flushesIn = denormals === 1 || (denormals !== 3 && (mode.denormF16F64 & 1) === 0);
  const flushesOut = denormals === 1 || (denormals === 0 && (mode.denormF16F64 & 2) === 0);
  for (let k = 0; k < active; k++) {
    const x = cells[k]!;
    const y = cells[64 + k]!;
    const z = cells[128 + k]!;
    let result: number;
    if (isPlain) result = plain(x, y, z);
    else {
      result = flushesIn ? exact(flush(x), flush(y), flush(z), rounding) : exact(x, y, z, rounding);
      if (flushesOut) result = flush(result);
    }
    if (result === result) cells[k] = result;
    else {
      for (let n = 0; n < 3; n++) {
        ofLane[2 * n] = words[128 * n + 2 * k]!;
        ofLane[2 * n + 1] = words[128 * n + 2 * k + 1]!;
      }
      nan(ofLane, mode);
      words[2 * k] = ofLane[0]!;
      words[2 * k + 1] = ofLane[1]!;
    }
  }
};

function f64Operation(spec: F64Spec<Plain3, Exact3>, names: readonly string[]): Operation {
  const loop = specialize(loop64);
  const { plain, exact, nan = nan64, denormals = Denormals.Mode } = spec;
  const compute = loop(plain, exact, nan, flushF64, denormals, cells, words, ofLane);
  const missing = 128 * names.length;
  return (site) => {
    const sources = names.map((name) => site.source(name, 'f64'));
    const d = site.destination('vdst', 'f64');
    return site.step((w) => {
      const { u32, lanes, active } = w;
      for (let n = 0; n < sources.length; n++) gather(u32, lanes, active, words, 128 * n, sources[n]!);
      if (missing < words.length) words.fill(0, missing);
      compute(w);
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        u32[d.lo + l] = words[2 * k]!;
        u32[d.hi + l] = words[2 * k + 1]!;
      }
    });
  };
}

/** vdst = f(src0). */
export function unaryF64(spec: F64Spec<Plain1, Exact1>): Operation {
  const { exact } = spec;
  return f64Operation({ ...spec, exact: (a, _b, _c, rounding) => exact(a, rounding) }, ['src0']);
}

/** vdst = f(src0, src1). */
export function binaryF64(spec: F64Spec<Plain2, Exact2>): Operation {
  const { exact } = spec;
  return f64Operation({ ...spec, exact: (a, b, _c, rounding) => exact(a, b, rounding) }, ['src0', 'src1']);
}

/** vdst = f of the three named operands. */
export function ternaryF64(spec: F64Spec<Plain3, Exact3>, names: readonly string[] = THREE): Operation {
  return f64Operation(spec, names);
}
