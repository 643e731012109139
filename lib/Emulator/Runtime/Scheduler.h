//===- Scheduler.h - Turns of the warps of a cluster ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the warps of a block, or of all blocks of a cluster, in turns, each on a
// stack of its own: a warp runs
// until it waits or ends, then another one goes on. In the execution by threads
// every thread has a stack. See Note [Turns] in Scheduler.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_SCHEDULER_H
#define TC_LIB_EMULATOR_RUNTIME_SCHEDULER_H

#include "Check/Mapping.h"
#include "Runtime/Launch.h"
#include "Runtime/Memory/StoreBuffer.h"
#include "Runtime/Stacks.h"
#include "Runtime/Step.h"

#include <boost/context/detail/fcontext.hpp>

#include <random>

namespace tc::emulator {

struct WarpAccess;

class Scheduler {
public:
  Scheduler(Launch &launch, StackPool &stacks);
  /// False: the host had too little, and nothing may run.
  bool hasMemory() const { return local.isWhole() && frames.isWhole(); }

  /// Stacks that a cluster needs.
  static uint64_t getStackCount(const Launch &launch);
  /// Has blocks run `code` from now on, on stacks that have room for it. None
  /// may be under way.
  static llvm::Error take(Launch &launch, const CompiledKernel &code,
                          StackPool &stacks);

  /// Runs a cluster to its end or to the first fault. False: threads have made
  /// `patience` strong accesses while no thread ended and no barrier completed;
  /// they may wait for what is not of this launch. To be called again then.
  bool run(uint64_t patience);
  /// Something happened outside that threads may have waited for.
  void forgive() { spins = 0; }

  // What compiled code asks for: State.h.
  int64_t step(WarpState &warp, uint32_t site, uint32_t mask,
               const uint64_t *sources, uint64_t *results);
  uint32_t dispatch(WarpState &warp, uint32_t stop);
  bool runMasked(WarpState &warp, uint32_t stop);
  void endLanes(WarpState &warp, uint32_t mask);
  /// Lets others run; the current one may go on at once.
  bool pause(WarpState &warp, unsigned lane, uint32_t site);
  /// Something happened that others may have paused for.
  void noteProgress() { pauses = 0; }
  /// Now and then lets others run, after strong accesses.
  bool spin(WarpState &warp, unsigned lane, uint32_t site);
  /// Before an access, in schedules that are not deterministic: may let others
  /// run, and keeps a weak store back.
  bool preempt(const WarpAccess &access);
  /// Global memory is about to be freed by a thread.
  void forgetStores(uint64_t base, uint64_t bytes) {
    for (Strand &strand : strands)
      strand.stores.forget(base, bytes);
  }
  /// Copies memory as if no store were kept back.
  void readLatest(const char *from, uint32_t bytes, char *to) const {
    std::memcpy(to, from, bytes);
    for (const Strand &strand : strands)
      if (&strand != current)
        strand.stores.reveal(from, bytes, to);
  }
  /// Before a load from global memory whose launch is counted: each time around
  /// a loop others run, so that warps come to L1 side by side.
  bool takeTurns(uint32_t site);
  /// Lets others run until `isOver`. Of threads, nothing is done then, and they
  /// execute the step again. False: the warp must end.
  bool await(Step &step, llvm::function_ref<bool()> isOver);
  /// What some warps of a block wait for may be over.
  void wake(uint32_t rank, uint32_t firstWarp, uint32_t count);
  /// bar.sync, bar.arrive and bar.red.
  bool meetBlock(Step &step);
  /// barrier.cluster: arrive and wait.
  bool meetCluster(Step &step);
  /// Whether a thread of the block has not ended.
  bool isRunning(uint32_t rank) const { return teams[rank].liveWarps != 0; }

  /// Whether all threads of a warp of a block have ended.
  bool hasEnded(uint32_t rank, uint32_t warp) const {
    return !teams[rank].warps[warp].live;
  }

private:
  static constexpr unsigned barriers = 16, maxWarps = 32;
  /// Pauses in a row, with nothing else, after which nothing will ever happen.
  static constexpr uint64_t mostPauses = 1 << 17;

  enum class Status : uint8_t { Ready, Paused, Waiting, Meeting, Done };

  /// What has a stack: a warp, or one thread of it.
  struct Strand {
    WarpState *warp = nullptr;
    uint32_t lanes = 0;
    boost::context::detail::fcontext_t context = nullptr;
    Status status = Status::Ready;
    uint32_t site = 0; ///< at which it meets others
    uint32_t load = 0; ///< the site of its last load, as takeTurns was told
    StoreBuffer stores = {}; ///< that others do not see yet
  };

  struct Barrier {
    uint32_t count = 0; ///< threads it waits for; 0 for all of the block
    uint32_t whole = 0; ///< warps of which every live lane has arrived
    uint32_t arrived[maxWarps] = {}, waiting[maxWarps] = {};
    uint32_t siteOfWarp[maxWarps] = {};
    uint32_t holds = 0, arrivals = 0; ///< of bar.red: for how many threads
  };

  /// A block: what its warps share.
  struct Team {
    BlockState *block;
    llvm::MutableArrayRef<WarpState> warps;
    Barrier table[barriers];
    uint32_t occupied = 0; ///< those that somebody has arrived at, by bit
    /// Of the bar.red that a warp met at last.
    uint32_t holds[maxWarps] = {}, arrivals[maxWarps] = {};
    uint32_t liveWarps = 0;
  };

  /// Of barrier.cluster, by warp: lanes that have arrived in the present phase,
  /// those that may leave their wait for the last one, and those at a wait.
  struct ClusterBarrier {
    std::vector<uint32_t> arrived, passing, waiting, siteOfWarp;
    bool isEmpty = true;
  };

  /// Where lanes of a warp leave the operands of an instruction they meet for.
  struct Meeting {
    std::vector<uint64_t> sources, results;
  };

  bool isThreads() const { return launch.isThreads(); }
  static void enter(boost::context::detail::transfer_t transfer);
  void start();
  void runStrand(Strand &strand);
  llvm::Error prepareMasked();
  void resume(Strand &strand);
  void runOnHost(std::function<void()> work);
  void finish(Strand &strand);
  /// Goes on with another strand, or ends the run when none can. False: the
  /// strand must end.
  bool yield(Status status);
  bool giveWay();
  Strand *findNext();
  bool meetAnywhere();
  bool meetThreads(uint32_t warp);

  int64_t meetLanes(WarpState &warp, uint32_t site, uint32_t lanes,
                    llvm::ArrayRef<Lanes> sources,
                    llvm::MutableArrayRef<Lanes> results, bool mayWait);
  bool runStep(WarpState &warp, uint32_t site, uint32_t lanes,
               llvm::ArrayRef<Lanes> sources,
               llvm::MutableArrayRef<Lanes> results, uint32_t &done);
  bool reportMissing(WarpState &warp, uint32_t site, uint32_t lanes,
                     uint32_t missing);

  Team &teamOf(const WarpState &warp) { return teams[warp.rank]; }
  bool arrive(Step &step, uint32_t lanes);
  bool checkArrival(Step &step, unsigned id, unsigned count, unsigned lane);
  static bool isComplete(const Team &team, const Barrier &barrier) {
    return barrier.count ? barrier.whole * warpSize >= barrier.count
                         : barrier.whole == team.liveWarps;
  }
  bool release(Team &team, unsigned id);
  bool completeBarriers(Team &team);
  void tellBarrier(Team &team, unsigned id);
  bool arriveAtCluster(Step &step); // Cluster.cpp
  void completeCluster();
  void endBlock(const Team &team);
  bool isEverybodyWaiting() const;
  void reportDeadlock();

  Launch &launch;
  StackPool &stacks;
  std::vector<WarpState> warps;
  std::vector<Strand> strands;
  std::vector<Meeting> meetings;                      ///< by warp
  llvm::SmallVector<uint8_t> isMasked, isStopIgnored; ///< by warp
  std::vector<Team> teams;                            ///< by rank
  ClusterBarrier cluster;
  Mapping local, frames;
  std::vector<uint32_t> undefined; ///< by warp: registers, then holes
  uint64_t live = 0;               ///< strands that have not ended
  uint64_t pauses = 0;             ///< since anything else happened
  uint64_t spins = 0; ///< since a barrier completed or a thread ended
  uint64_t turns = 0; ///< of strong accesses, until the host has its own
  std::mt19937_64 random;
  Strand main; ///< stands for the host's own stack
  Strand *current = nullptr, *previous = nullptr;
  MaskedFunction masked = nullptr; ///< once it is compiled
  BorrowedStacks maskedStacks;     ///< where it runs, one per warp
  std::function<void()> task; ///< what `asking` wants the host to do, if any
  Strand *asking = nullptr;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_SCHEDULER_H
