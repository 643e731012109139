//===- LowerMicrokernel.cpp - Contractions of one thread to scalar code ---===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_LOWERMICROKERNEL
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Results are unrolled; more than this would not be in registers anyway.
static constexpr int64_t kMaxUnrolled = 4096;

namespace {
/// Emits the scalar code of one contraction.
class MicroKernel {
public:
  MicroKernel(OpBuilder &builder, ContractOp op)
      : builder(builder), op(op), loc(op.getLoc()),
        extents(op.getMixedExtents()), point(op.getNumIterators()) {
    for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
      (op.isContracted(i) ? contracted : results).push_back(i);
  }
  LogicalResult emit();

private:
  /// The largest extent of a result iterator, by which it is unrolled.
  FailureOr<int64_t> findBound(unsigned i);
  /// Calls `body` at each result, the `depth`-th result iterator outermost;
  /// guarded where the extent is known only at run time.
  void forEachResult(size_t depth, function_ref<void()> body);
  /// Calls `body` in a loop over each contracted iterator.
  void forEachStep(function_ref<void()> body);

  void accumulate();
  Value loadInput(unsigned i);
  Value combine(Value acc, ValueRange inputs);
  SmallVector<Value> getIndices(AffineMap map);

  OpBuilder &builder;
  ContractOp op;
  Location loc;
  SmallVector<OpFoldResult> extents;
  SmallVector<unsigned> results, contracted;
  SmallVector<int64_t> bounds;
  /// Where the code being emitted is in the iteration space.
  SmallVector<OpFoldResult> point;
  /// Values of an input that are loaded already at this step, by the positions
  /// of the unrolled iterators; only without guards, which scope them.
  SmallVector<DenseMap<ArrayAttr, Value>> loaded;
  bool guarded = false;
};
} // namespace

FailureOr<int64_t> MicroKernel::findBound(unsigned i) {
  if (std::optional<int64_t> extent = getConstantIntValue(extents[i]))
    return *extent;
  guarded = true;
  SmallVector<Value> operands(op.getInputs());
  operands.push_back(op.getOutput());
  for (auto [operand, attr] : llvm::zip_equal(operands, op.getIndexingMaps())) {
    auto shape = cast<ShapedType>(operand.getType()).getShape();
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    for (auto [size, subscript] : llvm::zip_equal(shape, map.getResults()))
      if (subscript == builder.getAffineDimExpr(i) &&
          !ShapedType::isDynamic(size))
        return size;
  }
  return op.emitOpError("expected '")
         << op.getIterator(i)
         << "' to have a static extent, or to index an operand of static size";
}

void MicroKernel::forEachResult(size_t depth, function_ref<void()> body) {
  if (depth == results.size())
    return body();
  unsigned i = results[depth];
  for (int64_t r = 0; r < bounds[depth]; ++r) {
    OpBuilder::InsertionGuard guard(builder);
    point[i] = builder.getIndexAttr(r);
    if (auto extent = dyn_cast<Value>(extents[i])) {
      Value index = arith::ConstantIndexOp::create(builder, loc, r);
      Value isInside = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, index, extent);
      auto branch = scf::IfOp::create(builder, loc, isInside);
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    forEachResult(depth + 1, body);
  }
}

void MicroKernel::forEachStep(function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(builder);
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  Value one = arith::ConstantIndexOp::create(builder, loc, 1);
  for (unsigned i : contracted) {
    // A loop of one iteration is none.
    if (getConstantIntValue(extents[i]) == 1) {
      point[i] = builder.getIndexAttr(0);
      continue;
    }
    Value extent = getValueOrCreateConstantIndexOp(builder, loc, extents[i]);
    auto loop = scf::ForOp::create(builder, loc, zero, extent, one);
    point[i] = loop.getInductionVar();
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  }
  body();
}

SmallVector<Value> MicroKernel::getIndices(AffineMap map) {
  SmallVector<Value> indices;
  for (AffineExpr subscript : map.getResults()) {
    OpFoldResult index = affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(map.getNumDims(), 0, subscript), point);
    indices.push_back(getValueOrCreateConstantIndexOp(builder, loc, index));
  }
  return indices;
}

Value MicroKernel::loadInput(unsigned i) {
  AffineMap map = op.getInputMap(i);
  auto load = [&]() -> Value {
    return memref::LoadOp::create(builder, loc, op.getInputs()[i],
                                  getIndices(map));
  };
  if (guarded)
    return load();
  SmallVector<Attribute> position;
  for (unsigned r : results)
    if (map.isFunctionOfDim(r))
      position.push_back(cast<Attribute>(point[r]));
  Value &value = loaded[i][builder.getArrayAttr(position)];
  if (!value)
    value = load();
  return value;
}

/// The default on floats is one fused multiply-add for each result and step.
Value MicroKernel::combine(Value acc, ValueRange inputs) {
  if (!op.isMultiplyAdd() || inputs.size() < 2 ||
      !isa<FloatType>(acc.getType()))
    return op.buildCombine(builder, loc, acc,
                           op.buildMap(builder, loc, inputs));
  Value product = op.buildMap(builder, loc, inputs.drop_back());
  return math::FmaOp::create(builder, loc, product, inputs.back(), acc);
}

void MicroKernel::accumulate() {
  loaded.clear();
  loaded.resize(op.getInputs().size());
  forEachResult(0, [&] {
    SmallVector<Value> inputs;
    for (unsigned i = 0, e = op.getInputs().size(); i < e; ++i)
      inputs.push_back(loadInput(i));
    SmallVector<Value> indices = getIndices(op.getOutputMap());
    // Nothing is accumulated: the result is what the map gives.
    bool plain = op.getOverwrite() && contracted.empty();
    Value result;
    if (plain) {
      result = op.buildMap(builder, loc, inputs);
    } else {
      Value acc = memref::LoadOp::create(builder, loc, op.getOutput(), indices);
      result = combine(acc, inputs);
    }
    memref::StoreOp::create(builder, loc, result, op.getOutput(), indices);
  });
}

LogicalResult MicroKernel::emit() {
  if (op.hasTensorSemantics())
    return op.emitOpError("expected memrefs, got ")
           << op.getOutput().getType() << "; bufferize first";
  int64_t unrolled = 1;
  for (unsigned i : results) {
    FailureOr<int64_t> bound = findBound(i);
    if (failed(bound))
      return failure();
    bounds.push_back(*bound);
    if (llvm::MulOverflow(unrolled, *bound, unrolled) ||
        unrolled > kMaxUnrolled)
      return op.emitOpError("expected at most ")
             << kMaxUnrolled << " results of one thread";
  }
  if (op.getOverwrite() && !contracted.empty()) {
    Value neutral =
        arith::ConstantOp::create(builder, loc, op.getNeutralElement());
    forEachResult(0, [&] {
      memref::StoreOp::create(builder, loc, neutral, op.getOutput(),
                              getIndices(op.getOutputMap()));
    });
  }
  forEachStep([&] { accumulate(); });
  return success();
}

namespace {
struct LowerMicrokernelPass
    : tc::impl::LowerMicrokernelBase<LowerMicrokernelPass> {
  void runOnOperation() override {
    SmallVector<ContractOp> contracts;
    getOperation().walk([&](ContractOp op) {
      auto par = op->getParentOfType<ParOp>();
      if (par && par.getLevel() == Level::Block)
        contracts.push_back(op);
    });
    for (ContractOp op : contracts) {
      OpBuilder builder(op);
      if (failed(MicroKernel(builder, op).emit()))
        return signalPassFailure();
      op.erase();
    }
  }
};
} // namespace
