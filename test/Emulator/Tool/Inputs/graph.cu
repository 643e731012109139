// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs as programs of the CUDA runtime make them: captured from two streams, or node by
// node; with other parameters later. With an argument, the graph is not destroyed.

#include <cstdio>

__device__ float factor;

__global__ void scale(float *a, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] *= by * factor;
}

__global__ void add(float *a, const float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    a[i] += b[i];
}

static void check(const char *what, cudaError_t error) {
  if (error)
    printf("%s: %s\n", what, cudaGetErrorName(error));
}
#define CHECK(call) check(#call, call)

static const int n = 100;
static float host[n];

static float run(cudaGraphExec_t exec, cudaStream_t stream, const float *from) {
  CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaMemcpyAsync(host, from, sizeof(host), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  return host[n - 1];
}

int main(int count, char **) {
  float *a, *b, *c, two = 2;
  for (float **place : {&a, &b, &c})
    CHECK(cudaMalloc(place, sizeof(host)));
  CHECK(cudaMemcpyToSymbol(factor, &two, sizeof(two)));
  for (float &value : host)
    value = 1;
  cudaStream_t stream, other;
  cudaEvent_t fork, join;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreate(&other));
  CHECK(cudaEventCreate(&fork));
  CHECK(cudaEventCreate(&join));

  // a = 2 * 3 and b = 2 * 5 in two branches, then a + b.
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaMemcpyAsync(a, host, sizeof(host), cudaMemcpyHostToDevice, stream));
  CHECK(cudaMemcpyAsync(b, a, sizeof(host), cudaMemcpyDeviceToDevice, stream));
  CHECK(cudaEventRecord(fork, stream));
  CHECK(cudaStreamWaitEvent(other, fork, 0));
  scale<<<1, 128, 0, stream>>>(a, 3, n);
  scale<<<1, 128, 0, other>>>(b, 5, n);
  CHECK(cudaEventRecord(join, other));
  CHECK(cudaStreamWaitEvent(stream, join, 0));
  add<<<1, 128, 0, stream>>>(a, b, n);
  cudaStreamCaptureStatus status;
  CHECK(cudaStreamIsCapturing(other, &status));
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  size_t nodes = 0, edges = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  float sum = run(exec, stream, a);
  printf("captured: status %d, %zu nodes, %zu edges, %g\n", status, nodes, edges, sum);

  // Node by node; the kernel then gets another buffer and factor.
  cudaGraph_t made;
  CHECK(cudaGraphCreate(&made, 0));
  cudaMemsetParams fill = {};
  fill.dst = c;
  fill.value = 0x40400000; // 3
  fill.elementSize = 4;
  fill.width = n;
  fill.height = 1;
  cudaGraphNode_t filled, scaled, copied;
  CHECK(cudaGraphAddMemsetNode(&filled, made, nullptr, 0, &fill));
  int size = n;
  void *arguments[] = {&c, &two, &size};
  cudaKernelNodeParams kernel = {};
  kernel.func = (void *)scale;
  kernel.gridDim = dim3(1);
  kernel.blockDim = dim3(128);
  kernel.kernelParams = arguments;
  CHECK(cudaGraphAddKernelNode(&scaled, made, &filled, 1, &kernel));
  CHECK(cudaGraphAddMemcpyNode1D(&copied, made, &scaled, 1, b, c, sizeof(host),
                                 cudaMemcpyDeviceToDevice));
  cudaKernelNodeParams told;
  CHECK(cudaGraphKernelNodeGetParams(scaled, &told));
  cudaGraphExec_t second;
  CHECK(cudaGraphInstantiate(&second, made, 0));
  float before = run(second, stream, b);
  arguments[0] = &a;
  CHECK(cudaGraphExecKernelNodeSetParams(second, scaled, &kernel));
  float after = run(second, stream, a);
  printf("made: %s, %g, then %g\n", told.func == (void *)scale ? "scale" : "another", before,
         after);

  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CHECK(cudaStreamSynchronize(stream));
  cudaGraph_t none;
  CHECK(cudaStreamEndCapture(stream, &none));
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaGraphExecDestroy(second));
  CHECK(cudaGraphDestroy(made));
  if (count == 1)
    CHECK(cudaGraphDestroy(graph));
  for (float *place : {a, b, c})
    CHECK(cudaFree(place));
  CHECK(cudaDeviceReset());
}
