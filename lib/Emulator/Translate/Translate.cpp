//===- Translate.cpp - From a kernel to LLVM IR ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares one LLVM function per PTX function, then fills them.
//
//===----------------------------------------------------------------------===//

#include "Translate/Translate.h"

#include "llvm/IR/Module.h"

using namespace llvm;

namespace tc::emulator {

/// Device functions also take the thread's local memory and a pointer for each
/// result and parameter; they are always inlined.
static Function *declare(const ptx::Function &source, Module &module) {
  LLVMContext &context = module.getContext();
  Type *pointer = PointerType::get(context, 0);
  SmallVector<Type *> types(2, pointer);
  if (!source.isEntry)
    types.append(1 + source.results.size() + source.parameters.size(), pointer);
  auto *type = FunctionType::get(Type::getInt1Ty(context), types, false);
  Function *fn = Function::Create(
      type,
      source.isEntry ? GlobalValue::ExternalLinkage
                     : GlobalValue::InternalLinkage,
      source.isEntry ? kernelSymbol : "device_function", module);
  fn->addFnAttr(Attribute::NoUnwind);
  if (!source.isEntry)
    fn->addFnAttr(Attribute::AlwaysInline);
  return fn;
}

std::unique_ptr<Module> translate(LLVMContext &context, KernelPlan &plan,
                                  VariableAddress variableAddress) {
  auto module = std::make_unique<Module>("ptx", context);
  Emitter::Callees callees;
  for (const ptx::Function *source : plan.functions)
    callees[source] = declare(*source, *module);
  plan.sites.clear();
  for (const ptx::Function *source : plan.functions)
    Emitter(callees[source], *source, plan, callees, variableAddress).run();
  return module;
}

} // namespace tc::emulator
