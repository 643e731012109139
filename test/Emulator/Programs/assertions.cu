// assert, __trap and __brkpt end a kernel as on a device.

#undef NDEBUG
#include <cassert>

extern "C" __global__ void checked(const int *a, int *out, int limit) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  assert(a[t] < limit);
  out[t] = a[t] + 1;
}

extern "C" __global__ void trapped(const int *a) {
  if (a[threadIdx.x] == 13)
    __trap();
}
