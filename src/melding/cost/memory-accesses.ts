/**
 * What memory accesses of a block share, so that each costs less than it would alone.
 *
 * - **Width.** Code generation (LLVM's LoadStoreVectorizer) makes one wide access of those that lie side by side. As
 *   one of four, an access takes a quarter of its unit's time. Accesses in between that may alias are not looked at.
 *   LDS is left out; its offsets have rules of their own.
 * - **Waiting.** Loads of a block that do not depend on each other are on their way together, a *batch*: the wave waits
 *   once.
 *
 * Melding that selects addresses takes wide accesses apart; guards between loads make several batches of one
 * (draft/losses.ts).
 */
import type { Divergence } from '../../analysis/divergence.js';
import { AddressSpace } from '../../ir/address-space.js';
import type { FunctionSnapshot } from '../../ir/snapshot.js';
import { NONE, type InstrId, type ValueId } from '../../ir/ids.js';
import { NO_INTEGER, Opcode, ValueKind, definingInstr, instrValue } from '../../ir/snapshot.js';

/** The most that one vector memory instruction moves per thread. */
const WIDEST_BYTES = 16;
/** How many words a line of memory holds: threads that are further apart touch a line each. */
export const WORDS_OF_LINE = 16;
/** Smaller elements are joined only where the whole is aligned. */
const WORD_BYTES = 4;

/** All `[instrCount]`. */
export interface MemoryAccesses {
  /** The first access of the wide one that an instruction is a part of; `NONE` for all others. */
  readonly wide: Int32Array;
  /** Of how many accesses that one consists; 1 for all others. */
  readonly joined: Int32Array;
  /** For loads, how many loads of the same block come one after the other up to and with this one; otherwise 0. */
  readonly depth: Int32Array;
  /** How many loads are in the batch of a load; 1 for all others. */
  readonly batched: Int32Array;
  /**
   * 1 for atomic operations that take no longer than a store, because nothing uses their result. Where all threads have
   * one address, LLVM makes a reduction of the wave's values first, which takes about as long as waiting does, unless
   * the value is the same for all, too.
   */
  readonly unawaited: Uint8Array;
}

export function memoryAccesses(fn: FunctionSnapshot, divergence: Divergence): MemoryAccesses {
  const wide = new Int32Array(fn.instrCount).fill(NONE);
  const depth = new Int32Array(fn.instrCount);
  const batched = new Int32Array(fn.instrCount).fill(1);
  for (let b = 0; b < fn.blockCount; b++) {
    const byBase = accessesByBase(fn, b);
    if (byBase !== null) for (const list of byBase.values()) if (list.length > 1) join(fn, list, wide);
    findBatches(fn, b, depth, batched);
  }
  const parts = new Int32Array(fn.instrCount);
  for (let i = 0; i < wide.length; i++) if (wide[i] !== NONE) parts[wide[i]!]!++;
  const joined = new Int32Array(fn.instrCount);
  for (let i = 0; i < joined.length; i++) joined[i] = wide[i] === NONE ? 1 : parts[wide[i]!]!;
  const unused = unusedAtomics(fn);
  const unawaited = unused.map((is, i) => (is === 1 && !isReduced(fn, divergence, i as InstrId) ? 1 : 0));
  return { wide, joined, depth, batched, unawaited };
}

/** Whether an atomic operation of all threads on one address takes values that differ. */
function isReduced(fn: FunctionSnapshot, { valueDivergent }: Divergence, i: InstrId): boolean {
  const [pointer, value] = fn.operand.subarray(fn.operandStart[i], fn.operandStart[i + 1]!);
  return valueDivergent[pointer!] === 0 && valueDivergent[value!] === 1;
}

function unusedAtomics(fn: FunctionSnapshot): Uint8Array {
  const unused = fn.instrOpcode.map((opcode) => (opcode === Opcode.AtomicRMW ? 1 : 0));
  if (unused.includes(1))
    for (const v of fn.operand) if (v >= fn.argCount && v < fn.argCount + fn.instrCount) unused[v - fn.argCount] = 0;
  return Uint8Array.from(unused);
}

/** The address of a load, store or atomic operation. */
export const pointerOf = (fn: FunctionSnapshot, i: InstrId): ValueId =>
  fn.operand[fn.operandStart[i]! + (fn.instrOpcode[i] === Opcode.Store ? 1 : 0)] as ValueId;

/** How much a thread loads or stores, in words. */
export function wordsOf(fn: FunctionSnapshot, i: InstrId): number {
  const value = fn.instrOpcode[i] === Opcode.Store ? fn.operand[fn.operandStart[i]!]! : instrValue(fn, i);
  return Math.max(1, fn.typeBits[fn.valueType[value]!]! / 8) / WORD_BYTES;
}

const ACCESSES: readonly number[] = [Opcode.Load, Opcode.Store, Opcode.AtomicRMW];

/** Whether it is an access through the vector memory unit, of which threads have addresses of their own. */
export function mayScatter(fn: FunctionSnapshot, { valueDivergent }: Divergence, i: InstrId): boolean {
  if (!isInMemory(fn.instrAddressSpace[i]!) || !ACCESSES.includes(fn.instrOpcode[i]!)) return false;
  return valueDivergent[pointerOf(fn, i)] === 1;
}

/** Whether an access goes through the vector memory unit. */
export const isInMemory = (space: number): boolean =>
  space >= 0 && space !== AddressSpace.Local && space !== AddressSpace.Region;

interface Access {
  readonly i: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Null for a block without accesses. */
function accessesByBase(fn: FunctionSnapshot, b: number): Map<string, Access[]> | null {
  let byBase: Map<string, Access[]> | null = null;
  for (let i = fn.blockInstrStart[b]!; i < fn.blockInstrStart[b + 1]!; i++) {
    const isLoad = fn.instrOpcode[i] === Opcode.Load;
    if ((!isLoad && fn.instrOpcode[i] !== Opcode.Store) || fn.instrAddressSpace[i] === AddressSpace.Local) continue;
    const first = fn.operandStart[i]!;
    const pointer = fn.operand[isLoad ? first : first + 1]!;
    if (fn.valueBase[pointer] === NONE) continue;
    const value = isLoad ? fn.argCount + i : fn.operand[first]!;
    const bytes = fn.typeBits[fn.valueType[value]!]! / 8;
    const { base, offset } = placeOf(fn, pointer as ValueId, bytes);
    const access = { i, offset, bytes };
    const key = `${base} ${isLoad}`;
    byBase ??= new Map();
    const list = byBase.get(key);
    if (list) list.push(access);
    else byBase.set(key, [access]);
  }
  return byBase;
}

/**
 * A pointer as a base and a distance in bytes. LLVM's LoadStoreVectorizer also sees that `p[x + 1]` lies behind `p[x]`
 * where the index is computed in 32 bits and then extended. Such indices are what is compared with a border first.
 *
 * @param bytes of the access: what is indexed is taken for an array of such elements
 */
function placeOf(fn: FunctionSnapshot, pointer: ValueId, bytes: number): { base: string; offset: number } {
  const place = { base: `${fn.valueBase[pointer]}`, offset: fn.valueOffset[pointer]! };
  let at = pointer;
  let [array, index] = addressOf(fn, at);
  while (index !== NONE && fn.valueKind[index] === ValueKind.Constant) [array, index] = addressOf(fn, (at = array));
  const extended = index === NONE ? NONE : definingInstr(fn, index);
  if (extended === NONE || !EXTENSIONS.includes(fn.instrOpcode[extended]!)) return place;
  const narrow = fn.operand[fn.operandStart[extended]!] as ValueId;
  const add = definingInstr(fn, narrow);
  const added = add === NONE ? NO_INTEGER : fn.valueInteger[fn.operand[fn.operandStart[add]! + 1]!]!;
  const isSum = add !== NONE && fn.instrOpcode[add] === Opcode.Add && added !== NO_INTEGER;
  const start = isSum ? fn.operand[fn.operandStart[add]!]! : narrow;
  return {
    base: `${fn.valueBase[array]} ${fn.instrOpcode[extended]} ${start}`,
    offset: place.offset - fn.valueOffset[at]! + fn.valueOffset[array]! + (isSum ? added * bytes : 0),
  };
}

const EXTENSIONS: readonly number[] = [Opcode.SExt, Opcode.ZExt];

/** What an address computation with one index starts from, and the index; `NONE` for any other pointer. */
function addressOf(fn: FunctionSnapshot, pointer: ValueId): [array: ValueId, index: ValueId | -1] {
  const i = definingInstr(fn, pointer);
  const isOne =
    i !== NONE && fn.instrOpcode[i] === Opcode.GetElementPtr && fn.operandStart[i + 1]! - fn.operandStart[i]! === 2;
  if (!isOne) return [pointer, NONE];
  return [fn.operand[fn.operandStart[i]!] as ValueId, fn.operand[fn.operandStart[i]! + 1] as ValueId];
}

/** Joins the accesses of one base, from the lowest address on, as many as fit. */
function join(fn: FunctionSnapshot, list: Access[], wide: Int32Array): void {
  list.sort((a, b) => a.offset - b.offset || a.i - b.i);
  for (let k = 0, end = 1; k < list.length; k = end, end = k + 1) {
    const { i, offset, bytes } = list[k]!;
    const fits = (n: number): boolean => {
      const size = bytes * (n - k + 1);
      const next = list[n]!;
      return (
        next.bytes === bytes &&
        next.offset === offset + bytes * (n - k) &&
        size <= WIDEST_BYTES &&
        (bytes >= WORD_BYTES || fn.instrAlign[i]! >= size)
      );
    };
    while (end < list.length && fits(end)) end++;
    if (end - k > 1) for (let n = k; n < end; n++) wide[list[n]!.i] = i;
  }
}

function findBatches(fn: FunctionSnapshot, b: number, depth: Int32Array, batched: Int32Array): void {
  const end = fn.blockInstrStart[b + 1]!;
  let start = fn.blockInstrStart[b]!;
  // Nothing in front of the first load waits for one.
  while (start < end && fn.instrOpcode[start] !== Opcode.Load) start++;
  if (start === end) return;
  /** How many loads of the block lead to the value of an instruction. */
  const behind = new Int32Array(end - start);
  const sizes = new Map<number, number>();
  const keyOf = (i: number): number => depth[i]! * 2 + (fn.instrAddressSpace[i] === AddressSpace.Local ? 0 : 1);
  for (let i = start; i < end; i++) {
    let most = 0;
    for (let o = fn.operandStart[i]!; o < fn.operandStart[i + 1]!; o++) {
      const defined = fn.operand[o]! - fn.argCount;
      if (defined >= start && defined < i) most = Math.max(most, behind[defined - start]!);
    }
    if (fn.instrOpcode[i] === Opcode.Load) {
      depth[i] = ++most;
      sizes.set(keyOf(i), (sizes.get(keyOf(i)) ?? 0) + 1);
    }
    behind[i - start] = most;
  }
  for (let i = start; i < end; i++) if (depth[i]! > 0) batched[i] = sizes.get(keyOf(i))!;
}
