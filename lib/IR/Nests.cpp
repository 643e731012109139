//===- Nests.cpp - tc.par, tc.seq, tc.reduce and tc.scan ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "tc/IR/TC.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

#include <array>

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Rules. Each has a label; test/IR/invalid.mlir has a case of that name.
//===----------------------------------------------------------------------===//

template <typename NestOp>
static LogicalResult verifyNest(NestOp op) {
  size_t rank = op.getRank();
  if (op.getStaticUpper().size() != rank || op.getStaticStep().size() != rank ||
      op.getStaticWidth().size() != rank) // nest_rank
    return op.emitOpError("expected as many upper bounds, steps and widths as "
                          "lower bounds (")
           << rank << "), got " << op.getStaticUpper().size() << ", "
           << op.getStaticStep().size() << " and "
           << op.getStaticWidth().size();
  using Part = std::pair<ArrayRef<int64_t>, size_t>;
  for (auto [constants, operands] :
       {Part(op.getStaticLower(), op.getLower().size()),
        Part(op.getStaticUpper(), op.getUpper().size()),
        Part(op.getStaticStep(), op.getStep().size()),
        Part(op.getStaticWidth(), op.getWidth().size())})
    if (operands != size_t(llvm::count_if(constants, ShapedType::isDynamic)))
      return op.emitOpError( // nest_dynamic_bounds
          "expected one operand for each bound, step and width given at run "
          "time");
  for (auto [step, width] :
       llvm::zip_equal(op.getStaticStep(), op.getStaticWidth())) {
    bool hasStep = !ShapedType::isDynamic(step),
         hasWidth = !ShapedType::isDynamic(width);
    if (hasStep && step < 1) // nest_step
      return op.emitOpError("expected steps of at least 1, got ") << step;
    if (hasWidth && hasStep && (width < 1 || width > step)) // nest_width
      return op.emitOpError("expected widths from 1 to the step ")
             << step << ", got " << width;
    if (hasWidth && width < 1) // nest_least_width
      return op.emitOpError("expected widths of at least 1, got ") << width;
  }
  Block *body = op.getBody();
  if (body->getNumArguments() < rank ||
      !llvm::all_of(op.getIndices(), [](Value index) {
        return index.getType().isIndex();
      })) // nest_indices
    return op.emitOpError("expected the region to take ") << rank << " indices";
  return success();
}

/// May a tc.par of level `inner` stand in one of level `outer`?
static bool canContain(Level outer, Level inner) {
  if (outer == Level::Device || outer == Level::Thread)
    return inner == Level::Thread;
  return inner > outer;
}

LogicalResult ParOp::verify() {
  if (failed(verifyNest(*this)))
    return failure();
  if (getBody()->getNumArguments() != getRank()) // par_arguments
    return emitOpError("expected the region to take ")
           << getRank() << " indices and nothing else, got "
           << getBody()->getNumArguments() << " arguments";
  if (int64_t(getAlign()) < 1 || (getAlign() != 1 && !getFull())) // par_align
    return emitOpError("expected an alignment of at least 1, of 'full' alone, "
                       "got align(")
           << int64_t(getAlign()) << ")";
  auto outer = (*this)->getParentOfType<ParOp>();
  bool isHost = getLevel() == Level::Host;
  if (isHost && outer) // par_host
    return emitOpError("expected no tc.par round one of level 'host'");
  if (isHost && (getFull() || getMappingAttr())) // par_host_threads
    return emitOpError("expected neither 'full' nor a mapping on level 'host', "
                       "which has no threads");
  if (getLevel())
    for (ParOp op = outer; op; op = op->getParentOfType<ParOp>())
      if (op.getLevel() &&
          !canContain(*op.getLevel(), *getLevel())) // par_level
        return emitOpError("expected a level inside of '")
               << stringifyLevel(*op.getLevel()) << "', got '"
               << stringifyLevel(*getLevel()) << "'";
  if (getLevel() > Level::Cluster && getLevel() < Level::Thread && outer &&
      outer.hasClusters()) // par_cluster
    return emitOpError(
               "expected a tc.par cluster round it, as there is another "
               "one in the grid, got '")
           << stringifyLevel(*getLevel()) << "' directly in it";
  for (ParOp op = outer; getFull() && op; op = op->getParentOfType<ParOp>())
    if (op.getFull()) // par_full
      return emitOpError("expected no 'full' inside another 'full'");
  return success();
}

LogicalResult SeqOp::verify() {
  if (failed(verifyNest(*this)))
    return failure();
  TypeRange types = getInits().getTypes();
  if (int64_t(getStages()) < 1) // seq_stages
    return emitOpError("expected at least 1 stage, got ")
           << int64_t(getStages());
  if (int64_t(getUnroll()) < 1 ||
      (getUnroll() != 1 && getStages() != 1)) // seq_unroll
    return emitOpError("expected unroll of at least 1, and no stages beside "
                       "it, got unroll(")
           << int64_t(getUnroll()) << ") and stages(" << int64_t(getStages())
           << ")";
  if (getResultTypes() != types) // seq_results
    return emitOpError("expected results of the types of the initial values");
  if (TypeRange(ValueRange(getCarried())) != types) // seq_carried
    return emitOpError("expected the region to take the carried values after "
                       "its indices");
  auto yield = dyn_cast<YieldOp>(getBody()->back());
  if (!yield || yield.getOperandTypes() != types) // seq_yield
    return emitOpError("expected the region to yield the carried values");
  return success();
}

/// What map, combine and finish take.
template <typename FoldOp>
static std::array<SmallVector<Type>, 3>
getArgumentTypes(size_t rank, TypeRange inits, MLIRContext *context) {
  SmallVector<Type> indices(rank, IndexType::get(context));
  SmallVector<Type> pairs(inits), finished;
  llvm::append_range(pairs, inits);
  if (std::is_same_v<FoldOp, ScanOp>) // scan_finish
    finished = indices;
  llvm::append_range(finished, inits);
  return {indices, pairs, finished};
}

template <typename FoldOp>
static LogicalResult verifyFold(FoldOp op) {
  if (failed(verifyNest(op)))
    return failure();
  TypeRange values = op.getInits().getTypes();
  if (values.empty()) // reduce_values
    return op.emitOpError("expected at least one neutral element");
  if (op.getLevel() == Level::Host) // reduce_host
    return op.emitOpError("expected a level of the device, got 'host'");
  auto arguments =
      getArgumentTypes<FoldOp>(op.getRank(), values, op.getContext());
  StringRef names[] = {"map", "combine", "finish"};
  TypeRange yielded[] = {values, values, TypeRange()};
  for (auto [name, region, takes, yields] :
       llvm::zip_equal(names, op->getRegions(), arguments, yielded))
    if (failed(verifyYield(op, name, region)) ||
        failed(verifyTypes(op, name, region, takes, yields)))
      return failure();
  return verifyNoEffects(op, "combine", op.getCombine());
}

LogicalResult ReduceOp::verify() { return verifyFold(*this); }

LogicalResult ScanOp::verify() { return verifyFold(*this); }

LogicalResult PartitionOp::verify() {
  return failure(failed(verifyNest(*this)) || failed(verifyPartition(*this)));
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

IndexSpace ParOp::getSpace() {
  MLIRContext *context = getContext();
  unsigned symbols = 0;
  auto getExprs = [&](ArrayRef<int64_t> constants) {
    return llvm::map_to_vector(constants, [&](int64_t constant) {
      return ShapedType::isDynamic(constant)
                 ? getAffineSymbolExpr(symbols++, context)
                 : getAffineConstantExpr(constant, context);
    });
  };
  // In the order of the operands.
  auto lower = getExprs(getStaticLower()), upper = getExprs(getStaticUpper()),
       step = getExprs(getStaticStep()), width = getExprs(getStaticWidth());
  SmallVector<IndexRange, 4> ranges;
  for (auto [low, high, by, of] : llvm::zip_equal(lower, upper, step, width))
    ranges.push_back({low, high, by, of});
  return IndexSpace(context, ranges);
}

int64_t mlir::tc::getTeamThreads(Level level) {
  if (level == Level::Warpgroup)
    return 128;
  return level == Level::Warp ? 32 : 1;
}

bool ParOp::hasClusters() {
  return getLevel() == Level::Grid && containsOp(*getBody(), [](Operation *op) {
           auto inner = dyn_cast<ParOp>(op);
           return inner && inner.getLevel() == Level::Cluster;
         });
}

int64_t ParOp::getMemberThreads() {
  int64_t threads = 1;
  getBody()->walk([&](Operation *op) {
    if (auto inner = dyn_cast<ParOp>(op); inner && inner.getLevel())
      threads = std::max(threads, getTeamThreads(*inner.getLevel()));
    if (auto contract = dyn_cast<ContractOp>(op);
        contract && contract.isOfWarp())
      threads = std::max(threads, getTeamThreads(Level::Warp));
  });
  return threads;
}

SmallVector<Value> mlir::tc::getThreadIndices(Operation *op) {
  SmallVector<Value> indices;
  for (auto par = op->getParentOfType<ParOp>();
       par && par.getLevel() && *par.getLevel() >= Level::Block;
       par = par->getParentOfType<ParOp>())
    indices.insert(indices.begin(), par.getIndices().begin(),
                   par.getIndices().end());
  return indices;
}

/// Bounds with constant steps, of width 1.
static SpaceBounds makeBounds(OpBuilder &builder, ArrayRef<OpFoldResult> lower,
                              ArrayRef<OpFoldResult> upper,
                              ArrayRef<int64_t> step) {
  SmallVector<int64_t> ones(lower.size(), 1);
  return {llvm::to_vector(lower), llvm::to_vector(upper),
          getAsIndexOpFoldResult(builder.getContext(), step),
          getAsIndexOpFoldResult(builder.getContext(), ones)};
}

/// Gives an op in the making an index space, and its operands.
template <typename Properties>
static void buildSpace(OpBuilder &builder, OperationState &state,
                       const SpaceBounds &bounds, ValueRange inits,
                       Properties &properties) {
  SmallVector<int32_t> sizes;
  auto add = [&](ArrayRef<OpFoldResult> mixed) {
    SmallVector<Value> values;
    SmallVector<int64_t> constants;
    dispatchIndexOpFoldResults(mixed, values, constants);
    state.addOperands(values);
    sizes.push_back(values.size());
    return builder.getDenseI64ArrayAttr(constants);
  };
  properties.setStaticLower(add(bounds.lower));
  properties.setStaticUpper(add(bounds.upper));
  properties.setStaticStep(add(bounds.step));
  properties.setStaticWidth(add(bounds.width));
  state.addOperands(inits);
  sizes.push_back(inits.size());
  // A tc.par has no initial values.
  size_t groups = properties.operandSegmentSizes.size();
  properties.setOperandSegmentSizes(ArrayRef(sizes).take_front(groups));
}

/// What the body of a nest yields, of its indices and of what is carried.
using BuildBody = function_ref<SmallVector<Value>(OpBuilder &, Location,
                                                  ValueRange, ValueRange)>;

/// A body without carried values as one of those with some.
static auto
yieldNothing(function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  return
      [body](OpBuilder &builder, Location loc, ValueRange indices, ValueRange) {
        body(builder, loc, indices);
        return SmallVector<Value>();
      };
}

template <typename Properties>
static void buildNest(OpBuilder &builder, OperationState &state,
                      const SpaceBounds &bounds, ValueRange inits,
                      BuildBody body, Properties &properties) {
  buildSpace(builder, state, bounds, inits, properties);
  OpBuilder::InsertionGuard guard(builder);
  size_t rank = bounds.lower.size();
  SmallVector<Type> types(rank, builder.getIndexType());
  llvm::append_range(types, inits.getTypes());
  SmallVector<Location> locations(types.size(), state.location);
  Block *block = builder.createBlock(state.addRegion(), {}, types, locations);
  ValueRange arguments = block->getArguments();
  YieldOp::create(builder, state.location,
                  body(builder, state.location, arguments.take_front(rank),
                       arguments.drop_front(rank)));
}

void ParOp::build(OpBuilder &builder, OperationState &state,
                  std::optional<Level> level, ArrayRef<OpFoldResult> lower,
                  ArrayRef<OpFoldResult> upper, ArrayRef<int64_t> step,
                  function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  Properties &properties = state.getOrAddProperties<Properties>();
  if (level)
    properties.setLevel(LevelAttr::get(builder.getContext(), *level));
  buildNest(builder, state, makeBounds(builder, lower, upper, step), {},
            yieldNothing(body), properties);
}

void ParOp::build(OpBuilder &builder, OperationState &state,
                  const SpaceBounds &bounds,
                  function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  buildNest(builder, state, bounds, {}, yieldNothing(body),
            state.getOrAddProperties<Properties>());
}

void SeqOp::build(OpBuilder &builder, OperationState &state,
                  ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                  ArrayRef<int64_t> step,
                  function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  build(builder, state, lower, upper, step, ValueRange(), yieldNothing(body));
}

void SeqOp::build(OpBuilder &builder, OperationState &state,
                  ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                  ArrayRef<int64_t> step, ValueRange inits, BuildBody body) {
  build(builder, state, makeBounds(builder, lower, upper, step), inits, body);
}

void SeqOp::build(OpBuilder &builder, OperationState &state,
                  const SpaceBounds &bounds, ValueRange inits, BuildBody body) {
  state.addTypes(inits.getTypes());
  buildNest(builder, state, bounds, inits, body,
            state.getOrAddProperties<Properties>());
}

template <typename FoldOp>
static void buildFold(OpBuilder &builder, OperationState &state, Level level,
                      ArrayRef<OpFoldResult> lower,
                      ArrayRef<OpFoldResult> upper, ValueRange inits,
                      typename FoldOp::Properties &properties) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<int64_t> ones(lower.size(), 1);
  buildSpace(builder, state, makeBounds(builder, lower, upper, ones), inits,
             properties);
  properties.setLevel(LevelAttr::get(builder.getContext(), level));
  for (ArrayRef<Type> types : getArgumentTypes<FoldOp>(
           lower.size(), inits.getTypes(), builder.getContext())) {
    SmallVector<Location> locations(types.size(), state.location);
    builder.createBlock(state.addRegion(), {}, types, locations);
  }
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, Level level,
                     ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                     ValueRange inits, bool commutative) {
  Properties &properties = state.getOrAddProperties<Properties>();
  if (commutative)
    properties.setCommutative(builder.getUnitAttr());
  buildFold<ReduceOp>(builder, state, level, lower, upper, inits, properties);
}

void ScanOp::build(OpBuilder &builder, OperationState &state, Level level,
                   ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                   ValueRange inits, bool exclusive) {
  Properties &properties = state.getOrAddProperties<Properties>();
  if (exclusive)
    properties.setExclusive(builder.getUnitAttr());
  buildFold<ScanOp>(builder, state, level, lower, upper, inits, properties);
}
