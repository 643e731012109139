//===- LaneProgram.h - Index arithmetic of a warp ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expressions of integers, evaluated for the 32 lanes of a warp at once. A
// search evaluates few expressions for very many warps, so they are compiled
// into a list of instructions, each subexpression once.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_NESTS_LANEPROGRAM_H
#define TC_LIB_ANALYSIS_NESTS_LANEPROGRAM_H

#include "tc/Target/Limits.h"

#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace mlir::tc {

inline constexpr unsigned kLanes = kWarpSize;
using Lanes = std::array<int64_t, kLanes>;
/// A value of the program, by number.
using Slot = unsigned;

class LaneProgram {
public:
  /// The first are those of affine expressions; of divisors that are not
  /// positive, 1 is taken.
  enum class Kind {
    Add = int(AffineExprKind::Add),
    Mul = int(AffineExprKind::Mul),
    Mod = int(AffineExprKind::Mod),
    FloorDiv = int(AffineExprKind::FloorDiv),
    CeilDiv = int(AffineExprKind::CeilDiv),
    Min = int(AffineExprKind::SymbolId) + 1,
    Max,
    /// Some number from 0 on, the same for the same operands: a value that is
    /// not known, but is a function of others.
    Hash
  };

  /// A value that the caller sets, when region `region` is entered.
  Slot addInput(unsigned region = 0);
  Slot addConstant(int64_t value);
  Slot add(Kind kind, Slot lhs, Slot rhs);
  Slot add(AffineExpr expr, ArrayRef<Slot> dims, ArrayRef<Slot> symbols = {});

  Lanes &operator[](Slot slot) { return values[slot]; }
  const Lanes &operator[](Slot slot) const { return values[slot]; }
  /// Computes what depends on inputs of `region` and of none after it. Regions
  /// are entered in their order.
  void run(unsigned region = 0);
  /// The innermost region that `slot` depends on.
  unsigned getRegion(Slot slot) const { return regions[slot]; }
  /// Does no input decide what `slot` is?
  bool isConstant(Slot slot) const { return constant[slot]; }
  /// Is it a hash, or made of one?
  bool isUnknown(Slot slot) const { return unknown[slot]; }

  /// An estimate of the machine instructions of all there is, by
  /// Note [Cost of division] in LaneProgram.cpp.
  int64_t countInstructions() const;

private:
  struct Instruction {
    Kind kind;
    Slot result, lhs, rhs;
  };

  Slot addSlot(unsigned region, bool isConstant, bool isUnknown);

  std::vector<Lanes> values;
  std::vector<unsigned> regions;
  std::vector<bool> constant, unknown;
  std::vector<Instruction> instructions;
  std::vector<std::vector<unsigned>> byRegion; ///< numbers of instructions
  /// Any number may be a constant; some are no keys of a DenseMap.
  std::unordered_map<int64_t, Slot> constants;
  llvm::DenseMap<std::pair<unsigned, std::pair<Slot, Slot>>, Slot> known;
};

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_NESTS_LANEPROGRAM_H
