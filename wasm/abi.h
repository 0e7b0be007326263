// What crosses the boundary between the shim and src/binding: status codes, the job's state, the snapshot's sections.
//
// Every exported function returns a status: 0 done, otherwise one of `Status`; the message is `darm_message`. Bytes come
// back through `darm_output_*`. All pointers handed to TypeScript are borrowed from the job and die with it.
#pragma once

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>
#include <vector>

#define DARM_EXPORT extern "C" __attribute__((used, visibility("default")))

namespace darm {

// Change it whenever a signature, a section or the meaning of a number changes; src/binding/abi.ts holds its twin.
constexpr int AbiVersion = 5;

enum Status { Ok = 0, BadInput = 1, BadTarget = 2, CompileFailed = 3, LinkFailed = 4, Internal = 5 };

// One compilation: context, module and target machine, what LLVM said, and the last output.
struct Job {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::string cpu, features;
  std::string processorClash; // why the functions' processors do not make one for the module

  bool hasErrors = false;
  std::string firstError;
  int errorLine = 0, errorColumn = 0; // 1-based, 0 = unknown
  std::string warnings;               // one line each
  std::string instructionCounts;      // of the last code generation, see darm_instruction_counts

  std::string message;
  llvm::SmallVector<char, 0> output;
  std::vector<std::string> objects; // what the next link takes beside the output
  std::vector<int32_t> words; // the last snapshot or oracle

  Job();
  ~Job();

  int fail(Status status, llvm::StringRef text) {
    message = text.str();
    return status;
  }
};

} // namespace darm
