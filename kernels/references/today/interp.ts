/** Reference of interp.hip, an interpreter, as a table of operations. */
import { perThread, u32 } from '../reference.js';

/** Computes the result from the two sources, the old value of the destination, and the constant. */
type Operation = (a: number, b: number, old: number, constant: number) => number;

const OPERATIONS: readonly (Operation | null)[] = [
  (a, b) => a + b,
  (a, b) => a - b,
  (a, b) => Math.imul(a, b),
  (a, b) => a & b,
  (a, b) => a | b,
  (a, b) => a ^ b,
  (a, b) => a << (b % 32),
  (a, b) => a >>> (b % 32),
  (a, b) => Math.min(a, b),
  (a, b) => Math.max(a, b),
  (a, b, old) => old + u32(Math.imul(a, b)),
  (_a, _b, _old, constant) => constant,
  null, // LOAD
  (a, _b, _old, constant) => (constant % 32 === 0 ? a : (a << (constant % 32)) | (a >>> (32 - (constant % 32)))),
  (a, b, old) => (a % 2 === 1 ? b : old),
  (_a, _b, old) => old, // SKIP
];
const LOAD = 12;
const SKIP = 15;

export const interp = perThread(
  { out: 'u32' },
  (thread, { buffers: { programs, data }, scalars: { length, mask }, grid, block }) => {
    const registers = Array.from({ length: 8 }, (_, register) => data![(thread + register) & mask!]!);
    for (let at = 0; at < length!; at++) {
      const word = programs![at * grid[0] * block[0] + thread]!;
      const [a, b] = [registers[(word >>> 7) % 8]!, registers[(word >>> 10) % 8]!];
      const [operation, to, constant] = [word % 16, (word >>> 4) % 8, word >>> 16];
      if (operation === SKIP && a < b) at += constant % 4;
      registers[to] = u32(
        operation === LOAD ? data![(a + constant) & mask!]! : OPERATIONS[operation]!(a, b, registers[to]!, constant),
      );
    }
    return { out: registers.reduce((digest, value) => u32(digest * 31 + value), 0) };
  },
  { length: 'u32', mask: 'u32' },
);
