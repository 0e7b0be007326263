/**
 * Damages files of any binary format: flipped bits, truncation, pieces moved, removed or taken from another file,
 * impossible lengths.
 */
import type { Draw } from '../../support/draw.js';

type Mutation = (bytes: Uint8Array, draw: Draw, other: Uint8Array) => Uint8Array;

/** Values on which size and offset computations go wrong. */
const LENGTHS = [0n, 1n, 0x7fffn, 0xffffn, 0x10000n, 0x7fff_ffffn, 0x8000_0000n, 0xffff_ffffn, 0x1_0000_0000n, 2n ** 53n - 1n, 2n ** 63n, 2n ** 64n - 1n]; // prettier-ignore

/** A range of at most `longest` bytes. */
function range(bytes: Uint8Array, draw: Draw, longest: number): [start: number, end: number] {
  const start = draw.below(bytes.length + 1);
  return [start, Math.min(bytes.length, start + 1 + draw.below(longest))];
}

const joined = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts));

/** Where fields are: often near the start, else anywhere; aligned. */
function fieldOffset(bytes: Uint8Array, draw: Draw, size: number): number {
  const last = Math.max(1, Math.floor((draw.chance(0.4) ? Math.min(bytes.length, 512) : bytes.length) / size));
  return draw.below(last) * size;
}

const flipBits: Mutation = (bytes, draw) => {
  const result = bytes.slice();
  for (let i = draw.pick([1, 1, 1, 2, 4, 8]); i > 0; i--) result[draw.below(bytes.length)]! ^= 1 << draw.below(8);
  return result;
};

const setByte: Mutation = (bytes, draw) => {
  const result = bytes.slice();
  result[draw.below(bytes.length)] = draw.pick([0, 1, 0x7f, 0x80, 0xff, draw.below(256)]);
  return result;
};

const setLength: Mutation = (bytes, draw) => {
  const size = draw.pick([2, 4, 4, 8]);
  const result = Buffer.from(bytes);
  const at = fieldOffset(bytes, draw, draw.chance(0.9) ? Math.min(size, 4) : 1);
  if (at + size > result.length) return result;
  const near = BigInt(bytes.length + draw.below(9) - 4);
  const value = BigInt.asUintN(8 * size, draw.chance(0.3) ? near : draw.pick(LENGTHS));
  if (size === 2) result.writeUInt16LE(Number(value), at);
  else if (size === 4) result.writeUInt32LE(Number(value), at);
  else result.writeBigUInt64LE(value, at);
  return new Uint8Array(result);
};

const truncate: Mutation = (bytes, draw) => bytes.slice(0, draw.below(bytes.length));

const zeroRun: Mutation = (bytes, draw) => {
  const [start, end] = range(bytes, draw, 512);
  return bytes.slice().fill(draw.chance(0.8) ? 0 : 0xff, start, end);
};

const remove: Mutation = (bytes, draw) => {
  const [start, end] = range(bytes, draw, draw.chance(0.5) ? 8 : 1024);
  return joined(bytes.subarray(0, start), bytes.subarray(end));
};

const repeat: Mutation = (bytes, draw) => {
  const [start, end] = range(bytes, draw, draw.chance(0.5) ? 8 : 1024);
  const times = 1 + draw.below(draw.chance(0.1) ? 200 : 3);
  const piece = bytes.subarray(start, end);
  return joined(bytes.subarray(0, end), ...Array.from({ length: times }, () => piece), bytes.subarray(end));
};

const spliceOther: Mutation = (bytes, draw, other) => {
  const [start, end] = range(bytes, draw, 2048);
  const [from, to] = range(other, draw, 2048);
  return joined(bytes.subarray(0, start), other.subarray(from, to), bytes.subarray(end));
};

const swapWords: Mutation = (bytes, draw) => {
  const result = bytes.slice();
  const [a, b] = [fieldOffset(bytes, draw, 4), fieldOffset(bytes, draw, 4)];
  if (Math.max(a, b) + 4 > bytes.length) return result;
  result.set(bytes.subarray(b, b + 4), a);
  result.set(bytes.subarray(a, a + 4), b);
  return result;
};

const MUTATIONS = [flipBits, flipBits, setByte, setByte, setLength, setLength, truncate, zeroRun, remove, repeat, spliceOther, swapWords]; // prettier-ignore

/** Up to three mutations, one after the other. `other` is where foreign pieces come from. */
export function mutateBytes(bytes: Uint8Array, draw: Draw, other: Uint8Array): Uint8Array {
  let result = bytes;
  for (let i = draw.pick([1, 1, 1, 2, 3]); i > 0 && result.length > 0; i--)
    result = draw.pick(MUTATIONS)(result, draw, other);
  return result;
}
