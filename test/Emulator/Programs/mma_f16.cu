// Tensor cores on f16: tiles by ldmatrix (plain and transposed), m16n8k16 and
// m16n8k8, accumulators of f32 and of f16.

#include <cuda_fp16.h>

__device__ unsigned to_shared(const void *pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}

// One warp computes C (16x8, f32) = A (16xK, rows) * B (Kx8, rows) + C.
extern "C" __global__ void tile(const __half *A, const __half *B, float *C,
                                int K) {
  __shared__ __align__(16) __half a[16][16], b[16][8];
  int lane = threadIdx.x, group = lane / 4, pair = lane % 4;
  float c[4];
  for (int i = 0; i < 4; ++i)
    c[i] = C[(group + i / 2 * 8) * 8 + pair * 2 + i % 2];
  for (int k = 0; k < K; k += 16) {
    for (int i = lane; i < 256; i += 32)
      a[i / 16][i % 16] = A[i / 16 * K + k + i % 16];
    for (int i = lane; i < 128; i += 32)
      b[i / 8][i % 8] = B[(k + i / 8) * 8 + i % 8];
    __syncwarp();
    unsigned ra[4], rb[2];
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
        : "=r"(ra[0]), "=r"(ra[1]), "=r"(ra[2]), "=r"(ra[3])
        : "r"(to_shared(&a[lane % 16][lane / 16 * 8])));
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
        : "=r"(rb[0]), "=r"(rb[1])
        : "r"(to_shared(&b[lane % 16][0])));
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(ra[0]), "r"(ra[1]), "r"(ra[2]), "r"(ra[3]), "r"(rb[0]),
          "r"(rb[1]));
    __syncwarp();
  }
  for (int i = 0; i < 4; ++i)
    C[(group + i / 2 * 8) * 8 + pair * 2 + i % 2] = c[i];
}

// The same with fragments from global memory: A 16x8, B 8x8 by columns, C in
// f16.
extern "C" __global__ void fragments(const __half2 *A, const __half2 *B,
                                     __half2 *C) {
  int lane = threadIdx.x, group = lane / 4, pair = lane % 4;
  __half2 a[2] = {A[group * 4 + pair], A[(group + 8) * 4 + pair]},
          b = B[group * 4 + pair];
  __half2 c[2] = {C[group * 4 + pair], C[(group + 8) * 4 + pair]}, d[2];
  auto bits = [](__half2 &x) -> unsigned & {
    return reinterpret_cast<unsigned &>(x);
  };
  asm("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, "
      "{%4}, {%5, %6};"
      : "=r"(bits(d[0])), "=r"(bits(d[1]))
      : "r"(bits(a[0])), "r"(bits(a[1])), "r"(bits(b)), "r"(bits(c[0])),
        "r"(bits(c[1])));
  C[group * 4 + pair] = d[0];
  C[(group + 8) * 4 + pair] = d[1];
}
