// bf16: scalar and packed arithmetic, comparison, conversion.

#include <cuda_bf16.h>

extern "C" __global__ void scalar(const __nv_bfloat16 *a,
                                  const __nv_bfloat16 *b,
                                  const __nv_bfloat16 *c, __nv_bfloat16 *out,
                                  int *flags, int n) {
  int i = threadIdx.x;
  __nv_bfloat16 x = a[i], y = b[i], z = c[i];
  out[0 * n + i] = __hadd(x, y);
  out[1 * n + i] = __hsub(x, y);
  out[2 * n + i] = __hmul(x, y);
  out[3 * n + i] = __hfma(x, y, z);
  out[4 * n + i] = __hneg(x);
  out[5 * n + i] = __habs(x);
  out[6 * n + i] = __hmax(x, y);
  out[7 * n + i] = __hmin(x, y);
  flags[0 * n + i] = __hlt(x, y);
  flags[1 * n + i] = __hne(x, y);
}

extern "C" __global__ void packed(const __nv_bfloat162 *a,
                                  const __nv_bfloat162 *b,
                                  const __nv_bfloat162 *c, __nv_bfloat162 *out,
                                  int n) {
  int i = threadIdx.x;
  __nv_bfloat162 x = a[i], y = b[i], z = c[i];
  out[0 * n + i] = __hadd2(x, y);
  out[1 * n + i] = __hmul2(x, y);
  out[2 * n + i] = __hfma2(x, y, z);
  out[3 * n + i] = __hmax2(x, y);
  out[4 * n + i] = __hmin2(x, y);
  out[5 * n + i] = __hneg2(x);
  out[6 * n + i] =
      __floats2bfloat162_rn(__low2float(x) * 3.0f, __high2float(y) * 3.0f);
}

extern "C" __global__ void convert(const float *a, __nv_bfloat16 *out,
                                   float *back, int n) {
  int i = threadIdx.x;
  out[0 * n + i] = __float2bfloat16_rn(a[i]);
  out[1 * n + i] = __float2bfloat16_rz(a[i]);
  out[2 * n + i] = __int2bfloat16_rn(int(a[i]));
  back[i] = __bfloat162float(out[i]);
}
