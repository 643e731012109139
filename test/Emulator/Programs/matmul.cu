// Matrix products: naive, tiled, and tiled with 4x4 results in the registers of
// each thread; edges are cut.

extern "C" __global__ void naive(const float *A, const float *B, float *C,
                                 int m, int n, int k) {
  int row = blockIdx.y * blockDim.y + threadIdx.y,
      column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= m || column >= n)
    return;
  float sum = 0;
  for (int i = 0; i < k; ++i)
    sum += A[row * k + i] * B[i * n + column];
  C[row * n + column] = sum;
}

extern "C" __global__ void __launch_bounds__(256)
    tiled(const float *A, const float *B, float *C, int m, int n, int k) {
  __shared__ float a[16][16], b[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y,
      column = blockIdx.x * 16 + x;
  float sum = 0;
  for (int i = 0; i < k; i += 16) {
    a[y][x] = row < m && i + x < k ? A[row * k + i + x] : 0.0f;
    b[y][x] = i + y < k && column < n ? B[(i + y) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 16; ++j)
      sum += a[y][j] * b[j][x];
    __syncthreads();
  }
  if (row < m && column < n)
    C[row * n + column] = sum;
}

// 64x64 results, 8 deep, 256 threads; m and n are multiples of 64 and k of 8.
extern "C" __global__ void __launch_bounds__(256)
    registers(const float *A, const float *B, float *C, int n, int k) {
  __shared__ __align__(16) float a[8][64], b[8][64];
  int t = threadIdx.x, x = t % 16 * 4, y = t / 16 * 4;
  const float *from_a = A + (blockIdx.y * 64 + t / 4) * k + t % 4 * 2;
  const float *from_b = B + t / 32 * n + blockIdx.x * 64 + t % 32 * 2;
  float sum[4][4] = {};
  for (int i = 0; i < k; i += 8) {
    float2 next_a = *reinterpret_cast<const float2 *>(from_a + i);
    float2 next_b = *reinterpret_cast<const float2 *>(from_b + i * n);
    __syncthreads();
    a[t % 4 * 2][t / 4] = next_a.x;
    a[t % 4 * 2 + 1][t / 4] = next_a.y;
    *reinterpret_cast<float2 *>(&b[t / 32][t % 32 * 2]) = next_b;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float4 va = *reinterpret_cast<float4 *>(&a[j][y]),
             vb = *reinterpret_cast<float4 *>(&b[j][x]);
      float ra[4] = {va.x, va.y, va.z, va.w}, rb[4] = {vb.x, vb.y, vb.z, vb.w};
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 4; ++c)
          sum[r][c] += ra[r] * rb[c];
    }
  }
  for (int r = 0; r < 4; ++r)
    *reinterpret_cast<float4 *>(C + (blockIdx.y * 64 + y + r) * n +
                                blockIdx.x * 64 + x) =
        make_float4(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
