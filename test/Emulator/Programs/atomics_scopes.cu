// Atomics of each scope and order, plain ones and those of libcu++, and the
// fences between threads that pass messages.

#include <cuda/atomic>

extern "C" __global__ void scopes(int *cells) {
  __shared__ int local;
  if (threadIdx.x == 0)
    local = 0;
  __syncthreads();
  atomicAdd_block(&local, 2);
  atomicAdd(cells + 0, 1);
  atomicAdd_system(cells + 1, 1);
  atomicMax_block(cells + 2 + blockIdx.x, int(threadIdx.x));
  __syncthreads();
  if (threadIdx.x == 0)
    atomicAdd(cells + 6, local);
}

extern "C" __global__ void orders(int *cells, long long *wide, int *old) {
  int t = threadIdx.x;
  cuda::atomic_ref<int, cuda::thread_scope_device> device(cells[0]);
  cuda::atomic_ref<int, cuda::thread_scope_block> block(cells[1]);
  cuda::atomic_ref<long long, cuda::thread_scope_system> system(wide[0]);
  old[t] = device.fetch_add(1, cuda::memory_order_relaxed);
  block.fetch_or(1 << (t & 31), cuda::memory_order_acq_rel);
  system.fetch_sub(t, cuda::memory_order_seq_cst);
  int expected = t;
  cuda::atomic_ref<int, cuda::thread_scope_device> turn(cells[2]);
  // Threads take their turns in any order: add until none is lost.
  expected = turn.load(cuda::memory_order_acquire);
  while (!turn.compare_exchange_weak(expected, expected + 2,
                                     cuda::memory_order_release,
                                     cuda::memory_order_relaxed))
    ;
}

// A message from each warp to the next: data, fence, flag.
extern "C" __global__ void messages(int *out, int rounds) {
  __shared__ int data[8];
  __shared__ volatile int flags[8];
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31, warps = blockDim.x / 32;
  if (lane == 0)
    flags[warp] = 0;
  __syncthreads();
  if (lane == 0) {
    for (int round = 1; round <= rounds; ++round) {
      if (warp > 0 || round > 1) {
        int from = warp > 0 ? warp - 1 : warps - 1,
            number = warp > 0 ? round : round - 1;
        while (flags[from] < number)
          ;
        __threadfence_block();
      }
      int value = warp > 0 ? data[warp - 1] : round > 1 ? data[warps - 1] : 0;
      data[warp] = value + 1;
      __threadfence_block();
      flags[warp] = round;
    }
  }
  __syncthreads();
  if (lane == 0)
    out[warp] = data[warp];
}
