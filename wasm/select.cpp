// What becomes of the selects that melding makes: fewer of them for addresses, and none that code generation is bad at.
#include "abi.h"
#include "address.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Support/AMDGPUAddrSpace.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
using namespace darm;

namespace {

struct AddressSelect {
  SelectInst *select;
  Address t, f;
};

// Where an instruction may stand that all of `users` shall see, or null when a part of their addresses is not there yet.
Instruction *commonPlace(ArrayRef<AddressSelect> users, DominatorTree &dominators) {
  const AddressSelect &first = users.front();
  BasicBlock *block = first.select->getParent();
  for (const AddressSelect &each : users) {
    if (!dominators.isReachableFromEntry(each.select->getParent()))
      return nullptr;
    block = dominators.findNearestCommonDominator(block, each.select->getParent());
  }
  Instruction *place = block->getTerminator();
  for (const AddressSelect &each : users)
    if (each.select->getParent() == block && each.select->comesBefore(place))
      place = each.select;
  auto isThere = [&](const Value *value) {
    auto *definition = dyn_cast<Instruction>(value);
    return !definition || dominators.dominates(definition, place);
  };
  bool all = isThere(first.select->getCondition());
  for (const Address *address : {&first.t, &first.f}) {
    all &= isThere(address->root);
    for (auto &[term, scale] : address->terms)
      all &= isThere(term);
  }
  return all ? place : nullptr;
}

// A distance in bytes; addresses of LDS and scratch have 32 bits and wrap.
Constant *bytes(Type *index, int64_t distance) {
  return ConstantInt::get(index, APInt(64, distance, true).sextOrTrunc(index->getIntegerBitWidth()));
}

// The address anew, without promises (`inbounds`, `nuw`) that may hold for one of the accesses only.
Value *compute(const Address &address, IRBuilder<> &builder, Type *index) {
  Value *pointer = const_cast<Value *>(address.root);
  for (auto &[term, scale] : address.terms) {
    if (scale.isZero())
      continue;
    Value *variable = builder.CreateSExtOrTrunc(term, index);
    pointer = builder.CreatePtrAdd(pointer, scale.isOne() ? variable
                                            : builder.CreateMul(variable, ConstantInt::get(index, scale)));
  }
  if (address.offset != 0)
    pointer = builder.CreatePtrAdd(pointer, bytes(index, address.offset));
  return pointer;
}

} // namespace

// Selects by one condition between addresses that lie equally far apart on both sides become one select and constant
// offsets, which loads and stores take for nothing: `c ? a+8 : b+8` is `(c ? a : b) + 8`.
DARM_EXPORT void darm_share_address_selects(LLVMValueRef function) {
  Function &f = *unwrap<Function>(function);
  const DataLayout &layout = f.getDataLayout();
  // Groups in the order of their first select; the key holds addresses and is only compared.
  StringMap<size_t> known;
  std::vector<std::vector<AddressSelect>> groups;
  for (BasicBlock &block : f)
    for (Instruction &instruction : block) {
      auto *select = dyn_cast<SelectInst>(&instruction);
      if (!select || !select->getType()->isPointerTy() || !select->getCondition()->getType()->isIntegerTy(1))
        continue;
      Address t(*select->getTrueValue(), layout), other(*select->getFalseValue(), layout);
      auto words = t.base(), more = other.base();
      words.append({words.size(), reinterpret_cast<uintptr_t>(select->getCondition()),
                    static_cast<uint64_t>(t.offset - other.offset)});
      words.append(more);
      StringRef key(reinterpret_cast<const char *>(words.data()), words.size() * sizeof(uint64_t));
      auto [entry, isNew] = known.try_emplace(key, groups.size());
      if (isNew)
        groups.emplace_back();
      groups[entry->second].push_back({select, std::move(t), std::move(other)});
    }
  // Replaced at the end only: the address of one group may lead back to a select of another.
  std::vector<std::pair<SelectInst *, Value *>> replaced;
  std::unique_ptr<DominatorTree> dominators;
  for (std::vector<AddressSelect> &members : groups) {
    if (members.size() < 2)
      continue;
    if (!dominators)
      dominators = std::make_unique<DominatorTree>(f);
    Instruction *place = commonPlace(members, *dominators);
    if (!place)
      continue;
    // The lowest address is the base: offsets of accesses are not negative.
    const AddressSelect &lowest =
        *llvm::min_element(members, [](auto &a, auto &b) { return a.t.offset < b.t.offset; });
    Type *index = layout.getIndexType(lowest.select->getType());
    IRBuilder<> builder(place);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *base = builder.CreateSelect(lowest.select->getCondition(), compute(lowest.t, builder, index),
                                       compute(lowest.f, builder, index), "meld.base");
    for (const AddressSelect &each : members) {
      IRBuilder<> at(each.select);
      at.SetCurrentDebugLocation(DebugLoc());
      int64_t distance = each.t.offset - lowest.t.offset;
      Value *address = distance == 0 ? base : at.CreatePtrAdd(base, bytes(index, distance), "meld.address");
      replaced.push_back({each.select, address});
    }
  }
  for (auto [select, address] : replaced)
    select->replaceAllUsesWith(address);
  for (auto [select, address] : replaced)
    select->eraseFromParent();
}

// Code generation for AMD GPUs selects between conditions in vector registers, five instructions; with masks it is three
// scalar ones. `freeze` keeps the side that a thread is not on from spreading poison (a select would not look at it).
static void lowerConditionSelects(Function &f) {
  for (BasicBlock &block : f)
    for (Instruction &instruction : make_early_inc_range(block)) {
      auto *select = dyn_cast<SelectInst>(&instruction);
      if (!select || !select->getType()->isIntegerTy(1) || isa<Constant>(select->getTrueValue()) ||
          isa<Constant>(select->getFalseValue()))
        continue;
      IRBuilder<> builder(select);
      Value *condition = select->getCondition();
      // Used twice: an undefined one must be the same both times.
      if (!isGuaranteedNotToBeUndefOrPoison(condition))
        condition = builder.CreateFreeze(condition);
      Value *t = builder.CreateAnd(condition, builder.CreateFreeze(select->getTrueValue()));
      Value *other = builder.CreateAnd(builder.CreateNot(condition), builder.CreateFreeze(select->getFalseValue()));
      Value *either = builder.CreateOr(t, other);
      either->takeName(select);
      select->replaceAllUsesWith(either);
      select->eraseFromParent();
    }
}

// The type of vector registers that holds values of `type`: itself, or words that its bits fit into; null for what is larger.
// Never of integers: instruction selection looks into operations on those (see hideProducts).
static Type *registerType(Type *type, const DataLayout &layout, bool has16Bits) {
  LLVMContext &context = type->getContext();
  auto isWords = [](unsigned words) { return words <= 12 || words == 16 || words == 32; };
  if (type->isPointerTy())
    return layout.getTypeSizeInBits(type) <= 64 ? type : nullptr;
  if (!type->isIntOrIntVectorTy() && !type->isFPOrFPVectorTy())
    return nullptr;
  unsigned bits = layout.getTypeSizeInBits(type), words = divideCeil(bits, 32);
  if (bits == 16 && has16Bits)
    return Type::getHalfTy(context);
  if (bits <= 32)
    return Type::getFloatTy(context);
  if (bits <= 64 && !type->isVectorTy())
    return Type::getDoubleTy(context);
  while (words <= 32 && !isWords(words))
    ++words;
  return words <= 32 ? FixedVectorType::get(Type::getFloatTy(context), words) : nullptr;
}

// The value again, by an operation that no pass looks through or moves and that becomes a copy of registers.
static Value *opaque(Value *value, IRBuilder<> &builder, const DataLayout &layout, bool has16Bits) {
  Type *type = value->getType(), *held = registerType(type, layout, has16Bits);
  if (!held)
    return builder.CreateFreeze(value);
  auto copy = [&](Value *each) { return builder.CreateUnaryIntrinsic(Intrinsic::amdgcn_softwqm, each); };
  uint64_t size = layout.getTypeSizeInBits(type), heldSize = layout.getTypeSizeInBits(held);
  if (size == heldSize)
    return held == type ? copy(value) : builder.CreateBitCast(copy(builder.CreateBitCast(value, held)), type);
  Type *bits = builder.getIntNTy(size), *padded = builder.getIntNTy(heldSize);
  Value *wide = builder.CreateBitCast(builder.CreateZExt(builder.CreateBitCast(value, bits), padded), held);
  return builder.CreateBitCast(builder.CreateTrunc(builder.CreateBitCast(copy(wide), padded), bits), type);
}

// Whether code generation may find out that a factor has eight bits.
static bool mayBeByte(const Value *factor, const DataLayout &layout) {
  unsigned width = factor->getType()->getScalarSizeInBits();
  if (width <= 8 || computeKnownBits(factor, layout).countMaxActiveBits() <= 8 || ComputeNumSignBits(factor, layout) > width - 8)
    return true;
  // How many threads a workgroup has, it knows best.
  auto *intrinsic = dyn_cast<IntrinsicInst>(factor);
  return intrinsic && is_contained({Intrinsic::amdgcn_workitem_id_x, Intrinsic::amdgcn_workitem_id_y,
                                    Intrinsic::amdgcn_workitem_id_z}, intrinsic->getIntrinsicID());
}

static bool isProductOfBytes(const Instruction &instruction, const DataLayout &layout) {
  auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
  bool isProduct = intrinsic ? intrinsic->getIntrinsicID() == Intrinsic::amdgcn_mul_u24 ||
                                   intrinsic->getIntrinsicID() == Intrinsic::amdgcn_mul_i24
                             : instruction.getOpcode() == Instruction::Mul;
  return isProduct && mayBeByte(instruction.getOperand(0), layout) && mayBeByte(instruction.getOperand(1), layout);
}

// `select(c, a + x, b + x)` becomes `select(c, a, b) + x`.
static bool isSelectedSum(const Instruction &sum) {
  return any_of(sum.users(), [](const User *user) {
    auto *select = dyn_cast<SelectInst>(user);
    return select && isa<BinaryOperator>(select->getTrueValue()) && isa<BinaryOperator>(select->getFalseValue());
  });
}

// Where a product arrives in an operation of its block that is no sum, past what code generation may drop.
static void findOtherUses(Instruction &product, SmallVectorImpl<Use *> &found) {
  SmallPtrSet<Instruction *, 8> seen;
  SmallVector<Instruction *, 8> work{&product};
  while (!work.empty()) {
    Instruction *value = work.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (Use &use : value->uses()) {
      auto *user = cast<Instruction>(use.getUser());
      if (user->getParent() != product.getParent() || isa<PHINode, CmpInst, StoreInst>(user) || user->isTerminator() ||
          (isa<CallInst>(user) && !isa<IntrinsicInst>(user)))
        continue;
      if (isa<CastInst, FreezeInst, ExtractElementInst, InsertElementInst, ShuffleVectorInst>(user))
        work.push_back(user);
      else if (user->getOpcode() != Instruction::Add || isSelectedSum(*user))
        found.push_back(&use);
    }
  }
}

// LLVM 23's SITargetLowering::performAddCombine collects sums of products of bytes for `v_dot4`, and takes every operation on a
// product for a sum: of `a * b + select(c, d * e, x)` it makes `a * b + d * e + c`. Melding makes such selects, and brings
// operations of blocks together. Products that go into anything but sums are hidden there.
static void hideProducts(Function &f, bool has16Bits) {
  const DataLayout &layout = f.getDataLayout();
  for (BasicBlock &block : f) {
    SmallVector<Instruction *, 8> products;
    for (Instruction &instruction : block)
      if (isProductOfBytes(instruction, layout))
        products.push_back(&instruction);
    if (products.size() < 2)
      continue;
    SmallVector<Use *, 8> uses;
    for (Instruction *product : products)
      findOtherUses(*product, uses);
    for (Use *use : uses) {
      IRBuilder<> builder(cast<Instruction>(use->getUser()));
      builder.SetCurrentDebugLocation(DebugLoc());
      use->set(opaque(use->get(), builder, layout, has16Bits));
    }
  }
}

// Whether code generation may make a loop of a call: of atomics, copies of memory, reductions over a wave, what differs
// between lanes and must not (descriptors, callees), and loops of what it inlines.
static bool mayBecomeLoop(const CallBase &call) {
  const auto *intrinsic = dyn_cast<IntrinsicInst>(&call);
  if (intrinsic == nullptr || intrinsic->mayReadOrWriteMemory())
    return true;
  // Without access to memory, as far as LLVM says.
  const StringRef name = intrinsic->getCalledFunction()->getName();
  return name.starts_with("llvm.amdgcn.wave.reduce.") || name.starts_with("llvm.amdgcn.s.buffer.") ||
         name.starts_with("llvm.amdgcn.image.");
}

// The same for any instruction: elements of vectors by an index that differs, arrays that become vectors, accesses through
// descriptors, remainders of floating-point numbers, divisions of long integers.
static bool mayBecomeLoop(const Instruction &instruction) {
  switch (instruction.getOpcode()) {
  case Instruction::Call:
    return mayBecomeLoop(cast<CallBase>(instruction));
  case Instruction::ExtractElement:
    return !isa<Constant>(instruction.getOperand(1));
  case Instruction::InsertElement:
    return !isa<Constant>(instruction.getOperand(2));
  case Instruction::Alloca:
  case Instruction::FRem:
    return true;
  case Instruction::UDiv:
  case Instruction::SDiv:
  case Instruction::URem:
  case Instruction::SRem:
    return instruction.getType()->getScalarSizeInBits() > 64;
  case Instruction::Load:
  case Instruction::Store:
    return getLoadStoreAddressSpace(&instruction) >= AMDGPUAS::BUFFER_FAT_POINTER;
  case Instruction::Fence:
    return false;
  default:
    return instruction.mayReadOrWriteMemory();
  }
}

// Whether the function has a loop, or something that code generation may make one of.
static bool mayLoop(Function &f) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>, 4> backEdges;
  FindFunctionBackedges(f, backEdges);
  return !backEdges.empty() ||
         any_of(instructions(f), [](const Instruction &instruction) { return mayBecomeLoop(instruction); });
}

// The last step in front of code generation for a function that was melded.
DARM_EXPORT void darm_prepare_codegen(Job *job, LLVMValueRef function) {
  Function &f = *unwrap<Function>(function);
  const TargetSubtargetInfo &subtarget = *job->machine->getSubtargetImpl(f);
  auto has = [&](const char *feature) { return subtarget.checkFeatures(feature); };
  lowerConditionSelects(f);
  if (has("+dot7-insts") && (has("+dot1-insts") || has("+dot8-insts")))
    hideProducts(f, has("+16-bit-insts"));
  // LLVM 23's LiveRangeCalc::isDefOnEntry takes a block for undefined on entry that is undefined on exit only. In loops with
  // joins of a value and poison, which melding makes, registers then lose their values where live ranges are computed anew.
  // SIFormMemoryClauses does that, for all processors that may repeat faulting accesses (XNACK); it is an optimisation, and
  // without loops no block is both.
  if (mayLoop(f))
    f.addFnAttr("amdgpu-max-memory-clause", "1");
}
