//===- Touched.cpp - Which bytes were touched -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most accesses go to the page of the last one, or to a full page.
//
//===----------------------------------------------------------------------===//

#include "Count/Touched.h"

#include "llvm/ADT/bit.h"

#include <algorithm>

namespace tc::emulator {

/// Bits [begin, end) of word `word` of a page, in offsets from the page.
static uint64_t getMask(uint64_t word, uint64_t begin, uint64_t end) {
  uint64_t first = word * 64;
  uint64_t low = std::max(begin, first) - first;
  uint64_t high = std::min(end, first + 64) - first;
  return (high - low == 64 ? ~0ull : (uint64_t(1) << (high - low)) - 1) << low;
}

Touched::Page &Touched::getPage(uint64_t number) {
  if (number != lastNumber) {
    auto [it, isNew] = index.try_emplace(number, pages.size());
    if (isNew)
      pages.emplace_back();
    lastNumber = number;
    lastIndex = it->second;
  }
  return pages[lastIndex];
}

void Touched::addBits(Page &page, unsigned word, uint64_t bits) {
  uint64_t &old = (*page.bits)[word];
  page.bytes += llvm::popcount(bits & ~old);
  old |= bits;
}

void Touched::shrink(Page &page) {
  if (page.bytes == pageBytes)
    page.bits.reset();
}

void Touched::add(uint64_t begin, uint64_t end) {
  while (begin < end) {
    uint64_t start = begin & ~(pageBytes - 1);
    uint64_t first = begin - start, last = std::min(end - start, pageBytes);
    Page &page = getPage(begin >> pageShift);
    begin = start + last;
    if (page.bytes == pageBytes)
      continue;
    if (!page.bits)
      page.bits = std::make_unique<std::array<uint64_t, words>>();
    for (uint64_t word = first / 64; word * 64 < last; ++word)
      addBits(page, word, getMask(word, first, last));
    shrink(page);
  }
}

void Touched::add(const Touched &other) {
  for (auto [number, at] : other.index) {
    Page &page = getPage(number);
    const Page &from = other.pages[at];
    if (page.bytes == pageBytes)
      continue;
    if (!page.bits)
      page.bits = std::make_unique<std::array<uint64_t, words>>();
    for (unsigned word = 0; word < words; ++word)
      addBits(page, word, from.bits ? (*from.bits)[word] : ~0ull);
    shrink(page);
  }
}

Distinct Touched::countPage(const Page &page, uint64_t first, uint64_t last) {
  Distinct sum;
  for (uint64_t word = first / 64; word * 64 < last; ++word) {
    uint64_t bits = page.bits ? (*page.bits)[word] : ~0ull;
    bits &= getMask(word, first, last);
    sum.bytes += llvm::popcount(bits);
    sum.sectors += ((bits << 32) != 0) + ((bits >> 32) != 0);
  }
  return sum;
}

Distinct Touched::count(uint64_t begin, uint64_t end) const {
  Distinct sum;
  auto add = [&](uint64_t number, uint32_t at) {
    uint64_t start = number << pageShift;
    if (start >= end || start + pageBytes <= begin)
      return;
    uint64_t first = begin > start ? begin - start : 0;
    Distinct page =
        countPage(pages[at], first, std::min(end - start, pageBytes));
    sum.bytes += page.bytes;
    sum.sectors += page.sectors;
  };
  if (begin >= end)
    return sum;
  uint64_t low = begin >> pageShift, high = (end - 1) >> pageShift;
  if (high - low >= index.size()) {
    for (auto [number, at] : index)
      add(number, at);
    return sum;
  }
  for (uint64_t number = low; number <= high; ++number)
    if (auto it = index.find(number); it != index.end())
      add(number, it->second);
  return sum;
}

} // namespace tc::emulator
