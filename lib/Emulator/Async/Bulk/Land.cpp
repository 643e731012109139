//===- Land.cpp - When bulk copies move and end ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Note [Bulk copies] in the header.
//
//===----------------------------------------------------------------------===//

#include "Async/Bulk/Bulk.h"
#include "Check/Checker.h"
#include "Check/Undefined.h"
#include "Count/Counter.h"
#include "Runtime/Scheduler.h"
#include "Time/Trace.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using llvm::Twine;

namespace tc::emulator::bulk {

namespace {

using Moment = AsyncState::Moment;

/// As if the thread that issued it were at its instruction.
Step makeStep(Launch &launch, const Copy &copy) {
  return {launch, *copy.warp, *copy.instruction, copy.site, 1u << copy.lane,
          {},     {}};
}

uint64_t getShared(const Launch &launch, const char *pointer) {
  return pointer - launch.block.clusterShared + sharedStart;
}

void move(const Copy &copy, const Piece &piece, const char *from) {
  if (copy.combine)
    return copy.combine(piece.to, from, piece.bytes);
  if (from) {
    std::memcpy(piece.to, from, piece.bytes);
    if (copy.transform)
      copy.transform(piece.to, piece.bytes);
    return;
  }
  for (uint32_t i = 0; i < piece.bytes; ++i)
    piece.to[i] = copy.fill[i % copy.fillBytes];
}

void moveUntil(Copy &copy, size_t count) {
  uint64_t offset = 0;
  for (size_t i = 0; copy.isBuffered && i < copy.moved; ++i)
    offset += copy.pieces[i].bytes;
  for (; copy.moved < count; ++copy.moved) {
    const Piece &piece = copy.pieces[copy.moved];
    move(copy, piece,
         copy.isBuffered ? copy.buffer.data() + offset : piece.from);
    offset += piece.bytes;
  }
}

/// Reads the source of a copy to global memory, which may change afterwards.
void readAhead(Copy &copy) {
  if (copy.isBuffered)
    return;
  copy.buffer.clear();
  for (size_t i = 0; i < copy.pieces.size(); ++i) {
    const Piece &piece = copy.pieces[i];
    copy.buffer.insert(copy.buffer.end(), piece.from, piece.from + piece.bytes);
  }
  copy.isBuffered = true;
}

bool checkSource(Launch &launch, const Copy &copy) {
  const char *was = copy.buffer.data();
  for (const Piece &piece : copy.pieces) {
    if (!piece.from)
      continue;
    if (std::memcmp(piece.from, was, piece.bytes)) {
      uint64_t address = reinterpret_cast<uint64_t>(piece.from);
      auto describeIt = [&] {
        return ("the source of a bulk copy was overwritten before the copy "
                "was over: " +
                Twine(piece.bytes) + " bytes at global address 0x" +
                Twine::utohexstr(address))
            .str();
      };
      return reportSite(*copy.warp, copy.lane, copy.site, FindingClass::Async,
                        describeIt, address);
    }
    was += piece.bytes;
  }
  return true;
}

/// Moves all, and counts it on the mbarrier.
bool land(Launch &launch, Copy &copy) {
  moveUntil(copy, copy.pieces.size());
  copy.hasLanded = true;
  launch.scheduler->noteProgress();
  if (!copy.isBuffered && !copy.buffer.empty() && !checkSource(launch, copy))
    return false;
  Step step = makeStep(launch, copy);
  return completeTransaction(step, copy.lane, copy.object, copy.bytes,
                             copy.phase);
}

/// Global memory has it, and the thread knows.
void endStore(Launch &launch, Copy &copy) {
  moveUntil(copy, copy.pieces.size());
  launch.scheduler->noteProgress();
  if (Checker *checker = launch.checker)
    for (auto [address, bytes] : copy.global)
      checker->endBulkGlobal(*copy.warp, copy.lane, copy.site, address, bytes,
                             copy.combine != nullptr);
}

void endRead(Launch &launch, Copy &copy) {
  copy.isReadKnown = true;
  if (launch.checker)
    launch.checker->endBulkRead(*copy.warp, copy.lane, copy.readNumber);
}

/// Copies may move whenever one is issued or waited for.
bool moveSome(Launch &launch, State &state) {
  if (state.moment == Moment::Latest)
    return true;
  // Landing may end phases, and with them other copies.
  for (size_t i = 0; i < state.copies.size(); ++i) {
    Copy &copy = *state.copies[i];
    if (copy.hasLanded)
      continue;
    bool isAll = state.moment == Moment::Earliest;
    size_t left = copy.pieces.size() - copy.moved;
    if (!isAll)
      moveUntil(copy, copy.moved + state.random() % (left + 1));
    bool ends =
        isAll || (copy.moved == copy.pieces.size() && state.random() % 4 == 0);
    if (copy.object && ends) {
      if (!land(launch, copy))
        return false;
    } else if (isAll) {
      moveUntil(copy, copy.pieces.size());
    }
  }
  return true;
}

/// Where in shared memory it puts what nobody wrote.
void findUndefined(Launch &launch, Copy &copy) {
  for (const Piece &piece : copy.pieces)
    if (piece.from)
      launch.checker->findHoles(
          copy.site, reinterpret_cast<uint64_t>(piece.from), piece.bytes,
          [&](uint64_t offset) {
            copy.undefined.push_back(getShared(launch, piece.to) + offset);
          });
}

void dropObserved(Launch &launch, State &state) {
  // Without checks nobody asks.
  if (!launch.checker && !launch.undefined)
    llvm::erase_if(state.copies, [](auto &copy) { return copy->hasLanded; });
}

bool tell(Launch &launch, Copy &copy) {
  Checker *checker = launch.checker;
  if (!checker)
    return true;
  const WarpState &warp = *copy.warp;
  bool goesOn = true;
  if (copy.object && !copy.isGeneric)
    goesOn = checker->useMbarrier(warp, copy.lane, copy.site,
                                  getShared(launch, copy.object));
  if (copy.from.bytes && goesOn)
    goesOn = checker->issueBulkRead(warp, copy.lane, copy.site,
                                    getShared(launch, copy.from.at),
                                    copy.from.bytes, copy.readNumber);
  AccessKind kind = copy.from.bytes
                        ? copy.combine ? AccessKind::Atomic : AccessKind::Write
                        : AccessKind::Read;
  for (auto [address, bytes] : copy.global)
    if (goesOn)
      goesOn = checker->issueBulkGlobal(warp, copy.lane, copy.site, address,
                                        bytes, kind);
  if (copy.to.bytes && goesOn)
    goesOn = checker->issueBulkWrite(
        warp, copy.lane, copy.site, getShared(launch, copy.to.at),
        copy.to.bytes, copy.combine != nullptr, copy.isGeneric);
  if (copy.to.bytes && copy.span)
    checker->noteBox(copy.site, getShared(launch, copy.to.at), copy.to.bytes,
                     copy.span);
  return goesOn;
}

} // namespace

State &getState(Launch &launch) {
  const uint32_t *block = launch.block.blockIndex;
  std::array<uint32_t, 3> index = {block[0], block[1], block[2]};
  if (launch.bulk && launch.bulk->cluster == index)
    return *launch.bulk;
  launch.bulk = std::make_shared<State>();
  State &state = *launch.bulk;
  state.cluster = index;
  if (launch.options.schedule.kind != Schedule::Deterministic) {
    std::seed_seq seed{uint32_t(launch.options.schedule.seed),
                       uint32_t(launch.options.schedule.seed >> 32),
                       index[0],
                       index[1],
                       index[2],
                       1u};
    state.random.seed(seed);
    state.moment = Moment(state.random() % 3);
  }
  return state;
}

bool issue(Step &step, std::unique_ptr<Copy> given) {
  Launch &launch = step.launch;
  State &state = getState(launch);
  Copy &copy = *given;
  copy.instruction = &step.instruction;
  copy.warp = &step.warp;
  copy.site = step.site;
  if (copy.object) {
    std::optional<uint64_t> phase = getPhase(step, copy.lane, copy.object);
    if (!phase)
      return false;
    copy.phase = *phase;
  } else {
    copy.group = state.groups[step.warp.getFirstThread() + copy.lane];
  }
  if (state.moment == Moment::Random)
    std::shuffle(copy.pieces.begin(), copy.pieces.end(), state.random);
  if (launch.counter)
    launch.counter->moveBulk(step.warp, step.site, copy.global,
                             copy.from.bytes ? copy.combine ? AccessKind::Atomic
                                                            : AccessKind::Write
                                             : AccessKind::Read,
                             copy.from.bytes, copy.to.bytes);
  if (launch.tracer && copy.object) {
    MbarrierUse use;
    use.kind = MbarrierUse::Kind::Arrive;
    use.object = uint32_t(getShared(launch, copy.object));
    use.bytes = -copy.bytes;
    launch.tracer->use(step.warp, step.site, use);
  }
  if (!tell(launch, copy))
    return false;
  bool isLoad = copy.object && !copy.from.bytes && !copy.isBuffered;
  if (isLoad && launch.checker && launch.options.checks.has(Checks::Async))
    for (const Piece &piece : copy.pieces)
      if (piece.from)
        copy.buffer.insert(copy.buffer.end(), piece.from,
                           piece.from + piece.bytes);
  if (isLoad && launch.undefined && copy.to.bytes)
    findUndefined(launch, copy);
  state.copies.push_back(std::move(given));
  if (!moveSome(launch, state))
    return false;
  dropObserved(launch, state);
  return true;
}

bool isPending(const Launch &launch, const char *object) {
  return launch.bulk && llvm::any_of(launch.bulk->copies, [&](auto &copy) {
           return copy->object == object && !copy->hasLanded;
         });
}

bool settle(Launch &launch, const char *object, bool isAll) {
  State &state = getState(launch);
  if (!moveSome(launch, state))
    return false;
  isAll |= state.moment != Moment::Random;
  for (size_t i = 0; i < state.copies.size(); ++i) {
    Copy &copy = *state.copies[i];
    if (copy.object == object && !copy.hasLanded &&
        (isAll || state.random() & 1) && !land(launch, copy))
      return false;
  }
  dropObserved(launch, state);
  return true;
}

void endPhase(Launch &launch, const char *object, uint64_t phase) {
  if (!launch.bulk || !launch.options.checks.has(Checks::Async))
    return;
  for (auto &copy : launch.bulk->copies)
    if (copy->object == object && !copy->hasLanded && copy->phase == phase) {
      auto describeIt = [&] {
        return ("the phase of its mbarrier ended before this copy: expect_tx "
                "tells of fewer bytes than the copies of that phase bring, of "
                "which this one brings " +
                Twine(copy->bytes) + describePhase(launch, object))
            .str();
      };
      reportSite(*copy->warp, copy->lane, copy->site, FindingClass::Async,
                 describeIt);
    }
}

void observe(Launch &launch, const char *object, uint64_t phase) {
  if (!launch.bulk)
    return;
  auto isOver = [&](const std::unique_ptr<Copy> &copy) {
    return copy->object == object && copy->hasLanded && copy->phase < phase;
  };
  std::vector<std::unique_ptr<Copy>> &copies = launch.bulk->copies;
  if (llvm::none_of(copies, isOver))
    return;
  uint64_t address = getShared(launch, object);
  for (auto &copy : copies) {
    if (!isOver(copy))
      continue;
    if (Checker *checker = launch.checker) {
      if (copy->to.bytes)
        checker->endBulkWrite(*copy->warp, copy->lane, copy->site,
                              getShared(launch, copy->to.at), copy->to.bytes,
                              address);
      if (copy->from.bytes)
        checker->endBulkRead(*copy->warp, copy->lane, copy->readNumber,
                             address);
    }
    if (launch.undefined)
      launch.undefined->writeBulk(getShared(launch, copy->to.at),
                                  copy->to.bytes, copy->undefined);
  }
  if (launch.checker)
    launch.checker->observeBulk(address);
  llvm::erase_if(copies, isOver);
}

//===----------------------------------------------------------------------===//
// Groups, and the end
//===----------------------------------------------------------------------===//

bool commitGroup(Step &step) {
  State &state = getState(step.launch);
  if (!moveSome(step.launch, state))
    return false;
  return forLanes(step.active, [&](unsigned lane) {
    ++state.groups[step.warp.getFirstThread() + lane];
    return true;
  });
}

bool waitGroup(Step &step) {
  Launch &launch = step.launch;
  State &state = getState(launch);
  uint64_t left = step.instruction.operands[0].bits;
  bool isRead = step.instruction.has("read");
  for (auto &copy : state.copies) {
    if (copy->object || !copy->isOf(step.warp, step.active))
      continue;
    uint32_t committed = state.groups[step.warp.getFirstThread() + copy->lane];
    if (copy->group + left >= committed)
      continue;
    if (!copy->isReadKnown) {
      readAhead(*copy);
      endRead(launch, *copy);
    }
    if (isRead)
      continue;
    endStore(launch, *copy);
    copy->hasLanded = true;
  }
  llvm::erase_if(state.copies,
                 [](auto &copy) { return !copy->object && copy->hasLanded; });
  return moveSome(launch, state);
}

bool finish(Launch &launch, WarpState &warp, uint32_t lanes) {
  if (!launch.bulk)
    return true;
  State &state = getState(launch);
  auto isOver = [&](const std::unique_ptr<Copy> &copy) {
    return !copy->object && copy->isOf(warp, lanes);
  };
  for (auto &copy : state.copies) {
    if (!isOver(copy))
      continue;
    uint32_t committed = state.groups[warp.getFirstThread() + copy->lane];
    auto describeIt = [&] {
      return std::string("the thread ends while this copy may still read "
                         "shared memory; ") +
             (copy->group == committed
                  ? "end its group with cp.async.bulk.commit_group and execute "
                  : "execute ") +
             "cp.async.bulk.wait_group.read 0 before";
    };
    if (!copy->isReadKnown && launch.options.checks.has(Checks::Async) &&
        !reportSite(warp, copy->lane, copy->site, FindingClass::Async,
                    describeIt))
      return false;
    if (!copy->isReadKnown)
      endRead(launch, *copy);
    endStore(launch, *copy);
  }
  llvm::erase_if(state.copies, isOver);
  return true;
}

void endBlock(Launch &launch, uint32_t rank) {
  if (!launch.bulk)
    return;
  State &state = getState(launch);
  const BlockState &block = launch.getBlock(rank);
  auto isIn = [&](const SharedRange &range) {
    return range.bytes && uint64_t(range.at - block.shared) < block.totalShared;
  };
  auto isLeft = [&](const std::unique_ptr<Copy> &copy) {
    return copy->object && (isIn(copy->to) || isIn(copy->from));
  };
  for (auto &copy : state.copies) {
    if (!isLeft(copy))
      continue;
    auto describeIt = [&] {
      return "block " + describeBlock(block) +
             " ends while this copy of its shared memory may be in flight: "
             "nobody has waited for the phase of its mbarrier";
    };
    if (launch.options.checks.has(Checks::Async))
      reportSite(*copy->warp, copy->lane, copy->site, FindingClass::Async,
                 describeIt);
    if (!copy->hasLanded)
      moveUntil(*copy, copy->pieces.size());
  }
  llvm::erase_if(state.copies, isLeft);
}

} // namespace tc::emulator::bulk
