/** Reference of dct.hip: each value is rounded to the nearest multiple of its quantum, halves away from zero. */
import { bySize, type Reference } from './reference.js';

export const dct = bySize('dct', ['4x4', '8x8', '16x16'], (size): Reference => ({
  scalars: { width: 'u32' },
  compute({ buffers, scalars }) {
    const side = Number.parseInt(size);
    const width = scalars['width']!;
    const plane = Int32Array.from(buffers['plane']!, (value, at) => {
      const quantum = buffers['quanta']![(Math.floor(at / width) % side) * side + (at % side)]!;
      const levels = Math.floor(Math.abs(value) / quantum + 0.5);
      return Math.sign(value) * levels * quantum;
    });
    return { plane };
  },
}));
