/** Comparing result patterns; the message has the inputs, and is only made on a mismatch. */
import { assert } from '../../support/suite.js';

export function expectBits(
  actual: bigint,
  expected: bigint,
  what: string,
  ...inputs: readonly (bigint | number)[]
): void {
  if (actual === expected) return;
  const hex = (x: bigint | number): string => (typeof x === 'bigint' ? `0x${x.toString(16)}` : String(x));
  assert.unreachable(`${what}(${inputs.map(hex).join(', ')}): ${hex(actual)}, expected ${hex(expected)}`);
}
