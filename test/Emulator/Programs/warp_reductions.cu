// redux: reductions of integers over the lanes of a warp, and over parts of it.

extern "C" __global__ void whole(const unsigned *a, unsigned *out) {
  int t = threadIdx.x, n = blockDim.x;
  unsigned x = a[t], all = 0xffffffffu;
  out[0 * n + t] = __reduce_add_sync(all, x);
  out[1 * n + t] = __reduce_min_sync(all, x);
  out[2 * n + t] = __reduce_max_sync(all, x);
  out[3 * n + t] = unsigned(__reduce_min_sync(all, int(x)));
  out[4 * n + t] = unsigned(__reduce_max_sync(all, int(x)));
  out[5 * n + t] = __reduce_and_sync(all, x | 0xff);
  out[6 * n + t] = __reduce_or_sync(all, x & 0xff00ff);
  out[7 * n + t] = __reduce_xor_sync(all, x);
}

extern "C" __global__ void parts(const unsigned *a, unsigned *out) {
  int t = threadIdx.x, lane = t & 31;
  if (lane % 3 == 0)
    out[t] = __reduce_add_sync(0x49249249u, a[t]);
  else
    out[t] = __reduce_max_sync(~0x49249249u, a[t]);
}
