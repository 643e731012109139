//===- Span.h - Where a launch touched an allocation ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_SPAN_H
#define TC_LIB_EMULATOR_CHECK_SPAN_H

#include "llvm/Support/Compiler.h"

#include <algorithm>
#include <bitset>
#include <cstdint>

namespace tc::emulator {

/// Stripes of an allocation, at most 4096 of one size, that were touched, and
/// the bytes between the first and the last one: of gigabytes of memory, of
/// which a launch touches little, the rest is never looked at.
class Span {
public:
  void note(uint64_t base, uint64_t bytes, uint64_t address, uint64_t size) {
    low = std::min(low, address);
    high = std::max(high, address + size);
    // Accesses are mostly near the one before.
    if (address < recent || address + size > recent + (uint64_t(1) << shift))
      noteStripes(base, bytes, address, size);
  }
  void clear() { *this = Span(); }

  /// Calls `visit(begin, end)` for each stretch of stripes that were touched.
  template <typename Visit>
  void forEach(uint64_t base, Visit visit) const {
    for (uint64_t i = 0; i < stripes; ++i) {
      if (!touched.test(i))
        continue;
      uint64_t first = i;
      while (i + 1 < stripes && touched.test(i + 1))
        ++i;
      visit(std::max(low, base + (first << shift)),
            std::min(high, base + ((i + 1) << shift)));
    }
  }

private:
  static constexpr uint64_t stripes = 4096;

  LLVM_ATTRIBUTE_NOINLINE void noteStripes(uint64_t base, uint64_t bytes,
                                           uint64_t address, uint64_t size) {
    if (shift == 0)
      for (shift = 12; bytes >> shift >= stripes; ++shift)
        ;
    uint64_t last = (address + size - 1 - base) >> shift;
    for (uint64_t i = (address - base) >> shift; i <= last; ++i)
      touched.set(i);
    recent = base + (last << shift);
  }

  uint64_t low = UINT64_MAX, high = 0;
  uint64_t recent = UINT64_MAX; ///< where the stripe noted last begins
  unsigned shift = 0; ///< log2 of the bytes of a stripe; 0: not known yet
  std::bitset<stripes> touched;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_SPAN_H
