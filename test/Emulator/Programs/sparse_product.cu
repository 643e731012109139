// A sparse matrix in rows by a vector: a thread a row, then a warp a row.

extern "C" __global__ void scalar(const int *starts, const int *columns,
                                  const double *values, const double *x,
                                  double *y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  double sum = 0;
  for (int i = starts[row]; i < starts[row + 1]; ++i)
    sum += values[i] * x[columns[i]];
  y[row] = sum;
}

extern "C" __global__ void vector(const int *starts, const int *columns,
                                  const double *values, const double *x,
                                  double *y, int rows) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32,
      lane = threadIdx.x & 31;
  if (row >= rows)
    return;
  double sum = 0;
  for (int i = starts[row] + lane; i < starts[row + 1]; i += 32)
    sum += values[i] * x[columns[i]];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync(0xffffffffu, sum, step);
  if (lane == 0)
    y[row] = sum;
}
