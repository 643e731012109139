//===- LiveValues.h - Registers that a kernel cannot do without -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_KERNEL_LIVEVALUES_H
#define TC_LIB_CONVERSION_KERNEL_LIVEVALUES_H

#include "llvm/IR/Function.h"

#include <cstdint>

namespace mlir::tc {

/// Registers of 32 bits for the values of `function` that are live together
/// where most are, in the order of its instructions. Predicates, and addresses
/// at a constant distance from another, need none.
int64_t countLiveRegisters(llvm::Function &function);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_KERNEL_LIVEVALUES_H
