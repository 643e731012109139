//===- StoreBuffer.h - Stores that others see late --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In adversarial schedules a warp's weak stores reach other warps as late as
// the memory model allows: at a fence, a barrier, a strong access or the end of
// the thread. Stores happen at once; whenever another warp runs, those that are
// still delayed are taken back, and put in place again when their warp goes on.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_MEMORY_STOREBUFFER_H
#define TC_LIB_EMULATOR_RUNTIME_MEMORY_STOREBUFFER_H

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace tc::emulator {

class StoreBuffer {
public:
  /// `bytes` (<= 32) at `pointer` are about to be overwritten.
  void add(char *pointer, uint32_t bytes);
  /// Others may see all stores from now on.
  void flush() {
    stores.clear();
    isHidden = false;
  }
  /// The bytes are about to be freed: nobody sees what was stored there.
  void forget(uint64_t base, uint64_t bytes);
  /// Another warp is about to run; some of the stores become visible to it.
  void hide(std::mt19937_64 &random);
  /// The warp goes on.
  void show() {
    exchange(false);
    isHidden = false;
  }
  /// Puts into a copy of the `bytes` at `from` what is hidden of them.
  void reveal(const char *from, uint32_t bytes, char *copy) const;

private:
  struct Store {
    char *pointer;
    uint32_t bytes;
    std::array<char, 32> other; ///< what memory does not hold at the moment
  };
  void exchange(bool isBackwards);

  std::vector<Store> stores;
  bool isHidden = false;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_MEMORY_STOREBUFFER_H
