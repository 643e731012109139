//===- HostCode.cpp - Compiled host functions -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/HostCode.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;

namespace mlir::tc {

Descriptor makeDescriptor(void *address, ArrayRef<int64_t> shape,
                          ArrayRef<int64_t> strides, int64_t offset) {
  auto pointer = static_cast<int64_t>(reinterpret_cast<intptr_t>(address));
  Descriptor words{pointer, pointer, offset};
  words.append(shape.begin(), shape.end());
  words.append(strides.begin(), strides.end());
  return words;
}

HostCode::HostCode(std::unique_ptr<ExecutionEngine> engine)
    : engine(std::move(engine)) {}
HostCode::HostCode(HostCode &&) = default;
HostCode::~HostCode() = default;

llvm::Expected<HostCode>
HostCode::compile(ModuleOp module, ArrayRef<StringRef> libraries,
                  ArrayRef<std::pair<StringRef, void *>> functions) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  ExecutionEngineOptions options;
  // The host code is a few calls: nothing to optimise.
  options.jitCodeGenOptLevel = llvm::CodeGenOptLevel::None;
  options.sharedLibPaths = libraries;
  options.enableGDBNotificationListener = false;
  options.enablePerfNotificationListener = false;
  auto engine = ExecutionEngine::create(module, options);
  if (!engine)
    return llvm::createStringError("the host code does not compile: " +
                                   toString(engine.takeError()));
  (*engine)->registerSymbols([&](llvm::orc::MangleAndInterner mangle) {
    llvm::orc::SymbolMap symbols;
    for (auto [name, address] : functions)
      symbols[mangle(name)] = {llvm::orc::ExecutorAddr::fromPtr(address),
                               llvm::JITSymbolFlags::Exported};
    return symbols;
  });
  (*engine)->initialize();
  return HostCode(std::move(*engine));
}

llvm::Error HostCode::call(StringRef function,
                           MutableArrayRef<Descriptor> arguments) {
  // Each field of a descriptor is an argument of its own.
  SmallVector<void *> pointers;
  for (Descriptor &descriptor : arguments)
    for (int64_t &word : descriptor)
      pointers.push_back(&word);
  return engine->invokePacked(function, pointers);
}

} // namespace mlir::tc
