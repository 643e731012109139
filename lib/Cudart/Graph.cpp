//===- Graph.cpp - Graphs and captures of the runtime ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles, flags, and structures without kernels and copies are those of the
// driver.
//
//===----------------------------------------------------------------------===//

#include "Cudart.h"

using namespace tc::cudart;

extern "C" {

Error cudaStreamBeginCapture(CUstream stream, int mode) {
  return call(
      [=](const Driver &d) { return d.cuStreamBeginCapture_v2(stream, mode); });
}

Error cudaStreamBeginCaptureToGraph(CUstream stream, CUgraph graph,
                                    const CUgraphNode *after,
                                    const CUgraphEdgeData *data, size_t count,
                                    int mode) {
  return call([=](const Driver &d) {
    return d.cuStreamBeginCaptureToGraph(stream, graph, after, data, count,
                                         mode);
  });
}

Error cudaStreamEndCapture(CUstream stream, CUgraph *graph) {
  return call(
      [=](const Driver &d) { return d.cuStreamEndCapture(stream, graph); });
}

Error cudaStreamIsCapturing(CUstream stream, int *status) {
  return call(
      [=](const Driver &d) { return d.cuStreamIsCapturing(stream, status); });
}

Error cudaStreamGetCaptureInfo(CUstream stream, int *status, uint64_t *id,
                               CUgraph *graph, const CUgraphNode **after,
                               const CUgraphEdgeData **data, size_t *count) {
  return call([=](const Driver &d) {
    return d.cuStreamGetCaptureInfo_v3(stream, status, id, graph, after, data,
                                       count);
  });
}

Error cudaStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *after,
                                          const CUgraphEdgeData *data,
                                          size_t count, unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuStreamUpdateCaptureDependencies_v2(stream, after, data, count,
                                                  flags);
  });
}

Error cudaThreadExchangeStreamCaptureMode(int *mode) {
  return call([=](const Driver &d) {
    return d.cuThreadExchangeStreamCaptureMode(mode);
  });
}

Error cudaGraphCreate(CUgraph *graph, unsigned flags) {
  return call([=](const Driver &d) { return d.cuGraphCreate(graph, flags); });
}

Error cudaGraphDestroy(CUgraph graph) {
  return call([=](const Driver &d) { return d.cuGraphDestroy(graph); });
}

Error cudaGraphClone(CUgraph *clone, CUgraph graph) {
  return call([=](const Driver &d) { return d.cuGraphClone(clone, graph); });
}

Error cudaGraphNodeFindInClone(CUgraphNode *found, CUgraphNode node,
                               CUgraph clone) {
  return call([=](const Driver &d) {
    return d.cuGraphNodeFindInClone(found, node, clone);
  });
}

Error cudaGraphNodeGetType(CUgraphNode node, int *type) {
  return call(
      [=](const Driver &d) { return d.cuGraphNodeGetType(node, type); });
}

Error cudaGraphDestroyNode(CUgraphNode node) {
  return call([=](const Driver &d) { return d.cuGraphDestroyNode(node); });
}

Error cudaGraphGetNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return call(
      [=](const Driver &d) { return d.cuGraphGetNodes(graph, nodes, count); });
}

Error cudaGraphGetRootNodes(CUgraph graph, CUgraphNode *nodes, size_t *count) {
  return call([=](const Driver &d) {
    return d.cuGraphGetRootNodes(graph, nodes, count);
  });
}

Error cudaGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to,
                        CUgraphEdgeData *data, size_t *count) {
  return call([=](const Driver &d) {
    return d.cuGraphGetEdges_v2(graph, from, to, data, count);
  });
}

Error cudaGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes,
                                   CUgraphEdgeData *data, size_t *count) {
  return call([=](const Driver &d) {
    return d.cuGraphNodeGetDependencies_v2(node, nodes, data, count);
  });
}

Error cudaGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes,
                                     CUgraphEdgeData *data, size_t *count) {
  return call([=](const Driver &d) {
    return d.cuGraphNodeGetDependentNodes_v2(node, nodes, data, count);
  });
}

Error cudaGraphAddDependencies(CUgraph graph, const CUgraphNode *from,
                               const CUgraphNode *to,
                               const CUgraphEdgeData *data, size_t count) {
  return call([=](const Driver &d) {
    return d.cuGraphAddDependencies_v2(graph, from, to, data, count);
  });
}

Error cudaGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from,
                                  const CUgraphNode *to,
                                  const CUgraphEdgeData *data, size_t count) {
  return call([=](const Driver &d) {
    return d.cuGraphRemoveDependencies_v2(graph, from, to, data, count);
  });
}

Error cudaGraphDebugDotPrint(CUgraph graph, const char *path, unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuGraphDebugDotPrint(graph, path, flags);
  });
}

Error cudaGraphInstantiateWithFlags(CUgraphExec *exec, CUgraph graph,
                                    unsigned long long flags) {
  return call([=](const Driver &d) {
    return d.cuGraphInstantiateWithFlags(exec, graph, flags);
  });
}

Error cudaGraphInstantiate(CUgraphExec *exec, CUgraph graph,
                           unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

Error cudaGraphInstantiateWithParams(
    CUgraphExec *exec, CUgraph graph,
    CUDA_GRAPH_INSTANTIATE_PARAMS *parameters) {
  return call([=](const Driver &d) {
    return d.cuGraphInstantiateWithParams(exec, graph, parameters);
  });
}

Error cudaGraphExecGetFlags(CUgraphExec exec, uint64_t *flags) {
  return call(
      [=](const Driver &d) { return d.cuGraphExecGetFlags(exec, flags); });
}

Error cudaGraphUpload(CUgraphExec exec, CUstream stream) {
  return call([=](const Driver &d) { return d.cuGraphUpload(exec, stream); });
}

Error cudaGraphLaunch(CUgraphExec exec, CUstream stream) {
  return call([=](const Driver &d) { return d.cuGraphLaunch(exec, stream); });
}

Error cudaGraphExecDestroy(CUgraphExec exec) {
  return call([=](const Driver &d) { return d.cuGraphExecDestroy(exec); });
}

Error cudaGraphExecUpdate(CUgraphExec exec, CUgraph graph,
                          CUgraphExecUpdateResultInfo *info) {
  return call([=](const Driver &d) {
    return d.cuGraphExecUpdate_v2(exec, graph, info);
  });
}

Error cudaGraphNodeSetEnabled(CUgraphExec exec, CUgraphNode node,
                              unsigned isEnabled) {
  return call([=](const Driver &d) {
    return d.cuGraphNodeSetEnabled(exec, node, isEnabled);
  });
}

Error cudaGraphNodeGetEnabled(CUgraphExec exec, CUgraphNode node,
                              unsigned *isEnabled) {
  return call([=](const Driver &d) {
    return d.cuGraphNodeGetEnabled(exec, node, isEnabled);
  });
}

Error cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value) {
  return call([=](const Driver &d) {
    return d.cuDeviceGetGraphMemAttribute(device, attribute, value);
  });
}

Error cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value) {
  return call([=](const Driver &d) {
    return d.cuDeviceSetGraphMemAttribute(device, attribute, value);
  });
}

Error cudaDeviceGraphMemTrim(int device) {
  return call([=](const Driver &d) { return d.cuDeviceGraphMemTrim(device); });
}
}
