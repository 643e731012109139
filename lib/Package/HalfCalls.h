//===- HalfCalls.h - Conversions of narrow floats ------------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that LLVM's code generators call, where a CPU has no instructions,
// to convert f16 and bf16. Compilers' own libraries do not all have them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_HALFCALLS_H
#define TC_LIB_PACKAGE_HALFCALLS_H

#include "llvm/IR/Module.h"

namespace mlir::tc {

/// Defines them in `module`, if it has such types, for its objects alone.
void addHalfCalls(llvm::Module &module);

} // namespace mlir::tc

#endif // TC_LIB_PACKAGE_HALFCALLS_H
