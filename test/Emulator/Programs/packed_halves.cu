// Functions on pairs of half and of bf16 numbers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename Pair>
__device__ void compute(const Pair *a, const Pair *b, Pair *out) {
  int t = threadIdx.x, row = 0;
  Pair x = a[t], y = b[t], z = __habs2(x);
  auto store = [&](Pair value) { out[row++ * blockDim.x + t] = value; };
  store(__hadd2_sat(x, y));
  store(__hfma2_relu(x, y, x));
  store(__hmax2_nan(x, y));
  store(__hmin2(x, y));
  store(__hltu2(x, y));
  store(__lowhigh2highlow(x));
  store(h2ceil(x));
  store(h2rint(x));
  store(h2trunc(x));
  store(h2exp(x));
  store(h2exp2(x));
  store(h2log(z));
  store(h2log2(z));
  store(h2sqrt(z));
  store(h2rsqrt(z));
  store(h2rcp(x));
  store(h2sin(x));
  store(h2cos(x));
  store(h2tanh(x));
  store(__h2div(x, y));
  store(__shfl_xor_sync(~0u, x, 3));
}

extern "C" __global__ void halves(const __half2 *a, const __half2 *b,
                                  __half2 *out) {
  compute(a, b, out);
}
extern "C" __global__ void
bfloats(const __nv_bfloat162 *a, const __nv_bfloat162 *b, __nv_bfloat162 *out) {
  compute(a, b, out);
}

// Sums by atomics on single numbers and on pairs. For sm_80, CUDA adds to bf16
// numbers by a plain load before atom.cas, which is a race between threads.
extern "C" __global__ void sums(__half *one, __half2 *two, __nv_bfloat16 *three,
                                __nv_bfloat162 *four) {
  int t = threadIdx.x;
  atomicAdd(one + t % 4, __float2half(1));
  atomicAdd(two + t % 2, __floats2half2_rn(1, 2));
  atomicAdd(three + t, __float2bfloat16(1));
  atomicAdd(four + t, __floats2bfloat162_rn(1, 2));
}
