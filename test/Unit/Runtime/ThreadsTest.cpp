//===- ThreadsTest.cpp - Tests of the tasks of CPU kernels ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc-runtime/tc_package.h"
#include "tc-runtime/tc_runtime.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
/// How often each iteration of a job was done.
struct Counts {
  explicit Counts(size_t size) : times(size) {}
  std::vector<std::atomic<int>> times;

  static void task(void *context, int64_t begin, int64_t end) {
    auto &counts = *static_cast<Counts *>(context);
    for (int64_t i = begin; i != end; ++i)
      counts.times[static_cast<size_t>(i)].fetch_add(1);
  }
  void run() {
    tcPackageParallel(static_cast<int64_t>(times.size()), task, this);
  }
  bool allAre(int expected) const {
    for (const std::atomic<int> &count : times)
      if (count.load() != expected)
        return false;
    return true;
  }
};

struct ThreadsTest : testing::Test {
  void TearDown() override { tcSetThreads(0); }
};
} // namespace

TEST_F(ThreadsTest, DoesEachIterationOnce) {
  for (int threads : {1, 2, 3, 7}) {
    ASSERT_EQ(tcSetThreads(threads), TC_OK);
    EXPECT_EQ(tcThreads(), threads);
    for (size_t count : {0, 1, 2, 5, 1000}) {
      Counts counts(count);
      for (int round = 1; round != 50; ++round) {
        counts.run();
        ASSERT_TRUE(counts.allAre(round)) << threads << " of " << count;
      }
    }
  }
}

TEST_F(ThreadsTest, SharesWorkOut) {
  ASSERT_EQ(tcSetThreads(2), TC_OK);
  // Each waits for the other, so one thread alone would not end.
  std::atomic<int> arrived{0};
  tcPackageParallel(
      2,
      [](void *context, int64_t, int64_t) {
        auto &arrived = *static_cast<std::atomic<int> *>(context);
        arrived.fetch_add(1);
        while (arrived.load() != 2)
          std::this_thread::yield();
      },
      &arrived);
  EXPECT_EQ(arrived.load(), 2);
}

TEST_F(ThreadsTest, TakesJobsOfManyThreads) {
  ASSERT_EQ(tcSetThreads(3), TC_OK);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int i = 0; i != 4; ++i)
    callers.emplace_back([&] {
      Counts counts(100);
      for (int round = 1; round != 100; ++round) {
        counts.run();
        wrong += !counts.allAre(round);
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong.load(), 0);
}

TEST_F(ThreadsTest, TakesJobsOfTasks) {
  ASSERT_EQ(tcSetThreads(3), TC_OK);
  Counts counts(100);
  tcPackageParallel(
      10,
      [](void *context, int64_t begin, int64_t end) {
        for (; begin != end; ++begin)
          static_cast<Counts *>(context)->run();
      },
      &counts);
  EXPECT_TRUE(counts.allAre(10));
}

TEST_F(ThreadsTest, WorksInAForkedChild) {
  ASSERT_EQ(tcSetThreads(3), TC_OK);
  Counts before(100);
  before.run();
  pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    Counts counts(100);
    counts.run();
    _exit(counts.allAre(1) ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(ThreadsTest, RefusesNegativeNumbers) {
  int before = tcThreads();
  EXPECT_EQ(tcSetThreads(-1), TC_INVALID_ARGUMENT);
  EXPECT_THAT(tcLastError(),
              testing::HasSubstr("expected 0 or more threads, got -1"));
  EXPECT_EQ(tcThreads(), before);
}
