//===- LowerMicrokernel.cpp - Contractions of one thread to scalar code ---===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/IR/Scalars.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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
  LogicalResult findBounds();
  /// Calls `body` at each result, the `depth`-th result iterator outermost;
  /// guarded where the extent is known only at run time.
  void forEachResult(size_t depth, function_ref<void()> body);
  /// Calls `body` in a loop over each contracted iterator.
  void forEachStep(function_ref<void()> body);

  /// Do the results themselves serve as accumulators?
  bool accumulatesInPlace();
  void buildAccumulators();
  void startAccumulators();
  void accumulate();
  void finish(ValueRange values);
  SmallVector<Value> combineStep(ValueRange accs, ValueRange inputs);

  Value loadInput(unsigned i);
  SmallVector<Value> loadInputs();
  SmallVector<Value> loadOld();
  SmallVector<Value> loadAccumulators();
  void storeAccumulators(ValueRange values);
  SmallVector<Value> getIndices(AffineMap map);

  OpBuilder &builder;
  ContractOp op;
  Location loc;
  SmallVector<OpFoldResult> extents;
  SmallVector<unsigned> results, contracted;
  SmallVector<int64_t> bounds;
  /// Where terms are gathered, and the subscripts of each.
  SmallVector<Value> accumulators;
  SmallVector<AffineMap> accumulatorMaps;
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
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps())) {
    auto shape = cast<ShapedType>(operand.getType()).getShape();
    for (auto [size, subscript] : llvm::zip_equal(shape, map.getResults()))
      if (subscript == builder.getAffineDimExpr(i) &&
          !ShapedType::isDynamic(size))
        return size;
  }
  return op.emitOpError("expected '")
         << op.getIterator(i)
         << "' to have a static extent, or to index an operand of static size";
}

LogicalResult MicroKernel::findBounds() {
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
  return success();
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

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

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

SmallVector<Value> MicroKernel::loadInputs() {
  return llvm::map_to_vector(llvm::seq<unsigned>(0, op.getInputs().size()),
                             [&](unsigned i) { return loadInput(i); });
}

/// The old results, as accumulators.
SmallVector<Value> MicroKernel::loadOld() {
  SmallVector<Value> elements;
  for (auto [o, output] : llvm::enumerate(op.getOutputs()))
    elements.push_back(memref::LoadOp::create(builder, loc, output,
                                              getIndices(op.getOutputMap(o))));
  return op.buildOld(builder, loc, elements);
}

SmallVector<Value> MicroKernel::loadAccumulators() {
  return llvm::map_to_vector(
      llvm::zip_equal(accumulators, accumulatorMaps), [&](auto pair) {
        auto [buffer, map] = pair;
        return memref::LoadOp::create(builder, loc, buffer, getIndices(map))
            .getResult();
      });
}

void MicroKernel::storeAccumulators(ValueRange values) {
  for (auto [value, buffer, map] :
       llvm::zip_equal(values, accumulators, accumulatorMaps))
    memref::StoreOp::create(builder, loc, value, buffer, getIndices(map));
}

//===----------------------------------------------------------------------===//
// Accumulation
//===----------------------------------------------------------------------===//

bool MicroKernel::accumulatesInPlace() {
  SmallVector<Type> types = op.getAccumulatorTypes();
  if (!op.getEpilogue().empty() || types.size() != op.getOutputs().size() ||
      (!op.getOverwrite() && contracted.empty()))
    return false;
  for (auto [o, type] : llvm::enumerate(types))
    if (op.getElementType(o) != type)
      return false;
  return true;
}

/// The results, or private memory that holds an accumulator for each.
void MicroKernel::buildAccumulators() {
  if (accumulatesInPlace()) {
    for (auto [o, output] : llvm::enumerate(op.getOutputs())) {
      accumulators.push_back(output);
      accumulatorMaps.push_back(op.getOutputMap(o));
    }
    return;
  }
  SmallVector<AffineExpr> subscripts;
  for (unsigned r : results)
    subscripts.push_back(builder.getAffineDimExpr(r));
  auto map =
      AffineMap::get(op.getNumIterators(), 0, subscripts, builder.getContext());
  Attribute space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                               gpu::AddressSpace::Private);
  for (Type type : op.getAccumulatorTypes()) {
    auto buffer =
        MemRefType::get(bounds, type, MemRefLayoutAttrInterface(), space);
    accumulators.push_back(memref::AllocaOp::create(builder, loc, buffer));
    accumulatorMaps.push_back(map);
  }
}

/// Old results go first where the order of terms counts, and where they are the
/// accumulators; else they are combined at the end.
void MicroKernel::startAccumulators() {
  bool startsFromOld = !op.getOverwrite() && !op.mayReorder();
  if (accumulatesInPlace() && !op.getOverwrite())
    return;
  SmallVector<Value> neutral;
  if (!startsFromOld)
    neutral = op.buildNeutral(builder, loc);
  forEachResult(
      0, [&] { storeAccumulators(startsFromOld ? loadOld() : neutral); });
}

/// The default is one fused multiply-add for each result and step.
SmallVector<Value> MicroKernel::combineStep(ValueRange accs,
                                            ValueRange inputs) {
  if (!op.isMultiplyAdd() || inputs.size() < 2)
    return op.buildCombine(builder, loc, accs,
                           op.buildMap(builder, loc, inputs));
  Type type = accs.front().getType();
  Value product = convertNumber(builder, loc, inputs.front(), type);
  for (Value factor : inputs.drop_front().drop_back())
    product = multiplyNumbers(builder, loc, product,
                              convertNumber(builder, loc, factor, type));
  Value last = convertNumber(builder, loc, inputs.back(), type);
  return {multiplyAdd(builder, loc, product, last, accs.front())};
}

void MicroKernel::accumulate() {
  loaded.clear();
  loaded.resize(op.getInputs().size());
  forEachResult(0, [&] {
    SmallVector<Value> inputs = loadInputs();
    storeAccumulators(combineStep(loadAccumulators(), inputs));
  });
}

/// Stores the results that `values`, as accumulators, come to.
void MicroKernel::finish(ValueRange values) {
  SmallVector<Value> sides;
  for (auto [s, side] : llvm::enumerate(op.getSides()))
    sides.push_back(memref::LoadOp::create(builder, loc, side,
                                           getIndices(op.getSideMap(s))));
  SmallVector<Value> elements = op.buildEpilogue(builder, loc, values, sides);
  for (auto [o, element] : llvm::enumerate(elements))
    memref::StoreOp::create(builder, loc, element, op.getOutput(o),
                            getIndices(op.getOutputMap(o)));
}

LogicalResult MicroKernel::emit() {
  if (op.hasTensorSemantics())
    return op.emitOpError("expected memrefs, got ")
           << op.getOutput().getType() << "; bufferize first";
  if (failed(findBounds()))
    return failure();
  if (contracted.empty()) { // nothing is accumulated: one term for each result
    loaded.resize(op.getInputs().size());
    forEachResult(0, [&] {
      SmallVector<Value> inputs = loadInputs();
      finish(op.getOverwrite() ? op.buildMap(builder, loc, inputs)
                               : combineStep(loadOld(), inputs));
    });
    return success();
  }
  buildAccumulators();
  startAccumulators();
  forEachStep([&] { accumulate(); });
  if (accumulatesInPlace())
    return success();
  forEachResult(0, [&] {
    SmallVector<Value> values = loadAccumulators();
    if (!op.getOverwrite() && op.mayReorder())
      values = op.buildCombine(builder, loc, loadOld(), values);
    finish(values);
  });
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
