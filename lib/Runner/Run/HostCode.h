//===- HostCode.h - Compiled host functions ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the host code of a module for this machine, and calls it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_RUN_HOSTCODE_H
#define TC_LIB_RUNNER_RUN_HOSTCODE_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

#include <memory>

namespace mlir {
class ExecutionEngine;
} // namespace mlir

namespace mlir::tc {

/// A memref as the host code takes it: allocated and aligned pointer, offset,
/// sizes, strides, each of 64 bits.
using Descriptor = llvm::SmallVector<int64_t, 12>;

/// The descriptor of a buffer at `address`.
Descriptor makeDescriptor(void *address, llvm::ArrayRef<int64_t> shape,
                          llvm::ArrayRef<int64_t> strides, int64_t offset);

class HostCode {
public:
  /// Compiles `module`, in the LLVM dialect, against the mgpu functions of a
  /// library, or of this process by name, and loads its kernels.
  static llvm::Expected<HostCode>
  compile(ModuleOp module, llvm::ArrayRef<llvm::StringRef> libraries,
          llvm::ArrayRef<std::pair<llvm::StringRef, void *>> functions = {});
  HostCode(HostCode &&);
  ~HostCode();

  /// Calls `function`, which returns nothing, with `arguments`.
  llvm::Error call(llvm::StringRef function,
                   llvm::MutableArrayRef<Descriptor> arguments);

private:
  explicit HostCode(std::unique_ptr<ExecutionEngine> engine);
  std::unique_ptr<ExecutionEngine> engine;
};

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_RUN_HOSTCODE_H
