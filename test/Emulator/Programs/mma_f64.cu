// Tensor cores on f64: m8n8k4, in a loop.

extern "C" __global__ void tile(const double *A, const double *B, double *C,
                                int K) {
  // A 8xK by rows, B Kx8 by rows, C 8x8.
  int lane = threadIdx.x, group = lane / 4, in = lane % 4;
  double c0 = C[group * 8 + in * 2], c1 = C[group * 8 + in * 2 + 1];
  for (int k = 0; k < K; k += 4)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, "
        "{%0, %1};"
        : "+d"(c0), "+d"(c1)
        : "d"(A[group * K + k + in]), "d"(B[(k + in) * 8 + group]));
  C[group * 8 + in * 2] = c0;
  C[group * 8 + in * 2 + 1] = c1;
}
