//===- Jit.cpp - Compiles LLVM IR for the host ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass pipeline is short: inline, promote registers, simplify. Measured on
// translated kernels, O2 costs several times as much and its code is no faster.
// What takes time is code generation: LLVM's fast one needs a third of the
// time, and its code runs at a half to four fifths of the speed. Before it,
// combining instructions takes longer than it spares.
//
//===----------------------------------------------------------------------===//

#include "Translate/Jit.h"
#include "Translate/Lower/Rounding.h"
#include "Translate/Translate.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ObjectTransformLayer.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/DataExtractor.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

#include <mutex>

using namespace llvm;

namespace tc::emulator {

namespace {

struct Engine {
  std::unique_ptr<orc::LLJIT> jit;
  std::unique_ptr<TargetMachine> machine;
  uint64_t libraries = 0;
  /// Bytes of the frames of the functions that were compiled last.
  uint64_t frameBytes = 0;
  std::mutex mutex; ///< held while a kernel is compiled
};

/// The sum over the functions of an object, which LLVM notes in a section of
/// addresses and sizes.
uint64_t sumFrameBytes(const object::ObjectFile &object) {
  uint64_t sum = 0;
  for (const object::SectionRef &section : object.sections()) {
    Expected<StringRef> name = section.getName();
    Expected<StringRef> contents = section.getContents();
    if (!name || !contents || *name != ".stack_sizes") {
      consumeError(name.takeError());
      consumeError(contents.takeError());
      continue;
    }
    DataExtractor data(*contents, object.isLittleEndian(),
                       object.getBytesInAddress());
    DataExtractor::Cursor at(0);
    while (at && !data.eof(at)) {
      data.getAddress(at);
      sum += data.getULEB128(at);
    }
    consumeError(at.takeError());
  }
  return sum;
}

/// What kernels call of the runtime.
orc::SymbolMap getRuntimeSymbols(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                          JITSymbolFlags::Exported |
                                              JITSymbolFlags::Callable};
  };
#define TC_ADD(name) add(#name, &name)
  TC_ADD(tc_emulator_check);
  TC_ADD(tc_emulator_divert);
  TC_ADD(tc_emulator_undefined);
  TC_ADD(tc_emulator_undefined_store);
  TC_ADD(tc_emulator_write);
  TC_ADD(tc_emulator_access);
  TC_ADD(tc_emulator_group);
  TC_ADD(tc_emulator_enter);
  TC_ADD(tc_emulator_values);
  TC_ADD(tc_emulator_step);
  TC_ADD(tc_emulator_touch);
  TC_ADD(tc_emulator_pause);
  TC_ADD(tc_emulator_end);
  TC_ADD(tc_emulator_dispatch);
  TC_ADD(tc_emulator_masked);
#undef TC_ADD
  for (auto [name, address] : getRoundingFunctions())
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(address),
                                          JITSymbolFlags::Exported |
                                              JITSymbolFlags::Callable};
  return symbols;
}

Expected<std::unique_ptr<Engine>> createEngine(CodeGenOptLevel level) {
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto builder = orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // PTX says which products and sums are fused; no others may be.
  builder->getOptions().AllowFPOpFusion = FPOpFusion::Strict;
  builder->getOptions().EmitStackSizeSection = true;
  builder->setCodeGenOptLevel(level);
  auto engine = std::make_unique<Engine>();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  engine->machine = std::move(*machine);
  auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(*builder).create();
  if (!jit)
    return jit.takeError();
  engine->jit = std::move(*jit);
  engine->jit->getObjTransformLayer().setTransform(
      [engine = engine.get()](std::unique_ptr<MemoryBuffer> buffer)
          -> Expected<std::unique_ptr<MemoryBuffer>> {
        auto object = object::ObjectFile::createObjectFile(*buffer);
        if (!object)
          return object.takeError();
        engine->frameBytes += sumFrameBytes(**object);
        return std::move(buffer);
      });
  orc::JITDylib &main = engine->jit->getMainJITDylib();
  if (Error error =
          main.define(orc::absoluteSymbols(getRuntimeSymbols(*engine->jit))))
    return error;
  auto process = orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(
      engine->jit->getDataLayout().getGlobalPrefix());
  if (!process)
    return process.takeError();
  main.addGenerator(std::move(*process));
  return engine;
}

/// Made on first use and never destroyed: kernels may be freed while the
/// process ends.
template <CodeGenOptLevel level>
Expected<Engine &> getEngine() {
  static std::string failure;
  static Engine *engine = [] {
    auto created = createEngine(level);
    if (created)
      return created->release();
    failure = toString(created.takeError());
    return static_cast<Engine *>(nullptr);
  }();
  if (!engine)
    return createStringError(std::errc::not_supported, "%s", failure.c_str());
  return *engine;
}

void optimize(llvm::Module &module, TargetMachine &machine, Effort effort) {
  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  FunctionPassManager simplify;
  simplify.addPass(SROAPass(SROAOptions::ModifyCFG));
  simplify.addPass(EarlyCSEPass());
  if (effort == Effort::Optimized)
    simplify.addPass(InstCombinePass());
  simplify.addPass(SimplifyCFGPass());
  if (effort == Effort::Optimized)
    simplify.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  ModulePassManager pipeline;
  pipeline.addPass(AlwaysInlinerPass());
  pipeline.addPass(GlobalDCEPass());
  pipeline.addPass(createModuleToFunctionPassAdaptor(std::move(simplify)));
  pipeline.run(module, modules);
}

} // namespace

CompiledKernel::~CompiledKernel() {
  consumeError(session.removeJITDylib(library));
}

Expected<std::unique_ptr<CompiledKernel>>
compile(std::unique_ptr<llvm::Module> module,
        std::unique_ptr<LLVMContext> context, Effort effort) {
  auto engine = effort == Effort::Optimized
                    ? getEngine<CodeGenOptLevel::Default>()
                    : getEngine<CodeGenOptLevel::None>();
  if (!engine)
    return engine.takeError();
  std::lock_guard<std::mutex> lock(engine->mutex);
  engine->frameBytes = 0;
  orc::LLJIT &jit = *engine->jit;
  module->setDataLayout(jit.getDataLayout());
  module->setTargetTriple(jit.getTargetTriple());
  optimize(*module, *engine->machine, effort);
  auto library =
      jit.createJITDylib("kernel." + std::to_string(engine->libraries++));
  if (!library)
    return library.takeError();
  library->addToLinkOrder(jit.getMainJITDylib());
  if (Error error =
          jit.addIRModule(*library, orc::ThreadSafeModule(std::move(module),
                                                          std::move(context))))
    return error;
  auto symbol = jit.lookup(*library, kernelSymbol);
  if (!symbol)
    return symbol.takeError();
  return std::make_unique<CompiledKernel>(jit.getExecutionSession(), *library,
                                          symbol->toPtr<void *>(),
                                          engine->frameBytes);
}

} // namespace tc::emulator
