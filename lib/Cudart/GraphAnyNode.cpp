//===- GraphAnyNode.cpp - Nodes of any kind, and user objects -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structure of parameters that serves all kinds of nodes is the driver's
// but for kernels and copies.
//
//===----------------------------------------------------------------------===//

#include "GraphNodes.h"

#include <cstddef>
#include <cstring>

using namespace tc::cudart;

namespace {

/// cudaGraphNodeParams.
struct NodeParameters {
  int type, reserved0[3];
  union {
    long long reserved1[29];
    KernelNode kernel;
    struct {
      int flags, reserved[3];
      Parameters3D parameters;
    } copy;
    decltype(CUgraphNodeParams::graph) graph;
    CUDA_MEM_ALLOC_NODE_PARAMS_v1 alloc;
    CUDA_CONDITIONAL_NODE_PARAMS conditional; ///< without its context
  };
  long long reserved2;
};
static_assert(sizeof(NodeParameters) == sizeof(CUgraphNodeParams) &&
              offsetof(NodeParameters, kernel) ==
                  offsetof(CUgraphNodeParams, kernel));

Error toDriver(const Driver &d, const NodeParameters *from,
               CUgraphNodeParams &to) {
  if (!from)
    return CUDA_ERROR_INVALID_VALUE;
  std::memcpy(&to, from, sizeof(to));
  if (from->type == CU_GRAPH_NODE_TYPE_KERNEL)
    return tc::cudart::toDriver(&from->kernel, to.kernel);
  if (from->type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    to.conditional.ctx = getContext(d);
  if (from->type != CU_GRAPH_NODE_TYPE_MEMCPY)
    return 0;
  to.memcpy = {};
  to.memcpy.copyCtx = getContext(d);
  return tc::cudart::toDriver(&from->copy.parameters, to.memcpy.copyParams);
}

/// A call with the parameters in the driver's form.
template <typename F>
Error withNode(const NodeParameters *given, F run) {
  return call([=](const Driver &d) -> Error {
    CUgraphNodeParams node;
    Error error = toDriver(d, given, node);
    return error ? error : Error(run(d, node));
  });
}

} // namespace

extern "C" {

Error cudaGraphAddNode(CUgraphNode *node, CUgraph graph,
                       const CUgraphNode *after, const CUgraphEdgeData *data,
                       size_t count, NodeParameters *given) {
  return withNode(given, [=](const Driver &d, CUgraphNodeParams &all) {
    CUresult result =
        d.cuGraphAddNode_v2(node, graph, after, data, count, &all);
    // What the driver answers.
    if (!result && all.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
      given->alloc.dptr = all.alloc.dptr;
    if (!result && all.type == CU_GRAPH_NODE_TYPE_GRAPH)
      given->graph = all.graph;
    if (!result && all.type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
      given->conditional.phGraph_out = all.conditional.phGraph_out;
    return result;
  });
}

Error cudaGraphConditionalHandleCreate(CUgraphConditionalHandle *handle,
                                       CUgraph graph, unsigned value,
                                       unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuGraphConditionalHandleCreate(handle, graph, getContext(d), value,
                                            flags);
  });
}

Error cudaGraphNodeSetParams(CUgraphNode node, const NodeParameters *given) {
  return withNode(given, [=](const Driver &d, CUgraphNodeParams &all) {
    return d.cuGraphNodeSetParams(node, &all);
  });
}

Error cudaGraphExecNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                 const NodeParameters *given) {
  return withNode(given, [=](const Driver &d, CUgraphNodeParams &all) {
    return d.cuGraphExecNodeSetParams(exec, node, &all);
  });
}

Error cudaUserObjectCreate(CUuserObject *object, void *data, CUhostFn destroy,
                           unsigned count, unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuUserObjectCreate(object, data, destroy, count, flags);
  });
}

Error cudaUserObjectRetain(CUuserObject object, unsigned count) {
  return call(
      [=](const Driver &d) { return d.cuUserObjectRetain(object, count); });
}

Error cudaUserObjectRelease(CUuserObject object, unsigned count) {
  return call(
      [=](const Driver &d) { return d.cuUserObjectRelease(object, count); });
}

Error cudaGraphRetainUserObject(CUgraph graph, CUuserObject object,
                                unsigned count, unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuGraphRetainUserObject(graph, object, count, flags);
  });
}

Error cudaGraphReleaseUserObject(CUgraph graph, CUuserObject object,
                                 unsigned count) {
  return call([=](const Driver &d) {
    return d.cuGraphReleaseUserObject(graph, object, count);
  });
}
}
