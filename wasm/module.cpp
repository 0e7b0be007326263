// A job's life: start, read, target, verify, passes, write.
#include "pass-runner.h"
#include "llvm-c/Core.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/CodeGen/CommandFlags.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/IR/Verifier.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptionsCommandFlags.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include <emscripten.h>

using namespace llvm;
using namespace darm;

// llc's own option set with its defaults: what makes our target options equal to llc's by construction.
static codegen::RegisterCodeGenFlags codeGenFlags;
static mc::RegisterMCTargetOptionsFlags mcFlags;

// Leaves the instance through JavaScript: nothing in it can be trusted after a fatal error.
EM_JS(void, darm_throw_fatal, (const char *text), { throw new Error('LLVM fatal error: ' + UTF8ToString(text)); });

static void onFatalError(void *, const char *reason, bool) { darm_throw_fatal(reason); }

namespace {

class Diagnostics : public DiagnosticHandler {
public:
  explicit Diagnostics(Job &job) : job(job) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (auto *remark = dyn_cast<DiagnosticInfoOptimizationBase>(&info)) {
      if (remark->getRemarkName() == "InstructionCount")
        for (const auto &argument : remark->getArgs())
          if (argument.Key == "NumInstructions")
            job.instructionCounts += remark->getFunction().getName().str() + '\0' + argument.Val + '\0';
      return true;
    }
    if (info.getSeverity() == DS_Remark || info.getSeverity() == DS_Note)
      return true;
    std::string text;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    if (auto *source = dyn_cast<DiagnosticInfoSrcMgr>(&info))
      stream << source->getSMDiag().getMessage();
    else
      info.print(printer);
    std::replace(text.begin(), text.end(), '\n', ' ');
    if (info.getSeverity() != DS_Error) {
      job.warnings += text + "\n";
      return true;
    }
    if (!job.hasErrors)
      job.firstError = text;
    job.hasErrors = true;
    return true;
  }

  // The number of machine instructions comes as a remark of the assembly printer.
  bool isAnalysisRemarkEnabled(StringRef pass) const override { return pass == "asm-printer"; }
  bool isAnyRemarkEnabled() const override { return true; }

private:
  Job &job;
};

} // namespace

DARM_EXPORT int darm_abi_version() { return AbiVersion; }

// Once, and in general while the module is built: its memory holds what this does (wasm/initialise.mjs).
DARM_EXPORT void darm_initialize() {
  static bool isInitialized = false;
  if (std::exchange(isInitialized, true))
    return;
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmPrinter();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeAMDGPUDisassembler();
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeNVPTXAsmPrinter();
  install_fatal_error_handler(onFatalError);
}

DARM_EXPORT Job *darm_job_create() {
  auto *job = new Job();
  job->context.setDiagnosticHandler(std::make_unique<Diagnostics>(*job));
  return job;
}

DARM_EXPORT void darm_job_dispose(Job *job) { delete job; }
DARM_EXPORT const char *darm_message(Job *job) { return job->message.c_str(); }
DARM_EXPORT const char *darm_cpu(Job *job) { return job->cpu.c_str(); }
// The string is the module's own.
DARM_EXPORT const char *darm_triple(Job *job) { return job->module->getTargetTriple().str().c_str(); }
DARM_EXPORT int darm_is_amdgcn(Job *job) { return job->machine->getTargetTriple().isAMDGCN(); }
DARM_EXPORT int darm_error_line(Job *job) { return job->errorLine; }
DARM_EXPORT int darm_error_column(Job *job) { return job->errorColumn; }
DARM_EXPORT const char *darm_warnings(Job *job) { return job->warnings.c_str(); }
// Name and count of machine instructions of every function with a name, fields ending in a NUL byte.
DARM_EXPORT void darm_instruction_counts(Job *job) {
  job->output.assign(job->instructionCounts.begin(), job->instructionCounts.end());
}
DARM_EXPORT const char *darm_output_data(Job *job) { return job->output.data(); }
DARM_EXPORT size_t darm_output_size(Job *job) { return job->output.size(); }
DARM_EXPORT const int32_t *darm_words_data(Job *job) { return job->words.data(); }
DARM_EXPORT size_t darm_words_size(Job *job) { return job->words.size(); }
DARM_EXPORT LLVMModuleRef darm_module(Job *job) { return wrap(job->module.get()); }

// Chooses the target as llc does: by the module's triple and `-mcpu`; the data layout is the target's own.
static int createMachine(Job &job, StringRef tripleText, CodeGenOptLevel level) {
  Triple triple(tripleText.empty() ? "amdgcn-amd-amdhsa" : tripleText);
  if (!triple.isAMDGCN() && !triple.isNVPTX())
    return job.fail(BadTarget, ("the module is for '" + triple.str() + "'; darm compiles amdgcn and nvptx modules"));
  std::string error;
  const Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return job.fail(BadTarget, error);
  TargetOptions options = codegen::InitTargetOptionsFromCodeGenFlags(triple);
  options.MCOptions.AsmVerbose = true;
  options.MCOptions.MCUseDwarfDirectory = MCTargetOptions::DefaultDwarfDirectory;
  job.machine.reset(target->createTargetMachine(triple, job.cpu, job.features, options, codegen::getExplicitRelocModel(),
                                                codegen::getExplicitCodeModel(), level));
  if (!job.machine)
    return job.fail(BadTarget, "LLVM cannot make a target machine for '" + triple.str() + "'");
  job.machine->Options.VerifyArgABICompliance = 0;
  return Ok;
}

static int checkCpu(Job &job, StringRef cpu, StringRef where) {
  if (cpu.empty() || job.machine->getMCSubtargetInfo().isCPUStringValid(cpu))
    return Ok;
  return job.fail(BadTarget, ("unknown processor '" + cpu + "' for " + job.machine->getTargetTriple().getArchName() +
                              " (" + where + ")")
                                 .str());
}

// LLVM's memory legalizer holds cooperative atomics before gfx12 for impossible (llvm_unreachable) instead of refusing them.
static int checkCooperativeAtomics(Job &job) {
  for (Function &declaration : *job.module) {
    if (!declaration.getName().starts_with("llvm.amdgcn.cooperative.atomic."))
      continue;
    for (User *user : declaration.users()) {
      auto *call = dyn_cast<CallBase>(user);
      if (call && !job.machine->getSubtargetImpl(*call->getFunction())->checkFeatures("+gfx12-insts"))
        return job.fail(BadTarget, ("'" + call->getFunction()->getName() + "' uses cooperative atomics, which its processor lacks").str());
    }
  }
  return Ok;
}

// With no processor asked for, the functions' own decides. When they disagree there is none: functions can be listed then,
// but code generation has one target per module, see darm_check_processor.
static int adoptFunctionsCpu(Job &job, CodeGenOptLevel level) {
  StringRef agreed, holder;
  for (Function &function : *job.module) {
    StringRef cpu = function.getFnAttribute("target-cpu").getValueAsString();
    if (cpu.empty() || function.isDeclaration() || cpu == agreed)
      continue;
    if (!agreed.empty()) {
      job.processorClash = ("functions are for different processors (" + holder + ": " + agreed + ", " +
                            function.getName() + ": " + cpu + "): name one with --mcpu")
                               .str();
      return Ok;
    }
    agreed = cpu;
    holder = function.getName();
  }
  if (agreed.empty())
    return Ok;
  job.cpu = agreed.str();
  return createMachine(job, job.module->getTargetTriple().str(), level);
}

// Reads bitcode or textual IR (`text` must be followed by a NUL byte) and verifies it. `features` as in llc's -mattr.
DARM_EXPORT int darm_read(Job *job, const char *bytes, size_t size, const char *cpu, const char *features, int level) {
  job->cpu = cpu;
  job->features = features;
  auto optLevel = CodeGenOpt::getLevel(level);
  if (!optLevel)
    return job->fail(Internal, "no such code generation level");
  int status = Ok;
  auto setDataLayout = [&](StringRef triple, StringRef) -> std::optional<std::string> {
    status = createMachine(*job, triple, *optLevel);
    if (status != Ok)
      return std::nullopt;
    return job->machine->createDataLayout().getStringRepresentation();
  };
  SMDiagnostic diagnostic;
  job->module = parseIR(MemoryBufferRef(StringRef(bytes, size), "input"), diagnostic, job->context,
                        ParserCallbacks(setDataLayout));
  if (status != Ok)
    return status;
  if (!job->module) {
    if (diagnostic.getLineNo() > 0) {
      job->errorLine = diagnostic.getLineNo();
      job->errorColumn = diagnostic.getColumnNo() + 1;
    }
    return job->fail(BadInput, diagnostic.getMessage().empty() ? "not a readable module" : diagnostic.getMessage());
  }
  if (job->cpu.empty())
    if (int bad = adoptFunctionsCpu(*job, *optLevel))
      return bad;
  if (auto codeModel = job->module->getCodeModel())
    job->machine->setCodeModel(*codeModel);
  std::string text;
  raw_string_ostream stream(text);
  if (verifyModule(*job->module, &stream)) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return job->fail(BadInput, "invalid IR: " + text);
  }
  if (job->hasErrors)
    return job->fail(BadInput, job->firstError);
  if (int bad = checkCpu(*job, job->cpu, "asked for"))
    return bad;
  for (Function &function : *job->module)
    if (int bad = checkCpu(*job, function.getFnAttribute("target-cpu").getValueAsString(), function.getName()))
      return bad;
  codegen::setFunctionAttributes(*job->module, job->cpu, job->features);
  // Made now and kept by the target machine: the snapshots and code generation both need the functions' subtargets.
  for (Function &function : *job->module)
    if (!function.isDeclaration())
      job->machine->getSubtargetImpl(function);
  return checkCooperativeAtomics(*job);
}

// Whether the module has one processor to generate code for.
DARM_EXPORT int darm_check_processor(Job *job) {
  return job->processorClash.empty() ? Ok : job->fail(BadTarget, job->processorClash);
}

// The verifier's first complaint about one function, or Ok.
DARM_EXPORT int darm_verify_function(Job *job, LLVMValueRef function) {
  std::string text;
  raw_string_ostream stream(text);
  if (!verifyFunction(*unwrap<Function>(function), &stream))
    return Ok;
  std::replace(text.begin(), text.end(), '\n', ' ');
  return job->fail(Internal, text);
}

// Functions with bodies, in module order, as fields that each end in a NUL byte (which no LLVM name contains): address,
// name, kernel?, instructions, target-cpu. Functions without a name get the number that LLVM prints for them.
DARM_EXPORT int darm_list_functions(Job *job) {
  job->output.clear();
  raw_svector_ostream out(job->output);
  ModuleSlotTracker slots(job->module.get());
  for (Function &function : *job->module) {
    if (function.isDeclaration())
      continue;
    bool kernel = function.getCallingConv() == CallingConv::AMDGPU_KERNEL ||
                  function.getCallingConv() == CallingConv::PTX_Kernel ||
                  function.getCallingConv() == CallingConv::SPIR_KERNEL;
    out << reinterpret_cast<uintptr_t>(&function) << '\0';
    if (function.hasName())
      out << function.getName();
    else
      function.printAsOperand(out, false, slots);
    out << '\0' << kernel << '\0' << function.getInstructionCount() << '\0'
        << function.getFnAttribute("target-cpu").getValueAsString() << '\0';
  }
  return Ok;
}

Job::Job() = default;
Job::~Job() = default;

// Runs a module pipeline in LLVM's textual form.
DARM_EXPORT int darm_run_passes(Job *job, const char *pipeline) {
  PassRunner runner(job->machine.get());
  ModulePassManager passes;
  if (auto error = runner.builder.parsePassPipeline(passes, pipeline))
    return job->fail(Internal, toString(std::move(error)));
  passes.run(*job->module, runner.modules);
  return job->hasErrors ? job->fail(CompileFailed, job->firstError) : Ok;
}

DARM_EXPORT int darm_write_bitcode(Job *job) {
  job->output.clear();
  raw_svector_ostream out(job->output);
  WriteBitcodeToFile(*job->module, out);
  return Ok;
}

DARM_EXPORT int darm_write_text(Job *job) {
  job->output.clear();
  raw_svector_ostream out(job->output);
  job->module->print(out, nullptr);
  return Ok;
}

// The names of a function's blocks as LLVM prints them, a line each, in layout order.
DARM_EXPORT int darm_block_names(Job *job, LLVMValueRef function) {
  Function &f = *unwrap<Function>(function);
  ModuleSlotTracker slots(f.getParent());
  slots.incorporateFunction(f);
  job->output.clear();
  raw_svector_ostream out(job->output);
  for (BasicBlock &block : f) {
    block.printAsOperand(out, false, slots);
    out << '\n';
  }
  return Ok;
}
