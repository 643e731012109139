//===- StreamRacesTest.cpp - Races between what streams do ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels, copies, fills and frees that touch the same bytes without an order:
// one case for each way to order them.
//
//===----------------------------------------------------------------------===//

#include "StreamRaces.h"

using namespace tc::runtime;
using namespace tc::runtime::test;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

TEST_F(StreamRaces, BothLaunchesAreNamed) {
  writeIn(first, 0);
  launch(1, second, {6, 4}, {});
  std::string found = take();
  EXPECT_THAT(
      found,
      AllOf(HasSubstr("kernel '" + name(1) + "' (launch "),
            HasSubstr(") in stream 0x"),
            HasSubstr("block (0,0,0), thread (0,0,0), PTX line "),
            HasSubstr("(`ld.global.u32 %r5, [%rd3]`): stream race: read at "
                      "global address 0x"),
            HasSubstr("(byte 24 of the 128 bytes of allocation "),
            HasSubstr("and write by kernel '" + name(0) + "' (launch "),
            HasSubstr("block (0,0,0), thread (6,0,0), PTX line "),
            HasSubstr("(`st.global.u32 [%rd5], %r1`) are not ordered: record "
                      "an event after the first and let the stream of the "
                      "second wait for it (cuEventRecord, "
                      "cuStreamWaitEvent)")));
  EXPECT_EQ(found.find("stream race"), found.rfind("stream race"));
}

TEST_F(StreamRaces, EventsOrder) {
  writeIn(first, 0);
  wait(second, record(first));
  readIn(second, 1);
  EXPECT_EQ(take(), "");
  // An event that was recorded before is not enough.
  CUevent early = record(first);
  writeIn(first, 2);
  wait(second, early);
  readIn(second, 3);
  EXPECT_THAT(take(), HasSubstr(name(3)));
}

TEST_F(StreamRaces, ReadersAreComparedWithLaterWriters) {
  readIn(first, 0);
  readIn(second, 1);
  EXPECT_EQ(take(), "");
  readIn(first, 2);
  readIn(second, 3);
  wait(second, record(nullptr)); // of nothing
  writeIn(second, 4);
  EXPECT_THAT(take(), AllOf(HasSubstr("read by kernel '" + name(2)),
                            Not(HasSubstr(name(3)))));
}

TEST_F(StreamRaces, TheHostOrders) {
  writeIn(first, 0);
  EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_SUCCESS);
  readIn(second, 1);
  CUevent event = record(second);
  EXPECT_EQ(driver->cuEventSynchronize(event), CUDA_SUCCESS);
  writeIn(first, 2);
  EXPECT_EQ(driver->cuStreamQuery(first), CUDA_SUCCESS);
  writeIn(second, 3);
  EXPECT_EQ(take(), "");
  // The wrong stream.
  writeIn(first, 4);
  EXPECT_EQ(driver->cuStreamSynchronize(second), CUDA_SUCCESS);
  writeIn(second, 5);
  EXPECT_THAT(take(), HasSubstr(name(5)));
}

TEST_F(StreamRaces, TheLegacyStreamOrdersBlockingStreams) {
  CUstream one = makeStream(0), other = makeStream(0);
  writeIn(one, 0);
  writeIn(nullptr, 1);
  writeIn(other, 2);
  EXPECT_EQ(take(), "");
  writeIn(one, 3);
  writeIn(other, 4);
  EXPECT_THAT(take(), HasSubstr(name(4)));
  writeIn(nullptr, 5);
  writeIn(first, 6);
  EXPECT_THAT(take(), AllOf(HasSubstr(name(6)),
                            HasSubstr(") in the default stream, block")));
}

TEST_F(StreamRaces, AtomicsDoNotRaceWithEachOther) {
  launch(0, first, {}, {}, {0, 8});
  launch(1, second, {}, {}, {0, 8});
  EXPECT_EQ(take(), "");
  launch(2, first, {}, {}, {0, 8});
  launch(3, second, {}, {}, {0, 8});
  readIn(second, 4);
  EXPECT_THAT(take(), AllOf(HasSubstr("atomic access by kernel '" + name(2)),
                            Not(HasSubstr("kernel '" + name(3)))));
}

TEST_F(StreamRaces, OtherBytesDoNotRace) {
  writeIn(first, 0, {0, 8});
  writeIn(second, 1, {8, 8});
  readIn(first, 2, {0, 8});
  readIn(second, 3, {8, 24});
  EXPECT_EQ(take(), "");
}

//===----------------------------------------------------------------------===//
// Copies, fills, memory
//===----------------------------------------------------------------------===//

TEST_F(StreamRaces, CopiesAndFillsRace) {
  writeIn(first, 0);
  EXPECT_EQ(driver->cuMemsetD32Async(buffer + 28, 1, 2, second), CUDA_SUCCESS);
  EXPECT_THAT(take(), AllOf(HasSubstr("fill in stream 0x"),
                            HasSubstr("stream race: write at global address"),
                            HasSubstr("(byte 28 of the")));
  std::vector<unsigned> host(words);
  writeIn(first, 1);
  EXPECT_EQ(driver->cuMemcpyDtoH_v2(host.data(), buffer, 4), CUDA_SUCCESS);
  EXPECT_THAT(take(), HasSubstr("copy in the default stream: stream race: "
                                "read at global address"));
  EXPECT_EQ(driver->cuMemcpyHtoDAsync_v2(buffer, host.data(), 4, first),
            CUDA_SUCCESS);
  readIn(second, 2);
  EXPECT_THAT(take(), HasSubstr("write by copy in stream 0x"));
  // The host has waited for that copy.
  EXPECT_EQ(driver->cuMemcpyHtoD_v2(buffer, host.data(), 4), CUDA_SUCCESS);
  readIn(second, 3);
  EXPECT_EQ(take(), "");
}

TEST_F(StreamRaces, FreesInAStreamRace) {
  CUdeviceptr memory = 0, kept = buffer;
  ASSERT_EQ(driver->cuMemAllocAsync(&memory, 4 * words, first), CUDA_SUCCESS);
  buffer = memory;
  writeIn(second, 0);
  EXPECT_THAT(take(), HasSubstr("write by allocation in stream 0x"));
  wait(second, record(first));
  writeIn(second, 1);
  ASSERT_EQ(driver->cuMemFreeAsync(memory, first), CUDA_SUCCESS);
  EXPECT_THAT(take(), HasSubstr("free in stream 0x"));
  // The same with its events.
  ASSERT_EQ(driver->cuMemAllocAsync(&memory, 4 * words, first), CUDA_SUCCESS);
  buffer = memory;
  wait(second, record(first));
  writeIn(second, 2);
  wait(first, record(second));
  ASSERT_EQ(driver->cuMemFreeAsync(memory, first), CUDA_SUCCESS);
  EXPECT_EQ(take(), "");
  buffer = kept;
}

TEST_F(StreamRaces, AFreedAddressIsNew) {
  CUdeviceptr kept = buffer;
  for (unsigned i = 0; i != 4; ++i) {
    buffer = allocate(4 * words);
    writeIn(i % 2 ? first : second, i);
    EXPECT_EQ(driver->cuMemFree_v2(buffer), CUDA_SUCCESS);
  }
  EXPECT_EQ(take(), "");
  buffer = kept;
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {

class GraphRaces : public StreamRaces {
protected:
  CUgraphNode addUse(unsigned kernel, Words reads, Words writes,
                     const Nodes &after = {}) {
    CUdeviceptr from = buffer + 4 * reads.first, to = buffer + 4 * writes.first;
    unsigned none = 0;
    void *values[] = {&from, &reads.count, &to, &writes.count, &from, &none};
    CUDA_KERNEL_NODE_PARAMS_v2 parameters = {get(loaded, name(kernel).c_str()),
                                             1,
                                             1,
                                             1,
                                             words,
                                             1,
                                             1,
                                             0,
                                             values,
                                             nullptr,
                                             nullptr,
                                             nullptr};
    CUgraphNode node = nullptr;
    EXPECT_EQ(driver->cuGraphAddKernelNode_v2(&node, graph, after.data(),
                                              after.size(), &parameters),
              CUDA_SUCCESS)
        << report();
    return node;
  }
};

} // namespace

TEST_F(GraphRaces, NodesAreOrderedByEdges) {
  CUgraphNode writer = addUse(0, {}, {0, 8});
  CUgraphNode between = addUse(1, {8, 1}, {}, {writer});
  addUse(2, {0, 8}, {}, {between});
  runOnce();
  EXPECT_EQ(take(), "");
  addUse(3, {0, 8}, {});
  for (unsigned seed = 0; seed != 5; ++seed) {
    schedule(("random:" + std::to_string(seed)).c_str());
    runOnce();
  }
  EXPECT_THAT(take(), AllOf(HasSubstr("kernel '" + name(3)),
                            HasSubstr(") node of graph launch "),
                            HasSubstr("add an edge from the node of the first "
                                      "to that of the second "
                                      "(cuGraphAddDependencies)"),
                            Not(HasSubstr(name(2)))));
}

TEST_F(GraphRaces, LaunchesAreOrderedByStreams) {
  addUse(0, {}, {0, 8});
  CUgraphExec exec = instantiate(), twin = instantiate();
  // One executable graph follows itself.
  for (CUstream stream : {first, first, second})
    EXPECT_EQ(driver->cuGraphLaunch(exec, stream), CUDA_SUCCESS);
  readIn(second, 1);
  EXPECT_EQ(take(), "");
  EXPECT_EQ(driver->cuGraphLaunch(exec, first), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphLaunch(twin, second), CUDA_SUCCESS);
  EXPECT_THAT(take(), AllOf(HasSubstr("node of graph launch"),
                            HasSubstr("cuStreamWaitEvent")));
  EXPECT_EQ(driver->cuGraphLaunch(exec, first), CUDA_SUCCESS);
  readIn(second, 2);
  EXPECT_THAT(take(), HasSubstr(name(2)));
  for (CUgraphExec one : {exec, twin})
    EXPECT_EQ(driver->cuGraphExecDestroy(one), CUDA_SUCCESS);
}

TEST_F(GraphRaces, ALaunchComesAfterAllOfItsStream) {
  addUse(0, {0, 8}, {});
  CUgraphExec exec = instantiate();
  writeIn(first, 1);
  EXPECT_EQ(driver->cuGraphLaunch(exec, first), CUDA_SUCCESS);
  writeIn(first, 2);
  CUevent written = record(first);
  wait(second, written);
  EXPECT_EQ(driver->cuGraphLaunch(exec, second), CUDA_SUCCESS);
  EXPECT_EQ(take(), "");
  writeIn(first, 3);
  EXPECT_EQ(driver->cuGraphLaunch(exec, second), CUDA_SUCCESS);
  EXPECT_THAT(take(), HasSubstr(name(3)));
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
}

TEST_F(GraphRaces, CapturesKeepTheirOrder) {
  for (bool isOrdered : {true, false}) {
    ASSERT_EQ(
        driver->cuStreamBeginCapture_v2(first, CU_STREAM_CAPTURE_MODE_GLOBAL),
        CUDA_SUCCESS);
    CUevent fork = record(first);
    wait(second, fork);
    writeIn(first, isOrdered);
    if (isOrdered)
      wait(second, record(first));
    readIn(second, 2 + isOrdered);
    wait(first, record(second));
    CUgraph captured = nullptr;
    ASSERT_EQ(driver->cuStreamEndCapture(first, &captured), CUDA_SUCCESS);
    runOnce(captured);
    if (isOrdered)
      EXPECT_EQ(take(), "");
    else
      EXPECT_THAT(take(), AllOf(HasSubstr(name(0)), HasSubstr(name(2))));
    EXPECT_EQ(driver->cuGraphDestroy(captured), CUDA_SUCCESS);
  }
}

TEST_F(GraphRaces, GraphsInsideAreOrderedByTheirNode) {
  CUgraph outer = nullptr;
  ASSERT_EQ(driver->cuGraphCreate(&outer, 0), CUDA_SUCCESS);
  addUse(0, {}, {0, 8});
  CUgraphNode inside = nullptr, again = nullptr;
  ASSERT_EQ(driver->cuGraphAddChildGraphNode(&inside, outer, nullptr, 0, graph),
            CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphAddChildGraphNode(&again, outer, &inside, 1, graph),
            CUDA_SUCCESS);
  runOnce(outer);
  EXPECT_EQ(take(), "");
  ASSERT_EQ(driver->cuGraphAddChildGraphNode(&again, outer, nullptr, 0, graph),
            CUDA_SUCCESS);
  runOnce(outer);
  EXPECT_THAT(take(), HasSubstr("kernel '" + name(0)));
  EXPECT_EQ(driver->cuGraphDestroy(outer), CUDA_SUCCESS);
}

namespace {

const char messengers[] = R"(
.version 7.0
.target sm_80
.address_size 64
// Stores 7 at p[1], then releases p[0].
.visible .entry send(.param .u64 p)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
  st.global.u32 [%rd1+4], 7;
  st.release.gpu.global.u32 [%rd1], 1;
  ret;
}
// Acquires p[0] until it is 1, then copies p[1] to p[2].
.visible .entry receive(.param .u64 p)
{
  .reg .pred %p<2>; .reg .b32 %r<3>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [p];
WAIT:
  ld.acquire.gpu.global.u32 %r1, [%rd1];
  setp.ne.u32 %p1, %r1, 1;
  @%p1 bra WAIT;
  ld.global.u32 %r2, [%rd1+4];
  st.global.u32 [%rd1+8], %r2;
  ret;
}
)";

} // namespace

TEST_F(StreamRaces, KernelsOrderThemselvesByAcquireAndRelease) {
  ASSERT_EQ(driver->cuModuleLoadData(&loaded, messengers), CUDA_SUCCESS)
      << report();
  for (bool receivesFirst : {false, true}) {
    ASSERT_EQ(driver->cuMemsetD32_v2(buffer, 0, words), CUDA_SUCCESS);
    ASSERT_EQ(driver->cuCtxSynchronize(), CUDA_SUCCESS);
    void *values[] = {&buffer};
    for (bool receives : {receivesFirst, !receivesFirst})
      ASSERT_EQ(driver->cuLaunchKernel(
                    get(loaded, receives ? "receive" : "send"), 1, 1, 1, 1, 1,
                    1, 0, receives ? second : first, values, nullptr),
                CUDA_SUCCESS)
          << report();
    EXPECT_EQ(take(), "");
    EXPECT_EQ(reinterpret_cast<unsigned *>(uintptr_t(buffer))[2], 7u);
  }
}
