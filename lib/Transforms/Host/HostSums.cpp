//===- HostSums.cpp - Sums whose results are neighbours -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of each column of a matrix, a vector times a matrix: one sum after
// the other would stride through memory. A block of results is kept instead,
// near the core, and the loop inside that over the sums goes through
// neighbours.
//
//===----------------------------------------------------------------------===//

#include "Host/HostLoops.h"

#include "Host/HostTables.h"

#include "tc/IR/LoopHints.h"

using namespace mlir;
using namespace mlir::tc;

/// Results of a block: some vectors of each accumulator, in the first-level
/// cache.
static constexpr int64_t kBlock = 256;

namespace {
/// The nest of one contraction.
class SumsNest {
public:
  SumsNest(HostBuilder &builder, ContractOp op, const ContractAccess &access,
           unsigned neighbours)
      : builder(builder), op(op), access(access), neighbours(neighbours),
        places(builder, op, access, {}), point(access.getNumIterators()) {}

  void build(ArrayRef<unsigned> results, ArrayRef<unsigned> sums);

private:
  void buildLoops(ArrayRef<unsigned> iterators, function_ref<void()> body);
  void buildBlock(ArrayRef<unsigned> sums);
  /// A loop over the results of the block.
  void forEachResult(function_ref<void(Value)> body);
  Value locate(unsigned operand);
  SmallVector<Value> load(unsigned first, size_t count);
  SmallVector<Value> loadSums(Value result);
  void storeSums(ValueRange values, Value result);
  void finish(Value result, bool startsFromOld);

  HostBuilder &builder;
  ContractOp op;
  const ContractAccess &access;
  unsigned neighbours; ///< the iterator of the block
  HostPlaces places;
  SmallVector<Value> point; ///< the value of each iterator
  Value start, size;        ///< of the block
  SmallVector<Value> block; ///< the accumulators
};
} // namespace

void SumsNest::buildLoops(ArrayRef<unsigned> iterators,
                          function_ref<void()> body) {
  if (iterators.empty())
    return body();
  builder.loop(places.count(iterators.front()), [&](Value index) {
    point[iterators.front()] = index;
    buildLoops(iterators.drop_front(), body);
  });
}

void SumsNest::forEachResult(function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, builder.constant(0), size,
                                 builder.constant(1));
  setWhole(loop);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value result = loop.getInductionVar();
  point[neighbours] = builder.add(start, result);
  body(result);
}

/// The place of an operand's element at the current point.
Value SumsNest::locate(unsigned operand) {
  AffineMap map = op.getMaps()[operand];
  Value place = builder.constant(0);
  for (unsigned i = 0, e = access.getNumIterators(); i != e; ++i)
    if (ContractOp::variesWith(map, i))
      place = builder.add(place,
                          places.locate(places.operands[operand], i, point[i]));
  return place;
}

SmallVector<Value> SumsNest::load(unsigned first, size_t count) {
  SmallVector<Value> elements;
  for (unsigned i = first; i != first + count; ++i)
    elements.push_back(builder.load(places.operands[i].elements, {locate(i)}));
  return elements;
}

SmallVector<Value> SumsNest::loadSums(Value result) {
  return llvm::map_to_vector(
      block, [&](Value sums) -> Value { return builder.load(sums, result); });
}

void SumsNest::storeSums(ValueRange values, Value result) {
  for (auto [value, sums] : llvm::zip_equal(values, block))
    builder.store(value, sums, result);
}

/// The results, of accumulators that are complete.
void SumsNest::finish(Value result, bool startsFromOld) {
  Location loc = op.getLoc();
  unsigned inputs = op.getInputs().size(), sides = op.getSides().size(),
           outputs = op.getOutputs().size();
  SmallVector<Value> values = loadSums(result);
  if (!op.getOverwrite() && !startsFromOld)
    values = op.buildCombine(
        builder, loc, op.buildOld(builder, loc, load(inputs + sides, outputs)),
        values);
  SmallVector<Value> elements =
      op.buildEpilogue(builder, loc, values, load(inputs, sides));
  for (auto [i, element] : llvm::enumerate(elements)) {
    unsigned operand = inputs + sides + i;
    builder.store(element, places.operands[operand].elements,
                  {locate(operand)});
  }
}

void SumsNest::buildBlock(ArrayRef<unsigned> sums) {
  Location loc = op.getLoc();
  unsigned inputs = op.getInputs().size(), sides = op.getSides().size(),
           outputs = op.getOutputs().size();
  bool startsFromOld = !op.getOverwrite() && !op.mayReorder();
  forEachResult([&](Value result) {
    storeSums(startsFromOld
                  ? op.buildOld(builder, loc, load(inputs + sides, outputs))
                  : op.buildNeutral(builder, loc),
              result);
  });
  buildLoops(sums, [&] {
    forEachResult([&](Value result) {
      SmallVector<Value> values = op.buildMap(builder, loc, load(0, inputs));
      storeSums(op.buildCombine(builder, loc, loadSums(result), values),
                result);
    });
  });
  forEachResult([&](Value result) { finish(result, startsFromOld); });
}

void SumsNest::build(ArrayRef<unsigned> results, ArrayRef<unsigned> sums) {
  int64_t blocks = llvm::divideCeil(access.extents[neighbours], kBlock);
  Value count = builder.multiply(places.count(results), blocks);
  scf::ParallelOp parallel = builder.parallel(count);
  markDistinct(parallel, op);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(parallel.getBody());
  Value number = parallel.getInductionVars().front();
  start = builder.multiply(builder.remainder(number, blocks), kBlock);
  number = builder.divide(number, blocks);
  for (unsigned i : llvm::reverse(results)) {
    Value extent = places.count(i);
    point[i] = builder.remainder(number, extent);
    number = builder.divide(number, extent);
  }
  Value left =
      builder.subtract(builder.constant(access.extents[neighbours]), start);
  size = builder.smaller(left, builder.constant(kBlock));
  for (Type type : op.getAccumulatorTypes())
    block.push_back(builder.reserve(kBlock, type));
  buildBlock(sums);
}

void mlir::tc::buildSumsOutside(ContractOp op, const ContractAccess &access,
                                ArrayRef<unsigned> results,
                                ArrayRef<unsigned> sums) {
  HostBuilder builder(op.getLoc(), op);
  SumsNest(builder, op, access, results.back())
      .build(results.drop_back(), sums);
  op.erase();
}
