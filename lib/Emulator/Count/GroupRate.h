//===- GroupRate.h - The rate of wgmma --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `wgmma` reaches the rates of the tensor units that are published, of which
// `mma.sync` gets a part: an m64nN step takes N/2 cycles of a multiprocessor,
// whatever the types, since all k have 32 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_COUNT_GROUPRATE_H
#define TC_LIB_EMULATOR_COUNT_GROUPRATE_H

#include "tc/Target/Machine.h"

namespace tc::emulator {

/// Multiply-adds that a multiprocessor does in a cycle, for inputs of `type`:
/// f16, tf32, s8, f8 or b1. Bytes are multiplied as fast in either format.
double getGroupRate(const mlir::tc::Machine &machine, llvm::StringRef type);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_COUNT_GROUPRATE_H
