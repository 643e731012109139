//===- Order.cpp - What happened before what ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, fences, releases and acquires.
//
//===----------------------------------------------------------------------===//

#include "Check/Order.h"

#include "llvm/ADT/STLExtras.h"

namespace tc::emulator {

//===----------------------------------------------------------------------===//
// Knowledge
//===----------------------------------------------------------------------===//

void addRange(LogRanges &logs, const LogRange &range) {
  for (LogRange &known : logs)
    if (known.location == range.location && known.begin <= range.end &&
        range.begin <= known.end) {
      known.begin = std::min(known.begin, range.begin);
      known.end = std::max(known.end, range.end);
      return;
    }
  logs.push_back(range);
}

void Knowledge::raise(uint32_t thread, Tick tick) {
  constexpr size_t fewThreads = 16;
  if (dense.empty()) {
    for (auto &[known, until] : sparse)
      if (known == thread) {
        until = std::max(until, tick);
        return;
      }
    if (sparse.size() < fewThreads) {
      sparse.push_back({thread, tick});
      return;
    }
    for (auto [known, until] : sparse) {
      dense.resize(std::max<size_t>(dense.size(), known + 1));
      dense[known] = until;
    }
    sparse.clear();
  }
  if (thread >= dense.size())
    dense.resize(llvm::alignTo<32>(thread + 1));
  dense[thread] = std::max(dense[thread], tick);
}

void mergeProxied(std::shared_ptr<const Knowledge> &sum,
                  const Knowledge &more) {
  if (sum.get() == &more)
    return;
  auto merged =
      sum ? std::make_shared<Knowledge>(*sum) : std::make_shared<Knowledge>();
  merged->merge(more);
  merged->proxied = {};
  sum = std::move(merged);
}

void Knowledge::merge(const Knowledge &other) {
  base = std::max(base, other.base);
  for (unsigned space = 0; space < proxySpaces; ++space)
    if (other.proxied[space])
      mergeProxied(proxied[space], *other.proxied[space]);
  for (const LogRange &range : other.logs)
    addRange(logs, range);
  for (auto [thread, tick] : other.sparse)
    raise(thread, tick);
  if (dense.empty() && !other.dense.empty()) {
    dense = other.dense;
    for (auto [thread, tick] : std::exchange(sparse, {}))
      raise(thread, tick);
    return;
  }
  if (dense.size() < other.dense.size())
    dense.resize(other.dense.size());
  for (size_t i = 0; i < other.dense.size(); ++i)
    dense[i] = std::max(dense[i], other.dense[i]);
}

//===----------------------------------------------------------------------===//
// Blocks and barriers
//===----------------------------------------------------------------------===//

void Order::beginBlock(uint64_t index, uint32_t count, uint32_t blockCount) {
  advance();
  block = base = now;
  blocks.push_back({now, index});
  for (uint32_t thread : std::exchange(dirty, {}))
    threads[thread] = Thread();
  threads.resize(count * blockCount);
  threadsOfBlock = count;
  isReleased = false;
  blockLogs.clear();
  blockFenced[0] = blockFenced[1] = nullptr;
  hasProxyFences = false;
  blockProxied = {};
  shared.clear();
}

uint64_t Order::getBlockAt(Tick tick) const {
  auto after = llvm::upper_bound(
      blocks, tick, [](Tick at, auto &entry) { return at < entry.first; });
  return after == blocks.begin() ? 0 : std::prev(after)->second;
}

Order::Thread &Order::touch(uint32_t index) {
  Thread &thread = threads[index];
  if (!thread.isDirty) {
    thread.isDirty = true;
    dirty.push_back(index);
  }
  return thread;
}

static void mergeInto(std::shared_ptr<Knowledge> &sum, const Knowledge &more) {
  if (!sum)
    sum = std::make_shared<Knowledge>();
  else if (sum.use_count() > 1)
    sum = std::make_shared<Knowledge>(*sum);
  sum->merge(more);
}

void Order::meetBlock() {
  if (hasProxyFences)
    addProxied(dirty, blockProxied);
  hasProxyFences = false;
  for (uint32_t index : dirty) {
    Thread &thread = threads[index];
    acquirePending(thread, /*isWide=*/true);
    if (thread.own)
      for (const LogRange &range : thread.own->logs)
        addRange(blockLogs, range);
    for (unsigned scope : {0, 1})
      if (thread.fenced[scope])
        mergeInto(blockFenced[scope], *thread.fenced[scope]);
    thread = Thread();
  }
  dirty.clear();
  advance();
  base = now;
}

void Order::meet(llvm::ArrayRef<uint32_t> members, const Knowledge *arrived) {
  llvm::SmallVector<std::shared_ptr<Knowledge>, 2> known, fenced[2];
  size_t holders = 0;
  auto collect = [](auto &list, const std::shared_ptr<Knowledge> &one) {
    if (one && !llvm::is_contained(list, one))
      list.push_back(one);
  };
  for (uint32_t index : members) {
    Thread &thread = touch(index);
    acquirePending(thread, /*isWide=*/true);
    holders += thread.own != nullptr;
    collect(known, thread.own);
    for (unsigned scope : {0, 1})
      collect(fenced[scope], thread.fenced[scope]);
  }
  // What only these threads know may change in place; `known` holds one more.
  std::shared_ptr<Knowledge> result;
  if (known.size() == 1 && size_t(known[0].use_count()) == holders + 1)
    result = known[0];
  else
    for (const std::shared_ptr<Knowledge> &one : known)
      mergeInto(result, *one);
  if (!result)
    result = std::make_shared<Knowledge>();
  if (arrived)
    result->merge(*arrived);
  for (uint32_t index : members)
    result->raise(index, now + 1);
  if (hasProxyFences)
    addProxied(members, result->proxied);
  for (unsigned scope : {0, 1})
    if (fenced[scope].size() > 1)
      for (size_t i = 1; i < fenced[scope].size(); ++i)
        mergeInto(fenced[scope][0], *fenced[scope][i]);
  for (uint32_t index : members) {
    Thread &thread = threads[index];
    if (thread.own != result)
      thread.own = result;
    for (unsigned scope : {0, 1})
      if (!fenced[scope].empty())
        thread.fenced[scope] = fenced[scope][0];
  }
  advance();
}

//===----------------------------------------------------------------------===//
// Barriers of the cluster
//===----------------------------------------------------------------------===//

template <typename List>
static void addOnce(List &list, const std::shared_ptr<Knowledge> &one) {
  if (one && !llvm::is_contained(list, one))
    list.push_back(one);
}

void ClusterRelease::merge(const ClusterRelease &other) {
  llvm::append_range(until, other.until);
  for (const auto &one : other.known)
    addOnce(known, one);
  for (unsigned scope : {0, 1})
    for (const auto &one : other.fenced[scope])
      addOnce(fenced[scope], one);
}

void Order::arriveAtCluster(uint32_t index, ClusterRelease &released) {
  Thread &thread = touch(index);
  acquirePending(thread, /*isWide=*/true);
  addOnce(released.known, thread.own);
  if (hasProxyFences) {
    auto known = std::make_shared<Knowledge>();
    addProxied(index, known->proxied);
    addOnce(released.known, known);
  }
  for (unsigned scope : {0, 1})
    addOnce(released.fenced[scope], thread.fenced[scope]);
  released.until.push_back({index, now + 1});
}

/// Without a release of its own: what the last fences before it released, and
/// that the thread has begun.
void Order::arriveRelaxed(uint32_t index, ClusterRelease &released) {
  addOnce(released.known, touch(index).fenced[1]);
  released.until.push_back({index, block});
  if (!hasProxyFences)
    return;
  auto known = std::make_shared<Knowledge>();
  ProxySum sum(known->proxied[proxyInits]);
  addProxied(index, proxyInits, sum);
  addOnce(released.known, known);
}

void Order::awaitCluster(uint32_t index, ClusterRelease &released) {
  if (!released.sum) {
    released.sum = std::make_shared<Knowledge>();
    for (const auto &one : released.known)
      released.sum->merge(*one);
    for (auto [thread, tick] : released.until)
      released.sum->raise(thread, tick);
    for (unsigned scope : {0, 1})
      for (const auto &one : released.fenced[scope])
        mergeInto(released.fencedSum[scope], *one);
  }
  Thread &thread = touch(index);
  if (!thread.own || llvm::is_contained(released.known, thread.own))
    thread.own = released.sum;
  else
    makeOwn(thread).merge(*released.sum);
  for (unsigned scope : {0, 1})
    if (const auto &sum = released.fencedSum[scope])
      mergeInto(thread.fenced[scope], *sum);
}

std::shared_ptr<Knowledge> Order::release(uint32_t index) {
  const Thread &thread = threads[index];
  auto what = thread.own ? std::make_shared<Knowledge>(*thread.own)
                         : std::make_shared<Knowledge>();
  what->base = base;
  what->raise(index, now + 1);
  if (hasProxyFences)
    addProxied(index, what->proxied);
  for (const LogRange &range : blockLogs)
    addRange(what->logs, range);
  return what;
}

void Order::fence(uint32_t index, bool isWide) {
  Thread &thread = touch(index);
  acquirePending(thread, isWide);
  thread.fenced[0] = release(index);
  if (isWide)
    thread.fenced[1] = thread.fenced[0];
}

//===----------------------------------------------------------------------===//
// Locations
//===----------------------------------------------------------------------===//

Location *Order::find(bool isShared, uint64_t address, bool create) {
  auto &map = isShared ? shared : globals;
  if (!create) {
    auto found = map.find(address);
    return found == map.end() ? nullptr : found->second.get();
  }
  std::unique_ptr<Location> &location = map[address];
  if (!location)
    location = std::make_unique<Location>();
  return location.get();
}

Knowledge &Order::makeOwn(Thread &thread) {
  if (!thread.own)
    thread.own = std::make_shared<Knowledge>();
  else if (thread.own.use_count() > 1)
    thread.own = std::make_shared<Knowledge>(*thread.own);
  return *thread.own;
}

void Order::acquire(Thread &thread, const LogRange &range, bool isWide) {
  const Location &location = *range.location;
  if (range.begin == range.end)
    return;
  Knowledge &own = makeOwn(thread);
  if (isWide && location.log[range.begin].block != block)
    addRange(own.logs, range);
  uint32_t seen = thread.seen == range.location ? thread.seenEnd : 0;
  uint32_t from = std::max(range.begin, seen);
  // A scope of the block does not reach the others of its cluster.
  bool isAlone = threads.size() == threadsOfBlock;
  uint32_t rank = (&thread - threads.data()) / threadsOfBlock;
  for (uint32_t i = range.end; i > from && location.log[i - 1].block == block;
       --i) {
    const Location::Entry &entry = location.log[i - 1];
    if (isAlone || entry.rank == rank || (isWide && entry.isWide))
      own.merge(*entry.what);
  }
  if (!isAlone && !isWide)
    return;
  thread.seen = range.location;
  thread.seenEnd = range.end;
}

void Order::acquirePending(Thread &thread, bool isWide) {
  for (const auto &sum : std::exchange(thread.pendingSums, {}))
    makeOwn(thread).merge(*sum);
  for (unsigned scope : {0, 1})
    for (const LogRange &range : thread.pending[scope])
      acquire(thread, range, isWide && scope == 1);
  thread.pending[0].clear();
  if (isWide)
    thread.pending[1].clear();
}

void Order::releaseTo(Location &location, uint32_t thread, bool isShared,
                      bool isWide, const std::shared_ptr<Knowledge> &what) {
  if (!what)
    return;
  if (isShared) {
    constexpr size_t mostGiven = 4;
    if (llvm::is_contained(location.given, what))
      return;
    mergeInto(location.sum, *what);
    if (location.given.size() == mostGiven)
      location.given.erase(location.given.begin());
    location.given.push_back(what);
    return;
  }
  isReleased |= isWide;
  // The same fence again, as by threads that wait for a lock: said before.
  if (location.said.insert({what.get(), isWide}).second)
    location.log.push_back({block, isWide, thread / threadsOfBlock, what});
}

void Order::access(uint32_t index, bool isShared, uint64_t address,
                   Strong what) {
  Thread &thread = threads[index];
  bool hasFenced = thread.fenced[0] || blockFenced[0];
  bool writes = what.writes && (what.releases || hasFenced);
  Location *location = find(isShared, address, writes);
  if (!location)
    return;
  touch(index);
  if (what.reads && !isShared) {
    LogRange range{location, location->begin, uint32_t(location->log.size())};
    if (what.acquires)
      acquire(thread, range, what.isWide);
    else if (range.begin != range.end)
      addRange(thread.pending[what.isWide], range);
  } else if (what.reads && location->sum) {
    if (what.acquires)
      makeOwn(thread).merge(*location->sum);
    else if (!llvm::is_contained(thread.pendingSums, location->sum))
      thread.pendingSums.push_back(location->sum);
  }
  // A plain store ends the release sequence that atomics would go on with.
  if (what.writes && !what.reads) {
    location->begin = location->log.size();
    location->said.clear();
    location->sum = location->arrived = nullptr;
    location->given.clear();
  }
  if (!writes)
    return;
  if (what.releases) {
    releaseTo(*location, index, isShared, what.isWide, release(index));
    advance();
  }
  for (unsigned scope : {0, 1}) {
    if (scope == 1 && !what.isWide)
      continue;
    releaseTo(*location, index, isShared, scope == 1, thread.fenced[scope]);
    releaseTo(*location, index, isShared, scope == 1, blockFenced[scope]);
  }
}

void Order::arrive(uint32_t index, uint64_t object) {
  Location &location = *find(/*isShared=*/true, object, /*create=*/true);
  const std::shared_ptr<Knowledge> &own = threads[index].own;
  if (own && own == location.arrived && location.sum && !hasProxyFences) {
    if (location.sum.use_count() > 1)
      location.sum = std::make_shared<Knowledge>(*location.sum);
    location.sum->raise(index, now + 1);
  } else {
    mergeInto(location.sum, *release(index));
    location.arrived = own;
  }
  advance();
}

void Order::completePhase(uint64_t object) {
  Location &location = *find(/*isShared=*/true, object, /*create=*/true);
  location.hasPhases = true;
  location.completed = location.sum;
}

void Order::await(uint32_t index, uint64_t object) {
  Location *location = find(/*isShared=*/true, object, /*create=*/false);
  if (!location)
    return;
  const auto &sum = location->hasPhases ? location->completed : location->sum;
  if (!sum)
    return;
  Thread &thread = touch(index);
  auto &last = location->awaited;
  if (!last.after || last.before != thread.own || last.sum != sum) {
    last.before = thread.own;
    last.sum = sum;
    last.after = nullptr;
    makeOwn(thread).merge(*sum);
    last.after = thread.own;
  } else {
    thread.own = last.after;
  }
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

bool Order::knowsAny(uint32_t first, uint32_t count, uint32_t observer) const {
  const Knowledge *own = threads[observer].own.get();
  if (base > block || !own)
    return base > block;
  for (uint32_t thread = first; thread < first + count; ++thread)
    if (own->get(thread))
      return true;
  return false;
}

bool Order::knowSame(uint32_t first, uint32_t mask) const {
  const Knowledge *known = nullptr;
  bool isFirst = true;
  for (uint32_t lane = 0; lane < 32; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    const Knowledge *own = threads[first + lane].own.get();
    if (!isFirst && own != known)
      return false;
    known = own;
    isFirst = false;
  }
  return true;
}

namespace {

/// Looks through logs for what a thread of an earlier block released.
struct Search {
  Tick block = 0, tick = 0; ///< start of the block, and when
  uint32_t thread = 0;
  llvm::SmallVector<LogRange> work;
  llvm::DenseMap<const Location *, LogRanges> done;

  void add(const LogRanges &logs) {
    for (const LogRange &range : logs) {
      LogRanges &known = done[range.location];
      bool isNew = llvm::none_of(known, [&](const LogRange &other) {
        return other.begin <= range.begin && range.end <= other.end;
      });
      if (!isNew)
        continue;
      addRange(known, range);
      work.push_back(range);
    }
  }

  bool run() {
    while (!work.empty()) {
      LogRange range = work.pop_back_val();
      const std::vector<Location::Entry> &log = range.location->log;
      auto end = log.begin() + range.end;
      auto entry = std::lower_bound(
          log.begin() + range.begin, end, block,
          [](const Location::Entry &e, Tick at) { return e.block < at; });
      for (; entry != end; ++entry) {
        if (!entry->isWide)
          continue;
        if (entry->block != block)
          add(entry->what->logs);
        else if (tick < entry->what->base || entry->what->get(thread) > tick)
          return true;
      }
    }
    return false;
  }
};

} // namespace

bool Order::isForeignBefore(Tick tick, uint32_t thread,
                            uint32_t observer) const {
  if (!knowsForeign(observer))
    return false;
  auto after = llvm::upper_bound(
      blocks, tick, [](Tick at, auto &entry) { return at < entry.first; });
  Search search;
  search.block = std::prev(after)->first;
  search.tick = tick;
  search.thread = thread;
  search.add(blockLogs);
  if (const Knowledge *own = threads[observer].own.get())
    search.add(own->logs);
  return search.run();
}

} // namespace tc::emulator
