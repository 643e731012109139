//===- LinalgToTCBody.cpp - Reading the body of a linalg op ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToTC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <set>

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool ScalarBody::isAddition() const {
  return isa_and_nonnull<arith::AddFOp, arith::AddIOp>(combine);
}

TypedAttr ScalarBody::getNeutral() const {
  if (!combine)
    return {};
  // Adding 0.0 and not -0.0: where every product is -0.0 the sign differs.
  if (isAddition())
    return Builder(combine->getContext())
        .getZeroAttr(combine->getResult(0).getType());
  return arith::getNeutralElement(combine).value_or(TypedAttr());
}

bool ScalarBody::mayStartFrom(TypedAttr value) const {
  bool idempotent =
      isa_and_nonnull<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
                      arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp,
                      arith::MinSIOp, arith::MinUIOp, arith::AndIOp,
                      arith::OrIOp>(combine);
  return idempotent || value == getNeutral();
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// Associative and commutative scalar ops.
static bool isCombine(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
             arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op);
}

/// The number of the DPS input that `value` is an element of.
static std::optional<unsigned> findInput(linalg::LinalgOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != op.getBlock() ||
      argument.getArgNumber() >= unsigned(op.getNumDpsInputs()))
    return std::nullopt;
  return argument.getArgNumber();
}

/// Appends the factors of `value` such that multiplying them from the left
/// gives the same rounding; fails where it is no such product.
static LogicalResult getFactors(linalg::LinalgOp op, Value value,
                                SmallVectorImpl<unsigned> &factors) {
  if (std::optional<unsigned> input = findInput(op, value)) {
    factors.push_back(*input);
    return success();
  }
  Operation *product = value.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(product))
    return failure();
  Value left = product->getOperand(0), right = product->getOperand(1);
  if (!findInput(op, right))
    std::swap(left, right);
  std::optional<unsigned> last = findInput(op, right);
  if (!last || failed(getFactors(op, left, factors)))
    return failure();
  factors.push_back(*last);
  // Of the first two the order is free: as the inputs come.
  if (factors.size() == 2 && factors[0] > factors[1])
    std::swap(factors[0], factors[1]);
  return success();
}

/// Collects the ops `value` is computed from and the inputs they read.
static LogicalResult getSlice(linalg::LinalgOp op, Value value,
                              llvm::SmallDenseSet<Operation *> &slice,
                              std::set<unsigned> &inputs, std::string &reason) {
  if (std::optional<unsigned> input = findInput(op, value)) {
    inputs.insert(*input);
    return success();
  }
  Operation *def = value.getDefiningOp();
  if (def && def->getBlock() != op.getBlock() &&
      def->hasTrait<OpTrait::ConstantLike>())
    return success();
  if (!def || def->getBlock() != op.getBlock()) {
    reason = "its body reads a value from outside";
    return failure();
  }
  if (!slice.insert(def).second)
    return success();
  for (Value operand : def->getOperands())
    if (failed(getSlice(op, operand, slice, inputs, reason)))
      return failure();
  return success();
}

/// Takes the mapped value apart: a product of inputs, or any computation.
static LogicalResult matchMap(linalg::LinalgOp op, ScalarBody &body,
                              std::string &reason) {
  if (succeeded(getFactors(op, body.mapped, body.inputs)) &&
      llvm::all_of(body.inputs, [&](unsigned i) {
        return op.getBlock()->getArgument(i).getType() == body.mapped.getType();
      }))
    return success();
  body.inputs.clear();
  if (!body.combine) {
    reason = "its body neither reduces nor is a product of the inputs";
    return failure();
  }
  llvm::SmallDenseSet<Operation *> slice;
  std::set<unsigned> inputs;
  if (failed(getSlice(op, body.mapped, slice, inputs, reason)))
    return failure();
  for (Operation &inner : *op.getBlock())
    if (slice.contains(&inner))
      body.mapOps.push_back(&inner);
  body.inputs.assign(inputs.begin(), inputs.end());
  return success();
}

/// Is `inner` a scalar computation that may be done any number of times?
static bool isScalarOp(Operation &inner) {
  return inner.getNumRegions() == 0 && isPure(&inner) &&
         !isa<linalg::IndexOp>(inner);
}

FailureOr<ScalarBody> mlir::tc::matchBody(linalg::LinalgOp op,
                                          std::string &reason) {
  Block *block = op.getBlock();
  for (Operation &inner : block->without_terminator())
    if (!isScalarOp(inner)) {
      reason = ("its body has '" + inner.getName().getStringRef() + "'").str();
      return failure();
    }
  ScalarBody body;
  body.mapped = block->getTerminator()->getOperand(0);
  Value old = block->getArguments().back();
  if (!old.use_empty()) {
    body.combine = body.mapped.getDefiningOp();
    if (!body.combine || !isCombine(body.combine) || !old.hasOneUse() ||
        *old.user_begin() != body.combine) {
      reason = "its body does not combine the old value of the result with a "
               "new one by an associative and commutative op";
      return failure();
    }
    unsigned place = body.combine->getOperand(0) == old;
    body.mapped = body.combine->getOperand(place);
  }
  if (failed(matchMap(op, body, reason)))
    return failure();
  if (body.inputs.empty()) {
    reason = "its body reads no input";
    return failure();
  }
  for (unsigned input : body.inputs)
    if (!isa<ShapedType>(op.getDpsInputOperand(input)->get().getType())) {
      reason = "its body reads a scalar operand";
      return failure();
    }
  return body;
}
