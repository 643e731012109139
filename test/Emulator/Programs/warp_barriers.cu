// __syncwarp: lanes exchange through shared memory without a block barrier,
// whole and in parts, after they went apart.

extern "C" __global__ void exchange(const int *a, int *out) {
  __shared__ volatile int values[128];
  int t = threadIdx.x, lane = t & 31, base = t - lane;
  values[t] = a[t];
  __syncwarp();
  int sum = 0;
  for (int step = 1; step < 32; step *= 2) {
    int other = values[base + (lane ^ step)];
    __syncwarp();
    values[t] = values[t] + other;
    __syncwarp();
  }
  sum = values[t];
  out[t] = sum;
}

extern "C" __global__ void parts(const int *a, int *out) {
  __shared__ volatile int values[32];
  int lane = threadIdx.x;
  values[lane] = a[lane];
  __syncwarp();
  if (lane < 8) {
    int x = values[7 - lane];
    __syncwarp(0x000000ff);
    values[lane] = x * 2;
  } else if (lane < 24) {
    for (int i = 0; i < 3; ++i) {
      int x = values[8 + (lane - 8 + 1) % 16];
      __syncwarp(0x00ffff00);
      values[lane] = x + 1;
      __syncwarp(0x00ffff00);
    }
  }
  __syncwarp();
  out[lane] = values[31 - lane];
}
