// Pointers as a base and a constant number of bytes; shared by the snapshot and the clean-up after melding.
#pragma once
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Value.h"

namespace darm {

// `root` plus the sum of variables times their scales, plus `offset` bytes. Equal roots and terms mean addresses that differ
// by a constant.
struct Address {
  const llvm::Value *root;
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> terms;
  int64_t offset = 0;

  Address(const llvm::Value &pointer, const llvm::DataLayout &layout);

  // Words that are equal for equal roots and terms, whatever the offset. They hold addresses: for comparison only.
  llvm::SmallVector<uint64_t, 8> base() const;
};

} // namespace darm
