// A transpose through a padded tile, with edges that are cut; and in place.

extern "C" __global__ void transpose(const float *in, float *out, int rows,
                                     int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    if (x < columns && y + j < rows)
      tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * columns + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += blockDim.y)
    if (x < rows && y + j < columns)
      out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}

// Swizzled instead of padded, pairs of blocks swap their tiles.
extern "C" __global__ void in_place(double *a, int n) {
  __shared__ double upper[16 * 16], lower[16 * 16];
  if (blockIdx.x < blockIdx.y)
    return;
  int x = threadIdx.x, y = threadIdx.y;
  double *p = a + (blockIdx.y * 16 + y) * n + blockIdx.x * 16 + x;
  double *q = a + (blockIdx.x * 16 + y) * n + blockIdx.y * 16 + x;
  upper[y * 16 + (x ^ y)] = *p;
  lower[y * 16 + (x ^ y)] = *q;
  __syncthreads();
  *p = lower[x * 16 + (x ^ y)];
  *q = upper[x * 16 + (x ^ y)];
}
