// bar.sync and bar.arrive with numbers and counts: a producer warp and a
// consumer warp that hand two buffers back and forth, and groups that meet
// apart.

extern "C" __global__ void producer(const int *in, int *out, int rounds) {
  __shared__ int buffers[2][32];
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
  // Barriers 1, 2: a buffer is full. Barriers 3, 4: a buffer is free.
  if (warp == 0) {
    for (int i = 0; i < rounds; ++i) {
      int b = i & 1;
      if (i >= 2)
        asm volatile("bar.sync %0, 64;" ::"r"(3 + b) : "memory");
      buffers[b][lane] = in[i * 32 + lane] * 2;
      __threadfence_block();
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + b) : "memory");
    }
  } else {
    for (int i = 0; i < rounds; ++i) {
      int b = i & 1;
      asm volatile("bar.sync %0, 64;" ::"r"(1 + b) : "memory");
      out[i * 32 + lane] = buffers[b][31 - lane];
      if (i + 2 < rounds)
        asm volatile("bar.arrive %0, 64;" ::"r"(3 + b) : "memory");
    }
  }
}

// Each pair of warps has a barrier of its own, and goes round as often as it
// likes.
extern "C" __global__ void pairs(int *data) {
  __shared__ int values[256];
  int t = threadIdx.x, pair = t / 64, other = t ^ 32;
  values[t] = data[t];
  for (int i = 0; i <= pair; ++i) {
    asm volatile("barrier.sync %0, 64;" ::"r"(pair + 1) : "memory");
    int next = values[other] + 1;
    asm volatile("barrier.sync %0, 64;" ::"r"(pair + 1) : "memory");
    values[t] = next;
  }
  data[t] = values[t];
}
