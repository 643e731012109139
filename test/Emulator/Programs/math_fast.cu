// The approximate functions of the hardware, with flush to zero, as
// --use_fast_math makes them.

extern "C" __global__ void approximate(const float *a, const float *b,
                                       float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = a[i], y = b[i];
  out[0 * n + i] = __sinf(x);
  out[1 * n + i] = __cosf(x);
  out[2 * n + i] = __expf(x);
  out[3 * n + i] = __logf(y);
  out[4 * n + i] = __log2f(y);
  out[5 * n + i] = __powf(y, x);
  out[6 * n + i] = __fdividef(x, y);
  out[7 * n + i] = x / y;
  out[8 * n + i] = sqrtf(y);
  out[9 * n + i] = rsqrtf(y);
  out[10 * n + i] = sinf(x) * expf(x);
  float t;
  asm("tanh.approx.f32 %0, %1;" : "=f"(t) : "f"(x));
  out[11 * n + i] = t;
}
