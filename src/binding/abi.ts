/**
 * The interface of the WebAssembly module: its exported functions, and the layout of what they return. It mirrors
 * wasm/abi.h, wasm/exports.txt and wasm/snapshot.cpp. The version and the section names are compared whenever an
 * instance is made.
 */
declare const pointerBrand: unique symbol;
/** A pointer into wasm memory; `T` names the C type. No code outside of src/binding handles one. */
export type Pointer<T extends string> = number & { readonly [pointerBrand]: T };

/** The struct `Job` of wasm/abi.h: an LLVM module with its context, target machine, messages and last output. */
export type JobPtr = Pointer<'Job'>;
export type ValuePtr = Pointer<'Value'>;
export type BlockPtr = Pointer<'BasicBlock'>;
export type TypePtr = Pointer<'Type'>;
export type BuilderPtr = Pointer<'Builder'>;
export type ContextPtr = Pointer<'Context'>;
export type ModulePtr = Pointer<'Module'>;
export type UsePtr = Pointer<'Use'>;
type CString = Pointer<'char'>;
type Bytes = Pointer<'bytes'>;

export const ABI_VERSION = 5;

/** `Status` of wasm/abi.h. */
export const Status = { Ok: 0, BadInput: 1, BadTarget: 2, CompileFailed: 3, LinkFailed: 4, Internal: 5 } as const;

/** Sections of a snapshot, in order (`SectionNames` in wasm/snapshot.cpp). */
export const SNAPSHOT_SECTIONS = [
  'function', 'blockInstrStart', 'succStart', 'succ', 'instrOpcode', 'instrFlags', 'instrBlock', 'instrType',
  'instrUniformity', 'instrLatency', 'instrKey', 'instrPredicate', 'instrAddressSpace', 'instrAlign',
  'operandStart', 'operand', 'operandBlock', 'operandFlags', 'valueKind', 'valueType', 'valueAlloca', 'valueCastFrom',
  'valueBase', 'valueOffset', 'valueInteger', 'valueLiteral',
  'argUniformity', 'instrSource', 'instrTaken', 'typeKind', 'typeBits', 'typeAddressSpace', 'blockPointer', 'valuePointer',
] as const; // prettier-ignore

export interface LlvmExports {
  _malloc(size: number): Bytes;
  _free(pointer: number): void;
  /** An increment of 0 gives the current end of the heap. */
  _sbrk(increment: number): number;
  stackSave(): number;
  stackRestore(pointer: number): void;

  _darm_abi_version(): number;
  _darm_snapshot_sections(): CString;
  _darm_initialize(): void;
  _darm_job_create(): JobPtr;
  _darm_job_dispose(job: JobPtr): void;
  _darm_message(job: JobPtr): CString;
  _darm_triple(job: JobPtr): CString;
  _darm_cpu(job: JobPtr): CString;
  _darm_is_amdgcn(job: JobPtr): number;
  _darm_error_line(job: JobPtr): number;
  _darm_error_column(job: JobPtr): number;
  _darm_warnings(job: JobPtr): CString;
  _darm_instruction_counts(job: JobPtr): void;
  _darm_output_data(job: JobPtr): Bytes;
  _darm_output_size(job: JobPtr): number;
  _darm_words_data(job: JobPtr): Bytes;
  _darm_words_size(job: JobPtr): number;
  _darm_module(job: JobPtr): ModulePtr;
  _darm_read(job: JobPtr, bytes: Bytes, size: number, cpu: CString, features: CString, level: number): number;
  _darm_check_processor(job: JobPtr): number;
  _darm_verify_function(job: JobPtr, fn: ValuePtr): number;
  _darm_list_functions(job: JobPtr): number;
  _darm_run_passes(job: JobPtr, pipeline: CString): number;
  _darm_write_bitcode(job: JobPtr): number;
  _darm_write_text(job: JobPtr): number;
  _darm_block_names(job: JobPtr, fn: ValuePtr): number;
  _darm_emit(job: JobPtr, object: number): number;
  _darm_link(job: JobPtr): number;
  _darm_add_object(job: JobPtr, bytes: Bytes, size: number): void;
  _darm_snapshot(job: JobPtr, fn: ValuePtr): number;
  _darm_disassemble(job: JobPtr, code: Bytes, size: number, cpu: CString, features: CString): number;
  _darm_oracle(job: JobPtr, fn: ValuePtr): number;

  _darm_can_pair(first: ValuePtr, second: ValuePtr): number;
  _darm_intersect(melded: ValuePtr, first: ValuePtr, second: ValuePtr, swapped: number): void;
  _darm_intersect_branch(melded: ValuePtr, first: ValuePtr, second: ValuePtr): void;
  _darm_bool(context: ContextPtr, value: number): ValuePtr;
  _darm_lower_switch(block: BlockPtr): void;
  _darm_ask_wave(block: BlockPtr, join: BlockPtr, waveSize: number, sides: Bytes, count: number): void;
  _darm_speculate(instruction: ValuePtr): void;
  _darm_redirect(block: BlockPtr, from: BlockPtr, to: BlockPtr): void;
  _darm_delete_blocks(blocks: Bytes, count: number): void;
  _darm_share_address_selects(fn: ValuePtr): void;
  _darm_tidy(job: JobPtr, fn: ValuePtr): void;
  _darm_prepare_codegen(job: JobPtr, fn: ValuePtr): void;

  _LLVMGetModuleContext(module: ModulePtr): ContextPtr;
  _LLVMGetBasicBlockTerminator(block: BlockPtr): ValuePtr;
  _LLVMGetInstructionParent(instruction: ValuePtr): BlockPtr;
  _LLVMGetInstructionOpcode(instruction: ValuePtr): number;
  _LLVMGetFirstInstruction(block: BlockPtr): ValuePtr;
  _LLVMGetNextInstruction(instruction: ValuePtr): ValuePtr;
  _LLVMGetNumOperands(value: ValuePtr): number;
  _LLVMGetOperand(value: ValuePtr, index: number): ValuePtr;
  _LLVMSetOperand(value: ValuePtr, index: number, operand: ValuePtr): void;
  _LLVMGetNumSuccessors(terminator: ValuePtr): number;
  _LLVMGetSuccessor(terminator: ValuePtr, index: number): BlockPtr;
  _LLVMGetCondition(branch: ValuePtr): ValuePtr;
  _LLVMCountIncoming(phi: ValuePtr): number;
  _LLVMGetIncomingValue(phi: ValuePtr, index: number): ValuePtr;
  _LLVMGetIncomingBlock(phi: ValuePtr, index: number): BlockPtr;
  _LLVMAddIncoming(phi: ValuePtr, values: Bytes, blocks: Bytes, count: number): void;
  _LLVMGetFirstUse(value: ValuePtr): UsePtr;
  _LLVMGetNextUse(use: UsePtr): UsePtr;
  _LLVMGetUser(use: UsePtr): ValuePtr;
  /** The text is not NUL-terminated: its length is written to `length`. The result is 0 without debug information. */
  _LLVMGetDebugLocFilename(value: ValuePtr, length: Bytes): Bytes;
  _LLVMGetDebugLocLine(value: ValuePtr): number;
  _LLVMGetDebugLocColumn(value: ValuePtr): number;
  _LLVMTypeOf(value: ValuePtr): TypePtr;
  _LLVMGetPoison(type: TypePtr): ValuePtr;
  _LLVMReplaceAllUsesWith(old: ValuePtr, by: ValuePtr): void;
  _LLVMInstructionClone(instruction: ValuePtr): ValuePtr;
  _LLVMInstructionEraseFromParent(instruction: ValuePtr): void;
  _LLVMInsertBasicBlockInContext(context: ContextPtr, before: BlockPtr, name: CString): BlockPtr;
  _LLVMCreateBuilderInContext(context: ContextPtr): BuilderPtr;
  _LLVMDisposeBuilder(builder: BuilderPtr): void;
  _LLVMPositionBuilderAtEnd(builder: BuilderPtr, block: BlockPtr): void;
  _LLVMPositionBuilderBefore(builder: BuilderPtr, instruction: ValuePtr): void;
  /** A location of 0 clears the builder's. */
  _LLVMSetCurrentDebugLocation2(builder: BuilderPtr, location: number): void;
  _LLVMInsertIntoBuilder(builder: BuilderPtr, instruction: ValuePtr): void;
  _LLVMBuildBr(builder: BuilderPtr, target: BlockPtr): ValuePtr;
  _LLVMBuildCondBr(builder: BuilderPtr, condition: ValuePtr, then: BlockPtr, otherwise: BlockPtr): ValuePtr;
  _LLVMBuildSelect(
    builder: BuilderPtr,
    condition: ValuePtr,
    then: ValuePtr,
    otherwise: ValuePtr,
    name: CString,
  ): ValuePtr;
  _LLVMBuildNot(builder: BuilderPtr, value: ValuePtr, name: CString): ValuePtr;
  _LLVMBuildPhi(builder: BuilderPtr, type: TypePtr, name: CString): ValuePtr;
}
