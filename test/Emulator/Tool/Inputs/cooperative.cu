// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum over a grid, whose blocks wait for each other by cooperative groups.

#include <cooperative_groups.h>
#include <cstdio>

__global__ void sum(const int *in, int *parts, int *out) {
  cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  __shared__ int part;
  if (threadIdx.x == 0)
    part = 0;
  __syncthreads();
  atomicAdd(&part, in[grid.thread_rank()]);
  __syncthreads();
  if (threadIdx.x == 0)
    parts[blockIdx.x] = part;
  grid.sync();
  if (grid.thread_rank() != 0)
    return;
  int all = 0;
  for (int i = 0; i < gridDim.x; ++i)
    all += parts[i];
  *out = all;
}

int main() {
  constexpr int blocks = 24, threads = 64;
  int *in, *parts, *out, host[blocks * threads], found = 0;
  for (int i = 0; i < blocks * threads; ++i)
    host[i] = i;
  cudaMalloc(&in, sizeof(host));
  cudaMalloc(&parts, blocks * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(in, host, sizeof(host), cudaMemcpyHostToDevice);
  void *arguments[] = {&in, &parts, &out};
  cudaError_t error = cudaLaunchCooperativeKernel((const void *)sum, dim3(blocks), dim3(threads), arguments);
  cudaMemcpy(&found, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%s: %d, expected %d\n", cudaGetErrorName(error), found, blocks * threads * (blocks * threads - 1) / 2);
  cudaFree(in);
  cudaFree(parts);
  cudaFree(out);
}
