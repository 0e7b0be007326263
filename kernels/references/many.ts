/**
 * References of many.hip. In most kernels a thread has values in two arrays, and each side of a branch changes one of
 * them. The output combines a thread's own value in one array with that of its neighbour (thread ^ 1) in the other.
 */
import { byWorkgroup, f32, sum, u32, type Reference } from './reference.js';

interface Column<Value> {
  left: Value;
  right: Value;
}

type Pair = [number, number];

/** The output of the kernels with one value per side: a thread's left value minus its neighbour's right one. */
const difference = (columns: readonly Column<number>[]): number[] =>
  columns.map(({ left }, tid) => u32(left - columns[tid ^ 1]!.right));

/** The output of the kernels with two values per side. */
const combination = (columns: readonly Column<Pair>[], weight: number): number[] =>
  columns.map(({ left }, tid) => {
    const { right } = columns[tid ^ 1]!;
    return u32(left[0] + left[1] * weight - u32(right[0] ^ right[1]));
  });

const xorShifted = (value: number, right: number): number => u32(value ^ (value >>> right));

// --- Binary32
// -------------------------------------------------------------------------------------------------------------

export const manyStream: Reference = byWorkgroup(
  'f32',
  (x, { scalars }) => x.map((value, tid) => f32(f32(value * scalars['scale']!) + x[tid ^ 1]!)),
  { scalars: { scale: 'f32' } },
);

/** Rounds to a multiple of `step`, halves away from zero. Values that are not negative are scaled as well. */
export const manyQuantize: Reference = byWorkgroup(
  'f32',
  (x, { scalars }) =>
    x.map((value) => {
      const step = scalars['step']!;
      const multiple = Math.floor(f32(f32(Math.abs(value) + f32(step * 0.5)) / step));
      return value < 0 ? -f32(multiple * step) : f32(f32(f32(multiple * 0.75) + 1) * step);
    }),
  { scalars: { step: 'f32' } },
);

// --- One value per side
// ---------------------------------------------------------------------------------------------------

/**
 * The sides of many_uniform and many_shortcircuit, and the right side of many_crosslane: they do not use the thread's
 * id.
 */
function plainLeft(x: number): number {
  const a = xorShifted(u32(x * 5 + 3), 9);
  return u32(a ^ (a << 3));
}
function plainRight(x: number): number {
  const a = xorShifted(u32(u32(x + 7) * 7 + 11), 5);
  return u32(a ^ (a << 4));
}

/** The threads for which `chosen` holds change their left value, the others their right one. */
function either(
  x: readonly number[],
  chosen: (tid: number) => boolean,
  left: (value: number, tid: number) => number = plainLeft,
  right: (value: number, tid: number) => number = plainRight,
): number[] {
  return difference(
    x.map((value, tid) =>
      chosen(tid) ? { left: left(value, tid), right: u32(value + 7) } : { left: value, right: right(value, tid) },
    ),
  );
}

const isOdd = (value: number): boolean => value % 2 === 1;

export const manyDiamond: Reference = byWorkgroup('u32', (x) =>
  either(
    x,
    isOdd,
    (value, tid) => {
      const a = u32(xorShifted(u32(value * 5 + 3), 9) * 17 + tid);
      return u32(a ^ (a << 3));
    },
    (value, tid) => {
      const a = u32(xorShifted(u32(u32(value + 7) * 7 + 11), 5) * 13 + tid);
      return u32(a ^ (a << 4));
    },
  ),
);

export const manyUniform: Reference = byWorkgroup('u32', (x, { scalars }) => either(x, () => isOdd(scalars['mode']!)), {
  scalars: { mode: 'u32' },
});

/** The first active lane on the odd side has a thread id of 1 modulo 32, whether a wave has 32 or 64 lanes. */
export const manyCrosslane: Reference = byWorkgroup('u32', (x) =>
  either(x, isOdd, (value) => {
    const a = xorShifted(u32(value * 5 + 1), 9);
    return u32(a ^ (a << 3));
  }),
);

export const manyShortcircuit: Reference = byWorkgroup('u32', (x) => {
  const keys = x.map((value) => [value & 15, (value >>> 4) & 15] as const);
  return either(x, (tid) => {
    const [key, limit] = keys[tid]!;
    return key < 4 || (key > 6 && keys[(tid + 1) % x.length]![x[tid]! & 1]! > limit);
  });
});

// --- Two values per side
// --------------------------------------------------------------------------------------------------

function nest([x, y]: Pair, limit: number, bit: number, tid: number): Pair {
  if (x <= limit) return [x, y];
  const a = u32(x * 5 + y);
  const changed = xorShifted(a, 3);
  if ((a & bit) === 0) return [x, changed];
  const b = u32(a * 11 - tid);
  return [u32(b ^ (b << 2)), changed];
}

export const manyNested: Reference = byWorkgroup('u32', (x) =>
  combination(
    x.map((value, tid) => {
      const left: Pair = [value, value >>> 1];
      const right: Pair = [value, u32(value << 1)];
      return isOdd(u32(tid ^ (tid >>> 2)))
        ? { left: nest(left, 100, 4, tid), right }
        : { left, right: nest(right, 200, 8, tid) };
    }),
    3,
  ),
);

/** Changes the two values in turn, each from the other, `trips` + 1 times. */
function toAndFro(pair: Pair, trips: number, factor: number, shift: number): Pair {
  const values: Pair = [...pair];
  for (let n = 0; n <= trips; n++) values[(n + 1) % 2] = xorShifted(u32(values[n % 2]! * factor + n), shift);
  return values;
}

export const manyLoops: Reference = byWorkgroup('u32', (x) =>
  combination(
    x.map((value, tid) => {
      const left: Pair = [value, u32(value + 1)];
      const right: Pair = [u32(~value), u32(~value - 1)];
      return tid & 2
        ? { left: toAndFro(left, value & 7, 5, 7), right }
        : { left, right: toAndFro(right, value & 7, 9, 4) };
    }),
    3,
  ),
);

function mixPair([x, y]: Pair): Pair {
  const a = u32(x * 5 + y);
  const b = u32(u32(y ^ a) * 9);
  const last = u32(a ^ (b >>> 5));
  return [last, u32(b * 11 + u32(last << 2))];
}

export const manyBlockRegion: Reference = byWorkgroup('u32', (x) =>
  combination(
    x.map((value, tid) => {
      const left: Pair = [value, u32(value + 1)];
      const right: Pair = [value, u32(value ^ 1)];
      if (isOdd(tid)) return { left: mixPair(left), right };
      return { left, right: value & 16 ? mixPair(right) : right };
    }),
    1,
  ),
);

// --- Others
// ---------------------------------------------------------------------------------------------------------------

/** Each odd thread adds an arithmetic series to one sum; each even one adds variants of its value to another. */
export const manyAtomics: Reference = byWorkgroup('u32', (x) => {
  const series = (value: number): number => {
    const trips = value & 3;
    return u32(value * (trips + 1) + (trips * (trips + 1)) / 2);
  };
  const changed = (value: number): number => sum(Array.from({ length: (value & 3) + 1 }, (_, n) => u32(value ^ n)));
  const odd = sum(x.filter((_, tid) => isOdd(tid)).map(series));
  const even = sum(x.filter((_, tid) => !isOdd(tid)).map(changed));
  return x.map((_, tid) => u32(odd + even * 3 + tid));
});

/** The constants of the cases: a factor, a shift and another factor. */
const CASES = [
  { first: 5, shift: 9, last: 3 },
  { first: 7, shift: 8, last: 5 },
  { first: 9, shift: 7, last: 7 },
  { first: 11, shift: 6, last: 9 },
] as const;

export const manySwitch: Reference = byWorkgroup('u32', (x) => {
  const columns = x.map((value, tid) =>
    CASES.map(({ first, shift, last }, row) =>
      (value & 3) === row ? u32(xorShifted(u32(u32(value + row) * first + 1), shift) * last + tid) : u32(value + row),
    ),
  );
  return columns.map((mine, tid) => {
    const neighbour = columns[tid ^ 1]!;
    return u32(mine[0]! ^ mine[1]! ^ neighbour[2]! ^ neighbour[3]!);
  });
});

/** The device function of many_calls: it scrambles one of its arguments, and the result replaces one of them. */
function scramble(value: number, salt: number): number {
  const pair: Pair = [value, salt];
  if (isOdd(value)) {
    const a = u32(xorShifted(u32(Math.imul(pair[salt % 2]!, 2654435761)), 15) * 9 + salt);
    pair[a >>> 31] = u32(a ^ (a << 6));
  } else {
    const a = u32(xorShifted(u32(Math.imul(pair[1 - (salt % 2)]!, 2246822519)), 13) * 9 + value);
    pair[a >>> 31] = u32(a - u32(a << 7));
  }
  return u32(pair[0] ^ u32(pair[1] * 3));
}

export const manyCalls: Reference = byWorkgroup('u32', (x) =>
  x.map((value, tid) =>
    tid & 4
      ? xorShifted(u32(scramble(u32(value * 5 + 1), tid) * 3), 11)
      : xorShifted(u32(scramble(tid, u32(value * 7 + 3)) * 5), 7),
  ),
);

export const manyReduce: Reference = byWorkgroup('u32', (x, { grid }) => {
  const total = sum(x);
  return x.map((_, tid) => u32(total + tid * grid[0]));
});
