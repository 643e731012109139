// Integer arithmetic and bit operations of every width.

template <typename T>
__device__ void arithmetic(const T *a, const T *b, T *out, int n, int i) {
  T x = a[i], y = b[i];
  T results[] = {T(x + y),  T(x - y),  T(x * y),         T(x / y),
                 T(x % y),  T(x & y),  T(x | y),         T(x ^ y),
                 T(~x),     T(-x),     T(x < y ? x : y), T(x > y ? x : y),
                 T(x == y), T(x <= y), T(x << (y & 7)),  T(x >> (y & 7))};
  for (int j = 0; j < 16; ++j)
    out[j * n + i] = results[j];
}

#define KERNEL(NAME, TYPE)                                                     \
  extern "C" __global__ void NAME(const TYPE *a, const TYPE *b, TYPE *out,     \
                                  int n) {                                     \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                             \
    if (i < n)                                                                 \
      arithmetic<TYPE>(a, b, out, n, i);                                       \
  }

KERNEL(s8, signed char)
KERNEL(u8, unsigned char)
KERNEL(s16, short)
KERNEL(u16, unsigned short)
KERNEL(s32, int)
KERNEL(u32, unsigned)
KERNEL(s64, long long)
KERNEL(u64, unsigned long long)

extern "C" __global__ void bits(const unsigned *a, const unsigned long long *b,
                                unsigned *out, unsigned long long *wide,
                                int n) {
  int i = threadIdx.x;
  unsigned x = a[i];
  unsigned long long y = b[i];
  out[0 * n + i] = __clz(x);
  out[1 * n + i] = __ffs(x);
  out[2 * n + i] = __popc(x);
  out[3 * n + i] = __brev(x);
  out[4 * n + i] = __byte_perm(x, unsigned(y), 0x3715);
  out[5 * n + i] = __funnelshift_l(x, unsigned(y), 11);
  out[6 * n + i] = __funnelshift_rc(x, unsigned(y), 40);
  out[7 * n + i] = __clzll(y);
  out[8 * n + i] = __ffsll(y);
  out[9 * n + i] = __popcll(y);
  out[10 * n + i] = __umulhi(x, unsigned(y));
  out[11 * n + i] = unsigned(__mulhi(int(x), int(y)));
  out[12 * n + i] = __sad(int(x), int(y), 7u);
  out[13 * n + i] = __usad(x, unsigned(y), 9u);
  out[14 * n + i] = __umul24(x, unsigned(y));
  out[15 * n + i] = unsigned(__mul24(int(x), int(y)));
  out[16 * n + i] = unsigned(__hadd(int(x), int(y)));
  out[17 * n + i] = __uhadd(x, unsigned(y));
  wide[0 * n + i] = __brevll(y);
  wide[1 * n + i] = __umul64hi(y, y ^ x);
  wide[2 * n + i] =
      (unsigned long long)__mul64hi((long long)y, (long long)(y ^ x));
  wide[3 * n + i] = (unsigned long long)x * unsigned(y);
  wide[4 * n + i] =
      (unsigned long long)((long long)int(x) * int(y) + (long long)y);
}
