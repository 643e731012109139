// Kernel parameters of every alignment: structs, arrays in structs, small
// types.

struct Inner {
  char tag;
  double weight;
};
struct Outer {
  short id;
  Inner inner[2];
  float matrix[3][3];
  unsigned char flags[5];
};
struct __align__(16) Wide {
  float4 v;
  long long n;
};

extern "C" __global__ void whole(char a, Outer o, short b, Wide w, bool c,
                                 double *out) {
  int t = threadIdx.x;
  double sum = a + b * 10 + c * 100 + o.id;
  sum += o.inner[t & 1].weight * o.inner[(t + 1) & 1].tag;
  sum += o.matrix[t % 3][t / 3 % 3] + o.flags[t % 5];
  out[t] = sum + w.v.x * w.v.w + double(w.n);
}

__device__ __noinline__ Outer changed(Outer o, int t) {
  o.id += t;
  o.inner[0].weight *= 2;
  o.matrix[1][t % 3] = float(t);
  return o;
}

extern "C" __global__ void returned(Outer o, Outer *out) {
  out[threadIdx.x] = changed(o, threadIdx.x);
}

struct Table {
  int values[1000];
};

extern "C" __global__ void large(const __grid_constant__ Table table,
                                 int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1000)
    out[i] = table.values[999 - i];
}
