//===- CostModel.cpp - What a schedule will cost --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Amounts first (Traffic.h has those of memory), then times. See
// Note [Estimates] at the end of the file for the numbers that are no laws.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/CostModel.h"

#include "Cost/DramTraffic.h"
#include "Cost/Predictor.h"
#include "Cost/Registers.h"
#include "Cost/Traffic.h"
#include "Saturating.h"
#include "Search/SplitSearch.h"

#include "tc/Analysis/Split.h"
#include "tc/Analysis/Unrolling.h"
#include "tc/IR/LoopHints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

// See Note [Estimates].

/// What a schedule that wastes all of its sectors or wavefronts must be faster
/// by to be taken; more for stores (Note [Stores that fill no sector]).
static constexpr double kScoreOfWaste = 0.06, kScoreOfStores = 0.1;
static constexpr double kSlotsPerStep = 20, kSlotsPerBareStep = 5,
                        kSlotsPerTrip = 6;
/// cvt.rna.tf32, as ptxas has it.
static constexpr double kSlotsPerRoundingAway = 4;
static constexpr double kSlotsPerStore = 0.3, kSlotsPerThread = 8,
                        kSlotsPerLane = 8;

//===----------------------------------------------------------------------===//
// Amounts
//===----------------------------------------------------------------------===//

/// Instructions of a warp before its first step, to find out where it is.
double Predictor::countThreadSlots() const {
  double slots = kSlotsPerThread + kSlotsPerLane * double(plan.lanes.size());
  for (const InputTraffic *input : inputs)
    slots += work.repeats * countSetupSlots(*input);
  return slots;
}

/// The unit that multiplies and adds, and how much of that it does in a cycle.
std::pair<StringRef, double> Predictor::getArithmeticRate() const {
  if (plan.mma)
    return {"tensor", machine.getMmaPerCycle(*plan.mma->shape)};
  return getRate(work.unit, machine);
}

/// Registers that are to be left.
int64_t Predictor::countSpare() const {
  if (!plan.mma)
    return getSpareRegisters(nullptr, nullptr, /*areSingle=*/true);
  bool areSingle = plan.mma->components->count == 1 &&
                   llvm::all_of(inputs, [&](const InputTraffic *input) {
                     return countHeldTerms(*input) == 1;
                   });
  return getSpareRegisters(plan.mma->shape, plan.mma->product, areSingle);
}

double Predictor::countThreadResults() const {
  double results = 1;
  for (unsigned i : work.getResults())
    results *= double(plan.reg[i] * plan.vector[i]);
  return results;
}

/// Places of results that `count` finds along each iterator, over those of all
/// block tiles.
double Predictor::getComputedShare(decltype(countComputed) &count) const {
  double share = 1;
  for (unsigned i : work.getResults())
    if (!work.dynamic[i])
      share *= double(count(plan, i, work.extents[i], work.contracted,
                            work.inputs)) /
               double(traffic.parts[i] * traffic.getFactor(i));
  return share;
}

void Predictor::predictLoops() {
  unrolled.assign(work.getNumIterators(), 1);
  for (const InputTraffic *input : inputs)
    if (input->read > 1)
      if (unsigned i = input->dims.back().iterator; work.contracted[i])
        unrolled[i] = std::max(unrolled[i], input->read);
  int64_t accumulators = int64_t(countThreadResults()) * work.accumulatorWords;
  int64_t instructions = accumulators + int64_t(work.inputs.size());
  for (unsigned i : work.getSums()) {
    loopExtents.push_back(plan.step[i] / plan.thread[i] / unrolled[i]);
    instructions *= unrolled[i];
  }
  if (plan.mma)
    for (unsigned i : work.getSums())
      loopCounts.push_back(traffic.written[i] / unrolled[i]);
  else
    loopCounts = getUnrollCounts(instructions, loopExtents, accumulators);
  for (const InputTraffic *input : inputs)
    together.push_back(countTogether(*input));
}

/// The number of the innermost loop of a step that is one, if there is any.
static std::optional<size_t> findInnermost(ArrayRef<int64_t> extents) {
  for (size_t l = extents.size(); l-- > 0;)
    if (extents[l] > 1)
      return l;
  return std::nullopt;
}

int64_t Predictor::countTogether(const InputTraffic &input) const {
  std::optional<size_t> loop = findInnermost(loopExtents);
  if (!loop || input.dims.empty() ||
      llvm::to_vector(work.getSums())[*loop] != input.dims.back().iterator)
    return 1;
  int64_t count = int64_t(1) << input.together.size();
  while (count > 1 && loopCounts[*loop] % count != 0)
    count /= 2;
  return count;
}

/// The reads of input `k` in a step. Iterations that are left over when a loop
/// is written out read by themselves.
Requests Predictor::getReads(unsigned k) const {
  Requests reads = inputs[k]->reads;
  int64_t count = together[k];
  if (count == 1)
    return reads;
  size_t loop = *findInnermost(loopExtents);
  double share =
      double(loopExtents[loop] / loopCounts[loop] * loopCounts[loop]) /
      double(loopExtents[loop]);
  Requests wide = inputs[k]->together[llvm::Log2_64(count) - 1];
  wide *= share * reads.requests / double(count);
  reads *= 1 - share;
  reads.requests += wide.requests;
  reads.wavefronts += wide.wavefronts;
  reads.ideal += wide.ideal;
  return reads;
}

/// Times in a step that a warp waits for copies. It asks together for those
/// that go ahead, and for those that are written out; for others a few at a
/// time.
double Predictor::countStepRounds() const {
  auto isInPlace = [](const InputTraffic *input) { return input->isInPlace; };
  // What is read in place is waited for in each pass.
  double rounds = llvm::any_of(inputs, isInPlace) ? countTrips() : 0;
  if (stages > 1)
    return llvm::all_of(inputs, isInPlace) ? rounds : rounds + 1;
  double writtenOut = 0; // a wait, or less where some warps have no copy
  for (const InputTraffic *input : inputs) {
    if (input->isInPlace)
      continue;
    double copies = input->fill.requests / double(traffic.warps);
    if (input->team.countRounds() <= kMostCopyRounds)
      writtenOut = std::max(writtenOut, std::min(copies, 1.0));
    else
      rounds += std::ceil(copies / double(kCopiesInFlight));
  }
  return rounds + writtenOut;
}

/// Passes of the innermost loop of a step, as it is written out.
double Predictor::countTrips() const {
  double trips = 1;
  for (auto [extent, count] : llvm::zip_equal(loopExtents, loopCounts))
    trips *= double(llvm::divideCeil(std::max<int64_t>(extent, 1), count));
  return trips;
}

/// Instructions of a thread in a step that only count and jump.
double Predictor::countLoopSlots() const {
  double trips = countTrips();
  double loop = trips > 1 ? trips * kSlotsPerTrip : 0;
  if (traffic.steps > 1)
    loop += isStepBare() ? kSlotsPerBareStep : kSlotsPerStep;
  return loop;
}

/// Is a step nothing but reads in place, and always whole?
bool Predictor::isStepBare() const {
  return llvm::all_of(inputs,
                      [](const InputTraffic *i) { return i->isInPlace; }) &&
         llvm::all_of(work.getSums(), [&](unsigned i) {
           return work.extents[i] % plan.step[i] == 0;
         });
}

void Predictor::predictOccupancy() {
  // ptxas fits a block that is wanted, down to what it must have.
  if (plan.resident > 1) {
    int64_t most = getMostRegisters(machine, cost.threads, plan.resident);
    cost.registers = std::min(cost.registers, most);
    cost.registersAtOnce = std::min(cost.registersAtOnce, most);
  }
  if (cost.sharedBytes <= machine.sharedBytesPerBlockOptIn &&
      isSafeFromSpills(machine, cost.threads,
                       double(cost.registersAtOnce - kBaseRegisters),
                       countSpare()))
    cost.occupancy =
        occupancy(machine, cost.threads, cost.registers, cost.sharedBytes);
  double sms = double(machine.smCount);
  cost.tail = std::ceil(cost.blocks / sms) * sms / cost.blocks;
  if (cost.occupancy.blocksPerSm)
    cost.waves = cost.blocks / (sms * double(cost.occupancy.blocksPerSm));
  double places = 1;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    places *= double(traffic.parts[i] * traffic.getFactor(i));
  cost.usefulShare =
      work.countPoints() / (places * getComputedShare(countComputed));
}

void Predictor::predictInputs() {
  double times = traffic.blocks * cost.steps;
  for (auto [k, input] : llvm::enumerate(inputs)) {
    Requests fill = input->fill, reads = getReads(k);
    fill *= times;
    reads *= times;
    cost.loads += input->isInPlace ? reads : fill;
    cost.fillWavefronts += fill.wavefronts;
    copyRequests += fill.requests;
    if (stages > 1 && machine.hasAsyncCopies())
      copyOverlap += std::min(
          machine.getGlobalCycles(fill.requests, fill.sectors, fill.lines),
          machine.getSharedCycles(fill.requests, fill.ideal));
    copyIndexSlots += fill.requests * countIndexSlots(*input);
    cost.readWavefronts += reads.wavefronts;
    readRequests += reads.requests;
  }
}

/// Threads that share results show theirs to each other, and ever fewer of them
/// gather those of several (TilerCombine.cpp).
void Predictor::predictCombine() {
  double values = countThreadResults() * double(work.accumulatorWords);
  double neighbours = 1; // threads of faster dimensions
  for (const LaneFactor &lane : llvm::reverse(plan.lanes)) {
    double all = double(lane.threads);
    if (!work.contracted[lane.iterator]) {
      neighbours *= all;
      continue;
    }
    double showing = all; // of the threads of a result
    combineRequests += countWarps() * values;
    combineBarriers += 1;
    while (showing > 1) {
      double gathering = std::ceil(showing / double(kGathered));
      // Those that gather are beside others in the same warps.
      double working = std::max(neighbours * gathering, double(kWarpSize));
      double warps = countWarps() * std::min(working / (neighbours * all), 1.0);
      combineRequests += warps * values * (showing / gathering);
      combineBarriers += 1;
      showing = gathering;
    }
    neighbours *= all;
  }
}

void Predictor::predictResults() {
  for (const Access &array : work.readBack) {
    const Requests &loads = traffic.getWriteBack(array);
    cost.loads += loads;
    writeBackRequests += loads.requests;
  }
  for (const Access &array : work.stored) {
    const Requests &stores = traffic.getWriteBack(array);
    cost.stores += stores;
    writeBackRequests += stores.requests;
  }
}

/// Instructions that make the parts of one number of f32. See MmaProduct.
static double countSplitSlots(const Decomposition &product,
                              const Machine &machine) {
  double rests = product.parts - 1;
  // Pairs are rounded and bounded at once; each is widened and taken away.
  if (product.type == "bf16")
    return product.parts * 0.5 + 2 * rests;
  double bounding = machine.hasSignedMinimum() ? 1 : 2;
  if (machine.hasRoundingToTf32())
    return product.parts + rests * (bounding + 1);
  return kSlotsPerRoundingAway + rests * (bounding + 3);
}

/// Instructions between the loads of fragments and their use: those that put
/// narrow elements into registers, where one access does not bring terms that
/// are neighbours there; and those that round elements, or take them apart, or
/// turn the sign of a component. All but the differences of parts are work of
/// the integer units.
Predictor::PackSlots Predictor::countPackSlots() const {
  if (!plan.mma)
    return {};
  double slots = 0, differences = 0;
  int64_t together = plan.mma->shape->perRegister;
  const Decomposition &product = *plan.mma->product;
  const Components &components = *plan.mma->components;
  for (auto [input, array] : llvm::zip_equal(inputs, work.inputs)) {
    double elements = input->reads.requests * double(input->read);
    if (array.variesWith(plan.mma->pair))
      slots += elements * (components.ofSecond - components.count) *
               product.parts / double(together);
    double numbers = elements * components.count;
    differences += numbers * (product.parts - 1);
    if (!product.type.empty())
      slots += numbers * countSplitSlots(product, machine);
    else if (input->read < together ||
             !work.contracted[input->dims.back().iterator])
      slots += elements * double(together - 1) / double(together);
    // ptxas turns a register into two of halves.
    if (plan.mma->shape->getType() == "f8" && machine.widensF8())
      slots += elements * 2 / double(together);
  }
  double times = traffic.blocks * cost.steps;
  return {slots * times, (slots - differences) * times};
}

/// Instructions that convert elements of 8 or 16 bits after they have been
/// read, which tensor instructions take as they are.
double Predictor::countConversionSlots() const {
  if (plan.mma)
    return 0;
  double slots = 0;
  for (auto [input, array] : llvm::zip_equal(inputs, work.inputs))
    slots += input->reads.requests * double(input->read) *
             tc::countConversionSlots(array.type, work.unit, machine);
  return slots * traffic.blocks * cost.steps;
}

/// Instructions that make factors of elements after they have been read.
double Predictor::countFactorSlots() const {
  double slots = 0;
  for (auto [input, ops] : llvm::zip_equal(inputs, work.factorOps))
    slots += input->reads.requests * double(input->read) * ops;
  return slots * traffic.blocks * cost.steps;
}

void Predictor::predictSlots() {
  double points = countWarps() * cost.steps;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    points *= work.contracted[i] ? double(plan.step[i]) / double(plan.thread[i])
                                 : double(plan.reg[i] * plan.vector[i]);
  double perCopy = stages > 1 ? 1 : 2;
  IssueSlots &slots = cost.slots;
  multiplyAdds =
      points * work.pointOps * getComputedShare(countComputedTogether);
  if (plan.mma)
    multiplyAdds *= plan.mma->product->countProducts();
  slots.arithmetic = multiplyAdds;
  if (plan.mma) {
    const MmaShape &shape = *plan.mma->shape;
    // Terms of a step, and how often it adds what they are to accumulators.
    double terms = 1, promote = double(plan.mma->promote);
    for (unsigned i : work.getSums())
      terms *= double(plan.step[i]);
    double additions = promote > 0 ? std::ceil(terms / promote) : 0;
    slots.arithmetic *= double(kWarpSize) / double(shape.m * shape.n * shape.k);
    slots.arithmetic += additions * countThreadResults() *
                        plan.mma->components->count * countWarps() * cost.steps;
  }
  double conversions = countConversionSlots();
  PackSlots packs = countPackSlots();
  slots.reads = readRequests + packs.all + countFactorSlots() + conversions;
  slots.copies = copyRequests * perCopy + copyIndexSlots;
  slots.loop = countWarps() * cost.steps * countLoopSlots();
  slots.writeBack = writeBackRequests * (1 + kSlotsPerStore) + combineRequests +
                    countWarps() * (countThreadSlots() +
                                    countThreadResults() * work.resultOps);
  cost.integerSlots = copyIndexSlots + slots.loop + conversions +
                      packs.integer + writeBackRequests * kSlotsPerStore +
                      countWarps() * countThreadSlots();
  cost.memoryRequests = copyRequests * perCopy + readRequests +
                        combineRequests + writeBackRequests;
}

void Predictor::predictMemory() {
  cost.l2Bytes =
      double(kSectorBytes) * (cost.loads.sectors + cost.stores.sectors);
  double running = double(machine.smCount) * double(cost.occupancy.blocksPerSm);
  DramTraffic dram =
      countDramTraffic(work, plan, running, double(machine.l2Bytes));
  cost.dramReadBytes =
      std::min(dram.readBytes, double(kSectorBytes) * cost.loads.sectors);
  cost.dramWrittenBytes =
      std::min(dram.writtenBytes, double(kSectorBytes) * cost.stores.sectors);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

void Predictor::addGlobal(StringRef name, double amount, double perSecond) {
  cost.terms.push_back({name, amount, perSecond, amount / perSecond});
}

void Predictor::addLocal(StringRef name, double amount, double perCycle) {
  double perSecond = perCycle * double(machine.smCount) * machine.clockHz;
  cost.terms.push_back(
      {name, amount, perSecond, amount / perSecond * cost.tail});
}

void Predictor::predictBound() {
  auto [unit, rate] = getArithmeticRate();
  double lanes = multiplyAdds * kWarpSize, integers = cost.integerSlots;
  addLocal("issue", cost.slots.sum(), double(machine.issuedPerCycle));
  if (work.unit == Arithmetic::Integer && !plan.mma)
    integers += cost.slots.arithmetic;
  else
    addLocal(unit, lanes, rate);
  addLocal("integer", integers * kWarpSize, double(machine.integerPerCycle));
  addLocal("memory", cost.memoryRequests * kWarpSize,
           double(machine.memoryPerCycle));
  addLocal("shared",
           cost.fillWavefronts + cost.readWavefronts + combineRequests,
           double(machine.wavefrontsPerCycle));
  addGlobal("l2", cost.l2Bytes, machine.l2BytesPerSecond);
  addGlobal("dram", cost.dramReadBytes + cost.dramWrittenBytes,
            machine.dramBytesPerSecond);
  const auto *longest =
      llvm::max_element(cost.terms, [](const CostTerm &a, const CostTerm &b) {
        return a.seconds < b.seconds;
      });
  cost.limiter = longest->name;
  cost.boundSeconds = machine.launchSeconds + longest->seconds;
}

LaunchDemand Predictor::getDemand() {
  LaunchDemand demand;
  demand.blocks = cost.blocks;
  demand.warpsPerBlock = double(traffic.warps);
  demand.blocksPerSm = cost.occupancy.blocksPerSm;
  double integers = cost.integerSlots * kWarpSize;
  double lanes = multiplyAdds * kWarpSize;
  double rate = getArithmeticRate().second;
  bool sharesUnit =
      work.unit == Arithmetic::Integer ||
      (work.unit == Arithmetic::F32 && machine.sharesF32WithInteger);
  if (sharesUnit && !plan.mma)
    lanes += integers;
  demand.arithmeticCycles =
      std::max({cost.slots.sum() / double(machine.issuedPerCycle), lanes / rate,
                integers / double(machine.integerPerCycle)});
  double shared = 0;
  for (auto [k, input] : llvm::enumerate(inputs))
    shared += input->isInPlace ? 0 : getReads(k).requests;
  shared *= traffic.blocks * cost.steps;
  auto getGlobal = [&](const Requests &all) {
    return machine.getGlobalCycles(all.requests, all.sectors, all.lines);
  };
  demand.loadStoreCycles =
      getGlobal(cost.loads) + getGlobal(cost.stores) +
      machine.getSharedCycles(shared, cost.readWavefronts) +
      machine.getSharedCycles(copyRequests, cost.fillWavefronts) - copyOverlap +
      machine.getSharedCycles(combineRequests, combineRequests);
  demand.l2ReadBytes = double(kSectorBytes) * cost.loads.sectors;
  demand.l2ReadLines = cost.loads.lines;
  demand.l2WrittenBytes = double(kSectorBytes) * cost.stores.sectors;
  demand.dramReadBytes = cost.dramReadBytes;
  demand.l2Misses =
      demand.l2ReadBytes > 0 ? cost.dramReadBytes / demand.l2ReadBytes : 0;
  // Where it is not known what DRAM makes of a part of a sector, that L2 puts
  // the parts together is not counted on. Where in a line the rows of dynamic
  // extents begin is not known.
  bool isDynamic = llvm::any_of(work.getResults(),
                                [&](unsigned i) { return work.dynamic[i]; });
  double scattered = isDynamic
                         ? 0
                         : machine.getScatteredStoreBytes(cost.dramWrittenBytes,
                                                          cost.stores.sectors,
                                                          cost.stores.lines);
  demand.dramWrittenBytes =
      scattered > 0
          ? machine.getStoredDramBytes(cost.dramWrittenBytes,
                                       demand.l2WrittenBytes, scattered)
          : std::max(cost.dramWrittenBytes, demand.l2WrittenBytes);
  demand.rounds =
      cost.steps * countStepRounds() + (work.readBack.empty() ? 0 : 1);
  demand.ahead = double(stages - 1);
  demand.copied = stages > 1 && machine.hasAsyncCopies() ? 1 : 0;
  // A step that is not ahead waits for all to have copied, and to have read.
  demand.barriers =
      (stages > 1 ? cost.steps : 2 * cost.steps - 1) + combineBarriers;
  // Multiply-adds of one result in a row: as often as a step's loops are
  // written out. What LLVM leaves of a loop ptxas is told to leave.
  demand.depth = llvm::product_of(loopCounts, 1.0) *
                 llvm::product_of(unrolled, 1.0) *
                 (plan.mma ? 1 : work.chainOps);
  // A tensor instruction takes as long as many loads: under each but the last
  // of a step the fragments of the next are loaded.
  if (plan.mma)
    demand.depth *=
        countThreadResults() /
        double(plan.mma->shape->countResults() * plan.mma->shape->k);
  return demand;
}

/// Of sectors that are loaded, of those that are stored and of wavefronts, the
/// shares that better places or lanes would spare, added.
double Predictor::getWaste() {
  double loaded = 0, stored = 0, wavefronts = 0;
  for (const Access &input : work.inputs) {
    double bytes =
        work.repeats * work.countElements(input) * double(input.bytes);
    for (unsigned i : work.getResults())
      bytes *= input.variesWith(i) ? 1 : double(traffic.parts[i]);
    loaded += bytes;
  }
  for (const Access &array : work.readBack)
    loaded += work.countElements(array) * double(array.bytes);
  for (const Access &array : work.stored)
    stored += work.countElements(array) * double(array.bytes);
  for (auto [k, input] : llvm::enumerate(inputs))
    wavefronts +=
        (input->fill.ideal + getReads(k).ideal) * traffic.blocks * cost.steps;
  auto getShare = [](double all, double needed) {
    return all > needed ? 1 - needed / all : 0;
  };
  return kScoreOfWaste *
             (getShare(cost.loads.sectors * double(kSectorBytes), loaded) +
              getShare(cost.fillWavefronts + cost.readWavefronts, wavefronts)) +
         kScoreOfStores *
             getShare(cost.stores.sectors * double(kSectorBytes), stored);
}

KernelCost Predictor::run() {
  predictBlock();
  predictOccupancy();
  if (cost.occupancy.blocksPerSm == 0) {
    cost.seconds = cost.boundSeconds = cost.score =
        std::numeric_limits<double>::infinity();
    return std::move(cost);
  }
  predictInputs();
  predictCombine();
  predictResults();
  predictSlots();
  predictMemory();
  predictBound();
  cost.launch = simulateLaunch(getDemand(), machine);
  cost.seconds = cost.launch.seconds;
  cost.score = cost.seconds * (1 + getWaste());
  return std::move(cost);
}

KernelCost mlir::tc::predictCost(const Workload &work, const TilePlan &plan,
                                 const Machine &machine, TrafficCache &cache) {
  return Predictor(work, plan, machine, cache).run();
}

KernelCost mlir::tc::predictCost(const Workload &work, const TilePlan &plan,
                                 const Machine &machine) {
  TileCache tiles;
  TrafficCache cache(tiles);
  return predictCost(work, plan, machine, cache);
}

std::optional<KernelCost> mlir::tc::predictCost(ContractOp op,
                                                const StrideTable &access,
                                                ScheduleAttr schedule,
                                                MachineAttr machine) {
  if (!access.hasKnownPoints())
    return std::nullopt;
  Workload work = getWorkload(op, access);
  TilePlan plan = getPlan(op, schedule);
  return isSplit(schedule) ? predictSplitCost(op, work, plan, machine)
                           : predictCost(work, plan, getRates(machine));
}

// Note [Estimates]
// ~~~~~~~~~~~~~~~~
// Sectors, wavefronts, multiply-adds and reads follow from the schedule. What
// LLVM makes of index arithmetic and how ptxas allots registers does not: those
// are averages over kernels of benchmarks/cases, found by benchmarks/model.py.
// Registers are a few more than the average: where the estimate is just below
// what allows one more block, ptxas mostly takes more. Those for tensor
// instructions are such that benchmarks/tensor.py finds no spills on sm_90a.
//
// Predicted times that differ by a few per cent say little (the error of level
// A is 14 % where it was validated), while waste is certain. So of about equal
// schedules the score takes that which wastes less.
