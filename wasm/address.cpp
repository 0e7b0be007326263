#include "address.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;
using namespace darm;

Address::Address(const Value &pointer, const DataLayout &layout) : root(&pointer) {
  unsigned width = layout.getIndexTypeSizeInBits(pointer.getType());
  APInt constant(width, 0);
  while (auto *gep = dyn_cast<GEPOperator>(root)) {
    SmallMapVector<Value *, APInt, 4> variables;
    APInt own(width, 0);
    if (!gep->collectOffset(layout, width, variables, own))
      break;
    constant += own;
    for (auto &[variable, scale] : variables) {
      Value *term = variable;
      // What an index adds is a constant, too, where it cannot wrap around sooner than the address does.
      Value *rest;
      const APInt *more;
      while (term->getType()->getIntegerBitWidth() == width &&
             (PatternMatch::match(term, PatternMatch::m_Add(PatternMatch::m_Value(rest), PatternMatch::m_APInt(more))) ||
              PatternMatch::match(term, PatternMatch::m_DisjointOr(PatternMatch::m_Value(rest), PatternMatch::m_APInt(more))))) {
        constant += scale * *more;
        term = rest;
      }
      auto [entry, isNew] = terms.insert({term, scale});
      if (!isNew)
        entry->second += scale;
    }
    root = gep->getPointerOperand();
  }
  offset = constant.getSExtValue();
}

SmallVector<uint64_t, 8> Address::base() const {
  SmallVector<std::pair<uint64_t, uint64_t>, 4> sorted;
  for (auto &[term, scale] : terms)
    if (!scale.isZero())
      sorted.push_back({reinterpret_cast<uintptr_t>(term), scale.getZExtValue()});
  llvm::sort(sorted);
  SmallVector<uint64_t, 8> words = {reinterpret_cast<uintptr_t>(root)};
  for (auto [term, scale] : sorted)
    words.append({term, scale});
  return words;
}
