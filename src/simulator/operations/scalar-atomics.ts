/**
 * Scalar atomics (GFX9): like the vector ones, on one value. Compilers do not emit them, so BigInt serves both widths.
 * With the glc bit LLVM's instruction has an `sdst`, which gets the old value.
 */
import { Fault } from '../fault.js';
import type { Wave } from '../wave.js';
import type { Operation, OperationTable } from './operation.js';
import {
  bufferOffset,
  bufferSize,
  locateInBuffer,
  locateScalar,
  scalarAddress,
  scalarOffset,
} from './scalar-memory.js';

/** The new value from the old and the operand; all unsigned, results are cut to the width. */
type Update = (old: bigint, data: bigint, signed: (value: bigint) => bigint, compare: bigint) => bigint;

const UPDATES: Readonly<Record<string, Update>> = {
  swap: (_, data) => data,
  cmpswap: (old, data, _, compare) => (old === compare ? data : old),
  add: (old, data) => old + data,
  sub: (old, data) => old - data,
  smin: (old, data, signed) => (signed(data) < signed(old) ? data : old),
  umin: (old, data) => (data < old ? data : old),
  smax: (old, data, signed) => (signed(data) > signed(old) ? data : old),
  umax: (old, data) => (data > old ? data : old),
  and: (old, data) => old & data,
  or: (old, data) => old | data,
  xor: (old, data) => old ^ data,
  inc: (old, data) => (old >= data ? 0n : old + 1n),
  dec: (old, data) => (old === 0n || old > data ? data : old - 1n),
};

function read(w: Wave, at: number, words: 1 | 2): bigint {
  return BigInt(w.u32[at]!) | (words === 2 ? BigInt(w.u32[at + 1]!) << 32n : 0n);
}

function write(w: Wave, at: number, words: 1 | 2, value: bigint): void {
  w.u32[at] = Number(value & 0xffffffffn);
  if (words === 2) w.u32[at + 1] = Number(value >> 32n);
}

/** Replaces the value in memory, which other threads may be doing as well; returns the old one. */
function exchange(w: Wave, at: number, words: 1 | 2, next: (old: bigint) => bigint): bigint {
  if ((at & (4 * words - 1)) !== 0) throw new Fault(`a scalar atomic on ${4 * words} bytes is not aligned to them`);
  for (;;) {
    if (words === 1) {
      const old = Atomics.load(w.memory.u32, at >>> 2);
      if (Atomics.compareExchange(w.memory.u32, at >>> 2, old, Number(next(BigInt(old)))) === old) return BigInt(old);
    } else {
      const memory = new BigUint64Array(w.memory.buffer);
      const old = Atomics.load(memory, at >>> 3);
      if (Atomics.compareExchange(memory, at >>> 3, old, next(old)) === old) return old;
    }
  }
}

const atomic =
  (update: Update, words: 1 | 2, compares: boolean, isBuffer: boolean): Operation =>
  (site) => {
    const bits = 32 * words;
    const signed = (value: bigint): bigint => BigInt.asIntN(bits, value);
    const address = scalarAddress(site, isBuffer ? 4 : 2);
    const data = site.scalarSource('sdata', compares ? 2 * words : words);
    const d = site.instruction.has('sdst') ? site.scalarDestination('sdst', words) : -1;
    const place = (w: Wave): number => {
      if (!isBuffer) return locateScalar(w, address.base, scalarOffset(w, address), 4 * words, true);
      const offset = bufferOffset(w, address);
      if (offset + 4 * words > bufferSize(w, address.base)) return -1;
      return locateInBuffer(w, address.base, offset, 4 * words, true);
    };
    return site.step((w) => {
      const operand = read(w, data, words);
      const compare = compares ? read(w, data + words, words) : 0n;
      const at = place(w);
      const old =
        at < 0 ? 0n : exchange(w, at, words, (now) => BigInt.asUintN(bits, update(now, operand, signed, compare)));
      if (d >= 0) write(w, d, words, old);
    });
  };

export const scalarAtomics: OperationTable = Object.fromEntries(
  Object.entries(UPDATES).flatMap(([name, update]) =>
    [false, true].flatMap((isBuffer) => {
      const stem = `s_${isBuffer ? 'buffer_' : ''}atomic_${name}`;
      const compares = name === 'cmpswap';
      return [
        [stem, atomic(update, 1, compares, isBuffer)],
        [`${stem}_x2`, atomic(update, 2, compares, isBuffer)],
      ];
    }),
  ),
);
