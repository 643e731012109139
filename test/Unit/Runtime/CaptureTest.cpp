//===- CaptureTest.cpp - Stream capture of the emulated driver ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is captured is not done until its graph is launched; events fork and
// join streams; and what CUDA refuses meanwhile.
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"

#include <set>
#include <thread>

using namespace tc::runtime;
using namespace tc::runtime::test;

namespace {

using Numbers = std::vector<unsigned>;

class Captures : public Graphs {
protected:
  void begin(CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    ASSERT_EQ(driver->cuStreamBeginCapture_v2(first, mode), CUDA_SUCCESS)
        << report();
  }
  CUgraph end() {
    CUgraph captured = nullptr;
    EXPECT_EQ(driver->cuStreamEndCapture(first, &captured), CUDA_SUCCESS)
        << report();
    return captured;
  }
  /// The capture fails for that reason.
  void endWith(CUresult reason) {
    CUgraph captured = graph;
    EXPECT_EQ(driver->cuStreamEndCapture(first, &captured), reason) << report();
    EXPECT_EQ(captured, nullptr);
    // The stream can be used again.
    EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_SUCCESS) << report();
  }
  CUstreamCaptureStatus getStatus(CUstream stream) {
    CUstreamCaptureStatus status = -1;
    EXPECT_EQ(driver->cuStreamIsCapturing(stream, &status), CUDA_SUCCESS)
        << report();
    return status;
  }
  CUevent record(CUstream stream) {
    CUevent event = makeEvent();
    EXPECT_EQ(driver->cuEventRecord(event, stream), CUDA_SUCCESS) << report();
    return event;
  }
  void wait(CUstream stream, CUevent event) {
    EXPECT_EQ(driver->cuStreamWaitEvent(stream, event, 0), CUDA_SUCCESS)
        << report();
  }
  size_t count(CUgraph of) {
    size_t nodes = 0;
    EXPECT_EQ(driver->cuGraphGetNodes(of, nullptr, &nodes), CUDA_SUCCESS);
    return nodes;
  }
};

} // namespace

TEST_F(Captures, NothingIsDoneBeforeTheLaunch) {
  begin();
  launchIn(first, 1);
  launchIn(first, 2);
  unsigned three = 3;
  ASSERT_EQ(driver->cuMemsetD32Async(value, three, 1, first), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuMemcpyDtoDAsync_v2(log + 128, value, 4, first),
            CUDA_SUCCESS);
  ASSERT_EQ(
      driver->cuLaunchHostFunc(
          first, [](void *data) { ++*static_cast<unsigned *>(data); }, &three),
      CUDA_SUCCESS);
  EXPECT_EQ(getStatus(first), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(getStatus(second), CU_STREAM_CAPTURE_STATUS_NONE);
  CUgraph captured = end();
  EXPECT_EQ(getStatus(first), CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(read(), Numbers());
  EXPECT_EQ(count(captured), 5u);
  CUgraphExec exec = instantiate(captured);
  EXPECT_EQ(driver->cuGraphDestroy(captured), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_SUCCESS) << report();
  EXPECT_EQ(run(exec), CUDA_SUCCESS) << report();
  EXPECT_EQ(read(), (Numbers{1, 2, 1, 2}));
  EXPECT_EQ(peek(), 3u);
  EXPECT_EQ(three, 5u);
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
}

TEST_F(Captures, EventsForkAndJoinStreams) {
  begin();
  launchIn(first, 1);
  wait(second, record(first));
  EXPECT_EQ(getStatus(second), CU_STREAM_CAPTURE_STATUS_ACTIVE);
  launchIn(first, 2);
  launchIn(second, 3);
  wait(first, record(second));
  launchIn(first, 4);
  CUgraph captured = end();
  EXPECT_EQ(getStatus(second), CU_STREAM_CAPTURE_STATUS_NONE);
  size_t edges = 0;
  EXPECT_EQ(driver->cuGraphGetEdges(captured, nullptr, nullptr, &edges),
            CUDA_SUCCESS);
  EXPECT_EQ(edges, 4u);
  std::set<Numbers> seen;
  for (int seed = 1; seed <= 8; ++seed) {
    schedule(("random:" + std::to_string(seed)).c_str());
    clear();
    runOnce(captured);
    seen.insert(read());
  }
  EXPECT_EQ(seen, (std::set<Numbers>{{1, 2, 3, 4}, {1, 3, 2, 4}}));
  EXPECT_EQ(driver->cuGraphDestroy(captured), CUDA_SUCCESS);
}

TEST_F(Captures, TellsOfItself) {
  begin();
  launchIn(first, 1);
  CUstreamCaptureStatus status = -1;
  uint64_t id = 0, other = 0;
  CUgraph inside = nullptr;
  const CUgraphNode *after = nullptr;
  size_t nodes = 0;
  ASSERT_EQ(driver->cuStreamGetCaptureInfo_v2(first, &status, &id, &inside,
                                              &after, &nodes),
            CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  ASSERT_EQ(nodes, 1u);
  // A node made by hand, which the next one comes after.
  CUgraph outer = std::exchange(graph, inside);
  CUgraphNode own = add(2, {after[0]});
  graph = outer;
  ASSERT_EQ(driver->cuStreamUpdateCaptureDependencies(
                first, &own, 1, CU_STREAM_SET_CAPTURE_DEPENDENCIES),
            CUDA_SUCCESS)
      << report();
  launchIn(first, 3);
  CUgraph captured = end();
  EXPECT_EQ(captured, inside);
  schedule("adversarial:5");
  runOnce(captured);
  EXPECT_EQ(read(), (Numbers{1, 2, 3}));
  begin();
  ASSERT_EQ(driver->cuStreamGetCaptureInfo(first, &status, &other),
            CUDA_SUCCESS);
  EXPECT_NE(id, other);
  EXPECT_EQ(driver->cuGraphDestroy(end()), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphDestroy(captured), CUDA_SUCCESS);
}

TEST_F(Captures, IntoAGraphThatIsThere) {
  CUgraphNode start = add(1);
  ASSERT_EQ(driver->cuStreamBeginCaptureToGraph(first, graph, &start, nullptr,
                                                1,
                                                CU_STREAM_CAPTURE_MODE_RELAXED),
            CUDA_SUCCESS)
      << report();
  launchIn(first, 2);
  EXPECT_EQ(end(), graph);
  schedule("adversarial:2");
  runOnce();
  EXPECT_EQ(read(), (Numbers{1, 2}));
}

TEST_F(Captures, AGraphLaunchIsAGraphInside) {
  add(2);
  CUgraphExec exec = instantiate();
  begin();
  launchIn(first, 1);
  ASSERT_EQ(driver->cuGraphLaunch(exec, first), CUDA_SUCCESS);
  launchIn(first, 3);
  CUgraph captured = end();
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(read(), Numbers());
  runOnce(captured);
  EXPECT_EQ(read(), (Numbers{1, 2, 3}));
  EXPECT_EQ(driver->cuGraphDestroy(captured), CUDA_SUCCESS);
}

TEST_F(Captures, MemoryInStreamOrderIsAllocatedByNodes) {
  begin();
  CUdeviceptr memory = 0;
  ASSERT_EQ(driver->cuMemAllocAsync(&memory, 4, first), CUDA_SUCCESS)
      << report();
  ASSERT_EQ(driver->cuMemsetD32Async(memory, 6, 1, first), CUDA_SUCCESS)
      << report();
  ASSERT_EQ(driver->cuMemcpyDtoDAsync_v2(value, memory, 4, first),
            CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemFreeAsync(memory, first), CUDA_SUCCESS) << report();
  CUgraph captured = end();
  EXPECT_EQ(count(captured), 4u);
  runOnce(captured);
  runOnce(captured);
  EXPECT_EQ(peek(), 6u);
  EXPECT_EQ(driver->cuGraphDestroy(captured), CUDA_SUCCESS);
}

TEST_F(Captures, ExternalEventsAreNodes) {
  CUevent event = makeEvent();
  begin();
  launchIn(first, 1);
  ASSERT_EQ(
      driver->cuEventRecordWithFlags(event, first, CU_EVENT_RECORD_EXTERNAL),
      CUDA_SUCCESS);
  CUgraph captured = end();
  EXPECT_EQ(count(captured), 2u);
  runOnce(captured);
  EXPECT_EQ(driver->cuEventQuery(event), CUDA_SUCCESS) << report();
  EXPECT_EQ(driver->cuGraphDestroy(captured), CUDA_SUCCESS);
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

TEST_F(Captures, ABranchMustBeJoined) {
  begin();
  wait(second, record(first));
  launchIn(second, 1);
  endWith(CUDA_ERROR_STREAM_CAPTURE_UNJOINED);
}

TEST_F(Captures, EndsWhereItBegan) {
  CUgraph captured = nullptr;
  EXPECT_EQ(driver->cuStreamEndCapture(first, &captured),
            CUDA_ERROR_ILLEGAL_STATE);
  begin();
  EXPECT_EQ(driver->cuStreamBeginCapture_v2(first, 0),
            CUDA_ERROR_ILLEGAL_STATE);
  std::thread([&] {
    ASSERT_EQ(driver->cuCtxSetCurrent(context), CUDA_SUCCESS);
    EXPECT_EQ(driver->cuStreamEndCapture(first, &captured),
              CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD);
  }).join();
  wait(second, record(first));
  EXPECT_EQ(driver->cuStreamEndCapture(second, &captured),
            CUDA_ERROR_STREAM_CAPTURE_UNMATCHED);
  endWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}

TEST_F(Captures, TheLegacyStreamIsNotCaptured) {
  EXPECT_EQ(driver->cuStreamBeginCapture_v2(nullptr, 0),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  // Nor does it have work while it would wait for a captured stream.
  CUstream blocking = nullptr;
  ASSERT_EQ(driver->cuStreamCreate(&blocking, 0), CUDA_SUCCESS);
  std::swap(first, blocking);
  begin();
  EXPECT_EQ(driver->cuMemsetD32Async(value, 1, 1, nullptr),
            CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(getStatus(first), CU_STREAM_CAPTURE_STATUS_INVALIDATED);
  endWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  std::swap(first, blocking);
  begin();
  EXPECT_EQ(driver->cuMemsetD32Async(value, 1, 1, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphDestroy(end()), CUDA_SUCCESS);
}

TEST_F(Captures, NobodyWaitsForWhatIsCaptured) {
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  CUevent event = record(first);
  EXPECT_EQ(driver->cuEventQuery(event), CUDA_ERROR_CAPTURED_EVENT);
  endWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(driver->cuEventSynchronize(event), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(driver->cuStreamWaitEvent(first, event, 0),
            CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(driver->cuEventRecord(event, first), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuEventSynchronize(event), CUDA_SUCCESS);
  for (auto *call : {driver->cuStreamSynchronize, driver->cuStreamQuery}) {
    begin(CU_STREAM_CAPTURE_MODE_RELAXED);
    EXPECT_EQ(call(first), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    endWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  }
}

TEST_F(Captures, ModesForbidCallsThatMayWait) {
  CUdeviceptr address = 0;
  begin();
  EXPECT_EQ(driver->cuMemAlloc_v2(&address, 4),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  endWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin();
  EXPECT_EQ(driver->cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  endWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(driver->cuMemAlloc_v2(&address, 4), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphDestroy(end()), CUDA_SUCCESS);

  auto allocateElsewhere = [&] {
    CUresult result = CUDA_SUCCESS;
    std::thread([&] {
      EXPECT_EQ(driver->cuCtxSetCurrent(context), CUDA_SUCCESS);
      result = driver->cuMemAlloc_v2(&address, 4);
    }).join();
    return result;
  };
  begin(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(allocateElsewhere(), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphDestroy(end()), CUDA_SUCCESS);
  begin();
  EXPECT_EQ(allocateElsewhere(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  endWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  // A thread may say that it knows what it does.
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  ASSERT_EQ(driver->cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_GLOBAL);
  begin();
  EXPECT_EQ(driver->cuMemAlloc_v2(&address, 4), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphDestroy(end()), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuThreadExchangeStreamCaptureMode(&mode), CUDA_SUCCESS);
  EXPECT_EQ(mode, CU_STREAM_CAPTURE_MODE_RELAXED);
}

TEST_F(Captures, DependenciesDoNotCrossItsBorder) {
  CUevent outside = record(second);
  begin();
  EXPECT_EQ(driver->cuStreamWaitEvent(first, outside, 0),
            CUDA_ERROR_STREAM_CAPTURE_ISOLATION);
  unsigned number = 1;
  void *values[] = {&log, &number};
  EXPECT_EQ(driver->cuLaunchKernel(append, 1, 1, 1, 1, 1, 1, 0, first, values,
                                   nullptr),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  endWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);

  begin();
  ASSERT_EQ(driver->cuStreamBeginCapture_v2(second, 0), CUDA_SUCCESS);
  CUevent other = record(second);
  EXPECT_EQ(driver->cuStreamWaitEvent(first, other, 0),
            CUDA_ERROR_STREAM_CAPTURE_MERGE);
  CUgraph captured = nullptr;
  EXPECT_EQ(driver->cuStreamEndCapture(second, &captured),
            CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  endWith(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
}
