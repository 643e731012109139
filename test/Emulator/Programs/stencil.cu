// A 7-point stencil over a volume with a plane held in shared memory and the
// two beside it in registers, and halos at every edge.

constexpr int wide = 16, high = 8;

extern "C" __global__ void stencil(const float *in, float *out, int nx, int ny,
                                   int nz) {
  __shared__ float plane[high + 2][wide + 2];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * wide + tx, y = blockIdx.y * high + ty;
  bool inside = x < nx && y < ny;
  auto at = [=](int i, int j, int k) -> float {
    bool valid = i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz;
    return valid ? in[(k * ny + j) * nx + i] : 0.0f;
  };
  float below = 0, here = at(x, y, 0), above;
  for (int z = 0; z < nz; ++z) {
    above = at(x, y, z + 1);
    __syncthreads();
    plane[ty + 1][tx + 1] = here;
    if (tx == 0)
      plane[ty + 1][0] = at(x - 1, y, z);
    if (tx == wide - 1)
      plane[ty + 1][wide + 1] = at(x + 1, y, z);
    if (ty == 0)
      plane[0][tx + 1] = at(x, y - 1, z);
    if (ty == high - 1)
      plane[high + 1][tx + 1] = at(x, y + 1, z);
    __syncthreads();
    if (inside)
      out[(z * ny + y) * nx + x] = 6 * here - below - above -
                                   plane[ty + 1][tx] - plane[ty + 1][tx + 2] -
                                   plane[ty][tx + 1] - plane[ty + 2][tx + 1];
    below = here;
    here = above;
  }
}
