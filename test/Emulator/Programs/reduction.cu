// Sums of blocks by a tree in shared memory, unrolled by a template, then by
// shuffles; maxima with their indices.

template <int threads>
__device__ float tree(float value) {
  __shared__ float values[threads];
  int t = threadIdx.x;
  values[t] = value;
  __syncthreads();
#pragma unroll
  for (int half = threads / 2; half > 0; half /= 2) {
    if (t < half)
      values[t] += values[t + half];
    __syncthreads();
  }
  return values[0];
}

extern "C" __global__ void sums(const float *in, float *out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    sum += in[i];
  sum = tree<128>(sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

extern "C" __global__ void shuffled(const double *in, double *out, int n) {
  __shared__ double partial[32];
  int t = threadIdx.x, lane = t & 31, warp = t / 32;
  double sum = 0;
  for (int i = t; i < n; i += blockDim.x)
    sum += in[i];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (lane == 0)
    partial[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < blockDim.x / 32 ? partial[lane] : 0.0;
    for (int step = 16; step > 0; step /= 2)
      sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (lane == 0)
      *out = sum;
  }
}

extern "C" __global__ void argmax(const float *in, float *value, int *index,
                                  int n) {
  __shared__ float values[64];
  __shared__ int indices[64];
  int t = threadIdx.x;
  float best = -INFINITY;
  int at = -1;
  for (int i = t; i < n; i += 64)
    if (in[i] > best)
      best = in[at = i];
  values[t] = best;
  indices[t] = at;
  for (int half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (t < half &&
        (values[t + half] > values[t] ||
         (values[t + half] == values[t] && indices[t + half] < indices[t]))) {
      values[t] = values[t + half];
      indices[t] = indices[t + half];
    }
  }
  if (t == 0) {
    *value = values[0];
    *index = indices[0];
  }
}
