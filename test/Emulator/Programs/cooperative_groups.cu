// Cooperative groups: tiles of a warp, their shuffles, votes and reductions,
// and the barriers of blocks and tiles.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

extern "C" __global__ void tiles(const int *in, int *out) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int t = block.thread_rank(), n = block.size(), x = in[t];
  out[0 * n + t] = tile.meta_group_rank() * 100 + tile.thread_rank();
  out[1 * n + t] = tile.shfl(x, 3);
  out[2 * n + t] = tile.shfl_xor(x, 5);
  out[3 * n + t] = tile.any(x > 90);
  out[4 * n + t] = tile.ballot(x > 0);
  out[5 * n + t] = cg::reduce(tile, x, cg::plus<int>());
  out[6 * n + t] =
      cg::reduce(cg::tiled_partition<32>(block), x, cg::greater<int>());
  out[7 * n + t] = cg::inclusive_scan(tile, x);
}

extern "C" __global__ void blocks(const int *in, int *out) {
  __shared__ int values[96];
  auto block = cg::this_thread_block();
  int t = block.thread_rank();
  values[t] = in[t];
  block.sync();
  auto halves = cg::tiled_partition(block, 16);
  int sum = 0;
  for (int i = 0; i < int(halves.size()); ++i)
    sum += values[t / 16 * 16 + i];
  halves.sync();
  out[t] = sum + values[95 - t];
}
