/** The shapes of lane-wise integer operations, and saturation. */
import type { ValueType } from '../operands.js';
import { specialize } from '../specialize.js';
import type { Step, Wave } from '../wave.js';
import type { Operation } from './operation.js';

export type Unary = (a: number) => number;
export type Binary = (a: number, b: number) => number;
export type Ternary = (a: number, b: number, c: number) => number;

/** One operation without, the other with the clamp bit. */
export function clampable(plain: Operation, clamped: Operation): Operation {
  return (site) => (site.instruction.immediate('clamp') !== 0 ? clamped(site) : plain(site));
}

/*
 * The loops. Where all lanes are active, an iteration does four lanes without looking up their numbers: at the end of
 * each iteration V8 checks for interrupts, which costs about as much as a lane.
 */

type UnaryLoop = (f: Unary, d: number, a: number, as: number) => Step;
const unaryLoop: UnaryLoop = (f, d, a, as) => (w: Wave) => {
  const { i32, lanes, active } = w;
  if (active === w.size) {
    for (let at = d, x = a; at < d + active; at += 4) {
      i32[at] = f(i32[x]!);
      i32[at + 1] = f(i32[(x += as)]!);
      i32[at + 2] = f(i32[(x += as)]!);
      i32[at + 3] = f(i32[(x += as)]!);
      x += as;
    }
    return;
  }
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    i32[d + l] = f(i32[a + l * as]!);
  }
};

type BinaryLoop = (f: Binary, d: number, a: number, as: number, b: number, bs: number) => Step;
const binaryLoop: BinaryLoop = (f, d, a, as, b, bs) => (w: Wave) => {
  const { i32, lanes, active } = w;
  if (active === w.size) {
    for (let at = d, x = a, y = b; at < d + active; at += 4) {
      i32[at] = f(i32[x]!, i32[y]!);
      i32[at + 1] = f(i32[(x += as)]!, i32[(y += bs)]!);
      i32[at + 2] = f(i32[(x += as)]!, i32[(y += bs)]!);
      i32[at + 3] = f(i32[(x += as)]!, i32[(y += bs)]!);
      x += as;
      y += bs;
    }
    return;
  }
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    i32[d + l] = f(i32[a + l * as]!, i32[b + l * bs]!);
  }
};

type TernaryLoop = (f: Ternary, d: number, a: number, as: number, b: number, bs: number, c: number, cs: number) => Step;
const ternaryLoop: TernaryLoop = (f, d, a, as, b, bs, c, cs) => (w: Wave) => {
  const { i32, lanes, active } = w;
  if (active === w.size) {
    for (let at = d, x = a, y = b, z = c; at < d + active; at += 4) {
      i32[at] = f(i32[x]!, i32[y]!, i32[z]!);
      i32[at + 1] = f(i32[(x += as)]!, i32[(y += bs)]!, i32[(z += cs)]!);
      i32[at + 2] = f(i32[(x += as)]!, i32[(y += bs)]!, i32[(z += cs)]!);
      i32[at + 3] = f(i32[(x += as)]!, i32[(y += bs)]!, i32[(z += cs)]!);
      x += as;
      y += bs;
      z += cs;
    }
    return;
  }
  for (let k = 0; k < active; k++) {
    const l = lanes[k]!;
    i32[d + l] = f(i32[a + l * as]!, i32[b + l * bs]!, i32[c + l * cs]!);
  }
};

/** vdst = f(src0). */
export function unaryInteger(f: Unary, source: ValueType, destination: ValueType): Operation {
  const loop = specialize(unaryLoop);
  return (site) => {
    const a = site.source('src0', source);
    const d = site.destination('vdst', destination);
    return site.step(loop(f, d.lo, a.lo, a.stride));
  };
}

/** vdst = f(src0, src1). */
export function binaryInteger(f: Binary, sources: ValueType, destination: ValueType): Operation {
  const loop = specialize(binaryLoop);
  return (site) => {
    const a = site.source('src0', sources);
    const b = site.source('src1', sources);
    const d = site.destination('vdst', destination);
    return site.step(loop(f, d.lo, a.lo, a.stride, b.lo, b.stride));
  };
}

/** vdst = f(src0, src1, src2); src0 and src1 are of the type `sources`. */
export function ternaryInteger(f: Ternary, sources: ValueType, last: ValueType, destination: ValueType): Operation {
  const loop = specialize(ternaryLoop);
  return (site) => {
    const a = site.source('src0', sources);
    const b = site.source('src1', sources);
    const c = site.source('src2', last);
    const d = site.destination('vdst', destination);
    return site.step(loop(f, d.lo, a.lo, a.stride, b.lo, b.stride, c.lo, c.stride));
  };
}

/** The same on whole registers as signed 32-bit integers. */
export const unary32 = (f: Unary): Operation => unaryInteger(f, 'b32', 'b32');
export const binary32 = (f: Binary): Operation => binaryInteger(f, 'b32', 'b32');
export const ternary32 = (f: Ternary): Operation => ternaryInteger(f, 'b32', 'b32', 'b32');

// --- saturation ------------------------------------------------------------------------------------------------------

export const saturateU16: Unary = (value) => Math.max(0, Math.min(0xffff, value));
export const saturateI16: Unary = (value) => Math.max(-0x8000, Math.min(0x7fff, value));
export const saturateU32: Unary = (value) => Math.max(0, Math.min(0xffffffff, value)) | 0;
export const saturateI32: Unary = (value) => Math.max(-0x80000000, Math.min(0x7fffffff, value)) | 0;
