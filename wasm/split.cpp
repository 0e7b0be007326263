// LLVM's AMDGPU module splitting: parts that compile apart and link together again.
#include "pass-runner.h"
#include "AMDGPUSplitModule.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace darm;

// job->words = the parts' sizes in bytes; job->output = their bitcode, one behind the other. The module is used up by it.
DARM_EXPORT int darm_split_module(Job *job, unsigned parts) {
  if (!job->machine->getTargetTriple().isAMDGCN())
    return job->fail(BadTarget, "only amdgcn modules can be split");
  job->words.clear();
  job->output.clear();
  raw_svector_ostream out(job->output);
  PassRunner runner(job->machine.get());
  AMDGPUSplitModulePass(parts, [&](std::unique_ptr<Module> part) {
    size_t start = job->output.size();
    WriteBitcodeToFile(*part, out);
    job->words.push_back(job->output.size() - start);
  }).run(*job->module, runner.modules);
  return job->hasErrors ? job->fail(CompileFailed, job->firstError) : Ok;
}
