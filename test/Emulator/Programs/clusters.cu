// Blocks of a cluster, as CUDA's cooperative groups have them: a histogram in
// the shared memory of all blocks, and sums passed round.

#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Each block holds 32 of the bins; any block counts into any of them.
extern "C" __global__ void __cluster_dims__(4, 1, 1)
    histogram(const int *values, int *bins, int count) {
  __shared__ int own[32];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 32; i += blockDim.x)
    own[i] = 0;
  cluster.sync();
  int first = blockIdx.x / 4 * 4 * blockDim.x + cluster.thread_rank();
  for (int i = first; i < count; i += gridDim.x * blockDim.x) {
    int bin = values[i] & 127;
    atomicAdd(cluster.map_shared_rank(own, bin / 32) + bin % 32, 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 32; i += blockDim.x)
    atomicAdd(bins + cluster.block_rank() * 32 + i, own[i]);
}

// Each block adds what the ones of lower rank hold; between arrival and wait it
// works on its own.
extern "C" __global__ void __cluster_dims__(2, 2, 1) prefix(int *out) {
  __shared__ int sum;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    sum = (blockIdx.y * gridDim.x + blockIdx.x) * 10;
  auto token = cluster.barrier_arrive();
  int total = 0;
  cluster.barrier_wait(static_cast<decltype(token) &&>(token));
  for (unsigned rank = 0; rank <= cluster.block_rank(); ++rank)
    total += *cluster.map_shared_rank(&sum, rank);
  cluster.sync();
  int *place = out + 4 * (blockIdx.y * gridDim.x + blockIdx.x);
  if (threadIdx.x == 0) {
    place[0] = total;
    place[1] = cluster.block_rank();
    place[2] = cluster.num_blocks();
    place[3] = cluster.dim_blocks().x * 10 + cluster.block_index().y;
  }
}

// One barrier too few: rank 1 may not have written.
extern "C" __global__ void __cluster_dims__(2, 1, 1) unordered(int *out) {
  __shared__ int word;
  cg::cluster_group cluster = cg::this_cluster();
  if (threadIdx.x == 0)
    word = blockIdx.x;
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] =
      *cluster.map_shared_rank(&word, cluster.block_rank() ^ 1);
  cluster.sync();
}
