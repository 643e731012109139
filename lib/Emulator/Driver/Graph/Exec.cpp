//===- Exec.cpp - Executable graphs ---------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An executable graph is a clone of a graph that its nodes' parameters can
// still be changed in.
//
//===----------------------------------------------------------------------===//

#include "Graph/Conditional.h"
#include "Graph/Nodes.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

static CUresult checkStructure(Call &call, CUgraph handle) {
  const Graph &graph = *call.state.graphs.find(handle);
  if (sortNodes(call.state, graph).size() != graph.nodes.size())
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a graph without cycles");
  for (CUgraphNode node : graph.nodes)
    for (CUgraph inner : getGraphs(call.state.nodes.find(node)->step))
      if (CUresult bad = checkStructure(call, inner))
        return bad;
  return CUDA_SUCCESS;
}

/// A graph with conditional nodes may only have one instance at a time.
static CUresult checkInstances(Call &call, const Graph &graph, CUgraph handle) {
  bool hasInstance = false;
  call.state.execs.forEach([&](const GraphExec &exec) {
    hasInstance |= exec.number == graph.number;
  });
  return hasInstance ? checkNoConditions(call, handle) : CUDA_SUCCESS;
}

static CUresult instantiate(const char *name, CUgraphExec *exec, CUgraph graph,
                            uint64_t flags) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, exec))
    return bad;
  const Graph *from = call.find(&State::graphs, graph);
  if (!from)
    return call.status();
  if (flags & CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH)
    return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                     "expected a graph that the host launches");
  if (CUresult bad = checkStructure(call, graph))
    return bad;
  if (CUresult bad = checkConditions(call, graph))
    return bad;
  if (CUresult bad = checkInstances(call, *from, graph))
    return bad;
  GraphExec made{from->context, cloneGraph(call.state, graph), flags,
                 from->number, call.state.noteCaller()};
  call.state.graphs.find(made.graph)->isOwned = true;
  *exec = call.state.execs.add(std::move(made));
  return CUDA_SUCCESS;
}

/// The node of an executable graph that stands for one of its graph; null after
/// an error.
static Node *findNode(Call &call, CUgraphExec handle, CUgraphNode original) {
  const GraphExec *exec = call.find(&State::execs, handle);
  if (!exec)
    return nullptr;
  const auto &copies = call.state.graphs.find(exec->graph)->copies;
  auto copy = copies.find(original);
  if (copy != copies.end())
    return call.state.nodes.find(copy->second);
  call.find(&State::nodes, CUgraphNode(nullptr)); // fails
  return nullptr;
}

template <typename Parameters>
static CUresult set(const char *name, CUgraphExec exec, CUgraphNode original,
                    const Parameters *parameters) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, parameters))
    return bad;
  Node *node = findNode(call, exec, original);
  if (!node)
    return call.status();
  if (CUresult bad = checkChangeable(call, *node))
    return bad;
  if (std::get_if<AllocateStep>(&node->step) ||
      std::get_if<FreeStep>(&node->step))
    return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                     "expected a node whose parameters can change, got one "
                     "that allocates or frees");
  Step step = EmptyStep();
  if (std::get_if<KernelStep>(&node->step))
    step = node->step;
  if (CUresult bad = makeStep(call, *parameters, step))
    return bad;
  return changeStep(call, *node, std::move(step));
}

namespace tc::runtime {
extern "C" {

CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                     unsigned long long flags) {
  return instantiate("cuGraphInstantiateWithFlags", exec, graph, flags);
}

CUresult
cuGraphInstantiateWithParams(CUgraphExec *exec, CUgraph graph,
                             CUDA_GRAPH_INSTANTIATE_PARAMS *parameters) {
  if (!parameters) {
    Call call("cuGraphInstantiateWithParams", Needs::Driver);
    return checkPlace(call, parameters);
  }
  CUresult result = instantiate("cuGraphInstantiateWithParams", exec, graph,
                                parameters->flags);
  parameters->hErrNode_out = nullptr;
  parameters->result_out =
      result ? CUDA_GRAPH_INSTANTIATE_ERROR : CUDA_GRAPH_INSTANTIATE_SUCCESS;
  return result;
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, uint64_t *flags) {
  Call call("cuGraphExecGetFlags", Needs::Driver);
  if (CUresult bad = checkPlace(call, flags))
    return bad;
  if (const GraphExec *exec = call.find(&State::execs, handle))
    *flags = exec->flags;
  return call.status();
}

/// All of it is where it is launched.
CUresult cuGraphUpload(CUgraphExec exec, CUstream stream) {
  Call call("cuGraphUpload", stream);
  call.find(&State::execs, exec);
  return call.status();
}

/// What was launched goes on.
CUresult cuGraphExecDestroy(CUgraphExec handle) {
  Call call("cuGraphExecDestroy", Needs::Driver);
  const GraphExec *exec = call.find(&State::execs, handle);
  if (!exec)
    return call.status();
  destroyGraph(call.state, exec->graph);
  call.state.execs.erase(handle);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Other parameters
//===----------------------------------------------------------------------===//

CUresult
cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_KERNEL_NODE_PARAMS_v1 *parameters) {
  return set("cuGraphExecKernelNodeSetParams", exec, node, parameters);
}
CUresult cuGraphExecKernelNodeSetParams_v2(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_KERNEL_NODE_PARAMS_v2 *parameters) {
  return set("cuGraphExecKernelNodeSetParams", exec, node, parameters);
}
CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                        const CUDA_MEMCPY3D *parameters,
                                        CUcontext) {
  return set("cuGraphExecMemcpyNodeSetParams", exec, node, parameters);
}
CUresult
cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node,
                               const CUDA_MEMSET_NODE_PARAMS_v1 *parameters,
                               CUcontext) {
  return set("cuGraphExecMemsetNodeSetParams", exec, node, parameters);
}
CUresult
cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node,
                             const CUDA_HOST_NODE_PARAMS_v1 *parameters) {
  return set("cuGraphExecHostNodeSetParams", exec, node, parameters);
}
CUresult cuGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                            CUgraph child) {
  ChildGraph given{child};
  return set("cuGraphExecChildGraphNodeSetParams", exec, node, &given);
}
CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                            CUevent event) {
  EventToRecord given{event};
  return set("cuGraphExecEventRecordNodeSetEvent", exec, node, &given);
}
CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                          CUevent event) {
  EventToWaitFor given{event};
  return set("cuGraphExecEventWaitNodeSetEvent", exec, node, &given);
}
CUresult cuGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                  CUgraphNodeParams *parameters) {
  return set("cuGraphExecNodeSetParams", exec, node, parameters);
}

/// Kernels, copies and fills can be left out.
CUresult cuGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode original,
                               unsigned isEnabled) {
  Call call("cuGraphNodeSetEnabled", Needs::Driver);
  Node *node = findNode(call, exec, original);
  if (!node)
    return call.status();
  if (getType(node->step) > CU_GRAPH_NODE_TYPE_MEMSET)
    return call.fail(
        CUDA_ERROR_INVALID_VALUE,
        "expected a kernel, a copy or a fill, got a node of type " +
            llvm::Twine(getType(node->step)));
  node->isEnabled = isEnabled != 0;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode original,
                               unsigned *isEnabled) {
  Call call("cuGraphNodeGetEnabled", Needs::Driver);
  if (CUresult bad = checkPlace(call, isEnabled))
    return bad;
  if (const Node *node = findNode(call, exec, original))
    *isEnabled = node->isEnabled;
  return call.status();
}
}
} // namespace tc::runtime
