//===- ClusterTest.cpp - Blocks that run together -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters: their registers and barrier, shared memory of other blocks, what is
// wrong with any of these, and the limits of a launch.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "tc/Emulator/Counts.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

using Execution = LaunchOptions::Execution;
using Words = std::vector<uint32_t>;

/// A kernel of one pointer; the body starts on line 9. %i1 is the thread in its
/// block, %i2 the block's rank, %i3 the address of the thread's word of `tile`,
/// %i4 its number in the grid.
std::string kernel(llvm::StringRef body, llvm::StringRef before = "") {
  return header +
         (".visible .entry k(.param .u64 p) " + before +
          " { .reg .pred %p<4>; .reg .b32 %i<16>; .reg .b64 %q<8>; .shared "
          ".align 4 .b8 tile[4096]; ld.param.u64 %q1, [p];\n"
          "mov.u32 %i1, %tid.x; mov.u32 %i2, %cluster_ctarank;\n"
          "shl.b32 %i3, %i1, 2; mov.u32 %i4, tile; add.u32 %i3, %i3, %i4;\n"
          "mov.u32 %i5, %ctaid.x; mov.u32 %i6, %ntid.x;\n"
          "mad.lo.u32 %i4, %i5, %i6, %i1; mul.wide.u32 %q2, %i4, 4; "
          "add.u64 %q2, %q1, %q2;\n" +
          body + "\nret;\n}\n")
             .str();
}

const std::string sync = "barrier.cluster.arrive.release.aligned;\n"
                         "barrier.cluster.wait.acquire.aligned;\n";
/// %i7 = the block of the next rank.
const std::string next = "mov.u32 %i8, %cluster_nctarank; add.u32 %i7, %i2, 1;"
                         "rem.u32 %i7, %i7, %i8;\n";
/// Reads the word of the next block: %i10.
const std::string fetch = next + "mapa.shared::cluster.u32 %i9, %i3, %i7;\n"
                                 "ld.shared::cluster.u32 %i10, [%i9];\n";
const std::string keep = "st.global.u32 [%q2], %i10;\n";

struct Run {
  std::string error;
  Words values;
};

Run run(llvm::StringRef text, Dim3 grid, Dim3 block, Cluster cluster,
        LaunchOptions options) {
  Device device(text);
  if (!device.module)
    return {"no module", {}};
  options.checks = Checks::All;
  device.module->setOptions(options);
  DeviceArray<uint32_t> data(device.memory, Words(4096));
  std::string error = messageOf(
      device.module->launch("k", grid, block, 0, Arguments(data.get()).get(),
                            device.memory, cluster));
  return {error, data.values()};
}

/// All ways of execution and kinds of schedule.
std::vector<LaunchOptions> getWays() {
  std::vector<LaunchOptions> ways;
  for (Execution execution :
       {Execution::Warps, Execution::Masked, Execution::Threads})
    for (Schedule schedule : {Schedule{}, Schedule{Schedule::Random, 3},
                              Schedule{Schedule::Adversarial, 1},
                              Schedule{Schedule::Adversarial, 2}}) {
      LaunchOptions options;
      options.execution = execution;
      options.schedule = schedule;
      ways.push_back(options);
    }
  return ways;
}

/// Runs it in every way; the values it leaves are those of `expected(index)`.
template <typename Expected>
void expectValues(llvm::StringRef text, Dim3 grid, Dim3 block, Cluster cluster,
                  size_t count, Expected expected) {
  for (const LaunchOptions &way : getWays()) {
    Run ran = run(text, grid, block, cluster, way);
    ASSERT_EQ(ran.error, "") << text.str();
    for (size_t i = 0; i < count; ++i)
      ASSERT_EQ(ran.values[i], expected(i)) << i << "\n" << text.str();
  }
}

/// What a cluster of two blocks of 64 threads is found to do wrong.
std::string finds(llvm::StringRef body, LaunchOptions way = {}) {
  return run(kernel(body), {2}, {64}, {{2, 1, 1}}, way).error;
}

void expectFound(llvm::StringRef body, llvm::StringRef message) {
  for (const LaunchOptions &way : getWays())
    EXPECT_THAT(finds(body, way), HasSubstr(message.str()));
}

//===----------------------------------------------------------------------===//
// Registers and addresses
//===----------------------------------------------------------------------===//

TEST(Cluster, Registers) {
  // Every block of a grid of 4 x 4 in clusters of 2 x 2 leaves ten numbers.
  std::string body = "mov.u32 %i5, %ctaid.y; mov.u32 %i6, %ctaid.x;"
                     "mad.lo.u32 %i5, %i5, 4, %i6; mul.wide.u32 %q2, %i5, 64;"
                     "add.u64 %q2, %q1, %q2;\n";
  int at = 0;
  for (const char *name :
       {"clusterid.x", "clusterid.y", "nclusterid.x", "nclusterid.y",
        "cluster_ctaid.x", "cluster_ctaid.y", "cluster_nctaid.x",
        "cluster_nctaid.z", "cluster_ctarank", "cluster_nctarank"})
    body += "mov.u32 %i7, %" + std::string(name) + "; st.global.u32 [%q2 + " +
            std::to_string(4 * at++) + "], %i7;\n";
  body += "mov.pred %p1, %is_explicit_cluster; selp.u32 %i7, 1, 0, %p1;"
          "st.global.u32 [%q2 + 40], %i7;";
  expectValues(kernel(body), {4, 4}, {1}, {{2, 2, 1}}, 256, [](uint32_t i) {
    uint32_t x = i / 16 % 4, y = i / 64;
    uint32_t rank = y % 2 * 2 + x % 2;
    const uint32_t row[16] = {x / 2, y / 2, 2,    2, x % 2, y % 2,
                              2,     1,     rank, 4, 1};
    return row[i % 16];
  });
}

TEST(Cluster, WithoutOneEachBlockIsOne) {
  std::string body = "mov.u32 %i5, %ctaid.x; mul.wide.u32 %q2, %i5, 16;"
                     "add.u64 %q2, %q1, %q2; mov.u32 %i6, %clusterid.x;"
                     "mov.u32 %i7, %cluster_nctarank;"
                     "mov.pred %p1, %is_explicit_cluster;"
                     "selp.u32 %i8, 1, 0, %p1; st.global.v4.u32 [%q2], "
                     "{%i6, %i7, %i2, %i8};" +
                     sync;
  expectValues(kernel(body), {3}, {1}, {}, 12, [](uint32_t i) {
    const uint32_t row[4] = {i / 4, 1, 0, 0};
    return row[i % 4];
  });
}

TEST(Cluster, AddressesKnowTheirBlock) {
  // Rank by a mapped address, of either kind; what a space contains.
  std::string body = next + R"(
    mapa.shared::cluster.u32 %i9, %i3, %i7;
    getctarank.shared::cluster.u32 %i10, %i9;
    cvta.shared::cluster.u64 %q3, %q3;
    cvt.u64.u32 %q3, %i3; cvta.shared.u64 %q3, %q3; mapa.u64 %q4, %q3, %i7;
    getctarank.u64 %i11, %q4;
    isspacep.shared::cluster %p1, %q4; selp.u32 %i12, 1, 0, %p1;
    isspacep.shared %p1, %q4; selp.u32 %i13, 1, 0, %p1;
    isspacep.shared::cta %p1, %q3; selp.u32 %i14, 1, 0, %p1;
    isspacep.global %p1, %q4; selp.u32 %i15, 1, 0, %p1;
    shl.b32 %i12, %i12, 8; shl.b32 %i13, %i13, 9; shl.b32 %i14, %i14, 10;
    shl.b32 %i15, %i15, 11; shl.b32 %i11, %i11, 4; or.b32 %i10, %i10, %i11;
    or.b32 %i10, %i10, %i12; or.b32 %i10, %i10, %i13; or.b32 %i10, %i10, %i14;
    or.b32 %i10, %i10, %i15;
    getctarank.shared::cluster.u32 %i11, %i3; shl.b32 %i11, %i11, 12;
    or.b32 %i10, %i10, %i11;
    cvta.to.shared::cluster.u64 %q5, %q4; cvt.u32.u64 %i12, %q5;
    setp.ne.u32 %p1, %i12, %i9; @%p1 trap;
  )" + keep;
  expectValues(kernel(body), {4}, {32}, {{4, 1, 1}}, 128, [](uint32_t i) {
    uint32_t rank = i / 32, other = (rank + 1) % 4;
    return other | other << 4 | 1 << 8 | 1 << 10 | rank << 12;
  });
}

//===----------------------------------------------------------------------===//
// Exchange
//===----------------------------------------------------------------------===//

TEST(Cluster, ReadsTheNextBlock) {
  std::string body = "st.shared.u32 [%i3], %i4;\n" + sync + fetch + keep + sync;
  for (uint32_t threads : {1u, 40u, 64u})
    for (uint32_t blocks : {2u, 4u, 8u})
      expectValues(kernel(body), {2 * blocks}, {threads}, {{blocks, 1, 1}},
                   2 * blocks * threads, [&](uint32_t i) {
                     uint32_t block = i / threads, first = block / blocks;
                     uint32_t rank = (block % blocks + 1) % blocks;
                     return (first * blocks + rank) * threads + i % threads;
                   });
}

TEST(Cluster, WritesTheNextBlockByGenericAddress) {
  // Nobody writes before all have begun.
  std::string body = sync + next +
                     "cvt.u64.u32 %q3, %i3; cvta.shared.u64 %q3, %q3;\n"
                     "mapa.u64 %q3, %q3, %i7; st.u32 [%q3], %i4;\n" +
                     sync + "ld.shared.u32 %i10, [%i3];\n" + keep;
  expectValues(kernel(body), {4}, {64}, {{4, 1, 1}}, 256,
               [](uint32_t i) { return (i / 64 + 3) % 4 * 64 + i % 64; });
}

TEST(Cluster, CountsInOneBlock) {
  std::string body = R"(
    setp.ne.u32 %p1, %i1, 0; @%p1 bra B; st.shared.u32 [tile], 0; B:
  )" + sync + R"(
    mov.u32 %i7, tile; mapa.shared::cluster.u32 %i9, %i7, 0;
    red.shared::cluster.add.u32 [%i9], 1;
    atom.relaxed.cluster.shared::cluster.add.u32 %i8, [%i9], 1;
  )" + sync + "ld.shared::cluster.u32 %i10, [%i9];" +
                     sync + keep;
  expectValues(kernel(body), {6}, {64}, {{3, 1, 1}}, 384,
               [](uint32_t) { return 2 * 3 * 64; });
}

TEST(Cluster, BarriersOfBlocksAreTheirOwn) {
  // Each block goes through its own number of barriers.
  std::string body = "mov.u32 %i7, 0; st.shared.u32 [%i3], 0; L: bar.sync 0;\n"
                     "xor.b32 %i9, %i3, 64; ld.shared.u32 %i10, [%i9];\n"
                     "bar.sync 0; add.u32 %i10, %i10, 1;\n"
                     "st.shared.u32 [%i3], %i10; add.u32 %i7, %i7, 1;\n"
                     "setp.le.u32 %p1, %i7, %i2; @%p1 bra L;\n" +
                     sync + "ld.shared.u32 %i10, [%i3];" + keep;
  expectValues(kernel(body), {4}, {64}, {{4, 1, 1}}, 256,
               [](uint32_t i) { return i / 64 + 1; });
}

TEST(Cluster, ThreadsMayDoOtherThingsBeforeTheyWait) {
  std::string body = "st.shared.u32 [%i3], %i4;\nbarrier.cluster.arrive;\n"
                     "st.global.u32 [%q2 + 8192], %i4;\n"
                     "barrier.cluster.wait;\n" +
                     fetch + keep + sync;
  expectValues(kernel(body), {2}, {64}, {{2, 1, 1}}, 128,
               [](uint32_t i) { return i ^ 64; });
}

TEST(Cluster, EndedThreadsCountAsArrived) {
  std::string body = "setp.ge.u32 %p1, %i1, 40; @%p1 exit;\n"
                     "st.shared.u32 [%i3], %i4;\n"
                     "barrier.cluster.arrive; barrier.cluster.wait;\n" +
                     fetch + keep +
                     "barrier.cluster.arrive; barrier.cluster.wait;\n";
  expectValues(kernel(body), {2}, {64}, {{2, 1, 1}}, 128,
               [](uint32_t i) { return i % 64 < 40 ? i ^ 64 : 0; });
  // A whole block may end.
  EXPECT_EQ(finds("setp.eq.u32 %p1, %i2, 0; @%p1 exit;\n" + sync), "");
}

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

TEST(Cluster, Races) {
  const std::string store = "st.shared.u32 [%i3], %i4;\n";
  expectFound(sync + store + "bar.sync 0;\n" + fetch + sync, "block (");
  EXPECT_THAT(finds(sync + store + "bar.sync 0;\n" + fetch + sync),
              HasSubstr("are not ordered by a barrier of the cluster"));
  // The arrival releases nothing.
  expectFound(sync + store +
                  "barrier.cluster.arrive.relaxed; barrier.cluster.wait;\n" +
                  fetch + sync,
              "race: ");
  // A fence before it does.
  EXPECT_EQ(finds(sync + store +
                  "fence.acq_rel.cluster; barrier.cluster.arrive.relaxed; "
                  "barrier.cluster.wait;\n" +
                  fetch + sync),
            "");
  // What comes after the arrival is not released, and before the wait nothing
  // is acquired.
  expectFound("barrier.cluster.arrive;\n" + store + "barrier.cluster.wait;\n" +
                  fetch + sync,
              "race: ");
  expectFound(sync + store + "barrier.cluster.arrive;\n" + fetch +
                  "barrier.cluster.wait;\n" + sync,
              "race: ");
  // Through global memory.
  expectFound("st.global.u32 [%q2], %i4; bar.sync 0;\n"
              "xor.b32 %i5, %i4, 64; mul.wide.u32 %q3, %i5, 4;\n"
              "add.u64 %q3, %q1, %q3; ld.global.u32 %i6, [%q3];\n" +
                  sync,
              "race: ");
}

TEST(Cluster, OrderedThroughGlobalMemory) {
  expectValues(kernel("st.global.u32 [%q2], %i4;\n" + sync +
                      "xor.b32 %i5, %i4, 64; mul.wide.u32 %q3, %i5, 4;\n"
                      "add.u64 %q3, %q1, %q3; ld.global.u32 %i10, [%q3];\n" +
                      sync + keep),
               {4}, {64}, {{2, 1, 1}}, 256, [](uint32_t i) { return i ^ 64; });
}

TEST(Cluster, ScopeOfOneBlockOrdersNoOther) {
  std::string count = R"(
    mov.u32 %i7, tile; mapa.shared::cluster.u32 %i9, %i7, 0;
    setp.ne.u32 %p1, %i4, 0; @%p1 bra B; st.shared.u32 [tile], 0; B:
  )" + sync;
  EXPECT_EQ(finds(count +
                  "red.relaxed.cluster.shared::cluster.add.u32 [%i9], "
                  "1;\n" +
                  sync),
            "");
  expectFound(count + "red.relaxed.cta.shared::cluster.add.u32 [%i9], 1;\n" +
                  sync,
              "race: ");
}

TEST(Cluster, Unwritten) {
  expectFound(sync + fetch + keep + sync, "uninitialised: ");
}

/// The same kernel, launched without clusters: clang leaves out what
/// __cluster_dims__ says.
TEST(Cluster, MissingDimensionsAreExplained) {
  for (llvm::StringRef reach : {"mapa.shared::cluster.u32 %i9, %i3, 1;\n"
                                "ld.shared::cluster.u32 %i10, [%i9];\n",
                                "cvt.u64.u32 %q3, %i3; cvta.shared.u64 %q3, "
                                "%q3; mapa.u64 %q4, %q3, 1;\n"
                                "ld.u32 %i10, [%q4];\n"})
    EXPECT_THAT(
        run(kernel(reach.str() + keep), {2}, {64}, {}, {}).error,
        HasSubstr("the launch has no clusters: neither the kernel asks "
                  "for them (.reqnctapercluster, from __cluster_dims__"))
        << reach.str();
}

TEST(Cluster, Bounds) {
  expectFound(
      sync + fetch + "ld.shared::cluster.u32 %i10, [%i9 + 4096];" + "\n", "");
  expectFound("st.shared.u32 [%i3], 0;" + sync + next +
                  "mapa.shared::cluster.u32 %i9, %i3, %i7;\n"
                  "st.shared::cluster.u32 [%i9 + 4096], %i4;" +
                  sync,
              "write of 4 bytes at shared::cluster address");
  // No such rank.
  expectFound(sync +
                  "mapa.shared::cluster.u32 %i9, %i3, 2;\n"
                  "st.shared::cluster.u32 [%i9], %i4;" +
                  sync,
              "is out of bounds: no block of the cluster has it");
  expectFound(sync + next +
                  "mapa.shared::cluster.u32 %i9, %i3, %i7;\n"
                  "st.shared::cluster.u32 [%i9 + 2], %i4;" +
                  sync,
              "is misaligned");
  // Only shared::cluster reaches another block.
  expectFound(sync + next +
                  "mapa.shared::cluster.u32 %i9, %i3, %i7;\n"
                  "st.shared.u32 [%i9], %i4;" +
                  sync,
              "is out of bounds: the block has 4096 bytes");
}

TEST(Cluster, MemoryOfABlockThatHasEnded) {
  // Rank 0 ends; rank 1 still reads its memory.
  expectFound("st.shared.u32 [%i3], %i4;\n" + sync +
                  "setp.eq.u32 %p1, %i2, 0; @%p1 exit;\n"
                  "barrier.cluster.arrive; barrier.cluster.wait;\n" +
                  fetch,
              "is in the shared memory of block (0,0,0) of the cluster, which "
              "has ended");
}

TEST(Cluster, BlocksMayNotHaveBegun) {
  expectFound(next +
                  "mapa.shared::cluster.u32 %i9, %i3, %i7;\n"
                  "st.shared::cluster.u32 [%i9], %i4;\n" +
                  sync,
              "which may not have begun");
}

TEST(Cluster, BlocksMayEndTooEarly) {
  const std::string use = "st.shared.u32 [%i3], %i4;\n" + sync + fetch;
  EXPECT_EQ(finds(use + sync), "");
  expectFound(use, "of the cluster");
  EXPECT_THAT(finds(use), HasSubstr("is not ordered before the end of that "
                                    "block"));
}

TEST(Cluster, MisusedBarriers) {
  expectFound("barrier.cluster.arrive; barrier.cluster.arrive;\n",
              "arrives at the barrier of the cluster again");
  expectFound("barrier.cluster.wait;\n", "without having arrived");
  expectFound("setp.lt.u32 %p1, %i4, 32; @%p1 bra W;\n"
              "bar.sync 1, 96; W: barrier.cluster.arrive; "
              "barrier.cluster.wait;\n",
              "deadlock: ");
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

TEST(Cluster, Limits) {
  auto refuse = [](Dim3 grid, Cluster cluster, llvm::StringRef before = "") {
    return run(kernel("", before), grid, {1}, cluster, {}).error;
  };
  EXPECT_EQ(refuse({8}, {{8, 1, 1}}), "");
  EXPECT_EQ(refuse({9}, {{2, 1, 1}}),
            "kernel 'k': expected a grid of whole clusters of (2,1,1) blocks, "
            "got (9,1,1)");
  EXPECT_EQ(refuse({16}, {{16, 1, 1}}),
            "kernel 'k': expected clusters of 1 to 8 blocks, got (16,1,1)");
  EXPECT_EQ(refuse({16}, {{16, 1, 1}, /*mayBeNonPortable=*/true}), "");
  EXPECT_EQ(refuse({32}, {{32, 1, 1}, /*mayBeNonPortable=*/true}),
            "kernel 'k': expected clusters of 1 to 16 blocks, got (32,1,1)");
  EXPECT_EQ(refuse({4, 4}, {{2, 0, 1}}),
            "kernel 'k': expected clusters of 1 to 8 blocks, got (2,0,1)");
  EXPECT_EQ(refuse({4}, {{4, 1, 1}}, ".reqnctapercluster 4"), "");
  EXPECT_EQ(refuse({4}, {}, ".reqnctapercluster 4, 1"), "");
  EXPECT_EQ(refuse({6}, {}, ".reqnctapercluster 4"),
            "kernel 'k': expected a grid of whole clusters of (4,1,1) blocks, "
            "got (6,1,1)");
  EXPECT_EQ(refuse({4}, {{2, 1, 1}}, ".reqnctapercluster 4"),
            "kernel 'k': expected clusters of (4,1,1) blocks, as it is "
            "declared, got (2,1,1)");
  EXPECT_EQ(refuse({4}, {}, ".explicitcluster"),
            "kernel 'k': it is declared .explicitcluster: expected a launch in "
            "clusters");
  EXPECT_EQ(refuse({4}, {{4, 1, 1}}, ".explicitcluster .maxclusterrank 2"),
            "kernel 'k': expected clusters of 1 to 2 blocks, got (4,1,1)");
}

TEST(Cluster, NeedsItsChip) {
  std::string old = kernel("");
  old.replace(old.find("sm_90"), 5, "sm_80");
  EXPECT_EQ(run(old, {2}, {1}, {{2, 1, 1}}, {}).error,
            "kernel 'k': clusters need sm_90, got sm_80");
  std::string declared = kernel("", ".reqnctapercluster 2");
  declared.replace(declared.find("sm_90"), 5, "sm_80");
  EXPECT_EQ(loadError(declared),
            "PTX line 5: directive '.reqnctapercluster' needs sm_90, got "
            "sm_80");
}

TEST(Cluster, Directives) {
  EXPECT_EQ(loadError(kernel("", ".reqnctapercluster 8, 4")),
            "PTX line 5: '.reqnctapercluster': expected at most 16 blocks in a "
            "cluster, got 32");
  EXPECT_EQ(loadError(kernel("", ".reqnctapercluster 0")),
            "PTX line 5: '.reqnctapercluster': expected up to three extents "
            "from 1 to 16, got 0");
  EXPECT_EQ(loadError(kernel("", ".maxclusterrank 17")),
            "PTX line 5: '.maxclusterrank': expected a number from 1 to 16, "
            "got 17");
}

TEST(Cluster, SamplesWholeClusters) {
  std::string body = "st.shared.u32 [%i3], %i4;\n" + sync + fetch + keep + sync;
  LaunchOptions options;
  options.count = true;
  options.sampleBlocks = 5;
  Device device(kernel(body));
  device.module->setOptions(options);
  DeviceArray<uint32_t> data(device.memory, Words(1 << 16));
  EXPECT_EQ(messageOf(device.module->launch("k", {1024}, {32}, 0,
                                            Arguments(data.get()).get(),
                                            device.memory, {{4, 1, 1}})),
            "");
  const LaunchReport &report = device.module->getReport();
  EXPECT_EQ(report.blocksRun % 4, 0u);
  EXPECT_LT(report.blocksRun, 64u);
  // Scaled to the whole grid: a store and a load of shared memory a warp.
  uint64_t requests = 0;
  for (const auto &memory : report.counts->memory)
    if (memory.space == "shared")
      requests += memory.counts.requests;
  EXPECT_EQ(requests, 2 * 1024u);
}

} // namespace
