/** Packed operations on two 16-bit integers a lane (VOP3P). The clamp bit saturates each half. */
import { packedSource } from '../packed.js';
import { specialize } from '../specialize.js';
import type { Step, Wave } from '../wave.js';
import { saturateI16, saturateU16, type Binary, type Ternary } from './integer-shapes.js';
import type { Operation, OperationTable } from './operation.js';

type Loop = (
  f: Ternary,
  signed: boolean,
  d: number,
  a: number,
  as: number,
  b: number,
  bs: number,
  c: number,
  cs: number,
) => Step;

const loop: Loop = (f, signed, d, a, as, b, bs, c, cs) => (w: Wave) => {
  const { i32, lanes, active } = w;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const x = i32[a + l * as]!;
    const y = i32[b + l * bs]!;
    const z = i32[c + l * cs]!;
    i32[d + l] = signed
      ? (f((x << 16) >> 16, (y << 16) >> 16, (z << 16) >> 16) & 0xffff) | (f(x >> 16, y >> 16, z >> 16) << 16)
      : (f(x & 0xffff, y & 0xffff, z & 0xffff) & 0xffff) | (f(x >>> 16, y >>> 16, z >>> 16) << 16);
  }
};

/** `exact` gives a half's result before wrapping. */
function packed(count: 2 | 3, type: 'u16' | 'i16', exact: Ternary): Operation {
  const signed = type === 'i16';
  const to = signed ? saturateI16 : saturateU16;
  const saturated: Ternary = (a, b, c) => to(exact(a, b, c));
  const plainLoop = specialize(loop);
  const clampedLoop = specialize(loop);
  return (site) => {
    const a = packedSource(site, 'src0');
    const b = packedSource(site, 'src1');
    const c = count === 3 ? packedSource(site, 'src2') : b;
    const d = site.destination('vdst', 'b32');
    const places = [d.lo, a.lo, a.stride, b.lo, b.stride, c.lo, c.stride] as const;
    const clamp = site.instruction.immediate('clamp') !== 0;
    return site.step(clamp ? clampedLoop(saturated, signed, ...places) : plainLoop(exact, signed, ...places));
  };
}

const add: Binary = (a, b) => a + b;
const sub: Binary = (a, b) => a - b;
const min: Binary = (a, b) => (a < b ? a : b);
const max: Binary = (a, b) => (a > b ? a : b);
const mad: Ternary = (a, b, c) => a * b + c;

export const vectorPackedInteger: OperationTable = {
  v_pk_add_u16: packed(2, 'u16', add),
  v_pk_add_i16: packed(2, 'i16', add),
  v_pk_sub_u16: packed(2, 'u16', sub),
  v_pk_sub_i16: packed(2, 'i16', sub),
  v_pk_mul_lo_u16: packed(2, 'u16', (a, b) => a * b),
  v_pk_mad_u16: packed(3, 'u16', mad),
  v_pk_mad_i16: packed(3, 'i16', mad),
  v_pk_min_u16: packed(2, 'u16', min),
  v_pk_max_u16: packed(2, 'u16', max),
  v_pk_min_i16: packed(2, 'i16', min),
  v_pk_max_i16: packed(2, 'i16', max),
  // Bits that a shift moves out of a half are not an overflow.
  v_pk_lshlrev_b16: packed(2, 'u16', (a, b) => (b << (a & 15)) & 0xffff),
  v_pk_lshrrev_b16: packed(2, 'u16', (a, b) => b >>> (a & 15)),
  v_pk_ashrrev_i16: packed(2, 'i16', (a, b) => b >> (a & 15)),
};
