//===- HostObject.cpp - Host code as an object file -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code of all variants, linked into one LLVM module, optimised, and
// written by LLVM's code generator. Each function has the CPU that it is for as
// an attribute, so that versions for several share all that is not code. No
// name of a file and no time goes in.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/HostObject.h"

#include "EntryData.h"
#include "HalfCalls.h"

#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace mlir::tc {

namespace {
/// One object on its way.
class ObjectCompiler {
public:
  ObjectCompiler() : module("tc", context) {}

  llvm::Error selectTarget(const HostTarget &target);
  llvm::Error add(const PackagedEntry &entry);
  llvm::Expected<std::string> emit();

private:
  llvm::Error checkNames(const Signature &signature);
  llvm::Expected<WordFunctions> addHost(ModuleOp host,
                                        const Signature &signature,
                                        const Twine &prefix,
                                        unsigned level = 0);

  llvm::LLVMContext context;
  llvm::Module module;
  std::unique_ptr<llvm::TargetMachine> machine;
};
} // namespace

llvm::Error ObjectCompiler::selectTarget(const HostTarget &target) {
  if (llvm::Error error = createHostMachine(target).moveInto(machine))
    return error;
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::BigPIC);
  return llvm::Error::success();
}

/// Buffers that a packaged function is given share no bytes with what it
/// writes; the runtime has checked that.
static void assumeNoAlias(llvm::Function &function) {
  for (llvm::Argument &argument : function.args())
    if (argument.getType()->isPointerTy())
      argument.addAttr(llvm::Attribute::NoAlias);
}

/// Gives the variables of limits, which are those of all variants, their names
/// in C; and these.
static SmallVector<std::string> nameThresholds(llvm::Module &host,
                                               const Signature &signature) {
  SmallVector<std::string> names;
  for (StringRef limit : signature.thresholds)
    if (auto *variable =
            host.getNamedGlobal(getLimitSymbol(signature.name, limit))) {
      names.push_back(signature.symbolOf(limit));
      variable->setName(names.back());
      variable->setLinkage(llvm::GlobalValue::WeakODRLinkage);
    }
  return names;
}

llvm::Expected<WordFunctions>
ObjectCompiler::addHost(ModuleOp host, const Signature &signature,
                        const Twine &prefix, unsigned level) {
  StringRef name = signature.name;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(host, context, "tc");
  if (!translated)
    return llvm::createStringError("the host code does not translate to LLVM");
  llvm::Function *functions[] = {
      translated->getFunction(name),
      translated->getFunction(getWorkspaceFunctionName(name))};
  if (!functions[0] || !functions[1])
    return llvm::createStringError("expected host code of '" + name + "'");
  assumeNoAlias(*functions[0]);
  std::string names[] = {(prefix + ".launch").str(),
                         (prefix + ".workspace").str()};
  for (auto [function, own] : llvm::zip_equal(functions, names))
    function->setName(own);
  SmallVector<std::string> kept = nameThresholds(*translated, signature);
  llvm::append_range(kept, names);
  translated->setTargetTriple(module.getTargetTriple());
  translated->setDataLayout(module.getDataLayout());
  for (llvm::Function &function : *translated)
    if (!function.isDeclaration())
      setLevel(function, level);
  // Variants have functions and constants of the same names.
  for (llvm::GlobalValue &value : translated->global_values())
    if (!value.isDeclaration() && !llvm::is_contained(kept, value.getName()))
      value.setLinkage(llvm::GlobalValue::InternalLinkage);
  if (llvm::Linker::linkModules(module, std::move(translated)))
    return llvm::createStringError("the host code does not link");
  for (std::string &own : names)
    module.getFunction(own)->setLinkage(llvm::GlobalValue::InternalLinkage);
  return EntryWriter(module).wrap(module.getFunction(names[0]),
                                  module.getFunction(names[1]));
}

/// LLVM would give the second of two functions another name.
llvm::Error ObjectCompiler::checkNames(const Signature &signature) {
  SmallVector<std::string> names;
  for (StringRef suffix : {"", "_cpu", "_workspace_size", "_cpu_workspace_size",
                           "_prepare", "_signature"})
    names.push_back(signature.symbol() + suffix.str());
  for (StringRef threshold : signature.thresholds)
    names.push_back(signature.symbolOf(threshold));
  for (const std::string &name : names) {
    if (module.getNamedValue(name))
      return llvm::createStringError(
          "expected functions whose names in C differ, got two of the name '" +
          name + "', one of them for '" + signature.name + "'");
  }
  return llvm::Error::success();
}

llvm::Error ObjectCompiler::add(const PackagedEntry &entry) {
  if (llvm::Error error = checkNames(entry.signature))
    return error;
  SmallVector<WordFunctions> variants, cpus;
  const Signature &signature = entry.signature;
  std::string prefix = "tc." + signature.name + ".";
  for (const PackagedVariant &variant : entry.variants)
    if (llvm::Error error =
            addHost(*variant.host, signature, prefix + variant.chip)
                .moveInto(variants.emplace_back()))
      return error;
  for (const PackagedCpu &cpu : entry.cpus)
    if (llvm::Error error =
            addHost(*cpu.host, signature, prefix + "cpu" + Twine(cpu.level),
                    cpu.level)
                .moveInto(cpus.emplace_back()))
      return error;
  EntryWriter(module).write(entry, variants, cpus);
  return llvm::Error::success();
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(&machine);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(callGraph);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, callGraph, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

llvm::Expected<std::string> ObjectCompiler::emit() {
  std::string faults;
  llvm::raw_string_ostream os(faults);
  if (llvm::verifyModule(module, &os))
    return llvm::createStringError("the host code is not sound: " + faults);
  addHalfCalls(module);
  optimize(module, *machine);
  SmallVector<char> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, stream, nullptr,
                                   llvm::CodeGenFileType::ObjectFile))
    return llvm::createStringError("host: no objects for this machine");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

llvm::Expected<std::string> compileHostObject(ArrayRef<PackagedEntry> entries,
                                              const HostTarget &target) {
  ObjectCompiler compiler;
  if (llvm::Error error = compiler.selectTarget(target))
    return std::move(error);
  for (const PackagedEntry &entry : entries)
    if (llvm::Error error = compiler.add(entry))
      return std::move(error);
  return compiler.emit();
}

} // namespace mlir::tc
