/** Where the operands of an operation are in the register file, and how the operation reads and writes them. */

/** Where a source is: word index of lane 0, of its high half (64-bit), and the distance from lane to lane. */
export interface Source {
  readonly lo: number;
  readonly hi: number;
  readonly stride: 0 | 1;
}

/** Where a vector result goes: word index of lane 0 and of the high half's lane 0. */
export interface Destination {
  readonly lo: number;
  readonly hi: number;
}

/** How an operation reads a source or writes a result: what neg, abs, clamp and selects mean for it. */
export type ValueType = 'b32' | 'f32' | 'b64' | 'f64' | 'b16' | 'f16' | 'i16';

export const wordsOf = (type: ValueType): 1 | 2 => (type === 'b64' || type === 'f64' ? 2 : 1);
