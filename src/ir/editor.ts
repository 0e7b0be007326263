/**
 * The edits that melding makes to the function of a snapshot, in terms of opaque references. src/binding implements
 * them on the real LLVM function.
 *
 * References to blocks and instructions stay valid until the block or instruction is deleted. Edits never renumber.
 */
import type { BlockId, InstrId } from './ids.js';

declare const valueBrand: unique symbol;
declare const blockBrand: unique symbol;
/** Any value: an instruction, argument or constant. Equal values have equal references. */
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
  /** From now on, `instr` gives `by` for this id: the original has gone. */
  replaceInstr(id: InstrId, by: ValueRef): void;
  phis(block: BlockRef): ValueRef[];
  /** Instructions of a block in order, phis and terminator included. */
  instructions(block: BlockRef): ValueRef[];
  incoming(phi: ValueRef): Incoming[];
  /** Operands in order. */
  operands(instr: ValueRef): ValueRef[];
  condition(block: BlockRef): ValueRef;
  successors(block: BlockRef): BlockRef[];
  /** Predecessor blocks, once each, in the order of the function's use lists. */
  predecessors(block: BlockRef): BlockRef[];
  /** Instructions that use a value, once per use. */
  users(value: ValueRef): ValueRef[];
  parent(instr: ValueRef): BlockRef;
  poison(like: ValueRef): ValueRef;

  /** The constant `true` or `false`. */
  bool(value: boolean): ValueRef;

  // --- editing ---
  /** Replaces a `switch` by a chain of compares and two-way branches. */
  lowerSwitch(block: BlockRef): void;
  /**
   * Asks the wave in front of a conditional branch whether all of its threads take one side; `sides` are those that are
   * asked about, in that order. Waves that do run a copy of the side, behind uniform branches, and go on to `join`, the
   * immediate post-dominator. The others come to a new block that ends in the branch.
   */
  askWave(branch: BlockRef, join: BlockRef, sides: readonly ('t' | 'f')[]): void;
  /** A new empty block, placed in the layout before `before`. */
  createBlock(name: string, before: BlockRef): BlockRef;
  /** Appends a copy of an instruction, with the same operands, to a block that has no terminator yet. */
  appendClone(block: BlockRef, original: ValueRef): ValueRef;
  /** Inserts a copy of an instruction, with the same operands, right before another one. */
  cloneBefore(before: ValueRef, original: ValueRef): ValueRef;
  setOperand(instr: ValueRef, index: number, value: ValueRef): void;
  /**
   * Makes `melded`, which is a clone of `t`, stand for `f` too: only flags and metadata that hold for both remain.
   * `swapped` says that operands 0 and 1 of `f` change places.
   */
  intersect(melded: ValueRef, t: ValueRef, f: ValueRef, swapped: boolean): void;
  /** Gives `branch` the debug location and loop metadata that hold for the branches at the end of both `t` and `f`. */
  intersectBranch(branch: ValueRef, t: BlockRef, f: BlockRef): void;
  /** Drops flags and metadata of `instr` that could cause undefined behaviour now that more threads execute it. */
  speculate(instr: ValueRef): void;
  /** Inserts `select condition, t, f` right before an instruction. */
  selectBefore(before: ValueRef, condition: ValueRef, t: ValueRef, f: ValueRef): ValueRef;
  /** Appends `select condition, t, f` to a block that has no terminator yet. */
  appendSelect(block: BlockRef, condition: ValueRef, t: ValueRef, f: ValueRef): ValueRef;
  appendNot(block: BlockRef, value: ValueRef): ValueRef;
  appendBranch(block: BlockRef, target: BlockRef): ValueRef;
  appendConditionalBranch(block: BlockRef, condition: ValueRef, then: BlockRef, otherwise: BlockRef): ValueRef;
  /** Inserts a phi of the type of `like` at the front of a block. */
  prependPhi(block: BlockRef, like: ValueRef, incoming: readonly Incoming[]): ValueRef;
  addIncoming(phi: ValueRef, incoming: Incoming): void;
  /** Replaces every edge `block → from` by `block → to`. The caller updates the phis. */
  redirect(block: BlockRef, from: BlockRef, to: BlockRef): void;
  /** Replaces the terminator of a block by an unconditional branch. */
  branchTo(block: BlockRef, target: BlockRef): void;
  replaceAllUses(old: ValueRef, by: ValueRef): void;
  /** Deletes an instruction that nothing uses. */
  erase(instr: ValueRef): void;
  /** Deletes unreachable blocks and their entries in phis. Remaining uses of their values become poison. */
  deleteBlocks(blocks: readonly BlockRef[]): void;
}
