//===- Copies.h - Copies of host code as calls of the runtime --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_COPIES_H
#define TC_LIB_PACKAGE_COPIES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>
#include <optional>

namespace mlir::tc {

/// Bytes of one element in memory; nothing for types that have none.
std::optional<int64_t> findElementBytes(Type type);

/// Makes each memref.copy of `function` a call of tcPackageCopy, which gets
/// `call`.
LogicalResult lowerCopies(func::FuncOp function, Value call);

} // namespace mlir::tc

#endif // TC_LIB_PACKAGE_COPIES_H
