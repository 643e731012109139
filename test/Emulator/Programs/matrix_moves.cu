// ldmatrix in every form, movmatrix, and stmatrix.

__device__ unsigned to_shared(const void *pointer) {
  return unsigned(__cvta_generic_to_shared(pointer));
}

// Four 8x8 matrices of 16-bit numbers; rows of a matrix are 24 numbers apart.
extern "C" __global__ void loads(const unsigned short *in, unsigned *out) {
  __shared__ __align__(16) unsigned short tile[32][24];
  int lane = threadIdx.x;
  for (int i = 0; i < 8; ++i)
    tile[lane][i] = in[lane * 8 + i];
  __syncthreads();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(r[0])
               : "r"(to_shared(&tile[lane % 8][0])));
  out[lane] = r[0];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(to_shared(&tile[lane % 16][0])));
  out[32 + lane] = r[0];
  out[64 + lane] = r[1];
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
      : "r"(to_shared(&tile[lane][0])));
  for (int i = 0; i < 4; ++i)
    out[96 + 32 * i + lane] = r[i];
  unsigned moved;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
               : "=r"(moved)
               : "r"(r[3]));
  out[224 + lane] = moved;
}

extern "C" __global__ void stores(const unsigned *in, unsigned short *out) {
#if __CUDA_ARCH__ >= 900
  __shared__ __align__(16) unsigned short tile[32][8];
  int lane = threadIdx.x;
  unsigned place = to_shared(&tile[lane][0]);
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
          place),
      "r"(in[lane]), "r"(in[32 + lane]), "r"(in[64 + lane]), "r"(in[96 + lane])
      : "memory");
  __syncwarp();
  for (int i = 0; i < 8; ++i)
    out[lane * 8 + i] = tile[lane][i];
  __syncwarp();
  asm volatile(
      "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
          place),
      "r"(in[lane]), "r"(in[32 + lane])
      : "memory");
  __syncwarp();
  if (lane < 16)
    for (int i = 0; i < 8; ++i)
      out[256 + lane * 8 + i] = tile[lane][i];
#endif
}
