// Asynchronous copies, barriers, printf and assert as CUDA C++ writes them.

#include <cuda/barrier>
#include <cuda_pipeline.h>

#include <cassert>
#include <cstdio>

using Barrier = cuda::barrier<cuda::thread_scope_block>;

/// Reverses rows of 128 floats through two tiles, one row ahead.
extern "C" __global__ void pipeline(const float *in, float *out, int rows) {
  __shared__ float tile[2][128];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[0][t], in + t, sizeof(float));
  __pipeline_commit();
  for (int row = 0; row < rows; ++row) {
    if (row + 1 < rows)
      __pipeline_memcpy_async(&tile[(row + 1) & 1][t], in + (row + 1) * 128 + t,
                              sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    out[row * 128 + t] = tile[row & 1][127 - t];
    __syncthreads();
  }
}

/// Copies that arrive on a barrier, then a second phase without copies.
extern "C" __global__ void barriers(const float *in, float *out) {
  __shared__ Barrier barrier;
  __shared__ float tile[128];
  if (threadIdx.x == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x, sizeof(float),
                     barrier);
  barrier.arrive_and_wait();
  float value = tile[127 - threadIdx.x];
  auto token = barrier.arrive();
  barrier.wait(std::move(token));
  tile[threadIdx.x] = value + 1;
  barrier.arrive_and_wait();
  out[threadIdx.x] = tile[threadIdx.x ^ 1];
}

/// The first warp writes, the others read, `rounds` times.
extern "C" __global__ void producer(float *out, int rounds) {
  __shared__ Barrier ready, filled;
  __shared__ float value;
  if (threadIdx.x == 0) {
    init(&ready, blockDim.x);
    init(&filled, blockDim.x);
  }
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < rounds; ++i) {
    ready.arrive_and_wait();
    if (threadIdx.x == 0)
      value = i + 1;
    filled.arrive_and_wait();
    sum += value;
  }
  out[threadIdx.x] = sum;
}

extern "C" __global__ void talk(int n) {
  printf("block %d thread %d: %s %.2f %lld %p %c 100%%\n", blockIdx.x,
         threadIdx.x, "text", 1.5f, -123456789012ll, (void *)0x10, 'c');
  assert(int(threadIdx.x) < n);
  printf("none\n");
}

/// Reductions at barriers: how many are odd, all below 100, any 5.
extern "C" __global__ void reductions(int *out) {
  int t = threadIdx.x;
  out[t] = __syncthreads_count(t & 1) * 100 + __syncthreads_and(t < 100) * 10 +
           __syncthreads_or(t == 5);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  __nanosleep(10);
}

extern "C" __global__ void heap(int *out) {
  int *memory = static_cast<int *>(malloc(16));
  memory[3] = threadIdx.x * 3;
  out[threadIdx.x] = memory[3];
  free(memory);
}
