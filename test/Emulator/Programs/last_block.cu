// The block that finishes last adds up what all blocks wrote: a counter,
// fences, and no second kernel.

__device__ unsigned finished;

extern "C" __global__ void total(const float *in, volatile float *partial,
                                 float *out, int n) {
  __shared__ float values[64];
  __shared__ bool is_last;
  int t = threadIdx.x;
  float sum = 0;
  for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64)
    sum += in[i];
  values[t] = sum;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      values[t] += values[t + half];
  }
  if (t == 0) {
    partial[blockIdx.x] = values[0];
    __threadfence();
    unsigned ticket = atomicInc(&finished, gridDim.x - 1);
    is_last = ticket == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last)
    return;
  __threadfence();
  sum = 0;
  for (int i = t; i < gridDim.x; i += 64)
    sum += partial[i];
  values[t] = sum;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half)
      values[t] += values[t + half];
  }
  if (t == 0)
    *out = values[0];
}
