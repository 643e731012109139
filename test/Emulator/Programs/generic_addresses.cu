// One pointer for every space: which one is known only when the kernel runs.

__device__ int in_global[32];
__constant__ int in_constant[32] = {7, 1, 4};

__device__ __noinline__ int sum(const int *values, int count) {
  int total = 0;
  for (int i = 0; i < count; ++i)
    total += values[i];
  return total;
}

__device__ __noinline__ void add(int *place, int value) { *place += value; }

extern "C" __global__ void spaces(const int *argument, int *out) {
  __shared__ int in_shared[64];
  int in_local[4] = {1, 2, 3, 4};
  int t = threadIdx.x;
  in_shared[t] = t;
  if (t < 32)
    in_global[t] = 100 + t;
  __syncthreads();
  const int *pointer;
  switch (t % 5) {
  case 0:
    pointer = in_shared + t / 2;
    break;
  case 1:
    pointer = in_local;
    break;
  case 2:
    pointer = in_global + t % 8;
    break;
  case 3:
    pointer = in_constant;
    break;
  default:
    pointer = argument + t;
  }
  int total = sum(pointer, 3);
  __syncthreads();
  int *place = t & 1 ? &in_shared[t] : &total;
  add(place, 1000);
  out[2 * t] = total;
  out[2 * t + 1] = in_shared[t];
}

extern "C" __global__ void queries(const int *argument, unsigned *out) {
  __shared__ int in_shared[8];
  int in_local[2] = {int(threadIdx.x), 1};
  const void *pointers[] = {argument, in_shared, in_local};
  unsigned bits = 0;
  for (int i = 0; i < 3; ++i)
    bits |= (__isGlobal(pointers[i]) << (3 * i)) |
            (__isShared(pointers[i]) << (3 * i + 1)) |
            (__isLocal(pointers[i]) << (3 * i + 2));
  unsigned offset = unsigned(__cvta_generic_to_shared(&in_shared[3]) -
                             __cvta_generic_to_shared(&in_shared[1]));
  out[threadIdx.x] = bits | offset << 16;
}
