// Tensor cores on bf16: m16n8k16 and m16n8k8, in a kernel of four warps that
// each own a strip of rows.

extern "C" __global__ void strips(const unsigned *A, const unsigned *B,
                                  float *C, int K) {
  // A by rows, B by columns, two numbers a word. C is 64x8.
  int warp = threadIdx.x / 32, lane = threadIdx.x & 31, group = lane / 4,
      pair = lane % 4;
  int row = warp * 16 + group, words = K / 2;
  float c[4] = {0, 0, 0, 0};
  for (int k = 0; k < words; k += 8) {
    unsigned a[4] = {A[row * words + k + pair], A[(row + 8) * words + k + pair],
                     A[row * words + k + pair + 4],
                     A[(row + 8) * words + k + pair + 4]};
    unsigned b[2] = {B[group * words + k + pair],
                     B[group * words + k + pair + 4]};
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
        "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  }
  // One more step of 8 with the first columns again.
  unsigned a[2] = {A[row * words + pair], A[(row + 8) * words + pair]},
           b = B[group * words + pair];
  asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5}, {%6}, "
      "{%0, %1, %2, %3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(b));
  for (int i = 0; i < 4; ++i)
    C[(row + i / 2 * 8) * 8 + pair * 2 + i % 2] = c[i];
}
