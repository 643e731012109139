//===- PackageEntry.cpp - One program for a package -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One compilation for each chip, and one for each level of CPUs, which also
// tells what the function takes where there is no chip.
//
//===----------------------------------------------------------------------===//

#include "Package/PackageEntry.h"

#include "tc/Conversion/Passes.h"
#include "tc/IR/TC.h"
#include "tc/Package/Ptxas.h"
#include "tc/Reference/Reference.h"

#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace mlir::tc {

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Erases what the function does not need; it may call nothing that is not
/// inlined.
llvm::Error EntryCompiler::isolateFunction() {
  if (llvm::Error error = inlineCalls(program))
    return error;
  // Says more of a nest that must be host code than what follows.
  PassManager passes(program.module->getContext());
  passes.addPass(createOutlineHost({/*refuse=*/true}));
  std::string notes;
  if (llvm::Error error = captureDiagnostics(
          program, notes, [&] { return passes.run(*program.module); }))
    return error;
  func::FuncOp function = program.function();
  if (containsOp(function, llvm::IsaPred<func::CallOp>))
    return llvm::createStringError("expected a function that calls no other, "
                                   "for a package, got '" +
                                   program.name + "'");
  for (auto other : llvm::to_vector(program.module->getOps<func::FuncOp>()))
    if (other != function)
      other.erase();
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

/// 10 * major + minor of ".version 8.0".
static unsigned ptxVersionOf(StringRef ptx) {
  StringRef version = ptx.split(".version").second.ltrim().split('\n').first;
  auto [major, minor] = version.trim().split('.');
  unsigned high = 0, low = 0;
  if (major.getAsInteger(10, high) || minor.getAsInteger(10, low))
    return 0;
  return 10 * high + low;
}

llvm::Error EntryCompiler::compileFor(StringRef chip) {
  Program copy = program.copy();
  CompileOptions compileOptions = options.compile;
  compileOptions.chip = chip.str();
  compileOptions.emit = std::nullopt;
  compileOptions.wantsModule = compileOptions.takesWorkspace = true;
  compileOptions.wantsReport = hasPtxas;
  llvm::Expected<Compilation> compilation = compile(copy, compileOptions);
  if (!compilation)
    return compilation.takeError();
  notes += compilation->notes;
  if (entry.variants.empty())
    if (llvm::Error error = makeSignature(program, compilation->hostArguments,
                                          compilation->isWritten)
                                .moveInto(entry.signature))
      return error;
  for (const auto &[limit, value] : compilation->thresholds)
    if (!llvm::is_contained(entry.signature.thresholds, limit))
      entry.signature.thresholds.push_back(limit);
  PackagedVariant variant;
  variant.chip = chip.str();
  StringRef number = chip.drop_front(3); // "sm_"
  variant.isExact = !llvm::isDigit(number.back());
  number.consumeInteger(10, variant.capability);
  FailureOr<SmallVector<LaunchedKernel>> kernels = failure();
  copy.module = std::move(compilation->module);
  if (llvm::Error error = captureDiagnostics(copy, notes, [&] {
        kernels = lowerLaunches(*copy.module);
        return success(succeeded(kernels));
      }))
    return error;
  variant.kernels = std::move(*kernels);
  variant.products = takeProducts(*copy.module);
  variant.host = std::move(copy.module);
  variant.images = std::move(compilation->ptx);
  for (const KernelBinary &image : variant.images)
    variant.ptxVersion = std::max(variant.ptxVersion, ptxVersionOf(image.ptx));
  entry.variants.push_back(std::move(variant));
  report.variants.push_back(std::move(*compilation));
  return llvm::Error::success();
}

/// Those that the function of `copy`, on memrefs, writes. What comes after the
/// first `inputs` is for results, also where these have no elements to write.
static SmallVector<bool> findWritten(Program &copy, unsigned inputs) {
  SmallVector<bool> isWritten = findWrittenArguments(copy.function());
  std::fill(isWritten.begin() + inputs, isWritten.end(), true);
  return isWritten;
}

llvm::Expected<PackagedCpu> EntryCompiler::compileCpu(const HostLevel &level) {
  Program copy = program.copy();
  unsigned inputs = program.problem ? program.problem->inputs.size()
                                    : copy.function().getNumArguments();
  SmallVector<Type> types;
  SmallVector<bool> isWritten;
  llvm::Error error = captureDiagnostics(copy, notes, [&]() -> LogicalResult {
    MLIRContext *context = copy.module->getContext();
    PassManager toLoops(context), toLLVM(context);
    const CompileOptions &asked = options.compile;
    buildToLoopsPipeline(
        toLoops, {asked.order, level.unit.bits, level.unit.registers,
                  asked.keepOrder, level.unit.bf16Dot, level.unit.i16Dot,
                  asked.tuning, level.cpu, asked.hostSchedules});
    buildLoopsToLLVMPipeline(toLLVM);
    if (failed(toLoops.run(*copy.module)))
      return failure();
    llvm::append_range(types, copy.function().getArgumentTypes());
    isWritten = findWritten(copy, inputs);
    if (failed(placeTemporaries(copy.function())))
      return failure();
    return toLLVM.run(*copy.module);
  });
  if (error)
    return std::move(error);
  if (entry.variants.empty() && entry.cpus.empty())
    if (llvm::Error failed =
            makeSignature(program, types, isWritten).moveInto(entry.signature))
      return std::move(failed);
  return PackagedCpu{level.number, std::move(copy.module)};
}

/// All of them, or none.
llvm::Error EntryCompiler::compileCpus() {
  for (const HostLevel &level : levels) {
    llvm::Expected<PackagedCpu> cpu = compileCpu(level);
    if (!cpu) {
      entry.cpus.clear();
      return cpu.takeError();
    }
    entry.cpus.push_back(std::move(*cpu));
  }
  return llvm::Error::success();
}

llvm::Error EntryCompiler::run() {
  if (llvm::Error failed = isolateFunction())
    return failed;
  report.program = &program;
  llvm::raw_string_ostream(report.source) << *program.module;
  for (const std::string &chip : options.chips)
    if (llvm::Error failed = compileFor(chip))
      return failed;
  llvm::Error error = compileCpus();
  if (!error || entry.variants.empty())
    return error;
  notes += "the package is without a version for the CPU of '" + program.name +
           "': " + toString(std::move(error)) + "\n";
  return llvm::Error::success();
}

} // namespace mlir::tc
