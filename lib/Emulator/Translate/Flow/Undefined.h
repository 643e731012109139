//===- Undefined.h - Registers that may be undefined ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register is undefined in a lane if its value depends on memory that nobody
// wrote. Compiled code keeps a mask of such lanes for each register that may
// become so, in memory (WarpState::undefined), whatever form the register has.
// What each load has found is in masks of its own (WarpState::holes), as the
// checks may be told of a load before it is made.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_FLOW_UNDEFINED_H
#define TC_LIB_EMULATOR_TRANSLATE_FLOW_UNDEFINED_H

#include "Translate/Flow/Plan.h"

#include "llvm/ADT/BitVector.h"

namespace tc::emulator {

/// How an undefined value is used so that it matters.
enum class UndefinedUse : uint32_t { Branch, Address, Store, Atomic };

struct UndefinedPlan {
  static constexpr uint32_t none = ~0u;

  explicit UndefinedPlan(const KernelPlan &plan);

  llvm::BitVector registers; ///< that may be undefined
  /// By site: the number of the first element of a load among `holeCount`.
  std::vector<uint32_t> holes;
  uint32_t holeCount = 0;
};

/// The registers whose values may depend on what the instruction reads.
llvm::BitVector findDependents(const KernelPlan &plan, uint32_t site);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_FLOW_UNDEFINED_H
