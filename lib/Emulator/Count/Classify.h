//===- Classify.h - Instructions by kind ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which unit of a multiprocessor an instruction loads, and under which name it
// is counted. By root, type and shape, and by what ptxas folds, so that a new
// row of the instruction table is counted without a change here.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_COUNT_CLASSIFY_H
#define TC_LIB_EMULATOR_COUNT_CLASSIFY_H

#include "Count/Folding.h"
#include "Ptx/Ptx.h"

namespace tc::emulator {

struct InstructionClass {
  std::string name; ///< "fma.f32", "integer", "ld.shared.16B"
  /// "f32", "f64", "f16", "integer", "convert", "special", "memory", "mma.f16",
  /// "mma.tf32", "mma.f64", "mma.s8", "mma.f8", "wgmma.f16" and so on, with
  /// "wgmma.b1"; "issue": only an issue slot;
  /// "none": not even that (moves, parameters, products and signs that ptxas
  /// folds away).
  llvm::StringRef unit;
  /// Of the unit, by a warp with all lanes active or by a lane (`isPerWarp`).
  uint64_t operations = 1;
  bool isPerWarp = false;
  uint64_t slots = 1; ///< instructions that ptxas makes of it
};

InstructionClass classify(const ptx::Instruction &instruction,
                          Folding folding = Folding::None);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_COUNT_CLASSIFY_H
