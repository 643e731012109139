//===- TensorModel.h - Boxes of tensors, element by element -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a box holds, from the documents' words and apart from the library's
// code: which element of the tensor comes at which place.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_BULK_TENSORMODEL_H
#define TC_TEST_UNIT_EMULATOR_BULK_TENSORMODEL_H

#include "tc/Emulator/TensorMap.h"

#include <functional>
#include <vector>

namespace tc::emulator::test {

using Index = std::array<int64_t, 5>;

/// Where the 16-byte chunk that begins at `offset` of a box is put, by rows of
/// the swizzle: 128 bytes exchange eight chunks by the row modulo 8, 64 bytes
/// four by half of it, 32 bytes two by a quarter of it.
inline uint64_t placeChunk(uint64_t offset, unsigned swizzle) {
  if (!swizzle)
    return offset;
  uint64_t span = 16u << swizzle, row = offset / span;
  uint64_t chunk = offset % span / 16;
  uint64_t key = swizzle == 3   ? row % 8
                 : swizzle == 2 ? row / 2 % 4
                                : row / 4 % 2;
  return row * span + (chunk ^ key) * 16 + offset % 16;
}

/// Calls `body(index of the element, its offset in the box)`, in order.
inline void forTile(const TensorMap &map, const Index &at,
                    const std::function<void(const Index &, uint64_t)> &body) {
  uint64_t counts[5];
  for (unsigned i = 0; i < 5; ++i) {
    uint32_t step = i ? map.steps[i] : 1;
    counts[i] = i < map.rank ? (map.box[i] + step - 1) / step : 1;
  }
  uint64_t offset = 0;
  Index index{};
  for (uint64_t e = 0; e < counts[4]; ++e)
    for (uint64_t d = 0; d < counts[3]; ++d)
      for (uint64_t c = 0; c < counts[2]; ++c)
        for (uint64_t b = 0; b < counts[1]; ++b)
          for (uint64_t a = 0; a < counts[0]; ++a) {
            uint64_t moved[5] = {a, b, c, d, e};
            for (unsigned i = 0; i < 5; ++i)
              index[i] = at[i] + int64_t(moved[i] * (i ? map.steps[i] : 1));
            body(index, offset);
            offset += map.getElementBytes();
          }
}

/// The same for im2col: pixels one after the other through the bounding box.
inline void
forPixels(const TensorMap &map, const Index &at, const Index &offsets,
          const std::function<void(const Index &, uint64_t)> &body) {
  Index base = at;
  unsigned images = map.rank - 1;
  uint64_t offset = 0;
  for (unsigned pixel = 0; pixel < map.pixels; ++pixel) {
    for (unsigned channel = 0; channel < map.channels; ++channel) {
      Index index = base;
      index[0] += channel;
      for (unsigned i = 1; i < images; ++i)
        index[i] += offsets[i - 1];
      body(index, offset);
      offset += map.getElementBytes();
    }
    // W is the fastest; the image the slowest.
    bool isCarried = true;
    for (unsigned i = 1; i < images && isCarried; ++i) {
      base[i] += map.steps[i];
      isCarried = base[i] >= int64_t(map.extents[i]) + map.upper[i - 1];
      if (isCarried)
        base[i] = map.lower[i - 1];
    }
    if (isCarried)
      base[images] += map.steps[images];
  }
}

/// The address of an element, or nothing outside of the tensor.
inline std::optional<uint64_t> findElement(const TensorMap &map,
                                           const Index &index) {
  uint64_t offset = index[0] * map.getElementBytes();
  for (unsigned i = 0; i < map.rank; ++i) {
    if (index[i] < 0 || index[i] >= int64_t(map.extents[i]))
      return std::nullopt;
    if (i)
      offset += index[i] * map.strides[i - 1];
  }
  return offset;
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_BULK_TENSORMODEL_H
