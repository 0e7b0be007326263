/**
 * The data model of all analyses: one function, copied out of LLVM in one call into flat typed arrays. Rule numbers are
 * those of docs/melding.md.
 *
 * Invariants
 * - Blocks are numbered in layout order, and block 0 is the entry. Unreachable blocks are included.
 * - Values are numbered: first the arguments `[0, argCount)`, then the instructions `[argCount, argCount + instrCount)`
 *   in layout order, then every constant, global, function, metadata or inline-asm operand, once each, in order of
 *   first use.
 * - Operands of a `phi` are its incoming values, and `operandBlock` holds the incoming block of each. Basic blocks
 *   (branch targets) are not operands: they are the successors of the instruction's block, in terminator order. For `br
 *   i1` the true successor comes first. For a `switch` the successors are the default destination, then the cases in
 *   order; its condition is the only operand, and the case values are not part of the snapshot.
 * - A call's operands are its arguments, then its bundle operands, then the callee.
 * - Several edges between the same two blocks appear once each, in `succ` and in lists of predecessors.
 */
import type { BlockId, InstrId, ValueId } from './ids.js';

/** Numbers of LLVM's opcodes, from `LLVMOpcode` of llvm-c. A number keeps its meaning across versions of LLVM. */
export const Opcode = {
  Ret: 1,
  Switch: 3,
  IndirectBr: 4,
  Invoke: 5,
  Unreachable: 7,
  CallBr: 67,
  UncondBr: 70,
  CondBr: 71,
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

/** Facts about one instruction, as bits of `instrFlags`. They come from LLVM (wasm/facts.cpp). */
export const InstrFlag = {
  /** Convergent call, or an intrinsic/inline asm that communicates between lanes or needs all lanes (rule 1.5). */
  Convergent: 1 << 0,
  /** Writes wave state: s.setreg, set.rounding, set.fpenv, s.setprio, s.sendmsg, kill, trap … (rule 1.5). */
  WritesWaveState: 1 << 1,
  MayReadMemory: 1 << 2,
  MayWriteMemory: 1 << 3,
  /** May write memory, not return, or throw. */
  HasSideEffects: 1 << 4,
  /** Has no undefined behaviour and no effect for any operands, poison included: it may run for every thread. */
  Speculatable: 1 << 5,
  Atomic: 1 << 6,
  Volatile: 1 << 7,
  /** May synchronise with other threads: a fence, an atomic, a call without `nosync` (rule 1.6). */
  MaySync: 1 << 8,
  /** Known to return (`willreturn`). */
  WillReturn: 1 << 9,
  NoDuplicate: 1 << 10,
  /**
   * Has no match key: musttail, token type, nomerge, returns_twice, strictfp, an opcode that is not listed … (rule 2).
   */
  NeverMelds: 1 << 11,
  /** Equal keys are not enough: `FunctionEditor.canPair` of src/binding compares attributes and special state. */
  NeedsPairCheck: 1 << 12,
  Commutative: 1 << 13,
  /** A call of a function that is not an intrinsic. */
  Call: 1 << 14,
  Intrinsic: 1 << 15,
  Terminator: 1 << 16,
  /** A lifetime marker, assume or noalias.scope.decl: dropped or handled separately when the block melds (rule 4). */
  Marker: 1 << 17,
  /**
   * Melds only if each operand is the same value on both sides: intrinsics that are not on the allow-list, inline asm.
   */
  IdenticalOperandsOnly: 1 << 18,
  /** A call that LLVM's passes leave where it is, as if it were convergent (src/binding/opencl-intrinsics.ts). */
  TakenForConvergent: 1 << 19,
} as const;

/** Facts about one operand, as bits of `operandFlags`. */
export const OperandFlag = {
  /** The target needs a uniform value: a descriptor, readlane index, LDS base of load.to.lds, or use of M0 (rule 2). */
  MustBeUniform: 1 << 0,
  /** May not become a variable: an `immarg`, a struct index, whatever `canReplaceOperandWithVariable` rejects. */
  MustStay: 1 << 1,
} as const;

export const FunctionFlag = {
  HasBranchDivergence: 1 << 0,
  Kernel: 1 << 1,
  OptNone: 1 << 2,
  Naked: 1 << 3,
  /** The address of one of its blocks is taken. */
  AddressTaken: 1 << 4,
  /** Holds convergence-control tokens. */
  ConvergenceControl: 1 << 5,
  /** Code may ask its wave about a condition (`llvm.amdgcn.ballot`): AMD's targets, but no graphics stage. */
  AsksWaves: 1 << 6,
} as const;

/** What of a thread's place in its wave or work group an instruction reads, or what it asks the wave. */
export const LaneSource = {
  None: 0,
  /** The thread's number in its work group, per dimension. */
  ThreadX: 1,
  ThreadY: 2,
  ThreadZ: 3,
  /** The lane in the wave, counted from a given number. */
  Lane: 4,
  /** The lanes of the wave that an operand is true for. It is the same for all of them. */
  Ballot: 5,
} as const;

/**
 * The result of `TargetTransformInfo::getValueUniformity`. `Custom` asks the target for a rule of the instruction's
 * own. LLVM 23 has one such instruction, `llvm.amdgcn.wave.shuffle`: uniform if its value or its index is.
 */
export const Uniformity = { Default: 0, AlwaysUniform: 1, NeverUniform: 2, Custom: 3 } as const;

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

/** In `valueInteger`: not an integer constant, or a large one. */
export const NO_INTEGER = -(2 ** 31);

export const ValueKind = {
  Argument: 0,
  Instruction: 1,
  Constant: 2,
  Undef: 3,
  Poison: 4,
  Global: 5,
  Other: 6,
} as const;

export interface SwitchValues {
  /** By edge, from the second one on: the first leads to the default. */
  readonly values: readonly bigint[];
  /** The least number that the condition may be, and the first that it is not any more; null if that is not said. */
  readonly range: readonly [bigint, bigint] | null;
  /** Whether metadata say how often it goes where. */
  readonly isWeighed: boolean;
}

export interface FunctionSnapshot {
  readonly name: string;
  /** `FunctionFlag` bits. */
  readonly flags: number;
  /** The processor that the facts hold for, e.g. `gfx906`. */
  readonly cpu: string;
  readonly waveSize: number;
  /** `[3]` the size of a work group that the function requires, per dimension; 0 where it requires none. */
  readonly groupSize: readonly number[];
  /** The most threads of a work group, 0 if the function does not say. */
  readonly mostThreads: number;
  /**
   * Whether divisions of floats need not be rounded correctly (`!fpmath`), as in OpenCL. Found out from the text of the
   * module when it is first asked.
   */
  readonly dividesRoughly: () => boolean;
  /**
   * Bytes of the variables in LDS that the function names, Infinity if they are as many as the launch says, or the text
   * does not tell. Found out in the same way.
   */
  readonly ldsBytes: () => number;
  /** The constant float that a compare has as its second operand; NaN for other values. Found out in the same way. */
  readonly floatConstant: (v: ValueId) => number;
  /**
   * The name of the intrinsic that is called, without `llvm.` (`sqrt.f64`); null for other instructions, and if the
   * text does not tell. Found out in the same way.
   */
  readonly intrinsic: (i: InstrId) => string | null;
  /** What the `switch` of a block asks for; null if the text does not tell. Found out in the same way. */
  readonly switchValues: (b: BlockId) => SwitchValues | null;

  readonly blockCount: number;
  readonly argCount: number;
  readonly instrCount: number;
  readonly valueCount: number;

  // blocks
  /** `[blockCount + 1]` first instruction of each block; the last entry is `instrCount`. */
  readonly blockInstrStart: Int32Array;
  /** `[blockCount + 1]` start of each block's successors in `succ`. */
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
  /** Latency in cycles as TargetTransformInfo estimates it (`TCK_Latency`), 0 for free ones. Melding refines it. */
  readonly instrLatency: Int32Array;
  /** Match key. Two instructions can meld only if their keys are equal; one with the key `NONE` never melds. */
  readonly instrKey: Int32Array;
  /** LLVM's number of a comparison's predicate, else `NONE`. Keys of comparisons ignore the order of the operands. */
  readonly instrPredicate: Int32Array;
  /** Address space of a memory access, else `NONE`. */
  readonly instrAddressSpace: Int32Array;
  /** Alignment in bytes of a memory access, else 0. */
  readonly instrAlign: Int32Array;
  /** `LaneSource`. */
  readonly instrSource: Int32Array;
  /**
   * How often the condition of a branch or select is true according to its metadata (a profile, `__builtin_expect`), in
   * 1/1024. `NONE` without any, -2 if the metadata says that it is unpredictable. Of a switch: how many compares it
   * takes as a chain of branches.
   */
  readonly instrTaken: Int32Array;

  // operands
  /** `[instrCount + 1]` start of each instruction's operands in `operand`. */
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
   * For pointers, the alloca that they point into, according to `getUnderlyingObjects`: its value id if there is no
   * other possibility, `NONE` if they cannot point into an alloca, `-2` if they may.
   */
  readonly valueAlloca: Int32Array;
  /**
   * For pointers derived from an `addrspacecast`: the source address space, `-2` if there are several; otherwise
   * `NONE`.
   */
  readonly valueCastFrom: Int32Array;
  /** For pointers, an id of the address that they are a constant distance away from; `NONE` for other values. */
  readonly valueBase: Int32Array;
  /** The distance from the base, in bytes. */
  readonly valueOffset: Int32Array;
  /** The value of an integer constant that 32 signed bits hold; `NO_INTEGER` for all other values. */
  readonly valueInteger: Int32Array;
  /** 1 for constants and addresses of globals that an operand of an instruction does not hold for free. */
  readonly valueLiteral: Int32Array;

  /** `[argCount]` `Uniformity`. */
  readonly argUniformity: Int32Array;

  // types
  /** `[types]` `TypeKind`. */
  readonly typeKind: Int32Array;
  /**
   * `[types]` size in bits, 0 for types without one. Of pointers by the data layout, of aggregates and vectors the
   * total.
   */
  readonly typeBits: Int32Array;
  /** `[types]` address space of a pointer type, else `NONE`. */
  readonly typeAddressSpace: Int32Array;
}

/** Whether a processor is AMD's, by the name that LLVM gives it. */
export const isAmd = (cpu: string): boolean => cpu.startsWith('gfx');

export const instrValue = (fn: FunctionSnapshot, i: InstrId): ValueId => (fn.argCount + i) as ValueId;

/** The instruction that defines `v`, or `NONE` for arguments, constants and globals. */
export const definingInstr = (fn: FunctionSnapshot, v: ValueId): InstrId =>
  (v >= fn.argCount && v < fn.argCount + fn.instrCount ? v - fn.argCount : -1) as InstrId;

export const terminatorOf = (fn: FunctionSnapshot, b: BlockId): InstrId => (fn.blockInstrStart[b + 1]! - 1) as InstrId;

export const hasFlag = (fn: FunctionSnapshot, i: InstrId, flag: number): boolean => (fn.instrFlags[i]! & flag) !== 0;

/** Whether it calls functions that are not intrinsics. */
export function hasCalls(fn: FunctionSnapshot): boolean {
  for (let i = 0 as InstrId; i < fn.instrCount; i++) if (hasFlag(fn, i, InstrFlag.Call)) return true;
  return false;
}

/** Whether a block ends in a conditional `br`, which has two successors. Its condition is operand 0. */
export const isConditionalBranch = (fn: FunctionSnapshot, b: BlockId): boolean =>
  fn.instrOpcode[terminatorOf(fn, b)] === Opcode.CondBr;

/** Whether a block ends in a `br` of either kind. */
export const isBranch = (fn: FunctionSnapshot, b: BlockId): boolean =>
  isConditionalBranch(fn, b) || fn.instrOpcode[terminatorOf(fn, b)] === Opcode.UncondBr;
