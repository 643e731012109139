//===- WritePtx.h - Kernels in the NVVM dialect to PTX ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_KERNEL_WRITEPTX_H
#define TC_LIB_CONVERSION_KERNEL_WRITEPTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <string>

namespace mlir::tc {

/// The PTX text of `kernels`, which are in the NVVM dialect. libdevice is
/// linked where something of it is called. Reports symbols that nobody defines,
/// and LLVM's errors.
FailureOr<std::string> writePtx(gpu::GPUModuleOp kernels,
                                NVVM::NVVMTargetAttr target);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_KERNEL_WRITEPTX_H
