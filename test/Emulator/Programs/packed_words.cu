// Functions on two halves or four bytes of a word.

#define ALL(F)                                                                 \
  F(__vabsdiffu4(x, y))                                                        \
  F(__vabsdiffs4(x, y)) F(__vabsdiffu2(x, y)) F(__vabsdiffs2(x, y))            \
      F(__vsadu4(x, y)) F(__vsads4(x, y)) F(__vsadu2(x, y)) F(__vsads2(x, y))  \
          F(__vabsss4(x)) F(__vabs2(x)) F(__vadd2(x, y)) F(__vaddss2(x, y))    \
              F(__vaddus4(x, y)) F(__vsub4(x, y)) F(__vsubss4(x, y))           \
                  F(__vsubus2(x, y)) F(__vavgs2(x, y)) F(__vhaddu4(x, y))      \
                      F(__vcmpges2(x, y)) F(__vcmpgtu4(x, y))                  \
                          F(__vsetlts4(x, y)) F(__vsetne2(x, y))               \
                              F(__vmaxs4(x, y)) F(__vmaxu2(x, y))              \
                                  F(__vmins2(x, y)) F(__vminu4(x, y))          \
                                      F(__vneg4(x)) F(__vnegss2(x))            \
                                          F(__viaddmax_s16x2(x, y, z))         \
                                              F(__vimin3_u16x2(x, y, z))       \
                                                  F(__vimax_s16x2_relu(x, y))

extern "C" __global__ void words(const unsigned *a, const unsigned *b,
                                 const unsigned *c, unsigned *out) {
  int t = threadIdx.x, row = 0;
  unsigned x = a[t], y = b[t], z = c[t];
#define STORE(value) out[row++ * blockDim.x + t] = value;
  ALL(STORE)
}
