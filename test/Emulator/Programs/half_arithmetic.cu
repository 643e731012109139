// f16: scalar and packed arithmetic, comparison, conversion, functions.

#include <cuda_fp16.h>

extern "C" __global__ void scalar(const __half *a, const __half *b,
                                  const __half *c, __half *out, int *flags,
                                  int n) {
  int i = threadIdx.x;
  __half x = a[i], y = b[i], z = c[i];
  out[0 * n + i] = __hadd(x, y);
  out[1 * n + i] = __hsub(x, y);
  out[2 * n + i] = __hmul(x, y);
  out[3 * n + i] = __hfma(x, y, z);
  out[4 * n + i] = __hdiv(x, y);
  out[5 * n + i] = __hneg(x);
  out[6 * n + i] = __habs(x);
  out[7 * n + i] = __hmax(x, y);
  out[8 * n + i] = __hmin(x, y);
  out[9 * n + i] = __hadd_sat(x, y);
  out[10 * n + i] = __hfma_relu(x, y, z);
  out[11 * n + i] = hrint(x);
  out[12 * n + i] = hfloor(x);
  flags[0 * n + i] = __heq(x, y);
  flags[1 * n + i] = __hlt(x, y);
  flags[2 * n + i] = __hgeu(x, y);
  flags[3 * n + i] = __hisnan(x);
}

extern "C" __global__ void packed(const __half2 *a, const __half2 *b,
                                  const __half2 *c, __half2 *out, int n) {
  int i = threadIdx.x;
  __half2 x = a[i], y = b[i], z = c[i];
  out[0 * n + i] = __hadd2(x, y);
  out[1 * n + i] = __hsub2(x, y);
  out[2 * n + i] = __hmul2(x, y);
  out[3 * n + i] = __hfma2(x, y, z);
  out[4 * n + i] = __hmax2(x, y);
  out[5 * n + i] = __hmin2(x, y);
  out[6 * n + i] = __hneg2(x);
  out[7 * n + i] = __lowhigh2highlow(x);
  out[8 * n + i] = __hgt2(x, y);
  out[9 * n + i] = __halves2half2(__high2half(x), __low2half(y));
  out[10 * n + i] = __float2half2_rn(__low2float(x) * 0.3f);
  out[11 * n + i] = __floats2half2_rn(__low2float(x), __high2float(y));
}

extern "C" __global__ void convert(const float *a, const __half *h, __half *out,
                                   float *back, int *whole,
                                   unsigned short *bits, int n) {
  int i = threadIdx.x;
  out[0 * n + i] = __float2half_rn(a[i]);
  out[1 * n + i] = __float2half_rz(a[i]);
  out[2 * n + i] = __float2half_ru(a[i]);
  out[3 * n + i] = __float2half_rd(a[i]);
  out[4 * n + i] = __int2half_rn(int(a[i]));
  out[5 * n + i] = __double2half(double(a[i]));
  back[i] = __half2float(h[i]);
  whole[i] = __half2int_rz(h[i]);
  bits[i] = __half_as_ushort(h[i]);
}

extern "C" __global__ void functions(const __half *a, __half *out, int n) {
  int i = threadIdx.x;
  out[0 * n + i] = hexp(a[i]);
  out[1 * n + i] = hlog(a[i]);
  out[2 * n + i] = hsqrt(a[i]);
  out[3 * n + i] = hrsqrt(a[i]);
  out[4 * n + i] = hsin(a[i]);
  out[5 * n + i] = hexp2(a[i]);
}
