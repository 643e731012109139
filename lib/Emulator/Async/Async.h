//===- Async.h - Copies in flight and mbarrier objects ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A cp.async is checked when it is issued and then waits on its warp's list.
// Its data moves at the latest legal moment, when the thread waits for it, so
// that code which reads too early sees what was there before; schedules that
// are not deterministic also choose the earliest, or any between. PTX ISA,
// sections 9.7.9.25 and 9.7.13.15.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ASYNC_ASYNC_H
#define TC_LIB_EMULATOR_ASYNC_ASYNC_H

#include "Runtime/Launch.h"
#include "Runtime/Step.h"

#include <bitset>
#include <random>

namespace tc::emulator {

/// A cp.async of some lanes of one warp.
struct PendingCopy {
  uint32_t site;
  const ptx::Instruction *instruction;
  uint32_t lanes;  ///< that have not waited for it
  uint32_t landed; ///< whose data has moved
  uint32_t bytes;  ///< written by each: 4, 8 or 16
  uint64_t order;  ///< among the warp's copies
  LanePointers from, to;
  std::array<uint8_t, warpSize> read; ///< bytes from the source; zeros follow
  std::array<uint32_t, warpSize> group;
  char snapshot[warpSize][16]; ///< what is to be written, as at the issue
  /// Bytes of it that nobody wrote, as bits.
  std::array<uint32_t, warpSize> undefined{};
};

/// A cp.async.mbarrier.arrive whose copies are in flight.
struct PendingArrival {
  uint32_t site;
  const ptx::Instruction *instruction;
  uint32_t lanes;
  uint64_t order; ///< it waits for the copies before this one
  LanePointers object;
};

namespace warpgroup {
struct State;
}

struct AsyncState {
  struct Warp {
    WarpState *state = nullptr;
    std::vector<PendingCopy> copies; ///< in order of issue
    std::vector<PendingArrival> arrivals;
    std::array<uint32_t, warpSize> groups{}; ///< committed so far
    uint64_t order = 0;
    /// The mbarrier that a lane waited for in vain last, and where.
    const char *awaited = nullptr;
    uint32_t waiter = 0;
    /// Registers of a thread, after the last of so many setmaxnreg; 0: as
    /// launched.
    uint32_t registers = 0;
    size_t changes = 0;
  };
  /// An mbarrier object by its address.
  struct Object {
    uint64_t word = 0;   ///< what its memory must hold
    bool isLive = true;  ///< false once it was invalidated
    uint64_t phases = 0; ///< that have ended
    /// Of the present phase: bytes that expect_tx told of, where it did last,
    /// and the bulk copies that brought some.
    int64_t told = 0;
    uint32_t teller = nobody;
    llvm::SmallVector<uint32_t, 1> copies;
    /// The site that initialised it, and the threads of the block that have
    /// executed that since.
    uint32_t initialiser = nobody;
    std::bitset<1024> initialised;

    static constexpr uint32_t nobody = ~0u;
  };

  /// The block that all this is of.
  std::array<uint32_t, 3> block;
  std::array<Warp, 1024 / warpSize> warps; ///< as many as a block may have
  llvm::DenseMap<const char *, Object> objects;
  std::shared_ptr<warpgroup::State> groups; ///< once a wgmma came
  /// By warpgroup, the sites of setmaxnreg that its first warp executed.
  std::array<std::vector<uint32_t>, 8> budgets;
  /// When copies land: a schedule that is not deterministic draws one of them
  /// for each block.
  enum class Moment { Latest, Earliest, Random } moment = Moment::Latest;
  std::mt19937_64 random;
};

/// The state for a block of the launch; what is left of another block goes.
AsyncState &getAsync(Launch &launch, const BlockState &block);

/// Ends the copies and arrivals of `lanes`, whose threads end, and checks that
/// no product is left. False after a fault.
bool finishAsync(Launch &launch, WarpState &warp, uint32_t lanes);

/// That no setmaxnreg is left that other warps of the group executed
/// (Registers.cpp). False after a fault.
bool finishRegisters(Launch &launch, const AsyncState &state, WarpState &warp,
                     uint32_t lanes);
/// What a warp at setmaxnreg waits for.
std::string describeRegisters(Launch &launch, const WarpState &warp,
                              uint32_t site);

/// Ends the copies that arrivals on `object` wait for, and makes these
/// arrivals.
bool settleArrivals(Launch &launch, AsyncState &state, const char *object);
/// True while copies are in flight whose ends arrive on `object`.
bool hasPendingArrivals(const AsyncState &state, const char *object);

/// One arrival of `lane` on the mbarrier at `object` (Mbarrier.cpp).
bool arriveOnMbarrier(Step &step, unsigned lane, char *object);
/// Counts one more arrival into the phase that `object` is in.
bool expectArrival(Step &step, unsigned lane, char *object);
/// Counts bytes that a bulk copy has brought; gives the number of the phase.
bool completeTransaction(Step &step, unsigned lane, char *object, int64_t bytes,
                         uint64_t &phase);
/// Counts bytes into what the present phase waits for.
bool expectTransaction(Step &step, unsigned lane, char *object, int64_t bytes);
/// How many phases of `object` have ended; nothing after a fault.
std::optional<uint64_t> getPhase(Step &step, unsigned lane, char *object);
/// What the present phase of `object` waits for, as "phase 3 of the mbarrier
/// at ...: 0 of 1 arrivals, 45056 of 49152 bytes".
std::string describePhase(Launch &launch, const char *object);
/// The same for the one that the warp waits for at `site`; "" if there is none.
std::string describeWait(Launch &launch, const WarpState &warp, uint32_t site);
/// Tells the tracer of a cp.async.mbarrier.arrive.
void traceCopyArrival(Step &step, const LanePointers &objects);
/// Host addresses of the mbarrier objects that the lanes' first operand names.
bool resolveMbarriers(Step &step, AccessKind kind, LanePointers &objects);

/// Where a host address in the block's shared memory is for the kernel.
inline uint64_t getSharedAddress(const Step &step, const char *pointer) {
  return pointer - step.warp.block->clusterShared + sharedStart;
}

/// Calls `body(lane)` for each lane of `mask`; false as soon as it is.
template <typename Body>
bool forLanes(uint32_t mask, Body body) {
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (mask >> lane & 1 && !body(lane))
      return false;
  return true;
}

/// What rows of the instruction table name.
namespace async {
bool copy(Step &step);
bool commitGroup(Step &step);
bool waitGroup(Step &step);
bool waitAll(Step &step);
bool copyArrive(Step &step);
bool mbarrierInit(Step &step);
bool mbarrierInvalidate(Step &step);
bool mbarrierTransactions(Step &step);
bool mbarrierArrive(Step &step);
bool mbarrierWait(Step &step);
bool mbarrierPendingCount(Step &step);
bool nanosleep(Step &step);
bool setRegisters(Step &step); ///< setmaxnreg
} // namespace async

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_ASYNC_ASYNC_H
