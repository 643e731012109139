// Blocks of odd shapes, warps with missing lanes, grids in three dimensions,
// and what %tid, %ntid, %ctaid and %nctaid say.

extern "C" __global__ void ids(int *out) {
  int thread =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int threads = blockDim.x * blockDim.y * blockDim.z;
  int *mine = out + (block * threads + thread) * 8;
  mine[0] = threadIdx.x;
  mine[1] = threadIdx.y;
  mine[2] = threadIdx.z;
  mine[3] = blockIdx.x;
  mine[4] = blockIdx.y;
  mine[5] = blockIdx.z;
  mine[6] = blockDim.x * 10000 + blockDim.y * 100 + blockDim.z;
  mine[7] = gridDim.x * 10000 + gridDim.y * 100 + gridDim.z;
}

extern "C" __global__ void reversed(const int *in, int *out) {
  extern __shared__ int values[];
  int thread =
      (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  int threads = blockDim.x * blockDim.y * blockDim.z;
  int base = blockIdx.x * threads;
  values[thread] = in[base + thread];
  __syncthreads();
  int sum = values[threads - 1 - thread];
  // The last warp is not full: its mask is of the lanes it has.
  int first = thread / 32 * 32, lanes = min(32, threads - first);
  unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
  out[base + thread] = sum + 1000 * __popc(__ballot_sync(mask, true));
}
