//===- LoopSteps.cpp - Loops in order -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Lanes.h"
#include "Steps/Steps.h"
#include "Values/Ranges.h"

#include "tc/IR/Neutral.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace llvm;

namespace mlir::tc::reference {

namespace {
using GetRanges = unique_function<Expected<Ranges>(State &)>;

/// A loop of any dialect, before it is compiled.
struct Loop {
  Operation *op = nullptr;
  SmallVector<Value> indices;
  Block *body = nullptr;
  bool isParallel = false;
  /// What is carried from one iteration to the next.
  SmallVector<Value> inits, carried, yielded, results;
  /// Run after each iteration, to combine what it gives.
  Steps combine;
  GetRanges getRanges;
};
} // namespace

/// A tc.par full in whose `body` lanes meet: a warp after the other. The checks
/// of independence take them for one iteration.
static Error appendWarps(Loop loop, Steps body, Steps &steps, State &state) {
  SmallVector<unsigned> indices = state.numbersOf(loop.indices);
  steps.append(
      loop.op,
      [=, body = std::move(body),
       getRanges = std::move(loop.getRanges)](State &state) mutable -> Error {
        Expected<Ranges> ranges = getRanges(state);
        if (!ranges)
          return ranges.takeError();
        Lanes warp;
        auto run = [&]() {
          Error error = body.runTogether(state, warp);
          warp.clear();
          return error;
        };
        if (Error error = forEachIndex(
                /*loop=*/nullptr, *ranges, indices, state, [&]() -> Error {
                  warp.add(state);
                  return warp.size() == Lanes::kMost ? run() : Error::success();
                }))
          return error;
        return warp.size() > 0 ? run() : Error::success();
      });
  return Error::success();
}

/// A loop in whose `body` lanes meet, which all of them go through together.
static Error appendTogether(Loop loop, Steps body, Steps &steps, State &state) {
  if (auto par = dyn_cast<ParOp>(loop.op); par && par.getFull())
    return appendWarps(std::move(loop), std::move(body), steps, state);
  if (loop.isParallel)
    return createStringError("'" + loop.op->getName().getStringRef() +
                             "' round what the lanes of a warp do together "
                             "has no meaning in the reference evaluation");
  SmallVector<unsigned> indices = state.numbersOf(loop.indices);
  Assignment start(loop.inits, loop.carried, state);
  Assignment next(loop.yielded, loop.carried, state);
  Assignment end(loop.carried, loop.results, state);
  steps.appendTogether(
      loop.op,
      [=, body = std::move(body), getRanges = std::move(loop.getRanges)](
          State &state, Lanes &lanes) mutable -> Error {
        Expected<Ranges> ranges =
            lanes.agreeOn<Ranges>("bounds", state, getRanges);
        if (!ranges)
          return ranges.takeError();
        start.runTogether(state, lanes);
        auto iterate = [&]() -> Error {
          SmallVector<Scalar> index = llvm::map_to_vector(
              indices, [&](unsigned place) { return state.scalar(place); });
          cantFail(lanes.forEach(state, [&](size_t) {
            for (auto [place, value] : llvm::zip_equal(indices, index))
              state.scalar(place) = value;
            return Error::success();
          }));
          if (Error error = body.runTogether(state, lanes))
            return error;
          next.runTogether(state, lanes);
          return Error::success();
        };
        if (Error error = forEachIndex(/*loop=*/nullptr, *ranges, indices,
                                       state, iterate))
          return error;
        end.runTogether(state, lanes);
        return Error::success();
      });
  return Error::success();
}

static Error append(Loop loop, Steps &steps, State &state) {
  Steps body;
  if (Error error = body.append(*loop.body, state))
    return error;
  SmallVector<unsigned> indices = state.numbersOf(loop.indices);
  Assignment start(loop.inits, loop.carried, state);
  Assignment next(loop.yielded, loop.carried, state);
  Assignment end(loop.carried, loop.results, state);
  if (body.meet())
    return appendTogether(std::move(loop), std::move(body), steps, state);
  Operation *parallel = loop.isParallel ? loop.op : nullptr;
  steps.append(
      loop.op,
      [=, body = std::move(body), combine = std::move(loop.combine),
       getRanges = std::move(loop.getRanges)](State &state) mutable -> Error {
        Expected<Ranges> ranges = getRanges(state);
        if (!ranges)
          return ranges.takeError();
        start.run(state);
        auto iterate = [&]() -> Error {
          if (Error error = body.run(state))
            return error;
          if (Error error = combine.run(state))
            return error;
          next.run(state);
          return Error::success();
        };
        if (Error error =
                forEachIndex(parallel, *ranges, indices, state, iterate))
          return error;
        end.run(state);
        return Error::success();
      });
  return Error::success();
}

/// A loop without its ranges, and what it carries.
template <typename LoopOp>
static Loop describe(LoopOp op, ValueRange indices, bool isParallel) {
  Loop loop;
  loop.op = op;
  loop.indices = llvm::to_vector(indices);
  loop.body = op.getBody();
  loop.isParallel = isParallel;
  return loop;
}

/// A loop whose body yields what is carried on.
template <typename ForOp>
static Loop describeFor(ForOp op, ValueRange indices, ValueRange carried) {
  Loop loop = describe(op, indices, /*isParallel=*/false);
  loop.inits = llvm::to_vector_of<Value>(op.getInits());
  loop.carried = llvm::to_vector(carried);
  loop.yielded = llvm::to_vector(getYielded(op.getRegion()));
  loop.results = llvm::to_vector_of<Value>(op.getResults());
  return loop;
}

//===----------------------------------------------------------------------===//
// tc
//===----------------------------------------------------------------------===//

template <typename NestOp>
static GetRanges getRangesOfNest(NestOp op) {
  return [op](State &state) mutable { return getRangesOf(op, state); };
}

static Error compile(ParOp op, Steps &steps, State &state) {
  Loop loop = describe(op, op.getIndices(), /*isParallel=*/true);
  loop.getRanges = getRangesOfNest(op);
  return append(std::move(loop), steps, state);
}

static Error compile(SeqOp op, Steps &steps, State &state) {
  Loop loop = describeFor(op, op.getIndices(), op.getCarried());
  loop.getRanges = getRangesOfNest(op);
  return append(std::move(loop), steps, state);
}

//===----------------------------------------------------------------------===//
// scf
//===----------------------------------------------------------------------===//

/// From lower bounds to upper ones by steps.
static GetRanges getRanges(SmallVector<OpFoldResult> lower,
                           SmallVector<OpFoldResult> upper,
                           SmallVector<OpFoldResult> step) {
  return [=](State &state) -> Expected<Ranges> {
    Ranges ranges;
    for (auto [low, high, by] : llvm::zip_equal(lower, upper, step)) {
      Range range{state.integerOf(low), state.integerOf(high),
                  state.integerOf(by), 1};
      if (range.step < 1)
        return createStringError("expected steps of at least 1, got " +
                                 Twine(range.step));
      ranges.push_back(range);
    }
    return ranges;
  };
}

static GetRanges getRanges(LoopLikeOpInterface op) {
  return getRanges(*op.getLoopLowerBounds(), *op.getLoopUpperBounds(),
                   *op.getLoopSteps());
}

static Error compile(scf::ForOp op, Steps &steps, State &state) {
  Loop loop = describeFor(op, op.getInductionVar(), op.getRegionIterArgs());
  loop.getRanges = getRanges(op);
  return append(std::move(loop), steps, state);
}

/// The regions of `op`, each of which joins what its first argument has so far
/// with a term.
static Error compileCombine(scf::ReduceOp op, Loop &loop, State &state) {
  for (auto [term, region] :
       llvm::zip_equal(op.getOperands(), op.getReductions())) {
    Block &block = region.front();
    Steps body;
    if (Error error = body.append(block, state))
      return error;
    loop.carried.push_back(block.getArgument(0));
    Assignment second(term, block.getArgument(1), state);
    Assignment next(block.getTerminator()->getOperands(), block.getArgument(0),
                    state);
    loop.combine.append(
        op, [=, body = std::move(body)](State &state) mutable -> Error {
          second.run(state);
          if (Error error = body.run(state))
            return error;
          next.run(state);
          return Error::success();
        });
  }
  loop.yielded = loop.carried;
  return Error::success();
}

static Error compile(scf::ParallelOp op, Steps &steps, State &state) {
  Loop loop = describe(op, op.getInductionVars(), /*isParallel=*/true);
  loop.inits = llvm::to_vector_of<Value>(op.getInitVals());
  loop.results = llvm::to_vector_of<Value>(op.getResults());
  if (Error error = compileCombine(
          cast<scf::ReduceOp>(op.getBody()->getTerminator()), loop, state))
    return error;
  loop.getRanges = getRanges(op);
  return append(std::move(loop), steps, state);
}

static Error compile(scf::ForallOp op, Steps &steps, State &state) {
  if (op->getNumResults() != 0)
    return createStringError("op 'scf.forall' with results has no meaning in "
                             "the reference evaluation");
  Loop loop = describe(op, op.getInductionVars(), /*isParallel=*/true);
  loop.getRanges = getRanges(op);
  return append(std::move(loop), steps, state);
}

//===----------------------------------------------------------------------===//
// affine
//===----------------------------------------------------------------------===//

/// One bound of a dimension: the largest result of a map, or the smallest.
static Error getBound(const AffineCode &code, bool isLower, State &state,
                      int64_t &bound) {
  SmallVector<int64_t> results;
  if (Error error = code.run(state, results))
    return error;
  bound = isLower ? *llvm::max_element(results) : *llvm::min_element(results);
  return Error::success();
}

namespace {
struct AffineRange {
  AffineCode lower, upper;
  int64_t step;
};
} // namespace

static GetRanges getRanges(std::vector<AffineRange> dims) {
  return [dims = std::move(dims)](State &state) -> Expected<Ranges> {
    Ranges ranges;
    for (const AffineRange &dim : dims) {
      Range range;
      range.step = dim.step;
      if (Error error = getBound(dim.lower, true, state, range.lower))
        return error;
      if (Error error = getBound(dim.upper, false, state, range.upper))
        return error;
      ranges.push_back(range);
    }
    return ranges;
  };
}

static Error compile(affine::AffineForOp op, Steps &steps, State &state) {
  Loop loop = describeFor(op, op.getInductionVar(), op.getRegionIterArgs());
  loop.getRanges = getRanges(
      {{AffineCode(op.getLowerBoundMap(), op.getLowerBoundOperands(), state),
        AffineCode(op.getUpperBoundMap(), op.getUpperBoundOperands(), state),
        op.getStepAsInt()}});
  return append(std::move(loop), steps, state);
}

/// Starts each result at the neutral element of its reduction, and combines it
/// with what each iteration gives.
static Error compileCombine(affine::AffineParallelOp op, Steps &steps,
                            Loop &loop, State &state) {
  OpBuilder builder(op);
  for (auto [term, result, attr] :
       llvm::zip_equal(op.getBody()->getTerminator()->getOperands(),
                       op.getResults(), op.getReductions())) {
    auto kind = cast<arith::AtomicRMWKindAttr>(attr).getValue();
    std::optional<ScalarOp> function = findUpdate(kind, result.getType());
    std::optional<Scalar> neutral =
        function ? findScalar(getIdentityOf(kind, result.getType(), builder,
                                            op.getLoc()))
                 : std::nullopt;
    if (!neutral)
      return createStringError("expected a reduction with a neutral element");
    unsigned from = state.numberOf(term), to = state.numberOf(result);
    steps.append(op, [=](State &state) -> Error {
      state.scalar(to) = *neutral;
      return Error::success();
    });
    loop.combine.append(op, [=](State &state) -> Error {
      Scalar arguments[] = {state.scalar(to), state.scalar(from)};
      state.scalar(to) = function->apply(arguments);
      return Error::success();
    });
  }
  return Error::success();
}

static Error compile(affine::AffineParallelOp op, Steps &steps, State &state) {
  std::vector<AffineRange> dims;
  for (auto [dim, step] : llvm::enumerate(op.getSteps())) {
    if (step < 1) // upstream verifies no more than their number
      return createStringError("expected steps of at least 1, got " +
                               Twine(step));
    dims.push_back({AffineCode(op.getLowerBoundMap(dim),
                               op.getLowerBoundsOperands(), state),
                    AffineCode(op.getUpperBoundMap(dim),
                               op.getUpperBoundsOperands(), state),
                    step});
  }
  Loop loop = describe(op, op.getIVs(), /*isParallel=*/true);
  if (Error error = compileCombine(op, steps, loop, state))
    return error;
  loop.getRanges = getRanges(std::move(dims));
  return append(std::move(loop), steps, state);
}

void addLoopSteps(OpTable &table) {
  table.addSteps<ParOp, SeqOp, scf::ForOp, scf::ParallelOp, scf::ForallOp,
                 affine::AffineForOp, affine::AffineParallelOp>(
      [](auto op, Steps &steps, State &state) {
        return compile(op, steps, state);
      });
}

} // namespace mlir::tc::reference
