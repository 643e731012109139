//===- StoreBuffer.cpp - Stores that others see late ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Later stores to the same place are taken back before earlier ones.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Memory/StoreBuffer.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

namespace tc::emulator {

/// Stores that are kept back at most; older ones become visible.
static constexpr size_t mostStores = 4096;

void StoreBuffer::add(char *pointer, uint32_t bytes) {
  if (stores.size() == mostStores)
    flush();
  Store store{pointer, bytes, {}};
  std::memcpy(store.other.data(), pointer, bytes);
  stores.push_back(store);
}

void StoreBuffer::forget(uint64_t base, uint64_t bytes) {
  llvm::erase_if(stores, [&](const Store &store) {
    return reinterpret_cast<uint64_t>(store.pointer) - base < bytes;
  });
}

void StoreBuffer::reveal(const char *from, uint32_t bytes, char *copy) const {
  if (!isHidden)
    return;
  // Of several stores to the same bytes, the last one's are those that count.
  for (const Store &store : stores)
    for (uint32_t i = 0; i < bytes; ++i)
      if (from + i >= store.pointer && from + i < store.pointer + store.bytes)
        copy[i] = store.other[from + i - store.pointer];
}

void StoreBuffer::exchange(bool isBackwards) {
  auto swap = [](Store &store) {
    std::swap_ranges(store.pointer, store.pointer + store.bytes,
                     store.other.data());
  };
  if (isBackwards)
    std::for_each(stores.rbegin(), stores.rend(), swap);
  else
    std::for_each(stores.begin(), stores.end(), swap);
}

void StoreBuffer::hide(std::mt19937_64 &random) {
  // A store may overtake an earlier one only to another place: from one on that
  // becomes visible, all to the same bytes do.
  std::vector<Store> late;
  for (const Store &store : stores) {
    bool follows = std::any_of(late.begin(), late.end(), [&](const Store &o) {
      return store.pointer < o.pointer + o.bytes &&
             o.pointer < store.pointer + store.bytes;
    });
    if (follows || random() % 4)
      late.push_back(store);
  }
  stores = std::move(late);
  exchange(true);
  isHidden = true;
}

} // namespace tc::emulator
