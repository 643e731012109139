// Functions on the bits of numbers, and clocks.

extern "C" __global__ void bits(const unsigned *a, const unsigned *b,
                                const unsigned *c, unsigned *out) {
  int t = threadIdx.x, row = 0;
  unsigned x = a[t], y = b[t], z = c[t];
  unsigned long long wide = (unsigned long long)x << 32 | y;
  auto store = [&](unsigned value) { out[row++ * blockDim.x + t] = value; };
  store(__byte_perm(x, y, z));
  store(__byte_perm(x, y, 0x3715));
  store(__funnelshift_l(x, y, z));
  store(__funnelshift_lc(x, y, z));
  store(__funnelshift_r(x, y, z));
  store(__funnelshift_rc(x, y, z));
  store(__brev(x));
  store(__brevll(wide));
  store(__ffs(x));
  store(__ffsll(wide));
  store(__clz(x));
  store(__clzll(wide));
  store(__popc(x));
  store(__popcll(wide));
  store(__umulhi(x, y));
  store(__mulhi(int(x), int(y)));
  store(__usad(x, y, z));
  store(__hadd(int(x), int(y)));
  store(__urhadd(x, y));
  store(__mul24(x, y));
}

// Waits for a time to pass by each clock.
extern "C" __global__ void wait(unsigned *passed) {
  long long start = clock64();
  while (clock64() - start < 10000)
    __nanosleep(20);
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  } while (now - begin < 1000);
  passed[threadIdx.x] = clock64() - start >= 10000 && clock() != 0;
}
