// Calls that are not inlined: many parameters of every type, results by value
// and by pointer, calls inside loops, conditions and other calls.

struct Vector {
  double x, y, z;
};

__device__ __noinline__ Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

__device__ __noinline__ float many(char a, short b, int c, long long d, float e,
                                   double f, bool g, unsigned char h,
                                   const int *i) {
  return float(a + b + c + double(d) + e + f + (g ? 1000 : 0) + h + *i);
}

__device__ __noinline__ void split(int value, int &quotient, int *remainder) {
  quotient = value / 10;
  *remainder = value % 10;
}

__device__ __noinline__ int digits(int value) {
  int sum = 0;
  while (value) {
    int quotient, remainder;
    split(value, quotient, &remainder);
    sum += remainder;
    value = quotient;
  }
  return sum;
}

__device__ __noinline__ unsigned char narrow(unsigned char x) { return x * 3; }
__device__ __noinline__ short narrow(short x) { return x * 3; }
__device__ __noinline__ bool odd(int x) { return x & 1; }
__device__ __noinline__ float4 wide(float4 v) {
  return make_float4(v.y, v.z, v.w, v.x);
}

extern "C" __global__ void calls(const int *a, float *f, int *sums,
                                 int *narrows, Vector *v, float4 *w) {
  int t = threadIdx.x, x = a[t];
  f[t] = many(char(x), short(x), x, (long long)x << 20, x * 0.5f, x * 0.25,
              x > 0, (unsigned char)x, a + t);
  if (odd(x))
    sums[t] = digits(x < 0 ? -x : x);
  else
    sums[t] = -1;
  narrows[t] = narrow((unsigned char)x) + narrow(short(x));
  Vector u = {double(x), double(t), 1.0};
  for (int i = 0; i < 3; ++i)
    u = cross(u, {1.0, double(i), 2.0});
  v[t] = u;
  w[t] = wide(make_float4(x, t, 1, 2));
}
