// Arrays indexed by variables live in local memory: a sort in each thread, and
// a pointer to a local array that other functions write through.

__device__ __noinline__ void fill(int *values, int count, unsigned seed) {
  for (int i = 0; i < count; ++i) {
    seed = seed * 1664525u + 1013904223u;
    values[i] = int(seed >> 8) % 1000;
  }
}

extern "C" __global__ void sort(const unsigned *seeds, int *out, int count) {
  int values[48];
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  fill(values, count, seeds[t]);
  for (int i = 1; i < count; ++i) {
    int value = values[i], j = i;
    for (; j > 0 && values[j - 1] > value; --j)
      values[j] = values[j - 1];
    values[j] = value;
  }
  for (int i = 0; i < count; ++i)
    out[t * count + i] = values[i];
}

// Elements of many sizes in one local record.
struct Record {
  char c[7];
  short s[5];
  double d[3];
};

extern "C" __global__ void record(const int *order, double *out) {
  int t = threadIdx.x;
  Record r;
  for (int i = 0; i < 7; ++i)
    r.c[i] = char(t + i);
  for (int i = 0; i < 5; ++i)
    r.s[i] = short(t * i - 100);
  for (int i = 0; i < 3; ++i)
    r.d[i] = t * 0.5 + i;
  int k = order[t];
  double sum = 0;
  for (int i = 0; i < 3; ++i)
    sum += r.c[(k + i) % 7] + r.s[(k + i) % 5] * r.d[(k + i) % 3];
  out[t] = sum;
}
