// Filters that write what they keep one after another: the lanes of a warp that
// keep something share one atomic.

#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void by_hand(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] <= 0)
    return;
  unsigned active = __activemask(), lane = threadIdx.x & 31;
  int leader = __ffs(active) - 1, base;
  if (lane == leader)
    base = atomicAdd(count, __popc(active));
  base = __shfl_sync(active, base, leader);
  out[base + __popc(active & ((1u << lane) - 1))] = in[i];
}

extern "C" __global__ void by_groups(const int *in, int *out, int *count,
                                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) {
    auto group = cg::coalesced_threads();
    int base;
    if (group.thread_rank() == 0)
      base = atomicAdd(count, int(group.size()));
    out[group.shfl(base, 0) + group.thread_rank()] = in[i];
  }
}
