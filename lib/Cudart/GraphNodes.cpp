//===- GraphNodes.cpp - Nodes of graphs of the runtime --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are named by their stubs, and copies have a kind. What else nodes are
// told of has the layout of the driver's structures.
//
//===----------------------------------------------------------------------===//

#include "GraphNodes.h"

using namespace tc::cudart;

Error tc::cudart::toDriver(const KernelNode *from,
                           CUDA_KERNEL_NODE_PARAMS_v2 &to) {
  if (!from)
    return CUDA_ERROR_INVALID_VALUE;
  to = {};
  if (Error error = findFunction(from->stub, to.func))
    return error;
  to.gridDimX = from->grid.x;
  to.gridDimY = from->grid.y;
  to.gridDimZ = from->grid.z;
  to.blockDimX = from->block.x;
  to.blockDimY = from->block.y;
  to.blockDimZ = from->block.z;
  to.sharedMemBytes = from->shared;
  to.kernelParams = from->parameters;
  to.extra = from->extra;
  return 0;
}

namespace {

template <typename F>
Error withKernel(const KernelNode *given, F run) {
  return call([=](const Driver &d) -> Error {
    CUDA_KERNEL_NODE_PARAMS_v2 kernel;
    Error error = toDriver(given, kernel);
    return error ? error : Error(run(d, &kernel));
  });
}

Error makeRowTo(const void *symbol, const void *from, size_t bytes,
                size_t offset, int kind, CUDA_MEMCPY3D &copy) {
  void *to = nullptr;
  Error error = findPlace(symbol, offset, bytes, to);
  return error ? error : makeRow(to, from, bytes, kind, copy);
}

Error makeRowFrom(void *to, const void *symbol, size_t bytes, size_t offset,
                  int kind, CUDA_MEMCPY3D &copy) {
  void *from = nullptr;
  Error error = findPlace(symbol, offset, bytes, from);
  return error ? error : makeRow(to, from, bytes, kind, copy);
}

} // namespace

extern "C" {

Error cudaGraphAddKernelNode(CUgraphNode *node, CUgraph graph,
                             const CUgraphNode *after, size_t count,
                             const KernelNode *given) {
  return withKernel(given, [=](const Driver &d, const auto *kernel) {
    return d.cuGraphAddKernelNode_v2(node, graph, after, count, kernel);
  });
}

Error cudaGraphKernelNodeSetParams(CUgraphNode node, const KernelNode *given) {
  return withKernel(given, [=](const Driver &d, const auto *kernel) {
    return d.cuGraphKernelNodeSetParams_v2(node, kernel);
  });
}

Error cudaGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                       const KernelNode *given) {
  return withKernel(given, [=](const Driver &d, const auto *kernel) {
    return d.cuGraphExecKernelNodeSetParams_v2(exec, node, kernel);
  });
}

Error cudaGraphKernelNodeGetParams(CUgraphNode node, KernelNode *place) {
  return call([=](const Driver &d) -> Error {
    CUDA_KERNEL_NODE_PARAMS_v2 kernel;
    if (!place)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult bad = d.cuGraphKernelNodeGetParams_v2(node, &kernel))
      return bad;
    *place = {findStub(kernel.func),
              {kernel.gridDimX, kernel.gridDimY, kernel.gridDimZ},
              {kernel.blockDimX, kernel.blockDimY, kernel.blockDimZ},
              kernel.sharedMemBytes,
              kernel.kernelParams,
              kernel.extra};
    return 0;
  });
}

Error cudaGraphKernelNodeCopyAttributes(CUgraphNode to, CUgraphNode from) {
  return call([=](const Driver &d) {
    return d.cuGraphKernelNodeCopyAttributes(to, from);
  });
}

Error cudaGraphKernelNodeGetAttribute(CUgraphNode node, int id,
                                      CUlaunchAttributeValue *value) {
  return call([=](const Driver &d) {
    return d.cuGraphKernelNodeGetAttribute(node, id, value);
  });
}

Error cudaGraphKernelNodeSetAttribute(CUgraphNode node, int id,
                                      const CUlaunchAttributeValue *value) {
  return call([=](const Driver &d) {
    return d.cuGraphKernelNodeSetAttribute(node, id, value);
  });
}

Error cudaGraphAddMemcpyNode(CUgraphNode *node, CUgraph graph,
                             const CUgraphNode *after, size_t count,
                             const Parameters3D *given) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = toDriver(given, copy);
    return error ? error
                 : Error(d.cuGraphAddMemcpyNode(node, graph, after, count,
                                                &copy, getContext(d)));
  });
}

Error cudaGraphAddMemcpyNode1D(CUgraphNode *node, CUgraph graph,
                               const CUgraphNode *after, size_t count, void *to,
                               const void *from, size_t bytes, int kind) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = makeRow(to, from, bytes, kind, copy);
    return error ? error
                 : Error(d.cuGraphAddMemcpyNode(node, graph, after, count,
                                                &copy, getContext(d)));
  });
}

Error cudaGraphAddMemcpyNodeToSymbol(CUgraphNode *node, CUgraph graph,
                                     const CUgraphNode *after, size_t count,
                                     const void *symbol, const void *from,
                                     size_t bytes, size_t offset, int kind) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = makeRowTo(symbol, from, bytes, offset, kind, copy);
    return error ? error
                 : Error(d.cuGraphAddMemcpyNode(node, graph, after, count,
                                                &copy, getContext(d)));
  });
}

Error cudaGraphAddMemcpyNodeFromSymbol(CUgraphNode *node, CUgraph graph,
                                       const CUgraphNode *after, size_t count,
                                       void *to, const void *symbol,
                                       size_t bytes, size_t offset, int kind) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = makeRowFrom(to, symbol, bytes, offset, kind, copy);
    return error ? error
                 : Error(d.cuGraphAddMemcpyNode(node, graph, after, count,
                                                &copy, getContext(d)));
  });
}

Error cudaGraphMemcpyNodeSetParams(CUgraphNode node,
                                   const Parameters3D *given) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = toDriver(given, copy);
    return error ? error : Error(d.cuGraphMemcpyNodeSetParams(node, &copy));
  });
}

Error cudaGraphMemcpyNodeSetParams1D(CUgraphNode node, void *to,
                                     const void *from, size_t bytes, int kind) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = makeRow(to, from, bytes, kind, copy);
    return error ? error : Error(d.cuGraphMemcpyNodeSetParams(node, &copy));
  });
}

Error cudaGraphMemcpyNodeSetParamsToSymbol(CUgraphNode node, const void *symbol,
                                           const void *from, size_t bytes,
                                           size_t offset, int kind) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = makeRowTo(symbol, from, bytes, offset, kind, copy);
    return error ? error : Error(d.cuGraphMemcpyNodeSetParams(node, &copy));
  });
}

Error cudaGraphMemcpyNodeSetParamsFromSymbol(CUgraphNode node, void *to,
                                             const void *symbol, size_t bytes,
                                             size_t offset, int kind) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = makeRowFrom(to, symbol, bytes, offset, kind, copy);
    return error ? error : Error(d.cuGraphMemcpyNodeSetParams(node, &copy));
  });
}

Error cudaGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                       const Parameters3D *given) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = toDriver(given, copy);
    return error ? error
                 : Error(d.cuGraphExecMemcpyNodeSetParams(exec, node, &copy,
                                                          getContext(d)));
  });
}

Error cudaGraphExecMemcpyNodeSetParams1D(CUgraphExec exec, CUgraphNode node,
                                         void *to, const void *from,
                                         size_t bytes, int kind) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = makeRow(to, from, bytes, kind, copy);
    return error ? error
                 : Error(d.cuGraphExecMemcpyNodeSetParams(exec, node, &copy,
                                                          getContext(d)));
  });
}

Error cudaGraphExecMemcpyNodeSetParamsToSymbol(CUgraphExec exec,
                                               CUgraphNode node,
                                               const void *symbol,
                                               const void *from, size_t bytes,
                                               size_t offset, int kind) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = makeRowTo(symbol, from, bytes, offset, kind, copy);
    return error ? error
                 : Error(d.cuGraphExecMemcpyNodeSetParams(exec, node, &copy,
                                                          getContext(d)));
  });
}

Error cudaGraphExecMemcpyNodeSetParamsFromSymbol(CUgraphExec exec,
                                                 CUgraphNode node, void *to,
                                                 const void *symbol,
                                                 size_t bytes, size_t offset,
                                                 int kind) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    Error error = makeRowFrom(to, symbol, bytes, offset, kind, copy);
    return error ? error
                 : Error(d.cuGraphExecMemcpyNodeSetParams(exec, node, &copy,
                                                          getContext(d)));
  });
}

Error cudaGraphMemcpyNodeGetParams(CUgraphNode node, Parameters3D *place) {
  return call([=](const Driver &d) -> Error {
    CUDA_MEMCPY3D copy;
    if (!place)
      return CUDA_ERROR_INVALID_VALUE;
    if (CUresult bad = d.cuGraphMemcpyNodeGetParams(node, &copy))
      return bad;
    *place = toRuntime(copy);
    return 0;
  });
}

Error cudaGraphAddMemsetNode(CUgraphNode *node, CUgraph graph,
                             const CUgraphNode *after, size_t count,
                             const CUDA_MEMSET_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphAddMemsetNode(node, graph, after, count, parameters,
                                  getContext(d));
  });
}

Error cudaGraphMemsetNodeGetParams(CUgraphNode node,
                                   CUDA_MEMSET_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphMemsetNodeGetParams(node, parameters);
  });
}

Error cudaGraphMemsetNodeSetParams(
    CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphMemsetNodeSetParams(node, parameters);
  });
}

Error cudaGraphExecMemsetNodeSetParams(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_MEMSET_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphExecMemsetNodeSetParams(exec, node, parameters,
                                            getContext(d));
  });
}

Error cudaGraphAddHostNode(CUgraphNode *node, CUgraph graph,
                           const CUgraphNode *after, size_t count,
                           const CUDA_HOST_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphAddHostNode(node, graph, after, count, parameters);
  });
}

Error cudaGraphHostNodeGetParams(CUgraphNode node,
                                 CUDA_HOST_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphHostNodeGetParams(node, parameters);
  });
}

Error cudaGraphHostNodeSetParams(CUgraphNode node,
                                 const CUDA_HOST_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphHostNodeSetParams(node, parameters);
  });
}

Error cudaGraphExecHostNodeSetParams(
    CUgraphExec exec, CUgraphNode node,
    const CUDA_HOST_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphExecHostNodeSetParams(exec, node, parameters);
  });
}

Error cudaGraphAddChildGraphNode(CUgraphNode *node, CUgraph graph,
                                 const CUgraphNode *after, size_t count,
                                 CUgraph child) {
  return call([=](const Driver &d) {
    return d.cuGraphAddChildGraphNode(node, graph, after, count, child);
  });
}

Error cudaGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child) {
  return call([=](const Driver &d) {
    return d.cuGraphChildGraphNodeGetGraph(node, child);
  });
}

Error cudaGraphExecChildGraphNodeSetParams(CUgraphExec exec, CUgraphNode node,
                                           CUgraph child) {
  return call([=](const Driver &d) {
    return d.cuGraphExecChildGraphNodeSetParams(exec, node, child);
  });
}

Error cudaGraphAddEmptyNode(CUgraphNode *node, CUgraph graph,
                            const CUgraphNode *after, size_t count) {
  return call([=](const Driver &d) {
    return d.cuGraphAddEmptyNode(node, graph, after, count);
  });
}

Error cudaGraphAddEventRecordNode(CUgraphNode *node, CUgraph graph,
                                  const CUgraphNode *after, size_t count,
                                  CUevent event) {
  return call([=](const Driver &d) {
    return d.cuGraphAddEventRecordNode(node, graph, after, count, event);
  });
}

Error cudaGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  return call([=](const Driver &d) {
    return d.cuGraphEventRecordNodeGetEvent(node, event);
  });
}

Error cudaGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  return call([=](const Driver &d) {
    return d.cuGraphEventRecordNodeSetEvent(node, event);
  });
}

Error cudaGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                           CUevent event) {
  return call([=](const Driver &d) {
    return d.cuGraphExecEventRecordNodeSetEvent(exec, node, event);
  });
}

Error cudaGraphAddEventWaitNode(CUgraphNode *node, CUgraph graph,
                                const CUgraphNode *after, size_t count,
                                CUevent event) {
  return call([=](const Driver &d) {
    return d.cuGraphAddEventWaitNode(node, graph, after, count, event);
  });
}

Error cudaGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  return call([=](const Driver &d) {
    return d.cuGraphEventWaitNodeGetEvent(node, event);
  });
}

Error cudaGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  return call([=](const Driver &d) {
    return d.cuGraphEventWaitNodeSetEvent(node, event);
  });
}

Error cudaGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node,
                                         CUevent event) {
  return call([=](const Driver &d) {
    return d.cuGraphExecEventWaitNodeSetEvent(exec, node, event);
  });
}

Error cudaGraphAddMemAllocNode(CUgraphNode *node, CUgraph graph,
                               const CUgraphNode *after, size_t count,
                               CUDA_MEM_ALLOC_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphAddMemAllocNode(node, graph, after, count, parameters);
  });
}

Error cudaGraphMemAllocNodeGetParams(
    CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS_v1 *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphMemAllocNodeGetParams(node, parameters);
  });
}

Error cudaGraphAddMemFreeNode(CUgraphNode *node, CUgraph graph,
                              const CUgraphNode *after, size_t count,
                              void *address) {
  return call([=](const Driver &d) {
    return d.cuGraphAddMemFreeNode(node, graph, after, count,
                                   toDevice(address));
  });
}

Error cudaGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
  return call([=](const Driver &d) {
    return d.cuGraphMemFreeNodeGetParams(node, address);
  });
}
}
