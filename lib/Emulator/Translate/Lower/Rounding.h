//===- Rounding.h - Arithmetic in the other rounding modes ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels call these for .rz, .rm and .rp. They set the host's rounding mode
// for one operation; nearest is done inline.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_LOWER_ROUNDING_H
#define TC_LIB_EMULATOR_TRANSLATE_LOWER_ROUNDING_H

#include "llvm/ADT/ArrayRef.h"

#include <utility>

namespace tc::emulator {

/// Name and address of each. tc_emulator_<op>_<type>(operands..., mode) with op
/// add, sub, mul, div, fma, sqrt; tc_emulator_from_<s64|u64>_<type>(value,
/// mode); tc_emulator_narrow(f64, mode). The mode is 0 rn, 1 rz, 2 rm, 3 rp.
/// Those of Formats.h are among them.
llvm::ArrayRef<std::pair<const char *, void *>> getRoundingFunctions();

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_LOWER_ROUNDING_H
