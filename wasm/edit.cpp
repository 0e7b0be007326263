// Edits that LLVM-C has no function for; src/binding/editor.ts makes the others through LLVM-C.
#include "abi.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/DomTreeUpdater.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
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

// The properties that two loops share, as a new `llvm.loop`; null when there are none (the node's first operand is itself).
static MDNode *sharedLoop(LLVMContext &context, MDNode *first, MDNode *second) {
  if (!first || !second)
    return nullptr;
  SmallVector<Metadata *, 4> kept = {nullptr};
  for (const MDOperand &property : drop_begin(first->operands()))
    if (!isa<DILocation>(property.get()) && is_contained(drop_begin(second->operands()), property))
      kept.push_back(property);
  if (kept.size() == 1)
    return nullptr;
  MDNode *loop = MDNode::getDistinct(context, kept);
  loop->replaceOperandWith(0, loop);
  return loop;
}

// `melded` is a branch that stands for `first` and `second`: location and loop properties that hold for both.
DARM_EXPORT void darm_intersect_branch(LLVMValueRef melded, LLVMValueRef first, LLVMValueRef second) {
  auto *result = unwrap<Instruction>(melded);
  auto *a = unwrap<Instruction>(first), *b = unwrap<Instruction>(second);
  result->applyMergedLocation(a->getDebugLoc(), b->getDebugLoc());
  result->setMetadata(LLVMContext::MD_loop, sharedLoop(result->getContext(), a->getMetadata(LLVMContext::MD_loop),
                                                       b->getMetadata(LLVMContext::MD_loop)));
}

// Replaces the `switch` at the end of a block by a chain of compares and branches, one link per destination in the order of
// their first case; the default comes last. A chain, and not LLVM's balanced tree (LowerSwitch): every link is a two-way
// branch whose sides do not share blocks, which is what melding looks for.
DARM_EXPORT void darm_lower_switch(LLVMBasicBlockRef at) {
  BasicBlock *block = unwrap(at), *last = cast<SwitchInst>(block->getTerminator())->getDefaultDest();
  auto *branch = cast<SwitchInst>(block->getTerminator());
  Value *value = branch->getCondition();
  MapVector<BasicBlock *, SmallVector<APInt, 4>> cases;
  for (auto &each : branch->cases())
    if (each.getCaseSuccessor() != last)
      cases[each.getCaseSuccessor()].push_back(each.getCaseValue()->getValue());
  for (BasicBlock *successor : successors(block))
    for (PHINode &phi : successor->phis())
      // One entry per edge; all of a block's entries are equal.
      while (llvm::count(phi.blocks(), block) > 1)
        phi.removeIncomingValue(block, /*DeletePHIIfEmpty=*/false);
  // Nothing gets to a default that is unreachable: the last case needs no compare.
  if (!cases.empty() && isa<UnreachableInst>(last->getFirstNonPHIOrDbg())) {
    last->removePredecessor(block, /*KeepOneInputPHIs=*/true);
    last = cases.back().first;
    cases.pop_back();
  }
  IRBuilder<> builder(branch);
  BasicBlock *link = block;
  for (auto &[successor, values] : cases) {
    llvm::sort(values, [](const APInt &a, const APInt &b) { return a.slt(b); });
    Value *hit = nullptr;
    for (size_t from = 0, end; from < values.size(); from = end) {
      for (end = from + 1; end < values.size() && values[end] == values[end - 1] + 1;)
        ++end;
      Value *low = ConstantInt::get(value->getType(), values[from]);
      Value *one = end == from + 1 ? builder.CreateICmpEQ(value, low, "case")
                                   : builder.CreateICmpULE(builder.CreateSub(value, low),
                                                           ConstantInt::get(value->getType(), end - from - 1), "case");
      hit = hit ? builder.CreateOr(hit, one) : one;
    }
    bool isLast = successor == cases.back().first;
    BasicBlock *next = isLast ? last : BasicBlock::Create(block->getContext(), "case.else", block->getParent());
    if (!isLast)
      next->moveAfter(link);
    builder.CreateCondBr(hit, successor, next);
    for (BasicBlock *to : {successor, isLast ? last : nullptr})
      if (to && link != block)
        to->replacePhiUsesWith(block, link);
    link = next;
    if (!isLast)
      builder.SetInsertPoint(link);
  }
  if (cases.empty())
    builder.CreateBr(last);
  branch->eraseFromParent();
}

// A side of a branch, copied for waves whose threads all take it.
static SmallVector<BasicBlock *, 8> copySide(BasicBlock *entry, BasicBlock *from, BasicBlock *join, ValueToValueMapTy &map) {
  SetVector<BasicBlock *> side;
  side.insert(entry);
  for (size_t index = 0; index < side.size(); ++index)
    for (BasicBlock *successor : successors(side[index]))
      if (successor != join)
        side.insert(successor);
  SmallVector<MDNode *, 4> scopes;
  identifyNoAliasScopesToClone(side.getArrayRef(), scopes);
  SmallVector<BasicBlock *, 8> copies;
  for (BasicBlock *each : side) {
    BasicBlock *copy = CloneBasicBlock(each, map, ".agreed", from->getParent());
    copy->moveBefore(join);
    map[each] = copy;
    copies.push_back(copy);
  }
  remapInstructionsInBlocks(copies, map);
  cloneAndAdaptNoAliasScopes(scopes, copies, from->getContext(), "agreed");
  // Nothing else leads to the copies.
  SmallPtrSet<BasicBlock *, 8> inside(copies.begin(), copies.end());
  for (BasicBlock *copy : copies)
    for (PHINode &phi : copy->phis())
      phi.removeIncomingValueIf(
          [&](unsigned index) {
            BasicBlock *source = phi.getIncomingBlock(index);
            return !inside.contains(source) && !(copy == copies.front() && source == from);
          },
          /*DeletePHIIfEmpty=*/false);
  return copies;
}

// Asks the wave in front of a divergent branch, whose join is `behind`, whether all of its threads take one side, and which:
//
//   block ──→ copy of the side ──→ asked ──→ the next question, or the branch itself, in a block of its own ──→ join
//     └── if they do not agree ──↗   └── if the copy has run ──→ join
//
// Each question is two branches around one part, and not one branch of two ways: that is how LLVM's structurizer leaves
// uniform branches as they are. The join post-dominates the region, so what the region defines is used only inside of it and
// by phis of the join. `sides` are the successors to ask about, one or both of 0 and 1, in the order of asking.
DARM_EXPORT void darm_ask_wave(LLVMBasicBlockRef at, LLVMBasicBlockRef behind, int waveSize, const int *sides, int count) {
  BasicBlock *block = unwrap(at), *join = unwrap(behind);
  auto *branch = cast<CondBrInst>(block->getTerminator());
  LLVMContext &context = block->getContext();
  BasicBlock *entries[] = {branch->getSuccessor(0), branch->getSuccessor(1)};
  SmallVector<PHINode *, 8> results(llvm::map_range(join->phis(), [](PHINode &phi) { return &phi; }));
  IRBuilder<> builder(branch);
  Type *mask = builder.getIntNTy(waveSize);
  Value *taken =
      builder.CreateIntrinsic(Intrinsic::amdgcn_ballot, {mask}, {branch->getCondition()}, nullptr, "wave.taken");
  // Made anew for each branch: a condition that lives from block to block would be kept in registers.
  auto question = [&](int side, CmpInst::Predicate predicate, const Twine &name) {
    Value *all = side == 1 ? ConstantInt::get(mask, 0)
                           : builder.CreateIntrinsic(Intrinsic::amdgcn_ballot, {mask}, {builder.getTrue()});
    return builder.CreateICmp(predicate, taken, all, name);
  };
  BasicBlock *from = block;
  for (int index = 0; index < count; ++index) {
    int side = sides[index];
    BasicBlock *asked = BasicBlock::Create(context, "wave.asked", block->getParent(), join);
    BasicBlock *next = BasicBlock::Create(context, index + 1 < count ? "wave.some" : "wave.parted", block->getParent(), join);
    ValueToValueMapTy map;
    SmallVector<BasicBlock *, 8> copies = copySide(entries[side], block, join, map);
    asked->moveAfter(copies.back());
    next->moveAfter(asked);
    builder.CreateCondBr(question(side, CmpInst::ICMP_EQ, "wave.agrees"), copies.front(), asked);
    copies.front()->replacePhiUsesWith(block, from);
    builder.SetInsertPoint(asked);
    builder.SetCurrentDebugLocation(branch->getDebugLoc());
    for (PHINode *phi : results) {
      PHINode *agreed = PHINode::Create(phi->getType(), 2, phi->getName() + ".agreed", asked->begin());
      agreed->addIncoming(PoisonValue::get(phi->getType()), from);
      for (unsigned entry = 0, end = phi->getNumIncomingValues(); entry < end; ++entry)
        if (Value *copy = map.lookup(phi->getIncomingBlock(entry))) {
          Value *value = phi->getIncomingValue(entry), *mapped = map.lookup(value);
          agreed->addIncoming(mapped ? mapped : value, cast<BasicBlock>(copy));
        }
      phi->addIncoming(agreed, asked);
    }
    for (BasicBlock *copy : copies)
      copy->getTerminator()->replaceSuccessorWith(join, asked);
    builder.CreateCondBr(question(side, CmpInst::ICMP_NE, "wave.open"), next, join);
    if (from == block) {
      branch->removeFromParent();
    }
    builder.SetInsertPoint(next);
    from = next;
  }
  branch->insertInto(from, from->end());
  for (BasicBlock *entry : entries)
    entry->replacePhiUsesWith(block, from);
}

// The constant `true` or `false`.
DARM_EXPORT LLVMValueRef darm_bool(LLVMContextRef context, int value) {
  return wrap(ConstantInt::getBool(*unwrap(context), value != 0));
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
