//===- Jit.h - Compiles LLVM IR for the host --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One ORC JIT per process and effort; each kernel is a library of its own,
// which goes when its handle does.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_JIT_H
#define TC_LIB_EMULATOR_TRANSLATE_JIT_H

#include "Runtime/State.h"
#include "tc/Emulator/Emulator.h"

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace llvm::orc {
class ExecutionSession;
class JITDylib;
} // namespace llvm::orc

namespace tc::emulator {

/// A kernel's machine code; frees it at the end.
class CompiledKernel {
public:
  CompiledKernel(llvm::orc::ExecutionSession &session,
                 llvm::orc::JITDylib &library, void *function,
                 uint64_t frameBytes)
      : session(session), library(library), function(function),
        frameBytes(frameBytes) {}
  ~CompiledKernel();
  CompiledKernel(const CompiledKernel &) = delete;
  CompiledKernel &operator=(const CompiledKernel &) = delete;

  void *getFunction() const { return function; }
  /// Of the stack, that it needs beside what it calls of the runtime.
  uint64_t getFrameBytes() const { return frameBytes; }

private:
  llvm::orc::ExecutionSession &session;
  llvm::orc::JITDylib &library;
  void *function;
  uint64_t frameBytes;
};

/// Optimises and compiles a module that `translate` made. Adaptive counts as
/// Quick here.
llvm::Expected<std::unique_ptr<CompiledKernel>>
compile(std::unique_ptr<llvm::Module> module,
        std::unique_ptr<llvm::LLVMContext> context, Effort effort);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_JIT_H
