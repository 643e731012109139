//===- Touched.h - Which bytes were touched ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An exact set of bytes of global memory: a bit a byte, in pages of 4 KiB that
// exist once touched and lose their bits once full.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_COUNT_TOUCHED_H
#define TC_LIB_EMULATOR_COUNT_TOUCHED_H

#include "tc/Emulator/Counts.h"

#include "llvm/ADT/DenseMap.h"

#include <array>
#include <memory>

namespace tc::emulator {

class Touched {
public:
  Touched() = default;
  Touched(Touched &&) = default;
  Touched &operator=(Touched &&) = default;

  /// Adds the bytes [begin, end).
  void add(uint64_t begin, uint64_t end);
  void add(const Touched &other);
  Distinct count() const { return count(0, ~0ull); }
  /// Of the bytes [begin, end).
  Distinct count(uint64_t begin, uint64_t end) const;

private:
  static constexpr unsigned pageShift = 12, words = 64;
  static constexpr uint64_t pageBytes = uint64_t(1) << pageShift;
  struct Page {
    uint32_t bytes = 0; ///< touched; `pageBytes`: all, and no bits kept
    std::unique_ptr<std::array<uint64_t, words>> bits;
  };

  Page &getPage(uint64_t number);
  static void addBits(Page &page, unsigned word, uint64_t bits);
  static void shrink(Page &page);
  /// Of the bytes at offsets [first, last).
  static Distinct countPage(const Page &page, uint64_t first, uint64_t last);

  llvm::DenseMap<uint64_t, uint32_t> index; ///< into `pages`
  std::vector<Page> pages;
  uint64_t lastNumber = ~0ull; ///< of the page used last
  uint32_t lastIndex = 0;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_COUNT_TOUCHED_H
