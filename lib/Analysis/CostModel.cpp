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

#include "DramTraffic.h"
#include "Predictor.h"
#include "Saturating.h"
#include "SplitSearch.h"

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Split.h"
#include "tc/Analysis/Unrolling.h"
#include "tc/IR/LoopHints.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

static constexpr double kWarp = 32;

// See Note [Estimates].
static constexpr int64_t kBaseRegisters = 40;
static constexpr double kRegistersPerCopy = 1;
/// What ptxas must have in hand over the estimate to be trusted not to spill.
static constexpr int64_t kSpareRegisters = 32;
static constexpr double kSlotsPerPlace = 5, kSlotsPerCopyAhead = 1;
static constexpr double kSlotsPerDivision = 8, kSlotsPerGuard = 3;
static constexpr double kSlotsPerStep = 44, kSlotsPerBareStep = 5,
                        kSlotsPerTrip = 16;
static constexpr double kSlotsPerStore = 0.3, kSlotsPerThread = 8,
                        kSlotsPerLane = 8;
static constexpr double kMemoryLatency = 600e-9, kBarrierLatency = 40e-9;
/// Of the time of instructions, what is lost with one warp to a scheduler.
static constexpr double kStall = 0.2;
/// What partial sectors that are loaded, and conflicts, add to the score, of
/// their time.
static constexpr double kScoreOfPartialLoads = 0.5, kScoreOfConflicts = 0.5;
/// Wavefronts over the ideal that arithmetic hides, but for a part.
static constexpr double kHiddenConflicts = 1.4, kScoreOfFewConflicts = 0.04;

Machine mlir::tc::getRates(MachineAttr attr) {
  llvm::Expected<Machine> known = findMachine(attr.getChip());
  Machine machine = known ? *known : sm80();
  if (!known) {
    llvm::consumeError(known.takeError());
    machine.name = attr.getChip();
  }
  machine.smCount = attr.getMultiprocessors();
  machine.maxThreadsPerBlock = attr.getMaxBlockThreads();
  machine.maxRegistersPerThread = attr.getMaxThreadRegisters();
  machine.registersPerBlock = attr.getBlockRegisters();
  machine.sharedBytesPerBlock = attr.getBlockSharedBytes();
  return machine;
}

//===----------------------------------------------------------------------===//
// Amounts
//===----------------------------------------------------------------------===//

namespace {
class Predictor {
public:
  Predictor(const Workload &work, const TilePlan &plan, const Machine &machine,
            TrafficCache &cache)
      : work(work), plan(plan), machine(machine), traffic(work, plan, cache) {}
  KernelCost run();

private:
  void predictBlock();
  void predictOccupancy();
  void predictInputs();
  void predictResults();
  void predictSlots();
  void predictMemory();
  void predictTimes();
  void predictLatency();
  double getPartialSectors();
  double getConflicts();
  void addLocal(StringRef name, double amount, double perCycle);
  void addGlobal(StringRef name, double amount, double perSecond);
  /// Warps of all blocks.
  double countWarps() { return traffic.blocks * double(traffic.warps); }
  double countThreadResults();
  double countThreadSlots() const;
  bool areWrittenOut(const InputTraffic &input) const;
  double countPlaceSlots(const InputTraffic &input) const;
  double countIndexSlots(const InputTraffic &input) const;
  double countSetupSlots(const InputTraffic &input) const;
  PerIterator getUnrolled();
  double countLoopSlots();
  bool isStepBare() const;
  double countFragment(const WorkArray &input,
                       ArrayRef<int64_t> unrolled) const;
  double countFragments();

  const Workload &work;
  const TilePlan &plan;
  const Machine &machine;
  Traffic traffic;
  SmallVector<const InputTraffic *, 2> inputs;
  double copyRequests = 0, readRequests = 0, globalRequests = 0;
  double copyIndexSlots = 0;
  KernelCost cost;
};
} // namespace

/// Instructions of a warp before its first step, to find out where it is.
double Predictor::countThreadSlots() const {
  double slots = kSlotsPerThread + kSlotsPerLane * double(plan.lanes.size());
  for (const InputTraffic *input : inputs)
    slots += countSetupSlots(*input);
  return slots;
}

double Predictor::countThreadResults() {
  double results = 1;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (!work.contracted[i])
      results *= double(plan.reg[i] * plan.vector[i]);
  return results;
}

/// Are all copies of a step written out, so that their places are found once?
bool Predictor::areWrittenOut(const InputTraffic &input) const {
  return (plan.stages > 1 || traffic.steps == 1) &&
         input.fill.requests <= double(kMostCopyRounds) * double(traffic.warps);
}

/// The dimensions of a tile but the outermost.
static ArrayRef<TileDim> getInner(const InputTraffic &input) {
  return ArrayRef(input.dims).drop_front(input.dims.empty() ? 0 : 1);
}

/// Instructions to find the place of one copy in its tile. Bits of the number
/// of the copy are free where all sizes are powers of two.
double Predictor::countPlaceSlots(const InputTraffic &input) const {
  double slots = kSlotsPerPlace;
  for (const TileDim &dim : getInner(input))
    if (!llvm::isPowerOf2_64(dim.size) || !llvm::isPowerOf2_64(traffic.threads))
      slots += kSlotsPerDivision;
  return slots;
}

/// Instructions beside one copy, in each step: its place, and whether it is
/// inside.
double Predictor::countIndexSlots(const InputTraffic &input) const {
  double slots =
      areWrittenOut(input) ? kSlotsPerCopyAhead : countPlaceSlots(input);
  for (const TileDim &dim : input.dims)
    slots += work.extents[dim.iterator] % dim.size == 0 ? 0 : kSlotsPerGuard;
  return slots;
}

/// Instructions of a warp before the first step, for the places of copies that
/// are written out: of the first, where the others are whole rows further.
double Predictor::countSetupSlots(const InputTraffic &input) const {
  if (input.isInPlace || !areWrittenOut(input))
    return 0;
  int64_t row = 1;
  for (const TileDim &dim : getInner(input))
    row = multiply(row, dim.size);
  bool isRegular = traffic.threads * input.copied % row == 0;
  double copies = input.fill.requests / double(traffic.warps);
  return (isRegular ? std::min(copies, 1.0) : copies) * countPlaceSlots(input);
}

/// Steps of each contracted iterator that are written out, since one access
/// brings the values of all.
PerIterator Predictor::getUnrolled() {
  PerIterator unrolled(work.getNumIterators(), 1);
  for (const InputTraffic *input : inputs)
    if (input->read > 1)
      if (unsigned i = input->dims.back().iterator; work.contracted[i])
        unrolled[i] = std::max(unrolled[i], input->read);
  return unrolled;
}

/// Instructions of a thread in a step that only count and jump.
double Predictor::countLoopSlots() {
  PerIterator unrolled = getUnrolled();
  int64_t instructions = int64_t(countThreadResults()) * work.accumulatorWords +
                         int64_t(work.inputs.size());
  SmallVector<int64_t> extents;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (work.contracted[i]) {
      extents.push_back(plan.step[i] / plan.thread[i] / unrolled[i]);
      instructions *= unrolled[i];
    }
  double trips = 1;
  for (auto [extent, count] :
       llvm::zip_equal(extents, getUnrollCounts(instructions, extents)))
    trips *= double(llvm::divideCeil(std::max<int64_t>(extent, 1), count));
  double loop = trips > 1 ? trips * kSlotsPerTrip : 0;
  if (traffic.steps > 1)
    loop += isStepBare() ? kSlotsPerBareStep : kSlotsPerStep;
  return loop;
}

/// Is a step nothing but reads in place, and always whole?
bool Predictor::isStepBare() const {
  return llvm::all_of(inputs,
                      [](const InputTraffic *i) { return i->isInPlace; }) &&
         llvm::all_of(llvm::seq(work.getNumIterators()), [&](unsigned i) {
           return !work.contracted[i] || work.extents[i] % plan.step[i] == 0;
         });
}

/// Registers for values of an input: those of a thread's results, for all steps
/// that are written out along `iterators`.
double Predictor::countFragment(const WorkArray &input,
                                ArrayRef<int64_t> unrolled) const {
  double values = double(llvm::divideCeil(input.bytes, int64_t(4)));
  for (unsigned i = 0, n = work.getNumIterators(); i < n; ++i)
    if (input.variesWith(i))
      values *= double(work.contracted[i] ? unrolled[i]
                                          : plan.reg[i] * plan.vector[i]);
  return values;
}

/// Registers for the values of inputs that a thread holds at a time: those of
/// one input only as far as an access goes, those of others for all steps that
/// are written out. See LowerMicrokernel for the order. Of doubles ptxas brings
/// more early, unless several iterators are written out.
double Predictor::countFragments() {
  PerIterator unrolled = getUnrolled();
  double all = 0, saved = 0;
  for (auto [input, array] : llvm::zip_equal(inputs, work.inputs)) {
    double held = countFragment(array, unrolled);
    PerIterator access(unrolled.size(), 1);
    if (input->read > 1)
      if (unsigned i = input->dims.back().iterator; work.contracted[i])
        access[i] = input->read;
    all += held;
    saved = std::max(saved, held - countFragment(array, access));
  }
  bool isWide = llvm::any_of(
      work.inputs, [](const WorkArray &input) { return input.bytes > 4; });
  bool isNested = llvm::count_if(unrolled, [](int64_t n) { return n > 1; }) > 1;
  return isWide && !isNested ? all : all - saved;
}

/// Registers that ptxas may give a thread: a warp has them out of the file of
/// the partition that runs it.
static int64_t getMostRegisters(const Machine &machine, int64_t threads) {
  int64_t warps = llvm::divideCeil(threads, machine.warpSize);
  int64_t together = llvm::divideCeil(warps, machine.partitionsPerSm);
  int64_t most = machine.registersPerSm / machine.partitionsPerSm /
                 (together * machine.warpSize);
  return std::min(machine.maxRegistersPerThread, most / 8 * 8);
}

bool mlir::tc::isSafeFromSpills(const Machine &machine, int64_t threads,
                                double values) {
  return double(kBaseRegisters + kSpareRegisters) + values <=
         double(getMostRegisters(machine, threads));
}

void Predictor::predictBlock() {
  cost.threads = traffic.threads;
  cost.blocks = traffic.blocks;
  cost.steps = traffic.steps;
  // Without terms to gather each result is stored at once.
  double values = work.countPoints() == work.countResults()
                      ? 0
                      : countThreadResults() * double(work.accumulatorWords);
  for (unsigned k = 0, e = work.inputs.size(); k < e; ++k) {
    inputs.push_back(&traffic.getInput(k));
    int64_t bytes = multiply(inputs[k]->tile.elements, work.inputs[k].bytes);
    cost.sharedBytes = add(cost.sharedBytes,
                           multiply(llvm::divideCeil(bytes, int64_t(16)), 16));
    double copies = std::min(inputs[k]->fill.requests / double(traffic.warps),
                             double(kMostCopyRounds));
    values += kRegistersPerCopy * copies;
    // Without cp.async what is ahead is held, too.
    if (plan.stages > 1 && machine.computeCapability < 80)
      values +=
          copies * double(llvm::divideCeil(
                       inputs[k]->copied * work.inputs[k].bytes, int64_t(4)));
  }
  values += countFragments();
  cost.sharedBytes = multiply(cost.sharedBytes, plan.stages);
  // Threads that share results show them each other.
  bool areShared = llvm::any_of(plan.lanes, [&](const LaneFactor &lane) {
    return work.contracted[lane.iterator];
  });
  if (areShared)
    cost.sharedBytes +=
        traffic.threads *
        int64_t(countThreadResults() * double(4 * work.accumulatorWords));
  cost.registers = kBaseRegisters + int64_t(std::min(values, 1e6));
}

void Predictor::predictOccupancy() {
  // ptxas fits a block that is wanted, down to what it must have.
  if (cost.sharedBytes <= machine.sharedBytesPerBlock &&
      isSafeFromSpills(machine, cost.threads,
                       double(cost.registers - kBaseRegisters)))
    cost.occupancy =
        occupancy(machine, cost.threads, cost.registers, cost.sharedBytes);
  double sms = double(machine.smCount);
  cost.tail = std::ceil(cost.blocks / sms) * sms / cost.blocks;
  if (cost.occupancy.blocksPerSm)
    cost.waves = cost.blocks / (sms * double(cost.occupancy.blocksPerSm));
  double places = 1, used = work.countResults();
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (work.contracted[i]) {
      places *= double(traffic.parts[i] * plan.step[i]);
      used *= double(work.extents[i]);
    } else {
      places *= double(traffic.parts[i] * plan.getBlock(i));
    }
  cost.usefulShare = used / places;
}

void Predictor::predictInputs() {
  double times = traffic.blocks * traffic.steps;
  for (const InputTraffic *input : inputs) {
    double copies = input->fill.requests * times;
    cost.loadSectors += (input->fill.sectors + input->reads.sectors) * times;
    cost.fillWavefronts += input->fill.wavefronts * times;
    copyRequests += copies;
    copyIndexSlots += copies * countIndexSlots(*input);
    cost.readWavefronts += input->reads.wavefronts * times;
    readRequests += input->reads.requests * times;
  }
}

void Predictor::predictResults() {
  for (const WorkArray &array : work.readBack) {
    const Requests &loads = traffic.getWriteBack(array);
    cost.loadSectors += loads.sectors;
    globalRequests += loads.requests;
  }
  for (const WorkArray &array : work.stored) {
    const Requests &stores = traffic.getWriteBack(array);
    cost.storeSectors += stores.sectors;
    globalRequests += stores.requests;
  }
}

void Predictor::predictSlots() {
  double points = countWarps() * traffic.steps;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    points *= work.contracted[i] ? double(plan.step[i]) / double(plan.thread[i])
                                 : double(plan.reg[i] * plan.vector[i]);
  double perCopy = plan.stages > 1 ? 1 : 2;
  IssueSlots &slots = cost.slots;
  slots.arithmetic = points * work.pointOps;
  slots.reads = readRequests;
  slots.copies = copyRequests * perCopy + copyIndexSlots;
  slots.loop = countWarps() * traffic.steps * countLoopSlots();
  slots.writeBack = globalRequests * (1 + kSlotsPerStore) +
                    countWarps() * (countThreadSlots() +
                                    countThreadResults() * work.resultOps);
  cost.integerSlots = copyIndexSlots + slots.loop +
                      globalRequests * kSlotsPerStore +
                      countWarps() * countThreadSlots();
  cost.memoryRequests = copyRequests * perCopy + readRequests + globalRequests;
}

void Predictor::predictMemory() {
  cost.l2Bytes = double(kSectorBytes) * (cost.loadSectors + cost.storeSectors);
  double running = double(machine.smCount) * double(cost.occupancy.blocksPerSm);
  cost.dramBytes =
      std::min(countDramBytes(work, plan, running, double(machine.l2Bytes)),
               cost.l2Bytes);
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

/// The emulator's name of the unit, and its lanes a cycle and multiprocessor.
static std::pair<StringRef, double> getRate(Arithmetic unit,
                                            const Machine &machine) {
  switch (unit) {
  case Arithmetic::F32:
    return {"f32", double(machine.f32FmaPerCycle)};
  case Arithmetic::F64:
    return {"f64", double(machine.f64FmaPerCycle)};
  case Arithmetic::F16:
    return {"f16", double(machine.f16FmaPerCycle)};
  case Arithmetic::Integer:
    return {"integer", double(machine.integerPerCycle)};
  }
  llvm_unreachable("closed set");
}

void Predictor::predictTimes() {
  auto [unit, rate] = getRate(work.unit, machine);
  double lanes = cost.slots.arithmetic * kWarp, integers = cost.integerSlots;
  addLocal("issue", cost.slots.sum(), double(machine.issuedPerCycle));
  if (work.unit == Arithmetic::Integer)
    integers += cost.slots.arithmetic;
  else
    addLocal(unit, lanes, rate);
  addLocal("integer", integers * kWarp, double(machine.integerPerCycle));
  addLocal("memory", cost.memoryRequests * kWarp,
           double(machine.memoryPerCycle));
  addLocal("shared", cost.fillWavefronts + cost.readWavefronts,
           double(machine.wavefrontsPerCycle));
  addGlobal("l2", cost.l2Bytes, machine.l2BytesPerSecond);
  addGlobal("dram", cost.dramBytes, machine.dramBytesPerSecond);
  const auto *longest =
      llvm::max_element(cost.terms, [](const CostTerm &a, const CostTerm &b) {
        return a.seconds < b.seconds;
      });
  cost.launchSeconds = machine.launchSeconds;
  cost.limiter = longest->name;
  cost.seconds = cost.launchSeconds + longest->seconds;
}

/// A block waits for its copies, computes, and waits again, if copies do not
/// run ahead; other blocks of the multiprocessor fill the gaps.
void Predictor::predictLatency() {
  double warpSlots = cost.slots.sum() / cost.blocks / cost.steps;
  // One instruction a cycle for each of four schedulers.
  double busy =
      warpSlots / std::min(double(traffic.warps), 4.0) / machine.clockHz;
  double ahead = double(plan.stages - 1);
  double step = plan.stages > 1
                    ? std::max(busy + kBarrierLatency, kMemoryLatency / ahead)
                    : busy + kMemoryLatency + 2 * kBarrierLatency;
  double block = cost.steps * step + 2 * kMemoryLatency;
  // Instructions wait for those before them, unless there are other warps.
  double resident = std::min(cost.blocks / double(machine.smCount),
                             double(cost.occupancy.blocksPerSm));
  double warps = std::max(1.0, std::ceil(resident)) * double(traffic.warps) / 4;
  double stalled = cost.terms.front().seconds * (1 + kStall / (warps * warps));
  cost.latencySeconds = std::max(std::ceil(cost.waves) * block, stalled);
  double longest = cost.seconds - cost.launchSeconds, others = -longest;
  for (const CostTerm &term : cost.terms)
    others += term.seconds;
  cost.score = cost.launchSeconds + std::max(longest, cost.latencySeconds) +
               kScoreOfOthers * others + getPartialSectors() + getConflicts();
}

/// Time for wavefronts that better places or lanes would spare: a little of
/// all, and more of what is many.
double Predictor::getConflicts() {
  double ideal = 0;
  for (const InputTraffic *input : inputs)
    ideal += (input->fill.ideal + input->reads.ideal) * traffic.blocks *
             traffic.steps;
  double all = cost.fillWavefronts + cost.readWavefronts;
  double few = std::max(all - ideal, 0.0);
  double many = std::max(all - kHiddenConflicts * ideal, 0.0);
  return (kScoreOfFewConflicts * few + kScoreOfConflicts * many) * cost.tail /
         (double(machine.smCount) * machine.clockHz);
}

/// Time for the parts of sectors that nobody asked for: they cross from L2, and
/// at worst each part that is stored goes to memory by itself.
double Predictor::getPartialSectors() {
  double loaded = 0, stored = 0;
  for (const WorkArray &input : work.inputs) {
    double bytes = work.countElements(input) * double(input.bytes);
    for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
      if (!input.variesWith(i) && !work.contracted[i])
        bytes *= double(traffic.parts[i]);
    loaded += bytes;
  }
  for (const WorkArray &array : work.readBack)
    loaded += work.countElements(array) * double(array.bytes);
  for (const WorkArray &array : work.stored)
    stored += work.countElements(array) * double(array.bytes);
  auto getExcess = [](double sectors, double bytes) {
    return std::max(sectors * double(kSectorBytes) - bytes, 0.0);
  };
  return kScoreOfPartialLoads * getExcess(cost.loadSectors, loaded) /
             machine.l2BytesPerSecond +
         getExcess(cost.storeSectors, stored) / machine.dramBytesPerSecond;
}

KernelCost Predictor::run() {
  predictBlock();
  predictOccupancy();
  if (cost.occupancy.blocksPerSm == 0) {
    cost.seconds = cost.score = std::numeric_limits<double>::infinity();
    return std::move(cost);
  }
  predictInputs();
  predictResults();
  predictSlots();
  predictMemory();
  predictTimes();
  predictLatency();
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
                                                const ContractAccess &access,
                                                ScheduleAttr schedule,
                                                MachineAttr machine) {
  if (!access.hasKnownPoints())
    return std::nullopt;
  Workload work = getWorkload(op, access);
  TilePlan plan = getPlan(op, schedule);
  return isSplit(schedule) ? predictSplitCost(op, work, plan, machine)
                           : predictCost(work, plan, getRates(machine));
}

double mlir::tc::getFloorSeconds(const Workload &work, const Machine &machine) {
  double bytes = 0;
  for (auto list :
       {ArrayRef(work.inputs), ArrayRef(work.readBack), ArrayRef(work.stored)})
    for (const WorkArray &array : list)
      bytes += work.countElements(array) * double(array.bytes);
  double rate = getRate(work.unit, machine).second * double(machine.smCount) *
                machine.clockHz;
  return std::max(bytes / machine.dramBytesPerSecond,
                  work.countPoints() * work.pointOps / rate);
}

void mlir::tc::printCost(const KernelCost &cost, raw_ostream &os) {
  using llvm::formatv;
  os << formatv("predicted {0:F2} us, limited by {1}\n", cost.seconds * 1e6,
                cost.limiter);
  for (const CostTerm &term : cost.terms)
    os << formatv("  {0,-8} {1,10:F2} us = {2:F0} / {3:E3} a second\n",
                  term.name, term.seconds * 1e6, term.amount, term.perSecond);
  os << formatv("  launch   {0,10:F2} us, latency {1:F2} us, score {2:F2} us\n",
                cost.launchSeconds * 1e6, cost.latencySeconds * 1e6,
                cost.score * 1e6);
  if (cost.combineSeconds > 0)
    os << formatv("  combine  {0,10:F2} us, another kernel\n",
                  cost.combineSeconds * 1e6);
  os << formatv("  blocks {0:F0} of {1} threads, {2:F0} steps each; {3:F2} "
                "waves, tail {4:F3}, useful share {5:F3}\n",
                cost.blocks, cost.threads, cost.steps, cost.waves, cost.tail,
                cost.usefulShare);
  os << formatv("  {0} registers a thread, {1} bytes of shared memory; {2} "
                "blocks a multiprocessor, occupancy {3:F2}, limited by {4}\n",
                cost.registers, cost.sharedBytes, cost.occupancy.blocksPerSm,
                cost.occupancy.fraction, stringify(cost.occupancy.limiter));
  os << formatv("  sectors: {0:F0} loaded, {1:F0} stored; wavefronts: {2:F0} "
                "filling, {3:F0} reading\n",
                cost.loadSectors, cost.storeSectors, cost.fillWavefronts,
                cost.readWavefronts);
  os << formatv("  slots: {0:F0} arithmetic, {1:F0} reads, {2:F0} copies, "
                "{3:F0} loop, {4:F0} write-back\n",
                cost.slots.arithmetic, cost.slots.reads, cost.slots.copies,
                cost.slots.loop, cost.slots.writeBack);
}

// Note [Estimates]
// ~~~~~~~~~~~~~~~~
// Sectors, wavefronts, multiply-adds and reads follow from the schedule. What
// LLVM makes of index arithmetic and how ptxas allots registers does not: those
// are averages over kernels of benchmarks/cases, found by benchmarks/model.py.
// Latencies are round numbers for recent chips (a load that misses all caches,
// a barrier of 8 warps), and so is the part of the terms that do not bind which
// is added to the score: 0.1 ranks two schedules of one bottleneck by the rest.
