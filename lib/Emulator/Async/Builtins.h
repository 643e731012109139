//===- Builtins.h - Functions that every device has -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions a kernel may call that no module defines: the CUDA runtime has
// them. Their arguments come as the operands of a Step, their result goes to
// its first destination.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ASYNC_BUILTINS_H
#define TC_LIB_EMULATOR_ASYNC_BUILTINS_H

#include "Isa/Isa.h"

namespace tc::emulator {

struct Builtin {
  llvm::StringRef name;
  isa::RunFunction run;
  uint32_t resultBytes; ///< 0: it has no result
  /// Sizes of the parameters, in bytes.
  llvm::SmallVector<uint32_t, 5> parameterBytes;
};

/// The builtin of that name, or null.
const Builtin *findBuiltin(llvm::StringRef name);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_ASYNC_BUILTINS_H
