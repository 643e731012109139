//===- ContractDefaults.cpp - Regions that need not be said ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/ContractDefaults.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::tc;

/// Is `op` the op that convertNumber makes from its operand's type?
static bool isNumberConversion(Operation *op) {
  if (isa<arith::ExtFOp, arith::TruncFOp>(op))
    return true;
  if (!isa<arith::ExtSIOp, arith::ExtUIOp, arith::SIToFPOp, arith::UIToFPOp,
           arith::TruncIOp>(op))
    return false;
  if (!isNumber(op->getOperand(0).getType()))
    return false;
  bool isBool = op->getOperand(0).getType().isInteger(1);
  if (isa<arith::TruncIOp>(op)) // to i1 is a comparison
    return !op->getResult(0).getType().isInteger(1);
  return isBool == isa<arith::ExtUIOp, arith::UIToFPOp>(op);
}

Value mlir::tc::stripConversion(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return value;
  if (auto pair = dyn_cast<complex::CreateOp>(op)) {
    if (!matchPattern(pair.getImaginary(), m_PosZeroFloat()))
      return value;
    return stripConversion(pair.getReal());
  }
  if (!isNumberConversion(op))
    return value;
  Value from = op->getOperand(0);
  // What is widened exactly twice is widened exactly.
  Operation *before = from.getDefiningOp();
  if (before && op->getName() == before->getName() &&
      isa<arith::ExtFOp, arith::ExtSIOp, arith::ExtUIOp>(op))
    return stripConversion(from);
  return from;
}

/// The argument of `block` that `value` is, converted or not.
static std::optional<unsigned> findArgument(Block &block, Value value) {
  auto argument = dyn_cast<BlockArgument>(stripConversion(value));
  if (!argument || argument.getOwner() != &block)
    return std::nullopt;
  return argument.getArgNumber();
}

/// Is `op` one of these: of i1 the first, of other numbers one of the others?
template <typename OnBool, typename OnInt, typename... Others>
static bool isOnNumbers(Operation *op) {
  if (isa_and_nonnull<OnBool, OnInt>(op))
    return isa<OnBool>(op) == op->getResult(0).getType().isInteger(1);
  return isa_and_nonnull<Others...>(op);
}

bool mlir::tc::isMultiplication(Operation *op) {
  return isOnNumbers<arith::AndIOp, arith::MulIOp, arith::MulFOp,
                     complex::MulOp>(op);
}

static bool isAddition(Operation *op) {
  return isOnNumbers<arith::OrIOp, arith::AddIOp, arith::AddFOp,
                     complex::AddOp>(op);
}

static LogicalResult getFactors(Block &block, Value value,
                                SmallVectorImpl<unsigned> &factors) {
  if (std::optional<unsigned> argument = findArgument(block, value)) {
    factors.push_back(*argument);
    return success();
  }
  Operation *product = value.getDefiningOp();
  if (!isMultiplication(product))
    return failure();
  Value left = product->getOperand(0), right = product->getOperand(1);
  if (!findArgument(block, right))
    std::swap(left, right);
  std::optional<unsigned> last = findArgument(block, right);
  if (!last || failed(getFactors(block, left, factors)))
    return failure();
  factors.push_back(*last);
  // Of the first two the order is free: as the inputs come.
  if (factors.size() == 2 && factors[0] > factors[1])
    std::swap(factors[0], factors[1]);
  return success();
}

FailureOr<SmallVector<unsigned>> mlir::tc::matchProduct(Region &map) {
  Block &block = map.front();
  SmallVector<unsigned> factors;
  Operation *yield = block.getTerminator();
  if (yield->getNumOperands() != 1 ||
      failed(getFactors(block, yield->getOperand(0), factors)))
    return failure();
  return factors;
}

/// Does the combine add, in any order, from zero?
static bool addsUp(ContractOp op) {
  if (!op.mayReorder() || !llvm::all_of(op.getNeutralElements(), isZero))
    return false;
  Block &block = op.getCombine().front();
  OperandRange sums = block.getTerminator()->getOperands();
  if (block.getNumArguments() != 2 * sums.size())
    return false;
  for (auto [i, sum] : llvm::enumerate(sums)) {
    Operation *add = sum.getDefiningOp();
    if (!isAddition(add))
      return false;
    Value left = add->getOperand(0), right = add->getOperand(1);
    Value old = block.getArgument(i),
          value = block.getArgument(sums.size() + i);
    if (!(left == old && right == value) && !(left == value && right == old))
      return false;
  }
  return true;
}

/// Does the epilogue only convert accumulators to results?
static bool convertsOnly(ContractOp op) {
  Block &block = op.getEpilogue().front();
  if (!op.getSides().empty() ||
      block.getNumArguments() != op.getOutputs().size())
    return false;
  for (auto [i, value] : llvm::enumerate(block.getTerminator()->getOperands()))
    if (stripConversion(value) != block.getArgument(i))
      return false;
  return true;
}

static void clear(Region &region) {
  region.dropAllReferences(), region.getBlocks().clear();
}

/// A copy that reads the inputs numbered `kept`, in this order; the map, if
/// there is one, still takes those of `op`.
static ContractOp withInputs(RewriterBase &rewriter, ContractOp op,
                             ArrayRef<unsigned> kept) {
  ContractArrays arrays = op.getArrays();
  arrays.inputs = {};
  for (unsigned i : kept)
    arrays.inputs.add(op.getInputs()[i], op.getInputMap(i));
  auto names = llvm::to_vector(op.getIterators().getAsValueRange<StringAttr>());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto copy =
      ContractOp::create(rewriter, op.getLoc(), names, op.getMixedExtents(),
                         arrays, op.getOverwrite(), op.getScheduleAttr());
  copy.takeMeaning(op);
  rewriter.replaceOp(op, copy.getResults());
  return copy;
}

/// Takes away a map that is a product, or else the inputs that it does not
/// read.
static ContractOp dropMap(RewriterBase &rewriter, ContractOp op) {
  Region &map = op.getMap();
  SmallVector<unsigned> all =
      llvm::to_vector(llvm::seq<unsigned>(0, op.getInputs().size()));
  FailureOr<SmallVector<unsigned>> factors = matchProduct(map);
  Type type = map.front().getTerminator()->getOperand(0).getType();
  // A combine takes what the map yields, and one value at most without a map.
  if (succeeded(factors) &&
      (op.getCombine().empty() || op.getAccumulatorTypes() == ArrayRef(type))) {
    clear(map);
    if (op.getCombine().empty() &&
        type != getDefaultAccumulator(op.getElementType()))
      op.setAccumulatorAttr(TypeAttr::get(type));
    return *factors == all ? op : withInputs(rewriter, op, *factors);
  }
  SmallVector<unsigned> read = llvm::filter_to_vector(
      all, [&](unsigned i) { return !map.getArgument(i).use_empty(); });
  if (read.empty() && !all.empty())
    read.push_back(0);
  if (read == all)
    return op;
  for (unsigned i : llvm::reverse(all))
    if (!llvm::is_contained(read, i))
      map.front().eraseArgument(i);
  return withInputs(rewriter, op, read);
}

ContractOp mlir::tc::dropDefaultRegions(RewriterBase &rewriter, ContractOp op) {
  if (!op.getCombine().empty() && addsUp(op)) {
    // Without a map region there is one value, of this type.
    if (op.getMap().empty() && op.getAccumulatorTypes().front() !=
                                   getDefaultAccumulator(op.getElementType()))
      op.setAccumulatorAttr(TypeAttr::get(op.getAccumulatorTypes().front()));
    clear(op.getCombine());
    op.removeNeutralAttr();
    op.setAssociative(false);
    op.setCommutative(false);
  }
  if (!op.getEpilogue().empty() && convertsOnly(op))
    clear(op.getEpilogue());
  return op.getMap().empty() ? op : dropMap(rewriter, op);
}
