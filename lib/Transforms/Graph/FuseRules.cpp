//===- FuseRules.cpp - What may be fused ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/Fuse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Is `extent` surely dimension `d` of `array`?
static bool isDimension(OpFoldResult extent, Value array, int64_t d) {
  int64_t size = cast<ShapedType>(array.getType()).getDimSize(d);
  if (!ShapedType::isDynamic(size))
    return getConstantIntValue(extent) == size;
  auto value = dyn_cast<Value>(extent);
  if (!value)
    return false;
  Value origin = findOrigin(array); // it has the extents
  if (auto empty = origin.getDefiningOp<tensor::EmptyOp>())
    return empty.getDynamicSize(d) == value;
  if (auto alloc = origin.getDefiningOp<memref::AllocOp>();
      alloc &&
      alloc.getDynamicSizes()[alloc.getType().getDynamicDimIndex(d)] == value)
    return true;
  auto dim = value.getDefiningOp<ShapedDimOpInterface>();
  return dim && getConstantIntValue(dim.getDimension()) == d &&
         findOrigin(dim.getShapedValue()) == origin;
}

bool mlir::tc::coversResult(ContractOp op, unsigned o) {
  AffineMap map = op.getOutputMap(o);
  if (!map.isProjectedPermutation())
    return false;
  SmallVector<OpFoldResult> extents = op.getMixedExtents();
  for (auto [d, subscript] : llvm::enumerate(map.getResults()))
    if (!isDimension(extents[cast<AffineDimExpr>(subscript).getPosition()],
                     op.getOutput(o), d))
      return false;
  return true;
}

bool mlir::tc::replacesResult(ContractOp op, unsigned o) {
  return op.getOverwrite() && coversResult(op, o);
}

bool mlir::tc::isPointwise(ContractOp op) {
  return op.getOutputs().size() == 1 &&
         op.getOutputMap().getNumResults() == op.getNumIterators() &&
         coversResult(op, 0);
}

bool mlir::tc::isElementwise(ContractOp op) {
  return isPointwise(op) && op.getOverwrite() && op.getCombine().empty();
}

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

/// Does `op` take many instructions?
static bool isCostly(Operation &op) {
  if (isa<math::AbsFOp, math::AbsIOp, math::FmaOp, math::CopySignOp>(op))
    return false;
  return isa<arith::DivFOp, arith::DivSIOp, arith::DivUIOp, arith::RemFOp,
             arith::RemSIOp, arith::RemUIOp, complex::DivOp>(op) ||
         isa_and_nonnull<math::MathDialect>(op.getDialect());
}

static bool isCostly(ContractOp op) {
  auto anyIn = [](Region &region) {
    return !region.empty() &&
           llvm::any_of(region.front(),
                        [](Operation &inner) { return isCostly(inner); });
  };
  return anyIn(op.getMap()) || anyIn(op.getEpilogue());
}

/// How often each element that reader `i` of `op` reads is read, by the extents
/// that are known; others count for `unknown`.
static int64_t countReads(ContractOp op, unsigned i) {
  constexpr int64_t unknown = 16, enough = int64_t(1) << 20;
  AffineMap map = op.getMaps()[i];
  bool isSide = i >= op.getInputs().size();
  int64_t count = 1;
  for (auto [d, extent] : llvm::enumerate(op.getStaticExtents()))
    if (!map.isFunctionOfDim(d) && !(isSide && op.isContracted(d)))
      count = std::min(
          enough, count * (ShapedType::isDynamic(extent) ? unknown : extent));
  return count;
}

/// Is the result the elements of one input, in other places or another type?
static bool onlyMoves(ContractOp op) {
  return op.getMap().empty() && op.getEpilogue().empty() &&
         op.getInputs().size() == 1;
}

/// Does `op` leave some of what `producer` wrote in a result of its own?
static bool addsTo(ContractOp op, ContractOp producer) {
  for (auto [o, output] : llvm::enumerate(op.getOutputs()))
    if (findResult(producer, output) && !replacesResult(op, o))
      return true;
  return false;
}

bool mlir::tc::isForgotten(ContractOp producer, ContractOp op) {
  return isUsedByOnly(producer, op) && !addsTo(op, producer);
}

std::optional<std::string> mlir::tc::explainProducer(ContractOp op, unsigned i,
                                                     ContractOp producer) {
  constexpr int64_t maxRecomputation = 4;
  if (!isElementwise(producer))
    return "it is not computed element by element";
  // It would have to stay beside what is computed again.
  if (updatesInPlace(producer) &&
      !(isForgotten(producer, op) && countOperandsFrom(producer, op) == 1))
    return "it writes over what it reads";
  if (!isForgotten(producer, op) && !onlyMoves(producer))
    return "it has other uses";
  int64_t reads = countReads(op, i);
  if (isCostly(producer) && reads > maxRecomputation)
    return "it is costly and would be computed " + std::to_string(reads) +
           " times";
  return explainMemory(producer, op, getProducerArrays(op, i, producer));
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

std::optional<SmallVector<AffineExpr>>
mlir::tc::findPoints(ContractOp contract, ContractOp consumer) {
  SmallVector<AffineExpr> points(consumer.getNumIterators());
  for (auto [k, input] : llvm::enumerate(consumer.getInputs())) {
    std::optional<unsigned> result = findResult(contract, input);
    if (!result)
      continue;
    AffineMap read = consumer.getInputMap(k);
    AffineMap written = contract.getOutputMap(*result);
    if (!read.isPermutation())
      return std::nullopt;
    for (auto [to, from] :
         llvm::zip_equal(read.getResults(), written.getResults())) {
      AffineExpr &point = points[cast<AffineDimExpr>(to).getPosition()];
      if (point && point != from)
        return std::nullopt;
      point = from;
    }
  }
  return points;
}

std::optional<std::string> mlir::tc::explainConsumer(ContractOp contract,
                                                     ContractOp consumer) {
  bool addsToOld = !consumer.getOverwrite();
  if (!isPointwise(consumer) || (!addsToOld && !isElementwise(consumer)))
    return "its reader is not computed element by element";
  for (unsigned o = 0, e = contract.getOutputs().size(); o < e; ++o)
    if (!coversResult(contract, o))
      return "it computes a part of its result";
  for (Value side : consumer.getSides())
    if (findResult(contract, side))
      return "it is read beside another operand of the epilogue";
  if (addsToOld && findResult(contract, consumer.getOutput()))
    return "its reader adds to it";
  if (!isUsedByOnly(contract, consumer))
    return "it has other uses";
  if (!findPoints(contract, consumer))
    return "its reader changes the space";
  if (!contract.getOverwrite() && !contract.mayRegroup())
    return "its terms are combined in order, from an old result";
  return explainMemory(contract, consumer,
                       getConsumerArrays(contract, consumer));
}
