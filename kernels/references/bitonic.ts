/** Reference of bitonic.hip and bit.hip: each workgroup's elements in ascending order. */
import { bySize, byWorkgroup } from './reference.js';

export const bitonic = byWorkgroup('i32', (elements) => elements.toSorted((a, b) => a - b), {
  input: 'values',
  output: 'values',
});

export const bit = bySize('bit', [32, 64, 128, 256], () => bitonic);
