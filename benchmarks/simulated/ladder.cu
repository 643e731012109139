//===- ladder.cu - SGEMM kernels of published tiles -------------*- CUDA -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// C = alpha A B + beta C of square row-major matrices, from a thread for each
// result to tiles of warps that are loaded ahead. Each rung has the tiles of a
// kernel whose time others published (benchmarks/ladder.py), and no line of it.
//
// usage: ladder RUNG N [check]
//
//===----------------------------------------------------------------------===//

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <iterator>
#include <vector>

struct Product {
  int n;
  float alpha, beta;
  const float *a, *b;
  float *c;

  __device__ void store(int row, int column, float sum) const {
    float &result = c[row * n + column];
    result = alpha * sum + beta * result;
  }
};

//===----------------------------------------------------------------------===//
// Without tiles
//===----------------------------------------------------------------------===//

/// A thread for each result; neighbours are rows, or columns.
template <bool areColumns>
__global__ void untiled(Product p) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  int row = areColumns ? y : x, column = areColumns ? x : y;
  float sum = 0;
  for (int k = 0; k < p.n; ++k)
    sum += p.a[row * p.n + k] * p.b[k * p.n + column];
  p.store(row, column, sum);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Tiles of a block (m by n by k), of a warp, which has `mParts` by `nParts`
/// pieces, and of a thread in each piece. `transposed`: neighbours in the tile
/// of A are rows. `vector` elements are copied at once; `ahead`: while a tile is
/// multiplied the next one is under way.
template <int m, int n, int k, int threadM, int threadN, bool transposed,
          int vector = 1, bool ahead = false, int warpM = m, int warpN = n, int mParts = 1,
          int nParts = 1>
struct Tiles {
  static constexpr int M = m, N = n, K = k, ThreadM = threadM,
                       ThreadN = threadN, Vector = vector, WarpM = warpM,
                       WarpN = warpN, MParts = mParts, NParts = nParts;
  static constexpr bool Transposed = transposed, Ahead = ahead;
  static constexpr int PieceM = warpM / mParts, PieceN = warpN / nParts;
  /// Threads of a row of a piece, of a warp's tile, of the block.
  static constexpr int Row = PieceN / threadN,
                       Together = PieceM / threadM * Row,
                       Threads = (m / warpM) * (n / warpN) * Together;
};

template <int vector>
struct Vector;
template <>
struct Vector<1> {
  using Type = float;
};
template <>
struct Vector<4> {
  using Type = float4;
};

/// What a thread copies of a row-major tile of `rows` by `columns`.
template <class T, int rows, int columns>
struct Copy {
  using Part = typename Vector<T::Vector>::Type;
  static constexpr int kPerRow = columns / T::Vector;
  static constexpr int kCount = rows * kPerRow / T::Threads;
  static_assert(kCount * T::Threads == rows * kPerRow, "no thread idles");
  Part parts[kCount];

  static __device__ int getRow(int i) {
    return (int(threadIdx.x) + i * T::Threads) / kPerRow;
  }
  static __device__ int getColumn(int i) {
    return (int(threadIdx.x) + i * T::Threads) % kPerRow * T::Vector;
  }
  __device__ void load(const float *source, int stride) {
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      parts[i] = *reinterpret_cast<const Part *>(
          &source[getRow(i) * stride + getColumn(i)]);
  }
  __device__ void store(float *tile) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      *reinterpret_cast<Part *>(&tile[getRow(i) * columns + getColumn(i)]) =
          parts[i];
  }
  /// With rows and columns exchanged.
  __device__ void storeTransposed(float *tile) const {
#pragma unroll
    for (int i = 0; i < kCount; ++i)
#pragma unroll
      for (int e = 0; e < T::Vector; ++e)
        tile[(getColumn(i) + e) * rows + getRow(i)] =
            reinterpret_cast<const float *>(&parts[i])[e];
  }
};

/// The results of a thread.
template <class T>
struct Results {
  float sums[T::MParts * T::ThreadM][T::NParts * T::ThreadN] = {};
  int row, column; ///< of the first

  __device__ Results() {
    int warp = threadIdx.x / T::Together, lane = threadIdx.x % T::Together;
    constexpr int kWarps = T::N / T::WarpN; // side by side
    row = warp / kWarps * T::WarpM + lane / T::Row * T::ThreadM;
    column = warp % kWarps * T::WarpN + lane % T::Row * T::ThreadN;
  }
  static __device__ int getRow(int i) {
    return i / T::ThreadM * T::PieceM + i % T::ThreadM;
  }
  static __device__ int getColumn(int j) {
    return j / T::ThreadN * T::PieceN + j % T::ThreadN;
  }
  static __device__ float getA(const float *a, int k, int row) {
    return T::Transposed ? a[k * T::M + row] : a[row * T::K + k];
  }
  /// Adds the products of a tile of A and one of B.
  __device__ void multiply(const float *a, const float *b) {
#pragma unroll
    for (int k = 0; k < T::K; ++k) {
      float left[T::MParts * T::ThreadM], right[T::NParts * T::ThreadN];
#pragma unroll
      for (int i = 0; i < T::MParts * T::ThreadM; ++i)
        left[i] = getA(a, k, row + getRow(i));
#pragma unroll
      for (int j = 0; j < T::NParts * T::ThreadN; ++j)
        right[j] = b[k * T::N + column + getColumn(j)];
#pragma unroll
      for (int i = 0; i < T::MParts * T::ThreadM; ++i)
#pragma unroll
        for (int j = 0; j < T::NParts * T::ThreadN; ++j)
          sums[i][j] += left[i] * right[j];
    }
  }
  __device__ void store(const Product &p) const {
#pragma unroll
    for (int i = 0; i < T::MParts * T::ThreadM; ++i)
#pragma unroll
      for (int j = 0; j < T::NParts * T::ThreadN; ++j)
        p.store(blockIdx.y * T::M + row + getRow(i),
                blockIdx.x * T::N + column + getColumn(j), sums[i][j]);
  }
};

template <class T>
__global__ void __launch_bounds__(T::Threads) tiled(Product p) {
  constexpr int kBuffers = T::Ahead ? 2 : 1;
  __shared__ float aTiles[kBuffers][T::K * T::M], bTiles[kBuffers][T::K * T::N];
  const float *a = p.a + blockIdx.y * T::M * p.n, *b = p.b + blockIdx.x * T::N;
  Copy<T, T::M, T::K> ofA;
  Copy<T, T::K, T::N> ofB;
  Results<T> results;
  auto load = [&](int k) {
    ofA.load(a + k, p.n);
    ofB.load(b + k * p.n, p.n);
  };
  auto store = [&](int buffer) {
    if constexpr (T::Transposed)
      ofA.storeTransposed(aTiles[buffer]);
    else
      ofA.store(aTiles[buffer]);
    ofB.store(bTiles[buffer]);
  };
  if constexpr (T::Ahead) {
    load(0);
    store(0);
    __syncthreads();
    int buffer = 0;
    for (int k = T::K; k < p.n; k += T::K, buffer ^= 1) {
      load(k);
      results.multiply(aTiles[buffer], bTiles[buffer]);
      store(buffer ^ 1);
      __syncthreads();
    }
    results.multiply(aTiles[buffer], bTiles[buffer]);
  } else {
    for (int k = 0; k < p.n; k += T::K) {
      load(k);
      store(0);
      __syncthreads();
      results.multiply(aTiles[0], bTiles[0]);
      __syncthreads();
    }
  }
  results.store(p);
}

//===----------------------------------------------------------------------===//
// Rungs
//===----------------------------------------------------------------------===//

template <bool areColumns>
static void launchUntiled(const Product &p) {
  untiled<areColumns><<<dim3(p.n / 32, p.n / 32), dim3(32, 32)>>>(p);
}

template <class T>
static void launchTiled(const Product &p) {
  tiled<T><<<dim3(p.n / T::N, p.n / T::M), T::Threads>>>(p);
}

static void (*const rungs[])(const Product &) = {
    launchUntiled<false>,
    launchUntiled<true>,
    launchTiled<Tiles<32, 32, 32, 1, 1, false>>,
    launchTiled<Tiles<32, 32, 32, 1, 1, true>>,
    launchTiled<Tiles<32, 32, 32, 4, 1, true>>,
    launchTiled<Tiles<32, 32, 32, 4, 1, true, 4>>,
    launchTiled<Tiles<64, 64, 8, 8, 1, false>>,
    launchTiled<Tiles<64, 64, 16, 4, 4, true, 4>>,
    launchTiled<Tiles<128, 128, 8, 8, 8, false>>,
    launchTiled<Tiles<128, 128, 8, 8, 8, true, 4>>,
    launchTiled<Tiles<128, 128, 16, 8, 8, true, 4>>,
    launchTiled<Tiles<128, 128, 8, 8, 8, true, 4, false, 64, 32>>,
    launchTiled<Tiles<128, 128, 16, 8, 4, true, 4, false, 64, 64, 1, 4>>,
    launchTiled<Tiles<128, 128, 8, 8, 8, true, 4, true, 64, 32>>,
};

/// The largest difference from what is right.
static float findError(const Product &p, const std::vector<float> &a,
                       const std::vector<float> &b,
                       const std::vector<float> &results) {
  float most = 0;
  for (int row = 0; row < p.n; ++row)
    for (int column = 0; column < p.n; ++column) {
      float sum = 0;
      for (int k = 0; k < p.n; ++k)
        sum += a[row * p.n + k] * b[k * p.n + column];
      float error = p.alpha * sum + p.beta - results[row * p.n + column];
      most = std::fmax(most, std::fabs(error));
    }
  return most;
}

int main(int argc, char **argv) {
  int rung = argc > 2 ? std::atoi(argv[1]) : 0;
  int n = argc > 2 ? std::atoi(argv[2]) : 0;
  if (rung < 1 || rung > int(std::size(rungs)) || n < 128 || n % 128 != 0) {
    std::fprintf(stderr, "expected a rung of 1 to %d and a multiple of 128\n",
                 int(std::size(rungs)));
    return 1;
  }
  size_t count = size_t(n) * n, bytes = count * sizeof(float);
  float *a, *b, *c;
  for (float **matrix : {&a, &b, &c}) {
    cudaMalloc(reinterpret_cast<void **>(matrix), bytes);
    cudaMemset(*matrix, 0, bytes);
  }
  Product p{n, 1.5f, 0.5f, a, b, c};
  if (argc < 4) {
    rungs[rung - 1](p);
    return cudaDeviceSynchronize();
  }
  // Small integers, so that sums are exact in any order.
  std::vector<float> left(count), right(count), results(count, 1);
  for (size_t i = 0; i < count; ++i) {
    left[i] = float(i * 7 % 5) - 2;
    right[i] = float(i * 11 % 7) - 3;
  }
  cudaMemcpy(a, left.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(b, right.data(), bytes, cudaMemcpyHostToDevice);
  cudaMemcpy(c, results.data(), bytes, cudaMemcpyHostToDevice);
  rungs[rung - 1](p);
  cudaMemcpy(results.data(), c, bytes, cudaMemcpyDeviceToHost);
  for (float *matrix : {a, b, c})
    cudaFree(matrix);
  float error = findError(p, left, right, results);
  std::printf("rung %d: largest error %g\n", rung, error);
  return error != 0;
}
