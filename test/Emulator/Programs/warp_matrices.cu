// nvcuda::wmma: fragments of unspecified layout, by rows and by columns, f16 to
// f32, with arithmetic on fragments in between.

#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void product(const __half *A, const __half *B, float *C,
                                   int N, int K) {
  // C (16*gridDim.y x N) = relu(A (rows) * B (columns) + 0.5 * C), a warp for
  // each tile.
  int row = blockIdx.y * 16, column = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, old;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(a, A + row * K + k, K);
    wmma::load_matrix_sync(b, B + column * K + k, K);
    wmma::mma_sync(sum, a, b, sum);
  }
  wmma::load_matrix_sync(old, C + row * N + column, N, wmma::mem_row_major);
  for (int i = 0; i < sum.num_elements; ++i)
    sum.x[i] = fmaxf(sum.x[i] + 0.5f * old.x[i], 0.0f);
  wmma::store_matrix_sync(C + row * N + column, sum, N, wmma::mem_row_major);
}

extern "C" __global__ void shared(const __half *A, const __half *B, __half *C) {
  // 32x8x16 through shared memory; B by rows, C by columns, in f16.
  __shared__ __align__(32) __half tile[8 * 32];
  wmma::fragment<wmma::matrix_a, 32, 8, 16, __half, wmma::col_major> a;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 32, 8, 16, __half> c;
  wmma::fill_fragment(c, __float2half(1.0f));
  wmma::load_matrix_sync(a, A, 32);
  wmma::load_matrix_sync(b, B, 8);
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(tile, c, 32, wmma::mem_col_major);
  __syncwarp();
  for (int i = threadIdx.x; i < 8 * 32; i += 32)
    C[i] = tile[i];
}
