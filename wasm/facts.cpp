// The safety questions of the melding rules that are about one instruction, answered by LLVM.
#include "facts.h"
#include "AMDGPUInstrInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

// Intrinsics that change how the wave runs on, beyond what their memory attributes say.
static bool writesWaveState(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::amdgcn_s_setreg:
  case Intrinsic::amdgcn_s_setprio:
  case Intrinsic::amdgcn_s_sendmsg:
  case Intrinsic::amdgcn_s_sendmsghalt:
  case Intrinsic::amdgcn_s_sethalt:
  case Intrinsic::amdgcn_kill:
  case Intrinsic::amdgcn_init_exec:
  case Intrinsic::amdgcn_init_exec_from_input:
  case Intrinsic::amdgcn_endpgm:
  case Intrinsic::set_rounding:
  case Intrinsic::set_fpenv:
  case Intrinsic::reset_fpenv:
  case Intrinsic::set_fpmode:
  case Intrinsic::reset_fpmode:
  case Intrinsic::trap:
  case Intrinsic::debugtrap:
  case Intrinsic::ubsantrap:
    return true;
  default:
    return false;
  }
}

static bool isMarker(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::lifetime_start:
  case Intrinsic::lifetime_end:
  case Intrinsic::assume:
  case Intrinsic::experimental_noalias_scope_decl:
  case Intrinsic::pseudoprobe:
  case Intrinsic::sideeffect:
    return true;
  default:
    return false;
  }
}

// Safe for threads that would not have run it, whatever its operands are by then (a phi with poison, for instance): no
// memory, no undefined behaviour on poison. A division counts when its divisor is a harmless constant, which stays one.
static bool isSpeculatable(const Instruction &instruction) {
  if (instruction.isTerminator() || isa<PHINode, AllocaInst>(instruction) || instruction.mayReadOrWriteMemory() ||
      instruction.getType()->isTokenTy())
    return false;
  if (auto *call = dyn_cast<CallBase>(&instruction); call && call->isConvergent())
    return false;
  if (instruction.isIntDivRem()) {
    auto *divisor = dyn_cast<ConstantInt>(instruction.getOperand(1));
    return divisor && !divisor->isZero() && !divisor->isMinusOne();
  }
  return isSafeToSpeculativelyExecuteWithVariableReplaced(&instruction);
}

static bool maySynchronise(const Instruction &instruction) {
  if (isa<FenceInst>(instruction))
    return true;
  if (auto *call = dyn_cast<CallBase>(&instruction))
    return !call->doesNotAccessMemory() && !call->hasFnAttr(Attribute::NoSync);
  return instruction.isAtomic();
}

static bool isMeldableOpcode(const Instruction &instruction) {
  if (instruction.isBinaryOp() || instruction.isUnaryOp() || instruction.isCast())
    return true;
  return isa<CmpInst, SelectInst, FreezeInst, GetElementPtrInst, LoadInst, StoreInst, AtomicRMWInst, AtomicCmpXchgInst,
             FenceInst, ExtractElementInst, InsertElementInst, ExtractValueInst, InsertValueInst, ShuffleVectorInst,
             CallInst>(instruction);
}

int32_t darm::instructionFlags(const Instruction &instruction) {
  int32_t flags = 0;
  auto set = [&flags](bool condition, int32_t flag) { flags |= condition ? flag : 0; };
  set(instruction.mayReadFromMemory(), MayReadMemory);
  set(instruction.mayWriteToMemory(), MayWriteMemory);
  set(instruction.mayHaveSideEffects(), HasSideEffects);
  set(isSpeculatable(instruction), Speculatable);
  set(instruction.isAtomic(), Atomic);
  set(instruction.isVolatile(), Volatile);
  set(maySynchronise(instruction), MaySync);
  set(instruction.willReturn(), WillReturn);
  set(instruction.isCommutative() && instruction.getNumOperands() >= 2, Commutative);
  set(instruction.isTerminator(), IsTerminator);
  bool never = !isMeldableOpcode(instruction) || instruction.getType()->isTokenTy();
  if (auto *call = dyn_cast<CallBase>(&instruction)) {
    auto *intrinsic = dyn_cast<IntrinsicInst>(call);
    set(call->isConvergent(), Convergent);
    set(call->cannotDuplicate(), NoDuplicate);
    set(!intrinsic, IsCall);
    set(intrinsic != nullptr, IsIntrinsic);
    set(true, NeedsPairCheck);
    never |= call->isMustTailCall() || call->cannotMerge() || call->isStrictFP() || call->hasOperandBundles() ||
             call->hasFnAttr(Attribute::ReturnsTwice) || (!call->isInlineAsm() && !call->getCalledFunction());
    for (const Use &argument : call->args())
      never |= argument->getType()->isTokenTy();
    if (intrinsic) {
      set(writesWaveState(intrinsic->getIntrinsicID()), WritesWaveState);
      set(isMarker(intrinsic->getIntrinsicID()), Marker);
      set(!(flags & Speculatable), IdenticalOperandsOnly);
    } else if (call->isInlineAsm()) {
      set(true, IdenticalOperandsOnly);
    }
  }
  set(never, NeverMelds);
  return flags;
}

int32_t darm::operandFlags(const Instruction &instruction, unsigned operand) {
  int32_t flags = 0;
  if (!isa<PHINode>(instruction) && !instruction.isTerminator() &&
      !canReplaceOperandWithVariable(&instruction, operand))
    flags |= MustStay;
  // Buffer descriptors: pointers in address spaces 7, 8, 9 and the resources of buffer and image intrinsics.
  if (const Value *pointer = getLoadStorePointerOperand(&instruction);
      pointer && pointer == instruction.getOperand(operand)) {
    unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space >= 7 && space <= 9)
      flags |= MustBeUniform;
  }
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
    if (auto *resource = AMDGPU::lookupRsrcIntrinsic(intrinsic->getIntrinsicID()); resource && resource->RsrcArg == operand)
      flags |= MustBeUniform;
    switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::amdgcn_load_to_lds:
    case Intrinsic::amdgcn_global_load_lds:
      if (operand == 1)
        flags |= MustBeUniform;
      break;
    case Intrinsic::amdgcn_readlane:
    case Intrinsic::amdgcn_writelane:
      if (operand == 1)
        flags |= MustBeUniform;
      break;
    default:
      break;
    }
  }
  return flags;
}
