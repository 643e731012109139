//===- Program.cpp - What a tool was given to work on ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Program.h"

#include "tc/Frontend/Files.h"
#include "tc/Pipelines/Pipelines.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"

#include <chrono>

using namespace mlir;

namespace mlir::tc {

void registerAllPhases(MLIRContext &context) {
  DialectRegistry registry;
  registerEinsumDialects(registry);
  registerPipelineDialects(registry);
  // Embeds kernels into the host code.
  gpu::registerOffloadingLLVMTranslationInterfaceExternalModels(registry);
  context.appendDialectRegistry(registry);
  context.printOpOnDiagnostic(false); // the place in the source is enough
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
  return llvm::createStringError(text.empty() ? "failed without a diagnostic"
                                              : StringRef(text).rtrim());
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

/// f32 or f64, as the first argument of either says.
static std::optional<ElementType> findElementType(func::FuncOp function) {
  for (Type type : function.getArgumentTypes()) {
    Type element = getElementTypeOrSelf(type);
    if (element.isF32())
      return ElementType::f32;
    if (element.isF64())
      return ElementType::f64;
  }
  return std::nullopt;
}

static llvm::Expected<Program> loadFile(MLIRContext &context,
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
  llvm::Expected<func::FuncOp> function =
      chooseFunction(*program.module, options.path, options.name);
  if (!function)
    return function.takeError();
  program.name = function->getName().str();
  program.type = findElementType(*function);
  return program;
}

static llvm::Expected<Program> loadEinsum(MLIRContext &context,
                                          const InputOptions &options) {
  llvm::Expected<Einsum> einsum = parseEinsum(options.einsum);
  if (!einsum)
    return einsum.takeError();
  llvm::Expected<Sizes> sizes = parseSizes(options.sizes);
  if (!sizes)
    return sizes.takeError();
  if (llvm::Error error = checkSizes(*einsum, *sizes))
    return error;
  llvm::Expected<ElementType> type = parseElementType(options.dtype);
  if (!type)
    return type.takeError();

  Program program;
  program.sources = std::make_shared<llvm::SourceMgr>();
  program.sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(options.einsum, "einsum"),
      llvm::SMLoc());
  program.name = options.name.empty() ? "contraction" : options.name;
  auto module = buildEinsum(&context, *einsum, *sizes, *type, program.name);
  if (!module)
    return module.takeError();
  program.module = std::move(*module);
  program.einsum = std::move(*einsum);
  program.sizes = std::move(*sizes);
  program.type = *type;
  return program;
}

llvm::Expected<Program> loadProgram(MLIRContext &context,
                                    const InputOptions &options) {
  bool hasFile = !options.path.empty(), hasEinsum = !options.einsum.empty();
  if (hasFile == hasEinsum)
    return llvm::createStringError(
        hasFile ? "expected an MLIR file or an einsum, got both"
                : "expected an MLIR file or an einsum, got neither");
  auto start = std::chrono::steady_clock::now();
  llvm::Expected<Program> program =
      hasFile ? loadFile(context, options) : loadEinsum(context, options);
  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  if (program)
    program->parseMilliseconds = elapsed.count();
  return program;
}

} // namespace mlir::tc
