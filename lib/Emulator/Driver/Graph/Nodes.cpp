//===- Nodes.cpp - Nodes of graphs ----------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a node is to do comes as a structure of its kind, which is checked and
// becomes a Step, for a graph as for an executable one; and a Step is told in
// that structure.
//
//===----------------------------------------------------------------------===//

#include "Graph/Nodes.h"

#include "Graph/Conditional.h"

#include <cstring>

using namespace tc::emulator;
using namespace tc::emulator::driver;

//===----------------------------------------------------------------------===//
// Parameters to steps
//===----------------------------------------------------------------------===//

CUresult driver::makeStep(Call &call, const CUDA_KERNEL_NODE_PARAMS_v2 &given,
                          Step &step) {
  // A new shape keeps the attributes of the node.
  std::vector<CUlaunchAttribute> attributes;
  if (const auto *old = std::get_if<KernelStep>(&step))
    attributes = old->attributes;
  CUlaunchConfig launch = {given.gridDimX,       given.gridDimY,
                           given.gridDimZ,       given.blockDimX,
                           given.blockDimY,      given.blockDimZ,
                           given.sharedMemBytes, /*hStream=*/nullptr,
                           attributes.data(),    unsigned(attributes.size())};
  // A kernel of a library is known by the same number as its function.
  CUfunction function =
      given.func ? given.func : reinterpret_cast<CUfunction>(given.kern);
  KernelStep made;
  if (CUresult bad = makeKernelStep(call, launch, function, given.kernelParams,
                                    given.extra, made))
    return bad;
  step = std::move(made);
  return CUDA_SUCCESS;
}

CUresult driver::makeStep(Call &call, const CUDA_KERNEL_NODE_PARAMS_v1 &given,
                          Step &step) {
  CUDA_KERNEL_NODE_PARAMS_v2 all = {};
  std::memcpy(static_cast<void *>(&all), &given, sizeof given);
  return makeStep(call, all, step);
}

CUresult driver::makeStep(Call &call, const CUDA_MEMCPY3D &given, Step &step) {
  CopyStep made{given};
  if (CUresult bad = checkCopy(call, made.copy))
    return bad;
  step = made;
  return CUDA_SUCCESS;
}

CUresult driver::makeStep(Call &call, const CUDA_MEMSET_NODE_PARAMS_v1 &given,
                          Step &step) {
  if (CUresult bad = checkFill(call, given))
    return bad;
  step = FillStep{given};
  return CUDA_SUCCESS;
}

CUresult driver::makeStep(Call &call, const CUDA_HOST_NODE_PARAMS_v1 &given,
                          Step &step) {
  if (!given.fn)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "expected a function, got null");
  step = HostStep{given};
  return CUDA_SUCCESS;
}

CUresult driver::makeStep(Call &call, const ChildGraph &given, Step &step) {
  if (!call.find(&State::graphs, given.graph))
    return call.status();
  if (CUresult bad = checkNoConditions(call, given.graph))
    return bad;
  GraphStep made{cloneGraph(call.state, given.graph)};
  call.state.graphs.find(made.graph)->isOwned = true;
  step = made;
  return CUDA_SUCCESS;
}

CUresult driver::makeStep(Call &call, const EventToRecord &given, Step &step) {
  if (call.find(&State::events, given.event))
    step = RecordStep{given.event};
  return call.status();
}

CUresult driver::makeStep(Call &call, const EventToWaitFor &given, Step &step) {
  if (call.find(&State::events, given.event))
    step = WaitStep{given.event};
  return call.status();
}

CUresult driver::makeStep(Call &call,
                          const CUDA_MEM_ALLOC_NODE_PARAMS_v1 &given,
                          Step &step) {
  AllocateStep made{given, nullptr};
  if (CUresult bad = reserve(call, made))
    return bad;
  step = std::move(made);
  return CUDA_SUCCESS;
}

CUresult driver::makeStep(Call &call, const MemoryToFree &given, Step &step) {
  if (!isReserved(call.state, given.address))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected memory that a node of a graph allocates, got "
                     "address 0x" +
                         llvm::Twine::utohexstr(given.address));
  step = FreeStep{given.address};
  return CUDA_SUCCESS;
}

CUresult driver::makeStep(Call &call, const CUgraphNodeParams &given,
                          Step &step) {
  switch (given.type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    return makeStep(call, given.kernel, step);
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    return makeStep(call, given.memcpy.copyParams, step);
  case CU_GRAPH_NODE_TYPE_MEMSET:
    return makeStep(call, given.memset, step);
  case CU_GRAPH_NODE_TYPE_HOST:
    return makeStep(call, given.host, step);
  case CU_GRAPH_NODE_TYPE_GRAPH:
    if (given.graph.ownership)
      return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                       "expected a child graph to be cloned (ownership 0), got "
                       "one to be moved into its node");
    return makeStep(call, ChildGraph{given.graph.graph}, step);
  case CU_GRAPH_NODE_TYPE_EMPTY:
    step = EmptyStep();
    return CUDA_SUCCESS;
  case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
    return makeStep(call, EventToWaitFor{given.eventWait.event}, step);
  case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
    return makeStep(call, EventToRecord{given.eventRecord.event}, step);
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    return makeStep(call, given.alloc, step);
  case CU_GRAPH_NODE_TYPE_MEM_FREE:
    return makeStep(call, MemoryToFree{given.free.dptr}, step);
  case CU_GRAPH_NODE_TYPE_CONDITIONAL:
    return makeStep(call, given.conditional, step);
  default:
    return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                     "expected a node from kernel (0) to event record (7), an "
                     "allocation (10), a release (11) or a conditional node "
                     "(13); semaphores and memory operations are not there; "
                     "got " +
                         llvm::Twine(given.type));
  }
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Adds what `parameters` say.
template <typename Parameters>
static CUresult add(const char *name, CUgraphNode *node, CUgraph graph,
                    const CUgraphNode *after, size_t count,
                    const Parameters *parameters,
                    const CUgraphEdgeData *data = nullptr) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, parameters ? node : nullptr))
    return bad;
  if (!call.find(&State::graphs, graph))
    return call.status();
  std::vector<Edge> edges;
  if (CUresult bad = makeEdges(call, graph, after, data, count, edges))
    return bad;
  Step step = EmptyStep();
  if (CUresult bad = makeStep(call, *parameters, step))
    return bad;
  for (const Edge &edge : edges)
    if (CUresult bad = checkEdge(call, edge, step))
      return bad;
  *node = addNode(call.state, graph, std::move(step), edges);
  return CUDA_SUCCESS;
}

/// The node behind a handle, which does a step of that kind; null after an
/// error.
template <typename Kind>
static Node *findKind(Call &call, CUgraphNode handle, CUresult &bad) {
  Node *node = call.find(&State::nodes, handle);
  bad = call.status();
  if (node && !std::get_if<Kind>(&node->step)) {
    bad =
        call.fail(CUDA_ERROR_INVALID_VALUE,
                  "expected a node of type " + llvm::Twine(Kind::type) +
                      ", got one of type " + llvm::Twine(getType(node->step)));
    return nullptr;
  }
  return node;
}

/// Has `tell` write what the step does.
template <typename Kind, typename Place, typename Tell>
static CUresult get(const char *name, CUgraphNode handle, Place *place,
                    Tell tell) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, place))
    return bad;
  CUresult bad = CUDA_SUCCESS;
  if (Node *node = findKind<Kind>(call, handle, bad))
    tell(*place, std::get<Kind>(node->step), *node);
  return bad;
}

CUresult driver::checkChangeable(Call &call, const Node &node) {
  if (!std::holds_alternative<ConditionalStep>(node.step))
    return CUDA_SUCCESS;
  return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                   "expected a node whose parameters can change, got a "
                   "conditional node");
}

CUresult driver::changeStep(Call &call, Node &node, Step step) {
  if (step.index() != node.step.index()) {
    dropStep(call.state, step);
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected parameters of a node of type " +
                         llvm::Twine(getType(node.step)) + ", got type " +
                         llvm::Twine(getType(step)));
  }
  dropStep(call.state, node.step);
  node.step = std::move(step);
  return CUDA_SUCCESS;
}

template <typename Parameters>
static CUresult set(const char *name, CUgraphNode handle,
                    const Parameters *parameters) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, parameters))
    return bad;
  Node *node = call.find(&State::nodes, handle);
  if (!node)
    return call.status();
  if (CUresult bad = checkChangeable(call, *node))
    return bad;
  Step step = EmptyStep();
  if (std::get_if<KernelStep>(&node->step))
    step = node->step;
  if (CUresult bad = makeStep(call, *parameters, step))
    return bad;
  return changeStep(call, *node, std::move(step));
}

/// Tells of a kernel, with the places of its parameters.
static void tellKernel(const KernelStep &step, Node &node, State &state,
                       CUDA_KERNEL_NODE_PARAMS_v2 &place) {
  auto &bytes = std::get<KernelStep>(node.step).parameters;
  node.places.clear();
  if (const Kernel *kernel = state.kernels.find(step.function))
    for (auto [offset, size] : kernel->info.parameters)
      node.places.push_back(bytes.data() + offset);
  const CUlaunchConfig &shape = step.shape;
  place = {step.function,
           shape.gridDimX,
           shape.gridDimY,
           shape.gridDimZ,
           shape.blockDimX,
           shape.blockDimY,
           shape.blockDimZ,
           shape.sharedMemBytes,
           node.places.data(),
           nullptr,
           nullptr,
           nullptr};
}

static CUresult getKernel(CUgraphNode handle,
                          CUDA_KERNEL_NODE_PARAMS_v2 *place) {
  Call call("cuGraphKernelNodeGetParams", Needs::Driver);
  if (CUresult bad = checkPlace(call, place))
    return bad;
  CUresult bad = CUDA_SUCCESS;
  if (Node *node = findKind<KernelStep>(call, handle, bad))
    tellKernel(std::get<KernelStep>(node->step), *node, call.state, *place);
  return bad;
}

/// The array lives as long as the node.
static CUresult getBodies(CUgraphNode handle, CUgraph *&bodies) {
  return get<ConditionalStep>(
      "cuGraphAddNode", handle, &bodies,
      [](CUgraph *&place, const ConditionalStep &, Node &node) {
        place = getGraphs(node.step).data();
      });
}

namespace tc::runtime {
extern "C" {

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

CUresult cuGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *after, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *parameters) {
  return add("cuGraphAddKernelNode", node, graph, after, count, parameters);
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *after, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS_v2 *parameters) {
  return add("cuGraphAddKernelNode", node, graph, after, count, parameters);
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node,
                                    CUDA_KERNEL_NODE_PARAMS_v1 *parameters) {
  CUDA_KERNEL_NODE_PARAMS_v2 all = {};
  CUresult result = getKernel(node, parameters ? &all : nullptr);
  if (result == CUDA_SUCCESS)
    std::memcpy(static_cast<void *>(parameters), &all, sizeof *parameters);
  return result;
}
CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode node,
                                       CUDA_KERNEL_NODE_PARAMS_v2 *parameters) {
  return getKernel(node, parameters);
}

CUresult
cuGraphKernelNodeSetParams(CUgraphNode node,
                           const CUDA_KERNEL_NODE_PARAMS_v1 *parameters) {
  return set("cuGraphKernelNodeSetParams", node, parameters);
}
CUresult
cuGraphKernelNodeSetParams_v2(CUgraphNode node,
                              const CUDA_KERNEL_NODE_PARAMS_v2 *parameters) {
  return set("cuGraphKernelNodeSetParams", node, parameters);
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  Call call("cuGraphKernelNodeCopyAttributes", Needs::Driver);
  CUresult bad = CUDA_SUCCESS;
  Node *source = findKind<KernelStep>(call, from, bad);
  Node *target = source ? findKind<KernelStep>(call, to, bad) : nullptr;
  if (target)
    std::get<KernelStep>(target->step).attributes =
        std::vector(std::get<KernelStep>(source->step).attributes);
  return bad;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode handle,
                                       CUlaunchAttributeID id,
                                       CUlaunchAttributeValue *value) {
  return get<KernelStep>(
      "cuGraphKernelNodeGetAttribute", handle, value,
      [&](CUlaunchAttributeValue &place, const KernelStep &step, Node &) {
        place = {};
        for (const CUlaunchAttribute &attribute : step.attributes)
          if (attribute.id == id)
            place = attribute.value;
      });
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode handle,
                                       CUlaunchAttributeID id,
                                       const CUlaunchAttributeValue *value) {
  Call call("cuGraphKernelNodeSetAttribute", Needs::Driver);
  if (CUresult bad = checkPlace(call, value))
    return bad;
  CUresult bad = CUDA_SUCCESS;
  Node *node = findKind<KernelStep>(call, handle, bad);
  if (!node)
    return bad;
  auto &attributes = std::get<KernelStep>(node->step).attributes;
  llvm::erase_if(attributes, [&](const auto &one) { return one.id == id; });
  attributes.push_back({id, {}, *value});
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Copies, fills, calls of the host
//===----------------------------------------------------------------------===//

CUresult cuGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *after, size_t count,
                              const CUDA_MEMCPY3D *parameters, CUcontext) {
  return add("cuGraphAddMemcpyNode", node, graph, after, count, parameters);
}
CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node,
                                    CUDA_MEMCPY3D *parameters) {
  return get<CopyStep>("cuGraphMemcpyNodeGetParams", node, parameters,
                       [](CUDA_MEMCPY3D &place, const CopyStep &step, Node &) {
                         place = step.copy;
                       });
}
CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node,
                                    const CUDA_MEMCPY3D *parameters) {
  return set("cuGraphMemcpyNodeSetParams", node, parameters);
}

CUresult cuGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *after, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS_v1 *parameters,
                              CUcontext) {
  return add("cuGraphAddMemsetNode", node, graph, after, count, parameters);
}
CUresult cuGraphMemsetNodeGetParams(CUgraphNode node,
                                    CUDA_MEMSET_NODE_PARAMS_v1 *parameters) {
  return get<FillStep>("cuGraphMemsetNodeGetParams", node, parameters,
                       [](CUDA_MEMSET_NODE_PARAMS_v1 &place,
                          const FillStep &step, Node &) { place = step.fill; });
}
CUresult
cuGraphMemsetNodeSetParams(CUgraphNode node,
                           const CUDA_MEMSET_NODE_PARAMS_v1 *parameters) {
  return set("cuGraphMemsetNodeSetParams", node, parameters);
}

CUresult cuGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                            const CUgraphNode *after, size_t count,
                            const CUDA_HOST_NODE_PARAMS_v1 *parameters) {
  return add("cuGraphAddHostNode", node, graph, after, count, parameters);
}
CUresult cuGraphHostNodeGetParams(CUgraphNode node,
                                  CUDA_HOST_NODE_PARAMS_v1 *parameters) {
  return get<HostStep>("cuGraphHostNodeGetParams", node, parameters,
                       [](CUDA_HOST_NODE_PARAMS_v1 &place, const HostStep &step,
                          Node &) { place = step.call; });
}
CUresult cuGraphHostNodeSetParams(CUgraphNode node,
                                  const CUDA_HOST_NODE_PARAMS_v1 *parameters) {
  return set("cuGraphHostNodeSetParams", node, parameters);
}

//===----------------------------------------------------------------------===//
// Graphs inside, empty nodes, events
//===----------------------------------------------------------------------===//

CUresult cuGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *after, size_t count,
                                  CUgraph child) {
  ChildGraph given{child};
  return add("cuGraphAddChildGraphNode", node, graph, after, count, &given);
}
CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child) {
  return get<GraphStep>("cuGraphChildGraphNodeGetGraph", node, child,
                        [](CUgraph &place, const GraphStep &step, Node &) {
                          place = step.graph;
                        });
}

CUresult cuGraphAddEmptyNode(CUgraphNode *node, CUgraph graph,
                             const CUgraphNode *after, size_t count) {
  CUgraphNodeParams given = {};
  given.type = CU_GRAPH_NODE_TYPE_EMPTY;
  return add("cuGraphAddEmptyNode", node, graph, after, count, &given);
}

CUresult cuGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                   const CUgraphNode *after, size_t count,
                                   CUevent event) {
  EventToRecord given{event};
  return add("cuGraphAddEventRecordNode", node, graph, after, count, &given);
}
CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  return get<RecordStep>("cuGraphEventRecordNodeGetEvent", node, event,
                         [](CUevent &place, const RecordStep &step, Node &) {
                           place = step.event;
                         });
}
CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  EventToRecord given{event};
  return set("cuGraphEventRecordNodeSetEvent", node, &given);
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *after, size_t count,
                                 CUevent event) {
  EventToWaitFor given{event};
  return add("cuGraphAddEventWaitNode", node, graph, after, count, &given);
}
CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  return get<WaitStep>(
      "cuGraphEventWaitNodeGetEvent", node, event,
      [](CUevent &place, const WaitStep &step, Node &) { place = step.event; });
}
CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  EventToWaitFor given{event};
  return set("cuGraphEventWaitNodeSetEvent", node, &given);
}

//===----------------------------------------------------------------------===//
// Memory, and nodes of any kind
//===----------------------------------------------------------------------===//

CUresult cuGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph,
                                const CUgraphNode *after, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS_v1 *parameters) {
  if (CUresult bad =
          add("cuGraphAddMemAllocNode", node, graph, after, count, parameters))
    return bad;
  return cuGraphMemAllocNodeGetParams(*node, parameters);
}
CUresult
cuGraphMemAllocNodeGetParams(CUgraphNode node,
                             CUDA_MEM_ALLOC_NODE_PARAMS_v1 *parameters) {
  return get<AllocateStep>("cuGraphMemAllocNodeGetParams", node, parameters,
                           [](CUDA_MEM_ALLOC_NODE_PARAMS_v1 &place,
                              const AllocateStep &step,
                              Node &) { place = step.asked; });
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph,
                               const CUgraphNode *after, size_t count,
                               CUdeviceptr address) {
  MemoryToFree given{address};
  return add("cuGraphAddMemFreeNode", node, graph, after, count, &given);
}
CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
  return get<FreeStep>("cuGraphMemFreeNodeGetParams", node, address,
                       [](CUdeviceptr &place, const FreeStep &step, Node &) {
                         place = step.address;
                       });
}

CUresult cuGraphAddNode_v2(CUgraphNode *node, CUgraph graph,
                           const CUgraphNode *after,
                           const CUgraphEdgeData *data, size_t count,
                           CUgraphNodeParams *parameters) {
  if (CUresult bad =
          add("cuGraphAddNode", node, graph, after, count, parameters, data))
    return bad;
  if (parameters->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    return cuGraphMemAllocNodeGetParams(*node, &parameters->alloc);
  if (parameters->type == CU_GRAPH_NODE_TYPE_GRAPH)
    return cuGraphChildGraphNodeGetGraph(*node, &parameters->graph.graph);
  if (parameters->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    return getBodies(*node, parameters->conditional.phGraph_out);
  return CUDA_SUCCESS;
}
CUresult cuGraphAddNode(CUgraphNode *node, CUgraph graph,
                        const CUgraphNode *after, size_t count,
                        CUgraphNodeParams *parameters) {
  return cuGraphAddNode_v2(node, graph, after, /*data=*/nullptr, count,
                           parameters);
}
CUresult cuGraphNodeSetParams(CUgraphNode node, CUgraphNodeParams *parameters) {
  return set("cuGraphNodeSetParams", node, parameters);
}
}
} // namespace tc::runtime
