/** Vector moves: from register to register, of one of two operands, between registers that M0 selects. */
import { Fault } from '../fault.js';
import type { Site } from '../site.js';
import type { ValueType } from '../operands.js';
import { specialize } from '../specialize.js';
import { M0, type Step, type Wave } from '../wave.js';
import { unary32, unaryInteger } from './integer-shapes.js';
import { named, type Operation, type OperationTable } from './operation.js';

/** neg and abs in an operand's modifiers. */
const SIGN_MODIFIERS = 3;

// --- selection -------------------------------------------------------------------------------------------------------

type Loop = (d: number, mask: number, a: number, as: number, b: number, bs: number) => Step;
const loop: Loop = (d, mask, a, as, b, bs) => (w: Wave) => {
  const { i32, lanes, active } = w;
  const low = i32[mask]!;
  const high = w.size === 64 ? i32[mask + 1]! : 0;
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    const bit = ((l < 32 ? low : high) >>> l) & 1;
    i32[d + l] = bit === 0 ? i32[a + l * as]! : i32[b + l * bs]!;
  }
};

/**
 * vdst = the lane's bit in src2 (VCC in the short encodings) ? src1 : src0. Operands may have the modifiers of floats.
 */
function conditionalMove(bits: ValueType, float: ValueType): Operation {
  const own = specialize(loop);
  return (site) => {
    const typeOf = (name: string): ValueType =>
      (site.instruction.immediate(`${name}_modifiers`) & SIGN_MODIFIERS) !== 0 ? float : bits;
    const a = site.source('src0', typeOf('src0'));
    const b = site.source('src1', typeOf('src1'));
    const mask = site.maskSource('src2');
    const d = site.destination('vdst', bits);
    return site.step(own(d.lo, mask, a.lo, a.stride, b.lo, b.stride));
  };
}

// --- exchange --------------------------------------------------------------------------------------------------------

const swap32: Operation = (site) => {
  const { lo: a } = site.place(site.instruction.operand('vdst'));
  const { lo: b } = site.place(site.instruction.operand('vdst1'));
  return site.step(({ i32, lanes, active }) => {
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      const kept = i32[a + l]!;
      i32[a + l] = i32[b + l]!;
      i32[b + l] = kept;
    }
  });
};

/** Halves are read into scratch rows, so the order of the writes does not matter. */
const swap16: Operation = (site) => {
  const a = site.source('src0', 'b16');
  const b = site.source('src1', 'b16');
  const d = site.destination('vdst', 'b16');
  const e = site.destination('vdst1', 'b16');
  return site.step(({ i32, lanes, active }) => {
    for (let k = 0; k < active; k++) {
      const l = lanes[k]!;
      i32[d.lo + l] = i32[a.lo + l]!;
      i32[e.lo + l] = i32[b.lo + l]!;
    }
  });
};

// --- registers relative to M0 ----------------------------------------------------------------------------------------

/** Which registers M0 displaces, and by which of its fields. */
interface Displacements {
  readonly source: (m0: number) => number;
  readonly destination: (m0: number) => number;
}

const none = (): number => 0;
const whole = (m0: number): number => m0 >>> 0;
const low = (m0: number): number => m0 & 0x3ff;
const high = (m0: number): number => (m0 >>> 16) & 0x3ff;

/**
 * First word of a register. The hardware takes v0 for numbers beyond the file; a program that does that is wrong.
 */
function displaced(site: Site, name: string, by: (m0: number) => number): (w: Wave) => number {
  const operand = site.instruction.operand(name);
  const { lo, stride } = site.place(operand);
  if (by === none || stride === 0) return () => lo;
  const { vgprs, size } = site.layout;
  return (w) => {
    const distance = by(w.i32[M0]!);
    if (operand.value + distance >= vgprs) throw new Fault(`M0 leads to vector register ${operand.value + distance}`);
    return lo + distance * size;
  };
}

const notSimulated = (name: string): Step => {
  return () => {
    throw new Fault(`${name} is not simulated`);
  };
};

function relative({ source, destination }: Displacements, swaps: boolean): Operation {
  return (site) => {
    const { instruction } = site;
    if (instruction.is('Sdwa') || instruction.is('Dpp')) return notSimulated(instruction.opcode.name);
    const { stride } = site.place(instruction.operand('src0'));
    const from = displaced(site, 'src0', source);
    const to = displaced(site, 'vdst', destination);
    return site.step((w) => {
      const { i32, lanes, active } = w;
      const a = from(w);
      const d = to(w);
      for (let k = 0; k < active; k++) {
        const l = lanes[k]!;
        const value = i32[a + l * stride]!;
        if (swaps) i32[a + l] = i32[d + l]!;
        i32[d + l] = value;
      }
    });
  };
}

const nothing: Operation = (site) => site.step(() => {});

export const vectorSelect: OperationTable = {
  v_mov_b32: unary32((a) => a),
  v_mov_b16: unaryInteger((a) => a, 'b16', 'b16'),
  v_accvgpr_read_b32: unary32((a) => a),
  v_accvgpr_write_b32: unary32((a) => a),
  v_accvgpr_mov_b32: unary32((a) => a),
  ...named(nothing, 'v_nop', 'v_clrexcp', 'v_pipeflush'),
  v_cndmask_b32: conditionalMove('b32', 'f32'),
  v_cndmask_b16: conditionalMove('b16', 'f16'),
  v_swap_b32: swap32,
  v_swap_b16: swap16,
  v_movrels_b32: relative({ source: whole, destination: none }, false),
  v_movreld_b32: relative({ source: none, destination: whole }, false),
  v_movrelsd_b32: relative({ source: whole, destination: whole }, false),
  v_movrelsd_2_b32: relative({ source: low, destination: high }, false),
  v_swaprel_b32: relative({ source: low, destination: high }, true),
};
