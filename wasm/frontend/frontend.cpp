// clang's front end: from source to bitcode that nothing has optimised yet, or to preprocessed text. The arguments are
// those of `clang -cc1`, made in src/frontend; there is no driver, and neither LLVM's passes nor a code generator.
#include "files.h"
#include "clang/Basic/Diagnostic.h"
#include "clang/Basic/DiagnosticFrontend.h"
#include "clang/Basic/DiagnosticIDs.h"
#include "clang/Basic/SourceManager.h"
#include "clang/CodeGen/ModuleBuilder.h"
#include "clang/CodeGen/ModuleLinker.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Frontend/MultiplexConsumer.h"
#include "clang/Frontend/TextDiagnosticPrinter.h"
#include "clang/Frontend/Utils.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/IPO/Internalize.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include <emscripten.h>

#define DARM_EXPORT extern "C" __attribute__((used, visibility("default")))

using namespace llvm;
using namespace clang;

// Change it whenever a signature or the meaning of a number changes; src/binding/frontend.ts holds its twin.
static constexpr int FrontendVersion = 1;

// Leaves the instance through JavaScript: nothing in it can be trusted after a fatal error.
EM_JS(void, darm_throw_fatal, (const char *text), { throw new Error('LLVM fatal error: ' + UTF8ToString(text)); });

static void onFatalError(void *, const char *reason, bool) { darm_throw_fatal(reason); }

namespace {

// What a translation leaves, each as bytes: src/binding/frontend.ts knows the order.
enum Result {
  Product,      // bitcode or text
  Log,          // what clang prints
  Diagnostics,  // the same as fields that end in a NUL byte: level, file, line, column, option, message
  LoweredNames, // of the name expressions, with NUL bytes
  ResultCount
};
SmallString<0> results[ResultCount];

// The variable that a program gets for its name expressions: an array of the addresses of what they name.
constexpr llvm::StringLiteral NamesVariable = "__darm_name_expressions";

void addField(Result result, const Twine &text) {
  raw_svector_ostream(results[result]) << text;
  results[result].push_back(0);
}

class Printer : public TextDiagnosticPrinter {
public:
  Printer(raw_ostream &out, DiagnosticOptions &options) : TextDiagnosticPrinter(out, options) {}

  void HandleDiagnostic(DiagnosticsEngine::Level level, const Diagnostic &info) override {
    TextDiagnosticPrinter::HandleDiagnostic(level, info);
    static constexpr const char *Levels[] = {"ignored", "note", "remark", "warning", "error", "fatal"};
    addField(Diagnostics, Levels[level]);
    PresumedLoc place;
    if (info.getLocation().isValid() && info.hasSourceManager())
      place = info.getSourceManager().getPresumedLoc(info.getLocation());
    addField(Diagnostics, place.isValid() ? place.getFilename() : "");
    addField(Diagnostics, Twine(place.isValid() ? place.getLine() : 0));
    addField(Diagnostics, Twine(place.isValid() ? place.getColumn() : 0));
    addField(Diagnostics, info.getDiags()->getDiagnosticIDs()->getWarningOptionForDiag(info.getID()));
    SmallString<128> message;
    info.FormatDiagnostic(message);
    addField(Diagnostics, message);
  }
};

// Errors of LLVM's linker.
class LinkDiagnostics : public DiagnosticHandler {
public:
  explicit LinkDiagnostics(DiagnosticsEngine &diagnostics) : diagnostics(diagnostics) {}

  bool handleDiagnostics(const DiagnosticInfo &info) override {
    if (info.getSeverity() != DS_Error && info.getSeverity() != DS_Warning)
      return true;
    std::string text;
    raw_string_ostream stream(text);
    DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    bool isError = info.getSeverity() == DS_Error;
    diagnostics.Report(diagnostics.getCustomDiagID(isError ? DiagnosticsEngine::Error : DiagnosticsEngine::Warning, "%0"))
        << text;
    return true;
  }

private:
  DiagnosticsEngine &diagnostics;
};

// What remains of a program for the device: kernels, and what they use. It is AMDGPU's pass `mustPreserveGV` for clang's
// option `-amdgpu-internalize-symbols` (llvm/lib/Target/AMDGPU/AMDGPUTargetMachine.cpp).
bool mustPreserve(const GlobalValue &value) {
  if (auto *function = dyn_cast<Function>(&value))
    return function->isDeclaration() || function->getName().starts_with("__asan_") ||
           function->getName().starts_with("__sanitizer_") ||
           function->getCallingConv() == llvm::CallingConv::AMDGPU_KERNEL ||
           function->getCallingConv() == llvm::CallingConv::SPIR_KERNEL;
  value.removeDeadConstantUsers();
  return !value.use_empty();
}

void takeLoweredNames(llvm::Module &module) {
  for (GlobalVariable &variable : make_early_inc_range(module.globals())) {
    if (!variable.getName().contains(NamesVariable))
      continue;
    if (variable.hasInitializer())
      for (Use &element : variable.getInitializer()->operands())
        addField(LoweredNames, element->stripPointerCasts()->getName());
    // It is in `llvm.compiler.used`, so that clang emits it.
    removeFromUsedLists(module, [&](Constant *used) { return used->stripPointerCasts() == &variable; });
    variable.eraseFromParent();
    return;
  }
}

// clang/lib/CodeGen/CodeGenAction.cpp up to the optimiser: generate IR, link the libraries.
class BitcodeConsumer : public MultiplexConsumer {
public:
  BitcodeConsumer(CompilerInstance &compiler, LLVMContext &context, std::unique_ptr<CodeGenerator> generator)
      : MultiplexConsumer(std::move(generator)), compiler(compiler), context(context),
        generator(static_cast<CodeGenerator *>(Consumers[0].get())) {}

  void HandleTranslationUnit(ASTContext &ast) override {
    generator->HandleTranslationUnit(ast);
    llvm::Module *module = generator->GetModule();
    if (!module || compiler.getDiagnostics().hasErrorOccurred())
      return;
    const clang::TargetOptions &target = compiler.getTargetOpts();
    context.setDiagnosticHandler(std::make_unique<LinkDiagnostics>(compiler.getDiagnostics()));
    context.setDefaultTargetCPU(target.CPU);
    context.setDefaultTargetFeatures(join(target.Features, ","));
    takeLoweredNames(*module);
    Linker linker(*module);
    std::vector<Library> libraries = std::move(compiler.getCodeGenOpts().LinkBitcodeFiles);
    for (const Library &library : libraries)
      if (link(*module, linker, library))
        return;
    if (is_contained(compiler.getFrontendOpts().LLVMArgs, "-amdgpu-internalize-symbols"))
      internalizeModule(*module, mustPreserve);
    raw_svector_ostream out(results[Product]);
    WriteBitcodeToFile(*module, out, compiler.getCodeGenOpts().EmitLLVMUseLists);
  }

private:
  using Library = CodeGenOptions::BitcodeFileToLink;
  using Files = std::vector<std::string>;

  // A library with a folder beside it is divided (divide-library.sh): of its files, those are linked that may have what
  // the module declares, and then those that may have what that needs. Reading all of OpenCL's takes 0.3 s.
  bool link(llvm::Module &module, Linker &linker, const Library &library) {
    std::string folder = StringRef(library.Filename).drop_back(StringRef(".bc").size()).str();
    bool isDivided = compiler.getFileManager().getOptionalDirectoryRef(folder).has_value();
    StringSet<> asked, linked;
    Files files = isDivided ? filesOf(module, folder, asked) : Files{library.Filename};
    while (!files.empty()) {
      for (const std::string &file : files)
        if (linkFile(linker, library, file, linked))
          return true;
      files = isDivided ? filesOf(module, folder, asked) : Files();
    }
    if (library.Internalize)
      internalizeModule(module, [&](const GlobalValue &value) {
        return !value.hasName() || !linked.contains(value.getName());
      });
    return false;
  }

  // Where what the module declares would be, without what was asked for before.
  Files filesOf(const llvm::Module &module, StringRef folder, StringSet<> &asked) {
    Files files;
    for (const llvm::Function &function : module) {
      StringRef name = function.getName();
      // Functions with these names are in the libraries that follow.
      if (!function.isDeclaration() || function.isIntrinsic() || name.starts_with("__oc") || !asked.insert(name).second)
        continue;
      size_t length = 0;
      std::string overloads;
      if (name.consume_front("_Z") && !name.consumeInteger(10, length))
        overloads = (folder + "/" + name.take_front(length) + ".bc").str();
      bool isFound = !overloads.empty() && compiler.getFileManager().getOptionalFileRef(overloads);
      std::string file = isFound ? overloads : (folder + ".bc").str();
      if (!is_contained(files, file))
        files.push_back(file);
    }
    return files;
  }

  bool linkFile(Linker &linker, const Library &library, const std::string &file, StringSet<> &linked) {
    CodeGenOptions &options = compiler.getCodeGenOpts();
    options.LinkBitcodeFiles = {library};
    options.LinkBitcodeFiles.front().Filename = file;
    SmallVector<LinkModule, 1> loaded;
    if (loadLinkModules(compiler, context, loaded))
      return true;
    std::unique_ptr<llvm::Module> &linking = loaded.front().Module;
    if (library.PropagateAttrs)
      for (Function &function : *linking)
        if (!function.isIntrinsic())
          clang::CodeGen::mergeDefaultFunctionDefinitionAttributes(function, options, compiler.getLangOpts(),
                                                                   compiler.getTargetOpts(), library.Internalize);
    return linker.linkInModule(std::move(linking), library.LinkFlags, [&](llvm::Module &, const StringSet<> &names) {
      for (const auto &name : names)
        linked.insert(name.getKey());
    });
  }

  CompilerInstance &compiler;
  LLVMContext &context;
  CodeGenerator *generator;
};

class BitcodeAction : public ASTFrontendAction {
  LLVMContext context;

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &compiler, StringRef file) override {
    return std::make_unique<BitcodeConsumer>(compiler, context, CreateLLVMCodeGen(compiler, file, context));
  }
};

class PreprocessAction : public PreprocessorFrontendAction {
  void ExecuteAction() override {
    raw_svector_ostream out(results[Product]);
    DoPrintPreprocessedInput(getCompilerInstance().getPreprocessor(), &out,
                             getCompilerInstance().getPreprocessorOutputOpts());
  }
};

std::unique_ptr<FrontendAction> actionFor(frontend::ActionKind kind) {
  switch (kind) {
  case frontend::PrintPreprocessedInput:
    return std::make_unique<PreprocessAction>();
  case frontend::ParseSyntaxOnly:
    return std::make_unique<SyntaxOnlyAction>();
  default:
    return std::make_unique<BitcodeAction>();
  }
}

} // namespace

DARM_EXPORT int darm_frontend_version() { return FrontendVersion; }

// Once, and in general while the module is built: its memory holds what this does (wasm/initialise.mjs).
DARM_EXPORT void darm_initialize() { install_fatal_error_handler(onFatalError); }

DARM_EXPORT void darm_set_image(const char *data, size_t size) { darm::setImage({data, size}); }

// Runs `clang -cc1` with these arguments, each of which ends in a NUL byte. 1 if there were errors. Nothing is freed: the
// memory is restored after every task.
DARM_EXPORT int darm_translate(const char *text, size_t size, int colors) {
  SmallVector<StringRef, 64> words;
  StringRef(text, size).split(words, '\0', -1, /*KeepEmpty=*/true);
  words.pop_back();
  std::vector<const char *> arguments;
  for (StringRef word : words)
    arguments.push_back(word.data());
  auto *log = new raw_svector_ostream(results[Log]);
  log->enable_colors(colors);

  auto files = darm::sourceFiles();
  auto *early = new DiagnosticOptions();
  auto diagnostics = CompilerInstance::createDiagnostics(*files, *early, new Printer(*log, *early));
  auto invocation = std::make_shared<CompilerInvocation>();
  if (!CompilerInvocation::CreateFromArgs(*invocation, arguments, *diagnostics))
    return 1;
  auto *compiler = new CompilerInstance(invocation);
  compiler->setVirtualFileSystem(files);
  compiler->setVerboseOutputStream(*log);
  compiler->createDiagnostics(new Printer(*log, compiler->getDiagnosticOpts()));
  compiler->createFileManager();
  auto action = actionFor(compiler->getFrontendOpts().ProgramAction);
  bool isDone = compiler->ExecuteAction(*action.release());
  return isDone && !compiler->getDiagnostics().hasErrorOccurred() ? 0 : 1;
}

DARM_EXPORT const char *darm_result_data(Result which) { return results[which].data(); }
DARM_EXPORT size_t darm_result_size(Result which) { return results[which].size(); }
