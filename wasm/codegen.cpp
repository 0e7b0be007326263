// Code generation, set up as llc sets it up (llvm/tools/llc/llc.cpp, compileModule), so that the bytes are llc's.
#include "abi.h"
#include "llvm/Analysis/RuntimeLibcallInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCContext.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetLoweringObjectFile.h"

using namespace llvm;
using namespace darm;

// Emits assembly text (`object` = 0) or an object file into the job's output. The module is used up by it.
DARM_EXPORT int darm_emit(Job *job, int object) {
  TargetMachine &machine = *job->machine;
  Module &module = *job->module;
  job->output.clear();
  job->instructionCounts.clear();
  raw_svector_ostream out(job->output);

  legacy::PassManager passes;
  TargetLibraryInfoImpl libraries(module.getTargetTriple(), machine.Options.VecLib);
  passes.add(new TargetLibraryInfoWrapperPass(libraries));
  passes.add(new RuntimeLibraryInfoWrapper(module.getTargetTriple(), machine.Options.ExceptionModel,
                                           machine.Options.FloatABIType, machine.Options.EABIVersion,
                                           machine.Options.MCOptions.ABIName, machine.Options.VecLib));
  auto *info = new MachineModuleInfoWrapperPass(&machine);
  MCContext &context = info->getMMI().getContext();
  context.setDiagnosticHandler([job](const SMDiagnostic &diagnostic, bool, const SourceMgr &,
                                     std::vector<const MDNode *> &) {
    if (diagnostic.getKind() != SourceMgr::DK_Error)
      return;
    if (!job->hasErrors)
      job->firstError = diagnostic.getMessage().str();
    job->hasErrors = true;
  });
  auto type = object ? CodeGenFileType::ObjectFile : CodeGenFileType::AssemblyFile;
  // The module is verified when it is read and after every meld: not a second time here.
  if (machine.addPassesToEmitFile(passes, out, nullptr, type, /*DisableVerify=*/true, info))
    return job->fail(BadTarget, "this target cannot emit this kind of file");
  machine.getObjFileLowering()->Initialize(context, machine);
  passes.run(module);
  if (!job->hasErrors)
    return Ok;
  job->output.clear();
  return job->fail(CompileFailed, job->firstError);
}
