/**
 * Branded identifiers. Ids index the flat arrays of one `FunctionSnapshot`; they mean nothing outside the snapshot they
 * come from. `NONE` stands for "no such entity" in every id space.
 */
export type BlockId = number & { readonly __brand: 'BlockId' };
/** Values: arguments first, then instructions in block order, then constants and globals. */
export type ValueId = number & { readonly __brand: 'ValueId' };
/** Position of an instruction in the snapshot's instruction tables (block order). */
export type InstrId = number & { readonly __brand: 'InstrId' };
export type TypeId = number & { readonly __brand: 'TypeId' };

export const NONE = -1;
