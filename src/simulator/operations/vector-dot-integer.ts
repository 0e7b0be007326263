/**
 * Dot products of packed integers, added to a 32-bit integer. The sum is exact before it wraps or, with the clamp bit,
 * saturates. `v_dot4c` and the like accumulate in their destination (there src2 is vdst).
 */
import { packedSource } from '../packed.js';
import { specialize } from '../specialize.js';
import type { Step, Wave } from '../wave.js';
import type { Source } from '../operands.js';
import type { Operation, OperationTable } from './operation.js';
import { named } from './operation.js';

type Loop = (
  bits: number,
  signedA: boolean,
  signedB: boolean,
  signed: boolean,
  clamp: boolean,
  d: number,
  a: number,
  as: number,
  b: number,
  bs: number,
  c: number,
  cs: number,
) => Step;

const loop: Loop = (bits, signedA, signedB, signed, clamp, d, a, as, b, bs, c, cs) => (w: Wave) => {
  const { i32, lanes, active } = w;
  const down = 32 - bits;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const x = i32[a + l * as]!;
    const y = i32[b + l * bs]!;
    const z = i32[c + l * cs]!;
    let sum = signed ? z : z >>> 0;
    for (let up = down; up >= 0; up -= bits) {
      const p = x << up;
      const q = y << up;
      sum += (signedA ? p >> down : p >>> down) * (signedB ? q >> down : q >>> down);
    }
    if (clamp)
      if (signed) sum = Math.max(-0x80000000, Math.min(0x7fffffff, sum));
      else sum = Math.min(0xffffffff, sum);
    i32[d + l] = sum | 0;
  }
};

/** Bit 0 of a source's modifiers, `neg_lo`, says in the mixed operations that the source is signed. */
const SIGNED = 1;

/** @param signs whether the parts are signed; `mixed`: as the instruction says for each source */
function dot(bits: 4 | 8 | 16, signs: 'signed' | 'unsigned' | 'mixed'): Operation {
  const own = specialize(loop);
  return (site) => {
    const { instruction } = site;
    const source = (name: string): Source => (bits === 16 ? packedSource(site, name) : site.source(name, 'b32'));
    const isSigned = (name: string): boolean =>
      signs === 'mixed' ? (instruction.immediate(`${name}_modifiers`) & SIGNED) !== 0 : signs === 'signed';
    const a = source('src0');
    const b = source('src1');
    const c = site.source('src2', 'b32');
    const d = site.destination('vdst', 'b32');
    const clamp = instruction.immediate('clamp') !== 0;
    const places = [d.lo, a.lo, a.stride, b.lo, b.stride, c.lo, c.stride] as const;
    return site.step(own(bits, isSigned('src0'), isSigned('src1'), signs !== 'unsigned', clamp, ...places));
  };
}

export const vectorDotInteger: OperationTable = {
  ...named(dot(16, 'signed'), 'v_dot2_i32_i16', 'v_dot2c_i32_i16'),
  v_dot2_u32_u16: dot(16, 'unsigned'),
  ...named(dot(8, 'signed'), 'v_dot4_i32_i8', 'v_dot4c_i32_i8'),
  v_dot4_u32_u8: dot(8, 'unsigned'),
  v_dot4_i32_iu8: dot(8, 'mixed'),
  ...named(dot(4, 'signed'), 'v_dot8_i32_i4', 'v_dot8c_i32_i4'),
  v_dot8_u32_u4: dot(4, 'unsigned'),
  v_dot8_i32_iu4: dot(4, 'mixed'),
};
