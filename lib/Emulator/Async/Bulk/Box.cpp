//===- Box.cpp - Boxes of tensors that are copied -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Note [im2col]. The pixels of a column are visited along W, then H, D and N,
// in steps, from the base that the coordinates name. A dimension of W, H or D
// that leaves the bounding box goes on at its lower corner, and the next one
// takes a step. The box is that of bases: from the lower corner to the extent
// minus one plus the upper corner. What is read lies `offsets` further, which
// may be outside of the tensor (PTX ISA, section 5.5.4).
//
//===----------------------------------------------------------------------===//

#include "Async/Bulk/Tensor.h"

#include <algorithm>

namespace tc::emulator::bulk {

namespace {

using Place = std::array<int64_t, TensorMap::maxRank>;

bool isInside(const TensorMap &map, const Place &at, unsigned dimension) {
  return at[dimension] >= 0 && uint64_t(at[dimension]) < map.extents[dimension];
}

/// `count` elements along the innermost dimension from `at` on.
BoxRow makeRow(const TensorMap &map, const Place &at, uint32_t count,
               uint64_t shared) {
  uint32_t size = map.getElementBytes();
  BoxRow row;
  row.shared = shared;
  int64_t begin = std::clamp<int64_t>(-at[0], 0, count);
  int64_t end =
      std::clamp<int64_t>(int64_t(map.extents[0]) - at[0], begin, count);
  uint64_t address = map.address + uint64_t(at[0] + begin) * size;
  for (unsigned i = 1; i < map.rank; ++i) {
    address += uint64_t(at[i]) * map.strides[i - 1];
    if (!isInside(map, at, i))
      end = begin;
  }
  row.global = address;
  row.before = uint32_t(begin) * size;
  row.inside = uint32_t(end - begin) * size;
  row.behind = (count - uint32_t(end)) * size;
  return row;
}

std::vector<BoxRow> findTiles(const TensorMap &map, const Coordinates &start) {
  std::vector<BoxRow> rows;
  uint32_t count = map.countElements(0);
  uint64_t bytes = uint64_t(count) * map.getElementBytes(), shared = 0;
  std::array<uint32_t, TensorMap::maxRank> index{};
  for (;;) {
    Place at;
    for (unsigned i = 0; i < TensorMap::maxRank; ++i)
      at[i] = i < map.rank
                  ? int64_t(start[i]) + int64_t(index[i]) * map.steps[i]
                  : 0;
    rows.push_back(makeRow(map, at, count, shared));
    shared += bytes;
    unsigned dimension = 1;
    for (; dimension < map.rank; ++dimension) {
      if (++index[dimension] < map.countElements(dimension))
        break;
      index[dimension] = 0;
    }
    if (dimension >= map.rank)
      return rows;
  }
}

std::vector<BoxRow>
findPixels(const TensorMap &map, const Coordinates &start,
           const std::array<uint32_t, TensorMap::maxRank - 2> &offsets) {
  std::vector<BoxRow> rows;
  uint64_t bytes = uint64_t(map.channels) * map.getElementBytes();
  Place base{};
  std::copy_n(start.begin(), map.rank, base.begin());
  unsigned last = map.rank - 1;
  for (uint32_t pixel = 0; pixel < map.pixels; ++pixel) {
    Place at = base;
    for (unsigned i = 1; i < last; ++i)
      at[i] += offsets[i - 1];
    rows.push_back(makeRow(map, at, map.channels, pixel * bytes));
    unsigned dimension = 1;
    for (; dimension < last; ++dimension) {
      base[dimension] += map.steps[dimension];
      int64_t most =
          int64_t(map.extents[dimension]) - 1 + map.upper[dimension - 1];
      if (base[dimension] <= most)
        break;
      base[dimension] = map.lower[dimension - 1];
    }
    if (dimension == last)
      base[last] += map.steps[last];
  }
  return rows;
}

} // namespace

std::vector<BoxRow>
findRows(const TensorMap &map, const Coordinates &at,
         const std::array<uint32_t, TensorMap::maxRank - 2> &offsets) {
  return map.kind == TensorMap::Kind::Tiled ? findTiles(map, at)
                                            : findPixels(map, at, offsets);
}

} // namespace tc::emulator::bulk
