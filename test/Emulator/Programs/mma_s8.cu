// Tensor cores on 8-bit integers: m16n8k32 and m16n8k16, signed and unsigned,
// with and without saturation.

#define MMA(SHAPE, TYPES, A, B)                                                \
  asm("mma.sync.aligned." SHAPE ".row.col" TYPES " {%0, %1, %2, %3}, " A       \
      ", " B ", {%0, %1, %2, %3};"                                             \
      : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])                         \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

extern "C" __global__ void tile(const unsigned *A, const unsigned *B, int *C,
                                int kind) {
  // A 16x32 by rows, B 32x8 by columns: 8 words a row.
  int lane = threadIdx.x, group = lane / 4, in = lane % 4;
  unsigned a[4] = {A[group * 8 + in], A[(group + 8) * 8 + in],
                   A[group * 8 + in + 4], A[(group + 8) * 8 + in + 4]};
  unsigned b[2] = {B[group * 8 + in], B[group * 8 + in + 4]};
  int c[4];
  for (int i = 0; i < 4; ++i)
    c[i] = C[(group + i / 2 * 8) * 8 + in * 2 + i % 2];
  if (kind == 0)
    MMA("m16n8k32", ".s32.s8.s8.s32", "{%4, %5, %6, %7}", "{%8, %9}");
  else if (kind == 1)
    MMA("m16n8k32", ".s32.u8.s8.s32", "{%4, %5, %6, %7}", "{%8, %9}");
  else if (kind == 2)
    MMA("m16n8k32", ".satfinite.s32.u8.u8.s32", "{%4, %5, %6, %7}", "{%8, %9}");
  else
    MMA("m16n8k16", ".s32.s8.s8.s32", "{%4, %5}", "{%8}");
  for (int i = 0; i < 4; ++i)
    C[(group + i / 2 * 8) * 8 + in * 2 + i % 2] = c[i];
}
