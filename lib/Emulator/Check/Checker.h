//===- Checker.h - Races, initialisation and copies in flight ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds data races in shared and global memory, reads of what nobody wrote, and
// touches of what an asynchronous copy has in flight. Bounds and alignment are
// checked before (Runtime/Bounds.cpp).
//
// The runtime calls a hook at every access and every synchronisation, in the
// order in which the emulator makes them happen. What is found goes to
// `CheckSetup::report`, which says whether the launch goes on; a hook that
// returns false says that it does not. Clusters run one after
// another, blocks where there are none: a "block" here is a whole cluster,
// whose threads are numbered through (WarpState::getFirstThread). Told
// addresses in shared memory have the rank of the block (`clusterWindow`).
//
// A data race (PTX ISA 9.0, section 8.7.1): two accesses of different threads
// to the same bytes, one at least a write, that causality does not order, and
// that are not both strong with scopes that include each other. Accesses are
// told apart by granule: the smallest access of the kernel to that space, 4
// bytes at most. Two lanes that store the same value by one instruction are not
// reported.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_CHECKER_H
#define TC_LIB_EMULATOR_CHECK_CHECKER_H

#include "Check/Footprint.h"
#include "Check/Observation.h"
#include "Check/Proxy/AsyncReads.h"
#include "Check/Proxy/BulkReads.h"
#include "Check/Proxy/CoreMatrices.h"
#include "Check/Proxy/GlobalReads.h"
#include "Check/SideTable.h"
#include "Check/Streams/Prologue.h"
#include "Runtime/Memory/MemoryImpl.h"
#include "Runtime/Memory/WarpAccess.h"
#include "tc/Emulator/Report.h"

#include <functional>

namespace tc::emulator {

/// What the memory model says of a site.
struct SiteFacts {
  bool acquires = false, releases = false;
  bool isWide = false; ///< scope beyond the block
};

struct CheckFinding;

/// What the checks ask about a launch.
struct CheckSetup {
  uint32_t threads = 0;     ///< of a block
  uint32_t blocks = 1;      ///< of a cluster, which run together
  uint64_t sharedBytes = 0; ///< of a block
  uint64_t localBytes = 0;  ///< of a thread
  /// Arguments of calls that lie in local memory, as first byte and end. Calls
  /// write them by name, which is no access that is told.
  std::vector<std::pair<uint64_t, uint64_t>> localArguments;
  /// Log2 of the granules of shared and global memory.
  unsigned sharedGranule = 2, globalGranule = 2;
  /// Whether the kernel synchronises by other means than barriers of the whole
  /// block. If not, the checks need less memory and time.
  bool isFine = true;
  /// Whether the lanes of a warp run one after another: then what they write at
  /// one site counts as written by one instruction.
  bool isThreads = false;
  /// Whether `fillUsage` is asked for what it did, and whether it may begin
  /// before the launches before it have ended.
  bool keepsUsage = false, isProgrammatic = false;
  /// So often are unordered accesses to one granule all remembered. That is
  /// slow: from then on one reader of each granule is, by chance.
  uint64_t mostExactRecords = uint64_t(1) << 20;
  std::function<SiteFacts(uint32_t site)> getFacts;
  Checks checks = Checks::All;
  /// Takes what is found; false: the launch ends. Without it, it ends with the
  /// first finding, which `getFinding` gives.
  std::function<bool(const CheckFinding &)> report;
  /// Takes what lanes of an access find at an address that nobody wrote; false:
  /// it is reported.
  std::function<bool(const WarpAccess &access, uint32_t lanes, uint64_t address,
                     uint32_t bytes)>
      takeHole;
  /// Copies what threads have stored last, even if others do not see it yet.
  /// With it, writes of the same value are told apart from races.
  std::function<void(ptx::Space space, uint64_t address, uint32_t bytes,
                     char *to)>
      read;
};

struct CheckFinding {
  FindingClass what = FindingClass::Race;
  uint32_t site = 0;   ///< whose access it is
  uint32_t thread = 0; ///< linear
  ptx::Space space = ptx::Space::Shared;
  uint64_t address = 0;
  uint32_t bytes = 0;
  AccessKind kind = AccessKind::Read;

  /// Of a race, or of a copy in flight: the other party.
  struct Other {
    bool isWrite;
    bool isSameBlock;
    uint64_t block; ///< linear index
    /// False where all that is known is that there are several; then the site
    /// is of one that need not race.
    bool isKnown;
    uint32_t site, thread;
    bool isSameInstruction = false; ///< another lane, with another value
    bool isUnfenced = false; ///< ordered, but the async proxy need not see it
    bool isInit = false;     ///< the same, of an mbarrier's initialisation
    bool isAgent = false;    ///< a bulk copy, on behalf of the thread
  };
  std::optional<Other> other;

  /// Of what nobody wrote: where and how it is used, and how often.
  struct Use {
    uint32_t site;
    const char *text;
  };
  std::optional<Use> use = std::nullopt;
  uint64_t count = 1;

  /// Of a core matrix: where it begins before any swizzle, and the bytes from
  /// row to row; and of what it contradicts (Check/Proxy/CoreMatrices.h).
  struct Layout {
    enum Kind { Swizzle, Overlap, Repeated } what;
    uint32_t core, span, otherCore, otherSpan;
  };
  std::optional<Layout> layout = std::nullopt;

  /// Of two writes that race, if they can be of one value.
  bool isOfWrites() const {
    return what == FindingClass::Race && kind == AccessKind::Write && other &&
           other->isWrite && !other->isSameInstruction;
  }
};

class Checker {
public:
  /// One launch of a kernel on `memory`.
  Checker(const Memory::Impl &memory, CheckSetup setup);
  /// Ends the launch.
  ~Checker();
  /// Did the host have the memory for the checks? Else none may be made.
  bool hasMemory() const { return isReady; }

  /// A variable of the module in global memory; all of it is initialised.
  void addVariable(uint64_t base, uint64_t bytes);

  /// The kernel is about to release the memory at `base`.
  void release(uint64_t base) {
    shadows.clear();
    llvm::erase_if(incomplete,
                   [&](Shadow *shadow) { return shadow->base == base; });
  }

  void beginBlock(uint64_t index);
  bool endBlock();

  /// Before the lanes access memory.
  bool access(const WarpState &warp, const WarpAccess &access);
  /// The same for weak accesses of all 32 lanes that begin with `first`, whose
  /// addresses are relative to `base`: one, or several reads. False: they are
  /// for `access` to tell, one by one.
  bool accessGroup(const WarpState &warp, const WarpAccess &first,
                   llvm::ArrayRef<GroupMember> members, uint64_t base);

  /// The writes that were told of are done: tells of those that race. False:
  /// the launch ends.
  bool settleWrites() { return writes.empty() || tellWrites(); }

  /// What a thread has written to its local memory counts as not written.
  void forgetLocal(uint32_t thread, uint64_t address, uint32_t bytes) {
    std::memset(local.get() + thread * setup.localBytes +
                    (address - localStart),
                0, bytes);
  }

  /// All threads of the block that still run have met at a barrier.
  bool meetBlock();
  /// These threads of the block have. `arrived`: what threads that do not wait
  /// released to the barrier, by `arrive`, since it last completed.
  void meet(llvm::ArrayRef<uint32_t> threads, uint32_t barrier);
  /// bar.arrive: the lanes release, and do not wait.
  void arrive(const WarpState &warp, uint32_t lanes, uint32_t barrier);
  /// barrier.cluster.arrive, the end of a phase, and a wait for it that goes
  /// on. `isEverybody`: all threads of the cluster that still run are at that
  /// wait.
  void arriveAtCluster(const WarpState &warp, uint32_t lanes, bool releases);
  void completeCluster();
  bool awaitCluster(const WarpState &warp, uint32_t lanes, bool isEverybody);
  /// A lane is about to reach the shared memory of another block, by rank.
  /// False where nothing says that this one has begun.
  bool reach(const WarpState &warp, unsigned lane, uint32_t rank);
  /// The block of that rank ends: what another block did in its memory and no
  /// thread of it knows of, which may come too late.
  std::optional<CheckFinding> findLateAccess(uint32_t rank);
  /// The lanes end: barriers of the cluster do not wait for them any more.
  void endThreads(const WarpState &warp, uint32_t lanes);
  /// bar.warp.sync, once all `lanes` have come.
  void meetWarp(const WarpState &warp, uint32_t lanes);
  /// A fence or membar at `site`.
  void fence(const WarpState &warp, uint32_t lanes, uint32_t site);

  /// A fence.proxy.async, of one space or of both.
  void fenceProxy(const WarpState &warp, uint32_t lanes, bool isShared,
                  bool isGlobal);

  /// A lane has initialised the mbarrier `object`; lanes execute a
  /// fence.mbarrier_init; and a lane's bulk copy, through the async proxy, is
  /// to end on the object (Check/Proxy/Inits.cpp).
  void noteInit(const WarpState &warp, unsigned lane, uint32_t site,
                uint64_t object);
  void fenceInits(const WarpState &warp, uint32_t lanes);
  bool useMbarrier(const WarpState &warp, unsigned lane, uint32_t site,
                   uint64_t object);

  /// A warp issues a product of its warpgroup, by its number there, which reads
  /// 16 bytes at each of `addresses` in shared memory; and it has waited for
  /// that.
  bool issueProduct(const WarpState &warp, uint32_t site, uint64_t number,
                    llvm::ArrayRef<uint32_t> addresses);
  void retireProduct(const WarpState &warp, uint64_t number);
  /// The same product, told once for the warpgroup: what its descriptors make
  /// of shared memory. And a tensor copy will write there with a swizzle of
  /// `span` bytes, 16 for none (Check/Proxy/CoreMatrices.cpp).
  bool readMatrix(const WarpState &warp, uint32_t site,
                  const warpgroup::Descriptor &from,
                  const warpgroup::SharedMatrix &matrix);
  void noteBox(uint32_t site, uint64_t address, uint64_t bytes, uint8_t span);

  /// griddepcontrol: the lanes have waited for the launches before this one;
  /// they let those after it begin.
  void waitForGrids(const WarpState &warp, uint32_t lanes);
  void launchDependents(const WarpState &warp, uint32_t lanes);

  /// One lane's arrival on an mbarrier, the end of its phase, and a test or a
  /// wait that found it ended. Without `completePhase` every arrival counts as
  /// one of an ended phase.
  void arriveAt(const WarpState &warp, unsigned lane, uint64_t object);
  void completePhase(uint64_t object);
  void awaitPhase(const WarpState &warp, unsigned lane, uint64_t object);

  /// An asynchronous copy will write `bytes` at a shared `address`.
  bool issueCopy(const WarpState &warp, unsigned lane, uint32_t site,
                 uint64_t address, uint32_t bytes);
  /// It has, and counts as a write of the lane, now.
  void completeCopy(const WarpState &warp, unsigned lane, uint32_t site,
                    uint64_t address, uint32_t bytes);

  /// A lane's bulk copy will write shared memory, or `combines` with what is
  /// there, through the async proxy unless it `isGeneric`; and somebody has
  /// seen the end of its phase on the mbarrier `object` (Check/Proxy/Bulk.cpp).
  bool issueBulkWrite(const WarpState &warp, unsigned lane, uint32_t site,
                      uint64_t address, uint64_t bytes, bool combines,
                      bool isGeneric);
  void endBulkWrite(const WarpState &warp, unsigned lane, uint32_t site,
                    uint64_t address, uint64_t bytes, uint64_t object);
  /// It reads shared memory, and is told of by `number` from then on: until the
  /// lane has waited for it, or somebody has seen the end of its phase.
  bool issueBulkRead(const WarpState &warp, unsigned lane, uint32_t site,
                     uint64_t address, uint64_t bytes, uint64_t &number);
  void endBulkRead(const WarpState &warp, unsigned lane, uint64_t number,
                   std::optional<uint64_t> object = std::nullopt);
  /// All that was seen of `object` has been told.
  void observeBulk(uint64_t object);
  /// It reads global memory, or writes it until the lane has waited for that.
  bool issueBulkGlobal(const WarpState &warp, unsigned lane, uint32_t site,
                       uint64_t address, uint64_t bytes, AccessKind kind);
  void endBulkGlobal(const WarpState &warp, unsigned lane, uint32_t site,
                     uint64_t address, uint64_t bytes, bool combines);
  /// Calls `found` for each of the bytes in global memory that nobody wrote.
  void findHoles(uint32_t site, uint64_t address, uint64_t bytes,
                 llvm::function_ref<void(uint64_t offset)> found);

  /// What the launch, which has ended, did to global memory.
  void fillUsage(Usage &usage);

  /// The first finding, where nobody takes them.
  const std::optional<CheckFinding> &getFinding() const { return finding; }

private:
  /// Threads of one warp that do the same to one granule.
  struct Actor {
    uint32_t first, mask; ///< thread of lane 0, and the lanes
    unsigned strength;
    Cell cell; ///< of its first lane

    bool isOne() const { return llvm::has_single_bit(mask); }
    /// One of the threads, but not `other`; none: nobody.
    std::optional<uint32_t> getThreadBut(std::optional<uint32_t> other) const {
      uint32_t rest = mask;
      if (other && *other >= first && *other < first + 32)
        rest &= ~(uint32_t(1) << (*other - first));
      if (!rest)
        return std::nullopt;
      return first + llvm::countr_zero(rest);
    }
  };
  /// Lanes whose addresses follow each other, or are one.
  struct Run {
    uint32_t first, count;
    bool isUniform;
    Shadow *shadow;
  };
  struct Runs {
    uint32_t count = 0;
    Run list[warpSize];
    llvm::ArrayRef<Run> get() const { return {list, count}; }
  };
  void findRuns(const WarpAccess &access, LaneSteps steps, Runs &runs);
  LLVM_ATTRIBUTE_ALWAYS_INLINE
  Shadow *findShadow(uint32_t site, ptx::Space space, uint64_t address,
                     uint64_t bytes) {
    if (space == ptx::Space::Shared)
      return shared.contains(address, bytes) ? &shared : nullptr;
    Shadow *found = site < shadows.size() ? shadows[site] : nullptr;
    bool isHit = found && found->contains(address, bytes);
    if (LLVM_UNLIKELY(!isHit) && !(found = findGlobal(site, address, bytes)))
      return nullptr;
    if (LLVM_UNLIKELY(setup.keepsUsage))
      found->span.note(found->base, found->bytes, address, bytes);
    return found;
  }
  Shadow *findGlobal(uint32_t site, uint64_t address, uint64_t bytes);
  bool prepare(Shadow &shadow);
  LaneCells getCells(const WarpState &warp, const WarpAccess &access,
                     const Run &run, Stretch &stretch) const;
  Readers getReaders();
  uint64_t nextSalt();
  bool checkFast(const LaneCells &cells, const Shadow &shadow, ptx::Space space,
                 bool isWrite);
  /// Keeps what threads do that have not waited for other launches.
  void notePrologue(const WarpState &warp, const WarpAccess &access,
                    const Runs &runs);
  void accessWeak(const WarpState &warp, const WarpAccess &access,
                  const Runs &runs);
  void accessStrong(const WarpState &warp, const WarpAccess &access,
                    const Runs &runs);
  void store(const WarpState &warp, const WarpAccess &access, const Runs &runs);
  void storeOverlapping(const WarpState &warp, const WarpAccess &access,
                        const Runs &runs);
  bool checkLocal(const WarpState &warp, const WarpAccess &access);
  bool isArgument(uint64_t offset) const;
  void checkInitialized(const WarpState &warp, const WarpAccess &access,
                        const Runs &runs);
  void checkValues(const WarpState &warp, const WarpAccess &access);

  bool isFencedInit(const WarpAccess &access, uint64_t address, Cell cell,
                    uint32_t initialiser, uint32_t user) const;

  enum class Visibility : uint8_t { Seen, Unfenced, Unordered };
  Visibility getVisibility(Cell cell, const WarpState &warp,
                           uint32_t readers) const;
  bool checkWriters(const WarpState &warp, const WarpAccess &access,
                    uint64_t address, const Cell *cell, bool needsFence = true);
  bool checkAsyncRead(const WarpState &warp, const WarpAccess &access,
                      uint64_t address, const Cell *cell);
  /// Checks a read of all bytes of `access`. `seen` is what was found right
  /// last, 0 before the first.
  void checkAsyncReads(const WarpState &warp, const WarpAccess &access,
                       uint64_t address, Cell &seen);
  void checkUnfenced(const WarpState &warp, const WarpAccess &access,
                     uint64_t address, const Shadow &shadow);
  std::optional<CheckFinding> readCore(uint32_t rank,
                                       const warpgroup::Descriptor &from,
                                       uint32_t start, uint32_t matrix);
  CheckFinding makeFinding(uint64_t address, const CoreMatrices::Role &role,
                           const CoreMatrices::Role &last,
                           const CheckFinding::Layout &layout) const;
  void checkProductReaders(const WarpState &warp, const WarpAccess &access,
                           unsigned lane, uint64_t address);
  void checkBulkReaders(const WarpState &warp, const WarpAccess &access,
                        unsigned lane, uint64_t address);
  bool hasAsyncReaders() const {
    return !asyncReads.isEmpty() || !bulkReads.isEmpty();
  }
  /// Of a cluster. What has a higher number is an agent (Note [Agents] in
  /// Check/Proxy/Bulk.cpp).
  uint32_t countThreads() const { return setup.threads * setup.blocks; }
  uint32_t getAgent(uint64_t object, uint32_t issuer);
  struct FlyingStore {
    uint64_t address, bytes;
    uint32_t thread, site;
  };
  void settleGlobal(const FlyingStore &one);
  void settleFlying();
  /// Whether bulk copies of the launch have read some of the bytes.
  bool hasGlobalReaders(ptx::Space space, uint64_t address,
                        uint64_t bytes) const {
    return space == ptx::Space::Global && !globalReads.isEmpty() &&
           globalReads.meets(address, address + bytes);
  }
  /// Whether an access must be checked lane by lane, against more than cells.
  bool needsLanes(const WarpAccess &access, uint64_t address, uint64_t bytes);
  bool checkGlobalReaders(const WarpAccess &access, uint64_t address,
                          uint64_t bytes, const Actor &actor);
  void readGlobal(const WarpAccess &access, const Shadow &shadow,
                  uint64_t address, const Actor &actor);
  void checkReaders(const WarpState &warp, const WarpAccess &access,
                    unsigned lane, uint64_t address);
  void checkReaders(const WarpState &warp, const WarpAccess &access);

  /// Calls `body(actor, address)` for every granule of a run.
  template <typename Body>
  void forActors(const WarpState &warp, const WarpAccess &access,
                 const Run &run, unsigned strength, Body body);
  bool checkExact(const WarpAccess &access, const Shadow &shadow,
                  uint64_t address, const Actor &actor);
  bool checkConflict(const WarpAccess &access, uint64_t address,
                     const Cell *cell, const Actor &actor, bool isWrite);
  bool checkMembers(const WarpAccess &access, uint64_t address,
                    llvm::ArrayRef<Member> members, const Actor &actor,
                    bool isWrite);
  bool isObserved(const WarpAccess &access, uint64_t address,
                  const Actor &actor, Tick tick,
                  std::optional<uint32_t> thread) const;
  void observe(const WarpState &warp, const WarpAccess &access, const Run &run,
               unsigned strength);
  void record(Cell *cell, const Actor &actor, ptx::Space space);
  bool dominates(const Actor &actor, Member &member, ptx::Space space) const;
  bool report(const WarpAccess &access, uint64_t address, uint32_t thread,
              FindingClass what,
              const std::optional<CheckFinding::Other> &other = std::nullopt);
  bool takesHole(const WarpAccess &access, uint32_t lanes, uint64_t address,
                 uint32_t bytes) const {
    return !setup.checks.has(Checks::Uninitialised) ||
           (setup.takeHole && setup.takeHole(access, lanes, address, bytes));
  }
  /// Keeps back a read of shared memory that nobody has written yet.
  void defer(const WarpAccess &access, uint64_t address, uint32_t thread);
  bool tell();
  bool tell(const CheckFinding &found);
  bool tellDeferred();
  bool tellWrites();

  const cell::Window &getWindow(ptx::Space space) const {
    return space == ptx::Space::Shared ? sharedWindow : globalWindow;
  }
  /// Of no consequence any more: ordered by a barrier, or by a launch's end.
  bool isPast(Cell cell, const cell::Window &window) const {
    return cell < window.free || (cell >= window.block && cell < window.base);
  }
  /// A phase of barrier.cluster.
  struct ClusterPhase {
    ClusterRelease released;
    bool isAllReleased = true; ///< no arrival was relaxed
    /// Threads may have done something between arrive and wait.
    bool isSplit = false;
    bool isMet = false; ///< nothing is left to order
  };
  /// The warp does something while lanes have yet to wait.
  void noteSplit(const WarpState &warp) {
    if (warp.arrived)
      arriving.isSplit = completed.isSplit = true;
  }
  bool areOfOneBlock(uint32_t thread, uint32_t other) const {
    return thread / setup.threads == other / setup.threads;
  }
  uint32_t granuleOf(ptx::Space space) const {
    return 1u << (space == ptx::Space::Shared ? setup.sharedGranule
                                              : setup.globalGranule);
  }
  void updateWindows();
  const SiteFacts &getFacts(uint32_t site);

  const Memory::Impl &memory;
  CheckSetup setup;
  const LaneLoops &loops;
  /// Whether `needsLanes` must be asked: the launch is programmatic, or the
  /// async proxy has read something.
  bool isWatched = false;
  Order order;
  Observation observation{order};
  cell::Window sharedWindow{}, globalWindow{};
  Shadow shared;
  std::map<uint64_t, Shadow> variables;
  std::vector<Shadow *> shadows;     ///< by site: the last one it hit
  std::vector<Footprint> footprints; ///< by site: of accessGroup
  std::vector<Shadow *> incomplete;  ///< with maps of what is initialised
  std::vector<std::optional<SiteFacts>> facts;
  SideTable sets;
  std::vector<std::shared_ptr<Knowledge>> arrivals; ///< by rank and barrier
  ClusterPhase arriving, completed;
  /// By rank: others have reached its memory since all of the cluster met.
  std::vector<bool> reached;
  ClusterRelease ended; ///< what ended threads did
  uint64_t exactRecords = 0;
  uint64_t salt = 0x9e3779b97f4a7c15;
  uint64_t inFlight = 0; ///< granules
  AsyncReads asyncReads{0, 0, 0};
  BulkReads bulkReads{0, 0};
  CoreMatrices cores{0, 0};
  GlobalReads globalReads;
  std::optional<Prologue> prologue;          ///< of a programmatic launch
  llvm::DenseMap<uint64_t, uint32_t> agents; ///< by mbarrier
  /// Of mbarriers, where and when they were initialised last.
  struct Init {
    uint32_t thread, site;
    Tick tick;
  };
  llvm::DenseMap<uint64_t, Init> inits;
  std::vector<uint32_t> issuers;      ///< of what the agents did last
  llvm::DenseSet<uint32_t> combining; ///< sites of reductions
  llvm::DenseSet<uint32_t> storing;   ///< sites of copies to global memory
  std::vector<FlyingStore> flyingGlobal;
  bool isReady = true; ///< see hasMemory
  Mapping local; ///< a byte for each: `localStamp` if written in this block
  uint8_t localStamp = 0;
  std::optional<CheckFinding> finding;
  std::vector<CheckFinding> found; ///< by the access that is checked
  /// Reads of shared memory that nobody has written yet are kept back until the
  /// next barrier of the block, in case their writer comes: then it is a race.
  std::vector<CheckFinding> deferred;
  /// Writes that race, and what memory had before them: if it still has that,
  /// both store the same value.
  std::vector<std::pair<CheckFinding, std::array<char, 8>>> writes;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_CHECKER_H
