/** What one instruction asks of the memory of each lane, as plain facts: for messages and for the search for races. */
import type { Instruction } from './program.js';

export const AccessKind = { Read: 0, Write: 1, Atomic: 2 } as const;
export type AccessKind = (typeof AccessKind)[keyof typeof AccessKind];

export interface AccessDescription {
  readonly instruction: Instruction;
  readonly kind: AccessKind;
  /** Per lane, from its address on. */
  readonly bytes: number;
  /**
   * Byte `index` of what a lane stores, from the words of the wave's registers; null where that is not known
   * beforehand.
   */
  readonly stored: ((registers: Int32Array, lane: number, index: number) => number) | null;
}

const VERBS = ['a read', 'a write', 'an atomic'];
export const describe = ({ kind, bytes }: Pick<AccessDescription, 'kind' | 'bytes'>): string =>
  `${VERBS[kind]!} of ${bytes} byte${bytes === 1 ? '' : 's'}`;

/** The place of byte `index` of an access that begins at byte `x` and whose words are `step` words apart. */
export function byteAt(x: number, index: number, step: number): number {
  const inWord = (x & 3) + index;
  return (x & ~3) + 4 * step * (inWord >> 2) + (inWord & 3);
}
