// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs of the CUDA runtime are made of. With an argument, a kernel of it writes
// out of bounds.

#include <cstdio>

__constant__ float scale[4];
__device__ int counter;
__managed__ int managed = 5;

template <typename T>
__global__ void add(T *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  a[i] += i * scale[1];
  atomicAdd(&counter, 1);
  atomicAdd(&managed, 1);
}

static void check(const char *what, cudaError_t error) {
  if (error)
    printf("%s: %s (%s)\n", what, cudaGetErrorName(error), cudaGetErrorString(error));
}
#define CHECK(call) check(#call, call)

int main(int count, char **) {
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, 0));
  printf("%d.%d, warps of %d, %zu bytes\n", properties.major, properties.minor,
         properties.warpSize, properties.sharedMemPerBlockOptin);
  float *a, host[100], factors[4] = {1, 2, 3, 4};
  CHECK(cudaMalloc(&a, sizeof(host)));
  CHECK(cudaMemset(a, 0, sizeof(host)));
  CHECK(cudaMemcpyToSymbol(scale, factors, sizeof(factors)));
  cudaStream_t stream;
  cudaEvent_t start, end;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(start, stream));
  add<<<2, 64, 0, stream>>>(a, count > 1 ? 101 : 100);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(end, stream));
  float milliseconds = -1;
  CHECK(cudaMemcpyAsync(host, a, sizeof(host), cudaMemcpyDeviceToHost, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaEventElapsedTime(&milliseconds, start, end));
  int found = 0;
  CHECK(cudaMemcpyFromSymbol(&found, counter, sizeof(found)));
  printf("%g, %d times, %d, %s\n", host[99], found, managed,
         milliseconds >= 0 ? "time passed" : "no time");
  int grid, block;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, add<float>));
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, add<float>));
  printf("blocks of %d, at most %d\n", block, attributes.maxThreadsPerBlock);
  cudaLaunchAttribute inClusters;
  inClusters.id = cudaLaunchAttributeClusterDimension;
  inClusters.val.clusterDim = {2, 1, 1};
  cudaLaunchConfig_t config = {};
  config.gridDim = 4, config.blockDim = 1024;
  config.attrs = &inClusters, config.numAttrs = 1;
  int single, clusters;
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&single, add<float>, 1024,
                                                      0));
  CHECK(cudaOccupancyMaxActiveClusters(&clusters, add<float>, &config));
  printf("clusters: %d\n", 2 * clusters >= single);
  float *rows;
  size_t pitch;
  CHECK(cudaMallocPitch(&rows, &pitch, 100, 3));
  CHECK(cudaMemcpy2D(rows, pitch, host, 100, 100, 3, cudaMemcpyHostToDevice));
  cudaPointerAttributes pointer;
  CHECK(cudaPointerGetAttributes(&pointer, rows));
  printf("of the %s\n", pointer.type == cudaMemoryTypeDevice ? "device" : "host");
  cudaIpcMemHandle_t handle;
  CHECK(cudaIpcGetMemHandle(&handle, a));
  add<<<1, 2000>>>(a, 1);
  CHECK(cudaGetLastError());
  CHECK(cudaGetLastError());
  CHECK(cudaFree(a));
  CHECK(cudaFree(rows));
  CHECK(cudaDeviceSynchronize());
}
