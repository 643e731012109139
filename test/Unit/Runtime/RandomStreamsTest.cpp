//===- RandomStreamsTest.cpp - Random programs of streams -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether launches of random programs race, against a search of all paths.
//
//===----------------------------------------------------------------------===//

#include "StreamRaces.h"

#include <random>
#include <set>

using namespace tc::runtime;
using namespace tc::runtime::test;

namespace {

/// A random program, run and remembered: what each launch did, and after what.
class RandomPrograms : public StreamRaces {
protected:
  struct Done {
    Words reads, writes, adds;
    std::set<size_t> before; ///< launches
  };

  /// What a stream, an event or the host comes after.
  using After = std::set<size_t>;

  void runProgram(std::mt19937 &random) {
    auto below = [&](unsigned limit) { return unsigned(random() % limit); };
    constexpr unsigned count = 4;
    CUstream streams[count] = {nullptr, makeStream(0), makeStream(0),
                               makeStream(CU_STREAM_NON_BLOCKING)};
    After ends[count], host;
    std::vector<std::pair<CUevent, After>> events;
    // The legacy stream and those that block are one in the order of work.
    auto getBefore = [&](unsigned stream) {
      After before = host;
      for (unsigned other = 0; other != count; ++other)
        if (other == stream || (stream == 0 && other != 3) ||
            (other == 0 && stream != 3))
          before.insert(ends[other].begin(), ends[other].end());
      return before;
    };
    load(launches);
    done.clear();
    while (done.size() != launches) {
      unsigned stream = below(count);
      auto makeWords = [&] {
        unsigned begin = below(words);
        return below(2) ? Words{begin, 1 + below(words - begin)} : Words{};
      };
      After before = getBefore(stream);
      switch (below(6)) {
      case 0:
        events.push_back({record(streams[stream]), before});
        ends[stream] = before;
        break;
      case 1:
        if (events.empty())
          break;
        {
          auto &[event, after] = events[below(events.size())];
          wait(streams[stream], event);
          before.insert(after.begin(), after.end());
          ends[stream] = before;
        }
        break;
      case 2:
        if (below(4) != 0)
          break;
        EXPECT_EQ(driver->cuStreamSynchronize(streams[stream]), CUDA_SUCCESS);
        host.insert(ends[stream].begin(), ends[stream].end());
        if (stream == 0)
          host.insert(before.begin(), before.end());
        break;
      default:
        Done one{makeWords(), {}, {}, before};
        // One kernel does not race with itself.
        (below(2) ? one.writes : one.adds) = makeWords();
        launch(done.size(), streams[stream], one.reads, one.writes, one.adds);
        before.insert(done.size());
        ends[stream] = before;
        done.push_back(one);
      }
    }
  }
  static bool conflict(const Done &a, const Done &b) {
    for (auto [one, other] : {std::pair(&a, &b), {&b, &a}})
      if (one->writes.meets(other->writes) || one->writes.meets(other->reads) ||
          one->adds.meets(other->reads) || one->adds.meets(other->writes))
        return true;
    return false;
  }
  /// Launches that conflict, without an order.
  std::set<std::pair<size_t, size_t>> findRaces() {
    std::set<std::pair<size_t, size_t>> races;
    for (size_t i = 0; i != done.size(); ++i)
      for (size_t j = 0; j != i; ++j)
        if (!done[i].before.count(j) && conflict(done[i], done[j]))
          races.insert({j, i});
    return races;
  }

  static constexpr unsigned launches = 8;
  std::vector<Done> done;
};

} // namespace

TEST_F(RandomPrograms, AreJudgedAsASearchOfAllPathsDoes) {
  std::mt19937 random(3);
  unsigned racing = 0, fine = 0;
  for (unsigned round = 0; round != 120; ++round) {
    // What is not ordered runs in any order.
    bool isInOrder = round % 2 == 0;
    schedule(isInOrder ? "deterministic"
                       : ("random:" + std::to_string(round)).c_str());
    runProgram(random);
    std::string text = take();
    std::set<std::pair<size_t, size_t>> races = findRaces();
    std::set<size_t> later; // of what was found
    auto readKernel = [&](size_t at) {
      at = text.find("kernel '" + prefix, at);
      EXPECT_NE(at, std::string::npos);
      return size_t(std::stoul(text.substr(at + 8 + prefix.size())));
    };
    for (size_t at = 0;
         (at = text.find(": stream race: ", at)) != std::string::npos; ++at) {
      size_t second = readKernel(text.rfind('\n', at) + 1);
      size_t first = readKernel(at);
      EXPECT_TRUE(races.count(std::minmax(first, second))) << "round " << round;
      EXPECT_TRUE(!isInOrder || first < second) << "round " << round;
      later.insert(second);
    }
    // Of a race, the launch that ran later was told of.
    for (auto [first, second] : races)
      EXPECT_TRUE(later.count(second) || (!isInOrder && later.count(first)))
          << "round " << round << ": " << first << " and " << second;
    ++(races.empty() ? fine : racing);
    EXPECT_EQ(driver->cuModuleUnload(loaded), CUDA_SUCCESS);
  }
  EXPECT_GT(racing, 20u);
  EXPECT_GT(fine, 20u);
}
