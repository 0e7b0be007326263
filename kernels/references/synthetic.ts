/**
 * References of sb1.hip to sb4.hip and sb4c.hip, and their loops, which the -R kernels have too (synthetic-random.ts).
 * A thread owns one column of every LDS array, so a reference represents the columns as objects. Only at the end of a
 * round does a column depend on another: each takes a value from its neighbour's (thread ^ 1).
 */
import { bySize, byWorkgroup, f32, sum, u32, type Reference, type ReferenceLaunch } from './reference.js';

export const scalars = { rounds: 'u32', steps: 'u32' } as const;

/** Runs rounds of steps. In each round every column goes through all steps; then every column does its `exchange`. */
export function run<Column>(
  columns: readonly Column[],
  { scalars: { rounds, steps } }: ReferenceLaunch,
  step: (column: Column, tid: number, step: number, round: number) => void,
  exchange: (mine: Column, neighbour: Column, round: number) => void,
): readonly Column[] {
  for (let round = 0; round < rounds!; round++) {
    columns.forEach((column, tid) => {
      for (let n = 0; n < steps!; n++) step(column, tid, n, round);
    });
    columns.forEach((column, tid) => exchange(column, columns[tid ^ 1]!, round));
  }
  return columns;
}

/** What one block of the kernel does to a column of its array. */
type Block<Column> = (column: Column, step: number, round: number) => void;

export const hashed = (hash: number, value: number): number => u32(hash * 31 + value);

// --- SB1
// ------------------------------------------------------------------------------------------------------------------

export type Triple = [number, number, number];

/** What both sides of the diamond do to their array. */
function mixTriple(v: Triple, step: number): void {
  let [a, b, c] = v;
  a = u32(a * 5 + b);
  b = u32((b ^ a) + step);
  c = u32((c << 3) - (a & b));
  a = u32(a ^ (c >>> 7));
  b = u32(b * 9 + u32(c | a));
  c = u32(c + u32(a ^ (b >>> 3)));
  v[0] = a;
  v[1] = b;
  v[2] = c;
}

export const sb1: Reference = byWorkgroup(
  'u32',
  (elements, launch) => {
    const columns = elements.map((x) => ({
      left: [x, u32(x + 1), u32(x + 2)] as Triple,
      right: [x, u32(x ^ 1), u32(x ^ 2)] as Triple,
    }));
    run(
      columns,
      launch,
      ({ left, right }, tid, step) => mixTriple((tid >>> (step % 4)) % 2 ? left : right, step),
      (mine, neighbour, round) => (mine.left[1] = u32(mine.left[1] + neighbour.right[2] + round)),
    );
    return columns.map(({ left, right }) => u32(sum(left) + u32(right[0] ^ right[1] ^ right[2])));
  },
  { scalars },
);

// --- SB2
// ------------------------------------------------------------------------------------------------------------------

/** What both then-blocks do to the first two rows of their array. */
function mixFloats(v: Triple): void {
  const [x, y] = v;
  const a = f32(f32(x * 0.5) + f32(y * 0.25));
  const b = f32(f32(y - a) * 0.5);
  v[0] = f32(a + f32(b * 0.125));
  v[1] = f32(f32(v[0] * 0.375) - b);
}

/** The loops of SB2 around the then-blocks. */
export const ifThenPerSide = (b2: Block<Triple>, b3: Block<Triple>): Reference =>
  byWorkgroup(
    'f32',
    (elements, launch) => {
      const columns = elements.map((x) => ({
        left: [x, f32(x + 1), f32(x + 2)] as Triple,
        right: [x, f32(x - 1), f32(x - 2)] as Triple,
      }));
      run(
        columns,
        launch,
        ({ left, right }, tid, step, round) => {
          if ((tid + step) & 2) {
            const limit = f32(f32(left[2] * 0.25) + step);
            if (left[0] < limit) b2(left, step, round);
            left[2] = f32(limit - f32(left[1] * 0.5));
          } else {
            const limit = f32(1 - f32(right[2] * 0.5));
            if (right[0] > limit) b3(right, step, round);
            right[2] = f32(f32(right[0] * 0.25) + limit);
          }
        },
        (mine, neighbour, round) => (mine.left[0] = f32(mine.left[0] + f32(f32(neighbour.right[1] * 0.125) + round))),
      );
      const combined = (sign: 1 | -1, [a, b, c]: Triple): number => f32(a + sign * f32(b * c));
      return columns.map(({ left, right }) => f32(combined(1, left) - combined(-1, right)));
    },
    { scalars },
  );

export const sb2 = ifThenPerSide(mixFloats, mixFloats);

// --- SB3
// ------------------------------------------------------------------------------------------------------------------

export type Pair = [number, number];

/** C2 and C3. */
function mixFirst(v: Pair, step: number): void {
  let [a, b] = v;
  a = u32(a * 5 + b);
  b = u32((b ^ a) + step);
  a = u32(a ^ (b >>> 5));
  b = u32(b * 9 - (a & 0xffff));
  v[0] = a;
  v[1] = b;
}

/** C4: a rotation by 7 and a few bits. */
function mixMiddle(v: Pair): void {
  const [a, b] = v;
  const rotated = u32((a << 7) | (a >>> 25));
  v[0] = u32((b | (a >>> 11)) & ~(rotated << 2));
  v[1] = u32(rotated | 64);
}

/** C6 and C5. */
function mixLast(v: Pair, _step: number, round: number): void {
  let [a, b] = v;
  b = u32(b - u32(a << 2));
  a = u32(Math.imul(a | 3, b >>> 1));
  b = u32(b + u32(a ^ 0x9e3779b9));
  a = u32(a - (b >>> 9));
  v[0] = u32(a + round);
  v[1] = b;
}

/** The loops of SB3 around the then-blocks. */
export const ifThenSequences = (blocks: Readonly<Record<'c2' | 'c3' | 'c4' | 'c5' | 'c6', Block<Pair>>>): Reference =>
  byWorkgroup(
    'u32',
    (elements, launch) => {
      const columns = elements.map((x) => ({
        first: [0, 1].map((side): Pair => [u32(x + side), u32(x + 2 + side)]),
        middle: [x, u32(x ^ 1)] as Pair,
        last: [0, 1].map((side): Pair => [u32(x * 3 + side), u32(x * 3 + 1 + side)]),
      }));
      run(
        columns,
        launch,
        ({ first, middle, last }, tid, step, round) => {
          if ((tid ^ (step >>> 1)) & 1) {
            if ((first[0]![0] + step) & 2) blocks.c2(first[0]!, step, round);
            if (middle[0] > middle[1]) blocks.c4(middle, step, round);
            if ((last[0]![0] ^ step) & 4) blocks.c6(last[0]!, step, round);
          } else {
            if ((first[1]![0] - step) & 1) blocks.c3(first[1]!, step, round);
            if ((last[1]![1] + step) & 8) blocks.c5(last[1]!, step, round);
          }
        },
        (mine, neighbour) => {
          const taken = u32(neighbour.first[1]![1] ^ neighbour.last[0]![1]);
          mine.middle[0] = u32(mine.middle[0] + taken);
        },
      );
      return columns.map(({ first, middle, last }) =>
        [0, 1]
          .flatMap((side) => [0, 1].map((row) => u32(first[side]![row]! ^ last[side]![row]!)))
          .reduce(hashed, u32(middle[0] ^ middle[1])),
      );
    },
    { scalars },
  );

export const sb3 = ifThenSequences({ c2: mixFirst, c3: mixFirst, c4: mixMiddle, c5: mixLast, c6: mixLast });

// --- SB4
// ------------------------------------------------------------------------------------------------------------------

/** What all three blocks do to their array: SB1's computation and one more operation. */
function mixTripleMore(v: Triple, step: number): void {
  mixTriple(v, step);
  v[0] = u32(v[0] * 3 - (v[2] >>> 11));
}

/** Chooses the block D2, D4 or D5 for a thread; `element` is its element of the input. */
type Way = (tid: number, step: number, element: number) => 0 | 1 | 2;

/** sb4.hip */
export const byThread: Way = (tid, step) => ([0, 1, 2, 2] as const)[(tid + step) % 4]!;
/** sb4c.hip */
export const byThreadAndData: Way = (tid, step, element) =>
  (tid ^ (step >>> 1)) % 2 ? 0 : (element >>> step) & 1 ? 1 : 2;

/** The loops of SB4 around the blocks. */
export const threeWay = (
  way: Way,
  ...blocks: readonly [d2: Block<Triple>, d4: Block<Triple>, d5: Block<Triple>]
): Reference =>
  byWorkgroup(
    'u32',
    (elements, launch) => {
      const columns = elements.map((x): [left: Triple, middle: Triple, right: Triple] => [
        [x, u32(x + 1), u32(x + 2)],
        [x, u32(x ^ 1), u32(x ^ 2)],
        [x, u32(x - 1), u32(x - 2)],
      ]);
      run(
        columns,
        launch,
        (column, tid, step, round) => {
          const taken = way(tid, step, elements[tid]!);
          blocks[taken](column[taken], step, round);
        },
        ([left], [, middle, right], round) => (left[1] = u32(left[1] + u32(middle[2] ^ u32(right[0] + round)))),
      );
      return columns.map(([left, middle, right]) =>
        left.map((value, row) => u32(value ^ u32(middle[row]! + 3 * right[row]!))).reduce(hashed, 0),
      );
    },
    { scalars },
  );

const sb4 = threeWay(byThread, mixTripleMore, mixTripleMore, mixTripleMore);
const sb4c = threeWay(byThreadAndData, mixTripleMore, mixTripleMore, mixTripleMore);

/** Block sizes of all synthetic kernels. */
export const SIZES = [32, 64, 128, 256] as const;

export const synthetic = {
  ...bySize('sb1s', SIZES, () => sb1),
  ...bySize('sb2s', SIZES, () => sb2),
  ...bySize('sb3s', SIZES, () => sb3),
  ...bySize('sb4', SIZES, () => sb4),
  ...bySize('sb4c', SIZES, () => sb4c),
};
