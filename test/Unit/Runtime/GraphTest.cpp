//===- GraphTest.cpp - CUDA graphs of the emulated driver -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs made node by node: what each kind of node does, in which orders,
// and what is refused.
//
//===----------------------------------------------------------------------===//

#include "Graphs.h"

#include <algorithm>
#include <fstream>
#include <set>
#include <sstream>

using namespace tc::runtime;
using namespace tc::runtime::test;

namespace {
using Numbers = std::vector<unsigned>;
}

TEST_F(Graphs, NodesRunInTheOrderOfTheirEdges) {
  CUgraphNode last = add(3);
  CUgraphNode middle = add(2);
  CUgraphNode start = add(1);
  const CUgraphNode from[] = {start, middle}, to[] = {middle, last};
  ASSERT_EQ(driver->cuGraphAddDependencies(graph, from, to, 2), CUDA_SUCCESS);
  for (const char *order : {"deterministic", "random:1", "adversarial:7"}) {
    schedule(order);
    clear();
    runOnce();
    EXPECT_EQ(read(), (Numbers{1, 2, 3})) << order;
  }
}

TEST_F(Graphs, NodesWithoutAPathRunInAnyOrderBySeed) {
  CUgraphNode start = add(1);
  CUgraphNode left = add(2, {start}), right = add(3, {start});
  add(4, {left, right});
  std::set<Numbers> seen;
  for (int seed = 1; seed <= 8; ++seed) {
    schedule(("adversarial:" + std::to_string(seed)).c_str());
    clear();
    runOnce();
    seen.insert(read());
  }
  EXPECT_EQ(seen, (std::set<Numbers>{{1, 2, 3, 4}, {1, 3, 2, 4}}));
}

TEST_F(Graphs, EveryKindOfNode) {
  CUdeviceptr copy = allocate(4);
  CUgraphNode fill, kernel, move, host, empty;
  CUDA_MEMSET_NODE_PARAMS_v1 five = {value, 0, 5, 4, 1, 1};
  ASSERT_EQ(
      driver->cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &five, context),
      CUDA_SUCCESS)
      << report();
  kernel = addKernel(next, value, 1, {fill});
  CUDA_MEMCPY3D bytes = {};
  bytes.srcMemoryType = bytes.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  bytes.srcDevice = value;
  bytes.dstDevice = copy;
  bytes.WidthInBytes = 4;
  bytes.Height = bytes.Depth = 1;
  ASSERT_EQ(
      driver->cuGraphAddMemcpyNode(&move, graph, &kernel, 1, &bytes, context),
      CUDA_SUCCESS)
      << report();
  unsigned got = 0;
  std::pair<CUdeviceptr, unsigned *> places = {copy, &got};
  CUDA_HOST_NODE_PARAMS_v1 look = {
      [](void *data) {
        auto [from, to] = *static_cast<decltype(places) *>(data);
        *to = *reinterpret_cast<unsigned *>(uintptr_t(from));
      },
      &places};
  ASSERT_EQ(driver->cuGraphAddHostNode(&host, graph, &move, 1, &look),
            CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphAddEmptyNode(&empty, graph, &host, 1), CUDA_SUCCESS);
  runOnce();
  EXPECT_EQ(got, 11u);

  CUgraphNodeType type = -1;
  EXPECT_EQ(driver->cuGraphNodeGetType(move, &type), CUDA_SUCCESS);
  EXPECT_EQ(type, CU_GRAPH_NODE_TYPE_MEMCPY);
  CUDA_MEMSET_NODE_PARAMS_v1 told = {};
  EXPECT_EQ(driver->cuGraphMemsetNodeGetParams(fill, &told), CUDA_SUCCESS);
  EXPECT_EQ(told.value, 5u);
  EXPECT_EQ(driver->cuGraphMemsetNodeGetParams(move, &told),
            CUDA_ERROR_INVALID_VALUE);
  CUDA_KERNEL_NODE_PARAMS_v1 launched = {};
  EXPECT_EQ(driver->cuGraphKernelNodeGetParams(kernel, &launched),
            CUDA_SUCCESS);
  EXPECT_EQ(launched.func, next);
  EXPECT_EQ(*static_cast<unsigned *>(launched.kernelParams[1]), 1u);
}

TEST_F(Graphs, EventNodesWaitAndRecord) {
  CUevent before = makeEvent(), end = makeEvent();
  CUgraphNode wait, record;
  ASSERT_EQ(driver->cuGraphAddEventWaitNode(&wait, graph, nullptr, 0, before),
            CUDA_SUCCESS);
  CUgraphNode kernel = add(7, {wait});
  ASSERT_EQ(driver->cuGraphAddEventRecordNode(&record, graph, &kernel, 1, end),
            CUDA_SUCCESS);
  runOnce();
  EXPECT_EQ(driver->cuEventSynchronize(end), CUDA_SUCCESS);
  float milliseconds = -1;
  ASSERT_EQ(driver->cuEventRecord(before, first), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuEventElapsedTime(&milliseconds, end, before),
            CUDA_SUCCESS);
  EXPECT_GE(milliseconds, 0.0f);
  CUevent told = nullptr;
  EXPECT_EQ(driver->cuGraphEventRecordNodeGetEvent(record, &told),
            CUDA_SUCCESS);
  EXPECT_EQ(told, end);
}

TEST_F(Graphs, AGraphInsideIsOneNode) {
  CUgraph outer = graph;
  ASSERT_EQ(driver->cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUgraphNode inside = add(2);
  add(3, {inside});
  CUgraph inner = std::exchange(graph, outer);
  CUgraphNode start = add(1), child;
  ASSERT_EQ(driver->cuGraphAddChildGraphNode(&child, graph, &start, 1, inner),
            CUDA_SUCCESS);
  add(4, {child});
  // The node has a copy of it.
  EXPECT_EQ(driver->cuGraphDestroy(inner), CUDA_SUCCESS);
  schedule("adversarial:3");
  runOnce();
  EXPECT_EQ(read(), (Numbers{1, 2, 3, 4}));
  CUgraph own = nullptr;
  size_t count = 0;
  ASSERT_EQ(driver->cuGraphChildGraphNodeGetGraph(child, &own), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphGetNodes(own, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(driver->cuGraphDestroy(own), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, AnswersWhatIsThere) {
  CUgraphNode a = add(1), b = add(2, {a}), c = add(3, {a, b});
  size_t count = 8;
  CUgraphNode from[8], to[8];
  ASSERT_EQ(driver->cuGraphGetEdges(graph, from, to, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(from[0], a);
  EXPECT_EQ(to[2], c);
  EXPECT_EQ(from[3], nullptr);
  ASSERT_EQ(driver->cuGraphGetEdges(graph, nullptr, nullptr, &count),
            CUDA_SUCCESS);
  EXPECT_EQ(count, 3u);
  ASSERT_EQ(driver->cuGraphGetRootNodes(graph, from, &(count = 8)),
            CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  ASSERT_EQ(driver->cuGraphNodeGetDependencies(c, from, &(count = 8)),
            CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  ASSERT_EQ(driver->cuGraphNodeGetDependentNodes(a, from, &(count = 1)),
            CUDA_SUCCESS);
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(from[0], b);
  ASSERT_EQ(driver->cuGraphRemoveDependencies(graph, &b, &c, 1), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphRemoveDependencies(graph, &b, &c, 1),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver->cuGraphDestroyNode(b), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphGetNodes(graph, nullptr, &count), CUDA_SUCCESS);
  EXPECT_EQ(count, 2u);
  EXPECT_EQ(driver->cuGraphDestroyNode(b), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, ACloneIsApart) {
  CUgraphNode node = add(1), copy = nullptr;
  CUgraph clone = nullptr;
  ASSERT_EQ(driver->cuGraphClone(&clone, graph), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphNodeFindInClone(&copy, node, clone), CUDA_SUCCESS);
  EXPECT_NE(copy, node);
  unsigned two = 2;
  void *values[] = {&log, &two};
  CUDA_KERNEL_NODE_PARAMS_v2 other = makeKernel(append, values);
  ASSERT_EQ(driver->cuGraphKernelNodeSetParams_v2(copy, &other), CUDA_SUCCESS);
  runOnce(clone);
  runOnce();
  EXPECT_EQ(read(), (Numbers{2, 1}));
  EXPECT_EQ(driver->cuGraphNodeFindInClone(&node, copy, clone),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuGraphDestroy(clone), CUDA_SUCCESS);
}

TEST_F(Graphs, AnExecutableGraphHasParametersOfItsOwn) {
  CUgraphNode node = add(1);
  CUgraphExec exec = instantiate();
  unsigned two = 2;
  void *values[] = {&log, &two};
  CUDA_KERNEL_NODE_PARAMS_v2 other = makeKernel(append, values);
  ASSERT_EQ(driver->cuGraphExecKernelNodeSetParams_v2(exec, node, &other),
            CUDA_SUCCESS)
      << report();
  two = 9; // was read
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  runOnce();
  EXPECT_EQ(read(), (Numbers{2, 1}));

  unsigned isEnabled = 9;
  ASSERT_EQ(driver->cuGraphNodeSetEnabled(exec, node, 0), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphNodeGetEnabled(exec, node, &isEnabled),
            CUDA_SUCCESS);
  EXPECT_EQ(isEnabled, 0u);
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(read().size(), 2u);
  // The graph may go.
  CUDA_MEMSET_NODE_PARAMS_v1 fill = {value, 0, 5, 4, 1, 1};
  EXPECT_EQ(driver->cuGraphExecMemsetNodeSetParams(exec, node, &fill, context),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("expected parameters of a node of type 0"),
            std::string::npos)
      << report();
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphLaunch(exec, first), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Graphs, AnUpdateTakesParametersOfAGraphOfTheSameShape) {
  CUgraphNode start = add(1);
  add(2, {start});
  CUgraphExec exec = instantiate();
  CUgraph original = graph;
  ASSERT_EQ(driver->cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  CUgraphNode other = add(3);
  CUgraphExecUpdateResultInfo info = {};
  EXPECT_EQ(driver->cuGraphExecUpdate_v2(exec, graph, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_TOPOLOGY_CHANGED);
  CUgraphNode last = add(4);
  EXPECT_EQ(driver->cuGraphExecUpdate_v2(exec, graph, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE); // the edge is missing
  EXPECT_EQ(info.errorNode, last);
  ASSERT_EQ(driver->cuGraphAddDependencies(graph, &other, &last, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphExecUpdate_v2(exec, graph, &info), CUDA_SUCCESS)
      << report();
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  EXPECT_EQ(read(), (Numbers{3, 4}));
  ASSERT_EQ(driver->cuGraphDestroyNode(last), CUDA_SUCCESS);
  CUgraphNode empty = nullptr;
  ASSERT_EQ(driver->cuGraphAddEmptyNode(&empty, graph, &other, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphExecUpdate_v2(exec, graph, &info),
            CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE);
  EXPECT_EQ(info.result, CU_GRAPH_EXEC_UPDATE_ERROR_NODE_TYPE_CHANGED);
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphDestroy(original), CUDA_SUCCESS);
}

TEST_F(Graphs, RefusesWhatADeviceWould) {
  CUgraphNode a = add(1), b = add(2, {a}), node = nullptr;
  EXPECT_EQ(driver->cuGraphAddDependencies(graph, &a, &b, 1),
            CUDA_ERROR_INVALID_VALUE); // is there
  EXPECT_EQ(driver->cuGraphAddDependencies(graph, &a, &a, 1),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver->cuGraphAddDependencies(graph, &b, &a, 1), CUDA_SUCCESS);
  CUgraphExec exec = nullptr;
  EXPECT_EQ(driver->cuGraphInstantiateWithFlags(&exec, graph, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_NE(report().find("without cycles"), std::string::npos) << report();
  CUgraph other = nullptr;
  ASSERT_EQ(driver->cuGraphCreate(&other, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphAddEmptyNode(&node, other, &a, 1),
            CUDA_ERROR_INVALID_VALUE); // of another graph
  EXPECT_EQ(driver->cuGraphAddEmptyNode(&node, bad<CUgraph>(), nullptr, 0),
            CUDA_ERROR_INVALID_VALUE);
  void *none[] = {nullptr, nullptr};
  CUDA_KERNEL_NODE_PARAMS_v2 kernel = makeKernel(append, none);
  EXPECT_EQ(driver->cuGraphAddKernelNode_v2(&node, other, nullptr, 0, &kernel),
            CUDA_ERROR_INVALID_VALUE);
  kernel.blockDimX = 2000;
  EXPECT_EQ(driver->cuGraphAddKernelNode_v2(&node, other, nullptr, 0, &kernel),
            CUDA_ERROR_INVALID_VALUE);
  CUDA_MEMSET_NODE_PARAMS_v1 fill = {value, 0, 5, 4, 2, 1};
  EXPECT_EQ(
      driver->cuGraphAddMemsetNode(&node, other, nullptr, 0, &fill, context),
      CUDA_ERROR_INVALID_VALUE); // beyond the end
  CUgraphNodeParams semaphore = {};
  semaphore.type = 8;
  EXPECT_EQ(driver->cuGraphAddNode(&node, other, nullptr, 0, &semaphore),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraphNodeParams moved = {};
  moved.type = CU_GRAPH_NODE_TYPE_GRAPH;
  moved.graph = {other, 1};
  EXPECT_EQ(driver->cuGraphAddNode(&node, graph, nullptr, 0, &moved),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver->cuGraphDestroy(other), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphDestroy(other), CUDA_ERROR_INVALID_VALUE);
}

//===----------------------------------------------------------------------===//
// User objects
//===----------------------------------------------------------------------===//

namespace {
void count(void *times) { ++*static_cast<int *>(times); }
} // namespace

TEST_F(Graphs, UserObjectsLiveAsLongAsGraphsAndTheirLaunches) {
  schedule("random:1"); // work stays where it is until it is waited for
  int destroyed = 0;
  CUuserObject object;
  ASSERT_EQ(driver->cuUserObjectCreate(&object, &destroyed, count, 2, 1),
            CUDA_SUCCESS)
      << report();
  ASSERT_EQ(driver->cuGraphRetainUserObject(graph, object, 1, /*move=*/1),
            CUDA_SUCCESS);
  ASSERT_EQ(driver->cuUserObjectRelease(object, 1), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuUserObjectRelease(object, 1), CUDA_ERROR_INVALID_VALUE);
  add(1);
  CUgraph clone;
  ASSERT_EQ(driver->cuGraphClone(&clone, graph), CUDA_SUCCESS);
  CUgraphExec exec = instantiate();
  ASSERT_EQ(driver->cuGraphReleaseUserObject(graph, object, 1), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphReleaseUserObject(graph, object, 1),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver->cuGraphDestroy(clone), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphLaunch(exec, first), CUDA_SUCCESS) << report();
  ASSERT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 0);
  ASSERT_EQ(driver->cuCtxSynchronize(), CUDA_SUCCESS) << report();
  EXPECT_EQ(read(), Numbers{1});
  EXPECT_EQ(destroyed, 1);
}

TEST_F(Graphs, UserObjectsAreRefusedByWhatTheyLack) {
  int destroyed = 0;
  CUuserObject object = nullptr;
  EXPECT_EQ(driver->cuUserObjectCreate(&object, &destroyed, count, 0, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuUserObjectCreate(&object, &destroyed, count, 1, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuUserObjectCreate(&object, &destroyed, nullptr, 1, 1),
            CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(driver->cuUserObjectCreate(&object, &destroyed, count, 1, 1),
            CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphRetainUserObject(graph, object, 2, /*move=*/1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuGraphRetainUserObject(graph, object, 1, 2),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuUserObjectRetain(object, 2), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuUserObjectRelease(object, 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(destroyed, 0);
  EXPECT_EQ(driver->cuUserObjectRelease(object, 3), CUDA_SUCCESS);
  EXPECT_EQ(destroyed, 1);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

TEST_F(Graphs, NodesAllocateAndFree) {
  CUDA_MEM_ALLOC_NODE_PARAMS_v1 memory = {};
  memory.bytesize = 4;
  CUgraphNode allocation, release, fill;
  ASSERT_EQ(
      driver->cuGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &memory),
      CUDA_SUCCESS)
      << report();
  ASSERT_NE(memory.dptr, 0u);
  uint64_t used = 1;
  CUgraphNodeParams zero = {};
  zero.type = CU_GRAPH_NODE_TYPE_MEMSET;
  zero.memset = {memory.dptr, 0, 3, 4, 1, 1};
  ASSERT_EQ(driver->cuGraphAddNode(&fill, graph, &allocation, 1, &zero),
            CUDA_SUCCESS)
      << report();
  CUgraphNode kernel = addKernel(next, memory.dptr, 1, {fill});
  CUgraphExec kept = instantiate();
  ASSERT_EQ(
      driver->cuGraphAddMemFreeNode(&release, graph, &kernel, 1, memory.dptr),
      CUDA_SUCCESS);
  for (int i = 0; i < 3; ++i)
    runOnce();
  EXPECT_EQ(driver->cuDeviceGetGraphMemAttribute(0, 0, &used), CUDA_SUCCESS);
  EXPECT_EQ(used, 0u);
  // Without a node that frees, it is the program's to do.
  EXPECT_EQ(run(kept), CUDA_SUCCESS) << report();
  unsigned got = 0;
  EXPECT_EQ(driver->cuMemcpyDtoH_v2(&got, memory.dptr, 4), CUDA_SUCCESS);
  EXPECT_EQ(got, 7u);
  EXPECT_EQ(driver->cuGraphLaunch(kept, first), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuMemFree_v2(memory.dptr), CUDA_SUCCESS);
  EXPECT_EQ(run(kept), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuMemFreeAsync(memory.dptr, first), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphExecDestroy(kept), CUDA_SUCCESS);
}

TEST_F(Graphs, MemoryOfAGraphIsGoneOnceItIsFreed) {
  CUDA_MEM_ALLOC_NODE_PARAMS_v1 memory = {};
  memory.bytesize = 4;
  CUgraphNode allocation, release;
  ASSERT_EQ(
      driver->cuGraphAddMemAllocNode(&allocation, graph, nullptr, 0, &memory),
      CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphAddMemFreeNode(&release, graph, &allocation, 1,
                                          memory.dptr),
            CUDA_SUCCESS);
  addKernel(next, memory.dptr, 1, {release});
  EXPECT_EQ(run(instantiate()), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(report().find("freed"), std::string::npos) << report();
}

TEST_F(Graphs, ACopyToFreedMemoryIsAFault) {
  CUdeviceptr gone = allocate(4);
  CUgraphNode fill;
  CUDA_MEMSET_NODE_PARAMS_v1 five = {gone, 0, 5, 4, 1, 1};
  ASSERT_EQ(
      driver->cuGraphAddMemsetNode(&fill, graph, nullptr, 0, &five, context),
      CUDA_SUCCESS);
  CUgraphExec exec = instantiate();
  EXPECT_EQ(run(exec), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuMemFree_v2(gone), CUDA_SUCCESS);
  EXPECT_EQ(run(exec), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_NE(report().find("a fill of 4 bytes"), std::string::npos) << report();
}

//===----------------------------------------------------------------------===//
// Order with other work, and text
//===----------------------------------------------------------------------===//

TEST_F(Graphs, AStreamOrdersLaunches) {
  addKernel(next, value, 1);
  CUgraphExec exec = instantiate();
  unsigned five = 5;
  ASSERT_EQ(driver->cuMemsetD32Async(value, five, 1, first), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphUpload(exec, first), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphLaunch(exec, first), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuGraphLaunch(exec, first), CUDA_SUCCESS);
  void *values[] = {&value, &five};
  ASSERT_EQ(
      driver->cuLaunchKernel(next, 1, 1, 1, 1, 1, 1, 0, first, values, nullptr),
      CUDA_SUCCESS);
  // What was launched goes on without its executable graph.
  ASSERT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_SUCCESS) << report();
  EXPECT_EQ(peek(), 51u); // ((5 * 2 + 1) * 2 + 1) * 2 + 5
}

TEST_F(Graphs, WritesItselfForGraphviz) {
  CUgraphNode start = add(1), empty = nullptr;
  ASSERT_EQ(driver->cuGraphAddEmptyNode(&empty, graph, &start, 1),
            CUDA_SUCCESS);
  std::string path = testing::TempDir() + "graph.dot";
  ASSERT_EQ(driver->cuGraphDebugDotPrint(graph, path.c_str(), 0), CUDA_SUCCESS)
      << report();
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  for (const char *part : {"digraph", "append", "empty", " -> "})
    EXPECT_NE(text.str().find(part), std::string::npos) << text.str();
  EXPECT_EQ(driver->cuGraphDebugDotPrint(graph, "/nowhere/graph.dot", 0),
            CUDA_ERROR_OPERATING_SYSTEM);
}
