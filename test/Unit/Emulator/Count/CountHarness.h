//===- CountHarness.h - Access patterns for tests ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The addresses of a warp's lanes as functions of the lane.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_COUNTHARNESS_H
#define TC_TEST_UNIT_EMULATOR_COUNTHARNESS_H

#include "Count/Counter.h"
#include "Count/Pattern.h"

#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

namespace tc::emulator::test {

using Pattern = std::array<uint64_t, warpSize>;
constexpr uint32_t allLanes = ~0u;

/// `address(lane)` for each lane.
template <typename F>
Pattern make(F address) {
  Pattern pattern;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    pattern[lane] = address(lane);
  return pattern;
}

/// Lanes `bytes` apart.
inline Pattern stride(uint64_t bytes, uint64_t offset = 0) {
  return make([=](unsigned lane) { return lane * bytes + offset; });
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_COUNTHARNESS_H
