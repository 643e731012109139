//===- LaneValues.cpp - Values of a nest for the lanes of a warp ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests/LaneValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

using Kind = LaneProgram::Kind;

LaneValues::LaneValues(ParOp op) : op(op), values(op.getContext()) {
  for (Value index : op.getIndices()) {
    indices.push_back(program.addInput());
    varying.push_back(index);
    slots[index] = indices.back();
  }
}

bool LaneValues::isInside(Value value) const {
  return op->isAncestor(value.getParentBlock()->getParentOp());
}

Slot LaneValues::addLoop(Value value) {
  Slot slot = program.addInput(regions++);
  slots[value] = slot;
  varying.push_back(value);
  return slot;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Slot LaneValues::get(AffineExpr expr) {
  SmallVector<Slot> dims(values.getNumDims(), 0);
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part)) {
      Value value = values.getValue(dim.getPosition());
      dims[dim.getPosition()] = value ? get(value) : program.addConstant(0);
    }
  });
  return program.add(expr, dims);
}

Slot LaneValues::get(OpFoldResult value) {
  if (auto dynamic = dyn_cast<Value>(value))
    return get(dynamic);
  return program.addConstant(*getConstantIntValue(value));
}

Slot LaneValues::get(Value value) {
  if (auto it = slots.find(value); it != slots.end())
    return it->second;
  AffineExpr expr = values.trace(value);
  Slot slot = expr == values.getDim(value) ? getOpaque(value) : get(expr);
  return slots[value] = slot;
}

/// What affine expressions do not have; none of other ops.
Slot LaneValues::getArithmetic(Operation *op) {
  auto both = [&](Kind kind) {
    return program.add(kind, get(op->getOperand(0)), get(op->getOperand(1)));
  };
  return TypeSwitch<Operation *, Slot>(op)
      .Case([&](arith::MulIOp) { return both(Kind::Mul); })
      .Case<arith::DivUIOp, arith::FloorDivSIOp, arith::DivSIOp>(
          [&](auto) { return both(Kind::FloorDiv); })
      .Case<arith::CeilDivUIOp, arith::CeilDivSIOp>(
          [&](auto) { return both(Kind::CeilDiv); })
      .Case<arith::RemUIOp, arith::RemSIOp>(
          [&](auto) { return both(Kind::Mod); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return both(Kind::Min); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return both(Kind::Max); })
      .Case<arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp,
            arith::IndexCastUIOp>([&](auto) { return get(op->getOperand(0)); })
      .Default([&](Operation *) {
        // A value that is read, or computed in another way: the same for the
        // same operands.
        Slot slot = program.addConstant(0);
        for (Value operand : op->getOperands())
          if (!isa<ShapedType>(operand.getType()))
            slot = program.add(Kind::Hash, slot, get(operand));
        return slot;
      });
}

Slot LaneValues::getOpaque(Value value) {
  Operation *definition = value.getDefiningOp();
  bool isComputed = definition && definition->getNumRegions() == 0;
  if (isInside(value)) {
    // What a loop carries, or a region gives, is another one in each iteration.
    if (isComputed)
      return getArithmetic(definition);
    Slot slot = program.addConstant(0);
    for (Value index : varying)
      if (index.getParentRegion()->isAncestor(value.getParentRegion()))
        slot = program.add(Kind::Hash, slot, slots[index]);
    return slot;
  }
  if (!definition)
    return getOuter(cast<BlockArgument>(value));
  if (auto dim = dyn_cast<memref::DimOp>(definition)) {
    std::optional<int64_t> index = dim.getConstantIndex();
    auto type = dyn_cast<MemRefType>(dim.getSource().getType());
    if (index && type && *index >= 0 && *index < type.getRank() &&
        !type.isDynamicDim(*index))
      return program.addConstant(type.getDimSize(*index));
    return program.addConstant(kNominalBound);
  }
  if (isComputed && isMemoryEffectFree(definition) &&
      definition->getNumOperands() > 0)
    return getArithmetic(definition);
  return program.addConstant(kNominalBound);
}

//===----------------------------------------------------------------------===//
// Loops round the nest
//===----------------------------------------------------------------------===//

Slot LaneValues::getOuter(BlockArgument value) {
  std::optional<NestRange> range = findRange(value);
  if (!range)
    return program.addConstant(kNominalBound);
  Slot lower = get(range->lower), upper = get(range->upper);
  Slot index = program.addInput();
  // A step of a loop of scf may be anything.
  int64_t step = std::max<int64_t>(range->step.value_or(1), 1);
  outer.push_back({index, lower, upper, step});
  return index;
}

void LaneValues::setContext(uint64_t number) {
  // Outermost first, since the bounds of one may depend on others.
  for (auto [i, loop] : llvm::enumerate(outer)) {
    program.run();
    int64_t lower = program[loop.lower][0], upper = program[loop.upper][0];
    // As unsigned numbers, in which no difference of two bounds is too large.
    uint64_t extent = uint64_t(upper) - uint64_t(lower),
             step = uint64_t(loop.step);
    uint64_t trips = upper > lower ? (extent - 1) / step + 1 : 1;
    // Another stride for each loop, so that they do not go together.
    uint64_t chosen = number * (2 * i + 7919) % trips;
    program[loop.index].fill(int64_t(uint64_t(lower) + chosen * step));
  }
}
