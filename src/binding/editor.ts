/** Implements the editor of src/ir/editor.ts on a real LLVM function. An edit is a few calls of LLVM-C or the shim. */
import type { BlockId, InstrId } from '../ir/ids.js';
import type { BlockRef, Editor, Incoming, ValueRef } from '../ir/editor.js';
import { Opcode } from '../ir/snapshot.js';
import type { DebugLocation } from '../job/remarks.js';
import type { BlockPtr, BuilderPtr, ContextPtr, LlvmExports, ModulePtr, UsePtr, ValuePtr } from './abi.js';
import { debugLocation } from './debug-location.js';
import type { LlvmRuntime } from './runtime.js';
import type { DecodedSnapshot } from './snapshot.js';

// References are pointers in disguise: the rest of the program cannot dereference them. LLVM's functions return words
// with a sign, and snapshots hold words without one: above 2 GiB, one pointer would be two references.
const value = (ref: ValueRef) => ref as number as ValuePtr;
const block = (ref: BlockRef) => ref as number as BlockPtr;
export const valueRef = (pointer: ValuePtr) => (pointer >>> 0) as ValueRef;
export const blockRef = (pointer: BlockPtr) => (pointer >>> 0) as BlockRef;

export class FunctionEditor implements Editor {
  readonly #llvm: LlvmExports;
  readonly #context: ContextPtr;
  readonly #builder: BuilderPtr;
  /** What stands for originals that have gone. */
  readonly #replaced = new Map<InstrId, ValueRef>();

  constructor(
    private readonly runtime: LlvmRuntime,
    module: ModulePtr,
    private readonly decoded: DecodedSnapshot,
  ) {
    this.#llvm = runtime.llvm;
    this.#context = this.#llvm._LLVMGetModuleContext(module);
    this.#builder = this.#llvm._LLVMCreateBuilderInContext(this.#context);
  }

  [Symbol.dispose](): void {
    this.#llvm._LLVMDisposeBuilder(this.#builder);
  }

  /** Whether two instructions with equal match keys can be merged; see `InstrFlag.NeedsPairCheck`. */
  canPair(t: InstrId, f: InstrId): boolean {
    return this.#llvm._darm_can_pair(value(this.instr(t)), value(this.instr(f))) !== 0;
  }

  block(id: BlockId): BlockRef {
    return this.decoded.blockPointers[id]! as BlockRef;
  }

  instr(id: InstrId): ValueRef {
    return this.#replaced.get(id) ?? (this.decoded.valuePointers[this.decoded.snapshot.argCount + id]! as ValueRef);
  }

  replaceInstr(id: InstrId, by: ValueRef): void {
    this.#replaced.set(id, by);
  }

  instructions(of: BlockRef): ValueRef[] {
    const found: ValueRef[] = [];
    for (let at = this.#llvm._LLVMGetFirstInstruction(block(of)); at !== 0; at = this.#llvm._LLVMGetNextInstruction(at))
      found.push(valueRef(at));
    return found;
  }

  phis(of: BlockRef): ValueRef[] {
    const found: ValueRef[] = [];
    let at = this.#llvm._LLVMGetFirstInstruction(block(of));
    while (at !== 0 && this.#llvm._LLVMGetInstructionOpcode(at) === Opcode.Phi) {
      found.push(valueRef(at));
      at = this.#llvm._LLVMGetNextInstruction(at);
    }
    return found;
  }

  incoming(phi: ValueRef): Incoming[] {
    return Array.from({ length: this.#llvm._LLVMCountIncoming(value(phi)) }, (_, index) => ({
      value: valueRef(this.#llvm._LLVMGetIncomingValue(value(phi), index)),
      block: blockRef(this.#llvm._LLVMGetIncomingBlock(value(phi), index)),
    }));
  }

  operands(instr: ValueRef): ValueRef[] {
    return Array.from({ length: this.#llvm._LLVMGetNumOperands(value(instr)) }, (_, index) =>
      valueRef(this.#llvm._LLVMGetOperand(value(instr), index)),
    );
  }

  condition(of: BlockRef): ValueRef {
    return valueRef(this.#llvm._LLVMGetCondition(this.#llvm._LLVMGetBasicBlockTerminator(block(of))));
  }

  /** Source location of a block's terminator; null without debug information. */
  branchLocation(id: BlockId): DebugLocation | null {
    return debugLocation(this.runtime, this.#llvm._LLVMGetBasicBlockTerminator(block(this.block(id))));
  }

  successors(of: BlockRef): BlockRef[] {
    const terminator = this.#llvm._LLVMGetBasicBlockTerminator(block(of));
    return Array.from({ length: this.#llvm._LLVMGetNumSuccessors(terminator) }, (_, index) =>
      blockRef(this.#llvm._LLVMGetSuccessor(terminator, index)),
    );
  }

  predecessors(of: BlockRef): BlockRef[] {
    // A block is a value in LLVM, and its users are the terminators of its predecessors.
    const found = new Set<BlockRef>();
    for (const user of this.users(of as number as ValueRef)) found.add(this.parent(user));
    return [...found];
  }

  users(of: ValueRef): ValueRef[] {
    const found: ValueRef[] = [];
    for (let use: UsePtr = this.#llvm._LLVMGetFirstUse(value(of)); use !== 0; use = this.#llvm._LLVMGetNextUse(use))
      found.push(valueRef(this.#llvm._LLVMGetUser(use)));
    return found;
  }

  parent(instr: ValueRef): BlockRef {
    return blockRef(this.#llvm._LLVMGetInstructionParent(value(instr)));
  }

  poison(like: ValueRef): ValueRef {
    return valueRef(this.#llvm._LLVMGetPoison(this.#llvm._LLVMTypeOf(value(like))));
  }

  bool(of: boolean): ValueRef {
    return valueRef(this.#llvm._darm_bool(this.#context, Number(of)));
  }

  lowerSwitch(at: BlockRef): void {
    this.#llvm._darm_lower_switch(block(at));
  }

  askWave(branch: BlockRef, join: BlockRef, sides: readonly ('t' | 'f')[]): void {
    const { waveSize } = this.decoded.snapshot;
    this.runtime.withWords(
      sides.map((side) => (side === 't' ? 0 : 1)),
      (pointer) => this.#llvm._darm_ask_wave(block(branch), block(join), waveSize, pointer, sides.length),
    );
  }

  createBlock(name: string, before: BlockRef): BlockRef {
    return blockRef(this.#llvm._LLVMInsertBasicBlockInContext(this.#context, block(before), this.runtime.name(name)));
  }

  #at(end: BlockRef): BuilderPtr {
    this.#llvm._LLVMPositionBuilderAtEnd(this.#builder, block(end));
    return this.#withoutLocation();
  }

  #before(instr: ValueRef): BuilderPtr {
    this.#llvm._LLVMPositionBuilderBefore(this.#builder, value(instr));
    return this.#withoutLocation();
  }

  /**
   * Positioning a builder gives it the debug location at that place, and inserting a clone would overwrite the clone's
   * own location with it. So the builder's location is cleared.
   */
  #withoutLocation(): BuilderPtr {
    this.#llvm._LLVMSetCurrentDebugLocation2(this.#builder, 0);
    return this.#builder;
  }

  #clone(builder: BuilderPtr, original: ValueRef): ValueRef {
    const clone = this.#llvm._LLVMInstructionClone(value(original));
    this.#llvm._LLVMInsertIntoBuilder(builder, clone);
    return valueRef(clone);
  }

  appendClone(to: BlockRef, original: ValueRef): ValueRef {
    return this.#clone(this.#at(to), original);
  }

  cloneBefore(before: ValueRef, original: ValueRef): ValueRef {
    return this.#clone(this.#before(before), original);
  }

  setOperand(instr: ValueRef, index: number, operand: ValueRef): void {
    this.#llvm._LLVMSetOperand(value(instr), index, value(operand));
  }

  intersect(melded: ValueRef, t: ValueRef, f: ValueRef, swapped: boolean): void {
    this.#llvm._darm_intersect(value(melded), value(t), value(f), Number(swapped));
  }

  intersectBranch(branch: ValueRef, t: BlockRef, f: BlockRef): void {
    const terminator = (of: BlockRef) => this.#llvm._LLVMGetBasicBlockTerminator(block(of));
    this.#llvm._darm_intersect_branch(value(branch), terminator(t), terminator(f));
  }

  speculate(instr: ValueRef): void {
    this.#llvm._darm_speculate(value(instr));
  }

  #select(builder: BuilderPtr, condition: ValueRef, t: ValueRef, f: ValueRef): ValueRef {
    const name = this.runtime.name('meld');
    return valueRef(this.#llvm._LLVMBuildSelect(builder, value(condition), value(t), value(f), name));
  }

  selectBefore(before: ValueRef, condition: ValueRef, t: ValueRef, f: ValueRef): ValueRef {
    return this.#select(this.#before(before), condition, t, f);
  }

  appendSelect(to: BlockRef, condition: ValueRef, t: ValueRef, f: ValueRef): ValueRef {
    return this.#select(this.#at(to), condition, t, f);
  }

  appendNot(to: BlockRef, operand: ValueRef): ValueRef {
    return valueRef(this.#llvm._LLVMBuildNot(this.#at(to), value(operand), this.runtime.name('not')));
  }

  appendBranch(to: BlockRef, target: BlockRef): ValueRef {
    return valueRef(this.#llvm._LLVMBuildBr(this.#at(to), block(target)));
  }

  appendConditionalBranch(to: BlockRef, condition: ValueRef, then: BlockRef, otherwise: BlockRef): ValueRef {
    return valueRef(this.#llvm._LLVMBuildCondBr(this.#at(to), value(condition), block(then), block(otherwise)));
  }

  prependPhi(to: BlockRef, like: ValueRef, incoming: readonly Incoming[]): ValueRef {
    const first = this.#llvm._LLVMGetFirstInstruction(block(to));
    const builder = first === 0 ? this.#at(to) : this.#before(valueRef(first));
    const type = this.#llvm._LLVMTypeOf(value(like));
    const phi = valueRef(this.#llvm._LLVMBuildPhi(builder, type, this.runtime.name('join')));
    for (const entry of incoming) this.addIncoming(phi, entry);
    return phi;
  }

  addIncoming(phi: ValueRef, incoming: Incoming): void {
    this.runtime.withWords([incoming.value, incoming.block], (pointer) =>
      this.#llvm._LLVMAddIncoming(value(phi), pointer, (pointer + 4) as typeof pointer, 1),
    );
  }

  redirect(from: BlockRef, old: BlockRef, to: BlockRef): void {
    this.#llvm._darm_redirect(block(from), block(old), block(to));
  }

  branchTo(from: BlockRef, target: BlockRef): void {
    this.erase(valueRef(this.#llvm._LLVMGetBasicBlockTerminator(block(from))));
    this.appendBranch(from, target);
  }

  replaceAllUses(old: ValueRef, by: ValueRef): void {
    this.#llvm._LLVMReplaceAllUsesWith(value(old), value(by));
  }

  erase(instr: ValueRef): void {
    this.#llvm._LLVMInstructionEraseFromParent(value(instr));
  }

  deleteBlocks(blocks: readonly BlockRef[]): void {
    this.runtime.withWords(blocks, (pointer) => this.#llvm._darm_delete_blocks(pointer, blocks.length));
  }
}
