// mbarrier objects: arrive and wait, phases, counts, a split barrier of
// libcu++, asynchronous copies that arrive, and a producer with consumers.

#include <cuda/barrier>

__device__ unsigned to_shared(const void *pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}
__device__ unsigned long long arrive(unsigned long long *barrier) {
  unsigned long long token;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
               : "=l"(token)
               : "r"(to_shared(barrier))
               : "memory");
  return token;
}
__device__ void wait(unsigned long long *barrier, unsigned long long token) {
  int done;
  do
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.test_wait.shared.b64 p, [%1], %2;\n\t"
        "selp.s32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(to_shared(barrier)), "l"(token)
        : "memory");
  while (!done);
}

extern "C" __global__ void rounds(int *data, int count) {
  __shared__ unsigned long long barrier;
  __shared__ int values[256];
  int t = threadIdx.x, n = blockDim.x;
  if (t == 0)
    asm volatile(
        "mbarrier.init.shared.b64 [%0], %1;" ::"r"(to_shared(&barrier)), "r"(n)
        : "memory");
  values[t] = data[t];
  __syncthreads();
  for (int i = 0; i < count; ++i) {
    int next = values[(t + 1) % n] + 1;
    wait(&barrier, arrive(&barrier));
    values[t] = next;
    wait(&barrier, arrive(&barrier));
  }
  data[t] = values[t];
}

// Only half of the threads wait: the others give their arrival and go on.
extern "C" __global__ void split(const int *in, int *out) {
  // Raw bytes: the class has a constructor, which shared memory may not run.
  __shared__ __align__(
      8) char bytes[sizeof(cuda::barrier<cuda::thread_scope_block>)];
  auto &barrier =
      *reinterpret_cast<cuda::barrier<cuda::thread_scope_block> *>(bytes);
  __shared__ int values[128];
  int t = threadIdx.x;
  if (t == 0)
    init(&barrier, blockDim.x);
  __syncthreads();
  values[t] = 3 * in[t];
  auto token = barrier.arrive();
  int independent = in[t] * in[t];
  if (t < 64)
    barrier.wait(std::move(token));
  out[t] = independent + (t < 64 ? values[127 - t] : 0);
}

extern "C" __global__ void copied(const int *in, int *out) {
  __shared__ unsigned long long barrier;
  __shared__ int values[64];
  int t = threadIdx.x;
  if (t == 0)
    asm volatile(
        "mbarrier.init.shared.b64 [%0], %1;" ::"r"(to_shared(&barrier)), "r"(64)
        : "memory");
  __syncthreads();
  asm volatile(
      "cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to_shared(values + t)),
      "l"(in + t)
      : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(
                   to_shared(&barrier))
               : "memory");
  // Phase 0 ends when all 64 copies have landed.
  int done;
  do
    asm volatile("{\n\t.reg .pred p;\n\tmbarrier.test_wait.parity.shared.b64 "
                 "p, [%1], 0;\n\t"
                 "selp.s32 %0, 1, 0, p;\n\t}"
                 : "=r"(done)
                 : "r"(to_shared(&barrier))
                 : "memory");
  while (!done);
  out[t] = values[63 - t];
}
