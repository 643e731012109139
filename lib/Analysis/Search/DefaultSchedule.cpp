//===- DefaultSchedule.cpp - A legal schedule for any contraction ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Default schedule] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Schedules.h"

#include "Saturating.h"
#include "Search/DefaultVectors.h"
#include "Search/Draft.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// The side of the tile of a transpose: a warp.
static constexpr int64_t kSquare = 32;

int64_t mlir::tc::fitFactor(int64_t extent, int64_t target) {
  if (extent <= target)
    return std::max<int64_t>(extent, 1);
  int64_t best = target;
  auto cover = [&](int64_t tile) { return llvm::alignTo(extent, tile); };
  for (int64_t tile = target; tile > std::max<int64_t>(target / 2, 0); --tile)
    if (cover(tile) < cover(best))
      best = tile;
  return best;
}

SmallVector<Axis> mlir::tc::getAxes(const ContractAccess &access) {
  SmallVector<unsigned> order;
  for (unsigned i = 0, e = access.getNumIterators(); i < e; ++i)
    if (!access.contracted[i])
      order.push_back(i);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::abs(access.output().nominal[a]) <
           std::abs(access.output().nominal[b]);
  });
  SmallVector<Axis> axes;
  for (unsigned i : order) {
    uint64_t inputs = access.getInputsVarying(i);
    Axis *axis = llvm::find_if(
        axes, [&](const Axis &other) { return other.inputs == inputs; });
    if (axis == axes.end())
      axis = &axes.emplace_back(Axis{inputs, {}, 1});
    axis->iterators.push_back(i);
    axis->extent = multiply(axis->extent, access.nominalExtents[i]);
  }
  return axes;
}

void mlir::tc::fitAxis(const Axis &axis, const ContractAccess &access,
                       int64_t threads, int64_t registers, Draft &draft) {
  for (unsigned i : axis.iterators) {
    draft.thread[i] = fitFactor(access.nominalExtents[i], threads);
    threads /= draft.thread[i];
  }
  for (unsigned i : axis.iterators) {
    int64_t tiles = llvm::divideCeil(access.nominalExtents[i], draft.thread[i]);
    draft.reg[i] = fitFactor(tiles, registers);
    registers /= draft.reg[i];
    // Fewer threads may cover the same extent: 24 = 2 x 12, not 2 x 16.
    int64_t blocks =
        std::max<int64_t>(1, llvm::divideCeil(access.nominalExtents[i],
                                              draft.thread[i] * draft.reg[i]));
    draft.thread[i] = std::max<int64_t>(
        1, llvm::divideCeil(access.nominalExtents[i], blocks * draft.reg[i]));
  }
}

int64_t mlir::tc::getProduct(ArrayRef<int64_t> factors, const Axis &axis) {
  int64_t product = 1;
  for (unsigned i : axis.iterators)
    product *= factors[i];
  return product;
}

/// Iterators of `axis` by ascending stride in `operand`.
static SmallVector<unsigned> sortByStride(const Axis &axis,
                                          const Access &operand) {
  SmallVector<unsigned> order(axis.iterators);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::abs(operand.nominal[a]) < std::abs(operand.nominal[b]);
  });
  return order;
}

/// Where an input and the result lie densest along different iterators, tiles a
/// square: lanes along the one when the input is staged, along the other when
/// results are stored. Returns whether there is such an input.
static bool fitTransposed(const Axis &axis, const ContractAccess &access,
                          int64_t threads, Draft &draft) {
  Axis stores, loads;
  for (unsigned i : axis.iterators) { // by ascending result stride
    if (stores.extent >= kSquare)
      break;
    stores.iterators.push_back(i);
    stores.extent = multiply(stores.extent, access.nominalExtents[i]);
  }
  for (const Access &input : access.inputs) {
    unsigned densest = 0;
    for (unsigned i = 0, e = access.getNumIterators(); i < e; ++i)
      if (input.variesWith(i) &&
          (!input.variesWith(densest) ||
           std::abs(input.nominal[i]) < std::abs(input.nominal[densest])))
        densest = i;
    if (!input.variesWith(densest) ||
        !llvm::is_contained(axis.iterators, densest) ||
        llvm::is_contained(stores.iterators, densest))
      continue;
    for (unsigned i : sortByStride(axis, input))
      if (!llvm::is_contained(stores.iterators, i))
        loads.iterators.push_back(i);
    fitAxis(stores, access, kSquare, 1, draft);
    int64_t rows =
        std::max<int64_t>(threads / getProduct(draft.thread, stores), 1);
    fitAxis(loads, access, std::min(rows, kSquare),
            llvm::divideCeil(kSquare, rows), draft);
    return true;
  }
  return false;
}

int64_t mlir::tc::countPoints(const ContractAccess &access,
                              function_ref<bool(unsigned)> select) {
  int64_t points = 1;
  for (auto [i, extent] : llvm::enumerate(access.nominalExtents))
    if (select(i))
      points = multiply(points, extent);
  return points;
}

uint64_t mlir::tc::getAllInputs(const ContractAccess &access) {
  return llvm::maskTrailingOnes<uint64_t>(
      std::min<size_t>(access.inputs.size(), 64));
}

/// Tiles the two axes with reuse (each value staged for one is used along the
/// other), then gives threads that are left to the other axes.
static void fitResults(const ContractAccess &access, int64_t resultsPerThread,
                       Draft &draft) {
  SmallVector<Axis> axes = getAxes(access);
  uint64_t all = getAllInputs(access);
  SmallVector<Axis> reused, others;
  for (Axis &axis : axes)
    (axis.inputs != 0 && axis.inputs != all ? reused : others).push_back(axis);
  llvm::stable_sort(
      reused, [](const Axis &a, const Axis &b) { return a.extent < b.extent; });
  // With rows and columns, the smaller first: the other takes what is left.
  while (reused.size() > 2) {
    others.push_back(reused.front());
    reused.erase(reused.begin());
  }
  int64_t threads = kBlockThreads, registers = resultsPerThread;
  if (reused.size() == 2) {
    int64_t side = 1;
    while (side * side * 4 <= resultsPerThread)
      side *= 2;
    int64_t half = std::clamp<int64_t>(reused[0].extent / side, 1, 16);
    fitAxis(reused[0], access, half, side, draft);
    threads /= getProduct(draft.thread, reused[0]);
    registers = std::min<int64_t>(
        resultsPerThread / getProduct(draft.reg, reused[0]), 16);
    int64_t rest =
        std::clamp<int64_t>(reused[1].extent / registers, 1, threads);
    fitAxis(reused[1], access, rest, registers, draft);
    threads /= getProduct(draft.thread, reused[1]);
  } else if (reused.size() == 1) {
    fitAxis(reused[0], access, threads, 1, draft);
    threads /= getProduct(draft.thread, reused[0]);
  }
  for (const Axis &axis : others) {
    if (!reused.empty() || !fitTransposed(axis, access, threads, draft))
      fitAxis(axis, access, threads, 1, draft);
    threads /= getProduct(draft.thread, axis);
  }
}

/// Divides what is staged at a time among the contracted iterators, first those
/// with the smallest stride in an input.
static void fitSteps(ContractOp op, const ContractAccess &access,
                     Draft &draft) {
  auto smallestStride = [&](unsigned i) {
    int64_t smallest = std::numeric_limits<int64_t>::max();
    for (const Access &input : access.inputs)
      if (input.variesWith(i))
        smallest = std::min(smallest, std::abs(input.nominal[i]));
    return smallest;
  };
  SmallVector<unsigned> order;
  for (unsigned i = 0, e = access.getNumIterators(); i < e; ++i)
    if (access.contracted[i])
      order.push_back(i);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return smallestStride(a) < smallestStride(b);
  });
  // In order, the last iterator is walked first, and one before it only where
  // whole rows of it are staged.
  if (!op.mayReorder())
    llvm::sort(order, std::greater<unsigned>());
  int64_t target = draft.staged;
  if (draft.sharing > 1) {
    unsigned shared = *findSharedIterator(access);
    draft.thread[shared] = draft.sharing;
    if (draft.fastest)
      draft.vector[shared] = fitVector(op, access, shared, draft.sharing);
    // What a thread takes of a step: some numbers, or fewer vectors.
    int64_t round = draft.sharing * draft.vector[shared];
    int64_t most = std::max<int64_t>(
        target / (draft.vector[shared] > 1 ? draft.vector[shared] : 2), 1);
    int64_t rounds = most;
    if (!ShapedType::isDynamic(access.extents[shared]))
      rounds = llvm::divideCeil(access.extents[shared], round);
    draft.step[shared] = round * fitFactor(rounds, most);
    return;
  }
  for (unsigned i : order) {
    draft.step[i] = fitFactor(access.nominalExtents[i], target);
    if (!op.mayReorder() && draft.step[i] != access.extents[i])
      break;
    target = std::max<int64_t>(target / draft.step[i], 1);
  }
}

static ScheduleAttr getSchedule(ContractOp op, const ContractAccess &access,
                                const Draft &draft) {
  auto collect = [&](ArrayRef<int64_t> values, ArrayRef<unsigned> order) {
    SmallVector<Factor> factors;
    for (unsigned i : order)
      if (values[i] > 1)
        factors.push_back(
            {StringAttr::get(op.getContext(), op.getIterator(i)), values[i]});
    return factors;
  };
  // The fastest threads walk the result's smallest stride, or share a result.
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq(0u, op.getNumIterators()));
  SmallVector<unsigned> lanes = order;
  llvm::stable_sort(lanes, [&](unsigned a, unsigned b) {
    if (access.contracted[a] || access.contracted[b])
      return access.contracted[draft.fastest ? b : a] &&
             !access.contracted[draft.fastest ? a : b];
    return std::abs(access.output().nominal[a]) >
           std::abs(access.output().nominal[b]);
  });
  return ScheduleAttr::get(
      op.getContext(), collect(draft.thread, lanes), collect(draft.reg, order),
      collect(draft.step, order), collect(draft.vector, order), /*split=*/{},
      /*stages=*/1, /*resident=*/1, Kernel::Fma);
}

/// Takes less of what is scarce: staged values first, then results, then
/// threads. Ends, since all factors 1 fit every machine.
static void shrink(Draft &draft) {
  auto halveLargest = [](SmallVectorImpl<int64_t> &factors) {
    auto *largest = llvm::max_element(factors);
    if (largest == factors.end() || *largest == 1)
      return false;
    *largest = llvm::divideCeil(*largest, 2);
    return true;
  };
  if (draft.staged <= 4 && draft.sharing > 1)
    draft.sharing /= 2;
  else if (draft.staged > 4 ||
           !(halveLargest(draft.reg) || halveLargest(draft.thread)))
    draft.staged = std::max<int64_t>(draft.staged / 2, 1);
}

/// Results a thread may hold: `most`, or less where results are so few that
/// there would not be two warps to hold them.
static int64_t fitResultsPerThread(const ContractAccess &access,
                                   MachineAttr machine, int64_t most) {
  int64_t results = 1;
  for (unsigned i = 0, e = access.getNumIterators(); i < e; ++i)
    if (!access.contracted[i])
      results = multiply(results, access.nominalExtents[i]);
  while (most > 4 && results / most < 2 * machine.getWarpSize())
    most /= 4;
  return most;
}

/// The factors of `draft`, which is of `lead`, for the result iterators of `op`
/// of the same names, and steps of its own.
static ScheduleAttr deriveSchedule(const Draft &draft, ContractOp lead,
                                   ContractOp op,
                                   const ContractAccess &access) {
  Draft own(op.getNumIterators(), draft.staged);
  own.sharing = draft.sharing;
  own.fastest = draft.fastest;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (!access.contracted[i]) {
      unsigned same = *lead.findIterator(op.getIterator(i));
      own.thread[i] = draft.thread[same];
      own.reg[i] = draft.reg[same];
    }
  fitSteps(op, access, own);
  return getSchedule(op, access, own);
}

SmallVector<ScheduleAttr>
mlir::tc::getDefaultSchedules(ArrayRef<ContractOp> ops,
                              ArrayRef<ContractAccess> accesses,
                              MachineAttr machine) {
  auto *largest = llvm::max_element(
      accesses, [](const ContractAccess &a, const ContractAccess &b) {
        auto all = [](unsigned) { return true; };
        return countPoints(a, all) < countPoints(b, all);
      });
  ContractOp lead = ops[largest - accesses.begin()];
  bool wide = getAccumulatorWords(lead) > 1;
  Draft draft(lead.getNumIterators(), wide ? 8 : 16);
  fitResults(*largest, fitResultsPerThread(*largest, machine, wide ? 16 : 64),
             draft);
  if (llvm::all_of(ops, [](ContractOp op) { return op.mayReorder(); }) &&
      llvm::all_of(accesses, [](const ContractAccess &access) {
        return findSharedIterator(access).has_value();
      }))
    fitSharing(*largest, machine, draft);
  for (;;) {
    SmallVector<ScheduleAttr> schedules;
    for (auto [op, access] : llvm::zip_equal(ops, accesses))
      schedules.push_back(deriveSchedule(draft, lead, op, access));
    if (!findScheduleProblem(ops, accesses, schedules, machine))
      return addVectorsAndStages(ops, accesses, schedules,
                                 largest - accesses.begin(), machine);
    if (draft.staged == 1 && schedules.front().getThread().empty() &&
        schedules.front().getReg().empty())
      return schedules;
    shrink(draft);
  }
}

ScheduleAttr mlir::tc::getDefaultSchedule(ContractOp op,
                                          const ContractAccess &access,
                                          MachineAttr machine) {
  return getDefaultSchedules(op, access, machine).front();
}

// Note [Default schedule]
// ~~~~~~~~~~~~~~~~~~~~~~~
// Result iterators fall into axes by the set of inputs that vary with them. Two
// axes have reuse when both are there: rows and columns. Each gets up to 16
// threads and the square root of the register tile, spread over several
// iterators where one is too short, so that 16^6 results give the same tile as
// a 4096^2 matrix. Factors are chosen to cover an extent with little waste: an
// extent of 24 becomes 2 x 12, one of 31 becomes 2 x 16. An axis too small to
// fill its share leaves threads and registers to the other. Where results are
// few each thread holds fewer of them, so that there are threads at all.
// Without reuse (an element-wise product) all threads
// go along the results and each holds one. A transpose has no reuse either, but
// two directions: its tile is a square of 32 x 32, so that loads and stores are
// of whole sectors. At last neighbours that a thread has anyway go together,
// and copies run ahead, where that is legal (DefaultVectors.h).
