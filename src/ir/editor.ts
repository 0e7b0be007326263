/**
 * What melding may do to the function that a snapshot shows: single edits over opaque references. The binding implements
 * it over the real LLVM function; nothing in here knows how.
 *
 * References to blocks and instructions of the snapshot stay valid until they are deleted; edits never renumber anything.
 */
import type { BlockId, InstrId } from './ids.js';

declare const valueBrand: unique symbol;
declare const blockBrand: unique symbol;
/** Any value: instruction, argument, constant. Equal values have equal references. */
export type ValueRef = number & { readonly [valueBrand]: true };
export type BlockRef = number & { readonly [blockBrand]: true };

export interface Incoming {
  readonly value: ValueRef;
  readonly block: BlockRef;
}

export interface Editor {
  // --- reading the live function ---
  block(id: BlockId): BlockRef;
  instr(id: InstrId): ValueRef;
  phis(block: BlockRef): ValueRef[];
  /** Instructions of a block in order, phis and terminator included. */
  instructions(block: BlockRef): ValueRef[];
  incoming(phi: ValueRef): Incoming[];
  /** Operands that are values (not blocks), in order. */
  operands(instr: ValueRef): ValueRef[];
  condition(block: BlockRef): ValueRef;
  successors(block: BlockRef): BlockRef[];
  /** Predecessor blocks, once each, in the order of the function's use lists. */
  predecessors(block: BlockRef): BlockRef[];
  /** Instructions that use a value (once per use). */
  users(value: ValueRef): ValueRef[];
  parent(instr: ValueRef): BlockRef;
  poison(like: ValueRef): ValueRef;

  /** The constant `true` or `false`. */
  bool(value: boolean): ValueRef;

  // --- editing ---
  /** Replaces a `switch` by a chain of compares and two-way branches. */
  lowerSwitch(block: BlockRef): void;
  /** A new empty block, placed in the layout before `before`. */
  createBlock(name: string, before: BlockRef): BlockRef;
  /** A copy of an instruction at the end of a block that has no terminator yet; operands still the original's. */
  appendClone(block: BlockRef, original: ValueRef): ValueRef;
  setOperand(instr: ValueRef, index: number, value: ValueRef): void;
  /**
   * `melded` is a clone of `t` and stands for `f` too from now on: keeps only the flags and facts that hold for both.
   * `swapped`: operands 0 and 1 of `f` change places.
   */
  intersect(melded: ValueRef, t: ValueRef, f: ValueRef, swapped: boolean): void;
  /** `branch` stands for the branches at the end of `t` and `f`: gets the location and loop properties that hold for both. */
  intersectBranch(branch: ValueRef, t: BlockRef, f: BlockRef): void;
  /** `instr` now runs for threads that would not have run it: drops what would then be undefined. */
  speculate(instr: ValueRef): void;
  /** `select condition, t, f`, right before `before`. */
  selectBefore(before: ValueRef, condition: ValueRef, t: ValueRef, f: ValueRef): ValueRef;
  /** `select condition, t, f` at the end of a block that has no terminator yet. */
  appendSelect(block: BlockRef, condition: ValueRef, t: ValueRef, f: ValueRef): ValueRef;
  appendNot(block: BlockRef, value: ValueRef): ValueRef;
  appendBranch(block: BlockRef, target: BlockRef): ValueRef;
  appendConditionalBranch(block: BlockRef, condition: ValueRef, then: BlockRef, otherwise: BlockRef): ValueRef;
  /** A phi at the front of a block, of the type of `like`. */
  prependPhi(block: BlockRef, like: ValueRef, incoming: readonly Incoming[]): ValueRef;
  addIncoming(phi: ValueRef, incoming: Incoming): void;
  /** Replaces every edge `block → from` by `block → to`; phis are the caller's affair. */
  redirect(block: BlockRef, from: BlockRef, to: BlockRef): void;
  /** Replaces the terminator of a block by an unconditional branch. */
  branchTo(block: BlockRef, target: BlockRef): void;
  replaceAllUses(old: ValueRef, by: ValueRef): void;
  /** Deletes blocks that nothing reaches any more, with their entries in phis; remaining uses of their values become poison. */
  deleteBlocks(blocks: readonly BlockRef[]): void;
}
