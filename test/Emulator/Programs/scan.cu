// Prefix sums: of one block by doubling steps, work-efficient with padding
// against bank conflicts, and of many blocks in three kernels.

extern "C" __global__ void doubling(const int *in, int *out, int n) {
  extern __shared__ int buffers[];
  int t = threadIdx.x, from = 0, to = n;
  buffers[t] = in[t];
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
    buffers[to + t] =
        buffers[from + t] + (t >= step ? buffers[from + t - step] : 0);
    int swap = from;
    from = to;
    to = swap;
    __syncthreads();
  }
  out[t] = buffers[from + t];
}

__device__ int padded(int i) { return i + i / 32; }

// Each block scans 2 * blockDim.x numbers, exclusively.
extern "C" __global__ void blocks(const int *in, int *out, int *sums) {
  extern __shared__ int values[];
  int t = threadIdx.x, n = 2 * blockDim.x, base = blockIdx.x * n;
  values[padded(2 * t)] = in[base + 2 * t];
  values[padded(2 * t + 1)] = in[base + 2 * t + 1];
  int offset = 1;
  for (int d = n / 2; d > 0; d /= 2, offset *= 2) {
    __syncthreads();
    if (t < d)
      values[padded(offset * (2 * t + 2) - 1)] +=
          values[padded(offset * (2 * t + 1) - 1)];
  }
  __syncthreads();
  if (t == 0) {
    sums[blockIdx.x] = values[padded(n - 1)];
    values[padded(n - 1)] = 0;
  }
  for (int d = 1; d < n; d *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < d) {
      int a = padded(offset * (2 * t + 1) - 1),
          b = padded(offset * (2 * t + 2) - 1);
      int left = values[a];
      values[a] = values[b];
      values[b] += left;
    }
  }
  __syncthreads();
  out[base + 2 * t] = values[padded(2 * t)];
  out[base + 2 * t + 1] = values[padded(2 * t + 1)];
}

extern "C" __global__ void add(int *out, const int *offsets) {
  out[blockIdx.x * blockDim.x + threadIdx.x] += offsets[blockIdx.x];
}
