//===- Collectives.cpp - Lanes exchange values ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffles, votes, matches and reductions (PTX ISA, sections 9.7.9.5, 9.7.9.6
// and 9.7.13). With .sync the last operand is the mask of the lanes that take
// part. Lanes that came together may be of several groups, each with a mask of
// its own, as tiles of a warp are.
//
//===----------------------------------------------------------------------===//

#include "Warp/Warp.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

using llvm::Twine;

namespace tc::emulator::warp {

namespace {

constexpr uint32_t allLanes = ~uint32_t(0);

template <typename Function>
void forLanes(uint32_t mask, Function function) {
  for (; mask; mask &= mask - 1)
    function(unsigned(llvm::countr_zero(mask)));
}

std::string hex(uint32_t mask) { return "0x" + llvm::utohexstr(mask, true); }

/// The lanes of `pending` that share the lowest one's mask; 0 after a fault.
uint32_t takeGroup(Step &step, uint32_t pending, const Lanes &masks) {
  unsigned first = llvm::countr_zero(pending);
  uint32_t mask = uint32_t(masks[first]), same = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    same |= uint32_t(uint32_t(masks[lane]) == mask) << lane;
  uint32_t group = step.active & mask;
  if (!(mask >> first & 1))
    return noteForeignMask(step.warp, step.site, first, mask)
               ? step.active & same
               : 0;
  if (uint32_t others = group & ~same) {
    unsigned lane = llvm::countr_zero(others);
    fail(step, lane,
         "expected the member mask " + hex(mask) + " of lane " + Twine(first) +
             ", got " + hex(uint32_t(masks[lane])) + " in lane " + Twine(lane));
    return 0;
  }
  return group;
}

/// Runs `function` on each group of lanes. Without .sync all that are active
/// are one. False after a fault.
bool forGroups(Step &step, llvm::function_ref<bool(uint32_t)> function) {
  if (!step.instruction.has("sync"))
    return function(step.active);
  for (uint32_t pending = step.active; pending;) {
    uint32_t group = takeGroup(step, pending, step.sources.back());
    if (!group || !function(group))
      return false;
    pending &= ~group;
  }
  return true;
}

/// Where each lane reads from, and which ones do so within their segment; the
/// others read from themselves.
struct ShuffleMap {
  ShuffleMap(char mode, const Lanes &b, const Lanes &c) {
    for (int lane = 0; lane < int(warpSize); ++lane) {
      int offset = b[lane] & 31, segment = c[lane] >> 8 & 31;
      int least = lane & segment, last = least | (c[lane] & 31 & ~segment);
      int from = mode == 'u'   ? lane - offset
                 : mode == 'd' ? lane + offset
                 : mode == 'b' ? lane ^ offset
                               : least | (offset & ~segment);
      bool isInside = mode == 'u' ? from >= last : from <= last;
      source[lane] = isInside ? from : lane;
      inside |= uint32_t(isInside) << lane;
    }
  }
  uint8_t source[warpSize];
  uint32_t inside = 0;
};

} // namespace

bool checkAllLanes(Step &step) {
  if (step.active == allLanes)
    return true;
  unsigned lane = llvm::countr_one(step.active);
  return fail(step, llvm::countr_zero(step.active),
              "expected all 32 lanes of the warp, lane " + Twine(lane) +
                  " does not take part");
}

bool shuffle(Step &step) {
  const Lanes &a = step.sources[0];
  ShuffleMap map(step.instruction.get("ShuffleMode")[0], step.sources[1],
                 step.sources[2]);
  return forGroups(step, [&](uint32_t group) {
    for (uint32_t rest = group; rest; rest &= rest - 1) {
      unsigned lane = llvm::countr_zero(rest), source = map.source[lane];
      if (!(group >> source & 1))
        return fail(step, lane,
                    "lane " + Twine(lane) + " reads from lane " +
                        Twine(source) + ", which does not take part");
      step.results[0][lane] = uint32_t(a[source]);
      if (step.results.size() > 1)
        step.results[1][lane] = map.inside >> lane & 1;
    }
    return true;
  });
}

bool vote(Step &step) {
  // `uni` if there is none: it is the ballot.
  llvm::StringRef mode = step.instruction.get("VoteMode");
  return forGroups(step, [&](uint32_t group) {
    uint32_t ballot = 0;
    forLanes(group, [&](unsigned lane) {
      ballot |= uint32_t(step.sources[0][lane] & 1) << lane;
    });
    bool all = ballot == group, any = ballot != 0;
    uint32_t result = mode.empty()    ? ballot
                      : mode == "all" ? all
                      : mode == "any" ? any
                                      : all || !any;
    forLanes(group, [&](unsigned lane) { step.results[0][lane] = result; });
    return true;
  });
}

bool match(Step &step) {
  bool isAny = step.instruction.has("any");
  uint64_t valueMask =
      step.instruction.type == ptx::Type::B64 ? ~uint64_t(0) : 0xffffffff;
  return forGroups(step, [&](uint32_t group) {
    forLanes(group, [&](unsigned lane) {
      uint32_t same = 0;
      forLanes(group, [&](unsigned other) {
        uint64_t difference = step.sources[0][lane] ^ step.sources[0][other];
        same |= uint32_t(!(difference & valueMask)) << other;
      });
      bool isAll = same == group;
      step.results[0][lane] = isAny || isAll ? same : 0;
      if (step.results.size() > 1)
        step.results[1][lane] = isAll;
    });
    return true;
  });
}

bool reduce(Step &step) {
  llvm::StringRef op = step.instruction.get("ReduxInt");
  if (op.empty())
    op = step.instruction.get("ReduxBit");
  bool isSigned = ptx::isSigned(step.instruction.type), isMin = op == "min";
  auto combine = [&](uint32_t x, uint32_t y) -> uint32_t {
    if (op == "add")
      return x + y;
    if (op == "and")
      return x & y;
    if (op == "or")
      return x | y;
    if (op == "xor")
      return x ^ y;
    bool isLess = isSigned ? int32_t(x) < int32_t(y) : x < y;
    return isLess == isMin ? x : y;
  };
  return forGroups(step, [&](uint32_t group) {
    const Lanes &values = step.sources[0];
    uint32_t result = values[llvm::countr_zero(group)];
    forLanes(group & (group - 1),
             [&](unsigned lane) { result = combine(result, values[lane]); });
    forLanes(group, [&](unsigned lane) { step.results[0][lane] = result; });
    return true;
  });
}

bool activeMask(Step &step) {
  step.results[0].fill(step.active);
  return true;
}

/// PTX leaves open which lane it is; here, the lowest.
bool elect(Step &step) {
  return forGroups(step, [&](uint32_t group) {
    unsigned leader = llvm::countr_zero(group);
    forLanes(group, [&](unsigned lane) {
      step.results[0][lane] = leader;
      step.results[1][lane] = lane == leader;
    });
    return true;
  });
}

} // namespace tc::emulator::warp
