// Facts about single instructions that melding needs and LLVM knows; shared by the snapshot and the pair check.
#pragma once
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace darm {

// Bits of src/ir/snapshot.ts InstrFlag, OperandFlag and FunctionFlag.
enum InstrFlag : int32_t {
  Convergent = 1 << 0, WritesWaveState = 1 << 1, MayReadMemory = 1 << 2, MayWriteMemory = 1 << 3, HasSideEffects = 1 << 4,
  Speculatable = 1 << 5, Atomic = 1 << 6, Volatile = 1 << 7, MaySync = 1 << 8, WillReturn = 1 << 9, NoDuplicate = 1 << 10,
  NeverMelds = 1 << 11, NeedsPairCheck = 1 << 12, Commutative = 1 << 13, IsCall = 1 << 14, IsIntrinsic = 1 << 15,
  IsTerminator = 1 << 16, Marker = 1 << 17, IdenticalOperandsOnly = 1 << 18,
};
enum OperandFlag : int32_t { MustBeUniform = 1 << 0, MustStay = 1 << 1 };
enum FunctionFlag : int32_t {
  HasBranchDivergence = 1 << 0, IsKernel = 1 << 1, OptNone = 1 << 2, Naked = 1 << 3, AddressTaken = 1 << 4,
  ConvergenceControl = 1 << 5, AsksWaves = 1 << 6,
};
enum LaneSource : int32_t { NoSource, ThreadX, ThreadY, ThreadZ, Lane, Ballot };

// What of a thread's place in its wave or group an instruction reads.
int32_t laneSource(const llvm::Instruction &instruction);
int32_t instructionFlags(const llvm::Instruction &instruction);
int32_t operandFlags(const llvm::Instruction &instruction, unsigned operand);

} // namespace darm
