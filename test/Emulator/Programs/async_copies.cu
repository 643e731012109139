// cp.async: a pipeline of two stages by CUDA's primitives, groups by hand, a
// short copy that is filled with zeros, and every size.

#include <cuda_pipeline_primitives.h>

constexpr int tile = 64;

// Sums of each column of tiles, loaded one tile ahead.
extern "C" __global__ void pipelined(const float4 *in, float *out, int tiles) {
  __shared__ __align__(16) float4 stages[2][tile];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stages[0][t], in + t, 16);
  __pipeline_commit();
  float sum = 0;
  for (int i = 0; i < tiles; ++i) {
    if (i + 1 < tiles)
      __pipeline_memcpy_async(&stages[(i + 1) & 1][t], in + (i + 1) * tile + t,
                              16);
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    float4 other = stages[i & 1][tile - 1 - t];
    sum += other.x + 2 * other.y + 3 * other.z + 4 * other.w;
    __syncthreads();
  }
  out[t] = sum;
}

__device__ unsigned to_shared(const void *pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}

extern "C" __global__ void groups(const int *in, int *out) {
  __shared__ __align__(16) int a[4 * 32], b[2 * 32], c[32], d[4 * 32];
  int t = threadIdx.x;
  asm volatile(
      "cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to_shared(a + 4 * t)),
      "l"(in + 4 * t)
      : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.ca.shared.global.L2::128B [%0], [%1], 8;" ::"r"(
                   to_shared(b + 2 * t)),
               "l"(in + 2 * t)
               : "memory");
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to_shared(c + t)),
      "l"(in + t)
      : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  // The first 4 * (t % 5) bytes; the others become 0.
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                   to_shared(d + 4 * t)),
               "l"(in + 4 * t), "r"(4 * (t % 5))
               : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 2;" ::: "memory");
  int sum = a[4 * t + 3];
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  sum += 10 * b[2 * t + 1] + 100 * c[t];
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t] = sum;
  for (int i = 0; i < 4; ++i)
    out[32 + 4 * t + i] = d[(4 * t + i + 4) % 128];
}
