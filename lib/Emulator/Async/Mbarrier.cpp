//===- Mbarrier.cpp - Barriers in shared memory ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section 9.7.13.15. The document leaves misuse undefined; here it is
// a fault: a use of what is no object, more arrivals than a phase waits for, a
// state of a phase long gone.
//
//===----------------------------------------------------------------------===//

#include "Async/Mbarrier.h"
#include "Async/Bulk/Bulk.h"
#include "Check/Checker.h"
#include "Runtime/Scheduler.h"
#include "Time/Trace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <cstring>

using llvm::Twine;

namespace tc::emulator {

namespace {

/// The block whose shared memory an object is in.
const BlockState &getOwner(Launch &launch, const char *object) {
  uint64_t at = reinterpret_cast<uint64_t>(object);
  return launch.getBlock(findWindow(launch.block, at).value_or(0));
}

std::string describe(Launch &launch, const char *object) {
  const BlockState &owner = getOwner(launch, object);
  std::string text =
      "the mbarrier at shared address 0x" +
      llvm::utohexstr(object - owner.shared + sharedStart, /*LowerCase=*/true);
  return launch.countBlocks() > 1 ? text + " of block " + describeBlock(owner)
                                  : text;
}

std::string describe(const Step &step, const char *object) {
  return describe(step.launch, object);
}

bool misuse(Step &step, unsigned lane, const Twine &what) {
  return fail(step, lane, what, FindingClass::Async);
}

/// Finds the live object at `object`, or faults.
AsyncState::Object *find(Step &step, unsigned lane, const char *object) {
  AsyncState &state = getAsync(step.launch, getOwner(step.launch, object));
  auto found = state.objects.find(object);
  uint64_t word;
  std::memcpy(&word, object, sizeof(word));
  if (found == state.objects.end())
    misuse(step, lane, describe(step, object) + " was not initialised");
  else if (!found->second.isLive)
    misuse(step, lane, describe(step, object) + " was invalidated");
  else if (found->second.word != word)
    misuse(step, lane,
           describe(step, object) +
               " was overwritten by something other than an mbarrier "
               "instruction");
  else
    return &found->second;
  return nullptr;
}

void store(char *object, AsyncState::Object &entry, const Mbarrier &value) {
  entry.word = value.encode();
  std::memcpy(object, &entry.word, sizeof(entry.word));
}

/// Ends the phase of `value` if it waits for nothing more, and stores it.
void update(Step &step, char *object, AsyncState::Object &entry,
            Mbarrier value) {
  step.launch.scheduler->noteProgress();
  bool ends = value.advance();
  if (ends && step.launch.checker)
    step.launch.checker->completePhase(getSharedAddress(step, object));
  store(object, entry, value);
  if (!ends)
    return;
  if (step.launch.bulk)
    bulk::endPhase(step.launch, object, entry.phases);
  ++entry.phases;
  entry.told = 0;
  entry.teller = AsyncState::Object::nobody;
  entry.copies.clear();
}

void noteExpected(Step &step, AsyncState::Object &entry, int64_t bytes) {
  entry.told += bytes;
  if (bytes)
    entry.teller = step.site;
}

bool addBytes(Step &step, unsigned lane, const char *object, Mbarrier &value,
              int64_t bytes) {
  value.bytes += bytes;
  return std::abs(value.bytes) <= Mbarrier::maxCount ||
         misuse(step, lane,
                describe(step, object) + " can wait for at most " +
                    Twine(Mbarrier::maxCount) + " bytes, got " +
                    Twine(value.bytes));
}

/// One lane's arrival; `state` is what the object was before.
struct Arrival {
  int64_t count = 1;
  int64_t bytes = 0; ///< expected in addition, before it arrives
  bool drops = false;
  bool mayComplete = true;
};

bool arrive(Step &step, unsigned lane, char *object, const Arrival &arrival,
            uint64_t &state) {
  AsyncState::Object *entry = find(step, lane, object);
  if (!entry)
    return false;
  state = entry->word;
  Mbarrier value = Mbarrier::decode(entry->word);
  if (arrival.count < 1)
    return misuse(step, lane, "expected an arrival count of at least 1, got 0");
  if (!addBytes(step, lane, object, value, arrival.bytes))
    return false;
  noteExpected(step, *entry, arrival.bytes);
  if (arrival.count > value.pending ||
      (arrival.drops && arrival.count > value.expected))
    return misuse(step, lane,
                  Twine(arrival.count) + " more arrivals on " +
                      describe(step, object) + ", which waits for " +
                      Twine(value.pending));
  if (!arrival.mayComplete && arrival.count == value.pending)
    return misuse(step, lane,
                  "an arrival with .noComplete would end the phase of " +
                      describe(step, object));
  value.pending -= arrival.count;
  value.expected -= arrival.drops ? arrival.count : 0;
  if (step.launch.checker && step.instruction.get("StOrder") != "relaxed")
    step.launch.checker->arriveAt(step.warp, lane,
                                  getSharedAddress(step, object));
  update(step, object, *entry, value);
  return true;
}

/// Whether the phase that a lane waits for has ended.
bool test(Step &step, unsigned lane, char *object, bool &isDone) {
  AsyncState::Object *entry = find(step, lane, object);
  if (!entry)
    return false;
  unsigned phase = Mbarrier::decode(entry->word).phase;
  uint64_t operand = step.sources[1][lane];
  // Of a parity the lowest bit counts, as ptxas has it; Triton passes -1.
  if (step.instruction.has("parity")) {
    isDone = (phase & 1) != (operand & 1);
    return true;
  }
  unsigned awaited = Mbarrier::decode(operand).phase;
  isDone = phase != awaited;
  return !isDone || ((awaited + 1) & 7) == phase ||
         misuse(step, lane,
                "expected a state of the present or the last phase of " +
                    describe(step, object) + ", got one of an earlier phase");
}

/// The same after the copies that it may be waiting for, all of them if it
/// `isLast`.
bool testSettled(Step &step, unsigned lane, char *object, bool isLast,
                 bool &isDone) {
  AsyncState &state = getAsync(step.launch, *step.warp.block);
  if (!test(step, lane, object, isDone))
    return false;
  if (!isDone && hasPendingArrivals(state, object) &&
      (!settleArrivals(step.launch, state, object) ||
       !test(step, lane, object, isDone)))
    return false;
  if (!isDone && bulk::isPending(step.launch, object) &&
      (!bulk::settle(step.launch, object, isLast) ||
       !test(step, lane, object, isDone)))
    return false;
  if (isDone && step.launch.bulk)
    bulk::observe(step.launch, object, find(step, lane, object)->phases);
  if (isDone && step.launch.checker &&
      step.instruction.get("LdOrder") != "relaxed")
    step.launch.checker->awaitPhase(step.warp, lane,
                                    getSharedAddress(step, object));
  return true;
}

void noteWait(Step &step, const char *object) {
  AsyncState &state = getAsync(step.launch, *step.warp.block);
  state.warps[step.warp.index].awaited = object;
  state.warps[step.warp.index].waiter = step.site;
}

/// The object that the warp waited for at this instruction just before, for all
/// of its lanes: such an access is nothing new to the checks and counters, and
/// there may be very many.
char *findAwaited(Step &step) {
  AsyncState &state = getAsync(step.launch, *step.warp.block);
  const AsyncState::Warp &own = state.warps[step.warp.index];
  if (!own.awaited || own.waiter != step.site)
    return nullptr;
  uint64_t expected =
      step.instruction.has("SharedSpace")
          ? getSharedAddress(step, own.awaited) - step.warp.rank * clusterWindow
          : reinterpret_cast<uint64_t>(own.awaited);
  bool isSame = forLanes(step.active, [&](unsigned lane) {
    return step.sources[0][lane] == expected;
  });
  return isSame ? const_cast<char *>(own.awaited) : nullptr;
}

/// Tells the tracer what the lanes do, those on one object together.
void trace(Step &step, const LanePointers &objects,
           llvm::function_ref<MbarrierUse(unsigned lane)> describe) {
  if (!step.launch.tracer)
    return;
  llvm::SmallVector<MbarrierUse, 2> uses;
  forLanes(step.active, [&](unsigned lane) {
    MbarrierUse use = describe(lane);
    use.object = uint32_t(getSharedAddress(step, objects[lane]));
    auto same = llvm::find_if(uses, [&](const MbarrierUse &other) {
      return other.object == use.object && other.phase == use.phase;
    });
    if (same == uses.end()) {
      uses.push_back(use);
      return true;
    }
    same->pending += use.pending;
    same->expected += use.expected;
    same->bytes += use.bytes;
    return true;
  });
  for (const MbarrierUse &use : uses)
    step.launch.tracer->use(step.warp, step.site, use);
}

} // namespace

void traceCopyArrival(Step &step, const LanePointers &objects) {
  trace(step, objects, [&](unsigned) {
    MbarrierUse use;
    use.kind = MbarrierUse::Kind::CopyArrive;
    use.pending = step.instruction.has("noinc") ? -1 : 0;
    return use;
  });
}

bool resolveMbarriers(Step &step, AccessKind kind, LanePointers &objects) {
  bool isShared = step.instruction.has("SharedSpace");
  bool isOfCluster = step.instruction.has("shared::cluster");
  if (!resolve(step, step.active,
               isShared      ? ptx::Space::Shared
               : isOfCluster ? ptx::Space::Cluster
                             : ptx::Space::Generic,
               step.sources[0], 8, kind, objects))
    return false;
  const BlockState &block = *step.warp.block;
  return isOfCluster || forLanes(step.active, [&](unsigned lane) {
           return uint64_t(objects[lane] - block.shared) < block.totalShared ||
                  misuse(
                      step, lane,
                      "expected an mbarrier in the block's shared memory, got "
                      "generic address 0x" +
                          llvm::utohexstr(step.sources[0][lane], true));
         });
}

bool arriveOnMbarrier(Step &step, unsigned lane, char *object) {
  uint64_t state;
  return arrive(step, lane, object, {}, state);
}

bool completeTransaction(Step &step, unsigned lane, char *object, int64_t bytes,
                         uint64_t &phase) {
  AsyncState::Object *entry = find(step, lane, object);
  if (!entry)
    return false;
  Mbarrier value = Mbarrier::decode(entry->word);
  phase = entry->phases;
  if (!llvm::is_contained(entry->copies, step.site))
    entry->copies.push_back(step.site);
  if (!addBytes(step, lane, object, value, -bytes))
    return false;
  update(step, object, *entry, value);
  return true;
}

bool expectTransaction(Step &step, unsigned lane, char *object, int64_t bytes) {
  AsyncState::Object *entry = find(step, lane, object);
  if (!entry)
    return false;
  Mbarrier value = Mbarrier::decode(entry->word);
  if (!addBytes(step, lane, object, value, bytes))
    return false;
  noteExpected(step, *entry, bytes);
  store(object, *entry, value);
  return true;
}

std::optional<uint64_t> getPhase(Step &step, unsigned lane, char *object) {
  AsyncState::Object *entry = find(step, lane, object);
  if (!entry)
    return std::nullopt;
  return entry->phases;
}

std::string describePhase(Launch &launch, const char *object) {
  AsyncState &state = getAsync(launch, getOwner(launch, object));
  auto found = state.objects.find(object);
  if (found == state.objects.end())
    return "";
  const AsyncState::Object &entry = found->second;
  Mbarrier value = Mbarrier::decode(entry.word);
  std::string text =
      ("phase " + Twine(entry.phases) + " of " + describe(launch, object) +
       " has " + Twine(value.expected - value.pending) + " of " +
       Twine(value.expected) + " arrivals")
          .str();
  if (entry.told || value.bytes)
    text += (" and " + Twine(entry.told - value.bytes) + " of " +
             Twine(entry.told) + " bytes")
                .str();
  if (entry.teller != AsyncState::Object::nobody)
    text += ", expected at " + describeSite(launch, entry.teller);
  llvm::StringRef before = ", brought by ";
  for (uint32_t site : entry.copies) {
    text += before.str() + describeSite(launch, site);
    before = " and ";
  }
  return text;
}

std::string describeWait(Launch &launch, const WarpState &warp, uint32_t site) {
  auto found = launch.async.find(warp.rank);
  if (found == launch.async.end())
    return "";
  if (launch.plan.sites[site].instruction->root == "setmaxnreg")
    return describeRegisters(launch, warp, site);
  const AsyncState::Warp &waiting = found->second->warps[warp.index];
  bool isWaiting = waiting.awaited && waiting.waiter == site;
  return isWaiting ? describePhase(launch, waiting.awaited) : "";
}

bool expectArrival(Step &step, unsigned lane, char *object) {
  AsyncState::Object *entry = find(step, lane, object);
  if (!entry)
    return false;
  Mbarrier value = Mbarrier::decode(entry->word);
  if (++value.pending > Mbarrier::maxCount)
    return misuse(step, lane,
                  describe(step, object) + " can wait for at most " +
                      Twine(Mbarrier::maxCount) + " arrivals");
  store(object, *entry, value);
  return true;
}

/// False when the launch ends there.
bool noteInitialisedAgain(Step &step, unsigned lane, const char *object) {
  return step.launch.options.checks == Checks::None ||
         reportSite(step.warp, lane, step.site, FindingClass::Async, [&] {
           return describe(step, object) +
                  " is initialised again without mbarrier.inval";
         });
}

namespace async {

bool mbarrierInit(Step &step) {
  LanePointers objects;
  if (!resolveMbarriers(step, AccessKind::Write, objects))
    return false;
  AsyncState &state = getAsync(step.launch, *step.warp.block);
  bool isDone = forLanes(step.active, [&](unsigned lane) {
    int64_t count = step.sources[1][lane];
    if (count < 1 || count > Mbarrier::maxCount)
      return misuse(step, lane,
                    "expected a count from 1 to " + Twine(Mbarrier::maxCount) +
                        ", got " + Twine(count));
    unsigned thread = step.warp.index * warpSize + lane;
    AsyncState::Object fresh;
    auto found = state.objects.find(objects[lane]);
    if (found != state.objects.end() && found->second.isLive) {
      AsyncState::Object &was = found->second;
      if (!noteInitialisedAgain(step, lane, objects[lane]))
        return false;
      // Kernels that let each thread initialise, as some of MLIR's do, run
      // on GPUs, where all do so before one of them arrives.
      if (was.initialiser == step.site && !was.initialised[thread] &&
          Mbarrier::decode(was.word).expected == count) {
        was.initialised.set(thread);
        return true;
      }
      fresh.phases = was.phases + 1;
    }
    fresh.initialiser = step.site;
    fresh.initialised.set(thread);
    if (step.launch.checker)
      step.launch.checker->noteInit(step.warp, lane, step.site,
                                    getSharedAddress(step, objects[lane]));
    store(objects[lane], state.objects[objects[lane]] = fresh,
          Mbarrier{count, count});
    return true;
  });
  trace(step, objects, [&](unsigned lane) {
    MbarrierUse use;
    use.pending = use.expected = step.sources[1][lane];
    return use;
  });
  return isDone;
}

/// Against other mbarrier instructions no race: CUDA's own pipelines invalidate
/// after a count that one lane keeps for its warp.
bool mbarrierInvalidate(Step &step) {
  LanePointers objects;
  if (!resolveMbarriers(step, AccessKind::Atomic, objects))
    return false;
  AsyncState &state = getAsync(step.launch, *step.warp.block);
  return forLanes(step.active, [&](unsigned lane) {
    AsyncState::Object *entry = find(step, lane, objects[lane]);
    if (!entry)
      return false;
    entry->isLive = false;
    return !(hasPendingArrivals(state, objects[lane]) ||
             bulk::isPending(step.launch, objects[lane])) ||
           misuse(step, lane,
                  describe(step, objects[lane]) +
                      " is invalidated while copies are to arrive on it");
  });
}

/// expect_tx and complete_tx.
bool mbarrierTransactions(Step &step) {
  LanePointers objects;
  if (!resolveMbarriers(step, AccessKind::Atomic, objects))
    return false;
  bool isExpect = step.instruction.has("expect_tx");
  bool isDone = forLanes(step.active, [&](unsigned lane) {
    int64_t bytes = step.sources[1][lane];
    if (isExpect)
      return expectTransaction(step, lane, objects[lane], bytes);
    uint64_t phase;
    return completeTransaction(step, lane, objects[lane], bytes, phase);
  });
  trace(step, objects, [&](unsigned lane) {
    int64_t bytes = step.sources[1][lane];
    MbarrierUse use;
    use.kind = isExpect ? MbarrierUse::Kind::Expect : MbarrierUse::Kind::Arrive;
    use.bytes = isExpect ? bytes : -bytes;
    return use;
  });
  return isDone;
}

/// arrive and arrive_drop, with all their forms.
bool mbarrierArrive(Step &step) {
  LanePointers objects;
  if (!resolveMbarriers(step, AccessKind::Atomic, objects))
    return false;
  const ptx::Instruction &in = step.instruction;
  auto getArrival = [&](unsigned lane) {
    Arrival arrival;
    arrival.drops = in.get("Arrive") == "arrive_drop";
    arrival.mayComplete = !in.has("noComplete");
    if (step.sources.size() > 1)
      (in.has("expect_tx") ? arrival.bytes : arrival.count) =
          step.sources[1][lane];
    return arrival;
  };
  bool isDone = forLanes(step.active, [&](unsigned lane) {
    uint64_t state = 0;
    if (!arrive(step, lane, objects[lane], getArrival(lane), state))
      return false;
    step.results[0][lane] = state;
    return true;
  });
  trace(step, objects, [&](unsigned lane) {
    Arrival arrival = getArrival(lane);
    MbarrierUse use;
    use.kind = MbarrierUse::Kind::Arrive;
    use.pending = -arrival.count;
    use.expected = arrival.drops ? -arrival.count : 0;
    use.bytes = arrival.bytes;
    return use;
  });
  return isDone;
}

/// test_wait and try_wait: whoever must wait lets others run first, so that a
/// loop around either ends.
bool mbarrierWait(Step &step) {
  LanePointers objects;
  if (char *awaited = findAwaited(step))
    objects.fill(awaited);
  else if (!resolveMbarriers(step, AccessKind::Atomic, objects))
    return false;
  bool isAllDone = true;
  for (bool isSecond : {false, true}) {
    isAllDone = true;
    if (!forLanes(step.active, [&](unsigned lane) {
          bool isDone = false;
          if (!testSettled(step, lane, objects[lane], isSecond, isDone))
            return false;
          if (!isDone)
            noteWait(step, objects[lane]);
          step.results[0][lane] = isDone;
          isAllDone &= isDone;
          return true;
        }))
      return false;
    if (isAllDone || isSecond)
      break;
    if (!pause(step))
      return false;
  }
  if (!isAllDone) {
    if (step.launch.tracer)
      step.launch.tracer->failWait(step.warp, step.site);
    return true;
  }
  getAsync(step.launch, *step.warp.block).warps[step.warp.index].awaited =
      nullptr;
  bool isParity = step.instruction.has("parity");
  trace(step, objects, [&](unsigned lane) {
    uint64_t operand = step.sources[1][lane];
    MbarrierUse use;
    use.kind = MbarrierUse::Kind::Wait;
    use.phase = isParity ? unsigned(operand) : Mbarrier::decode(operand).phase;
    use.modulo = isParity ? 2 : 8;
    return use;
  });
  return true;
}

bool mbarrierPendingCount(Step &step) {
  return forLanes(step.active, [&](unsigned lane) {
    step.results[0][lane] = Mbarrier::decode(step.sources[0][lane]).pending;
    return true;
  });
}

} // namespace async

} // namespace tc::emulator
