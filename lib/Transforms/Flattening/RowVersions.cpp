//===- RowVersions.cpp - Ways to run a nest of rows -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flattening/RowVersions.h"

#include "Nests/Bands.h"
#include "Nests/IndexPositions.h"
#include "Reductions/Fold.h"

#include "tc/Analysis/NestAccess.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

/// Bytes of the buffers of all rows of a block whose threads have one each.
static constexpr int64_t kMostBlockBytes = 32 * 1024;
/// Bytes of a row's buffers that are held as well eight times in a block.
static constexpr int64_t kMostRowBytes = 4096;

static bool isToComeOut(Operation *op) {
  return isTeamOp(op) || isTeamLoop(op);
}

/// Does a nest of `block` hold nests in turn?
static bool holdsDeepNest(Block &block) {
  return llvm::any_of(block, [](Operation &op) {
    if (isTeamLoop(&op))
      return holdsDeepNest(*cast<SeqOp>(op).getBody());
    return isTeamOp(&op) && containsOp(op, [&](Operation *inner) {
             return inner != &op && isTeamOp(inner);
           });
  });
}

RowVersions::RowVersions(ParOp par) : par(par), parts(par, isToComeOut) {}

bool RowVersions::isDeep() { return holdsDeepNest(*par.getBody()); }

bool RowVersions::isOne() {
  // What copies or waits is written for the threads of one block.
  bool isFree = !containsOp(*par, [](Operation *op) {
    return isa<StageOp, CacheOp, gpu::BarrierOp, PtxOp>(op) ||
           (isa<ParOp, ReduceOp, ScanOp>(op) && isWrittenByHand(op));
  });
  return isFree && llvm::any_of(*par.getBody(),
                                [](Operation &op) { return isToComeOut(&op); });
}

//===----------------------------------------------------------------------===//
// What can be
//===----------------------------------------------------------------------===//

/// The first op in `op` that is more than work of one thread, or nothing.
static Operation *findTeamOpIn(Operation *op) {
  Operation *found = nullptr;
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    bool isTogether = nested != op && (isTeamOp(nested) ||
                                       isa<SumOp, ContractOp, NewOp>(nested));
    found = isTogether ? nested : nullptr;
    return isTogether ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

std::string RowVersions::findThreadObstacle() {
  if (std::string obstacle = findCutObstacle(); !obstacle.empty())
    return obstacle;
  int64_t bytes = 0;
  for (auto buffer : par.getBody()->getOps<NewOp>())
    bytes += countBufferBytes(cast<MemRefType>(buffer.getType()))
                 .value_or(kMostBlockBytes);
  if (bytes * kRowsOfTile > kMostBlockBytes)
    return "a row has buffers of " + std::to_string(bytes) + " bytes";
  auto isOfRow = [&](Value init) {
    return par.getRegion().isAncestor(init.getParentRegion());
  };
  Operation *found = nullptr;
  par.walk([&](Operation *op) {
    TypeSwitch<Operation *>(op).Case<ReduceOp, ScanOp>([&](auto fold) {
      if (isTeamOp(fold) && llvm::any_of(fold.getInits(), isOfRow))
        found = op;
    });
  });
  return found ? "the neutral element of " + quoteName(found) +
                     " changes with the row"
               : "";
}

std::string RowVersions::findWarpObstacle() {
  int64_t bytes = 0;
  for (Operation &op : par.getBody()->without_terminator()) {
    if (auto buffer = dyn_cast<NewOp>(op)) {
      auto type = cast<MemRefType>(buffer.getType());
      if (type.getMemorySpace() || buffer.getThreads() != 0 || buffer.getSlot())
        return "a buffer of the row has a memory space";
      bytes += countBufferBytes(type).value_or(kMostRowBytes + 1);
      continue;
    }
    if (op.getNumRegions() == 0)
      continue;
    if (!isa<ParOp, ReduceOp, ScanOp>(op))
      return quoteName(&op) + " stands between";
    if (Operation *inner = findTeamOpIn(&op))
      return quoteName(inner) + " is nested in " + quoteName(&op);
  }
  if (bytes > kMostRowBytes)
    return "a row has buffers of " + std::to_string(bytes) + " bytes";
  return {};
}

/// Why ops of `block`, of each iteration of `par`, cannot be of all iterations.
/// The nests among them may hold others if `isOfNests`.
static std::string findVarying(ParOp par, Block &block, bool isOfNests) {
  for (Operation &op : block) {
    if (isTeamLoop(&op)) {
      std::string obstacle =
          findVarying(par, *cast<SeqOp>(op).getBody(), isOfNests);
      if (!obstacle.empty())
        return obstacle;
      continue;
    }
    bool isWhole = isOfNests && isTeamOp(&op) && isa<ParOp>(op);
    if (Operation *inner = isWhole ? nullptr : findTeamOpIn(&op))
      return quoteName(inner) + " is nested in " + quoteName(&op);
    if (isTeamOp(&op) && !hasFixedBounds(&op, par))
      return "the bounds of " + quoteName(&op) + " change with the row";
  }
  return {};
}

std::string RowVersions::findCutObstacle() {
  if (std::string obstacle = findVarying(par, *par.getBody(), isDeep());
      !obstacle.empty())
    return obstacle;
  for (const NestParts::Part &part : parts.get())
    if (isTeamLoop(part.front()))
      if (std::string obstacle = parts.findObstacle(cast<SeqOp>(part.front()));
          !obstacle.empty())
        return obstacle;
  return parts.findObstacle();
}

std::string RowVersions::findObstacle(Level version) {
  switch (version) {
  case Level::Thread:
    return findThreadObstacle();
  case Level::Warp:
    return findWarpObstacle();
  case Level::Device:
    return findCutObstacle();
  default:
    return {};
  }
}

//===----------------------------------------------------------------------===//
// What becomes of the nest
//===----------------------------------------------------------------------===//

/// Deals the rows out to blocks, `rowsOfBlock` to each; the nest of those of a
/// block, in place of the other.
ParOp RowVersions::dealOut(int64_t rowsOfBlock) {
  OpBuilder builder(par);
  Location loc = par.getLoc();
  IndexBuilder math(loc, builder);
  IndexPositions positions(par.getBounds());
  OpFoldResult count = positions.count(math), zero = math.getIndexAttr(0);
  AffineMap rest =
      AffineMap::get(2, 0,
                     {builder.getAffineDimExpr(1) - builder.getAffineDimExpr(0),
                      builder.getAffineConstantExpr(rowsOfBlock)},
                     builder.getContext());
  std::optional<int64_t> known = getConstantIntValue(count);
  ParOp inner;
  auto numberRow = [&](OpBuilder &, Location, ValueRange first) {
    OpFoldResult left = builder.getIndexAttr(rowsOfBlock);
    if (!known || *known % rowsOfBlock != 0)
      left = affine::makeComposedFoldedAffineMin(builder, loc, rest,
                                                 {first.front(), count});
    inner = ParOp::create(
        builder, loc, {}, {zero}, {left}, {1},
        [&](OpBuilder &, Location, ValueRange number) {
          IndexBuilder inBlock(loc, builder);
          Value row = inBlock.add(first.front(), number.front());
          SmallVector<Value> indices = positions.indicesAt(inBlock, row);
          for (auto [old, index] : llvm::zip_equal(par.getIndices(), indices))
            old.replaceAllUsesWith(index);
        });
    Block &body = *par.getBody();
    inner.getBody()->getOperations().splice(
        inner.getBody()->getTerminator()->getIterator(), body.getOperations(),
        body.begin(), body.getTerminator()->getIterator());
  };
  ParOp::create(builder, loc, Level::Grid, {zero}, {count}, {rowsOfBlock},
                numberRow);
  par.erase();
  return inner;
}

/// Gives a tc.par, tc.reduce or tc.scan to the threads of a team.
static void setTeam(Operation *op, Level team) {
  auto level = LevelAttr::get(op->getContext(), team);
  TypeSwitch<Operation *>(op).Case<ParOp, ReduceOp, ScanOp>(
      [&](auto nest) { nest.setLevelAttr(level); });
}

/// Deals the rows out to the warps of blocks, which run a row together.
void RowVersions::useWarps() {
  for (Operation &op : par.getBody()->without_terminator())
    if (isa<ParOp>(op) || isTeamOp(&op))
      setTeam(&op, Level::Warp);
  dealOut(kRowsOfWarps).setLevel(Level::Block);
}

/// Deals the rows out to the threads of blocks. Those of a block together do
/// what has work for several threads.
void RowVersions::useThreads() {
  RowVersions(dealOut(kRowsOfTile)).useTogether(Level::Block);
}

/// Cuts the nest into one for each op that has work for several threads, over
/// all rows; `handle` gets these.
void RowVersions::cut(function_ref<void(ParOp)> handle) {
  parts.givePlaces();
  for (const NestParts::Part &part : parts.get()) {
    ParOp nest = parts.copyWith(part);
    if (isTeamLoop(part.front()))
      interchange(nest, *nest.getOps<SeqOp>().begin());
    mergeBand(nest);
    handle(nest);
  }
  par.erase();
}

/// The only op in `par` that is more than arithmetic, if there is one.
static Operation *findOnlyOp(ParOp par) {
  Operation *only = nullptr;
  for (Operation &op : par.getBody()->without_terminator()) {
    if (op.getNumRegions() == 0 && isPure(&op) && !isa<NewOp>(op))
      continue;
    if (only)
      return nullptr;
    only = &op;
  }
  return only;
}

/// The threads of `team`, all or those of a block, do one part of the nest
/// after the other, each for all rows.
void RowVersions::useTogether(Level team) {
  cut([&](ParOp nest) {
    hoistInvariants(nest);
    Operation *only = findOnlyOp(nest);
    RowVersions rest(nest); // what was in a loop may be several ops
    bool isFold = isa_and_present<ReduceOp, ScanOp>(only) && isTeamOp(only);
    if (!isFold && rest.isOne() && rest.findCutObstacle().empty())
      return rest.useTogether(team);
    if (isFold)
      setTeam(only, team);
    if (team == Level::Block)
      nest.setLevel(team);
  });
}
