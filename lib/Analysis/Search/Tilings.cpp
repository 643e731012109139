//===- Tilings.cpp - Combinations of the tiles of all axes ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/Tilings.h"

#include "Cost/Registers.h"
#include "Search/SearchSteps.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <map>

using namespace mlir;
using namespace mlir::tc;

/// Tiles of one axis that are combined with those of others; of those with the
/// same threads and results.
static constexpr size_t kMostTiles = 256, kMostOtherTiles = 8, kMostAlike = 3,
                        kMostFoldedAlike = 6;
static constexpr int64_t kMostThreads = 1024, kFewestThreads = 64;
/// Results of a thread without tensor instructions, and words of accumulators:
/// with more, too few threads fit on a multiprocessor.
static constexpr int64_t kMostResults = 72, kMostWords = 144;
/// With them, of a lane along rows or columns, and words: two rows and 38
/// columns of f64 just leave registers for fragments.
static constexpr int64_t kMostFoldedResults = 38, kMostFoldedWords = 152;
/// What a tile of a single result is rated worse by for what its threads read,
/// and where that is fragments.
static constexpr double kReadsOfThread = 0.5, kReadsOfFragments = 0.1;
/// Parts of the shorter of multiply-adds and reads, of which one is not hidden
/// behind the longer: steps that are written out, mostly.
static constexpr double kHiddenBehind = 8;
/// Of a term of a sum, that a lane reads in one access: about.
static constexpr double kBytesPerRead = 8;

Tilings::FastestPlace Tilings::findFastest(const Access &array) const {
  FastestPlace found;
  for (auto [a, axis] : llvm::enumerate(axes))
    for (auto [place, i] : llvm::enumerate(axis.iterators))
      if (array.nominal[i] == 1) {
        found.axis = a;
        found.place = place;
      }
  return found;
}

/// What the terms of a sum read with a tile, over what they would with one of
/// as many places along each iterator: each term is across others of them.
static double getImbalance(const AxisTile &tile) {
  double sides = 0, block = 1;
  for (auto [thread, reg, vector] :
       llvm::zip_equal(tile.thread, tile.reg, tile.vector)) {
    sides += 1 / double(thread * reg * vector);
    block *= double(thread * reg * vector);
  }
  double places = double(tile.thread.size());
  return sides / places * std::pow(block, 1 / places);
}

/// The best `most` of the tiles of an axis, by what can be said of it alone.
void Tilings::keepBest(size_t axis, size_t most) {
  // Lanes read fragments in turns, so that results of a lane save little. But
  // elements that it packs or takes apart it has for all of them.
  bool areFragments = fold && !fold->product->isSeveral() &&
                      fold->shapes.front()->perRegister == 1;
  double share = areFragments ? kReadsOfFragments : kReadsOfThread;
  auto rate = [&](const AxisTile &tile) {
    double excess = 0, accesses = 1;
    for (float factor : tile.excess)
      excess += factor;
    for (const FastestPlace &fastest :
         llvm::concat<const FastestPlace>(fastestOfInput, fastestOfStored))
      if (fastest.axis == axis)
        accesses += 0.1 / double(tile.vector[fastest.place]);
    return tile.waste * excess * accesses *
           (terms.empty() ? 1 : getImbalance(tile)) *
           (1 + share / double(tile.results));
  };
  std::vector<std::pair<double, size_t>> order;
  for (auto [t, tile] : llvm::enumerate(tiles[axis]))
    order.emplace_back(rate(tile), t);
  llvm::sort(order);
  std::vector<AxisTile> kept;
  std::map<std::pair<int64_t, int64_t>, size_t> alike;
  for (auto [rating, t] : order) {
    AxisTile &tile = tiles[axis][t];
    if (kept.size() < most && alike[{tile.threads, tile.results}]++ <
                                  (fold ? kMostFoldedAlike : kMostAlike))
      kept.push_back(std::move(tile));
  }
  tiles[axis] = std::move(kept);
}

void Tilings::enumerateAxes() {
  axes = getResultAxes(work);
  for (const Access &input : work.inputs)
    fastestOfInput.push_back(findFastest(input));
  for (const Access &stored : work.stored)
    fastestOfStored.push_back(findFastest(stored));
  // The two largest axes with reuse, rows and columns, share the registers.
  auto order =
      llvm::filter_to_vector(llvm::seq<size_t>(0, axes.size()),
                             [&](size_t a) { return axes[a].hasReuse(); });
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return axes[a].extent > axes[b].extent;
  });
  bool isProduct = order.size() >= 2;
  order.truncate(std::min<size_t>(order.size(), 2));
  for (size_t a = 0; a < axes.size(); ++a) {
    bool isMain = !isProduct || llvm::is_contained(order, a);
    AxisLimits limits;
    limits.areFolded = fold && axes[a].hasReuse();
    limits.areBalanced = !terms.empty();
    // Fragments of a warp serve more results than those of a thread.
    limits.results = isProduct && isMain ? (fold ? kMostFoldedResults : 16) : 4;
    limits.threads =
        std::min<int64_t>(isMain ? 256 : 32, kMostThreads / sharing);
    tiles.push_back(enumerateTiles(work, axes[a], limits));
    keepBest(a, isMain ? kMostTiles : kMostOtherTiles);
  }
}

int64_t Tilings::getWidth(const FastestPlace &fastest,
                          ArrayRef<uint16_t> choice) const {
  return fastest.axis ? getTile(choice, *fastest.axis).vector[fastest.place]
                      : kMostUnrolled;
}

LeastWork Tilings::getLeastWork(ArrayRef<uint16_t> choice) const {
  LeastWork least;
  double waste = 1, threads = double(sharing), results = 1;
  for (size_t a = 0; a < axes.size(); ++a) {
    const AxisTile &tile = getTile(choice, a);
    waste *= tile.waste;
    threads *= double(tile.threads);
    results *= double(tile.results);
    least.blocks *= tile.parts;
  }
  waste *= double(llvm::alignTo(int64_t(threads), 32)) / threads;
  double cycles = double(machine.smCount) * machine.clockHz;
  double points = work.repeats * work.countPoints() * waste;
  double rate = double(work.unit == Arithmetic::F64 ? machine.f64FmaPerCycle
                                                    : machine.f32FmaPerCycle);
  if (fold)
    rate = machine.getMmaPerCycle(fold->shapes.front()->getType()) /
           double(fold->product->countProducts());
  least.arithmetic = points * work.pointOps / rate / cycles;
  double conversions = 0;
  for (auto [k, input] : llvm::enumerate(work.inputs)) {
    double read = points / results,
           moved = work.repeats * work.countElements(input);
    least.loadedOnce += moved * double(input.bytes);
    for (size_t a = 0; a < axes.size(); ++a) {
      const AxisTile &tile = getTile(choice, a);
      read *= axes[a].inputs[k] ? double(tile.results) : 1;
      moved *= axes[a].inputs[k] ? tile.excess[k] : tile.parts;
    }
    // Lanes read fragments in turns, and not all that their results need; in
    // wide accesses or not, shared memory is what limits them.
    if (fold)
      least.reads += read * double(input.bytes) / double(kMmaColumnLanes) /
                     (k == fold->columnInput ? double(kMmaColumnsPerLane) : 1) /
                     double(4 * machine.sharedBanks) / cycles;
    else
      least.reads +=
          read / double(getWidth(fastestOfInput[k], choice)) / 32 / cycles;
    conversions += read * countConversionSlots(input.type, work.unit, machine);
    least.loadedBytes += moved * double(input.bytes);
  }
  if (!fold)
    least.reads = std::max(
        least.reads, conversions / double(machine.integerPerCycle) / cycles);
  for (auto [s, stored] : llvm::enumerate(work.stored)) {
    double moved = work.countElements(stored) * double(stored.bytes);
    least.storedOnce += moved;
    for (size_t a = 0; a < axes.size(); ++a)
      moved *= getTile(choice, a).excess[work.inputs.size() + s];
    least.storedBytes += moved;
  }
  return least;
}

std::array<double, 5> Tilings::getTerms(const LeastWork &least,
                                        double parts) const {
  double sms = double(machine.smCount), blocks = least.blocks * parts;
  double tail = std::ceil(blocks / sms) * sms / blocks;
  return {least.arithmetic * tail, least.reads * tail,
          (least.loadedBytes + least.storedBytes * parts) /
              machine.l2BytesPerSecond,
          (least.loadedOnce + least.storedOnce * parts) /
              machine.dramBytesPerSecond,
          blocks * machine.cyclesPerStart / machine.clockHz};
}

double Tilings::getBound(const Tiling &tiling, double parts) const {
  auto terms = getTerms(tiling.least, parts);
  return machine.launchSeconds + *llvm::max_element(terms);
}

/// N customers of a closed network take at most (sum + (N - 1) busiest) / N
/// each: Lazowska et al., "Quantitative System Performance", 1984, section 5.4.
double Tilings::getEstimate(const Tiling &tiling, double parts) const {
  auto terms = getTerms(tiling.least, parts);
  double busiest = *llvm::max_element(terms);
  auto [arithmetic, reads, l2, dram, starts] = terms;
  (void)starts; // Nothing waits for them one after the other.
  double sum = std::max(arithmetic, reads) +
               std::min(arithmetic, reads) / kHiddenBehind + l2 + dram;
  double blocks = tiling.least.blocks * parts / double(machine.smCount);
  double resident = std::min(std::ceil(blocks), tiling.least.resident);
  return machine.launchSeconds + (sum + (resident - 1) * busiest) / resident;
}

/// For the results of a thread, and for an element of each input that one of
/// its multiply-adds takes.
double Tilings::countLeastRegisters(ArrayRef<uint16_t> choice) const {
  double registers = double(work.accumulatorWords);
  for (size_t a = 0; a < axes.size(); ++a)
    registers *= double(getTile(choice, a).results);
  for (size_t k = 0; k < work.inputs.size(); ++k)
    registers += countElements(choice, k);
  return registers;
}

/// Those of one input.
double Tilings::countElements(ArrayRef<uint16_t> choice, size_t input) const {
  double values =
      double(llvm::divideCeil(work.inputs[input].bytes, int64_t(4)));
  for (size_t a = 0; a < axes.size(); ++a)
    values *= axes[a].inputs[input] ? double(getTile(choice, a).results) : 1;
  return values;
}

/// Those that a lane need not have with tensor instructions: of the columns it
/// reads a part, and either input may have them.
double Tilings::countShared(ArrayRef<uint16_t> choice) const {
  double most = 0;
  for (size_t k = 0; fold && k < work.inputs.size(); ++k)
    most = std::max(most, countElements(choice, k));
  return most - most / double(kMmaColumnsPerLane);
}

/// Places along `iterators`.
static double countAlong(ArrayRef<unsigned> iterators,
                         function_ref<int64_t(unsigned)> count) {
  return llvm::product_of(llvm::map_range(iterators, count), 1.0);
}

/// The same, with the elements of the term that needs the most.
double Tilings::countLeastRegisters(const TilePlan &plan) const {
  auto getResults = [&](unsigned i) { return plan.reg[i] * plan.vector[i]; };
  double results = double(work.accumulatorWords), most = 0;
  for (unsigned i : work.getResults())
    results *= double(getResults(i));
  for (const TermReads &term : terms) {
    double elements = 0;
    for (const TermReads::Input &input : term.inputs)
      elements += countAlong(input.along, getResults) *
                  double(llvm::divideCeil(input.bytes, int64_t(4)));
    most = std::max(most, elements);
  }
  return results + most;
}

/// What the terms of a sum read, each by its own sides of the product.
void Tilings::setTerms(const TilePlan &plan, LeastWork &least) const {
  auto getResults = [&](unsigned i) { return plan.reg[i] * plan.vector[i]; };
  auto getBlock = [&](unsigned i) { return plan.getBlock(i); };
  // Of 32 lanes; those of a fragment read in turns, and columns by twos.
  double lanes = 32;
  if (fold)
    lanes *= double(kMmaColumnLanes * (1 + kMmaColumnsPerLane)) / 2;
  double bytes = 0;
  least.loadedBytes = 0;
  for (const TermReads &term : terms)
    for (const TermReads::Input &input : term.inputs) {
      double all = term.points * double(input.bytes);
      least.loadedBytes += all / countAlong(input.across, getBlock);
      bytes += all / countAlong(input.across, getResults);
    }
  least.reads =
      bytes / lanes / kBytesPerRead / double(machine.smCount) / machine.clockHz;
}

double Tilings::getEstimate(double parts) const {
  double least = std::numeric_limits<double>::infinity();
  for (const Tiling &tiling : all)
    least = std::min(least, getEstimate(tiling, parts));
  return least;
}

void Tilings::combine(Tiling &tiling, int64_t threads, int64_t results) {
  size_t axis = tiling.tiles.size();
  if (axis == axes.size()) {
    double registers = countLeastRegisters(tiling.tiles),
           shared = countShared(tiling.tiles);
    int64_t spare = getSpareRegisters(
        fold ? fold->shapes.front() : nullptr, fold ? fold->product : nullptr,
        /*areSingle=*/!fold || fold->components->count == 1);
    auto isSafe = [&] {
      return isSafeFromSpills(machine, threads, registers - shared, spare);
    };
    if (threads < fewestThreads || !isSafe())
      return;
    TilePlan plan = getPlan(tiling, work.getNumIterators());
    if (!terms.empty())
      registers = countLeastRegisters(plan);
    if ((fold && !canFold(*fold, plan)) || !isSafe())
      return;
    tiling.least = getLeastWork(tiling.tiles);
    if (!terms.empty())
      setTerms(plan, tiling.least);
    tiling.least.resident = countResident(machine, threads, registers);
    all.push_back(tiling);
    return;
  }
  for (auto [t, tile] : llvm::enumerate(tiles[axis])) {
    int64_t moreThreads = threads * tile.threads;
    int64_t moreResults = results * tile.results;
    if (moreThreads > std::min(kMostThreads, machine.maxThreadsPerBlock) ||
        (!fold && moreResults > kMostResults) ||
        moreResults * work.accumulatorWords >
            (fold ? kMostFoldedWords : kMostWords))
      continue;
    tiling.tiles.push_back(t);
    combine(tiling, moreThreads, moreResults);
    tiling.tiles.pop_back();
  }
}

Tilings::Tilings(const Workload &work, const Machine &machine, int64_t sharing,
                 const FoldSpace *fold, ArrayRef<TermReads> terms)
    : work(work), machine(machine), sharing(sharing),
      fewestThreads(kFewestThreads), fold(fold), terms(terms) {
  // Few results may leave no tile with many threads.
  if (work.countResultsTogether() * double(sharing) <
      double(16 * kFewestThreads))
    fewestThreads = 1;
  enumerateAxes();
  Tiling none;
  combine(none, /*threads=*/sharing, /*results=*/1);
  this->fold = nullptr;
  this->terms = {};
}

TilePlan Tilings::getPlan(const Tiling &tiling, unsigned iterators) const {
  TilePlan plan(iterators);
  for (size_t a = 0; a < axes.size(); ++a) {
    const AxisTile &tile = getTile(tiling.tiles, a);
    for (auto [place, i] : llvm::enumerate(axes[a].iterators)) {
      plan.thread[i] = tile.thread[place];
      plan.reg[i] = tile.reg[place];
      plan.vector[i] = tile.vector[place];
    }
  }
  return plan;
}

void mlir::tc::setLanes(const Workload &work, TilePlan &plan) {
  const Access &result = work.stored.front();
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (plan.thread[i] > 1)
      plan.lanes.push_back({i, plan.thread[i]});
  llvm::stable_sort(plan.lanes, [&](const LaneFactor &a, const LaneFactor &b) {
    return result.getDistance(a.iterator) > result.getDistance(b.iterator);
  });
}
