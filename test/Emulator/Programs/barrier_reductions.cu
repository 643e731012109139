// Barriers that count and combine predicates over the block.

extern "C" __global__ void predicates(const int *a, int *out) {
  int t = threadIdx.x, n = blockDim.x, x = a[blockIdx.x * n + t];
  int *mine = out + blockIdx.x * 4 * n;
  mine[0 * n + t] = __syncthreads_count(x > 0);
  mine[1 * n + t] = __syncthreads_and(x > -60);
  mine[2 * n + t] = __syncthreads_or(x > 95);
  mine[3 * n + t] = __syncthreads_count(x & 1);
}

// Go on until every thread is done, each in its own number of steps.
extern "C" __global__ void until_all(const int *a, int *steps) {
  int t = threadIdx.x, left = a[t], round = 0;
  while (__syncthreads_or(left > 0)) {
    if (left > 0)
      left -= 3;
    ++round;
  }
  steps[t] = round;
}
