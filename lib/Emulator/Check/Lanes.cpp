//===- Lanes.cpp - Checks of many lanes at once ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain loops without branches, which the compiler turns into vector code. Each
// is compiled once a level; the level is chosen when the program starts.
//
//===----------------------------------------------------------------------===//

#include "Check/Lanes.h"

namespace tc::emulator {

namespace {

/// What the lane of cell `i` leaves in its cells.
[[gnu::always_inline]] inline Cell getOwn(const LaneCells &cells, uint32_t i) {
  return cells.first + (int64_t(i >> cells.shift) << cell::threadShift);
}

template <bool HasWrites>
[[gnu::always_inline]] inline bool
readLoop(const LaneCells &cells, const cell::Window &reads, bool isCoarse) {
  cell::Window writes = reads;
  writes.free = reads.unwritten;
  int64_t bad = 0, join = isCoarse ? cell::many : 0;
  for (uint32_t i = 0; i < cells.count; ++i) {
    Cell own = getOwn(cells, i), was = cells.read[i];
    if (HasWrites)
      bad |= !isSettled(cells.write[i], own, writes);
    bool settled = isSettled(was, own, reads);
    cells.read[i] = settled ? own : was | join;
    bad |= !settled & ((cell::getStrength(was) != 0) | !isCoarse);
  }
  return !bad;
}

[[gnu::always_inline]] inline bool mayWriteLoop(const LaneCells &cells,
                                                const cell::Window &window) {
  int64_t bad = 0;
  for (uint32_t i = 0; i < cells.count; ++i) {
    Cell own = getOwn(cells, i);
    bad |= !isSettled(cells.write[i], own, window);
    bad |= !isSettled(cells.read[i], own, window);
  }
  return !bad;
}

[[gnu::always_inline]] inline void writeLoop(const LaneCells &cells) {
  for (uint32_t i = 0; i < cells.count; ++i)
    cells.write[i] = getOwn(cells, i);
}

[[gnu::always_inline]] inline bool isAffineLoop(const uint64_t *addresses,
                                                uint64_t stride) {
  uint64_t difference = 0;
  for (uint64_t lane = 0; lane < 32; ++lane)
    difference |= addresses[lane] - addresses[0] - lane * stride;
  return !difference;
}

#define TC_LANE_LOOPS(level, attribute)                                        \
  attribute bool read##level(const LaneCells &c, const cell::Window &w,        \
                             bool isCoarse) {                                  \
    return readLoop<true>(c, w, isCoarse);                                     \
  }                                                                            \
  attribute bool readOnly##level(const LaneCells &c, const cell::Window &w,    \
                                 bool isCoarse) {                              \
    return readLoop<false>(c, w, isCoarse);                                    \
  }                                                                            \
  attribute bool mayWrite##level(const LaneCells &c, const cell::Window &w) {  \
    return mayWriteLoop(c, w);                                                 \
  }                                                                            \
  attribute void write##level(const LaneCells &c) { writeLoop(c); }            \
  attribute bool isContiguous##level(const uint64_t *a, uint64_t bytes) {      \
    return isAffineLoop(a, bytes);                                             \
  }                                                                            \
  attribute bool isUniform##level(const uint64_t *a) {                         \
    return isAffineLoop(a, 0);                                                 \
  }                                                                            \
  const LaneLoops loops##level = {read##level,         readOnly##level,        \
                                  mayWrite##level,     write##level,           \
                                  isContiguous##level, isUniform##level};

TC_LANE_LOOPS(Plain, )
#ifdef __x86_64__
TC_LANE_LOOPS(Avx2, __attribute__((target("avx2"))))
TC_LANE_LOOPS(Avx512,
              __attribute__((target("avx512f,avx512vl,avx512bw,avx512dq"))))
#endif

const LaneLoops &choose() {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    return loopsAvx512;
  if (__builtin_cpu_supports("avx2"))
    return loopsAvx2;
#endif
  return loopsPlain;
}

} // namespace

const LaneLoops &getLaneLoops() {
  static const LaneLoops &chosen = choose();
  return chosen;
}

const LaneLoops &getPlainLaneLoops() { return loopsPlain; }

} // namespace tc::emulator
