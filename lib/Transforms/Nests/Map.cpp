//===- Map.cpp - Bind tc.par to axes of the grid and the block ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/Analysis/CostModel.h"
#include "tc/Analysis/MapSearch.h"
#include "tc/Analysis/NestAccess.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_MAP
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Teams
//===----------------------------------------------------------------------===//

namespace {
/// Who runs the iterations of a tc.par of level block, warpgroup or warp.
struct Team {
  int64_t most;  ///< members that it may have
  int64_t usual; ///< members where there are more iterations than that
  bool isLinear; ///< are members numbered along one axis?
  int64_t align; ///< what the number of its first thread is a multiple of
};
} // namespace

static ParOp getRoot(ParOp op) {
  while (auto outer = op->getParentOfType<ParOp>())
    op = outer;
  return op;
}

/// Does it matter to the rest of the program which thread runs what? It does in
/// nests of contractions, whose schedule has decided, and where a buffer has a
/// part for each number of a thread.
static bool isDecided(ParOp op) {
  if (op.getFull() || op.isOfBlocks())
    return true;
  return containsOp(*getRoot(op), [](Operation *inside) {
    auto buffer = dyn_cast<NewOp>(inside);
    return isa<ContractOp, StageOp>(inside) ||
           (buffer && buffer.getThreads() > 0);
  });
}

/// Do the threads of the block wait for each other, before `op` or after it?
static bool isPhase(ParOp op) {
  return containsOp(*getRoot(op), [&](Operation *inside) {
    auto other = dyn_cast<ParOp>(inside);
    return other && other != op && other.getLevel() == Level::Block &&
           !op->isAncestor(other);
  });
}

/// Threads that take turns, as many as `usual` where they are all busy; whole
/// warps.
static int64_t shareTurns(int64_t count, int64_t usual) {
  int64_t turns = llvm::divideCeil(count, usual);
  int64_t warp = getTeamThreads(Level::Warp);
  return std::min<int64_t>(llvm::alignTo(llvm::divideCeil(count, turns), warp),
                           usual);
}

static Team getTeam(ParOp op) {
  int64_t perMember = op.getMemberThreads();
  if (op.getLevel() == Level::Block) {
    Team team{LaunchLimits().blockThreads / perMember,
              kUsualThreads / perMember, perMember > 1,
              LaunchLimits().blockThreads};
    std::optional<int64_t> count = countIterations(op);
    if (count && perMember == 1 && *count > team.usual && isPhase(op) &&
        !isDecided(op)) // Note [Small blocks wait less]
      team.most = team.usual = shareTurns(*count, team.usual);
    return team;
  }
  int64_t threads = getTeamThreads(*op.getLevel());
  return {threads / perMember, threads / perMember, true, threads};
}

//===----------------------------------------------------------------------===//
// Defaults
//===----------------------------------------------------------------------===//

/// What makes `space` zero based and dense. Blocks of a grid that steps leave
/// out are none. The threads of a block are there anyway, and those that work
/// keep the numbers they have when all do: what a thread holds is its own.
static SmallVector<Combinator> getDenseSteps(const IndexSpace &space,
                                             bool keepsNumbers) {
  SmallVector<Combinator> steps;
  if (!space.isZeroBased())
    steps.push_back(Combinator::shiftLb());
  if (space.isDense())
    return steps;
  if (keepsNumbers) {
    steps.push_back(Combinator::maskGrid());
    return steps;
  }
  SmallVector<int64_t> flags;
  for (const IndexRange &range : space.ranges())
    flags.push_back(!range.isDense());
  steps.push_back(Combinator::compressGrid(flags));
  return steps;
}

/// `steps`, then what `linearize` makes of the space they end in.
static llvm::Expected<Mapping>
extend(const IndexSpace &space, SmallVector<Combinator> steps,
       function_ref<llvm::Expected<Mapping>(const IndexSpace &)> linearize) {
  auto dense = Mapping::get(space, steps);
  if (!dense)
    return dense.takeError();
  auto linear = linearize(dense->image());
  if (!linear)
    return linear.takeError();
  llvm::append_range(steps, linear->combinators());
  return Mapping::get(space, steps);
}

/// A thread for each iteration, or, where there are too many or nobody knows
/// how many, the threads take turns: neighbours are neighbouring threads.
static llvm::Expected<Mapping> mapToTeam(const IndexSpace &space,
                                         const Team &team) {
  auto whole =
      extend(space, getDenseSteps(space, /*keepsNumbers=*/true), mapToThreads);
  if (!whole)
    return whole.takeError();
  std::optional<int64_t> count = staticValue(whole->axes()->x);
  if (count && *count <= team.most)
    return whole;
  auto turns =
      extend(space, getDenseSteps(space, /*keepsNumbers=*/false), mapToThreads);
  if (!turns)
    return turns.takeError();
  SmallVector<Combinator> steps(turns->combinators());
  steps.push_back(Combinator::splitLast(team.usual));
  steps.push_back(Combinator::serial(1));
  return Mapping::get(space, steps);
}

/// Threads of a block that folds `op`; the usual number where nobody knows how
/// many iterations there are.
static int64_t chooseFoldedThreads(ParOp op, const Machine &machine) {
  std::optional<int64_t> count = countIterations(op);
  return count ? chooseFoldedBlock(*count, machine.smCount) : kUsualThreads;
}

static llvm::Expected<Mapping> mapToDevice(ParOp op, const Machine &machine,
                                           Strategy strategy) {
  IndexSpace space = op.getSpace();
  switch (strategy) {
  case Strategy::Auto:
    return fitDevice(space);
  case Strategy::Jing:
    return jing(space);
  case Strategy::JingExt:
    return jingExt(space);
  case Strategy::FoldAll:
    return foldAll(space, {}, chooseFoldedThreads(op, machine));
  }
  llvm_unreachable("closed set");
}

/// The mapping that is closest to the space.
static llvm::Expected<Mapping>
getNaturalMapping(ParOp op, const Machine &machine, Strategy strategy) {
  IndexSpace space = op.getSpace();
  switch (*op.getLevel()) {
  case Level::Device:
    return mapToDevice(op, machine, strategy);
  case Level::Grid:
    return extend(space, getDenseSteps(space, /*keepsNumbers=*/false),
                  [](const IndexSpace &dense) { return mapToGrid(dense); });
  case Level::Cluster:
    return extend(space, getDenseSteps(space, /*keepsNumbers=*/true),
                  [](const IndexSpace &dense) { return mapToGrid(dense); });
  default:
    return mapToTeam(space, getTeam(op));
  }
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

/// The best `count` mappings for the accesses of `op`, the one to take first.
static std::vector<RankedMapping> search(ParOp op, const Machine &machine,
                                         const Mapping &natural,
                                         unsigned count) {
  auto propose = [&](const MapProblem &problem) {
    if (op.getLevel() == Level::Device)
      return proposeForDevice(problem);
    Team team = getTeam(op);
    return proposeForTeam(problem, team.most, team.usual);
  };
  return searchMappings(op, machine, natural, propose, count);
}

static void explain(ParOp op, ArrayRef<RankedMapping> ranked) {
  for (auto [place, one] : llvm::enumerate(ranked)) {
    std::string text;
    llvm::raw_string_ostream os(text);
    os << (place == 0 ? "carried out" : "then") << ": #tc.map" << one.mapping
       << "\n";
    printMapCost(one.cost, os);
    emitRemark(op.getLoc()) << text;
  }
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

/// Reports at `op` an axis that may have more than `most`. A dynamic axis of
/// a launch is judged by the launch; the default mapping fits whatever it is.
static LogicalResult checkAxis(ParOp op, AffineExpr axis, const Twine &name,
                               int64_t most, bool isOfLaunch) {
  std::optional<int64_t> extent = staticValue(axis);
  if (extent ? *extent <= most : isOfLaunch)
    return success();
  return op.emitOpError("expected axis ")
         << name << " to be at most " << most << ", got "
         << (extent ? std::to_string(*extent) : "a dynamic one");
}

/// Reports at `op` more members of a grid, cluster or block than it may have,
/// along an axis or together.
static LogicalResult checkAxes(ParOp op, const Axes &axes, StringRef level) {
  LaunchLimits limits;
  bool isGrid = level == "grid", isCluster = level == "cluster";
  std::array<int64_t, 3> maxima = {limits.blockX, limits.blockY, limits.blockZ};
  if (isGrid)
    maxima = {limits.gridX, limits.gridY, limits.gridZ};
  if (isCluster)
    maxima.fill(limits.clusterBlocks);
  int64_t members = 1;
  for (auto [axis, name, most] :
       llvm::zip(std::array<AffineExpr, 3>{axes.x, axes.y, axes.z},
                 std::array<StringRef, 3>{"x", "y", "z"}, maxima)) {
    if (failed(checkAxis(op, axis, name + " of the " + level, most,
                         isGrid || op.getLevel() == Level::Device)))
      return failure();
    members *= staticValue(axis).value_or(1);
  }
  int64_t most = isCluster ? limits.clusterBlocks : limits.blockThreads;
  if (!isGrid && members > most)
    return op.emitOpError("expected at most ")
           << most << (isCluster ? " blocks" : " threads") << " in a " << level
           << ", got " << members;
  return success();
}

/// The buffer that has a part for each number of a thread, if `op` numbers
/// these by its iterations.
static NewOp findNumberedBuffer(ParOp op) {
  NewOp found;
  op->walk([&](Operation *user) {
    bool isByIteration = llvm::any_of(user->getOperands(), [&](Value operand) {
      auto index = dyn_cast<BlockArgument>(operand);
      return index && index.getOwner()->getParentOp() == op;
    });
    for (Value operand : user->getOperands())
      if (auto buffer = operand.getDefiningOp<NewOp>();
          buffer && isByIteration && buffer.getThreads() > 0 &&
          !op->isAncestor(buffer))
        found = buffer;
  });
  return found;
}

/// Reports at `op` when a mapping needs more than the machine has.
static LogicalResult checkLimits(ParOp op, const Mapping &mapping) {
  if (op.getLevel() == Level::Device) {
    std::optional<LaunchExtents> launch = mapping.launch();
    if (!launch)
      return op.emitOpError("expected a mapping that ends in grid_block");
    return failure(failed(checkAxes(op, launch->grid, "grid")) ||
                   failed(checkAxes(op, launch->block, "block")));
  }
  std::optional<Axes> axes = mapping.axes();
  if (mapping.launch())
    return op.emitOpError("expected no grid_block in a mapping to the ")
           << stringifyLevel(*op.getLevel());
  if (!axes)
    return op.emitOpError("expected a mapping to at most 3 axes, got ")
           << mapping.image().rank() - mapping.serialRank();
  if (op.isOfBlocks() && mapping.serialRank() > 0)
    return op.emitOpError("expected no serial dimensions of a ")
           << stringifyLevel(*op.getLevel());
  if (op.isOfBlocks() || op.getLevel() == Level::Block)
    if (failed(checkAxes(op, *axes, stringifyLevel(*op.getLevel()))))
      return failure();
  if (op.isOfBlocks())
    return success();
  Team team = getTeam(op);
  if (team.isLinear &&
      (staticValue(axes->y) != 1 || staticValue(axes->z) != 1 ||
       failed(checkAxis(op, axes->x,
                        "x of the " + stringifyLevel(*op.getLevel()), team.most,
                        /*isOfLaunch=*/false))))
    return failure();
  if (op.getFull() && mapping.serialRank() > 0)
    return op.emitOpError("expected a thread for each iteration of 'full', "
                          "at most ")
           << team.most;
  if (mapping.serialRank() > 0)
    if (NewOp buffer = findNumberedBuffer(op)) {
      InFlightDiagnostic error =
          op.emitOpError("expected a thread for each iteration, at most ")
          << team.most << ", where a buffer has a part for each thread";
      error.attachNote(buffer.getLoc()) << "that buffer";
      return error;
    }
  if (team.align % int64_t(op.getAlign()) != 0)
    return op.emitOpError("expected an alignment that divides ")
           << team.align << " on level '" << stringifyLevel(*op.getLevel())
           << "', got " << op.getAlign();
  return success();
}

namespace {
struct MapPass : tc::impl::MapBase<MapPass> {
  using MapBase::MapBase;

  llvm::Expected<Mapping> chooseMapping(ParOp op, const Machine &machine);
  LogicalResult mapPar(ParOp op, const Machine &machine);

  void runOnOperation() override {
    FailureOr<MachineAttr> found = MachineAttr::find(getOperation(), chip);
    if (failed(found))
      return signalPassFailure();
    Machine machine = getRates(*found);
    WalkResult result = getOperation().walk([&](ParOp op) {
      return op.getLevel() ? WalkResult(mapPar(op, machine))
                           : WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

llvm::Expected<Mapping> MapPass::chooseMapping(ParOp op,
                                               const Machine &machine) {
  auto natural = getNaturalMapping(op, machine, strategy);
  bool isAuto = op.getLevel() != Level::Device || strategy == Strategy::Auto;
  if (!natural || !search || !isAuto || isDecided(op))
    return natural;
  std::vector<RankedMapping> ranked =
      ::search(op, machine, *natural, std::max(1u, explained.getValue()));
  if (explained > 0)
    explain(op, ranked);
  return ranked.front().mapping;
}

/// Has as many blocks of `op` resident as threads of few registers allow.
static void holdBlocks(ParOp op, const Mapping &mapping,
                       const Machine &machine) {
  TCDialect::ResidentAttrHelper attribute(op.getContext());
  if (op.getLevel() != Level::Device || attribute.isAttrPresent(op) ||
      isDecided(op))
    return;
  // Who launches a block of a dynamic extent may launch a full one.
  Axes block = mapping.launch()->block;
  if (!staticValues({block.x, block.y, block.z}))
    return;
  int64_t resident = MapCosts(op, machine).getResident(mapping);
  if (resident > 1)
    attribute.setAttr(op, Builder(op.getContext()).getI32IntegerAttr(resident));
}

/// The mapping that is written at `op`. One to the device that only says which
/// loops a thread runs has its last dimension as the block.
static llvm::Expected<Mapping> getWrittenMapping(ParOp op) {
  MapAttr written = op.getMappingAttr();
  SmallVector<Combinator> combinators(written.getCombinators());
  if (op.getLevel() == Level::Device && !combinators.empty() &&
      combinators.back().kind() == Combinator::Kind::Serial)
    combinators.push_back(Combinator::gridBlock(1));
  return Mapping::get(op.getSpace(), combinators);
}

LogicalResult MapPass::mapPar(ParOp op, const Machine &machine) {
  // A thread counts through its iterations as they are.
  if (op.getLevel() == Level::Thread)
    return success();
  auto mapping =
      op.getMappingAttr() ? getWrittenMapping(op) : chooseMapping(op, machine);
  if (!mapping)
    return op.emitOpError("cannot be mapped: ")
           << llvm::toString(mapping.takeError());
  if (failed(checkLimits(op, *mapping)))
    return failure();
  holdBlocks(op, *mapping, machine);
  op.setMappingAttr(MapAttr::get(op.getContext(), mapping->combinators()));
  return success();
}

// Note [Small blocks wait less]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// Where the threads of a block wait for each other between its nests, a large
// block leaves a multiprocessor little else to do meanwhile: of 1024 threads
// there are two, and a barrier takes 67 ns, of 256 threads eight, and 16 ns
// (measured on an H200). So threads take turns in nests of more iterations. A
// softmax of 4096 rows of 1024 is simulated at 11 us so, and at 22 with a
// thread for each element. Reductions have no more threads either (TeamFold).
