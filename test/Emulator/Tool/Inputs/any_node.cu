// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A graph whose nodes of all kinds are made by one call, and what it keeps for the program.

#include <cstdio>

__global__ void scale(float *values, float factor, int n) {
  int i = threadIdx.x;
  if (i < n)
    values[i] *= factor;
}

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t error = call;                                                                      \
    if (error)                                                                                     \
      printf("%s: %s\n", #call, cudaGetErrorName(error));                                          \
  } while (0)

static void CUDART_CB note(void *text) { printf("%s\n", static_cast<const char *>(text)); }

int main() {
  constexpr int n = 100;
  float host[n], factor = 4;
  int size = n;
  cudaGraph_t graph;
  CHECK(cudaGraphCreate(&graph, 0));
  cudaUserObject_t object;
  CHECK(cudaUserObjectCreate(&object, const_cast<char *>("destroyed"), note, 1,
                             cudaUserObjectNoDestructorSync));
  CHECK(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove));

  cudaGraphNode_t last = nullptr;
  auto add = [&](cudaGraphNodeParams &node) {
    CHECK(cudaGraphAddNode(&last, graph, &last, nullptr, last != nullptr, &node));
    return last;
  };
  cudaGraphNodeParams memory = {cudaGraphNodeTypeMemAlloc};
  memory.alloc.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.alloc.poolProps.location = {cudaMemLocationTypeDevice, 0};
  memory.alloc.bytesize = sizeof(host);
  add(memory);
  cudaGraphNodeParams fill = {cudaGraphNodeTypeMemset};
  fill.memset.dst = memory.alloc.dptr;
  fill.memset.value = 0x40400000; // 3
  fill.memset.elementSize = 4;
  fill.memset.width = n;
  fill.memset.height = 1;
  add(fill);
  cudaGraphNodeParams kernel = {cudaGraphNodeTypeKernel};
  void *arguments[] = {&memory.alloc.dptr, &factor, &size};
  kernel.kernel.func = reinterpret_cast<void *>(scale);
  kernel.kernel.gridDim = dim3(1);
  kernel.kernel.blockDim = dim3(128);
  kernel.kernel.kernelParams = arguments;
  cudaGraphNode_t scaled = add(kernel);
  cudaGraphNodeParams copy = {cudaGraphNodeTypeMemcpy};
  cudaMemcpy3DParms &row = copy.memcpy.copyParams;
  row.srcPtr = make_cudaPitchedPtr(memory.alloc.dptr, sizeof(host), sizeof(host), 1);
  row.dstPtr = make_cudaPitchedPtr(host, sizeof(host), sizeof(host), 1);
  row.extent = make_cudaExtent(sizeof(host), 1, 1);
  row.kind = cudaMemcpyDeviceToHost;
  add(copy);
  cudaGraphNodeParams call = {cudaGraphNodeTypeHost};
  call.host.fn = note;
  call.host.userData = const_cast<char *>("copied");
  add(call);
  cudaGraphNodeParams release = {cudaGraphNodeTypeMemFree};
  release.free.dptr = memory.alloc.dptr;
  add(release);

  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  printf("%g\n", host[n - 1]);
  factor = 5;
  CHECK(cudaGraphExecNodeSetParams(exec, scaled, &kernel));
  CHECK(cudaGraphLaunch(exec, nullptr));
  CHECK(cudaDeviceSynchronize());
  printf("%g\n", host[n - 1]);
  cudaGraphNodeParams semaphore = {cudaGraphNodeTypeExtSemaphoreSignal};
  CHECK(cudaGraphAddNode(&last, graph, nullptr, nullptr, 0, &semaphore));

  CHECK(cudaGraphDestroy(graph));
  printf("the graph is gone\n");
  CHECK(cudaGraphExecDestroy(exec));
  CHECK(cudaDeviceReset());
}
