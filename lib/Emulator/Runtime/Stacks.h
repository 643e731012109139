//===- Stacks.h - Memory for the stacks of a block --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stacks outlive launches: mapping a thousand of them takes a while.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_STACKS_H
#define TC_LIB_EMULATOR_RUNTIME_STACKS_H

#include "llvm/Support/Compiler.h"
#include "llvm/Support/Error.h"

#include <memory>

#if LLVM_ADDRESS_SANITIZER_BUILD
extern "C" void __asan_unpoison_stack_memory(uintptr_t address,
                                             uintptr_t bytes);
#endif

namespace tc::emulator {

/// Stacks with a guard page below each.
class StackPool {
public:
  ~StackPool();
  /// Makes room for `count` stacks of at least `bytes`.
  llvm::Error reserve(uint64_t count, uint64_t bytes);
  /// One past the highest byte of a stack; staggered, so that the same variable
  /// of all threads does not compete for the same cache sets.
  char *top(uint64_t index) const {
    return memory + (index + 1) * stackBytes - (index * 192 & 4095 & ~63);
  }
  uint64_t usableBytes() const { return stackBytes - 2 * 4096; }
  /// To call before a stack is used from its top again: frames that were left
  /// there have no meaning to the address sanitizer any more.
  void renew(uint64_t index) const {
#if LLVM_ADDRESS_SANITIZER_BUILD
    __asan_unpoison_stack_memory(uintptr_t(top(index) - usableBytes()),
                                 usableBytes());
#endif
  }

private:
  void clear();

  char *memory = nullptr;
  uint64_t stacks = 0, stackBytes = 0;
};

/// Stacks while a launch needs them: a pool that another one had, or a new one.
class BorrowedStacks {
public:
  BorrowedStacks();
  ~BorrowedStacks();
  StackPool &operator*() { return *pool; }
  StackPool *operator->() { return pool.get(); }

private:
  std::unique_ptr<StackPool> pool;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_STACKS_H
