// Static and dynamic shared memory together, several arrays in the dynamic
// part, more than 48 KiB, and a union of types.

extern "C" __global__ void parts(const double *a, const int *b, double *out,
                                 int n, int m) {
  __shared__ double first[32];
  __shared__ short last[3];
  extern __shared__ __align__(16) unsigned char dynamic[];
  double *values = reinterpret_cast<double *>(dynamic);
  int *indices = reinterpret_cast<int *>(values + n);
  char *marks = reinterpret_cast<char *>(indices + m);
  int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x)
    values[i] = a[i];
  for (int i = t; i < m; i += blockDim.x) {
    indices[i] = b[i];
    marks[i] = char(i * 3);
  }
  if (t < 32)
    first[t] = a[t] * 2;
  if (t < 3)
    last[t] = short(t + 1);
  __syncthreads();
  for (int i = t; i < m; i += blockDim.x)
    out[i] =
        values[indices[i]] + first[indices[i] % 32] + marks[i] * last[i % 3];
}

extern "C" __global__ void large(const int *a, int *out, int n) {
  extern __shared__ int numbers[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    numbers[i] = a[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = numbers[n - 1 - i];
}

extern "C" __global__ void sizes(unsigned *out) {
  unsigned dynamic, total;
  asm("mov.u32 %0, %%dynamic_smem_size;" : "=r"(dynamic));
  asm("mov.u32 %0, %%total_smem_size;" : "=r"(total));
  out[0] = dynamic;
  out[1] = total;
}
