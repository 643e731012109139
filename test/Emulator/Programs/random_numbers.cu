// Generators of random numbers: Philox by wide products, PCG by 64-bit state,
// and an estimate of pi with a count by votes.

__device__ uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    unsigned high0 = __umulhi(0xD2511F53u, counter.x),
             low0 = 0xD2511F53u * counter.x;
    unsigned high1 = __umulhi(0xCD9E8D57u, counter.z),
             low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1,
                         high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

extern "C" __global__ void counters(uint4 *out, unsigned seed) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = philox(make_uint4(t, 1, 2, 3), make_uint2(seed, ~seed));
}

extern "C" __global__ void pcg(unsigned *out, int count) {
  unsigned t = threadIdx.x;
  unsigned long long state = 0x853c49e6748fea9bull + t;
  for (int i = 0; i < count; ++i) {
    unsigned long long old = state;
    state = old * 6364136223846793005ull + (2 * t + 1);
    unsigned mixed = unsigned(((old >> 18) ^ old) >> 27),
             by = unsigned(old >> 59);
    out[t * count + i] = (mixed >> by) | (mixed << (-by & 31));
  }
}

extern "C" __global__ void circle(unsigned long long *hits, unsigned seed,
                                  int count) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned long long mine = 0;
  for (int i = 0; i < count; ++i) {
    uint4 r = philox(make_uint4(t, i, 0, 0), make_uint2(seed, 0));
    float x = r.x * 0x1p-32f, y = r.y * 0x1p-32f;
    mine += __popc(__ballot_sync(0xffffffffu, x * x + y * y < 1.0f));
  }
  if ((t & 31) == 0)
    atomicAdd(hits, mine);
}
