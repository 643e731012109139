// Dot products of packed bytes and the video instructions in software.

extern "C" __global__ void dots(const int *a, const int *b, const int *c,
                                int *out) {
  int t = threadIdx.x, n = blockDim.x;
  out[0 * n + t] = __dp4a(a[t], b[t], c[t]);
  out[1 * n + t] = int(__dp4a(unsigned(a[t]), unsigned(b[t]), unsigned(c[t])));
  out[2 * n + t] = __dp2a_lo(a[t], b[t], c[t]);
  out[3 * n + t] = __dp2a_hi(a[t], b[t], c[t]);
  out[4 * n + t] = int(__vadd4(a[t], b[t]));
  out[5 * n + t] = int(__vmaxs2(a[t], b[t]));
  out[6 * n + t] = int(__vavgu4(a[t], b[t]));
  out[7 * n + t] = int(__vcmpeq4(a[t], b[t]));
}
