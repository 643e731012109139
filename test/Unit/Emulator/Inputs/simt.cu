struct Pair { int a; double b; char c[5]; };
__constant__ float table[4] = {1.f, 2.f, 3.f, 4.f};
__device__ int counter = 7;
__device__ int *pointer = &counter;
__device__ __noinline__ float weighted(float x, int n) {
  float s = 0;
  for (int i = 0; i < n; ++i)
    s += x * i;
  return s;
}
extern "C" __global__ void axpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}
extern "C" __global__ void __launch_bounds__(256)
    tiled(const float *A, const float *B, float *C, int n) {
  __shared__ float a[16][17], b[16][17];
  int tx = threadIdx.x, ty = threadIdx.y;
  int r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx;
  float s = 0;
  for (int k = 0; k < n; k += 16) {
    a[ty][tx] = A[r * n + k + tx];
    b[ty][tx] = B[(k + ty) * n + c];
    __syncthreads();
    for (int i = 0; i < 16; ++i)
      s += a[ty][i] * b[i][tx];
    __syncthreads();
  }
  C[r * n + c] = s;
}
// A struct by value, a local array, dynamic shared memory, a constant table, a
// call, a switch, libdevice functions, 64-bit division and atomics.
extern "C" __global__ void mixed(Pair p, float *out, unsigned long long *u,
                                 double *d, unsigned *cnt, int n) {
  extern __shared__ int dyn[];
  int t = threadIdx.x;
  float loc[8];
  for (int i = 0; i < 8; ++i)
    loc[i] = out[i] * i;
  dyn[t] = t * p.a;
  __syncthreads();
  int z = dyn[(t + 1) % blockDim.x];
  float v = loc[(z + n) & 7] + table[z & 3] + weighted(out[t], n);
  switch (n) {
  case 0: v = sinf(v); break;
  case 1: v = expf(v); break;
  case 2: v = logf(v); break;
  case 3: v = sqrtf(v); break;
  case 4: v = v / p.b; break;
  case 5: v = powf(v, 2.5f); break;
  default: v = rsqrtf(v);
  }
  __syncthreads();
  out[t] = v + fminf(v, p.c[2]);
  u[t] = u[t] / (unsigned long long)(n + 3) + __popcll(u[t]) + __clz(z) +
         __ffs(n) + __brev(n);
  d[t] = exp(d[t]) + sqrt(d[t]) + fma(d[t], p.b, 1.0) + d[t] / p.b;
  atomicAdd(cnt, 1u);
  atomicMax(cnt + 1, (unsigned)t);
  atomicCAS(cnt + 2, 0u, 5u);
  atomicInc(cnt + 3, 10);
  atomicMin((int *)cnt + 4, -t);
  atomicAdd((float *)cnt + 5, 0.5f);
  atomicAdd(pointer, 2);
  __syncthreads();
  if (t == 0)
    cnt[6] = counter;
}
