// A histogram: private bins in shared memory, added up by atomics at the end;
// and one with packed 8-bit counters.

extern "C" __global__ void histogram(const unsigned char *data, unsigned *bins,
                                     int n) {
  __shared__ unsigned local[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    local[i] = 0;
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    if (local[i])
      atomicAdd(&bins[i], local[i]);
}

extern "C" __global__ void packed(const unsigned char *data, unsigned *bins,
                                  int per_thread) {
  extern __shared__ unsigned char counters[];
  int t = threadIdx.x, threads = blockDim.x;
  for (int bin = 0; bin < 16; ++bin)
    counters[bin * threads + t] = 0;
  for (int i = 0; i < per_thread; ++i)
    ++counters[(data[(blockIdx.x * per_thread + i) * threads + t] & 15) *
                   threads +
               t];
  __syncthreads();
  if (t < 16) {
    unsigned sum = 0;
    for (int i = 0; i < threads; ++i)
      sum += counters[t * threads + i];
    atomicAdd(&bins[t], sum);
  }
}
