//===- Folding.h - Arithmetic that ptxas folds away -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `mul` and `add` or `sub` without a rounding modifier may become one fused
// multiply-add (PTX ISA, "mul", "add"), and ptxas does that wherever it can.
// nvcc writes `c -= a * b` so. A sign is a modifier of each operand that takes
// it, as ptxas 13.0 writes 750 signs with five uses each in 3750 multiply-adds.
// So is a shift by a constant of a term of 32 bits, which LEA and IMAD take: 50
// with two uses each become 100 of these.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_COUNT_FOLDING_H
#define TC_LIB_EMULATOR_COUNT_FOLDING_H

#include "Translate/Flow/Flow.h"

#include <cstdint>
#include <vector>

namespace tc::emulator {

enum class Folding : uint8_t {
  None,
  Away, ///< a product, a sign or a shift: part of the instruction that takes it
  Fused ///< a sum that takes a product: a multiply-add
};

/// By instruction.
std::vector<Folding> findFolding(const FlatBody &flat, const Flow &flow);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_COUNT_FOLDING_H
