//===- LinalgToTC.cpp - The pass convert-linalg-to-tc ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToTC.h"
#include "tc/Conversion/Passes.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CONVERTLINALGTOTC
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// What can be converted
//===----------------------------------------------------------------------===//

static AffineMap getResultMap(linalg::LinalgOp op) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(0));
}

static Type getResultElement(linalg::LinalgOp op) {
  return getElementTypeOrSelf(op.getDpsInitOperand(0)->get().getType());
}

static bool isSparse(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getEncoding();
}

/// Checks all but the body; says why not.
static LogicalResult checkOp(linalg::LinalgOp op, std::string &reason) {
  auto fail = [&](StringRef why) {
    reason = why.str();
    return failure();
  };
  if (op.getNumDpsInits() != 1)
    return fail("it has several results");
  if (llvm::any_of(op->getOperandTypes(), isSparse))
    return fail("it has tensors with an encoding");
  if (llvm::any_of(op.getStaticLoopRanges(), ShapedType::isDynamic))
    return fail("it has extents that are not static");
  if (!getResultElement(op).isSignlessIntOrFloat())
    return fail("its elements are neither integers nor floats");
  if (!llvm::all_of(op.getIndexingMapsArray(), ContractOp::isLinear))
    return fail("it has subscripts that are not linear in the iterators");
  if (!ContractOp::isInjective(getResultMap(op)))
    return fail("several points of its result space may reach one element");
  return success();
}

/// Without a read of the result, a contracted iterator would leave the last
/// value, whichever that is.
static bool overwritesInOrder(linalg::LinalgOp op, const ScalarBody &body) {
  if (body.combine)
    return false;
  for (unsigned i = 0, e = op.getNumLoops(); i < e; ++i)
    if (!ContractOp::variesWith(getResultMap(op), i))
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

/// Letters from a for result iterators, from q for contracted ones, in the
/// order of the loops; after p and z they start again with a number.
static SmallVector<std::string> nameIterators(AffineMap resultMap) {
  SmallVector<std::string> names;
  unsigned numResult = 0, numContracted = 0;
  for (unsigned i = 0, e = resultMap.getNumDims(); i < e; ++i) {
    bool contracted = !ContractOp::variesWith(resultMap, i);
    char first = contracted ? 'q' : 'a';
    unsigned letters = contracted ? 10 : 16;
    unsigned n = contracted ? numContracted++ : numResult++;
    std::string name(1, char(first + n % letters));
    names.push_back(n < letters ? name
                                : name + "_" + std::to_string(n / letters));
  }
  return names;
}

/// The map region: the ops of the body on the elements of the inputs it reads.
static void buildMapRegion(IRRewriter &rewriter, linalg::LinalgOp op,
                           const ScalarBody &body, ContractOp contract) {
  OpBuilder::InsertionGuard guard(rewriter);
  IRMapping mapping;
  SmallVector<Value> scalars;
  for (unsigned input : body.inputs)
    scalars.push_back(op.getBlock()->getArgument(input));
  SmallVector<Location> locations(scalars.size(), op.getLoc());
  Block *block = rewriter.createBlock(
      &contract.getMap(), {}, ValueRange(scalars).getTypes(), locations);
  mapping.map(scalars, block->getArguments());
  for (Operation *inner : body.mapOps) {
    for (Value operand : inner->getOperands()) // constants from outside
      if (Operation *def = operand.getDefiningOp();
          def && !mapping.contains(operand))
        rewriter.clone(*def, mapping);
    rewriter.clone(*inner, mapping);
  }
  YieldOp::create(rewriter, op.getLoc(), mapping.lookup(body.mapped));
}

/// The combine region: the op of the body on the old value and the mapped one.
static void buildCombineRegion(IRRewriter &rewriter, linalg::LinalgOp op,
                               const ScalarBody &body, ContractOp contract) {
  OpBuilder::InsertionGuard guard(rewriter);
  Type type = body.mapped.getType();
  Block *block = rewriter.createBlock(&contract.getCombine(), {}, {type, type},
                                      {op.getLoc(), op.getLoc()});
  IRMapping mapping;
  mapping.map(op.getBlock()->getArguments().back(), block->getArgument(0));
  mapping.map(body.mapped, block->getArgument(1));
  Operation *combined = rewriter.clone(*body.combine, mapping);
  YieldOp::create(rewriter, op.getLoc(), combined->getResult(0));
}

/// The contraction that `op` is, without regions; `outs` is its result operand.
static ContractOp buildContract(IRRewriter &rewriter, linalg::LinalgOp op,
                                const ScalarBody &body, Value outs,
                                bool overwrite) {
  SmallVector<std::string> names = nameIterators(getResultMap(op));
  SmallVector<StringRef> iterators(names.begin(), names.end());
  SmallVector<OpFoldResult> extents =
      getAsIndexOpFoldResult(rewriter.getContext(), op.getStaticLoopRanges());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (unsigned input : body.inputs) {
    OpOperand *operand = op.getDpsInputOperand(input);
    inputs.push_back(operand->get());
    maps.push_back(op.getMatchingIndexingMap(operand));
  }
  maps.push_back(getResultMap(op));
  return ContractOp::create(rewriter, op.getLoc(), iterators, extents, inputs,
                            outs, maps, overwrite);
}

/// Replaces `op`, and the fill before it where the contraction may start from
/// what was filled in.
static void convert(IRRewriter &rewriter, linalg::LinalgOp op,
                    const ScalarBody &body) {
  Value outs = op.getDpsInitOperand(0)->get();
  TypedAttr neutral = body.getNeutral();
  linalg::FillOp fill = findFill(op);
  if (fill && body.combine && !body.mayStartFrom(getFillValue(fill)))
    fill = {};
  if (fill && op.hasPureTensorSemantics())
    outs = fill.getOutputs().front();
  if (fill && body.combine)
    neutral = getFillValue(fill);

  rewriter.setInsertionPoint(op);
  ContractOp contract =
      buildContract(rewriter, op, body, outs, fill || !body.combine);
  if (!body.mapOps.empty())
    buildMapRegion(rewriter, op, body, contract);
  if (body.combine && !body.isAddition()) {
    contract.setNeutralAttr(rewriter.getArrayAttr({neutral}));
    contract.setAssociative(true);
    contract.setCommutative(true);
    buildCombineRegion(rewriter, op, body, contract);
  }
  rewriter.replaceOp(op, contract.getResults());
  if (fill && fill->use_empty())
    rewriter.eraseOp(fill);
}

namespace {
struct ConvertLinalgToTCPass
    : tc::impl::ConvertLinalgToTCBase<ConvertLinalgToTCPass> {
  void runOnOperation() override {
    SmallVector<linalg::LinalgOp> ops;
    getOperation().walk([&](linalg::LinalgOp op) {
      if (!isa<linalg::FillOp>(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (linalg::LinalgOp op : ops)
      convertOrExplain(rewriter, op);
  }

  void convertOrExplain(IRRewriter &rewriter, linalg::LinalgOp op) {
    std::string reason;
    if (succeeded(checkOp(op, reason))) {
      FailureOr<ScalarBody> body = matchBody(op, reason);
      if (succeeded(body) && overwritesInOrder(op, *body)) {
        reason = "it reduces without reading its result";
        body = failure();
      }
      if (succeeded(body))
        return convert(rewriter, op, *body);
    }
    remark::missed(op.getLoc(), remark::RemarkOpts::name("NotAContraction")
                                    .category(getArgument())
                                    .function(getOperation().getName()))
        << remark::reason("'{0}' is left as it is: {1}",
                          op->getName().getStringRef(), reason);
  }
};
} // namespace
