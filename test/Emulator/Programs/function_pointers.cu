// Functions as values: in tables of two memory spaces, in a variable that the host
// sets, as an argument of a function that is not inlined, and null.

using Operation = float (*)(float, float);
__device__ __noinline__ float plus(float a, float b) { return a + b; }
__device__ __noinline__ float minus(float a, float b) { return a - b; }
__device__ __noinline__ float times(float a, float b) { return a * b; }
__device__ Operation operations[4] = {plus, minus, times, nullptr};
__constant__ Operation constants[2] = {minus, plus};
__device__ Operation chosen;

extern "C" __global__ void table(const int *index, const float *a,
                                 const float *b, float *out) {
  int t = threadIdx.x;
  out[t] = operations[index[t]](a[t], b[t]);
}

extern "C" __global__ void uniform(const float *a, const float *b, float *out) {
  int t = threadIdx.x;
  out[t] = constants[blockIdx.x](a[t], b[t]) + chosen(a[t], 1.0f);
}

struct Pair {
  double sum;
  int count, largest;
};
using Step = void (*)(Pair &, int);
__device__ __noinline__ void add(Pair &p, int x) { p.sum += x; }
__device__ __noinline__ void count(Pair &p, int x) { p.count += x & 1; }
__device__ __noinline__ void keep(Pair &p, int x) {
  if (x > p.largest)
    p.largest = x;
}
__device__ __noinline__ Pair fold(const int *values, int n, const Step *steps) {
  Pair p{0, 0, -1};
  for (int i = 0; i < n; ++i)
    steps[i % 3](p, values[i]);
  return p;
}

extern "C" __global__ void folds(const int *values, int n, double *sums,
                                 int *counts, int *largest) {
  int t = threadIdx.x;
  Step steps[3] = {t & 1 ? add : count, t & 2 ? keep : add, keep};
  Pair p = fold(values, n - t % 5, steps);
  sums[t] = p.sum;
  counts[t] = p.count;
  largest[t] = p.largest;
}
