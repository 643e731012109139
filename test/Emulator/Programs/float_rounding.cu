// Directed rounding, fused multiply-add, saturation, flush to zero.

extern "C" __global__ void rounding(const float *a, const float *b, float *out,
                                    int n) {
  int i = threadIdx.x;
  float x = a[i], y = b[i];
  float results[] = {__fadd_rn(x, y), __fadd_rz(x, y), __fadd_ru(x, y),
                     __fadd_rd(x, y), __fmul_rn(x, y), __fmul_rz(x, y),
                     __fmul_ru(x, y), __fmul_rd(x, y), __fsub_rn(x, y),
                     __fsub_rz(x, y), __fsub_ru(x, y), __fsub_rd(x, y)};
  for (int j = 0; j < 12; ++j)
    out[j * n + i] = results[j];
}

// These need more bits than f64 has for an exact reference: the inputs are
// small.
extern "C" __global__ void fused(const float *a, const float *b, const float *c,
                                 float *out, int n) {
  int i = threadIdx.x;
  out[0 * n + i] = __fmaf_rn(a[i], b[i], c[i]);
  out[1 * n + i] = __fmaf_rz(a[i], b[i], c[i]);
  out[2 * n + i] = __fmaf_ru(a[i], b[i], c[i]);
  out[3 * n + i] = __fmaf_rd(a[i], b[i], c[i]);
  out[4 * n + i] = __saturatef(a[i] * b[i]);
}

extern "C" __global__ void quotients(const float *a, const float *b, float *out,
                                     int n) {
  int i = threadIdx.x;
  out[0 * n + i] = __fdiv_rn(a[i], b[i]);
  out[1 * n + i] = __fsqrt_rn(a[i]);
  out[2 * n + i] = __frcp_rn(b[i]);
  out[3 * n + i] = __fsqrt_ru(a[i]);
  out[4 * n + i] = __fsqrt_rd(a[i]);
  out[5 * n + i] = a[i] / b[i];
  out[6 * n + i] = sqrtf(a[i]);
}

extern "C" __global__ void flush(const float *a, float *out, int n) {
  int i = threadIdx.x;
  float x = a[i], kept, flushed;
  asm("add.rn.f32 %0, %1, %1;" : "=f"(kept) : "f"(x));
  asm("add.rn.ftz.f32 %0, %1, %1;" : "=f"(flushed) : "f"(x));
  out[0 * n + i] = kept;
  out[1 * n + i] = flushed;
  asm("mul.rn.ftz.f32 %0, %1, 0f3F000000;" : "=f"(flushed) : "f"(x));
  out[2 * n + i] = flushed;
}

extern "C" __global__ void doubles(const double *a, const double *b,
                                   double *out, int n) {
  int i = threadIdx.x;
  out[0 * n + i] = __dadd_rn(a[i], b[i]);
  out[1 * n + i] = __dmul_rn(a[i], b[i]);
  out[2 * n + i] = __ddiv_rn(a[i], b[i]);
  out[3 * n + i] = __dsqrt_rn(a[i]);
  out[4 * n + i] = __drcp_rn(b[i]);
  out[5 * n + i] = a[i] / b[i];
}
