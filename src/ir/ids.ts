/**
 * Branded identifiers. An id indexes the flat arrays of one `FunctionSnapshot` and has no meaning outside of it. `NONE`
 * stands for a missing entity, whatever the kind of id.
 */
export type BlockId = number & { readonly __brand: 'BlockId' };
/** Arguments come first, then instructions in block order, then constants, globals and other operands. */
export type ValueId = number & { readonly __brand: 'ValueId' };
/** Index of an instruction in the snapshot's arrays, in block order. */
export type InstrId = number & { readonly __brand: 'InstrId' };
export type TypeId = number & { readonly __brand: 'TypeId' };

export const NONE = -1;
