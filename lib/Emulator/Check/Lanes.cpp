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

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace tc::emulator {

namespace {

/// What the lane of cell `i` leaves in its cells.
[[gnu::always_inline]] inline Cell getOwn(Cell first, uint32_t shift,
                                          uint32_t i) {
  return first + (int64_t(i >> shift) << cell::threadShift);
}

/// Calls the loop with its trip count as a constant where that is usual: 4, 8
/// or 16 bytes of all lanes.
template <typename Loop>
[[gnu::always_inline]] inline auto specialize(const LaneCells &cells,
                                              Loop loop) {
  if (cells.count == 32 && cells.shift == 0)
    return loop(32, 0);
  if (cells.count == 128 && cells.shift == 2)
    return loop(128, 2);
  if (cells.count == 64 && cells.shift == 1)
    return loop(64, 1);
  return loop(cells.count, cells.shift);
}

template <bool HasWrites>
[[gnu::always_inline]] inline bool readLoop(const LaneCells &cells,
                                            const cell::Window &window,
                                            Readers readers, uint64_t salt) {
  // Copies: the compiler must not think that a store changes them.
  const Cell *__restrict write = cells.write;
  Cell *__restrict read = cells.read;
  const Cell first = cells.first;
  const cell::Window reads = window;
  const cell::Window writes{window.unwritten, window.block, window.base, 0};
  const int64_t join = readers == Readers::Nameless ? cell::many : 0;
  const int64_t isNamed = readers == Readers::Named;
  const int64_t coin = readers == Readers::Sampled ? 1 : 0;
  const int64_t strengths = readers == Readers::Nameless ? 3 : 0;
  return specialize(cells, [&](uint32_t count, uint32_t shift) {
    int64_t bad = 0;
    for (uint32_t i = 0; i < count; ++i) {
      Cell own = getOwn(first, shift, i), was = read[i];
      if (HasWrites)
        bad |= !isSettled(write[i], own, writes);
      bool settled = isSettled(was, own, reads);
      bool wins = (int64_t(salt >> (i & 31)) & coin) != 0;
      read[i] = (settled | wins) ? own : (was | join);
      int64_t strength = was >> cell::strengthShift & strengths;
      bad |= int64_t(!settled) & (isNamed | (strength != 0));
    }
    return !bad;
  });
}

[[gnu::always_inline]] inline bool mayWriteLoop(const LaneCells &cells,
                                                const cell::Window &given) {
  const Cell *__restrict write = cells.write;
  const Cell *__restrict read = cells.read;
  const Cell first = cells.first;
  const cell::Window window = given;
  return specialize(cells, [&](uint32_t count, uint32_t shift) {
    int64_t bad = 0;
    for (uint32_t i = 0; i < count; ++i) {
      Cell own = getOwn(first, shift, i);
      bad |= !isSettled(write[i], own, window);
      bad |= !isSettled(read[i], own, window);
    }
    return !bad;
  });
}

[[gnu::always_inline]] inline void writeLoop(const LaneCells &cells) {
  Cell *__restrict write = cells.write;
  const Cell first = cells.first;
  specialize(cells, [&](uint32_t count, uint32_t shift) {
    for (uint32_t i = 0; i < count; ++i)
      write[i] = getOwn(first, shift, i);
  });
}

LaneSteps comparePlain(const uint64_t *addresses, uint64_t bytes) {
  uint32_t follows = 0, stays = 0;
  for (uint32_t lane = 0; lane < 31; ++lane) {
    uint64_t step = addresses[lane + 1] - addresses[lane];
    follows |= uint32_t(step == bytes) << lane;
    stays |= uint32_t(step == 0) << lane;
  }
  return {follows, stays};
}

#ifdef __x86_64__
constexpr auto compareAvx2 = comparePlain;

/// Compilers do not find the masks that the instructions give. The addresses
/// were just stored: loads that straddle those stores would have to wait.
__attribute__((target("avx512f"))) LaneSteps
compareAvx512(const uint64_t *addresses, uint64_t bytes) {
  __m512i stride = _mm512_set1_epi64(bytes), parts[5];
  for (uint32_t i : {0, 1, 2, 3})
    parts[i] = _mm512_loadu_si512(addresses + 8 * i);
  parts[4] = parts[3];
  uint32_t follows = 0, stays = 0;
  for (uint32_t i : {0, 1, 2, 3}) {
    __m512i next = _mm512_alignr_epi64(parts[i + 1], parts[i], 1);
    __m512i step = _mm512_sub_epi64(next, parts[i]);
    follows |= uint32_t(_mm512_cmpeq_epi64_mask(step, stride)) << 8 * i;
    stays |= uint32_t(_mm512_testn_epi64_mask(step, step)) << 8 * i;
  }
  return {follows & LaneSteps::all, stays & LaneSteps::all};
}
#endif

#define TC_LANE_LOOPS(level, attribute)                                        \
  attribute bool read##level(const LaneCells &c, const cell::Window &w,        \
                             Readers readers, uint64_t salt) {                 \
    return readLoop<true>(c, w, readers, salt);                                \
  }                                                                            \
  attribute bool readOnly##level(const LaneCells &c, const cell::Window &w,    \
                                 Readers readers, uint64_t salt) {             \
    return readLoop<false>(c, w, readers, salt);                               \
  }                                                                            \
  attribute bool mayWrite##level(const LaneCells &c, const cell::Window &w) {  \
    return mayWriteLoop(c, w);                                                 \
  }                                                                            \
  attribute void write##level(const LaneCells &c) { writeLoop(c); }            \
  const LaneLoops loops##level = {read##level, readOnly##level,                \
                                  mayWrite##level, write##level,               \
                                  compare##level};

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
