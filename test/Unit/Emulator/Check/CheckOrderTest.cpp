//===- CheckOrderTest.cpp - Races against brute force ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random histories of a few threads. An oracle keeps every event and a bit for
// every pair that is ordered; the checks must report at the very access that
// races first, and name a party that it does race with.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <numeric>
#include <random>
#include <set>

using namespace tc::emulator;

namespace {

constexpr uint32_t threadCount = 64;
constexpr unsigned blockCount = 3;

/// What an instruction of a history does to memory.
struct Kind {
  AccessKind access;
  bool isStrong, acquires, releases, isWide;
};

class Oracle {
public:
  struct Event {
    unsigned block;
    uint32_t thread, site;
    bool isShared;
    uint64_t address;
    Kind kind;
  };

  void beginBlock() {
    ++block;
    threads.assign(threadCount, Thread());
    shared.clear();
    sharedChains.clear();
  }

  /// Earlier accesses that an access would race with.
  std::vector<Event> findRaces(const Event &access) const {
    std::vector<Event> found;
    for (auto &[other, node] : accesses)
      if (other.isShared == access.isShared &&
          other.address == access.address &&
          (!access.isShared || other.block == access.block) &&
          (other.kind.access != AccessKind::Read ||
           access.kind.access != AccessKind::Read) &&
          !(other.block == access.block && other.thread == access.thread) &&
          !isMorallyStrong(other, access) && !isOrdered(node, access.thread) &&
          !isObserved(node, access.thread))
        found.push_back(other);
    return found;
  }

  unsigned access(const Event &event) {
    accesses.push_back({event, makeNode(event.thread)});
    return accesses.back().second;
  }

  /// The writes of a chain precede a strong read that finds the last one.
  void observe(const Event &event, unsigned node) {
    if (!event.kind.isStrong)
      return;
    auto &chain = (event.isShared ? sharedChains : chains)[event.address];
    bool finds = event.kind.access != AccessKind::Write && !chain.empty() &&
                 isMorallyStrong(accesses[chain.back()].first, event);
    for (unsigned write : chain)
      if (finds)
        observers[accesses[write].second].push_back(node);
    if (event.kind.access == AccessKind::Read)
      return;
    if (!finds)
      chain.clear();
    for (unsigned i = accesses.size(); i > 0; --i)
      if (accesses[i - 1].second == node)
        chain.push_back(i - 1);
  }

  /// What the access means for order; after all lanes of it.
  void synchronize(const Event &event) {
    const Kind &kind = event.kind;
    if (!kind.isStrong)
      return;
    Thread &thread = threads[event.thread];
    auto &location = (event.isShared ? shared : globals)[event.address];
    bool reads = kind.access != AccessKind::Write;
    bool writes = kind.access != AccessKind::Read;
    unsigned node = makeNode(event.thread);
    for (Source source : location) {
      source.isWide &= kind.isWide;
      if (reads && kind.acquires)
        acquire(node, source);
      else if (reads)
        thread.pending.insert(source);
    }
    if (writes && !reads)
      location.clear();
    if (!writes)
      return;
    if (kind.releases)
      location.insert({node, block, kind.isWide});
    for (unsigned fence : thread.fenced[0])
      location.insert({fence, block, false});
    for (unsigned fence : thread.fenced[1])
      location.insert({fence, block, kind.isWide});
  }

  void fence(uint32_t index, bool isWide) {
    Thread &thread = threads[index];
    unsigned node = makeNode(index);
    for (const Source &source : thread.pending)
      acquire(node, {source.node, source.block, source.isWide && isWide});
    if (isWide)
      thread.pending.clear();
    thread.fenced[0].insert(node);
    if (isWide)
      thread.fenced[1].insert(node);
  }

  /// Barriers; `arrived` are nodes of threads that do not wait.
  void meet(const std::vector<uint32_t> &members,
            const std::vector<unsigned> &arrived = {}) {
    unsigned node = makeNode(std::nullopt);
    std::set<unsigned> fenced[2];
    for (uint32_t member : members) {
      Thread &thread = threads[member];
      if (thread.last)
        order(*thread.last, node);
      for (const Source &source : std::exchange(thread.pending, {}))
        acquire(node, source);
      for (unsigned scope : {0, 1})
        fenced[scope].insert(thread.fenced[scope].begin(),
                             thread.fenced[scope].end());
    }
    for (unsigned one : arrived)
      order(one, node);
    for (uint32_t member : members) {
      threads[member].last = node;
      for (unsigned scope : {0, 1})
        threads[member].fenced[scope] = fenced[scope];
    }
  }

  unsigned arrive(uint32_t thread) { return makeNode(thread); }
  void arriveAt(uint32_t thread, unsigned object) {
    objects[{block, object}].push_back(makeNode(thread));
  }
  void await(uint32_t thread, unsigned object) {
    unsigned node = makeNode(thread);
    for (unsigned arrival : objects[{block, object}])
      order(arrival, node);
  }

private:
  struct Source {
    unsigned node, block;
    bool isWide;
    bool operator<(const Source &other) const {
      return std::tie(node, isWide) < std::tie(other.node, other.isWide);
    }
  };
  struct Thread {
    std::optional<unsigned> last;
    std::set<Source> pending;
    std::set<unsigned> fenced[2];
  };

  static bool isMorallyStrong(const Event &a, const Event &b) {
    return a.kind.isStrong && b.kind.isStrong &&
           (a.block == b.block || (a.kind.isWide && b.kind.isWide));
  }
  /// Everything before `from`, and it itself, is before `to`.
  void order(unsigned from, unsigned to) {
    before[to] |= before[from];
    before[to].set(from);
  }
  void acquire(unsigned node, const Source &source) {
    if (source.block == block || source.isWide)
      order(source.node, node);
  }
  unsigned makeNode(std::optional<uint32_t> thread) {
    unsigned node = before.size();
    before.push_back(llvm::BitVector(maxNodes));
    if (!thread)
      return node;
    if (threads[*thread].last)
      order(*threads[*thread].last, node);
    threads[*thread].last = node;
    return node;
  }
  bool isOrdered(unsigned node, uint32_t thread) const {
    const std::optional<unsigned> &last = threads[thread].last;
    return last && (*last == node || before[*last].test(node));
  }

  bool isObserved(unsigned node, uint32_t thread) const {
    auto found = observers.find(node);
    return found != observers.end() &&
           llvm::any_of(found->second, [&](unsigned reader) {
             return isOrdered(reader, thread);
           });
  }

  static constexpr unsigned maxNodes = 4096;
  unsigned block = 0;
  std::vector<llvm::BitVector> before;
  std::vector<std::pair<Event, unsigned>> accesses;
  std::vector<Thread> threads;
  std::map<uint64_t, std::set<Source>> shared, globals;
  /// By location: indices of accesses; and by node of a write: its readers.
  std::map<uint64_t, std::vector<unsigned>> chains, sharedChains;
  std::map<unsigned, std::vector<unsigned>> observers;
  std::map<std::pair<unsigned, unsigned>, std::vector<unsigned>> objects;
};

/// How the threads may synchronise, and whether all readers are remembered.
enum class Mode { BarriersOnly, Fine, Sampled };

/// Feeds one history to both.
class History {
public:
  History(unsigned seed, Mode mode)
      : random(seed), isFine(mode != Mode::BarriersOnly),
        isExact(mode != Mode::Sampled),
        data(static_cast<uint32_t *>(llvm::cantFail(memory.allocate(128)))) {
    CheckSetup setup;
    setup.threads = threadCount;
    setup.sharedBytes = 128;
    setup.isFine = isFine;
    if (!isExact)
      setup.mostExactRecords = 0;
    setup.getFacts = [this](uint32_t site) { return facts[site]; };
    checker.emplace(memory.impl(), setup);
  }

  /// The number of accesses until the first race, or 0 for none.
  unsigned run(unsigned steps) {
    for (unsigned block = 0; block < blockCount; ++block) {
      beginBlock();
      for (unsigned i = 0; i < steps; ++i)
        if (!step())
          return facts.size();
      EXPECT_TRUE(checker->endBlock());
    }
    return 0;
  }

private:
  unsigned pick(unsigned count) {
    return std::uniform_int_distribution<unsigned>(0, count - 1)(random);
  }
  /// Lanes 0 to 2 of one of two warps.
  uint32_t pickThread() { return pick(2) * 32 + pick(3); }
  const WarpState &warpOf(uint32_t thread) const { return warps[thread / 32]; }

  void beginBlock() {
    checker->beginBlock(++index);
    oracle.beginBlock();
    for (uint32_t i : {0, 1}) {
      warps[i] = WarpState();
      warps[i].index = i;
    }
    // Shared memory is initialised, or every other read would be reported.
    ASSERT_TRUE(access(0, ~0u, true, row(), weak(AccessKind::Write)));
    meetAll();
  }

  void meetAll() {
    std::vector<uint32_t> everyone(threadCount);
    for (uint32_t i = 0; i < threadCount; ++i)
      everyone[i] = i;
    EXPECT_TRUE(checker->meetBlock());
    oracle.meet(everyone);
  }

  /// The whole shared memory, in order.
  static std::vector<uint64_t> row() {
    std::vector<uint64_t> places(32);
    std::iota(places.begin(), places.end(), 0);
    return places;
  }
  /// Where the lanes of an access go: to one place, a few, in order, in reverse
  /// or twice to the same half.
  std::vector<uint64_t> pickPlaces() {
    std::vector<uint64_t> places = row();
    switch (pick(6)) {
    case 0:
      places.resize(16);
      break;
    case 1:
      std::reverse(places.begin(), places.end());
      break;
    case 2:
      break;
    case 3:
      places.resize(3);
      break;
    default:
      places = {pick(3)};
    }
    return places;
  }

  static Kind weak(AccessKind kind) {
    return {kind, false, false, false, false};
  }

  Kind pickKind() {
    unsigned which = pick(10);
    if (which < 3)
      return weak(AccessKind::Read);
    if (which < 5)
      return weak(AccessKind::Write);
    AccessKind access = AccessKind(pick(3));
    bool isWide = pick(4) != 0, ordered = isFine && pick(2);
    return {access, true, ordered && access != AccessKind::Write,
            ordered && access != AccessKind::Read, isWide};
  }

  /// Lanes of `mask`, each at one of `places`.
  bool access(uint32_t warp, uint32_t mask, bool isShared,
              std::vector<uint64_t> places, Kind kind) {
    uint64_t addresses[32] = {};
    uint64_t base = isShared ? sharedStart : reinterpret_cast<uint64_t>(data);
    uint32_t site = facts.size();
    facts.push_back({kind.acquires, kind.releases, kind.isWide});
    std::vector<Oracle::Event> events, races;
    for (uint32_t lane = 0, i = 0; lane < 32; ++lane) {
      if (!(mask >> lane & 1))
        continue;
      addresses[lane] = base + 4 * places[i++ % places.size()];
      events.push_back(
          {index, warp * 32 + lane, site, isShared, addresses[lane], kind});
    }
    for (const Oracle::Event &event : events)
      for (const Oracle::Event &race : oracle.findRaces(event))
        races.push_back(race);
    std::vector<unsigned> nodes;
    for (const Oracle::Event &event : events)
      nodes.push_back(oracle.access(event));
    for (auto [event, node] : llvm::zip(events, nodes))
      oracle.observe(event, node);
    for (const Oracle::Event &event : events)
      oracle.synchronize(event);
    WarpAccess done{site,
                    mask,
                    isShared ? ptx::Space::Shared : ptx::Space::Global,
                    4,
                    kind.access,
                    kind.isStrong,
                    addresses};
    bool isFine = checker->access(warps[warp], done);
    EXPECT_TRUE(isFine == races.empty() || (isFine && !isExact))
        << "at site " << site << ", " << races.size() << " races";
    if (!isFine && !races.empty())
      checkParty(races);
    return isFine && races.empty();
  }

  void checkParty(const std::vector<Oracle::Event> &races) {
    const CheckFinding &finding = *checker->getFinding();
    EXPECT_EQ(finding.what, FindingClass::Race);
    ASSERT_TRUE(finding.other);
    EXPECT_TRUE(llvm::any_of(races,
                             [&](const Oracle::Event &race) {
                               return !finding.other->isKnown ||
                                      (race.site == finding.other->site &&
                                       race.thread == finding.other->thread);
                             }))
        << "other site " << finding.other->site;
  }

  bool step() {
    uint32_t thread = pickThread(), warp = thread / 32;
    unsigned what = pick(isFine ? 20 : 12);
    if (what < 9) {
      uint32_t masks[] = {1u << thread % 32, 1u << thread % 32, 1 + pick(7),
                          pick(2) ? ~0u : 0xffff0};
      return access(warp, masks[pick(4)], pick(2), pickPlaces(), pickKind());
    }
    if (what < 12) {
      if (!isFine || pick(3) == 0)
        meetAll();
      return true;
    }
    if (what < 14) {
      facts.push_back({false, false, pick(3) != 0});
      checker->fence(warpOf(thread), 1u << thread % 32, facts.size() - 1);
      oracle.fence(thread, facts.back().isWide);
    } else if (what < 16) {
      uint32_t lanes = 1 + pick(7);
      checker->meetWarp(warpOf(thread), lanes);
      oracle.meet(threadsOf(warp, lanes));
    } else if (what < 18) {
      std::vector<uint32_t> members = threadsOf(0, 1 + pick(7));
      std::vector<uint32_t> more = threadsOf(1, 1 + pick(7));
      members.insert(members.end(), more.begin(), more.end());
      std::vector<unsigned> arrived;
      if (pick(2)) {
        uint32_t lane = 3 + pick(2);
        checker->arrive(warps[0], 1u << lane, 1);
        arrived.push_back(oracle.arrive(lane));
      }
      checker->meet(members, 1);
      oracle.meet(members, arrived);
    } else if (what == 18) {
      unsigned object = pick(2);
      checker->arriveAt(warpOf(thread), thread % 32, object);
      oracle.arriveAt(thread, object);
    } else {
      unsigned object = pick(2);
      checker->awaitPhase(warpOf(thread), thread % 32, object);
      oracle.await(thread, object);
    }
    return true;
  }

  static std::vector<uint32_t> threadsOf(uint32_t warp, uint32_t lanes) {
    std::vector<uint32_t> threads;
    for (uint32_t lane = 0; lane < 32; ++lane)
      if (lanes >> lane & 1)
        threads.push_back(warp * 32 + lane);
    return threads;
  }

  std::mt19937 random;
  bool isFine, isExact;
  Memory memory;
  uint32_t *data;
  std::vector<SiteFacts> facts;
  Oracle oracle;
  std::optional<Checker> checker;
  WarpState warps[2];
  unsigned index = 0; ///< of the block, from 1 as the oracle counts
};

class Histories : public testing::TestWithParam<Mode> {};

TEST_P(Histories, AgreeWithBruteForce) {
  unsigned races = 0, late = 0;
  constexpr unsigned seeds = 2000;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    unsigned at = History(seed, GetParam()).run(40);
    races += at != 0;
    late += at > 15;
    if (HasFailure())
      return;
  }
  // The histories are worth something only if races come early and late.
  EXPECT_GT(races, seeds / 2);
  EXPECT_GT(late, seeds / 20);
}

INSTANTIATE_TEST_SUITE_P(Synchronisation, Histories,
                         testing::Values(Mode::BarriersOnly, Mode::Fine,
                                         Mode::Sampled));

} // namespace
