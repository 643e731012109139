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

/// Stretches are short: vector loops have masks, and no rest.
#ifdef __clang__
// clang-format off
#define TC_MASKED_LOOP _Pragma("clang loop vectorize_width(8) interleave_count(1) vectorize_predicate(enable)")
// clang-format on
#else
#define TC_MASKED_LOOP
#endif

namespace tc::emulator {

namespace {

/// Calls `body(cell, owner)` for the index of each cell and what it is to hold.
template <typename Body>
[[gnu::always_inline]] inline void forCells(const LaneCells &cells, Body body) {
  const uint32_t *__restrict owners = cells.owners;
  const Cell first = cells.first;
  for (const Stretch &stretch : cells.stretches) {
    const uint64_t at = stretch.first;
    const uint32_t count = stretch.count;
    TC_MASKED_LOOP
    for (uint32_t i = 0; i < count; ++i)
      body(at + i, first + owners[i]);
    owners += count;
  }
}

template <bool HasWrites>
[[gnu::always_inline]] inline bool readLoop(const LaneCells &cells,
                                            const cell::Window &window,
                                            Readers readers, uint64_t salt) {
  // Copies: the compiler must not think that a store changes them.
  const Cell *__restrict write = cells.write;
  Cell *__restrict read = cells.read;
  const cell::Window reads = window;
  const cell::Window writes{window.unwritten, window.block, window.base, 0};
  const int64_t join = readers == Readers::Nameless ? cell::many : 0;
  const int64_t alone = readers == Readers::Nameless ? ~0 : ~cell::many;
  // Bits that may not be set: in what replaces a cell, and in one that stays.
  const int64_t banned = readers == Readers::Named ? cell::many : 0;
  const int64_t kept = readers == Readers::Named      ? ~int64_t(0)
                       : readers == Readers::Nameless ? cell::strengthMask
                                                      : 0;
  const int64_t coin = readers == Readers::Sampled ? 1 : 0;
  bool isFine = true;
  forCells(cells, [&](uint64_t i, Cell own) {
    Cell was = read[i];
    bool settled = isSettled(was, own, reads);
    bool wins = (int64_t(salt >> (i & 31)) & coin) != 0;
    read[i] = (settled | wins) ? own & alone : (was | join);
    isFine &= ((own & banned) | (settled ? 0 : was & kept)) == 0;
    if (HasWrites)
      isFine &= isSettled(write[i], own, writes);
  });
  return isFine;
}

[[gnu::always_inline]] inline bool mayWriteLoop(const LaneCells &cells,
                                                const cell::Window &given) {
  const Cell *__restrict write = cells.write;
  const Cell *__restrict read = cells.read;
  const cell::Window window = given;
  bool isFine = true;
  forCells(cells, [&](uint64_t i, Cell own) {
    isFine &= isSettled(write[i], own, window);
    isFine &= isSettled(read[i], own, window);
  });
  return isFine;
}

[[gnu::always_inline]] inline void writeLoop(const LaneCells &cells) {
  Cell *__restrict write = cells.write;
  forCells(cells, [&](uint64_t i, Cell own) { write[i] = own; });
}

[[gnu::always_inline]] inline bool matchLoop(const uint64_t *a,
                                             const uint64_t *b) {
  uint64_t differ = 0, shift = a[0] - b[0];
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    differ |= (a[lane] - b[lane]) ^ shift;
  return !differ;
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
  attribute bool matches##level(const uint64_t *a, const uint64_t *b) {        \
    return matchLoop(a, b);                                                    \
  }                                                                            \
  const LaneLoops loops##level = {read##level,     readOnly##level,            \
                                  mayWrite##level, write##level,               \
                                  compare##level,  matches##level};

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
