// printf from kernels: every conversion, widths, strings, more arguments than
// fit into registers, and lanes that print or do not.

#include <cstdio>

extern "C" __global__ void formats(double d, const char *unused) {
  if (threadIdx.x != 0)
    return;
  printf("plain\n");
  printf("%d %i %u %x %X %o %c %%\n", -5, 7, 3000000000u, 255, 255, 8, 'z');
  printf("%ld %lld %llu %#llx %hhd\n", -1l, -(1ll << 40), ~0ull, 0xabcdefull,
         (char)-3);
  printf("[%5d] [%-5d] [%05d] [%+d] [%.3d] [%*d]\n", 42, 42, 42, 42, 7, 6, 42);
  printf("%f %.2f %10.3e %g %G %a\n", d, d, d, d, 1e-20, 1.0);
  printf("%s [%8s] [%-8s] [%.2s]\n", "text", "right", "left", "cut");
  printf("%d %d %d %d %d %d %d %d %d %d\n", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
}

extern "C" __global__ void threads(const int *a) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (a[t] > 0)
    printf("thread %d of block %d has %d\n", threadIdx.x, blockIdx.x, a[t]);
}

extern "C" __global__ void result(int *out) {
  out[threadIdx.x] = printf("%d %d", 1, 2);
}
