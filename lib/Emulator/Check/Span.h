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

/// Stripes of an allocation, at most 4096 of one size, that were touched. A
/// launch that touches little of gigabytes of memory is compared by that little
/// alone.
class Span {
public:
  /// The allocation has `bytes` at `base`.
  void note(uint64_t base, uint64_t bytes, uint64_t address, uint64_t size) {
    uint64_t first = (address - base) >> shift,
             last = (address - base + size - 1) >> shift;
    // Most accesses are where others were before.
    if (last - first > 1 || !touched[first] || !touched[last])
      noteStripes(bytes, address - base, size);
  }
  void clear() { *this = Span(); }

  /// Calls `visit(begin, end)` for each stretch of stripes that were touched.
  template <typename Visit>
  void forEach(uint64_t base, uint64_t bytes, Visit visit) const {
    for (uint64_t i = 0; i < stripes; ++i) {
      if (!touched[i])
        continue;
      uint64_t first = i;
      while (i + 1 < stripes && touched[i + 1])
        ++i;
      visit(base + (first << shift), base + std::min(bytes, (i + 1) << shift));
    }
  }

private:
  static constexpr uint64_t stripes = 4096;
  static constexpr unsigned unknown = 63;

  LLVM_ATTRIBUTE_NOINLINE void noteStripes(uint64_t bytes, uint64_t offset,
                                           uint64_t size) {
    if (shift == unknown)
      for (shift = 12; bytes >> shift >= stripes; ++shift)
        ;
    uint64_t last = (offset + size - 1) >> shift;
    for (uint64_t i = offset >> shift; i <= last; ++i)
      touched.set(i);
  }

  unsigned shift = unknown; ///< log2 of the bytes of a stripe
  std::bitset<stripes> touched;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_SPAN_H
