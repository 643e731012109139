//===- Map.cpp - Bind tc.par to axes of the grid and the block ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/Algebra/Strategies.h"
#include "tc/IR/TC.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_MAP
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// The default: a dense zero-based space, then one linear axis; more axes only
/// where one is too short. Blocks of a grid that steps leave out are none. The
/// threads of a block are there anyway, and those that work keep the numbers
/// they have when all do: what a thread holds is its own.
static llvm::Expected<Mapping> getDefaultMapping(const IndexSpace &space,
                                                 Level level) {
  SmallVector<Combinator> steps;
  if (!space.isZeroBased())
    steps.push_back(Combinator::shiftLb());
  if (!space.isDense() && level == Level::Block) {
    steps.push_back(Combinator::maskGrid());
  } else if (!space.isDense()) {
    SmallVector<int64_t> flags;
    for (const IndexRange &range : space.ranges())
      flags.push_back(!range.isDense());
    steps.push_back(Combinator::compressGrid(flags));
  }
  auto dense = Mapping::get(space, steps);
  if (!dense)
    return dense.takeError();
  auto linear = level == Level::Grid ? mapToGrid(dense->image())
                                     : mapToThreads(dense->image());
  if (!linear)
    return linear.takeError();
  llvm::append_range(steps, linear->combinators());
  return Mapping::get(space, steps);
}

/// Reports at `op` when a mapping needs more than the machine has. An axis of
/// the grid that only the run knows is not judged; the default mapping fits
/// whatever it is.
static LogicalResult checkAxes(ParOp op, const Mapping &mapping) {
  std::optional<Axes> axes = mapping.axes();
  if (!axes)
    return op.emitOpError("expected a mapping to at most 3 axes, got ")
           << mapping.image().rank();
  LaunchLimits limits;
  bool grid = op.getLevel() == Level::Grid;
  std::array<int64_t, 3> maxima = {grid ? limits.gridX : limits.blockX,
                                   grid ? limits.gridY : limits.blockY,
                                   grid ? limits.gridZ : limits.blockZ};
  int64_t threads = 1;
  for (auto [axis, name, most] :
       llvm::zip(std::array<AffineExpr, 3>{axes->x, axes->y, axes->z},
                 std::array<StringRef, 3>{"x", "y", "z"}, maxima)) {
    std::optional<int64_t> extent = staticValue(axis);
    if (extent ? *extent > most : !grid)
      return op.emitOpError("expected axis ")
             << name << " of the " << stringifyLevel(*op.getLevel())
             << " to be at most " << most << ", got "
             << (extent ? std::to_string(*extent) : "a value of run time");
    threads *= extent.value_or(1);
  }
  if (!grid && threads > limits.blockThreads)
    return op.emitOpError("expected at most ")
           << limits.blockThreads << " threads in a block, got " << threads;
  return success();
}

static LogicalResult mapPar(ParOp op) {
  IndexSpace space = op.getSpace();
  auto mapping = op.getMappingAttr() ? op.getMappingAttr().getMapping(space)
                                     : getDefaultMapping(space, *op.getLevel());
  if (!mapping)
    return op.emitOpError("cannot be mapped: ")
           << llvm::toString(mapping.takeError());
  if (failed(checkAxes(op, *mapping)))
    return failure();
  op.setMappingAttr(MapAttr::get(op.getContext(), mapping->combinators()));
  return success();
}

namespace {
struct MapPass : tc::impl::MapBase<MapPass> {
  void runOnOperation() override {
    WalkResult result = getOperation().walk([](ParOp op) {
      return op.getLevel() ? WalkResult(mapPar(op)) : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
