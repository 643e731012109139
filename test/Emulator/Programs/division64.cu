// 64-bit division and remainder: by a variable, and by constants that compilers
// turn into a multiplication.

extern "C" __global__ void divide(const unsigned long long *a,
                                  const unsigned long long *b,
                                  unsigned long long *q, unsigned long long *r,
                                  long long *sq, long long *sr, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    q[i] = a[i] / b[i];
    r[i] = a[i] % b[i];
    sq[i] = (long long)a[i] / (long long)b[i];
    sr[i] = (long long)a[i] % (long long)b[i];
  }
}

extern "C" __global__ void constants(const unsigned long long *a,
                                     unsigned long long *out, int n) {
  int i = threadIdx.x;
  out[0 * n + i] = a[i] / 3;
  out[1 * n + i] = a[i] % 1000000007;
  out[2 * n + i] = a[i] / 641;
  out[3 * n + i] = (unsigned long long)((long long)a[i] / 7);
  out[4 * n + i] = (unsigned long long)((long long)a[i] % -12345);
  out[5 * n + i] = unsigned(a[i]) / 7u;
  out[6 * n + i] = unsigned(a[i]) % 10u;
}
