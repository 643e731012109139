// A lock that the lanes of one warp fight for, and one between blocks: threads
// that wait for others of their own warp must let them go on.

__device__ void acquire(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0)
    ;
  __threadfence();
}

__device__ void release(int *lock) {
  __threadfence();
  atomicExch(lock, 0);
}

extern "C" __global__ void critical(int *lock, volatile int *data) {
  // Not atomic: only the lock protects it.
  acquire(lock);
  data[0] = data[0] + 1;
  data[1] = data[1] + data[0];
  release(lock);
}

extern "C" __global__ void cells(int *locks, volatile int *sums, const int *in,
                                 int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n)
    return;
  int cell = in[t] & 3;
  bool done = false;
  while (!done) {
    if (atomicCAS(locks + cell, 0, 1) == 0) {
      __threadfence();
      sums[cell] = sums[cell] + in[t];
      __threadfence();
      atomicExch(locks + cell, 0);
      done = true;
    }
  }
}
