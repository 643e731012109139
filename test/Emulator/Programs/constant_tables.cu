// Constant memory: tables with initial values, structs, pointers to other
// variables, and a table that the host fills. Global variables, too.

struct Entry {
  char key;
  float value;
  short pair[2];
};

__constant__ float weights[5] = {0.5f, -1.25f, 3.0f, 0.0f, 1e10f};
__constant__ Entry entries[3] = {
    {'a', 1.5f, {1, 2}}, {'b', 2.5f, {3, 4}}, {'c', -3.5f, {-5, 6}}};
__constant__ unsigned long long filled[64];
__device__ double scale = 2.5;
__device__ int counters[4] = {10, 20, 30, 40};
__device__ int *selected = &counters[2];
__device__ const char *names[3] = {"zero", "one", "two"};
__device__ volatile int results[8];

extern "C" __global__ void tables(const int *index, float *out, double *scaled,
                                  unsigned long long *copied, int *letters) {
  int t = threadIdx.x, k = index[t];
  const Entry &entry = entries[k % 3];
  out[t] = weights[k % 5] + entry.value * entry.pair[k & 1] + entry.key;
  scaled[t] = scale * k;
  copied[t] = filled[k % 64] + filled[t % 64];
  letters[t] = names[k % 3][k % 3];
}

extern "C" __global__ void globals() {
  if (threadIdx.x == 0) {
    *selected += 5;
    selected = &counters[1];
    scale = -scale;
  }
  __syncthreads();
  if (threadIdx.x < 8)
    results[threadIdx.x] = counters[threadIdx.x & 1] + threadIdx.x;
}
