/**
 * Vector addition and subtraction with a carry out, and with a carry in: one bit a lane, in VCC or in the SGPRs that
 * the instruction names. Lanes that are not active have 0 in a carry out. With the clamp bit the result saturates; the
 * carry is still that of the sum (Vega and RDNA ISA documents, V_ADD_CO_U32 and V_ADD_CO_CI_U32).
 */
import type { Source } from '../operands.js';
import { specialize } from '../specialize.js';
import type { Step, Wave } from '../wave.js';
import { named, type Operation, type OperationTable } from './operation.js';

/** The exact result; `carry` is 0 or 1. */
type Sum = (a: number, b: number, carry: number) => number;

type Loop = (
  f: Sum,
  clamp: boolean,
  d: number,
  out: number,
  a: number,
  as: number,
  b: number,
  bs: number,
  carry: number,
) => Step;

/** `carry` is the first word of the carries that come in, -1 where there are none. */
const loop: Loop = (f, clamp, d, out, a, as, b, bs, carry) => (w: Wave) => {
  const { i32, u32, lanes, active } = w;
  const carryLow = carry < 0 ? 0 : i32[carry]!;
  const carryHigh = carry < 0 || w.size === 32 ? 0 : i32[carry + 1]!;
  let low = 0;
  let high = 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const sum = f(u32[a + l * as]!, u32[b + l * bs]!, ((l < 32 ? carryLow : carryHigh) >>> l) & 1);
    const carries = sum < 0 || sum > 0xffffffff;
    if (carries)
      if (l < 32) low |= 1 << l;
      else high |= 1 << l;
    i32[d + l] = clamp && carries ? (sum < 0 ? 0 : -1) : sum | 0;
  }
  i32[out] = low;
  if (w.size === 64) i32[out + 1] = high;
};

function carrying(f: Sum, takesCarry: boolean): Operation {
  const own = specialize(loop);
  return (site) => {
    const a: Source = site.source('src0', 'b32');
    const b = site.source('src1', 'b32');
    const carry = takesCarry ? site.maskSource('src2') : -1;
    const d = site.destination('vdst', 'b32');
    const out = site.maskDestination();
    const clamp = site.instruction.immediate('clamp') !== 0;
    return site.step(own(f, clamp, d.lo, out, a.lo, a.stride, b.lo, b.stride, carry));
  };
}

export const vectorCarry: OperationTable = {
  v_add_co_u32: carrying((a, b) => a + b, false),
  v_sub_co_u32: carrying((a, b) => a - b, false),
  v_subrev_co_u32: carrying((a, b) => b - a, false),
  ...named(
    carrying((a, b, carry) => a + b + carry, true),
    'v_addc_co_u32',
    'v_add_co_ci_u32',
  ),
  ...named(
    carrying((a, b, carry) => a - b - carry, true),
    'v_subb_co_u32',
    'v_sub_co_ci_u32',
  ),
  ...named(
    carrying((a, b, carry) => b - a - carry, true),
    'v_subbrev_co_u32',
    'v_subrev_co_ci_u32',
  ),
};
