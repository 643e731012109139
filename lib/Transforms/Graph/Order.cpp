//===- Order.cpp - Many operands, two at a time ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the chain that Analysis/PairOrder.h finds as contractions. An operand
// counts by the iterators that it varies with, so its subscripts may be any; a
// temporary has one dimension for each.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/Analysis/Access.h"
#include "tc/Analysis/PairOrder.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_ORDER
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// Writes a chain in the place of an op.
class ChainBuilder {
public:
  ChainBuilder(RewriterBase &rewriter, ContractOp op)
      : rewriter(rewriter), op(op), extents(op.getMixedExtents()),
        operands(op.getArrays().inputs) {}

  void build(const PairChain &chain);

private:
  SmallVector<unsigned> getTemporaryDims(const PairStep &step) const;
  MappedArrays buildTemporary(const PairStep &step);
  ContractOp buildStep(const PairStep &step, const MappedArrays &sides,
                       const MappedArrays &outputs, bool overwrite);
  void buildInner(const PairStep &step);
  void freeOperands(const PairStep &step);

  RewriterBase &rewriter;
  ContractOp op;
  SmallVector<OpFoldResult> extents;
  /// The inputs, then what the steps so far have yielded.
  MappedArrays operands;
};
} // namespace

/// What a temporary varies with, in the order of its dimensions: as in the left
/// operand, then as in the right one.
SmallVector<unsigned>
ChainBuilder::getTemporaryDims(const PairStep &step) const {
  SmallVector<unsigned> dims;
  auto addThoseOf = [&](unsigned operand) {
    for (AffineExpr subscript : operands.maps[operand].getResults())
      for (unsigned i : step.kept.set_bits())
        if (subscript.isFunctionOfDim(i) && !llvm::is_contained(dims, i))
          dims.push_back(i);
  };
  addThoseOf(step.left);
  if (step.right)
    addThoseOf(*step.right);
  return dims;
}

/// An array for what `step` yields, without values yet.
MappedArrays ChainBuilder::buildTemporary(const PairStep &step) {
  SmallVector<OpFoldResult> sizes;
  SmallVector<unsigned> dims(getTemporaryDims(step));
  for (unsigned i : dims)
    sizes.push_back(extents[i]);
  AffineMap map = AffineMap::getMultiDimMapWithTargets(
      op.getNumIterators(), dims, rewriter.getContext());
  Type type = op.getAccumulatorTypes().front();
  if (op.hasTensorSemantics())
    return {{tensor::EmptyOp::create(rewriter, op.getLoc(), sizes, type)},
            {map}};
  SmallVector<Value> values;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(sizes, values, shape);
  return {{memref::AllocOp::create(rewriter, op.getLoc(),
                                   MemRefType::get(shape, type), values)},
          {map}};
}

/// The contraction of one step, with default regions.
ContractOp ChainBuilder::buildStep(const PairStep &step,
                                   const MappedArrays &sides,
                                   const MappedArrays &outputs,
                                   bool overwrite) {
  ContractArrays arrays{{}, sides, outputs};
  arrays.inputs.add(operands.values[step.left], operands.maps[step.left]);
  if (step.right)
    arrays.inputs.add(operands.values[*step.right], operands.maps[*step.right]);
  SmallVector<AffineExpr> places(op.getNumIterators(),
                                 rewriter.getAffineConstantExpr(0));
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> sizes;
  for (unsigned i : step.iterators.set_bits()) {
    places[i] = rewriter.getAffineDimExpr(names.size());
    names.push_back(op.getIterator(i));
    sizes.push_back(extents[i]);
  }
  for (MappedArrays *group : {&arrays.inputs, &arrays.sides, &arrays.outputs})
    for (AffineMap &map : group->maps)
      map = map.replaceDimsAndSymbols(places, {}, names.size(),
                                      /*numResultSyms=*/0);
  auto pair = ContractOp::create(rewriter, op.getLoc(), names, sizes, arrays,
                                 overwrite);
  if (step.right)
    pair.setPrecisionAttr(op.getPrecisionAttr());
  return pair;
}

/// A step into a temporary, which becomes the next operand.
void ChainBuilder::buildInner(const PairStep &step) {
  MappedArrays temporary = buildTemporary(step);
  ContractOp inner =
      buildStep(step, /*sides=*/{}, temporary, /*overwrite=*/true);
  Type type = op.getAccumulatorTypes().front();
  if (getDefaultAccumulator(type) != type)
    inner.setAccumulator(type);
  if (op.hasTensorSemantics())
    temporary.values = {inner.getResult(0)};
  freeOperands(step);
  operands.append(temporary);
}

/// Frees temporaries that a step has used up.
void ChainBuilder::freeOperands(const PairStep &step) {
  for (std::optional<unsigned> number : {std::optional(step.left), step.right})
    if (!op.hasTensorSemantics() && number && *number >= op.getInputs().size())
      memref::DeallocOp::create(rewriter, op.getLoc(),
                                operands.values[*number]);
}

void ChainBuilder::build(const PairChain &chain) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  for (const PairStep &step : ArrayRef(chain.steps).drop_back())
    buildInner(step);
  ContractArrays own = op.getArrays();
  const PairStep &last = chain.steps.back();
  ContractOp result =
      buildStep(last, own.sides, own.outputs, op.getOverwrite());
  result.takeMeaning(op);
  freeOperands(last);
  rewriter.replaceOp(op, result);
}

/// The op as far as the cost of an order goes.
static ProductShape getShape(ContractOp op) {
  ProductShape shape;
  auto getIterators = [&](AffineMap map) {
    IteratorSet set(op.getNumIterators());
    for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
      if (ContractOp::variesWith(map, i))
        set.set(i);
    return set;
  };
  shape.extents = llvm::to_vector(op.getStaticExtents());
  llvm::replace(shape.extents, ShapedType::kDynamic, kNominalExtent);
  for (unsigned i = 0, e = op.getInputs().size(); i < e; ++i)
    shape.inputs.push_back(getIterators(op.getInputMap(i)));
  shape.result = getIterators(op.getOutputMap());
  return shape;
}

namespace {
struct OrderPass : tc::impl::OrderBase<OrderPass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    // What lies within another op of tc is part of its meaning.
    auto isProduct = [](ContractOp op) {
      return op.getInputs().size() > 1 &&
             !isa<TCDialect>(op->getParentOp()->getDialect());
    };
    for (ContractOp op : collectOps<ContractOp>(getOperation(), isProduct))
      order(rewriter, op);
  }

  remark::RemarkOpts name(StringRef what) {
    return remark::RemarkOpts::name(what)
        .category(getArgument())
        .function(getOperation().getName());
  }

  void order(RewriterBase &rewriter, ContractOp op) {
    StringRef reason;
    if (!op.isMultiplyAdd())
      reason = "its regions are not known to distribute";
    else if (op.getSchedule())
      reason = "it has a schedule";
    if (!reason.empty()) {
      if (op.getInputs().size() > 2)
        remark::missed(op.getLoc(), name("OrderKept")) << remark::reason(
            "{0} inputs stay in one nest: {1}", op.getInputs().size(), reason);
      return;
    }
    ProductShape shape = getShape(op);
    PairChain chain = findBestChain(shape);
    int64_t written = countFlops(shape);
    if (chain.flops < written) {
      remark::passed(op.getLoc(), name("Ordered"))
          << remark::reason("{0} contractions of {1} flops, instead of one "
                            "nest of {2}",
                            chain.steps.size(), chain.flops, written);
      ChainBuilder(rewriter, op).build(chain);
    } else if (op.getInputs().size() > 2) {
      remark::missed(op.getLoc(), name("OrderKept"))
          << remark::reason("{0} inputs stay in one nest of {1} flops: the "
                            "best chain of pairs has {2}",
                            op.getInputs().size(), written, chain.flops);
    }
  }
};
} // namespace
