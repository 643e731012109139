// Loads and stores of vectors, with cache operators, through every pointer
// kind.

extern "C" __global__ void vectors(const float4 *__restrict__ f,
                                   const short4 *s, const uchar4 *c,
                                   const double2 *d, const longlong2 *l,
                                   float4 *fo, short4 *so, uchar4 *co,
                                   double2 *dout, longlong2 *lo, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float4 x = f[i];
  fo[i] = make_float4(x.w, x.z, x.y, x.x);
  short4 y = s[i];
  so[i] = make_short4(y.y, y.x, y.w, y.z);
  uchar4 z = c[i];
  co[i] = make_uchar4(z.w + 1, z.z + 2, z.y + 3, z.x + 4);
  double2 v = d[i];
  dout[i] = make_double2(v.y, -v.x);
  longlong2 w = l[i];
  lo[i] = make_longlong2(w.x + w.y, w.x - w.y);
}

#define LOAD(OPERATOR, VALUE, ADDRESS)                                         \
  asm("ld.global." OPERATOR ".v4.s32 {%0, %1, %2, %3}, [%4];"                  \
      : "=r"(VALUE.x), "=r"(VALUE.y), "=r"(VALUE.z), "=r"(VALUE.w)             \
      : "l"(ADDRESS))
#define STORE(OPERATOR, ADDRESS, A, B, C, D)                                   \
  asm volatile("st.global." OPERATOR                                           \
               ".v4.s32 [%0], {%1, %2, %3, %4};" ::"l"(ADDRESS),               \
               "r"(A), "r"(B), "r"(C), "r"(D)                                  \
               : "memory")

extern "C" __global__ void cached(const int4 *a, const float *b, int4 *out,
                                  float *sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int4 x = __ldg(a + i), y, z, w;
  LOAD("cg", y, a + i);
  LOAD("cs", z, a + i);
  LOAD("nc.L1::no_allocate.L2::128B", w, a + i);
  STORE("cg", out + 4 * i, x.x, x.y, x.z, x.w);
  STORE("cs", out + 4 * i + 1, y.w, y.x, y.y, y.z);
  STORE("wb", out + 4 * i + 2, z.z, z.w, z.x, z.y);
  STORE("wt", out + 4 * i + 3, w.y, w.z, w.w, w.x);
  float last, again;
  asm("ld.global.lu.f32 %0, [%1];" : "=f"(last) : "l"(b + i));
  asm("ld.global.cv.f32 %0, [%1];" : "=f"(again) : "l"(b + i));
  sums[i] = last + again + *(volatile const float *)(b + i);
}

struct __align__(8) Pair {
  short a;
  float b;
};
struct Packed {
  char c[3];
};

extern "C" __global__ void records(const Pair *in, Pair *out,
                                   const Packed *bytes, Packed *bytes_out,
                                   float *const *rows, int n) {
  int i = threadIdx.x;
  Pair p = in[i];
  out[n - 1 - i] = Pair{short(p.a * 2), p.b + float(p.a)};
  Packed q = bytes[i];
  bytes_out[i] = Packed{{q.c[2], q.c[0], q.c[1]}};
}
