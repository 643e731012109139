// All shuffles: modes, widths, 64 bits, parts of a warp; a reduction and a
// scan.

extern "C" __global__ void modes(const int *a, const int *lanes, int *out) {
  int t = threadIdx.x, x = a[t], n = blockDim.x;
  unsigned all = 0xffffffffu;
  out[0 * n + t] = __shfl_sync(all, x, lanes[t]);
  out[1 * n + t] = __shfl_up_sync(all, x, 3);
  out[2 * n + t] = __shfl_down_sync(all, x, 5);
  out[3 * n + t] = __shfl_xor_sync(all, x, 9);
  out[4 * n + t] = __shfl_sync(all, x, lanes[t], 8);
  out[5 * n + t] = __shfl_up_sync(all, x, 2, 16);
  out[6 * n + t] = __shfl_down_sync(all, x, 1, 4);
  out[7 * n + t] = __shfl_xor_sync(all, x, 6, 8);
}

extern "C" __global__ void wide(const double *a, const long long *b,
                                double *sum, long long *scan) {
  int t = threadIdx.x, lane = t & 31;
  double x = a[t];
  for (int step = 16; step > 0; step /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, step);
  sum[t] = x;
  long long y = b[t];
  for (int step = 1; step < 32; step *= 2) {
    long long other = __shfl_up_sync(0xffffffffu, y, step);
    if (lane >= step)
      y += other;
  }
  scan[t] = y;
}

// The two halves of a warp shuffle apart, each by itself.
extern "C" __global__ void halves(const float *a, float *out) {
  int t = threadIdx.x;
  float x = a[t];
  if ((t & 31) < 16) {
    for (int step = 8; step > 0; step /= 2)
      x += __shfl_down_sync(0x0000ffffu, x, step, 16);
  } else {
    for (int step = 8; step > 0; step /= 2)
      x = fmaxf(x, __shfl_down_sync(0xffff0000u, x, step, 16));
  }
  out[t] = x;
}

// The predicate that says whether the source lane is in range.
extern "C" __global__ void predicates(int *out) {
  int lane = threadIdx.x, value, valid;
  asm volatile(
      "{\n\t.reg .pred p;\n\tshfl.sync.up.b32 %0|p, %2, 4, 0, 0xffffffff;\n\t"
      "selp.s32 %1, 1, 0, p;\n\t}"
      : "=r"(value), "=r"(valid)
      : "r"(lane * 10));
  out[2 * lane] = value;
  out[2 * lane + 1] = valid;
}
