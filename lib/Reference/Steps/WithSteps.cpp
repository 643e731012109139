//===- WithSteps.cpp - Arrays that partitions give ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One iteration for each element of the arrays, which runs the last partition
// that has its index, as the definition of tc.with says.
//
//===----------------------------------------------------------------------===//

#include "Steps/Steps.h"
#include "Values/Ranges.h"

#include "tc/IR/TC.h"

using namespace llvm;

namespace mlir::tc::reference {

namespace {
/// A partition as steps.
struct Part {
  PartitionOp op;
  Steps body;
  /// The places of the indices, and of what is yielded.
  SmallVector<unsigned> indices, elements;
};
} // namespace

/// The index spaces of the partitions, each within the arrays of `sizes`.
static Expected<SmallVector<Ranges>>
getSpaces(ArrayRef<Part> parts, ArrayRef<int64_t> sizes, State &state) {
  SmallVector<Ranges> spaces;
  for (const Part &part : parts) {
    Expected<Ranges> ranges = getRangesOf(part.op, state);
    if (!ranges)
      return ranges.takeError();
    bool isEmpty = any_of(
        *ranges, [](const Range &range) { return range.lower >= range.upper; });
    for (auto [d, range, size] : enumerate(*ranges, sizes))
      if (!isEmpty && (range.lower < 0 || range.upper > size))
        return createStringError(formatv(
            "expected bounds of a partition within dimension {0}, which has "
            "extent {1}, got ({2}) to ({3})",
            d, size, range.lower, range.upper));
    spaces.push_back(std::move(*ranges));
  }
  return spaces;
}

static bool contains(ArrayRef<Range> space, ArrayRef<int64_t> index) {
  return all_of(zip_equal(space, index), [](auto pair) {
    auto [range, i] = pair;
    return i >= range.lower && i < range.upper &&
           (i - range.lower) % range.step < range.width;
  });
}

/// Stores the scalars at `places` to the elements of `outputs` at `index`.
static Error store(ArrayRef<unsigned> places, ArrayRef<unsigned> outputs,
                   ArrayRef<int64_t> index, State &state) {
  for (auto [place, output] : zip_equal(places, outputs)) {
    const View &view = state.view(output);
    int64_t at = view.offset;
    for (auto [i, stride] : zip_equal(index, view.strides))
      at += i * stride;
    view.at(at) = state.scalar(place);
    if (Error error = state.record(view, at, Independence::write))
      return error;
  }
  return Error::success();
}

static Error compile(WithOp op, Steps &steps, State &state) {
  SmallVector<Part, 4> parts;
  for (PartitionOp partition : op.getPartitions()) {
    Part &part = parts.emplace_back();
    part.op = partition;
    part.indices = state.numbersOf(partition.getIndices());
    part.elements = state.numbersOf(getYielded(partition.getRegion()));
    if (Error error = part.body.append(*partition.getBody(), state))
      return error;
  }
  SmallVector<unsigned> outputs = state.numbersOf(op.getOutputs()),
                        defaults = state.numbersOf(op.getDefaults());
  OpTable::appendStep(
      op, steps, state,
      [=, parts = std::move(parts)](State &state) mutable -> Error {
        SmallVector<int64_t> sizes = state.view(outputs.front()).sizes;
        for (unsigned output : outputs)
          if (ArrayRef(state.view(output).sizes) != ArrayRef(sizes))
            return createStringError("expected arrays of one shape");
        auto spaces = getSpaces(parts, sizes, state);
        if (!spaces)
          return spaces.takeError();
        Ranges whole;
        for (int64_t size : sizes)
          whole.push_back({0, size, 1, 1});
        // The indices of the first are those of the loop.
        ArrayRef<unsigned> places = parts.front().indices;
        return forEachIndex(op, whole, places, state, [&]() -> Error {
          SmallVector<int64_t> index;
          for (unsigned place : places)
            index.push_back(state.scalar(place).integer);
          for (size_t number = parts.size(); number-- > 0;) {
            Part &part = parts[number];
            if (!contains((*spaces)[number], index))
              continue;
            for (auto [place, i] : zip_equal(part.indices, index))
              state.scalar(place) = Scalar::ofInteger(i);
            if (Error error = part.body.run(state))
              return error;
            return store(part.elements, outputs, index, state);
          }
          return defaults.empty() ? Error::success()
                                  : store(defaults, outputs, index, state);
        });
      });
  return Error::success();
}

void addWithSteps(OpTable &table) {
  table.addSteps<WithOp>([](WithOp op, Steps &steps, State &state) {
    return compile(op, steps, state);
  });
}

} // namespace mlir::tc::reference
