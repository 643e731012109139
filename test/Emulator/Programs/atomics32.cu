// Every 32-bit atomic of global memory, with the values that were there before.

extern "C" __global__ void operations(const int *a, int *cells,
                                      unsigned *ucells, int *old) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, n = gridDim.x * blockDim.x,
      x = a[t];
  old[0 * n + t] = atomicAdd(cells + 0, x);
  old[1 * n + t] = atomicSub(cells + 1, x);
  old[2 * n + t] = atomicMin(cells + 2, x);
  old[3 * n + t] = atomicMax(cells + 3, x);
  old[4 * n + t] = atomicAnd(cells + 4, ~(1 << (t & 15)));
  old[5 * n + t] = atomicOr(cells + 5, 1 << (t & 31));
  old[6 * n + t] = atomicXor(cells + 6, x);
  old[7 * n + t] = atomicExch(cells + 7, t);
  old[8 * n + t] = int(atomicMin(ucells + 0, unsigned(x)));
  old[9 * n + t] = int(atomicMax(ucells + 1, unsigned(x)));
  old[10 * n + t] = int(atomicInc(ucells + 2, 36));
  old[11 * n + t] = int(atomicDec(ucells + 3, 50));
}

// An atomic that the hardware lacks, by compare and swap.
extern "C" __global__ void multiply(unsigned *product, unsigned factor) {
  unsigned old = *(volatile unsigned *)product, assumed;
  do {
    assumed = old;
    old = atomicCAS(product, assumed, assumed * factor);
  } while (old != assumed);
}

// Results that nobody reads become red; addresses differ from lane to lane.
extern "C" __global__ void scatter(const int *index, int *bins, float *sums) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(bins + index[t], 1);
  atomicAdd(sums + index[t], 0.5f);
  if (t & 1)
    atomicMax(bins + 64 + index[t], t);
}
