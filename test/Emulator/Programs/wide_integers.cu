// 128-bit integers: carry chains, wide products, long shifts, division.

extern "C" __global__ void wide(const ulonglong2 *a, const ulonglong2 *b,
                                ulonglong2 *out, int n) {
  int i = threadIdx.x;
  using wide_t = unsigned __int128;
  wide_t x = (wide_t)a[i].y << 64 | a[i].x, y = (wide_t)b[i].y << 64 | b[i].x;
  wide_t results[] = {
      x + y,          x - y, x * y,         x << (y & 127),
      x >> (y & 127), x & y, x < y ? x : y, (wide_t)((__int128)x >> (y & 127))};
  for (int j = 0; j < 8; ++j)
    out[j * n + i] = make_ulonglong2((unsigned long long)results[j],
                                     (unsigned long long)(results[j] >> 64));
}

// The carry flag by hand: 96-bit sums and differences.
extern "C" __global__ void chain(const unsigned *a, const unsigned *b,
                                 unsigned *sum, unsigned *difference,
                                 unsigned *product) {
  int i = 3 * threadIdx.x;
  asm("{\n\tadd.cc.u32 %0, %3, %6;\n\taddc.cc.u32 %1, %4, %7;\n\taddc.u32 %2, "
      "%5, %8;\n\t}"
      : "=&r"(sum[i]), "=&r"(sum[i + 1]), "=&r"(sum[i + 2])
      : "r"(a[i]), "r"(a[i + 1]), "r"(a[i + 2]), "r"(b[i]), "r"(b[i + 1]),
        "r"(b[i + 2]));
  asm("{\n\tsub.cc.u32 %0, %3, %6;\n\tsubc.cc.u32 %1, %4, %7;\n\tsubc.u32 %2, "
      "%5, %8;\n\t}"
      : "=&r"(difference[i]), "=&r"(difference[i + 1]), "=&r"(difference[i + 2])
      : "r"(a[i]), "r"(a[i + 1]), "r"(a[i + 2]), "r"(b[i]), "r"(b[i + 1]),
        "r"(b[i + 2]));
  // The low 96 bits of a[0..1] * b[0] + a[2].
  asm("{\n\tmad.lo.cc.u32 %0, %3, %5, %6;\n\tmadc.hi.cc.u32 %1, %3, %5, 0;\n\t"
      "addc.u32 %2, 0, 0;\n\tmad.lo.cc.u32 %1, %4, %5, %1;\n\tmadc.hi.u32 %2, "
      "%4, %5, %2;\n\t}"
      : "=&r"(product[i]), "=&r"(product[i + 1]), "=&r"(product[i + 2])
      : "r"(a[i]), "r"(a[i + 1]), "r"(b[i]), "r"(a[i + 2]));
}
