//===- SampledPlace.cpp - Where a sampled tile begins ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cost/SampledPlace.h"

#include "tc/Analysis/Requests.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

/// Multiples of odd fractions.
int64_t mlir::tc::pick(unsigned sample, unsigned coordinate, int64_t count) {
  static constexpr uint32_t fractions[] = {0x9e3779b9, 0xc13fa9a9, 0x91e10da5,
                                           0xd1b54a33, 0xabc98389, 0x8cb92ba7,
                                           0xe19b01ab, 0xaef17503};
  uint32_t fraction = fractions[coordinate % std::size(fractions)] * sample;
  return int64_t((uint64_t(fraction) * uint64_t(count)) >> 32);
}

int64_t SampledPlace::add(unsigned iterator, unsigned coordinate, int64_t count,
                          int64_t points) {
  int64_t gone = pick(sample, coordinate, count) * points;
  element += gone * array.nominal[iterator];
  taken.push_back({count, points * array.nominal[iterator] * array.bytes});
  return gone;
}

int64_t SampledPlace::getElement() const {
  // Steps that are enough to come round reach all multiples of `unit` equally
  // often, whatever the others add.
  int64_t unit = kLineBytes;
  auto comesRound = [&](const Steps &steps) {
    int64_t common = std::gcd(unit, steps.bytes);
    return common < unit && steps.count >= unit / common;
  };
  const Steps *steps = nullptr;
  while ((steps = llvm::find_if(taken, comesRound)) != taken.end())
    unit = std::gcd(unit, steps->bytes);
  // The odd factor has few samples spread over a sector as over a line.
  int64_t turn = 13 * int64_t(sample) % (kLineBytes / unit);
  int64_t begin = element * array.bytes;
  int64_t shift =
      llvm::mod(begin, unit) + turn * unit - llvm::mod(begin, kLineBytes);
  return element + shift / array.bytes;
}
