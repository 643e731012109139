//===- UnorderedTest.cpp - Unordered uses of memory -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which work comes before which, and which bytes are used without an order:
// against a search of all paths and a comparison of all pairs.
//
//===----------------------------------------------------------------------===//

#include "Check/Streams/Conflicts.h"

#include "gtest/gtest.h"

#include <bitset>
#include <random>
#include <set>

using namespace tc::emulator;

namespace {

constexpr unsigned bytes = 48;
using Bytes = std::bitset<bytes>;

/// Work with what it comes after and what it does.
struct Step {
  std::vector<size_t> after;   ///< by index
  std::vector<size_t> awaited; ///< by the host, before this one
  std::vector<UsedRange> uses;
};
using Program = std::vector<Step>;

/// By index: what comes before.
std::vector<std::set<size_t>> findAncestors(const Program &program) {
  std::vector<std::set<size_t>> before(program.size());
  std::set<size_t> host;
  auto add = [&](std::set<size_t> &to, size_t index) {
    to.insert(index);
    to.insert(before[index].begin(), before[index].end());
  };
  for (size_t i = 0; i != program.size(); ++i) {
    for (size_t awaited : program[i].awaited)
      add(host, awaited);
    before[i] = host;
    for (size_t other : program[i].after)
      add(before[i], other);
  }
  return before;
}

/// By step: the bytes that it uses without an order with an earlier one.
std::vector<Bytes> compareAll(const Program &program) {
  std::vector<std::set<size_t>> before = findAncestors(program);
  std::vector<Bytes> races(program.size());
  for (size_t i = 0; i != program.size(); ++i)
    for (size_t j = 0; j != i; ++j)
      for (const UsedRange &a : program[i].uses)
        for (const UsedRange &b : program[j].uses)
          for (uint64_t at = a.begin; at != a.end; ++at)
            if (at >= b.begin && at < b.end && a.use.conflictsWith(b.use) &&
                !before[i].count(j))
              races[i].set(at);
  return races;
}

/// The same by clocks and ranges. Forgets what it can if `prunes`.
std::vector<Bytes> check(const Program &program, bool prunes) {
  Precedence precedence;
  Conflicts conflicts(precedence);
  std::vector<Bytes> races(program.size());
  for (size_t i = 0; i != program.size(); ++i) {
    const Step &step = program[i];
    for (size_t awaited : step.awaited)
      precedence.await(awaited + 1);
    if (prunes) {
      precedence.prune({});
      conflicts.prune();
    }
    std::vector<Ticket> after;
    for (size_t other : step.after)
      after.push_back(other + 1);
    precedence.add(i + 1, after);
    auto usage = std::make_shared<Usage>("step");
    for (const UsedRange &range : step.uses)
      usage->add(range.begin, range.end, range.use);
    conflicts.add(i + 1, usage, [&](const Conflict &found) {
      EXPECT_EQ(found.second.ticket, i + 1);
      EXPECT_FALSE(precedence.isBefore(found.first.ticket, i + 1));
      for (uint64_t at = 0; at != found.bytes; ++at)
        races[i].set(found.address + at);
    });
  }
  return races;
}

Program makeProgram(std::mt19937 &random) {
  auto below = [&](size_t limit) { return random() % limit; };
  Program program(3 + below(12));
  for (size_t i = 0; i != program.size(); ++i) {
    Step &step = program[i];
    for (size_t edges = i ? below(3) : 0; edges; --edges)
      step.after.push_back(below(i));
    if (i && below(8) == 0)
      step.awaited.push_back(below(i));
    for (size_t ranges = 1 + below(3); ranges; --ranges) {
      uint64_t begin = below(bytes - 1);
      uint64_t end = begin + 1 + below(std::min<size_t>(12, bytes - begin));
      step.uses.push_back({begin, end, {below(3) == 0, below(4) == 0}});
    }
  }
  return program;
}

} // namespace

TEST(Unordered, IsWhatAComparisonOfAllPairsFinds) {
  std::mt19937 random(1);
  unsigned racing = 0, fine = 0;
  for (unsigned round = 0; round != 2000; ++round) {
    Program program = makeProgram(random);
    std::vector<Bytes> expected = compareAll(program);
    EXPECT_EQ(check(program, /*prunes=*/false), expected) << "round " << round;
    EXPECT_EQ(check(program, /*prunes=*/true), expected) << "round " << round;
    for (const Bytes &one : expected)
      ++(one.any() ? racing : fine);
  }
  EXPECT_GT(racing, 1000u);
  EXPECT_GT(fine, 1000u);
}

/// Programs whose conflicts are all ordered, by edges that are all needed: each
/// is missed.
TEST(Unordered, IsWhatHasLostItsEdge) {
  std::mt19937 random(2);
  unsigned lost = 0;
  for (unsigned round = 0; round != 500; ++round) {
    Program program = makeProgram(random);
    for (Step &step : program)
      step.after.clear(), step.awaited.clear();
    // Orders what conflicts, pair by pair, where it is not ordered yet.
    for (size_t i = 1; i != program.size(); ++i)
      for (size_t j = i; j-- != 0;) {
        Program pair = program;
        for (size_t k = 0; k != i; ++k)
          if (k != j)
            pair[k].uses.clear();
        if (compareAll(pair)[i].any())
          program[i].after.push_back(j);
      }
    for (const Bytes &none : check(program, /*prunes=*/false))
      EXPECT_TRUE(none.none()) << "round " << round;
    for (size_t i = 0; i != program.size(); ++i)
      for (size_t edge = 0; edge != program[i].after.size(); ++edge) {
        Program mutant = program;
        mutant[i].after.erase(mutant[i].after.begin() + edge);
        std::vector<Bytes> expected = compareAll(mutant);
        EXPECT_EQ(check(mutant, /*prunes=*/false), expected);
        // An edge may be implied by those added after it.
        lost += expected[i].any();
        size_t other = program[i].after[edge];
        EXPECT_EQ(expected[i].any(), !findAncestors(mutant)[i].count(other));
      }
  }
  EXPECT_GT(lost, 1000u);
}

TEST(Unordered, WorkThatRunsSideBySideSharesClocks) {
  Precedence precedence;
  precedence.add(1, {});
  precedence.add(2, {});
  precedence.add(3, {1});
  precedence.add(4, {2, 3});
  EXPECT_TRUE(precedence.isBefore(1, 4));
  EXPECT_FALSE(precedence.isBefore(1, 2));
  EXPECT_FALSE(precedence.isBefore(2, 3));
  EXPECT_FALSE(precedence.isBefore(4, 4));
  precedence.observe({2}, 3);
  EXPECT_TRUE(precedence.isBefore(2, 3));
}

TEST(Unordered, WhatIsUnfinishedKeepsWhatItIsComparedWith) {
  Precedence precedence;
  precedence.add(1, {});
  precedence.add(2, {});
  precedence.await(1);
  precedence.prune({2});
  EXPECT_FALSE(precedence.isBefore(1, 2));
  precedence.prune({});
  EXPECT_TRUE(precedence.isPast(1));
  EXPECT_FALSE(precedence.isPast(2));
}

TEST(Unordered, KernelsMayOrderThemselvesByAcquireAndRelease) {
  for (bool acquires : {false, true}) {
    Precedence precedence;
    Conflicts conflicts(precedence);
    precedence.add(1, {});
    precedence.add(2, {});
    auto writer = std::make_shared<Usage>("writer");
    writer->releases = true;
    writer->add(0, 4, {true, false});
    writer->add(8, 12, {true, true});
    auto reader = std::make_shared<Usage>("reader");
    reader->acquires = acquires;
    reader->add(0, 4, {false, false});
    reader->add(8, 12, {false, true});
    unsigned found = 0;
    conflicts.add(1, writer, [&](const Conflict &) { ++found; });
    conflicts.add(2, reader, [&](const Conflict &) { ++found; });
    EXPECT_EQ(found, acquires ? 0u : 1u);
  }
}

TEST(Unordered, FreedMemoryIsNew) {
  Precedence precedence;
  Conflicts conflicts(precedence);
  precedence.add(1, {});
  precedence.add(2, {});
  for (Ticket ticket : {1, 2}) {
    auto usage = std::make_shared<Usage>("fill");
    usage->add(0, 64, {true, false});
    std::vector<std::pair<uint64_t, uint64_t>> found;
    conflicts.add(ticket, usage, [&](const Conflict &one) {
      found.push_back({one.address, one.bytes});
    });
    if (ticket == 2)
      EXPECT_EQ(found, (std::vector<std::pair<uint64_t, uint64_t>>{{0, 16},
                                                                   {32, 32}}));
    conflicts.forget(16, 32);
  }
}
