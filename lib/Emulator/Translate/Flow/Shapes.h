//===- Shapes.h - How registers vary over the lanes of a warp ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register of a warp whose lanes run together is often one number, or one
// number plus an offset that each lane knows when the kernel is compiled, as
// `tid.x` and every address made of it. Such a register is kept as one scalar.
// See Note [Shapes] in Shapes.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_FLOW_SHAPES_H
#define TC_LIB_EMULATOR_TRANSLATE_FLOW_SHAPES_H

#include "Runtime/State.h"
#include "Translate/Flow/Flow.h"
#include "Translate/Flow/Plan.h"

#include <array>

namespace tc::emulator {

/// What is known of a launch when a kernel is compiled.
struct LaunchShape {
  uint32_t block[3] = {1, 1, 1};
  /// Threads along each axis of the grid number less than 2^31.
  bool isGridSmall = false;
};

using Offsets = std::array<int64_t, warpSize>;

/// The values of a register: base + offsets[lane], or anything.
struct Shape {
  enum Kind : uint8_t { Unknown, Scalar, Vector };
  static constexpr uint64_t unbounded = ~uint64_t(0);

  Kind kind = Unknown;
  uint8_t zeros = 0;       ///< low bits of the base that are zero
  bool isConstant = false; ///< the base is `constant`
  uint64_t constant = 0;
  uint64_t most = unbounded; ///< no lane's value is more, as unsigned
  Offsets offsets = {};

  static Shape vector();
  static Shape uniform();
  static Shape number(uint64_t value);
  bool isScalar() const { return kind == Scalar; }
  /// The same in all lanes.
  bool isUniform() const;
};

/// How a branch is translated whose lanes may part.
struct Shapes {
  Shapes(const KernelPlan &plan, const Flow &flow, const LaunchShape &launch);

  /// What `in` gives its first destination. `isGuarded`: only if the 32-bit
  /// source of a widening does not wrap between lanes, which is to be tested.
  Shape evaluate(const ptx::Instruction &in, bool *isGuarded = nullptr) const;
  Shape shapeOf(const ptx::Operand &operand) const;
  /// All lanes execute `in`, or none.
  bool isGuardUniform(const ptx::Instruction &in) const;

  std::vector<Shape> registers;
  /// Per block: the lanes may part at its end, but what they run until they
  /// meet again is short and is executed under masks, in one pass.
  llvm::BitVector isPredicated;
  /// Instructions whose result is a scalar only if a test says so.
  std::vector<unsigned> tests;

private:
  bool visitInstructions();
  bool visitBranches();
  bool lower(unsigned reg, const Shape &shape);
  bool mayPredicate(unsigned block, llvm::ArrayRef<unsigned> region) const;
  Shape evaluateLinear(const ptx::Instruction &in, bool &isGuarded) const;
  Shape specialShape(const ptx::Operand &operand) const;
  bool mayPart(unsigned block) const;
  bool isFunction(const ptx::Instruction &in) const;

  const KernelPlan &plan;
  const FlatBody &flat;
  const Flow &flow;
  LaunchShape launch;
  llvm::BitVector rejected; ///< blocks that were tried to be predicated
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_FLOW_SHAPES_H
