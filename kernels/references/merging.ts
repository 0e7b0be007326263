/** References of pcm.hip and ms.hip: parts of the array in ascending order. */
import { bySize, type Reference } from './reference.js';

/** Sorts every run of `length` elements separately. */
const sortedParts = (values: ArrayLike<number>, length: number): Int32Array => {
  const result = Int32Array.from(values);
  for (let start = 0; start < result.length; start += length) result.subarray(start, start + length).sort();
  return result;
};

export const pcm = bySize('pcm', [32, 64, 128, 256], (size): Reference => ({
  scalars: { length: 'i32' },
  compute: ({ buffers, scalars }) => ({ values: sortedParts(buffers['values']!, size * scalars['length']!) }),
}));

export const ms = bySize('ms', [32, 64, 128, 256], (): Reference => ({
  scalars: { perThread: 'u32', longest: 'u32' },
  compute({ buffers, scalars: { longest } }) {
    const values = buffers['values']!;
    // The last pass leaves runs of `longest` in one buffer and the one before it runs of half the length in the other.
    const last = sortedParts(values, longest!);
    const other = longest! > 2 ? sortedParts(values, longest! / 2) : Int32Array.from(values);
    return Math.log2(longest!) % 2 === 0 ? { values: last, spare: other } : { values: other, spare: last };
  },
}));
