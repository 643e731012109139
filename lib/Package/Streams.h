//===- Streams.h - Tokens as streams of the runtime ----------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_STREAMS_H
#define TC_LIB_PACKAGE_STREAMS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tc {

/// Takes the tokens off the launches, copies and conditions of `function`, and
/// calls tcPackageSelect, tcPackageRecord and tcPackageWait with `call`, so
/// that on the streams of the runtime each comes after those whose tokens it
/// had. At the end of each block all streams are joined to stream 0. Refuses
/// tokens that other ops have.
LogicalResult assignStreams(func::FuncOp function, Value call);

} // namespace mlir::tc

#endif // TC_LIB_PACKAGE_STREAMS_H
