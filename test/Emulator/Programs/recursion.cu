// Recursion has no bound on its stack, and is refused before anything runs.

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

extern "C" __global__ void kernel(int *out) { out[0] = ackermann(2, out[1]); }
