//===- Order.h - What happened before what ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Causality order of the PTX memory model (PTX ISA 9.0, section 8) among the
// accesses of a launch, as far as data races depend on it.
//
// One clock for the launch ticks at every synchronisation, so an access is told
// by (tick, thread). A thread knows of another one "all before tick k": what it
// did up to the release that reached this thread. Threads that synchronise by
// barriers of the whole block alone need no more than the tick of the last one
// (`base`); whatever is finer is kept per thread, in a Knowledge, and only
// until the next such barrier.
//
// Across blocks, threads synchronise through locations of global memory. Each
// has a log of what was released to it; to acquire is to remember how far one
// has seen which log. So a grid of a million blocks that count on one location
// costs a million entries, not their square.
//
// Barriers count as a fence for the strong reads before them: CUDA's own
// example of a last block that sums up (threadFenceReduction) relies on it.
// What a thread fenced before a barrier may be released by another one after
// it, for the same reason.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_ORDER_H
#define TC_LIB_EMULATOR_CHECK_ORDER_H

#include "Check/Cell.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <memory>
#include <vector>

namespace tc::emulator {

using Tick = int64_t;

struct Location;

/// What a fence may be for alone: memory of one space that the async proxy
/// sees, or initialisations of mbarriers (Note [Proxies] in ProxyOrder.cpp).
enum ProxySpace : unsigned {
  proxyShared,
  proxyGlobal,
  proxyInits,
  proxySpaces
};

/// The entries from `begin` to `end` of the log of a location.
struct LogRange {
  const Location *location;
  uint32_t begin, end;
};
using LogRanges = llvm::SmallVector<LogRange, 2>;

/// What is known, beyond program order, of threads of one block, and through
/// logs of earlier blocks.
class Knowledge {
public:
  /// Everything of a thread before this tick is known; 0: nothing is.
  Tick get(uint32_t thread) const {
    if (!dense.empty())
      return thread < dense.size() ? dense[thread] : 0;
    for (auto [known, tick] : sparse)
      if (known == thread)
        return tick;
    return 0;
  }
  void raise(uint32_t thread, Tick tick);
  void merge(const Knowledge &other);

  Tick base = 0; ///< everything of all threads before it is known
  LogRanges logs;
  /// What of it the async proxy sees (Note [Proxies] in ProxyOrder.cpp).
  std::array<std::shared_ptr<const Knowledge>, proxySpaces> proxied;

  /// Whether it is known what the thread did at `tick`.
  bool covers(uint32_t thread, Tick tick) const {
    return tick < base || get(thread) > tick;
  }

private:
  llvm::SmallVector<std::pair<uint32_t, Tick>, 4> sparse; ///< a few threads
  std::vector<Tick> dense; ///< or all; one of the two is empty
};

/// What threads release to a barrier of the cluster.
struct ClusterRelease {
  std::vector<std::pair<uint32_t, Tick>> until; ///< all before, of each thread
  llvm::SmallVector<std::shared_ptr<Knowledge>, 2> known, fenced[2];
  /// Their sum, once somebody has waited for it.
  std::shared_ptr<Knowledge> sum, fencedSum[2];

  void merge(const ClusterRelease &other);
};

/// Adds to a sum that others may hold.
void mergeProxied(std::shared_ptr<const Knowledge> &sum, const Knowledge &more);

/// Adds what is proxied for several threads to a sum that others may hold.
class ProxySum {
public:
  explicit ProxySum(std::shared_ptr<const Knowledge> &sum) : sum(sum) {}
  void add(const Knowledge &more);
  Knowledge &make(); ///< the sum, to be changed

private:
  std::shared_ptr<const Knowledge> &sum;
  std::shared_ptr<Knowledge> own;
  const Knowledge *last = nullptr; ///< that was added
};

void addRange(LogRanges &logs, const LogRange &range);

/// Something that threads release to and acquire from.
struct Location {
  struct Entry {
    Tick block; ///< start of the block that released
    bool isWide;
    uint32_t rank; ///< of the thread's block in its cluster
    std::shared_ptr<const Knowledge> what;
  };
  std::vector<Entry> log; ///< blocks ascend
  uint32_t begin = 0;     ///< where the present value's release sequence begins
  /// What is in that part of the log.
  llvm::DenseSet<std::pair<const Knowledge *, unsigned>> said;

  /// In shared memory, one sum takes the place of the log.
  std::shared_ptr<Knowledge> sum;
  /// Of an mbarrier: what arrivals of completed phases released.
  std::shared_ptr<Knowledge> completed;
  bool hasPhases = false;
  /// The last arrival's own knowledge, and the last wait: lanes of a warp
  /// mostly know the same, so the next one has the same to add, or the same
  /// result. That they are held here keeps them as they are.
  std::shared_ptr<Knowledge> arrived;
  /// What threads have released to `sum` last, by fences: often the same.
  llvm::SmallVector<std::shared_ptr<Knowledge>, 2> given;
  struct {
    std::shared_ptr<Knowledge> before, sum, after;
  } awaited;
};

class Order {
public:
  explicit Order(Tick start) : launch(start), now(start) {}

  /// The clock. It must be carried to the next launch.
  Tick getNow() const { return now; }
  Tick getLaunch() const { return launch; }
  /// Of each block, or cluster, in order: the tick it began at and its index.
  llvm::ArrayRef<std::pair<Tick, uint64_t>> getBlocks() const { return blocks; }
  Tick getBlock() const { return block; }
  Tick getBase() const { return base; }
  /// Whether the block has released anything that others may acquire.
  bool hasReleased() const { return isReleased; }
  /// The index of the block that ran at `tick`.
  uint64_t getBlockAt(Tick tick) const;

  /// A block begins, or the `blocks` of a cluster, each of `threads`.
  void beginBlock(uint64_t index, uint32_t threads, uint32_t blocks = 1);
  /// All threads of the block that still run have met.
  void meetBlock();
  /// These threads have met. `arrived` adds what others released to it.
  void meet(llvm::ArrayRef<uint32_t> threads, const Knowledge *arrived);
  /// barrier.cluster: what the thread releases, and what it acquires.
  void arriveAtCluster(uint32_t thread, ClusterRelease &released);
  void arriveRelaxed(uint32_t thread, ClusterRelease &released);
  void awaitCluster(uint32_t thread, ClusterRelease &released);
  /// What the thread knows and did: to be given to `meet`, or released.
  std::shared_ptr<Knowledge> release(uint32_t thread);
  void fence(uint32_t thread, bool isWide);
  /// fence.proxy.async, of one space or of both.
  void fenceProxy(uint32_t thread, bool isShared, bool isGlobal);
  /// fence.mbarrier_init, of what the thread itself initialised.
  void fenceInits(uint32_t thread);
  /// The clock goes on: what threads do from now on was not released.
  void advance() {
    if (now < cell::lastTick - 1)
      ++now;
  }

  /// A strong access: `writes` releases what the thread fenced, or all it did
  /// if it `releases`; `reads` acquires at its next fence, or now if it
  /// `acquires`.
  struct Strong {
    bool reads, writes, acquires, releases;
    bool isWide; ///< its scope is beyond the block
  };
  void access(uint32_t thread, bool isShared, uint64_t address, Strong what);

  void arrive(uint32_t thread, uint64_t object);
  void completePhase(uint64_t object);
  void await(uint32_t thread, uint64_t object);
  /// What an agent has done so far belongs to the phases of `object` that have
  /// ended (Note [Agents] in Check/Proxy/Bulk.cpp).
  void completeAgent(uint64_t object, uint32_t agent);

  /// Whether what `thread` did at `tick` is ordered before what `observer`, of
  /// the running block, does now.
  bool isBefore(Tick tick, uint32_t thread, uint32_t observer) const {
    if (tick < launch)
      return true;
    if (tick < block)
      return isForeignBefore(tick, thread, observer);
    if (thread == observer || tick < base)
      return true;
    const Knowledge *own = threads[observer].own.get();
    return own && own->get(thread) > tick;
  }
  /// Whether the thread has met others since `tick`, or released what it did
  /// then and learnt of that again.
  bool hasMet(Tick tick, uint32_t thread) const {
    const Knowledge *own = threads[thread].own.get();
    return tick < base || (own && own->get(thread) > tick);
  }
  /// Whether a proxy fence lies between what `thread` did at `tick`, which is
  /// ordered before what `observer` does now, and that.
  bool isProxied(Tick tick, uint32_t thread, uint32_t observer,
                 ProxySpace space) const;
  /// Whether the observer knows of anything that one of `count` threads from
  /// `first` on did.
  bool knowsAny(uint32_t first, uint32_t count, uint32_t observer) const;
  /// Whether the thread knows of others since the last barrier of the block.
  bool knowsMore(uint32_t thread) const {
    return threads[thread].own != nullptr;
  }
  /// Whether the thread knows of any earlier block.
  bool knowsForeign(uint32_t thread) const {
    const Knowledge *own = threads[thread].own.get();
    return !blockLogs.empty() || (own && !own->logs.empty());
  }
  /// Whether all these threads of one warp know the same.
  bool knowSame(uint32_t first, uint32_t mask) const;

private:
  struct Thread {
    std::shared_ptr<Knowledge> own;
    /// What it may release by a strong write, to its block and to the device.
    std::shared_ptr<Knowledge> fenced[2];
    /// Seen by strong reads, of either scope, but not yet acquired.
    LogRanges pending[2];
    std::vector<std::shared_ptr<Knowledge>> pendingSums;
    /// At its last proxy fence: until when it covers the thread itself and, by
    /// the last barrier of the block, all threads; and what it knew of others.
    struct ProxyFence {
      Tick own = 0, base = 0;
      std::shared_ptr<const Knowledge> others;
    };
    ProxyFence proxyFences[proxySpaces];
    const Location *seen = nullptr; ///< the last log it acquired, up to there
    uint32_t seenEnd = 0;
    bool isDirty = false;
  };

  /// Adds what is proxied for the thread to `sum`, if anything is.
  void addProxied(uint32_t thread, ProxySpace space, ProxySum &sum) const;
  void addProxied(
      llvm::ArrayRef<uint32_t> threads,
      std::array<std::shared_ptr<const Knowledge>, proxySpaces> &sums) const;
  bool isForeignBefore(Tick tick, uint32_t thread, uint32_t observer) const;
  Thread &touch(uint32_t thread);
  Knowledge &makeOwn(Thread &thread);
  /// Only what `isWide` reaches beyond the block.
  void acquire(Thread &thread, const LogRange &range, bool isWide);
  void acquirePending(Thread &thread, bool isWide);
  void releaseTo(Location &location, uint32_t thread, bool isShared,
                 bool isWide, const std::shared_ptr<Knowledge> &what);
  Location *find(bool isShared, uint64_t address, bool create);

  Tick launch, now, block = 0, base = 0;
  std::vector<std::pair<Tick, uint64_t>> blocks; ///< start and index
  uint32_t threadsOfBlock = 1;
  bool isReleased = false;
  std::vector<Thread> threads;
  std::vector<uint32_t> dirty;
  /// What all threads of the block know of others, and have fenced.
  LogRanges blockLogs;
  std::shared_ptr<Knowledge> blockFenced[2];
  bool hasProxyFences = false; ///< since the last barrier of the block
  std::array<std::shared_ptr<const Knowledge>, proxySpaces> blockProxied;
  llvm::DenseMap<uint64_t, std::unique_ptr<Location>> globals, shared;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_ORDER_H
