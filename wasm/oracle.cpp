// LLVM's own answers to what src/analysis computes: for tests and for --verify-analyses.
//
// job->words = values (arguments, then instructions: divergent?), blocks (divergent terminator?), operands (divergent
// use?; in the snapshot's operand order), immediate dominators, immediate post-dominators (-1 none), cycles; each list
// behind its length. A cycle is: header, depth, parent (index in the list, -1 none), reducible?, block count, blocks in
// ascending order; cycles in the order of their headers in the layout, outer before inner.
#include "abi.h"
#include "llvm-c/Core.h"
#include "llvm/ADT/GenericUniformityImpl.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/Dominators.h"

using namespace llvm;
using namespace darm;

DARM_EXPORT int darm_oracle(Job *job, LLVMValueRef reference) {
  Function &function = *unwrap<Function>(reference);
  DominatorTree dominators(function);
  PostDominatorTree postDominators(function);
  CycleInfo cycles;
  cycles.compute(function);
  TargetTransformInfo costs = job->machine->getTargetTransformInfo(function);
  UniformityInfo uniformity(dominators, cycles, &costs);
  if (costs.hasBranchDivergence(&function))
    uniformity.compute();

  std::vector<int32_t> &words = job->words;
  words.clear();
  auto list = [&words](const std::vector<int32_t> &items) {
    words.push_back(items.size());
    words.insert(words.end(), items.begin(), items.end());
  };
  DenseMap<const BasicBlock *, int> blocks;
  std::vector<int32_t> values, terminators, uses, idoms, ipdoms;
  for (Argument &argument : function.args())
    values.push_back(uniformity.isDivergentAtDef(&argument));
  for (BasicBlock &block : function)
    blocks.try_emplace(&block, blocks.size());
  for (BasicBlock &block : function) {
    terminators.push_back(uniformity.hasDivergentTerminator(block));
    for (Instruction &instruction : block) {
      values.push_back(uniformity.isDivergentAtDef(&instruction));
      for (Use &use : instruction.operands())
        if (!isa<BasicBlock>(use.get()))
          uses.push_back(uniformity.isDivergentAtUse(use));
    }
    auto number = [&blocks](DomTreeNodeBase<BasicBlock> *node) {
      auto *parent = node ? node->getIDom() : nullptr;
      return parent && parent->getBlock() ? blocks.lookup(parent->getBlock()) : -1;
    };
    idoms.push_back(number(dominators.getNode(&block)));
    ipdoms.push_back(number(postDominators.getNode(&block)));
  }
  list(values);
  list(terminators);
  list(uses);
  list(idoms);
  list(ipdoms);

  struct Entry {
    const Cycle *cycle;
    int header;
  };
  std::vector<Entry> order;
  std::vector<const Cycle *> work;
  for (const Cycle *cycle : cycles.toplevel_cycles())
    work.push_back(cycle);
  while (!work.empty()) {
    const Cycle *cycle = work.back();
    work.pop_back();
    order.push_back({cycle, blocks.lookup(cycle->getHeader())});
    for (const Cycle *child : cycle->children())
      work.push_back(child);
  }
  llvm::sort(order, [](const Entry &a, const Entry &b) {
    return std::tuple(a.header, a.cycle->getDepth()) < std::tuple(b.header, b.cycle->getDepth());
  });
  words.push_back(order.size());
  for (const Entry &entry : order) {
    int parent = -1;
    for (size_t index = 0; index < order.size(); ++index)
      if (order[index].cycle == entry.cycle->getParentCycle())
        parent = index;
    std::vector<int32_t> members;
    for (BasicBlock *block : entry.cycle->blocks())
      members.push_back(blocks.lookup(block));
    llvm::sort(members);
    words.insert(words.end(), {entry.header, int(entry.cycle->getDepth()), parent, entry.cycle->isReducible()});
    list(members);
  }
  return Ok;
}
