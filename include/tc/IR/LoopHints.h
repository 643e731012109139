//===- LoopHints.h - What LLVM is told of loops -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_LOOPHINTS_H
#define TC_IR_LOOPHINTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tc {

/// Tells LLVM to unroll `loop` by `count`, and no further.
void setUnrollCount(scf::ForOp loop, int64_t count);

} // namespace mlir::tc

#endif // TC_IR_LOOPHINTS_H
