// Lanes that go apart: early exits, loops of different lengths inside each
// other, breaks, gotos into a common tail, short-circuit conditions.

extern "C" __global__ void collatz(const unsigned *in, int *steps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned x = in[i];
  if (x == 0) {
    steps[i] = -1;
    return;
  }
  int count = 0;
  while (x != 1) {
    x = x & 1 ? 3 * x + 1 : x / 2;
    if (++count == 200)
      break;
  }
  steps[i] = count;
}

extern "C" __global__ void nested(const int *in, int *out) {
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < in[t]; ++i) {
    if (i % 3 == t % 3)
      continue;
    for (int j = i; j < in[t ^ 1]; j += 1 + (t & 3)) {
      int k = j;
      while (k > 0) {
        sum += k & 1;
        k >>= 1 + (i & 1);
      }
      if (sum > 500)
        goto end;
    }
  }
  sum += 10000;
end:
  out[t] = sum;
}

extern "C" __global__ void mandelbrot(unsigned char *out, int width,
                                      int limit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= width)
    return;
  double cr = x * 3.0 / width - 2.0, ci = y * 2.0 / gridDim.y - 1.0, zr = 0,
         zi = 0;
  int i = 0;
  for (; i < limit && zr * zr + zi * zi < 4; ++i) {
    double next = __dsub_rn(__dmul_rn(zr, zr), __dmul_rn(zi, zi));
    zi = __dadd_rn(__dmul_rn(2 * zr, zi), ci);
    zr = __dadd_rn(next, cr);
  }
  out[y * width + x] = (unsigned char)i;
}

// Threads that have left take no part in the barriers of the others.
extern "C" __global__ void leaving(const int *in, int *out) {
  __shared__ int values[128];
  int t = threadIdx.x;
  values[t] = in[t];
  if (t >= 96)
    return;
  __syncthreads();
  int sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += values[(t + 32 * i) % 96];
  __syncthreads();
  values[t] = sum;
  __syncthreads();
  out[t] = values[95 - t];
}
