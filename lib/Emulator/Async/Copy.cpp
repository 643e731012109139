//===- Copy.cpp - Asynchronous copies -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section 9.7.9.25.3: cp.async, its groups, and its arrivals on
// mbarriers. The source must not change while a copy is in flight: it is
// compared, at the end, with what it was at the issue.
//
//===----------------------------------------------------------------------===//

#include "Async/Async.h"
#include "Check/Checker.h"
#include "Check/Undefined.h"
#include "Isa/Isa.h"
#include "Runtime/Scheduler.h"
#include "Warp/Warpgroup.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>

using llvm::Twine;

namespace tc::emulator {

namespace {

std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

AsyncState::Warp &getWarp(AsyncState &state, WarpState &warp) {
  state.warps[warp.index].state = &warp;
  return state.warps[warp.index];
}

void land(PendingCopy &copy, uint32_t lanes) {
  forLanes(lanes & ~copy.landed, [&](unsigned lane) {
    std::memcpy(copy.to[lane], copy.snapshot[lane], copy.bytes);
    return true;
  });
  copy.landed |= lanes;
}

/// Copies may land whenever their warp does something.
void landSome(AsyncState &state, AsyncState::Warp &warp) {
  if (state.moment == AsyncState::Moment::Latest)
    return;
  bool isAll = state.moment == AsyncState::Moment::Earliest;
  for (PendingCopy &copy : warp.copies)
    land(copy, copy.lanes & (isAll ? ~0u : uint32_t(state.random())));
}

bool reportOverwritten(const Step &step, const PendingCopy &copy,
                       unsigned lane) {
  uint64_t address = reinterpret_cast<uint64_t>(copy.from[lane]);
  auto describeIt = [&] {
    return ("the source of an asynchronous copy was overwritten before the "
            "copy was waited for: " +
            Twine(unsigned(copy.read[lane])) + " bytes at global address " +
            hex(address))
        .str();
  };
  return reportSite(step.warp, lane, copy.site, FindingClass::Async, describeIt,
                    address);
}

/// Lets those of `lanes` for which the copy is in flight see it done.
bool retire(Launch &launch, AsyncState &state, AsyncState::Warp &warp,
            PendingCopy &copy, uint32_t lanes) {
  lanes &= copy.lanes;
  if (!lanes)
    return true;
  Step step{launch, *warp.state, *copy.instruction, copy.site, lanes, {}, {}};
  land(copy, lanes);
  copy.lanes &= ~lanes;
  launch.scheduler->noteProgress();
  return forLanes(lanes, [&](unsigned lane) {
    if (copy.read[lane] &&
        std::memcmp(copy.from[lane], copy.snapshot[lane], copy.read[lane]) &&
        !reportOverwritten(step, copy, lane))
      return false;
    if (launch.checker)
      launch.checker->completeCopy(*warp.state, lane, copy.site,
                                   getSharedAddress(step, copy.to[lane]),
                                   copy.bytes);
    if (launch.undefined && launch.undefined->isAny())
      launch.undefined->writeCopied(getSharedAddress(step, copy.to[lane]),
                                    copy.bytes, copy.undefined[lane]);
    return true;
  });
}

void dropRetired(AsyncState::Warp &warp) {
  llvm::erase_if(warp.copies, [](auto &copy) { return !copy.lanes; });
  llvm::erase_if(warp.arrivals, [](auto &arrival) { return !arrival.lanes; });
}

/// Makes those arrivals that wait for no copy any more.
bool arriveWhereDone(Launch &launch, AsyncState::Warp &warp) {
  for (PendingArrival &arrival : warp.arrivals) {
    uint32_t ready = arrival.lanes;
    for (const PendingCopy &copy : warp.copies)
      if (copy.order < arrival.order)
        ready &= ~copy.lanes;
    arrival.lanes &= ~ready;
    Step step{launch, *warp.state, *arrival.instruction, arrival.site, ready,
              {},     {}};
    if (!forLanes(ready, [&](unsigned lane) {
          return arriveOnMbarrier(step, lane, arrival.object[lane]);
        }))
      return false;
  }
  dropRetired(warp);
  return true;
}

/// Lets each lane of a step wait for its copies up to the last `left` groups.
bool waitFor(Step &step, bool isAll, uint32_t left) {
  AsyncState &state = getAsync(step.launch, *step.warp.block);
  AsyncState::Warp &warp = getWarp(state, step.warp);
  for (PendingCopy &copy : warp.copies) {
    uint32_t lanes = 0;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (isAll || copy.group[lane] + uint64_t(left) < warp.groups[lane])
        lanes |= 1u << lane;
    if (!retire(step.launch, state, warp, copy, lanes & step.active))
      return false;
  }
  landSome(state, warp);
  return arriveWhereDone(step.launch, warp);
}

/// How many bytes each lane reads: operand 3 is a size, or a predicate that
/// says to read nothing.
bool findReadSizes(Step &step, PendingCopy &copy) {
  const auto &specs = step.instruction.form->operands;
  bool isPolicy = specs.size() > 3 && specs[3].type == "b64";
  bool isGiven = step.sources.size() > 3 && !isPolicy;
  bool isIgnored =
      isGiven && specs[3].kind == isa::OperandSpec::Kind::PredicateSource;
  return forLanes(step.active, [&](unsigned lane) {
    uint64_t value = isGiven ? step.sources[3][lane] : copy.bytes;
    if (isIgnored)
      value = value ? 0 : copy.bytes;
    copy.read[lane] = value;
    return value <= copy.bytes ||
           fail(step, lane,
                "expected a source size of at most " + Twine(copy.bytes) +
                    " bytes, got " + Twine(value),
                FindingClass::Async);
  });
}

/// Checks what the lanes read, piece by piece where it is no power of two.
bool resolveSource(Step &step, PendingCopy &copy) {
  const Lanes &addresses = step.sources[1];
  copy.from = {};
  for (uint32_t bytes : {16, 8, 4, 2, 1}) {
    uint32_t mask = 0;
    Lanes pieces{};
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (step.isActive(lane) && copy.read[lane] & bytes) {
        mask |= 1u << lane;
        pieces[lane] = addresses[lane] + (copy.read[lane] & ~(2 * bytes - 1));
      }
    LanePointers found{};
    if (mask && !resolve(step, mask, ptx::Space::Global, pieces, bytes,
                         AccessKind::Read, found))
      return false;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1 && !copy.from[lane])
        copy.from[lane] = found[lane];
  }
  return forLanes(step.active, [&](unsigned lane) {
    std::memset(copy.snapshot[lane], 0, copy.bytes);
    if (!copy.read[lane])
      return true;
    std::memcpy(copy.snapshot[lane], copy.from[lane], copy.read[lane]);
    if (addresses[lane] % copy.bytes == 0)
      return true;
    step.skipped |= 1u << lane;
    auto describeIt = [&] {
      return "read at global address " + hex(addresses[lane]) +
             " is misaligned: expected a multiple of " +
             std::to_string(copy.bytes);
    };
    return reportSite(step.warp, lane, step.site, FindingClass::Misaligned,
                      describeIt, addresses[lane]);
  });
}

} // namespace

AsyncState &getAsync(Launch &launch, const BlockState &block) {
  std::array<uint32_t, 3> index = {block.blockIndex[0], block.blockIndex[1],
                                   block.blockIndex[2]};
  std::shared_ptr<AsyncState> &held = launch.async[block.rank];
  if (held && held->block == index)
    return *held;
  if (!held)
    held = std::make_shared<AsyncState>();
  AsyncState &state = *held;
  state.block = index;
  state.warps = {};
  state.objects.clear();
  state.groups = nullptr;
  state.budgets = {};
  // By the block, so that it does not matter which others ran before it.
  if (launch.options.schedule.kind != Schedule::Deterministic) {
    std::seed_seq seed{uint32_t(launch.options.schedule.seed),
                       uint32_t(launch.options.schedule.seed >> 32), index[0],
                       index[1], index[2]};
    state.random.seed(seed);
    state.moment = AsyncState::Moment(state.random() % 3);
  }
  return state;
}

bool finishAsync(Launch &launch, WarpState &warpState, uint32_t lanes) {
  if (!launch.async.count(warpState.rank))
    return true;
  AsyncState &state = getAsync(launch, *warpState.block);
  if (!warpgroup::finish(launch, state, warpState, lanes) ||
      !finishRegisters(launch, state, warpState, lanes))
    return false;
  AsyncState::Warp &warp = getWarp(state, warpState);
  for (PendingCopy &copy : warp.copies)
    if (!retire(launch, state, warp, copy, lanes))
      return false;
  return arriveWhereDone(launch, warp);
}

bool settleArrivals(Launch &launch, AsyncState &state, const char *object) {
  for (AsyncState::Warp &warp : state.warps) {
    for (PendingArrival &arrival : warp.arrivals) {
      uint32_t lanes = 0;
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (arrival.object[lane] == object)
          lanes |= arrival.lanes & 1u << lane;
      for (PendingCopy &copy : warp.copies)
        if (copy.order < arrival.order &&
            !retire(launch, state, warp, copy, lanes))
          return false;
    }
    if (!warp.arrivals.empty() && !arriveWhereDone(launch, warp))
      return false;
  }
  return true;
}

bool hasPendingArrivals(const AsyncState &state, const char *object) {
  for (const AsyncState::Warp &warp : state.warps)
    for (const PendingArrival &arrival : warp.arrivals)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (arrival.lanes >> lane & 1 && arrival.object[lane] == object)
          return true;
  return false;
}

namespace async {

bool copy(Step &step) {
  PendingCopy copy;
  copy.site = step.site;
  copy.instruction = &step.instruction;
  copy.lanes = step.active;
  copy.landed = 0;
  copy.bytes = step.instruction.operands[2].bits;
  if (!findReadSizes(step, copy) || !resolveSource(step, copy) ||
      !resolve(step, step.active, ptx::Space::Shared, step.sources[0],
               copy.bytes, AccessKind::Write, copy.to))
    return false;
  copy.lanes &= ~step.skipped;
  if (UndefinedTracker *undefined = step.launch.undefined)
    copy.undefined = undefined->takeCopied();
  AsyncState &state = getAsync(step.launch, *step.warp.block);
  AsyncState::Warp &warp = getWarp(state, step.warp);
  copy.order = warp.order++;
  copy.group = warp.groups;
  warp.copies.push_back(copy);
  if (Checker *checker = step.launch.checker)
    if (!forLanes(copy.lanes, [&](unsigned lane) {
          return checker->issueCopy(step.warp, lane, step.site,
                                    getSharedAddress(step, copy.to[lane]),
                                    copy.bytes);
        }))
      return false;
  landSome(state, warp);
  return true;
}

bool commitGroup(Step &step) {
  AsyncState &state = getAsync(step.launch, *step.warp.block);
  AsyncState::Warp &warp = getWarp(state, step.warp);
  landSome(state, warp);
  return forLanes(step.active, [&](unsigned lane) {
    ++warp.groups[lane];
    return true;
  });
}

bool waitGroup(Step &step) {
  return waitFor(step, false, step.instruction.operands[0].bits);
}

bool waitAll(Step &step) { return waitFor(step, true, 0); }

/// Without .noinc, the phase waits for one arrival more, which is this one.
bool copyArrive(Step &step) {
  PendingArrival arrival{step.site, &step.instruction, step.active, 0, {}};
  if (!resolveMbarriers(step, AccessKind::Atomic, arrival.object))
    return false;
  bool isCounted = !step.instruction.has("noinc");
  if (isCounted && !forLanes(step.active, [&](unsigned lane) {
        return expectArrival(step, lane, arrival.object[lane]);
      }))
    return false;
  AsyncState &state = getAsync(step.launch, *step.warp.block);
  AsyncState::Warp &warp = getWarp(state, step.warp);
  arrival.order = warp.order;
  warp.arrivals.push_back(arrival);
  traceCopyArrival(step, arrival.object);
  return arriveWhereDone(step.launch, warp);
}

/// Time is not emulated: others run instead.
bool nanosleep(Step &step) { return pause(step); }

} // namespace async

} // namespace tc::emulator
