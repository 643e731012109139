// Tensor cores on tf32: numbers rounded by cvt.rna, m16n8k8 and m16n8k4.

__device__ unsigned rounded(float x) {
  unsigned bits;
  asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
  return bits;
}

extern "C" __global__ void tile(const float *A, const float *B, float *C,
                                float *seen) {
  // A 16x12 by rows, B 12x8 by rows.
  int lane = threadIdx.x, group = lane / 4, in = lane % 4;
  unsigned a[6], b[3];
  for (int i = 0; i < 6; ++i)
    a[i] = rounded(A[(group + i % 2 * 8) * 12 + in + i / 2 * 4]);
  for (int i = 0; i < 3; ++i)
    b[i] = rounded(B[(in + i * 4) * 8 + group]);
  float c[4] = {1, 2, 3, 4};
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, "
      "{%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[4]), "r"(a[5]), "r"(b[2]));
  for (int i = 0; i < 4; ++i)
    C[(group + i / 2 * 8) * 8 + in * 2 + i % 2] = c[i];
  for (int i = 0; i < 6; ++i)
    seen[(group + i % 2 * 8) * 12 + in + i / 2 * 4] = __uint_as_float(a[i]);
}
