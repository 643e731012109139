// Conversions between integers and floating point in every rounding mode.

extern "C" __global__ void from_float(const float *a, int *s, unsigned *u,
                                      long long *l, int n) {
  int i = threadIdx.x;
  float x = a[i];
  s[0 * n + i] = __float2int_rn(x);
  s[1 * n + i] = __float2int_rz(x);
  s[2 * n + i] = __float2int_ru(x);
  s[3 * n + i] = __float2int_rd(x);
  u[0 * n + i] = __float2uint_rn(x);
  u[1 * n + i] = __float2uint_rz(x);
  u[2 * n + i] = __float2uint_ru(x);
  u[3 * n + i] = __float2uint_rd(x);
  l[0 * n + i] = __float2ll_rn(x);
  l[1 * n + i] = __float2ll_rz(x);
  l[2 * n + i] = __float2ll_ru(x);
  l[3 * n + i] = __float2ll_rd(x);
}

extern "C" __global__ void to_float(const int *s, const unsigned long long *u,
                                    const double *d, float *out, int n) {
  int i = threadIdx.x;
  out[0 * n + i] = __int2float_rn(s[i]);
  out[1 * n + i] = __int2float_rz(s[i]);
  out[2 * n + i] = __int2float_ru(s[i]);
  out[3 * n + i] = __int2float_rd(s[i]);
  out[4 * n + i] = __ull2float_rn(u[i]);
  out[5 * n + i] = __ull2float_rz(u[i]);
  out[6 * n + i] = __ull2float_ru(u[i]);
  out[7 * n + i] = __ull2float_rd(u[i]);
  out[8 * n + i] = __double2float_rn(d[i]);
  out[9 * n + i] = __double2float_rz(d[i]);
  out[10 * n + i] = __double2float_ru(d[i]);
  out[11 * n + i] = __double2float_rd(d[i]);
}

extern "C" __global__ void whole(const float *a, const double *b, float *f,
                                 double *d, signed char *c, unsigned short *h,
                                 int n) {
  int i = threadIdx.x;
  f[0 * n + i] = rintf(a[i]);
  f[1 * n + i] = truncf(a[i]);
  f[2 * n + i] = ceilf(a[i]);
  f[3 * n + i] = floorf(a[i]);
  d[0 * n + i] = rint(b[i]);
  d[1 * n + i] = trunc(b[i]);
  d[2 * n + i] = ceil(b[i]);
  d[3 * n + i] = floor(b[i]);
  d[4 * n + i] = a[i];
  d[5 * n + i] = (double)(long long)b[i];
  c[i] = (signed char)int(b[i]);
  h[i] = (unsigned short)(unsigned)fabs(b[i]);
}

extern "C" __global__ void pieces(const double *b, int *high, int *low,
                                  double *joined, unsigned *bits, float *back) {
  int i = threadIdx.x;
  high[i] = __double2hiint(b[i]);
  low[i] = __double2loint(b[i]);
  joined[i] = __hiloint2double(high[i] ^ int(0x80000000), low[i]);
  bits[i] = __float_as_uint(float(b[i]));
  back[i] = __uint_as_float(bits[i] ^ 0x80000000u);
}
