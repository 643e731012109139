//===- Scheduler.h - Threads of one block as fibers -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the threads of a block in turns: a thread runs until it waits at a
// barrier or ends, then the next one that can run goes on. Order: by linear
// index, so every run is the same.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_SCHEDULER_H
#define TC_LIB_EMULATOR_RUNTIME_SCHEDULER_H

#include "Runtime/Launch.h"

#include <boost/context/detail/fcontext.hpp>

namespace tc::emulator {

/// Memory for the stacks of a block's threads, each with a guard page below.
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

private:
  void clear();

  char *memory = nullptr;
  uint64_t stacks = 0, stackBytes = 0;
};

class Scheduler {
public:
  Scheduler(Launch &launch, StackPool &stacks);

  /// Runs a block to its end or to the first fault.
  void run();

  bool waitAtBarrier(ThreadState *thread, uint32_t id, uint32_t count,
                     uint32_t site);
  bool waitInWarp(ThreadState *thread, uint32_t mask, uint32_t site);

private:
  static constexpr unsigned barriers = 16, warpSize = 32, maxWarps = 32;

  enum class Status : uint8_t { Ready, AtBarrier, InWarp, Done };

  struct Fiber {
    ThreadState thread; ///< first: the runtime gets its address
    boost::context::detail::fcontext_t context = nullptr;
    Status status = Status::Ready;
    uint32_t barrier = 0; ///< or the mask of a warp barrier
    uint32_t site = 0;
  };

  struct Barrier {
    uint32_t count = 0; ///< threads it waits for; 0 for all of the block
    uint32_t arrived = 0;
    uint32_t inWarp[maxWarps] = {};
    uint32_t siteOfWarp[maxWarps] = {};
  };

  Fiber &fiberOf(ThreadState *thread) {
    return *reinterpret_cast<Fiber *>(thread);
  }
  static void enter(boost::context::detail::transfer_t transfer);
  void start();
  void resume(Fiber &fiber);
  void finish(Fiber &fiber);
  /// Goes on with another thread, or ends the run when none can.
  void yield();
  Fiber *findReady();
  bool isComplete(const Barrier &barrier) const;
  void release(uint32_t id);
  void releaseWarp(uint32_t warp, uint32_t mask);
  void reportDeadlock();
  bool checkArrival(Fiber &fiber, uint32_t id, uint32_t count, uint32_t site);

  Launch &launch;
  StackPool &stacks;
  std::vector<Fiber> fibers;
  Barrier table[barriers];
  uint32_t liveInWarp[maxWarps] = {};
  uint32_t live = 0;
  Fiber main; ///< stands for the host's own stack
  Fiber *current = nullptr, *previous = nullptr;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_SCHEDULER_H
