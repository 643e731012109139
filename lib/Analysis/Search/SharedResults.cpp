//===- SharedResults.cpp - Threads that gather a result together ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Shared results] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Saturating.h"
#include "Search/Draft.h"

#include "tc/Analysis/Tiles.h"
#include "tc/Target/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::tc;

/// Terms that a thread has of a result that threads share: with reuse, without
/// it, and without it where there would be too few threads.
static constexpr int64_t kTermsWithReuse = 64;
static constexpr int64_t kTermsOfThread = 16;
static constexpr int64_t kFewestTerms = 4;
/// Results for which a thread keeps what it has read of another input.
static constexpr int64_t kResultsOfRead = 4;
/// Fewer terms than this are for one thread.
static constexpr int64_t kShortSum = 32;

/// The input with the most elements.
static const Access *findLargestInput(const ContractAccess &access) {
  return llvm::max_element(
      access.inputs, [&](const Access &a, const Access &b) {
        auto count = [&](const Access &input) {
          return countPoints(access,
                             [&](unsigned i) { return input.variesWith(i); });
        };
        return count(a) < count(b);
      });
}

std::optional<unsigned>
mlir::tc::findSharedIterator(const ContractAccess &access) {
  const Access *input = findLargestInput(access);
  std::optional<unsigned> densest, longest;
  for (unsigned i = 0, e = access.getNumIterators(); i < e; ++i) {
    if (access.contracted[i] &&
        (!longest ||
         access.nominalExtents[i] > access.nominalExtents[*longest]))
      longest = i;
    if (input != access.inputs.end() && input->variesWith(i) &&
        (!densest ||
         std::abs(input->nominal[i]) < std::abs(input->nominal[*densest])))
      densest = i;
  }
  if (densest && access.contracted[*densest] &&
      access.nominalExtents[*densest] >= kShortSum)
    return densest;
  return longest;
}

/// Does the largest input lie densest along iterator `i`?
static bool isDensest(const ContractAccess &access, unsigned i) {
  const Access &input = *findLargestInput(access);
  return input.variesWith(i) &&
         llvm::none_of(llvm::seq(access.getNumIterators()), [&](unsigned j) {
           return input.variesWith(j) && access.nominalExtents[j] > 1 &&
                  std::abs(input.nominal[j]) < std::abs(input.nominal[i]);
         });
}

int64_t mlir::tc::fitVector(ContractOp op, const ContractAccess &access,
                            unsigned shared, int64_t threads) {
  const Access &input = *findLargestInput(access);
  Value operand = op.getInputs()[&input - access.inputs.begin()];
  int64_t bytes = getElementBytes(cast<ShapedType>(operand.getType()));
  auto divides = [](int64_t value, int64_t vector) {
    return !ShapedType::isDynamic(value) && value % vector == 0;
  };
  for (int64_t vector : {4, 2})
    if (vector * bytes <= kMaxAccessBytes && input.strides[shared] == 1 &&
        divides(access.extents[shared], vector) &&
        access.extents[shared] >= vector * threads &&
        divides(input.offset, vector) &&
        llvm::all_of(llvm::enumerate(input.strides), [&](auto stride) {
          return stride.index() == shared || divides(stride.value(), vector);
        }))
      return vector;
  return 1;
}

/// Threads that can share a result along `shared` and have `terms` each.
static int64_t countSharing(const ContractAccess &access, unsigned shared,
                            int64_t terms) {
  if (ShapedType::isDynamic(access.extents[shared]))
    return kBlockThreads;
  int64_t threads = access.nominalExtents[shared] / terms;
  return std::clamp<int64_t>(llvm::bit_floor<uint64_t>(threads), 1,
                             kBlockThreads);
}

/// Threads along all result iterators.
static int64_t countThreads(const ContractAccess &access, const Draft &draft) {
  int64_t threads = 1;
  for (unsigned i = 0, e = access.getNumIterators(); i < e; ++i)
    threads = multiply(threads, draft.thread[i]);
  return threads;
}

/// Lanes along a contracted iterator: as many of the threads of a block as have
/// terms, and others for further results.
static void fitLanesOfSums(const ContractAccess &access, MachineAttr machine,
                           ArrayRef<Axis> axes, unsigned shared, Draft &draft) {
  int64_t results =
      countPoints(access, [&](unsigned i) { return !access.contracted[i]; });
  int64_t wanted = 2 * machine.getMultiprocessors() * kBlockThreads;
  int64_t sharing = countSharing(access, shared, kTermsOfThread);
  if (multiply(results, sharing) < wanted)
    sharing = countSharing(access, shared, kFewestTerms);
  // What is read for several results is kept for them, where there are enough.
  int64_t registers =
      multiply(results, sharing) < kResultsOfRead * wanted ? 1 : kResultsOfRead;
  int64_t threads = kBlockThreads / sharing;
  for (const Axis &axis : axes) {
    bool reused = axis.inputs != getAllInputs(access);
    fitAxis(axis, access, threads, reused ? registers : 1, draft);
    threads = std::max<int64_t>(threads / getProduct(draft.thread, axis), 1);
    registers = std::max<int64_t>(registers / getProduct(draft.reg, axis), 1);
  }
}

/// Lanes along results: a block has one warp of them where larger ones would
/// leave multiprocessors without a block.
static void fitLanesOfResults(const ContractAccess &access, MachineAttr machine,
                              ArrayRef<Axis> axes, Draft &draft) {
  int64_t results =
      countPoints(access, [&](unsigned i) { return !access.contracted[i]; });
  if (results / countThreads(access, draft) >= 2 * machine.getMultiprocessors())
    return;
  int64_t threads = machine.getWarpSize();
  for (const Axis &axis : axes) {
    fitAxis(axis, access, threads, 1, draft);
    threads = std::max<int64_t>(threads / getProduct(draft.thread, axis), 1);
  }
}

void mlir::tc::fitSharing(const ContractAccess &access, MachineAttr machine,
                          Draft &draft) {
  unsigned shared = *findSharedIterator(access);
  if (access.inputs.empty() || access.nominalExtents[shared] < kShortSum)
    return;
  SmallVector<Axis> axes = getAxes(access);
  uint64_t all = getAllInputs(access);
  bool hasReuse = llvm::count_if(axes, [&](const Axis &axis) {
                    return axis.inputs != 0 && axis.inputs != all;
                  }) > 1;
  draft.fastest = !hasReuse && isDensest(access, shared);
  if (draft.fastest)
    fitLanesOfSums(access, machine, axes, shared, draft);
  else if (!hasReuse)
    fitLanesOfResults(access, machine, axes, draft);
  int64_t terms = hasReuse ? kTermsWithReuse : kFewestTerms;
  uint64_t rest = std::min(kBlockThreads / countThreads(access, draft),
                           countSharing(access, shared, terms));
  draft.sharing = std::max<int64_t>(llvm::bit_floor(rest), 1);
}

// Note [Shared results]
// ~~~~~~~~~~~~~~~~~~~~~
// Where terms may be reordered, threads may share a result: each has a part of
// the terms. Rows and columns have reuse among the threads of a block, so there
// only threads that no result is for are given to a contracted iterator.
// Without reuse what counts is how the largest input is read. Where it lies
// densest along a contracted iterator, lanes go along that, in vectors where
// rows are whole ones, and as many threads as leave each some terms; the
// results get the others, and registers where results are plenty: a row of a
// matrix-vector product is read once, the vector for each row. Where it lies
// densest along the results, lanes stay there; but where that would leave
// multiprocessors without a block, a block has one warp of results, and eight
// warps share them.
