// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Doubles a number in a loop of a graph until it is 64. With an argument, a kernel sets the
// condition in a branch of its own.

#include <cstdio>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error = call;                                                                      \
    if (error)                                                                                     \
      printf("%s: %s\n", #call, cudaGetErrorName(error));                                          \
  } while (0)

struct Numbers {
  int value, rounds;
};

__global__ void twice(Numbers *n, cudaGraphConditionalHandle goesOn) {
  n->value *= 2;
  ++n->rounds;
  if (n->value == 64)
    cudaGraphSetConditional(goesOn, 0);
}

__global__ void start(cudaGraphConditionalHandle goesOn) { cudaGraphSetConditional(goesOn, 1); }

int main(int count, char **) {
  Numbers *n, host;
  CHECK(cudaMalloc(&n, sizeof(Numbers)));
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaGraphConditionalHandle goesOn;
  CHECK(cudaGraphConditionalHandleCreate(&goesOn, graph, 1, cudaGraphCondAssignDefault));
  cudaGraphNodeParams loop = {cudaGraphNodeTypeConditional};
  loop.conditional.handle = goesOn;
  loop.conditional.type = cudaGraphCondTypeWhile;
  loop.conditional.size = 1;
  cudaGraphNode_t node;
  CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &loop));
  CHECK(cudaStreamBeginCaptureToGraph(stream, loop.conditional.phGraph_out[0], nullptr, nullptr, 0,
                                      cudaStreamCaptureModeGlobal));
  twice<<<1, 1, 0, stream>>>(n, goesOn);
  CHECK(cudaStreamEndCapture(stream, nullptr));
  if (count > 1) {
    cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
    void *arguments[] = {&goesOn};
    kernel.kernel.func = reinterpret_cast<void *>(start);
    kernel.kernel.gridDim = kernel.kernel.blockDim = dim3(1);
    kernel.kernel.kernelParams = arguments;
    CHECK(cudaGraphAddNode(&node, graph, nullptr, nullptr, 0, &kernel));
  }
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i != 2; ++i) {
    host = {1, 0};
    CHECK(cudaMemcpyAsync(n, &host, sizeof host, cudaMemcpyHostToDevice, stream));
    CHECK(cudaGraphLaunch(exec, stream));
    CHECK(cudaMemcpyAsync(&host, n, sizeof host, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("%d after %d rounds\n", host.value, host.rounds);
  }
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaFree(n));
}
