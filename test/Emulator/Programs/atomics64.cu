// 64-bit atomics, those of floating point, and those of 16 bits and of pairs.

#include <cuda_fp16.h>

extern "C" __global__ void integers(const long long *a, long long *cells,
                                    unsigned long long *ucells,
                                    long long *old) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x;
  long long x = a[t];
  old[0 * n + t] = (long long)atomicAdd(ucells + 0, (unsigned long long)x);
  old[1 * n + t] = atomicMin(cells + 0, x);
  old[2 * n + t] = atomicMax(cells + 1, x);
  old[3 * n + t] = (long long)atomicMin(ucells + 1, (unsigned long long)x);
  old[4 * n + t] = (long long)atomicMax(ucells + 2, (unsigned long long)x);
  old[5 * n + t] = (long long)atomicAnd(ucells + 3, ~(1ull << (t & 63)));
  old[6 * n + t] = (long long)atomicOr(ucells + 4, 1ull << (t & 63));
  old[7 * n + t] = (long long)atomicXor(ucells + 5, (unsigned long long)x);
  old[8 * n + t] = (long long)atomicExch(ucells + 6, (unsigned long long)t);
  unsigned long long seen = *(volatile unsigned long long *)(ucells + 7),
                     assumed;
  do {
    assumed = seen;
    seen = atomicCAS(ucells + 7, assumed, assumed + 3);
  } while (seen != assumed);
}

extern "C" __global__ void floats(const double *a, double *sums, float *fsums,
                                  __half2 *pair) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(sums, a[t]);
  atomicAdd(fsums, float(a[t]));
  float old = atomicExch(fsums + 1, float(t));
  atomicAdd(fsums + 2, old);
  atomicAdd(pair, __floats2half2_rn(1.0f, -0.5f));
}

// LLVM's own expansions for 16 bits begin with a plain load, which is a race.
__device__ unsigned short swap16(unsigned short *cell, unsigned short compare,
                                 unsigned short value) {
  unsigned short old;
  asm volatile("atom.cas.b16 %0, [%1], %2, %3;"
               : "=h"(old)
               : "l"(cell), "h"(compare), "h"(value)
               : "memory");
  return old;
}

extern "C" __global__ void small(unsigned short *cell, __half *half) {
  unsigned short old = *(volatile unsigned short *)cell, assumed;
  do {
    assumed = old;
    old = swap16(cell, assumed, (unsigned short)(assumed * 3 + 1));
  } while (old != assumed);
#ifdef __clang__
  atomicAdd(reinterpret_cast<__half2 *>(half), __floats2half2_rn(0.25f, 0.0f));
#else
  atomicAdd(half, __float2half(0.25f));
#endif
}
