// A bitonic sort of keys with values in shared memory, with a barrier a step.

extern "C" __global__ void sort(unsigned *keys, unsigned short *values) {
  extern __shared__ unsigned shared_keys[];
  int t = threadIdx.x, n = 2 * blockDim.x;
  unsigned short *shared_values =
      reinterpret_cast<unsigned short *>(shared_keys + n);
  unsigned *mine = keys + blockIdx.x * n;
  unsigned short *payload = values + blockIdx.x * n;
  for (int i = t; i < n; i += blockDim.x) {
    shared_keys[i] = mine[i];
    shared_values[i] = payload[i];
  }
  for (int size = 2; size <= n; size *= 2)
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int i = 2 * t - (t & (stride - 1)), j = i + stride;
      bool ascending = (i & size) == 0;
      if ((shared_keys[i] > shared_keys[j]) == ascending) {
        unsigned key = shared_keys[i];
        shared_keys[i] = shared_keys[j];
        shared_keys[j] = key;
        unsigned short value = shared_values[i];
        shared_values[i] = shared_values[j];
        shared_values[j] = value;
      }
    }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) {
    mine[i] = shared_keys[i];
    payload[i] = shared_values[i];
  }
}
