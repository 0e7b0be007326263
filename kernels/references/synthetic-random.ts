/**
 * References of sb1r.hip to sb4r.hip and sb4cr.hip. They have the loops of the kernels without -R; the blocks in the
 * loops are sequences of instructions that were drawn at random when the kernels were written.
 */
import { bySize, byWorkgroup, f32, u32, type Reference } from './reference.js';
import {
  byThread,
  byThreadAndData,
  ifThenPerSide,
  ifThenSequences,
  hashed,
  run,
  scalars,
  SIZES,
  threeWay,
  type Pair,
  type Triple,
} from './synthetic.js';

type Four = [number, number, number, number];

// --- SB1-R
// ----------------------------------------------------------------------------------------------------------------

/** A2. */
function a2(v: Four, step: number): void {
  let [a, b, c, d] = v;
  d = u32(Math.imul(d | 8, c));
  b = u32(b * 13 + c);
  c = c < a ? c : u32(a + 37);
  a = u32(Math.imul(a | 16, b));
  b = u32(b + a);
  b = u32(b ^ (c >>> 19));
  a = u32(a - (~b >>> 7));
  d = u32(d + u32(a ^ step));
  d = u32(d * 37 + b);
  d = u32(Math.imul(d | 1, b));
  d = u32(d + b);
  a = u32(a * 5 + b);
  a = u32(d - u32(a & 0x37316c00));
  c = u32(c + a);
  b = u32(a - u32(b & 0x7bf464dd));
  b = u32(b + u32(d ^ step));
  a = u32(a + u32(d ^ step));
  a = u32(a - (~b >>> 15));
  d = u32(d ^ (a >>> 7));
  c = u32((c << 4) | (c >>> 28));
  a = u32((a << 5) | (a >>> 27));
  c = u32(c - (~a >>> 8));
  d = u32(Math.imul(d | 2, b));
  a = u32(a ^ (b + 3));
  c = u32(c + u32(a ^ step));
  b = u32(b ^ (a >>> 7));
  v[0] = a;
  v[1] = b;
  v[2] = c;
  v[3] = d;
}

/** A3. */
function a3(v: Four): void {
  let [a, b, c, d] = v;
  a = u32((a << 9) | (a >>> 23));
  c = u32(c + (d << 10));
  b = u32((b << 10) | (b >>> 22));
  d = u32(d * 37 + a);
  a = u32(c - a);
  d = u32(d ^ (c + 19));
  d = u32((d << 14) | (d >>> 18));
  d = u32(d ^ (c + 11));
  a = u32(a + (b << 12));
  c = u32(c + (b << 3));
  a = a < d ? a : u32(d + 9);
  a = u32(c - a);
  d = u32(d ^ (c + 3));
  b = u32(b - (~c >>> 14));
  a = u32((a << 19) | (a >>> 13));
  b = u32((b << 16) | (b >>> 16));
  c = u32(c ^ (b + 11));
  b = u32((b << 17) | (b >>> 15));
  c = u32(a - c);
  c = u32(c + (a << 8));
  c = u32(b - c);
  v[0] = a;
  v[1] = b;
  v[2] = c;
  v[3] = d;
}

const sb1r: Reference = byWorkgroup(
  'u32',
  (elements, launch) => {
    const columns = elements.map((x) => ({
      left: [0, 1, 2, 3].map((row) => u32(x + row)) as Four,
      right: [0, 1, 2, 3].map((row) => u32(x ^ row)) as Four,
    }));
    run(
      columns,
      launch,
      ({ left, right }, tid, step) => ((tid >>> (step % 4)) % 2 ? a2(left, step) : a3(right)),
      (mine, neighbour, round) => (mine.left[1] = u32(mine.left[1] + neighbour.right[2] + round)),
    );
    return columns.map(({ left, right }) =>
      left.map((value, row) => u32(value ^ u32(right[row]! + row))).reduce(hashed, 0),
    );
  },
  { scalars },
);

// --- SB2-R
// ----------------------------------------------------------------------------------------------------------------

/** B2, after its condition. */
function b2(v: Triple, step: number): void {
  let [a, b] = v;
  a = f32(f32(a - b) * 0.5);
  b = f32(f32(b * 0.75) + 3);
  b = f32(f32(a * 0.25) - f32(b * 0.5));
  a = a < b ? a : f32(b * 0.875);
  b = f32(f32(b + a) * 0.5);
  a = f32(f32(a * 0.375) + step);
  a = f32(a - f32(b * 0.125));
  b = f32(7 - f32(b * 0.625));
  a = f32(a * a) < 9 ? f32(a + b) : f32(a * 0.5);
  b = f32(f32(b * 0.25) + f32(a * 0.5));
  v[0] = a;
  v[1] = b;
}

/** B3, after its condition. */
function b3(v: Triple, step: number): void {
  let [a, b] = v;
  b = f32(f32(b * 0.5) + f32(a * 0.25));
  a = f32(5 - f32(a * 0.625));
  a = f32(f32(a * 0.375) - b);
  b = b < a ? f32(b * 0.75) : a;
  a = f32(f32(a + b) * 0.5);
  b = f32(f32(b * 0.25) + step);
  a = f32(b - f32(a * 0.125));
  b = f32(f32(b - a) * 0.5);
  v[0] = a;
  v[1] = b;
}

const sb2r: Reference = ifThenPerSide(b2, b3);

// --- SB3-R
// ----------------------------------------------------------------------------------------------------------------

/** C2, after its condition. */
function c2(v: Pair, step: number): void {
  let [a, b] = v;
  a = u32(a * 13 + b);
  b = u32(b + u32(a ^ step));
  a = a < b ? a : u32(b + 13);
  b = u32(a - b);
  a = u32(a ^ (b >>> 14));
  b = u32(a - b);
  a = u32(a + b);
  b = b < a ? b : u32(a + 9);
  b = u32(a - b);
  v[0] = a;
  v[1] = b;
}

/** C4, after its condition. */
function c4(v: Pair, step: number): void {
  let [a, b] = v;
  b = u32((b << 9) | (b >>> 23));
  b = u32(b ^ (a + 5));
  b = b < a ? b : u32(a + 11);
  a = u32(a + u32(b ^ step));
  b = u32(a - u32(b & 0xb0db10aa));
  b = u32(b + u32(a ^ step));
  v[0] = a;
  v[1] = b;
}

/** C6, after its condition. */
function c6(v: Pair): void {
  let [a, b] = v;
  b = u32(b + (a << 18));
  a = a < b ? a : u32(b + 11);
  a = u32(a ^ (b >>> 19));
  a = u32(a - (~b >>> 18));
  a = u32(a ^ (b >>> 6));
  b = u32(b ^ (a >>> 16));
  a = u32(Math.imul(a | 8, b));
  b = u32(b + a);
  a = u32(a + b);
  b = u32(Math.imul(b | 8, a));
  a = u32(a - (~b >>> 3));
  v[0] = a;
  v[1] = b;
}

/** C3, after its condition. */
function c3(v: Pair, step: number): void {
  let [a, b] = v;
  a = u32(a ^ (b + 37));
  b = u32(a - b);
  b = u32(b ^ (a >>> 3));
  a = u32(a * 37 + b);
  b = u32(a - u32(b & 0xf39cfaa7));
  b = u32(b + u32(a ^ step));
  b = u32(b + (a << 5));
  b = u32(b - (~a >>> 14));
  v[0] = a;
  v[1] = b;
}

/** C5, after its condition. */
function c5(v: Pair): void {
  let [a, b] = v;
  a = u32((a << 19) | (a >>> 13));
  a = u32(Math.imul(a | 2, b));
  b = u32(b ^ (a + 37));
  a = u32(a - (~b >>> 18));
  a = u32(a ^ (b + 11));
  b = u32(a - b);
  b = u32(b ^ (a + 25));
  a = u32(a * 13 + b);
  b = u32((b << 11) | (b >>> 21));
  b = u32(b ^ (a + 7));
  v[0] = a;
  v[1] = b;
}

const sb3r: Reference = ifThenSequences({ c2, c4, c6, c3, c5 });

// --- SB4-R
// ----------------------------------------------------------------------------------------------------------------

/** D2. */
function d2(v: Triple, step: number): void {
  let [a, b, c] = v;
  b = u32(a - u32(b & 0x4f6ceb77));
  b = u32((b << 9) | (b >>> 23));
  c = u32(c ^ (a >>> 8));
  b = u32(b - (~a >>> 6));
  c = u32(c + u32(a ^ step));
  a = u32(a - (~b >>> 3));
  a = u32(Math.imul(a | 1, c));
  a = u32(a ^ (c >>> 17));
  c = u32(a - u32(c & 0x940588a1));
  c = u32(c ^ (b >>> 14));
  c = u32(c + a);
  a = u32(a + u32(c ^ step));
  b = b < c ? b : u32(c + 37);
  b = u32(b + a);
  c = u32((c << 5) | (c >>> 27));
  a = u32(Math.imul(a | 16, c));
  v[0] = a;
  v[1] = b;
  v[2] = c;
}

/** D4. */
function d4(v: Triple): void {
  let [a, b, c] = v;
  a = u32(a + b);
  a = u32(a * 11 + c);
  a = a < c ? a : u32(c + 9);
  b = u32(a - u32(b & 0xf7b4c6c5));
  a = u32((a << 5) | (a >>> 27));
  c = u32(a - c);
  c = u32(Math.imul(c | 4, a));
  c = u32(c ^ (a + 25));
  a = u32(a + c);
  b = u32(c - b);
  c = c < b ? c : u32(b + 37);
  b = u32(Math.imul(b | 2, c));
  c = u32(c ^ (a + 11));
  v[0] = a;
  v[1] = b;
  v[2] = c;
}

/** D5. */
function d5(v: Triple, step: number): void {
  let [a, b, c] = v;
  c = u32((c << 11) | (c >>> 21));
  c = u32(c ^ (b >>> 10));
  c = u32(c - (~a >>> 18));
  c = u32((c << 4) | (c >>> 28));
  b = u32(Math.imul(b | 4, c));
  c = u32(c ^ (b >>> 3));
  b = u32(b * 11 + c);
  a = u32(a ^ (b >>> 7));
  c = u32((c << 12) | (c >>> 20));
  c = u32(c + u32(b ^ step));
  b = u32(b + u32(c ^ step));
  c = u32(b - u32(c & 0x0a34c60b));
  b = u32(b * 3 + a);
  b = u32(b + u32(a ^ step));
  a = u32((a << 17) | (a >>> 15));
  v[0] = a;
  v[1] = b;
  v[2] = c;
}

const sb4r: Reference = threeWay(byThread, d2, d4, d5);
const sb4cr: Reference = threeWay(byThreadAndData, d2, d4, d5);

export const random = {
  ...bySize('sb1r', SIZES, () => sb1r),
  ...bySize('sb2r', SIZES, () => sb2r),
  ...bySize('sb3r', SIZES, () => sb3r),
  ...bySize('sb4r', SIZES, () => sb4r),
  ...bySize('sb4cr', SIZES, () => sb4cr),
};
