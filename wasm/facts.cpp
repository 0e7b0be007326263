// The safety questions of the melding rules that are about one instruction, answered by LLVM.
#include "facts.h"
#include "AMDGPUInstrInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
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

// Intrinsics of the target that are plain arithmetic on vector registers, whatever their operands. Others may take operands
// from M0 or scalar registers only; LLVM would silently read the first lane of a divergent one.
static bool isPlainArithmetic(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::amdgcn_rcp:
  case Intrinsic::amdgcn_rsq:
  case Intrinsic::amdgcn_rsq_clamp:
  case Intrinsic::amdgcn_rcp_legacy:
  case Intrinsic::amdgcn_rsq_legacy:
  case Intrinsic::amdgcn_sqrt:
  case Intrinsic::amdgcn_sin:
  case Intrinsic::amdgcn_cos:
  case Intrinsic::amdgcn_log:
  case Intrinsic::amdgcn_log_clamp:
  case Intrinsic::amdgcn_exp2:
  case Intrinsic::amdgcn_fract:
  case Intrinsic::amdgcn_frexp_mant:
  case Intrinsic::amdgcn_frexp_exp:
  case Intrinsic::amdgcn_class:
  case Intrinsic::amdgcn_fmed3:
  case Intrinsic::amdgcn_fma_legacy:
  case Intrinsic::amdgcn_fmul_legacy:
  case Intrinsic::amdgcn_div_scale:
  case Intrinsic::amdgcn_div_fmas:
  case Intrinsic::amdgcn_div_fixup:
  case Intrinsic::amdgcn_trig_preop:
  case Intrinsic::amdgcn_cvt_pkrtz:
  case Intrinsic::amdgcn_cvt_pknorm_i16:
  case Intrinsic::amdgcn_cvt_pknorm_u16:
  case Intrinsic::amdgcn_cvt_pk_i16:
  case Intrinsic::amdgcn_cvt_pk_u16:
  case Intrinsic::amdgcn_cvt_pk_u8_f32:
  case Intrinsic::amdgcn_ubfe:
  case Intrinsic::amdgcn_sbfe:
  case Intrinsic::amdgcn_mul_i24:
  case Intrinsic::amdgcn_mul_u24:
  case Intrinsic::amdgcn_mulhi_i24:
  case Intrinsic::amdgcn_mulhi_u24:
  case Intrinsic::amdgcn_perm:
  case Intrinsic::amdgcn_alignbyte:
  case Intrinsic::amdgcn_lerp:
  case Intrinsic::amdgcn_sad_u8:
  case Intrinsic::amdgcn_sad_hi_u8:
  case Intrinsic::amdgcn_sad_u16:
  case Intrinsic::amdgcn_msad_u8:
  case Intrinsic::amdgcn_cubeid:
  case Intrinsic::amdgcn_cubema:
  case Intrinsic::amdgcn_cubesc:
  case Intrinsic::amdgcn_cubetc:
  case Intrinsic::amdgcn_mbcnt_lo:
  case Intrinsic::amdgcn_mbcnt_hi:
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

int32_t darm::laneSource(const Instruction &instruction) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  switch (intrinsic ? intrinsic->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::amdgcn_workitem_id_x:
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return ThreadX;
  case Intrinsic::amdgcn_workitem_id_y:
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return ThreadY;
  case Intrinsic::amdgcn_workitem_id_z:
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return ThreadZ;
  case Intrinsic::amdgcn_mbcnt_lo:
  case Intrinsic::amdgcn_mbcnt_hi:
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return Lane;
  case Intrinsic::amdgcn_ballot:
    return Ballot;
  default:
    return NoSource;
  }
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
      never |= intrinsic->getCalledFunction()->getName().starts_with("llvm.amdgcn.") &&
               !isPlainArithmetic(intrinsic->getIntrinsicID());
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
  // Buffer descriptors: pointers in address spaces 7, 8, 9.
  const Value *pointer = getLoadStorePointerOperand(&instruction);
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    pointer = atomic->getPointerOperand();
  else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    pointer = exchange->getPointerOperand();
  if (pointer && pointer == instruction.getOperand(operand)) {
    unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space >= 7 && space <= 9)
      flags |= MustBeUniform;
  }
  // Arguments that are passed in scalar registers, and inline assembly, whose constraints may name them. Target intrinsics
  // with such operands never meld (isPlainArithmetic); what is said of them here is for code behind a meld.
  auto *call = dyn_cast<CallBase>(&instruction);
  if (call && operand < call->arg_size() && (call->isInlineAsm() || call->paramHasAttr(operand, Attribute::InReg)))
    flags |= MustBeUniform;
  if (auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction)) {
    if (auto *resource = AMDGPU::lookupRsrcIntrinsic(intrinsic->getIntrinsicID()); resource && resource->RsrcArg == operand)
      flags |= MustBeUniform;
    switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::amdgcn_load_to_lds:
    case Intrinsic::amdgcn_global_load_lds:
    case Intrinsic::amdgcn_readlane:
    case Intrinsic::amdgcn_writelane:
      if (operand == 1)
        flags |= MustBeUniform;
      break;
    case Intrinsic::amdgcn_interp_p1:
    case Intrinsic::amdgcn_interp_p2:
    case Intrinsic::amdgcn_interp_mov:
    case Intrinsic::amdgcn_interp_p1_f16:
    case Intrinsic::amdgcn_interp_p2_f16:
    case Intrinsic::amdgcn_lds_param_load:
    case Intrinsic::amdgcn_lds_direct_load:
      if (operand + 1 == intrinsic->arg_size()) // M0
        flags |= MustBeUniform;
      break;
    default:
      break;
    }
  }
  return flags;
}
