//===- Program.cpp - What a tool was given to work on ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Program.h"

#include "tc/Files/Files.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Transforms/Passes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace mlir::tc {

std::string findLibraryFolder() {
  static int anchor;
  SmallString<128> own(llvm::sys::fs::getMainExecutable(nullptr, &anchor));
  llvm::sys::path::remove_filename(own);
  SmallString<128> built(own), installed(own);
  llvm::sys::path::append(built, "..", "lib");
  llvm::sys::path::append(installed, "..", TC_LIBRARY_FOLDER);
  bool isInstalled = llvm::sys::fs::exists(installed + "/libtc-runtime.so");
  SmallString<128> &folder = isInstalled ? installed : built;
  llvm::sys::path::remove_dots(folder, /*remove_dot_dot=*/true);
  return folder.str().str();
}

void registerAllPhases(MLIRContext &context) {
  DialectRegistry registry;
  registerEinsumDialects(registry);
  registerDialects(registry);
  // Embeds kernels into the host code.
  gpu::registerOffloadingLLVMTranslationInterfaceExternalModels(registry);
  context.appendDialectRegistry(registry);
  context.printOpOnDiagnostic(false); // the place in the source is enough
}

void reportRemarks(MLIRContext &context) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = ".*";
  categories.analysis = categories.failed = ".*";
  LogicalResult enabled = remark::enableOptimizationRemarks(
      context, /*streamer=*/nullptr,
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories,
      /*printAsEmitRemarks=*/true);
  if (failed(enabled)) // only of a pattern that is none
    emitWarning(UnknownLoc::get(&context), "remarks are not available");
}

llvm::Error captureDiagnostics(Program &program, std::string &notes,
                               llvm::function_ref<LogicalResult()> action) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  LogicalResult result = success();
  {
    SourceMgrDiagnosticHandler handler(*program.sources,
                                       program.module->getContext(), stream);
    result = action();
  }
  if (succeeded(result)) {
    notes += text;
    return llvm::Error::success();
  }
  if (text.empty())
    text = "failed without a diagnostic";
  if (!notes.empty())
    text = (StringRef(text).rtrim() + "\n" + notes).str();
  return llvm::createStringError(StringRef(text).rtrim());
}

/// The function called `name`, or the only public one when it is empty.
static llvm::Expected<func::FuncOp>
chooseFunction(ModuleOp module, StringRef path, StringRef name) {
  SmallVector<func::FuncOp> candidates;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal() &&
        (name.empty() ? function.isPublic() : function.getName() == name))
      candidates.push_back(function);
  if (candidates.size() == 1)
    return candidates.front();
  if (!name.empty())
    return llvm::createStringError("'" + path +
                                   "': expected a function with a body called "
                                   "'" +
                                   name + "'");
  return llvm::createStringError(
      "'" + path + "': expected one public function with a body, got " +
      Twine(candidates.size()) +
      (candidates.empty() ? "" : "; choose one by its name"));
}

Program Program::copy() const {
  return {module.get().clone(), name, sources, problem, types,
          parseMilliseconds};
}

/// The name of the first argument's element type that has one.
static std::string findTypes(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (auto element = findElementType(getElementTypeOrSelf(type)))
      return nameOf(*element).str();
  return "";
}

/// Reads the module of a file; its function is still to be chosen.
static llvm::Expected<Program> parseFile(MLIRContext &context,
                                         const InputOptions &options) {
  auto buffer = readFile(options.path);
  if (!buffer)
    return buffer.takeError();
  Program program;
  program.sources = std::make_shared<llvm::SourceMgr>();
  program.sources->AddNewSourceBuffer(std::move(*buffer), llvm::SMLoc());

  std::string text;
  {
    llvm::raw_string_ostream stream(text);
    SourceMgrDiagnosticHandler handler(*program.sources, &context, stream);
    program.module = parseSourceFile<ModuleOp>(
        *program.sources, ParserConfig(&context, /*verifyAfterParse=*/true));
  }
  if (!program.module)
    return llvm::createStringError(text.empty() ? "does not parse"
                                                : StringRef(text).rtrim());
  return std::move(program);
}

/// Makes `function` of the module the one that is meant. The others go, but for
/// those that it calls: nobody asked for them to be compiled.
static llvm::Error setFunction(Program &program, func::FuncOp function) {
  program.name = function.getName().str();
  program.types = findTypes(function);
  for (auto other : program.module->getOps<func::FuncOp>())
    if (other.getName() != program.name && !other.isExternal())
      other.setPrivate();
  PassManager passes(program.module->getContext());
  passes.addPass(createSymbolDCEPass());
  std::string notes;
  return captureDiagnostics(program, notes,
                            [&] { return passes.run(*program.module); });
}

llvm::Error inlineCalls(Program &program) {
  PassManager passes(program.module->getContext());
  passes.addPass(createInline({/*host=*/true}));
  std::string notes;
  return captureDiagnostics(program, notes,
                            [&] { return passes.run(*program.module); });
}

static llvm::Expected<Program> loadFile(MLIRContext &context,
                                        const InputOptions &options) {
  llvm::Expected<Program> program = parseFile(context, options);
  if (!program)
    return program.takeError();
  llvm::Expected<func::FuncOp> function =
      chooseFunction(*program->module, options.path, options.name);
  if (!function)
    return function.takeError();
  if (llvm::Error error = setFunction(*program, *function))
    return error;
  return std::move(*program);
}

/// The shapes and types that go with the subscripts.
static llvm::Expected<EinsumProblem> readProblem(const InputOptions &options) {
  llvm::Expected<Einsum> einsum = parseEinsum(*options.einsum);
  if (!einsum)
    return einsum.takeError();
  llvm::Expected<ElementTypes> types =
      parseElementTypes(options.dtype, options.accumulate, options.precision);
  if (!types)
    return types.takeError();
  if (options.operands.empty()) {
    llvm::Expected<Sizes> sizes = parseSizes(options.sizes);
    if (!sizes)
      return sizes.takeError();
    return makeProblem(*einsum, *sizes, *types);
  }
  if (!options.sizes.empty())
    return llvm::createStringError("expected sizes or operands, got both");
  StringRef text = StringRef(options.operands).ltrim();
  std::unique_ptr<llvm::MemoryBuffer> file;
  StringRef name = "operands";
  if (!text.starts_with("[") && !text.starts_with("{")) {
    name = options.operands;
    if (llvm::Error error = readFile(name).moveInto(file))
      return error;
    text = file->getBuffer();
  }
  auto operands = parseOperands(text, name);
  if (!operands)
    return operands.takeError();
  return makeProblem(*einsum, *operands, *types);
}

static llvm::Expected<Program> loadEinsum(MLIRContext &context,
                                          const InputOptions &options) {
  llvm::Expected<EinsumProblem> problem = readProblem(options);
  if (!problem)
    return problem.takeError();
  Program program;
  program.sources = std::make_shared<llvm::SourceMgr>();
  program.sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(*options.einsum, "einsum"),
      llvm::SMLoc());
  program.name = options.name.empty() ? "contraction" : options.name;
  if (llvm::Error error = buildEinsum(&context, *problem, program.name)
                              .moveInto(program.module))
    return error;
  // What the dialect does not allow, such as a result of too narrow a kind.
  std::string notes;
  if (llvm::Error error = captureDiagnostics(
          program, notes, [&] { return verify(*program.module); }))
    return error;
  program.types = problem->typesText();
  program.problem = std::move(*problem);
  return program;
}

llvm::Expected<Program> loadProgram(MLIRContext &context,
                                    const InputOptions &options) {
  bool hasFile = !options.path.empty(), hasEinsum = options.einsum.has_value();
  if (hasFile == hasEinsum)
    return llvm::createStringError(
        hasFile ? "expected an MLIR file or an einsum, got both"
                : "expected an MLIR file or an einsum, got neither");
  Stopwatch watch;
  llvm::Expected<Program> program =
      hasFile ? loadFile(context, options) : loadEinsum(context, options);
  if (program)
    program->parseMilliseconds = watch.lap();
  return program;
}

llvm::Expected<std::vector<Program>> loadPrograms(MLIRContext &context,
                                                  const InputOptions &options) {
  std::vector<Program> programs;
  if (options.einsum || options.path.empty() || !options.name.empty()) {
    if (llvm::Error error =
            loadProgram(context, options).moveInto(programs.emplace_back()))
      return error;
    return std::move(programs);
  }
  llvm::Expected<Program> file = parseFile(context, options);
  if (!file)
    return file.takeError();
  for (auto function : file->module->getOps<func::FuncOp>()) {
    if (function.isExternal() || !function.isPublic())
      continue;
    Program &program = programs.emplace_back(file->copy());
    if (llvm::Error error = setFunction(program, function))
      return error;
  }
  if (programs.empty())
    return llvm::createStringError("'" + options.path +
                                   "': expected a public function with a body, "
                                   "got none");
  return std::move(programs);
}

} // namespace mlir::tc
