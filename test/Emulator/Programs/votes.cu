// Votes, matches and the ids of lanes, by whole warps and by parts of them.

extern "C" __global__ void votes(const int *a, unsigned *out) {
  int t = threadIdx.x, n = blockDim.x, x = a[t];
  unsigned all = 0xffffffffu;
  out[0 * n + t] = __ballot_sync(all, x > 0);
  out[1 * n + t] = __any_sync(all, x > 90);
  out[2 * n + t] = __all_sync(all, x > -90);
  out[3 * n + t] = __match_any_sync(all, x / 40);
  int same;
  out[4 * n + t] = __match_all_sync(all, x > 1000 ? 1 : 2, &same);
  out[5 * n + t] = same;
  out[6 * n + t] = __match_all_sync(all, x, &same);
  out[7 * n + t] = same;
  out[8 * n + t] = __match_any_sync(all, (unsigned long long)(x / 60) << 40);
  int uniform;
  asm volatile(
      "{\n\t.reg .pred p, q;\n\tsetp.gt.s32 p, %1, 0;\n\t"
      "vote.sync.uni.pred q, p, 0xffffffff;\n\tselp.s32 %0, 1, 0, q;\n\t}"
      : "=r"(uniform)
      : "r"(x));
  out[9 * n + t] = uniform;
}

extern "C" __global__ void parts(const int *a, unsigned *out) {
  int t = threadIdx.x;
  unsigned mask = 0;
  if (a[t] & 1) {
    mask = __activemask();
    out[t] = __ballot_sync(mask, a[t] > 0);
  } else {
    unsigned even = __activemask();
    out[t] = __popc(even) + 1000 * __any_sync(even, a[t] > 50);
  }
}

extern "C" __global__ void ids(unsigned *out) {
  unsigned t = threadIdx.x, n = blockDim.x, value;
#define READ(ROW, NAME)                                                        \
  asm volatile("mov.u32 %0, %%" NAME ";" : "=r"(value));                       \
  out[(ROW) * n + t] = value
  READ(0, "laneid");
  READ(1, "lanemask_eq");
  READ(2, "lanemask_lt");
  READ(3, "lanemask_le");
  READ(4, "lanemask_gt");
  READ(5, "lanemask_ge");
}
