// The f64 functions of CUDA's math library.

#define ONE(INDEX, CALL) out[(INDEX) * n + i] = CALL

extern "C" __global__ void unary(const double *a, const double *positive,
                                 const double *unit, double *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double x = a[i], y = positive[i], u = unit[i];
  ONE(0, sin(x));
  ONE(1, cos(x));
  ONE(2, tan(x));
  ONE(3, exp(x * 0.0625));
  ONE(4, exp2(x * 0.0625));
  ONE(5, expm1(u * 8));
  ONE(6, log(y));
  ONE(7, log2(y));
  ONE(8, log10(y));
  ONE(9, log1p(y));
  ONE(10, sqrt(y));
  ONE(11, rsqrt(y));
  ONE(12, cbrt(x));
  ONE(13, tanh(u * 8));
  ONE(14, sinh(u * 8));
  ONE(15, cosh(u * 8));
  ONE(16, asin(u));
  ONE(17, acos(u));
  ONE(18, atan(x));
  ONE(19, asinh(x));
  ONE(20, atanh(u));
  ONE(21, rint(x));
}

extern "C" __global__ void binary(const double *a, const double *b, double *out,
                                  int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double x = a[i], y = b[i];
  ONE(0, pow(fabs(x), y));
  ONE(1, atan2(x, y));
  ONE(2, hypot(x, y));
  ONE(3, fmod(x, y));
  ONE(4, x / y);
  ONE(5, fma(x, y, 1.0));
  ONE(6, fmax(x, y));
  ONE(7, copysign(x, y));
}
