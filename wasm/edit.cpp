// Edits that LLVM-C has no function for; src/binding/editor.ts makes the others through LLVM-C.
#include "abi.h"
#include "llvm-c/Core.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace darm;

// Whether two instructions with equal keys can really become one: their attributes and special state must intersect.
DARM_EXPORT int darm_can_pair(LLVMValueRef first, LLVMValueRef second) {
  auto *a = unwrap<Instruction>(first), *b = unwrap<Instruction>(second);
  return a->hasSameSpecialState(b, /*IgnoreAlignment=*/true, /*IntersectAttrs=*/true);
}

static void setAlignment(Instruction &instruction, Align align) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    load->setAlignment(align);
  else if (auto *store = dyn_cast<StoreInst>(&instruction))
    store->setAlignment(align);
  else if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    atomic->setAlignment(align);
  else if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    exchange->setAlignment(align);
}

static MaybeAlign alignment(const Instruction &instruction) {
  if (auto *load = dyn_cast<LoadInst>(&instruction))
    return load->getAlign();
  if (auto *store = dyn_cast<StoreInst>(&instruction))
    return store->getAlign();
  if (auto *atomic = dyn_cast<AtomicRMWInst>(&instruction))
    return atomic->getAlign();
  if (auto *exchange = dyn_cast<AtomicCmpXchgInst>(&instruction))
    return exchange->getAlign();
  return std::nullopt;
}

// `melded` is a clone of `first` that shall stand for `second` too: keeps only what holds for both (rule 2: poison and
// fast-math flags, alignment, call attributes, metadata, debug location).
// With `swapped`, operands 0 and 1 of `second` change places: what it promises of them says nothing about ours.
DARM_EXPORT void darm_intersect(LLVMValueRef melded, LLVMValueRef first, LLVMValueRef second, int swapped) {
  auto *result = unwrap<Instruction>(melded);
  auto *a = unwrap<Instruction>(first), *b = unwrap<Instruction>(second);
  result->andIRFlags(b);
  if (MaybeAlign mine = alignment(*a), other = alignment(*b); mine && other)
    setAlignment(*result, std::min(*mine, *other));
  if (auto *call = dyn_cast<CallBase>(result)) {
    AttributeList mine = call->getAttributes(), other = cast<CallBase>(b)->getAttributes();
    if (swapped)
      for (unsigned parameter : {0, 1}) {
        mine = mine.removeParamAttributes(call->getContext(), parameter);
        other = other.removeParamAttributes(call->getContext(), parameter);
      }
    auto intersection = mine.intersectWith(call->getContext(), other);
    assert(intersection && "darm_can_pair said yes");
    call->setAttributes(*intersection);
  }
  combineMetadataForCSE(result, b, /*DoesKMove=*/true);
  // LLVM's helper drops the target's own metadata, and an atomic add then becomes a compare-and-swap loop. Not kept is what
  // is about the operands of one side: `amdgpu.uniform`, `amdgpu.noclobber`.
  for (StringRef kind : {"amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory", "amdgpu.ignore.denormal.mode",
                         "amdgpu.last.use"})
    if (MDNode *node = a->getMetadata(kind); node && b->getMetadata(kind) == node)
      result->setMetadata(kind, node);
  for (unsigned kind : {unsigned(LLVMContext::MD_invariant_group), unsigned(LLVMContext::MD_prof),
                        unsigned(LLVMContext::MD_unpredictable)})
    result->setMetadata(kind, nullptr);
  result->applyMergedLocation(a->getDebugLoc(), b->getDebugLoc());
}

// For an instruction that now runs for threads that would not have run it.
DARM_EXPORT void darm_speculate(LLVMValueRef instruction) {
  unwrap<Instruction>(instruction)->dropUBImplyingAttrsAndMetadata();
}

// Redirects every edge from `block` to `from` to go to `to` (phis are the caller's affair).
DARM_EXPORT void darm_redirect(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
  unwrap(block)->getTerminator()->replaceSuccessorWith(unwrap(from), unwrap(to));
}

// Deletes blocks that nothing outside of them reaches any more: their entries leave the phis behind them (phis with one
// entry stay, other references may hold them), what still uses their values gets poison.
DARM_EXPORT void darm_delete_blocks(LLVMBasicBlockRef *blocks, size_t count) {
  SmallVector<BasicBlock *, 16> dead;
  for (size_t index = 0; index < count; ++index)
    dead.push_back(unwrap(blocks[index]));
  DeleteDeadBlocks(dead, nullptr, /*KeepOneInputPHIs=*/true);
}

// Folds phis with one value, equal phis and what is dead after a meld, so that the next snapshot starts clean.
DARM_EXPORT void darm_fold_phis(LLVMValueRef function) {
  Function &f = *unwrap<Function>(function);
  for (BasicBlock &block : f)
    EliminateDuplicatePHINodes(&block);
  for (BasicBlock &block : f)
    for (Instruction &instruction : make_early_inc_range(reverse(block)))
      if (isInstructionTriviallyDead(&instruction))
        instruction.eraseFromParent();
}
