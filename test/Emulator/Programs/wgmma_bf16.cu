// wgmma on bf16: tiles by plain stores and by cp.async, with a from shared memory and
// from registers. The layout without a swizzle: 8 rows of 16 bytes follow each other.

#include <cstdint>

constexpr int M = 64, N = 32, K = 64;

__device__ uint64_t describe(const void *start, int leading, int stride) {
  uint64_t address = __cvta_generic_to_shared(start);
  return (address & 0x3ffff) >> 4 | uint64_t(leading >> 4) << 16 |
         uint64_t(stride >> 4) << 32;
}

// Where element (row, k) of a tile with 64 terms is.
__device__ int place(int row, int k) {
  return row / 8 * (8 * K) + k / 8 * 64 + row % 8 * 8 + k % 8;
}

__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int groups>
__device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups) : "memory");
}

__device__ void multiply(float (&d)[16], uint64_t a, uint64_t b, int adds) {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %18, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, "
      "%7, %8, %9, %10, %11, %12, %13, %14, %15}, %16, %17, p, 1, 1, 0, 0; }"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
        "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
        "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
      : "l"(a), "l"(b), "r"(adds)
      : "memory");
}

__device__ void multiply(float (&d)[16], const uint32_t (&a)[4], uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, "
      "%7, %8, %9, %10, %11, %12, %13, %14, %15}, {%16, %17, %18, %19}, %20, 1, 1, 1, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]),
        "+f"(d[6]), "+f"(d[7]), "+f"(d[8]), "+f"(d[9]), "+f"(d[10]), "+f"(d[11]),
        "+f"(d[12]), "+f"(d[13]), "+f"(d[14]), "+f"(d[15])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b)
      : "memory");
}

__device__ void store(float *c, const float (&d)[16]) {
  int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4;
  for (int i = 0; i < 16; ++i)
    c[(row + i % 4 / 2 * 8) * N + i / 4 * 8 + threadIdx.x % 4 * 2 + i % 2] = d[i];
}

/// Rows of a, and columns of b, of 64 terms a step; tiles by plain stores.
extern "C" __global__ void stored(const uint16_t *a, const uint16_t *b, float *c,
                                  int steps) {
  __shared__ alignas(128) uint16_t left[M * K], right[N * K];
  float d[16];
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    for (int i = threadIdx.x; i < M * K; i += 128)
      left[place(i / K, i % K)] = a[i / K * K * steps + step * K + i % K];
    for (int i = threadIdx.x; i < N * K; i += 128)
      right[place(i / K, i % K)] = b[i / K * K * steps + step * K + i % K];
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    fence();
    for (int k = 0; k < K; k += 16)
      multiply(d, describe(left + k * 8, 128, 16 * K),
               describe(right + k * 8, 128, 16 * K), step | k);
    commit();
    wait<0>();
  }
  store(c, d);
}

__device__ void copy(uint16_t *to, const uint16_t *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                   uint32_t(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}

/// The same with b copied a step ahead, and a in registers.
extern "C" __global__ void copied(const uint16_t *a, const uint16_t *b, float *c,
                                  int steps) {
  __shared__ alignas(128) uint16_t right[2][N * K];
  auto load = [&](int step) {
    for (int i = threadIdx.x; i < N * K / 8; i += 128)
      copy(right[step & 1] + place(i / 8, i % 8 * 8),
           b + i / 8 * K * steps + step * K + i % 8 * 8);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float d[16] = {};
  int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4, pair = threadIdx.x % 4 * 2;
  load(0);
  for (int step = 0; step < steps; ++step) {
    uint32_t fragments[K / 16][4];
    for (int k = 0; k < K / 16; ++k)
      for (int i = 0; i < 4; ++i)
        fragments[k][i] = *reinterpret_cast<const uint32_t *>(
            a + (row + i % 2 * 8) * K * steps + step * K + k * 16 + i / 2 * 8 + pair);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (step + 1 < steps)
      load(step + 1);
    fence();
#pragma unroll
    for (int k = 0; k < K / 16; ++k)
      multiply(d, fragments[k], describe(right[step & 1] + k * 128, 128, 16 * K));
    commit();
    wait<0>();
  }
  store(c, d);
}

/// Nothing shows the stores to the async proxy.
extern "C" __global__ void unfenced(const uint16_t *a, const uint16_t *b, float *c) {
  __shared__ alignas(128) uint16_t left[M * K], right[N * K];
  float d[16] = {};
  for (int i = threadIdx.x; i < M * K; i += 128)
    left[place(i / K, i % K)] = a[i];
  for (int i = threadIdx.x; i < N * K; i += 128)
    right[place(i / K, i % K)] = b[i];
  __syncthreads();
  fence();
  multiply(d, describe(left, 128, 16 * K), describe(right, 128, 16 * K), 1);
  commit();
  wait<0>();
  store(c, d);
}
