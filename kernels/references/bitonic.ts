/** Reference of bitonic.hip: every workgroup's elements in ascending order. */
import { byWorkgroup } from './reference.js';

export const bitonic = byWorkgroup('i32', (elements) => elements.toSorted((a, b) => a - b), {
  input: 'values',
  output: 'values',
});
