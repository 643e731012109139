//===- HostEntry.h - Host functions to be called from C ------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code that asks nobody for memory and launches through the runtime of
// packages (tc-runtime/tc_package.h), in two steps: temporaries become parts of
// a workspace before the code is lowered to LLVM, launches become calls after.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_HOSTENTRY_H
#define TC_PACKAGE_HOSTENTRY_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>

namespace mlir::tc {

/// The function beside `function` that says how much workspace it needs.
std::string getWorkspaceFunctionName(StringRef function);

/// Gives `function`, on memrefs, two arguments more: workspace, `memref<?xi8>`,
/// and the call as an `index`. What it allocates becomes a part of the
/// workspace, what it frees stays, copies become calls of tcPackageCopy, and
/// calls for products calls of tcPackageProduct. Beside it comes a function of
/// the same arguments that returns the bytes of workspace. Refuses temporaries
/// whose place only the run would decide.
LogicalResult placeTemporaries(func::FuncOp function);

/// Takes the products that host code, in the LLVM dialect, asks a library for,
/// by number, each as the words of a tcProduct.
SmallVector<SmallVector<int64_t>> takeProducts(ModuleOp module);

/// The address of the first element of `buffer`, as an index.
Value getAddress(OpBuilder &builder, Location loc, Value buffer,
                 int64_t elementBytes);

/// The variable, an i64, that holds the limit `limit` of tc.threshold of
/// `function`; negative: the default.
std::string getLimitSymbol(StringRef function, StringRef limit);

/// The function, if host code is to tell what it compares, that gets the number
/// of the variable among those of the module, and what is compared with it.
inline constexpr StringLiteral kNoteThresholdName = "tcNoteThreshold";

/// What host code calls for a product by a library, with where a tcProduct, its
/// matrices (A, B, C, D) and workspace lie, and the bytes of workspace, all as
/// indices; and gets whether there was one, as an index.
inline constexpr StringLiteral kProductName = "tcMgpuProduct";

/// The name of the constant of a product; its number follows.
inline constexpr StringLiteral kProductPrefix = "tc_product_";

/// A kernel that host code launches: the gpu.binary, and the function in it.
struct LaunchedKernel {
  std::string module, kernel;
};

/// Makes each gpu.launch_func of `module`, in the LLVM dialect, a call of
/// tcPackageLaunch, and erases the gpu.binary ops. Gives the kernels in the
/// order of their numbers.
FailureOr<SmallVector<LaunchedKernel>> lowerLaunches(ModuleOp module);

} // namespace mlir::tc

#endif // TC_PACKAGE_HOSTENTRY_H
