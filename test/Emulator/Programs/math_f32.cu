// The f32 functions of CUDA's math library, each over its whole domain.

#define ONE(INDEX, CALL) out[(INDEX) * n + i] = CALL

extern "C" __global__ void unary(const float *a, const float *positive,
                                 const float *unit, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = a[i], y = positive[i], u = unit[i];
  ONE(0, sinf(x));
  ONE(1, cosf(x));
  ONE(2, tanf(x));
  ONE(3, expf(u * 80));
  ONE(4, exp2f(u * 120));
  ONE(5, exp10f(u * 37));
  ONE(6, expm1f(u * 10));
  ONE(7, logf(y));
  ONE(8, log2f(y));
  ONE(9, log10f(y));
  ONE(10, log1pf(y));
  ONE(11, sqrtf(y));
  ONE(12, rsqrtf(y));
  ONE(13, cbrtf(x));
  ONE(14, tanhf(u * 10));
  ONE(15, sinhf(u * 10));
  ONE(16, coshf(u * 10));
  ONE(17, asinf(u));
  ONE(18, acosf(u));
  ONE(19, atanf(x));
  ONE(20, asinhf(x));
  ONE(21, acoshf(y + 1));
  ONE(22, atanhf(u));
  ONE(23, erff(u * 4));
  ONE(24, 1.0f / y);
}

extern "C" __global__ void binary(const float *a, const float *b, float *out,
                                  int *exponents, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float x = a[i], y = b[i];
  ONE(0, powf(fabsf(x), y));
  ONE(1, atan2f(x, y));
  ONE(2, hypotf(x, y));
  ONE(3, fmodf(x, y));
  ONE(4, remainderf(x, y));
  ONE(5, fdimf(x, y));
  ONE(6, fmaxf(x, y));
  ONE(7, fminf(x, y));
  ONE(8, copysignf(x, y));
  ONE(9, ldexpf(x, int(y * 10)));
  ONE(10, frexpf(x, exponents + i));
  ONE(11, nextafterf(x, y));
  ONE(12, roundf(x));
  ONE(13, fabsf(x));
  float s, c;
  sincosf(x, &s, &c);
  ONE(14, s);
  ONE(15, c);
}

extern "C" __global__ void classes(const float *a, int *out, int n) {
  int i = threadIdx.x;
  float x = a[i];
  ONE(0, isnan(x) ? 1 : 0);
  ONE(1, isinf(x) ? 1 : 0);
  ONE(2, isfinite(x) ? 1 : 0);
  ONE(3, signbit(x) ? 1 : 0);
  ONE(4, x == x ? 1 : 0);
  ONE(5, x < 1.0f ? 1 : 0);
  ONE(6, !(x >= 1.0f) ? 1 : 0);
}
