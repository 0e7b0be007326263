/**
 * The operations of the division sequence: `v_div_scale`, `v_div_fmas`, `v_div_fixup` (arithmetic/division.ts has their
 * sources and readings).
 *
 * `v_div_scale` takes denormals as they are, because it is there for them; the others flush as MODE says.
 */
import {
  divFixupF16, divFixupF32, divFixupF64, divFmasF32, divFmasF64, divScaleF32, divScaleF64, divScaleVccF32,
  divScaleVccF64, fixupNaN16, fixupNaN32, fixupNaN64,
} from '../arithmetic/division.js'; // prettier-ignore
import { flushF32, flushF64 } from '../arithmetic/denormals.js';
import { f16ToNumber, roundF16 } from '../arithmetic/f16.js';
import { pickNaN32, pickNaN64 } from '../arithmetic/nan.js';
import { Round, type Rounding } from '../arithmetic/rounding.js';
import type { Site } from '../site.js';
import type { Destination, Source, ValueType } from '../operands.js';
import { VCC, type Wave } from '../wave.js';
import { inputF16, outputF16 } from './float-f16.js';
import { ternaryF64 } from './float-f64-shapes.js';
import { ternaryBits, ternaryF32 } from './float-shapes.js';
import type { Operation, OperationTable } from './operation.js';

const sources = (site: Site, type: ValueType): [Source, Source, Source] => [
  site.source('src0', type),
  site.source('src1', type),
  site.source('src2', type),
];

// --- v_div_scale -----------------------------------------------------------------------------------------------------

/** Runs `each` for the active lanes; the mask of those where it is true goes to `sdst`. */
function scaling(type: 'f32' | 'f64', each: EachScaled): Operation {
  return (site) => {
    const [value, denominator, numerator] = sources(site, type);
    const operands: ScaleOperands = { value, denominator, numerator };
    const d = site.destination('vdst', type);
    const mask = site.maskDestination();
    return site.step((w) => {
      const { lanes, active } = w;
      let low = 0;
      let high = 0;
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        if (each(w, l, d, operands))
          if (l < 32) low |= 1 << l;
          else high |= 1 << (l - 32);
      }
      w.i32[mask] = low;
      if (w.size === 64) w.i32[mask + 1] = high;
    });
  };
}

/** Scales the value in one lane; whether the quotient must be scaled back. */
type EachScaled = (wave: Wave, lane: number, d: Destination, operands: ScaleOperands) => boolean;

interface ScaleOperands {
  readonly value: Source;
  readonly denominator: Source;
  readonly numerator: Source;
}

const scaleF32: EachScaled = ({ f32, u32 }, l, d, { value, denominator, numerator }) => {
  const x = f32[denominator.lo + l * denominator.stride]!;
  const y = f32[numerator.lo + l * numerator.stride]!;
  const at = value.lo + l * value.stride;
  const result = divScaleF32(f32[at]!, x, y);
  if (result === result) f32[d.lo + l] = result;
  else u32[d.lo + l] = pickNaN32(u32[at]!, 0);
  return divScaleVccF32(x, y);
};

const cells = new Float64Array(3);
const words = new Uint32Array(cells.buffer);

function load(u32: Uint32Array, cell: number, { lo, hi, stride }: Source, lane: number): number {
  words[2 * cell] = u32[lo + lane * stride]!;
  words[2 * cell + 1] = u32[hi + lane * stride]!;
  return cells[cell]!;
}

const scaleF64: EachScaled = ({ u32 }, l, d, { value, denominator, numerator }) => {
  const x = load(u32, 1, denominator, l);
  const y = load(u32, 2, numerator, l);
  const result = divScaleF64(load(u32, 0, value, l), x, y);
  if (result === result) cells[0] = result;
  else pickNaN64(words, 0, words[1]!, words[0]!, 0, 0);
  u32[d.lo + l] = words[0]!;
  u32[d.hi + l] = words[1]!;
  return divScaleVccF64(x, y);
};

// --- v_div_fmas ------------------------------------------------------------------------------------------------------

const needsScale = (w: Wave, lane: number): boolean => ((w.i32[VCC + (lane >> 5)]! >>> (lane & 31)) & 1) !== 0;

const fmasF32: Operation = (site) => {
  const [a, b, c] = sources(site, 'f32');
  const d = site.destination('vdst', 'f32');
  return site.step((w) => {
    const { f32, u32, lanes, active, mode } = w;
    const rounding = mode.roundF32 as Rounding;
    const flushesIn = (mode.denormF32 & 1) === 0;
    const flushesOut = (mode.denormF32 & 2) === 0;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      let x = f32[a.lo + l * a.stride]!;
      let y = f32[b.lo + l * b.stride]!;
      let z = f32[c.lo + l * c.stride]!;
      if (flushesIn) {
        x = flushF32(x);
        y = flushF32(y);
        z = flushF32(z);
      }
      const result = divFmasF32(x, y, z, needsScale(w, l), rounding);
      if (result === result) f32[d.lo + l] = flushesOut ? flushF32(result) : result;
      else u32[d.lo + l] = pickNaN32(u32[a.lo + l * a.stride]!, u32[b.lo + l * b.stride]!, u32[c.lo + l * c.stride]);
    }
  });
};

const fmasF64: Operation = (site) => {
  const [a, b, c] = sources(site, 'f64');
  const d = site.destination('vdst', 'f64');
  return site.step((w) => {
    const { u32, lanes, active, mode } = w;
    const rounding = mode.roundF16F64 as Rounding;
    const flushesIn = (mode.denormF16F64 & 1) === 0;
    const flushesOut = (mode.denormF16F64 & 2) === 0;
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      let x = load(u32, 0, a, l);
      let y = load(u32, 1, b, l);
      let z = load(u32, 2, c, l);
      if (flushesIn) {
        x = flushF64(x);
        y = flushF64(y);
        z = flushF64(z);
      }
      const result = divFmasF64(x, y, z, needsScale(w, l), rounding);
      if (result === result) cells[0] = flushesOut ? flushF64(result) : result;
      else pickNaN64(words, 0, words[1]!, words[0]!, words[3]!, words[2]!, words[5], words[4]);
      u32[d.lo + l] = words[0]!;
      u32[d.hi + l] = words[1]!;
    }
  });
};

// --- v_div_fixup -----------------------------------------------------------------------------------------------------

const fixupF16: Operation = ternaryBits(
  (quotient, denominator, numerator, mode) => {
    const q = f16ToNumber(inputF16(quotient, mode));
    const result = divFixupF16(q, f16ToNumber(inputF16(denominator, mode)), f16ToNumber(inputF16(numerator, mode)));
    if (result !== result) return fixupNaN16(denominator, numerator);
    return outputF16(roundF16(result, Round.NearestEven), mode);
  },
  ['f16', 'f16', 'f16'],
  'f16',
);

export const floatDivision: OperationTable = {
  v_div_scale_f32: scaling('f32', scaleF32),
  v_div_scale_f64: scaling('f64', scaleF64),
  v_div_fmas_f32: fmasF32,
  v_div_fmas_f64: fmasF64,
  v_div_fixup_f32: ternaryF32({
    plain: divFixupF32,
    exact: divFixupF32,
    nan: (_quotient, denominator, numerator) => fixupNaN32(denominator, numerator),
  }),
  v_div_fixup_f64: ternaryF64({
    plain: divFixupF64,
    exact: divFixupF64,
    nan: (w) => fixupNaN64(w, 0, w[3]!, w[2]!, w[5]!, w[4]!),
  }),
  v_div_fixup_f16: fixupF16,
  v_div_fixup_legacy_f16: fixupF16,
};
