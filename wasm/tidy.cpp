// What tidies up a function after a round of melds.
#include "abi.h"
#include "llvm-c/Core.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;
using namespace darm;

// Folds equal phis and what is dead, then simplifies control flow without undoing the split of a block (rule 6): nothing is
// hoisted, sunk or speculated. Neither may an edge be threaded past a branch on the same condition: that would copy what just
// became one. Nothing more follows a late meld: code generation runs early-cse itself, and early-cse or instcombine here made
// the same machine code and cost 1 to 3 % of the time. One pass with the analyses it asks for: LLVM's pass builder takes
// longer to set up than a small function takes to tidy.
DARM_EXPORT void darm_tidy(Job *job, LLVMValueRef function) {
  Function &f = *unwrap<Function>(function);
  for (BasicBlock &block : f)
    EliminateDuplicatePHINodes(&block);
  for (BasicBlock &block : f)
    for (Instruction &instruction : make_early_inc_range(reverse(block)))
      if (isInstructionTriviallyDead(&instruction))
        instruction.eraseFromParent();
  FunctionAnalysisManager analyses;
  analyses.registerPass([] { return PassInstrumentationAnalysis(); });
  analyses.registerPass([job] { return job->machine->getTargetIRAnalysis(); });
  analyses.registerPass([] { return AssumptionAnalysis(); });
  analyses.registerPass([] { return DominatorTreeAnalysis(); });
  SimplifyCFGPass(SimplifyCFGOptions().bonusInstThreshold(0).speculateBlocks(false).setSimplifyCondBranch(false)).run(f, analyses);
}
