//===- State.h - What compiled kernels see of the runtime -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structs a compiled kernel reads while it runs, and the functions of the
// runtime it calls. The translator takes offsets from here, so these stay plain
// data.
//
// Addresses: global, const and param memory are host addresses, and so is every
// generic one. Shared and local addresses are offsets: shared memory starts at
// `sharedStart`, local memory at `localStart`, so that null is in neither.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_STATE_H
#define TC_LIB_EMULATOR_RUNTIME_STATE_H

#include <cstdint>

namespace tc::emulator {

constexpr unsigned warpSize = 32;
constexpr uint64_t sharedStart = 1024;
constexpr uint64_t localStart = 1024;
/// Accesses of 1, 2, 4, 8, 16 and 32 bytes.
constexpr unsigned accessSizes = 6;

/// The allocation that one access of the kernel hit last. An address is fine if
/// `rotr(address - base, log2(size)) < count`: a misaligned one turns huge.
struct Slot {
  uint64_t base = 0;
  uint64_t count = 0;
};

/// How many accesses of 2^shift bytes fit into `bytes`.
inline uint64_t countAccesses(uint64_t bytes, unsigned shift) {
  return bytes >> shift;
}

struct BlockState {
  uint32_t blockDim[3];
  uint32_t gridDim[3];
  uint32_t blockIndex[3];
  uint32_t dynamicShared;
  uint32_t totalShared;
  char *shared; ///< host address of `sharedStart`
  uint64_t sharedCount[accessSizes];
  char *parameters;
  Slot *slots; ///< one per access through global or generic addresses
  void *launch;
};

struct ThreadState {
  BlockState *block;
  uint32_t index[3];
  uint32_t linear; ///< x fastest
  char *local;     ///< host address of `localStart`, if the kernel tells it
};

/// A warp: lane i is bit i of every mask.
struct WarpState {
  BlockState *block;
  uint32_t index;  ///< in its block
  uint32_t exists; ///< lanes that a thread stands for
  uint32_t tid[3][warpSize];
  char *local; ///< host address of lane 0's `localStart`, if there is any
};

/// A compiled kernel runs one thread to its end. Waiting happens inside.
using KernelFunction = void (*)(ThreadState *, BlockState *);

} // namespace tc::emulator

extern "C" {
/// Looks the address of access `site` up and refreshes its slot. False: a fault
/// was recorded and the thread must end.
bool tc_emulator_check(tc::emulator::ThreadState *thread, uint64_t address,
                       uint32_t site);
/// Waits at barrier `id` for `count` threads (0: all of the block). `site` is
/// the instruction's index among the kernel's sites. False: the thread must
/// end.
bool tc_emulator_barrier(tc::emulator::ThreadState *thread, uint32_t id,
                         uint32_t count, uint32_t site);
/// Waits for the lanes in `mask` of the thread's warp.
bool tc_emulator_warp_barrier(tc::emulator::ThreadState *thread, uint32_t mask,
                              uint32_t site);
/// Records that the kernel executed `trap` or `brkpt`.
void tc_emulator_trap(tc::emulator::ThreadState *thread, uint32_t site);
}

#endif // TC_LIB_EMULATOR_RUNTIME_STATE_H
