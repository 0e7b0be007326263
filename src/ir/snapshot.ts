/**
 * The data model every analysis works on: one function, copied out of LLVM in one call into flat typed arrays.
 *
 * Invariants
 * - Blocks are numbered in layout order, block 0 is the entry. Unreachable blocks are present (and have no path from 0).
 * - Values are numbered arguments `[0, argCount)`, instructions `[argCount, argCount + instrCount)` in layout order, then
 *   every constant, global, function, metadata or inline-asm operand, once each, in order of first use.
 * - Operands of a `phi` are its incoming values; `operandBlock` holds the incoming block of each. Operands that are basic
 *   blocks (branch targets) are not operands here: they are the block's successors, in terminator order (for `br i1` the
 *   true successor first). For a `switch`, the successors are the default destination, then the cases in order, and the
 *   condition is the only operand (case values are not part of the snapshot).
 * - A call's operands are its arguments (with bundle operands), then the callee.
 * - Duplicate edges appear once per edge, in `succ` and (through `predecessors`) in predecessor lists alike.
 */
import type { BlockId, InstrId, ValueId } from './ids.js';

/** LLVM's opcodes that the TypeScript side names (numbers of llvm-c `LLVMOpcode`, stable across LLVM versions). */
export const Opcode = {
  Ret: 1,
  Br: 2,
  Switch: 3,
  IndirectBr: 4,
  Invoke: 5,
  Unreachable: 7,
  CallBr: 67,
  Add: 8,
  FAdd: 9,
  Sub: 10,
  FSub: 11,
  Mul: 12,
  FMul: 13,
  UDiv: 14,
  SDiv: 15,
  FDiv: 16,
  URem: 17,
  SRem: 18,
  FRem: 19,
  Shl: 20,
  LShr: 21,
  AShr: 22,
  And: 23,
  Or: 24,
  Xor: 25,
  Alloca: 26,
  Load: 27,
  Store: 28,
  GetElementPtr: 29,
  Trunc: 30,
  ZExt: 31,
  SExt: 32,
  FPToUI: 33,
  FPToSI: 34,
  UIToFP: 35,
  SIToFP: 36,
  FPTrunc: 37,
  FPExt: 38,
  PtrToInt: 39,
  IntToPtr: 40,
  BitCast: 41,
  AddrSpaceCast: 60,
  ICmp: 42,
  FCmp: 43,
  Phi: 44,
  Call: 45,
  Select: 46,
  VAArg: 49,
  ExtractElement: 50,
  InsertElement: 51,
  ShuffleVector: 52,
  ExtractValue: 53,
  InsertValue: 54,
  Fence: 55,
  AtomicCmpXchg: 56,
  AtomicRMW: 57,
  Resume: 58,
  LandingPad: 59,
  FNeg: 66,
  Freeze: 68,
  PtrToAddr: 69,
} as const;

/** Facts about one instruction, as bits of `instrFlags`. Each is answered by LLVM (see wasm/snapshot.cpp). */
export const InstrFlag = {
  /** Convergent call, or an intrinsic/inline asm that communicates between lanes or needs all lanes (rule 1.5). */
  Convergent: 1 << 0,
  /** Writes wave state: s.setreg, set.rounding, set.fpenv, s.setprio, s.sendmsg, kill, trap … (rule 1.5). */
  WritesWaveState: 1 << 1,
  MayReadMemory: 1 << 2,
  MayWriteMemory: 1 << 3,
  /** Anything but a value: may write memory, not return, or throw. */
  HasSideEffects: 1 << 4,
  /** Cannot fault or have an effect whatever its operands are, poison included; it may run for every thread. */
  Speculatable: 1 << 5,
  Atomic: 1 << 6,
  Volatile: 1 << 7,
  /** May synchronise with other threads: fence, atomic, call without `nosync` (rule 1.6). */
  MaySync: 1 << 8,
  /** Known to return (`willreturn`). */
  WillReturn: 1 << 9,
  NoDuplicate: 1 << 10,
  /** musttail, token-typed, nomerge, returns_twice, strictfp, opcode that is not listed, …: no key (rule 2). */
  NeverMelds: 1 << 11,
  /** Equal keys are not enough: the pair check of the binding decides (attributes, special state). */
  NeedsPairCheck: 1 << 12,
  Commutative: 1 << 13,
  /** Calls, other than intrinsics. */
  Call: 1 << 14,
  Intrinsic: 1 << 15,
  Terminator: 1 << 16,
  /** Lifetime marker, assume, noalias.scope.decl: dropped or handled apart when the block melds (rule 4). */
  Marker: 1 << 17,
  /** Melds only if every operand is the same value on both sides (intrinsics off the allow-list, inline asm). */
  IdenticalOperandsOnly: 1 << 18,
} as const;

/** Per operand, as bits of `operandFlags`. */
export const OperandFlag = {
  /** The target wants it uniform (descriptor, readlane index, LDS base of load.to.lds, M0 user; rule 2). */
  MustBeUniform: 1 << 0,
  /** May not become a variable (`immarg`, struct index, `canReplaceOperandWithVariable`). */
  MustStay: 1 << 1,
} as const;

export const FunctionFlag = {
  HasBranchDivergence: 1 << 0,
  Kernel: 1 << 1,
  OptNone: 1 << 2,
  Naked: 1 << 3,
  /** Has a block whose address is taken. */
  AddressTaken: 1 << 4,
  /** Holds convergence-control tokens. */
  ConvergenceControl: 1 << 5,
} as const;

/** What `TargetTransformInfo::getInstructionUniformity` answers. */
export const Uniformity = { Default: 0, AlwaysUniform: 1, NeverUniform: 2 } as const;

export const TypeKind = {
  Other: 0,
  Void: 1,
  Integer: 2,
  Float: 3,
  Pointer: 4,
  Vector: 5,
  Token: 6,
  Aggregate: 7,
} as const;

export const ValueKind = {
  Argument: 0,
  Instruction: 1,
  Constant: 2,
  Undef: 3,
  Poison: 4,
  Global: 5,
  Other: 6,
} as const;

export interface FunctionSnapshot {
  readonly name: string;
  /** `FunctionFlag` bits. */
  readonly flags: number;
  /** The subtarget these facts hold for, e.g. `gfx906`. */
  readonly cpu: string;
  readonly waveSize: number;

  readonly blockCount: number;
  readonly argCount: number;
  readonly instrCount: number;
  readonly valueCount: number;

  // blocks
  /** `[blockCount + 1]` first instruction of each block; the last entry is `instrCount`. */
  readonly blockInstrStart: Int32Array;
  /** `[blockCount + 1]` into `succ`. */
  readonly succStart: Int32Array;
  /** `[edges]` successor blocks. */
  readonly succ: Int32Array;

  // instructions, all `[instrCount]`
  readonly instrOpcode: Int32Array;
  /** `InstrFlag` bits. */
  readonly instrFlags: Int32Array;
  readonly instrBlock: Int32Array;
  /** Dense id of the result type; see `typeKind`. */
  readonly instrType: Int32Array;
  /** `Uniformity`. */
  readonly instrUniformity: Int32Array;
  /** Latency in cycles (TargetTransformInfo, `TCK_Latency`; 0: free), before the per-target table of melding/cost/latency.ts. */
  readonly instrLatency: Int32Array;
  /** Match key: equal keys are necessary for two instructions to meld; `NONE` never melds. */
  readonly instrKey: Int32Array;
  /** Compare predicate (LLVM's number), else `NONE`. Keys of compares ignore the order of the operands. */
  readonly instrPredicate: Int32Array;
  /** Address space of the memory accessed, else `NONE`. */
  readonly instrAddressSpace: Int32Array;
  /** Alignment in bytes of a memory access, else 0. */
  readonly instrAlign: Int32Array;

  // operands
  /** `[instrCount + 1]` into `operand`. */
  readonly operandStart: Int32Array;
  /** `[operands]` value ids. */
  readonly operand: Int32Array;
  /** `[operands]` incoming block of a phi's operand, else `NONE`. */
  readonly operandBlock: Int32Array;
  /** `[operands]` `OperandFlag` bits. */
  readonly operandFlags: Int32Array;

  // values, all `[valueCount]`
  /** `ValueKind`. */
  readonly valueKind: Int32Array;
  readonly valueType: Int32Array;
  /**
   * For pointers, what `getUnderlyingObjects` says about allocas: the value id of the single underlying alloca, `NONE` when
   * no alloca can underlie it, `-2` when several or unknown objects, an alloca among them, may.
   */
  readonly valueAlloca: Int32Array;
  /** For pointers behind an `addrspacecast`: the source address space; else `NONE`; `-2` when mixed. */
  readonly valueCastFrom: Int32Array;
  /** For pointers, what they are a constant number of bytes away from: equal ids have equal bases; `NONE` for other values. */
  readonly valueBase: Int32Array;
  /** Bytes behind the base. */
  readonly valueOffset: Int32Array;

  /** `[argCount]` `Uniformity`. */
  readonly argUniformity: Int32Array;

  // types
  /** `[types]` `TypeKind`. */
  readonly typeKind: Int32Array;
  /** `[types]` size in bits (pointers: by the data layout; aggregates and vectors: total), 0 when unsized. */
  readonly typeBits: Int32Array;
  /** `[types]` address space of a pointer type, else `NONE`. */
  readonly typeAddressSpace: Int32Array;
}

export const instrValue = (f: FunctionSnapshot, i: InstrId): ValueId => (f.argCount + i) as ValueId;

/** The instruction that defines `v`, or `NONE` for arguments, constants and globals. */
export const definingInstr = (f: FunctionSnapshot, v: ValueId): InstrId =>
  (v >= f.argCount && v < f.argCount + f.instrCount ? v - f.argCount : -1) as InstrId;

export const terminatorOf = (f: FunctionSnapshot, b: BlockId): InstrId => (f.blockInstrStart[b + 1]! - 1) as InstrId;

export const hasFlag = (f: FunctionSnapshot, i: InstrId, flag: number): boolean => (f.instrFlags[i]! & flag) !== 0;

/** A two-way conditional `br`. Its condition is operand 0. */
export const isConditionalBranch = (f: FunctionSnapshot, b: BlockId): boolean =>
  f.instrOpcode[terminatorOf(f, b)] === Opcode.Br && f.succStart[b + 1]! - f.succStart[b]! === 2;
