//===- ConditionalTest.cpp - Nodes that choose between graphs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditional nodes: which of their graphs run, and how often, in every order;
// that what comes after them waits for these; and what is refused.
//
//===----------------------------------------------------------------------===//

#include "StreamRaces.h"

using namespace tc::runtime;
using namespace tc::runtime::test;
using testing::HasSubstr;

namespace {

using Numbers = std::vector<unsigned>;

const char setters[] = R"(
.version 7.0
.target sm_80
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 h, .param .b32 v);
// The condition h becomes v.
.visible .entry choose(.param .u64 h, .param .u32 v)
{
  .reg .b32 %r<2>; .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [h];
  ld.param.u32 %r1, [v];
  .param .b64 first; .param .b32 second;
  st.param.b64 [first], %rd1;
  st.param.b32 [second], %r1;
  call cudaGraphSetConditional, (first, second);
  ret;
}
// Adds n to *p, and h becomes the sum.
.visible .entry count(.param .u64 p, .param .u32 n, .param .u64 h)
{
  .reg .b32 %r<4>; .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd2, [h];
  ld.global.u32 %r2, [%rd1];
  add.u32 %r3, %r1, %r2;
  st.global.u32 [%rd1], %r3;
  .param .b64 first; .param .b32 second;
  st.param.b64 [first], %rd2;
  st.param.b32 [second], %r3;
  call cudaGraphSetConditional, (first, second);
  ret;
}
)";

class Conditional : public StreamRaces {
protected:
  using Handle = CUgraphConditionalHandle;

  void SetUp() override {
    StreamRaces::SetUp();
    CUmodule made = nullptr;
    ASSERT_EQ(driver->cuModuleLoadData(&made, setters), CUDA_SUCCESS)
        << report();
    chooser = get(made, "choose");
    counter = get(made, "count");
  }
  /// A condition with a default, or without one.
  Handle make(std::optional<unsigned> initial = std::nullopt) {
    Handle handle = 0;
    EXPECT_EQ(driver->cuGraphConditionalHandleCreate(
                  &handle, graph, context, initial.value_or(0),
                  initial ? CU_GRAPH_COND_ASSIGN_DEFAULT : 0),
              CUDA_SUCCESS)
        << report();
    return handle;
  }
  CUresult tryToAdd(CUgraphNode &node, CUgraphNodeParams &parameters,
                    Handle handle, CUgraphConditionalNodeType type,
                    unsigned size, const Nodes &after = {}) {
    parameters = {};
    parameters.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    parameters.conditional = {handle, type, size, nullptr, context};
    return driver->cuGraphAddNode(&node, graph, after.data(), after.size(),
                                  &parameters);
  }
  /// The node, and the graphs that it chooses from.
  std::pair<CUgraphNode, std::vector<CUgraph>>
  addConditional(Handle handle, CUgraphConditionalNodeType type,
                 unsigned size = 1, const Nodes &after = {}) {
    CUgraphNode node = nullptr;
    CUgraphNodeParams parameters;
    EXPECT_EQ(tryToAdd(node, parameters, handle, type, size, after),
              CUDA_SUCCESS)
        << report();
    CUgraph *bodies = parameters.conditional.phGraph_out;
    return {node, {bodies, bodies + size}};
  }
  /// What `fill` adds goes into another graph.
  template <typename Fill>
  void in(CUgraph other, Fill fill) {
    std::swap(graph, other);
    fill();
    std::swap(graph, other);
  }
  CUgraphNode addCount(unsigned number, Handle handle,
                       const Nodes &after = {}) {
    CUgraphNode node = nullptr;
    void *values[] = {&value, &number, &handle};
    CUDA_KERNEL_NODE_PARAMS_v2 parameters = makeKernel(counter, values);
    EXPECT_EQ(driver->cuGraphAddKernelNode_v2(&node, graph, after.data(),
                                              after.size(), &parameters),
              CUDA_SUCCESS)
        << report();
    return node;
  }
  CUresult instantiateOnly() {
    CUgraphExec exec = nullptr;
    return driver->cuGraphInstantiateWithFlags(&exec, graph, 0);
  }

  CUfunction chooser = nullptr, counter = nullptr;
};

const char *const orders[] = {"deterministic", "random:1", "random:2",
                              "adversarial:7", "adversarial:8"};

} // namespace

TEST_F(Conditional, WhileRunsItsGraphUntilTheConditionIsZero) {
  Handle handle = make(1);
  CUgraphNode start = addKernel(next, value, 3); // *value = 3
  auto [loop, bodies] =
      addConditional(handle, CU_GRAPH_COND_TYPE_WHILE, 1, {start});
  in(bodies[0], [&] { addCount(-1u, handle, {add(1)}); });
  add(2, {loop});
  CUgraphExec exec = instantiate();
  for (const char *order : orders) {
    schedule(order);
    for (int i = 0; i != 2; ++i) {
      clear();
      EXPECT_EQ(run(exec), CUDA_SUCCESS) << report();
      EXPECT_EQ(read(), (Numbers{1, 1, 1, 2})) << order;
    }
  }
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(take(), "");
}

TEST_F(Conditional, IfAndSwitchRunOneGraphOrNone) {
  Handle ifHandle = make(), switchHandle = make();
  CUgraphNode set = addKernel(chooser, ifHandle, 0);
  CUgraphNode setOther = addKernel(chooser, switchHandle, 0, {set});
  auto [first, either] =
      addConditional(ifHandle, CU_GRAPH_COND_TYPE_IF, 2, {setOther});
  in(either[0], [&] { add(10); });
  in(either[1], [&] { add(11); });
  auto [second, some] =
      addConditional(switchHandle, CU_GRAPH_COND_TYPE_SWITCH, 3, {first});
  for (unsigned i = 0; i != 3; ++i)
    in(some[i], [&] { add(20 + i); });
  add(30, {second});
  CUgraphExec exec = instantiate();
  auto setTo = [&](CUgraphNode node, Handle handle, unsigned number) {
    void *values[] = {&handle, &number};
    CUDA_KERNEL_NODE_PARAMS_v2 parameters = makeKernel(chooser, values);
    EXPECT_EQ(
        driver->cuGraphExecKernelNodeSetParams_v2(exec, node, &parameters),
        CUDA_SUCCESS)
        << report();
  };
  for (const char *order : orders)
    for (unsigned chosen : {0u, 1u, 2u, 3u, 77u}) {
      schedule(order);
      clear();
      setTo(set, ifHandle, chosen);
      setTo(setOther, switchHandle, chosen);
      EXPECT_EQ(run(exec), CUDA_SUCCESS) << report();
      Numbers expected = {chosen ? 10u : 11u};
      if (chosen < 3)
        expected.push_back(20 + chosen);
      expected.push_back(30);
      EXPECT_EQ(read(), expected) << order << ", " << chosen;
    }
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(take(), "");
}

// Two rounds, each of which runs an inner loop of three.
TEST_F(Conditional, LoopsMayBeNested) {
  Handle outer = make(1);
  auto [loop, bodies] = addConditional(outer, CU_GRAPH_COND_TYPE_WHILE);
  CUdeviceptr rounds = allocate(4);
  ASSERT_EQ(driver->cuMemsetD32_v2(rounds, 2, 1), CUDA_SUCCESS);
  ASSERT_EQ(driver->cuCtxSynchronize(), CUDA_SUCCESS);
  in(bodies[0], [&] {
    Handle inner = make();
    CUgraphNode start = addKernel(next, value, 3);
    CUgraphNode enter = addKernel(chooser, inner, 1, {start});
    auto [nested, insides] =
        addConditional(inner, CU_GRAPH_COND_TYPE_WHILE, 1, {enter});
    in(insides[0], [&] { addCount(-1u, inner, {add(1)}); });
    CUgraphNode end = add(2, {nested});
    std::swap(value, rounds);
    addCount(-1u, outer, {end});
    std::swap(value, rounds);
  });
  runOnce();
  EXPECT_EQ(read(), (Numbers{1, 1, 1, 2, 1, 1, 1, 2}));
  EXPECT_EQ(take(), "");
}

TEST_F(Conditional, WithoutADefaultTheValueStays) {
  Handle handle = make();
  auto [node, bodies] = addConditional(handle, CU_GRAPH_COND_TYPE_IF);
  in(bodies[0], [&] { add(1); });
  addKernel(chooser, handle, 1, {node});
  CUgraphExec exec = instantiate();
  EXPECT_EQ(run(exec), CUDA_SUCCESS) << report();
  EXPECT_EQ(read(), Numbers());
  EXPECT_EQ(run(exec), CUDA_SUCCESS) << report();
  EXPECT_EQ(read(), Numbers{1});
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
}

TEST_F(Conditional, WhatIsNotOrderedIsARace) {
  Handle handle = make(1);
  addKernel(chooser, handle, 1); // and no edge to the node
  auto [node, bodies] = addConditional(handle, CU_GRAPH_COND_TYPE_IF);
  in(bodies[0], [&] { addKernel(next, value, 1); });
  runOnce();
  EXPECT_THAT(take(), HasSubstr("conditional node of graph launch"));
  // What is chosen is not ordered with what the node is not ordered with.
  addKernel(next, value, 2);
  runOnce();
  EXPECT_THAT(take(), HasSubstr("kernel 'next'"));
}

TEST_F(Conditional, AnUpdateTakesTheNewHandle) {
  auto fill = [&](unsigned number) {
    Handle handle = make();
    CUgraphNode set = addKernel(chooser, handle, 1);
    auto [node, bodies] =
        addConditional(handle, CU_GRAPH_COND_TYPE_IF, 1, {set});
    in(bodies[0], [&] { add(number); });
  };
  fill(1);
  CUgraphExec exec = instantiate();
  CUgraph original = graph;
  ASSERT_EQ(driver->cuGraphCreate(&graph, 0), CUDA_SUCCESS);
  fill(2);
  EXPECT_EQ(driver->cuGraphDestroy(original), CUDA_SUCCESS);
  CUgraphExecUpdateResultInfo info = {};
  EXPECT_EQ(driver->cuGraphExecUpdate_v2(exec, graph, &info), CUDA_SUCCESS)
      << report();
  EXPECT_EQ(run(exec), CUDA_SUCCESS) << report();
  EXPECT_EQ(read(), Numbers{2});
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
}

TEST_F(Conditional, RefusesWhatADeviceWould) {
  CUgraphNode node = nullptr;
  CUgraphNodeParams parameters;
  EXPECT_EQ(tryToAdd(node, parameters, value, CU_GRAPH_COND_TYPE_IF, 1),
            CUDA_ERROR_INVALID_VALUE); // no handle
  EXPECT_THAT(report(), HasSubstr("cuGraphConditionalHandleCreate"));
  Handle handle = make(0);
  EXPECT_EQ(tryToAdd(node, parameters, handle, CU_GRAPH_COND_TYPE_IF, 3),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(tryToAdd(node, parameters, handle, CU_GRAPH_COND_TYPE_WHILE, 2),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(tryToAdd(node, parameters, handle, 3, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(tryToAdd(node, parameters, handle, CU_GRAPH_COND_TYPE_SWITCH, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(
      driver->cuGraphConditionalHandleCreate(&handle, graph, context, 0, 2),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(instantiateOnly(), CUDA_ERROR_INVALID_VALUE); // without its node
  auto [first, bodies] = addConditional(handle, CU_GRAPH_COND_TYPE_IF);
  auto [again, others] = addConditional(handle, CU_GRAPH_COND_TYPE_IF);
  EXPECT_EQ(instantiateOnly(), CUDA_ERROR_INVALID_VALUE); // the same handle
  ASSERT_EQ(driver->cuGraphDestroyNode(again), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphDestroy(bodies[0]), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver->cuGraphNodeSetParams(first, &parameters),
            CUDA_ERROR_NOT_SUPPORTED);
  CUgraph clone = nullptr;
  EXPECT_EQ(driver->cuGraphClone(&clone, graph), CUDA_ERROR_NOT_SUPPORTED);
  CUgraph parent = nullptr;
  ASSERT_EQ(driver->cuGraphCreate(&parent, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver->cuGraphAddChildGraphNode(&node, parent, nullptr, 0, graph),
            CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(driver->cuGraphDestroy(parent), CUDA_SUCCESS);
  CUgraphExec exec = instantiate();
  EXPECT_EQ(instantiateOnly(), CUDA_ERROR_NOT_SUPPORTED); // a second instance
  EXPECT_EQ(driver->cuGraphExecDestroy(exec), CUDA_SUCCESS);
  CUgraphNode record = nullptr;
  ASSERT_EQ(driver->cuGraphAddEventRecordNode(&record, bodies[0], nullptr, 0,
                                              makeEvent()),
            CUDA_SUCCESS);
  EXPECT_EQ(instantiateOnly(), CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(report(), HasSubstr("got a node of type 7"));
}

TEST_F(Conditional, AKernelNeedsAHandle) {
  set("checks", "bounds");
  void *values[] = {&buffer, &buffer};
  ASSERT_EQ(driver->cuLaunchKernel(chooser, 1, 1, 1, 1, 1, 1, 0, first, values,
                                   nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(driver->cuStreamSynchronize(first), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_THAT(report(),
              HasSubstr("expected a handle of cuGraphConditionalHandleCreate"));
}
