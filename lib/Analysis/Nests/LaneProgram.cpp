//===- LaneProgram.cpp - Index arithmetic of a warp -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests/LaneProgram.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

Slot LaneProgram::addSlot(unsigned region, bool isConstant, bool isUnknown) {
  values.emplace_back(); // of zeros
  regions.push_back(region);
  constant.push_back(isConstant);
  unknown.push_back(isUnknown);
  if (byRegion.size() <= region)
    byRegion.resize(region + 1);
  return values.size() - 1;
}

Slot LaneProgram::addInput(unsigned region) {
  return addSlot(region, /*isConstant=*/false, /*isUnknown=*/false);
}

Slot LaneProgram::addConstant(int64_t value) {
  auto [it, isNew] = constants.try_emplace(value, 0);
  if (isNew) {
    it->second = addSlot(0, /*isConstant=*/true, /*isUnknown=*/false);
    values[it->second].fill(value);
  }
  return it->second;
}

/// Wraps; a sum that leaves 64 bits is the address of nothing.
static int64_t wrap(uint64_t value) { return static_cast<int64_t>(value); }

static int64_t hash(int64_t lhs, int64_t rhs) {
  uint64_t mixed =
      (uint64_t(lhs) + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9 + uint64_t(rhs);
  mixed = (mixed ^ (mixed >> 30)) * 0x94d049bb133111eb;
  // Few enough that a product with a stride is an address.
  return int64_t((mixed ^ (mixed >> 31)) & 0xfffff);
}

static int64_t apply(LaneProgram::Kind kind, int64_t lhs, int64_t rhs) {
  using Kind = LaneProgram::Kind;
  switch (kind) {
  case Kind::Add:
    return wrap(uint64_t(lhs) + uint64_t(rhs));
  case Kind::Mul:
    return wrap(uint64_t(lhs) * uint64_t(rhs));
  case Kind::FloorDiv:
    return rhs > 0 ? llvm::divideFloorSigned(lhs, rhs) : lhs;
  case Kind::CeilDiv:
    return rhs > 0 ? llvm::divideCeilSigned(lhs, rhs) : lhs;
  case Kind::Mod:
    return rhs > 0 ? llvm::mod(lhs, rhs) : 0;
  case Kind::Min:
    return std::min(lhs, rhs);
  case Kind::Max:
    return std::max(lhs, rhs);
  case Kind::Hash:
    return hash(lhs, rhs);
  }
  llvm_unreachable("closed set");
}

Slot LaneProgram::add(Kind kind, Slot lhs, Slot rhs) {
  if (isConstant(lhs) && isConstant(rhs) && kind != Kind::Hash)
    return addConstant(apply(kind, values[lhs][0], values[rhs][0]));
  std::pair key(unsigned(kind), std::pair(lhs, rhs));
  if (auto it = known.find(key); it != known.end())
    return it->second;
  unsigned region = std::max(regions[lhs], regions[rhs]);
  Slot result = addSlot(region, /*isConstant=*/false,
                        kind == Kind::Hash || unknown[lhs] || unknown[rhs]);
  byRegion[region].push_back(instructions.size());
  instructions.push_back({kind, result, lhs, rhs});
  return known[key] = result;
}

Slot LaneProgram::add(AffineExpr expr, ArrayRef<Slot> dims,
                      ArrayRef<Slot> symbols) {
  if (auto value = dyn_cast<AffineConstantExpr>(expr))
    return addConstant(value.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Slot lhs = add(binary.getLHS(), dims, symbols);
  Slot rhs = add(binary.getRHS(), dims, symbols);
  return add(Kind(expr.getKind()), lhs, rhs);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

void LaneProgram::run(unsigned region) {
  if (region >= byRegion.size())
    return;
  for (unsigned number : byRegion[region]) {
    const Instruction &op = instructions[number];
    const Lanes &lhs = values[op.lhs], &rhs = values[op.rhs];
    Lanes &result = values[op.result];
    // The frequent ones are vectors for a compiler.
    if (op.kind == Kind::Add)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        result[lane] = wrap(uint64_t(lhs[lane]) + uint64_t(rhs[lane]));
    else if (op.kind == Kind::Mul)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        result[lane] = wrap(uint64_t(lhs[lane]) * uint64_t(rhs[lane]));
    else
      for (unsigned lane = 0; lane < kLanes; ++lane)
        result[lane] = apply(op.kind, lhs[lane], rhs[lane]);
  }
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

int64_t LaneProgram::countInstructions() const {
  int64_t count = 0;
  for (const Instruction &op : instructions) {
    bool divides = op.kind == Kind::FloorDiv || op.kind == Kind::CeilDiv ||
                   op.kind == Kind::Mod;
    int64_t divisor = isConstant(op.rhs) ? values[op.rhs][0] : 0;
    if (!divides)
      count += 1;
    else if (divisor == 0)
      count += op.kind == Kind::Mod ? 20 : 18;
    else if (llvm::isPowerOf2_64(divisor))
      count += 1;
    else
      count += op.kind == Kind::Mod ? 4 : 2;
  }
  return count;
}

// Note [Cost of division]
// ~~~~~~~~~~~~~~~~~~~~~~~
// By a power of two a shift or a mask; by another constant the high half of a
// product and a shift, and for the remainder a product and a difference; by
// a dynamic value the some 18 instructions that ptxas makes of `div.u32`
// (through a reciprocal in f32, and two corrections).
