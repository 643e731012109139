//===- MapCost.cpp - What a mapping to threads costs ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/MapCost.h"

#include "Nests/NestWork.h"
#include "Saturating.h"

#include "tc/Analysis/CostModel.h"
#include "tc/IR/Scalars.h"
#include "tc/Target/Occupancy.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

namespace {
/// The threads of a launch, or of a team with its turns, warp by warp.
class Threads {
public:
  Threads(const Mapping &mapping, ArrayRef<int64_t> bounds);

  int64_t turns = 1;               ///< of each thread
  int64_t blocks = 1;              ///< times turns; of a team, turns alone
  int64_t perBlock = 1, warps = 1; ///< threads and warps of each
  int64_t countInstructions() const { return program.countInstructions(); }
  /// Computes the indices of a warp; a bit for each lane that has one.
  uint32_t run(int64_t block, int64_t warp);
  const Lanes &getIndex(unsigned d) const { return program[indices[d]]; }

private:
  LaneProgram program;
  /// Extents and coordinates, x first: of turns and of the grid, then of the
  /// block or team.
  SmallVector<int64_t, 6> outerExtents, innerExtents;
  SmallVector<Slot, 6> outer, inner;
  SmallVector<Slot> indices, guards;
};
} // namespace

Threads::Threads(const Mapping &mapping, ArrayRef<int64_t> bounds) {
  MLIRContext *context = mapping.getContext();
  SmallVector<Slot> dims, symbols;
  for (int64_t bound : bounds)
    symbols.push_back(program.addConstant(bound));
  unsigned numOuter = mapping.image().rank(), numInner = 0;
  numInner = mapping.blockRank().value_or(numOuter - mapping.serialRank());
  numOuter -= numInner;
  SmallVector<AffineExpr> thread;
  for (auto [d, extent] : llvm::enumerate(mapping.image().extents())) {
    thread.push_back(getAffineDimExpr(d, context));
    dims.push_back(program.addInput());
    int64_t value =
        std::max<int64_t>(evaluate(extent, {}, bounds).value_or(1), 0);
    bool isOuter = d < numOuter;
    (isOuter ? outerExtents : innerExtents).push_back(value);
    (isOuter ? outer : inner).push_back(dims.back());
    (isOuter ? blocks : perBlock) *= value;
    if (d < mapping.serialRank())
      turns *= value;
  }
  warps = llvm::divideCeil(perBlock, kLanes);
  for (AffineExpr index : mapping.inverse(thread))
    indices.push_back(program.add(index, dims, symbols));
  for (AffineExpr guard : mapping.guard(thread))
    guards.push_back(program.add(guard, dims, symbols));
}

/// Sets the coordinates at row-major `position` in one lane.
static void setCoordinates(LaneProgram &program, ArrayRef<Slot> slots,
                           ArrayRef<int64_t> extents, unsigned lane,
                           int64_t position) {
  for (size_t d = extents.size(); d-- > 0;) {
    program[slots[d]][lane] = position % extents[d];
    position /= extents[d];
  }
}

uint32_t Threads::run(int64_t block, int64_t warp) {
  int64_t first = warp * kLanes;
  uint32_t mask = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    setCoordinates(program, outer, outerExtents, lane, block);
    int64_t thread = std::min(first + lane, perBlock - 1);
    setCoordinates(program, inner, innerExtents, lane, thread);
    mask |= uint32_t(first + lane < perBlock) << lane;
  }
  program.run();
  for (Slot guard : guards)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      if (program[guard][lane] < 0)
        mask &= ~(uint32_t(1) << lane);
  return mask;
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

/// Registers that a thread of a nest is taken to have.
static constexpr int64_t kRegisters = 32;

/// Indices of a space, with values for its symbols.
static double countIndices(const IndexSpace &space, ArrayRef<int64_t> bounds) {
  double count = 1;
  auto get = [&](AffineExpr expr) {
    return evaluate(expr, {}, bounds).value_or(1);
  };
  for (const IndexRange &range : space.ranges())
    count *= double(countTrips(get(range.lower), get(range.upper),
                               get(range.step), get(range.width)));
  return count;
}

/// Bytes of shared memory that are known of what `root` allocates.
static int64_t countSharedBytes(Operation *root) {
  int64_t bytes = 0;
  root->walk([&](NewOp buffer) {
    auto type = dyn_cast<MemRefType>(buffer.getType());
    if (type && type.hasStaticShape() && isInWorkgroupMemory(buffer))
      bytes = add(bytes, multiply(type.getNumElements(),
                                  getBytes(type.getElementType())));
  });
  return bytes;
}

//===----------------------------------------------------------------------===//
// Prediction
//===----------------------------------------------------------------------===//

void MapCost::scale(double factor) {
  for (Requests *requests : {&loads, &stores, &sharedLoads, &sharedStores})
    *requests *= factor;
  for (double *amount : {&l2Sectors, &l2Lines, &ownMisses, &loadedBytes,
                         &storedBytes, &distinctStored, &instructions})
    *amount *= factor;
  for (double &lanes : units.lanes)
    lanes *= factor;
}

double MapCost::getMemory() const {
  return loads.sectors + stores.sectors + sharedLoads.wavefronts +
         sharedStores.wavefronts;
}

MapCosts::MapCosts(ParOp op, const Machine &machine)
    : work(std::make_unique<NestWork>(op)), machine(machine),
      isTeam(op.getLevel() != Level::Device) {
  LaneValues &values = work->values;
  SmallVector<Slot> slots = llvm::map_to_vector(
      op->getOperands(), [&](Value bound) { return values.get(bound); });
  values.setContext(0);
  values.program.run();
  for (Slot slot : slots)
    bounds.push_back(values.program.isUnknown(slot) ? kNominalBound
                                                    : values.program[slot][0]);
  ParOp root = op;
  while (auto outer = root->getParentOfType<ParOp>()) {
    SmallVector<int64_t> nominal(outer->getNumOperands(), kNominalBound);
    (outer.isOfBlocks() ? blocks : teams) *=
        std::max(countIndices(outer.getSpace(), nominal), 1.0);
    root = outer;
  }
  sharedBytes = countSharedBytes(root);
}

MapCosts::~MapCosts() = default;

bool MapCosts::touchesMemory() const { return work->touchesMemory(); }

/// Warps that are looked at, and iterations of a loop of each.
static std::pair<int64_t, Visits> getEffort(Effort effort) {
  return effort == Effort::Glance ? std::pair(int64_t(48), Visits{3, 3})
                                  : std::pair(int64_t(512), Visits{32, 8});
}

/// Sample `i` of `count` out of `total`, one from each part: the same for
/// everyone who asks.
static int64_t getSample(int64_t i, int64_t count, int64_t total) {
  int64_t first = i * (total / count) + std::min(i, total % count);
  int64_t size = total / count + (i < total % count);
  return first + (i == 0 ? 0 : (i * 40503 + 17) % size);
}

/// Adds what some blocks do; of each, all warps that a block may have. Returns
/// how many warps.
static int64_t visitBlocks(NestWork &work, Threads &threads, Effort effort,
                           MapCost &cost) {
  auto [mostWarps, visits] = getEffort(effort);
  int64_t total = threads.blocks, warps = threads.warps;
  if (total == 0 || warps == 0)
    return 0;
  int64_t samples = std::clamp<int64_t>(mostWarps / warps, 1, total);
  int64_t looked = std::min(warps, mostWarps);
  cost.isExact =
      samples == total && looked == warps && !work.values.hasContext();
  for (int64_t i = 0; i < samples; ++i) {
    int64_t block = getSample(i, samples, total);
    work.startBlock(warps, i);
    for (int64_t j = 0; j < looked; ++j) {
      uint32_t mask = threads.run(block, getSample(j, looked, warps));
      for (auto [d, slot] : llvm::enumerate(work.values.indices))
        work.values.program[slot] = threads.getIndex(d);
      cost.working += llvm::popcount(mask);
      work.visitWarp(mask, visits, cost);
    }
  }
  return samples * looked;
}

/// What the launch asks of its machine if all it does is this nest.
LaunchDemand MapCosts::getDemand(const MapCost &cost, double blocks,
                                 double warps) const {
  LaunchDemand demand;
  demand.blocks = blocks;
  demand.warpsPerBlock = warps;
  demand.blocksPerSm = countResident(warps * double(machine.warpSize));
  demand.arithmeticCycles = cost.instructions / double(machine.issuedPerCycle);
  for (Arithmetic unit : kArithmetics)
    demand.arithmeticCycles =
        std::max(demand.arithmeticCycles,
                 cost.units.of(unit) / getRate(unit, machine).second);
  auto getGlobal = [&](const Requests &all) {
    return machine.getGlobalCycles(all.requests, all.sectors, all.lines);
  };
  auto getShared = [&](const Requests &all) {
    return machine.getSharedCycles(all.requests, all.wavefronts);
  };
  demand.loadStoreCycles = getGlobal(cost.loads) + getGlobal(cost.stores) +
                           getShared(cost.sharedLoads) +
                           getShared(cost.sharedStores);
  demand.l2ReadBytes = double(kSectorBytes) * cost.l2Sectors;
  demand.l2ReadLines = cost.l2Lines;
  demand.l2WrittenBytes = double(kSectorBytes) * cost.stores.sectors;
  demand.dramReadBytes = std::min(demand.l2ReadBytes, work->countReadBytes());
  // Who asks for what somebody else has asked for waits as long, so the latency
  // is that of what a warp has not loaded itself, and of all that is read.
  demand.l1Misses =
      cost.loads.sectors > 0 ? cost.ownMisses / cost.loads.sectors : 1;
  demand.l2Misses =
      cost.loadedBytes > 0
          ? std::min(work->countReadBytes() / cost.loadedBytes, 1.0)
          : 0;
  // That L2 puts together what several blocks store is not counted on.
  double stored = double(kSectorBytes) * cost.distinctStored;
  demand.dramWrittenBytes = machine.getStoredDramBytes(
      stored, demand.l2WrittenBytes,
      machine.getScatteredStoreBytes(cost.storedBytes, cost.stores.sectors,
                                     cost.stores.lines));
  demand.rounds = cost.rounds;
  // Threads of a team begin together.
  demand.barriers = isTeam ? 1 : 0;
  return demand;
}

int64_t MapCosts::countResident(double threads) const {
  double most = double(machine.maxThreadsPerBlock);
  Occupancy fits = occupancy(machine, int64_t(std::clamp(threads, 1.0, most)),
                             kRegisters, sharedBytes);
  return std::max<int64_t>(fits.blocksPerSm, 1);
}

int64_t MapCosts::getResident(const Mapping &mapping) const {
  // ptxas takes many registers for loops only, whose loads it asks for early.
  if (isTeam || !work->hasLoops())
    return 1;
  Threads threads(mapping, bounds);
  int64_t resident = countResident(double(threads.perBlock));
  // A small grid has fewer blocks for each.
  double each = double(threads.blocks) / double(machine.smCount);
  bool isDynamic = !bounds.empty();
  return isDynamic ? resident : std::min(resident, int64_t(std::ceil(each)));
}

MapCost MapCosts::predict(const Mapping &mapping, Effort effort) {
  Threads threads(mapping, bounds);
  MapCost cost;
  double visited = double(visitBlocks(*work, threads, effort, cost));
  double blocks = double(threads.blocks), warps = double(threads.warps);
  double turns = double(std::max<int64_t>(threads.turns, 1));
  cost.threads = blocks * double(threads.perBlock);
  cost.rounds /= std::max(visited, 1.0);
  // Drawn warps stand for as many indices as they have, so that it does not
  // matter how many idle ones are among them.
  double working = countIndices(mapping.domain(), bounds);
  cost.scale(cost.working > 0 ? working / cost.working : 1);
  cost.working = working;
  cost.recovery = double(threads.countInstructions()) * blocks * warps;
  cost.instructions += cost.recovery;
  if (!isTeam) {
    // Turns of a thread wait one after the other; what one of them loads the
    // next may not find.
    cost.rounds *= turns;
    cost.launch =
        simulateLaunch(getDemand(cost, blocks / turns, warps), machine);
    return cost;
  }
  // Each team does this, in turns.
  MapCost ofAll = cost;
  ofAll.scale(this->blocks * teams);
  ofAll.rounds *= turns;
  cost.launch =
      simulateLaunch(getDemand(ofAll, this->blocks, warps * teams), machine);
  return cost;
}

// Note [What is predicted]
// ~~~~~~~~~~~~~~~~~~~~~~~~
// Threads with neighbouring numbers should touch neighbouring addresses; what
// it costs when they do not is the number of sectors that their request takes.
// So blocks are drawn, evenly from all there are, the indices of the lanes of
// their warps are recovered as the kernel does, and the addresses of every
// access computed: exactly, if all are looked at. Loops inside count as often
// as they run; of long ones a few iterations in a row stand for all, so that
// those see in L1 what the one before loaded. A subscript that was loaded is
// some number that depends on where it was loaded from, so it is the same for
// lanes that loaded the same and scatters others. A branch counts as taken.
// What the compiler makes of the accesses of a thread, two neighbours as one
// vector for example, is not looked at: it is the same for all mappings.
//
// The time is that of level A for a launch that does nothing else. A thread is
// taken to have 32 registers, and of the loops without others inside four
// copies to be written out, whose loads are waited for together: LLVM takes two
// to eight, ptxas more.
