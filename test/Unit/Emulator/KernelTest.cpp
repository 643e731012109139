//===- KernelTest.cpp - Whole kernels on the emulator ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels as compilers make them, compared with the host. Inputs/README.md says
// how each was made.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include <cmath>

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

/// Small integers: products and sums are exact in every order.
std::vector<float> makeInput(size_t count, unsigned seed) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i)
    values[i] = float((i * 7 + seed * 13) % 17) - 8;
  return values;
}

std::vector<float> multiply(const std::vector<float> &a,
                            const std::vector<float> &b, size_t m, size_t n,
                            size_t k) {
  std::vector<float> c(m * n);
  for (size_t i = 0; i < m; ++i)
    for (size_t j = 0; j < n; ++j)
      for (size_t p = 0; p < k; ++p)
        c[i * n + j] += a[i * k + p] * b[p * n + j];
  return c;
}

TEST(Kernel, MlirTiledMatmul) {
  Device device(readInput("matmul_f32.ptx"));
  auto a = makeInput(37 * 29, 1), b = makeInput(29 * 41, 2);
  DeviceArray<float> x(device.memory, a), y(device.memory, b),
      z(device.memory, std::vector<float>(37 * 41, -1));
  EXPECT_EQ(device.run("matmul_kernel", {6, 5, 1}, {8, 8, 1}, 0, x.get(),
                       y.get(), z.get()),
            "");
  EXPECT_EQ(z.values(), multiply(a, b, 37, 41, 29));
}

//===----------------------------------------------------------------------===//
// Inputs/mixed.mlir
//===----------------------------------------------------------------------===//

TEST(Kernel, MlirMixed) {
  Device device(readInput("mixed.ptx"));
  constexpr int64_t n = 7;
  constexpr float s = 1.5f;
  constexpr int32_t factor = 3;
  std::vector<double> a(256);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = double((i * 37) % 101) - 50;
  std::vector<int32_t> counts(256, 0), expectedCounts(256, 0);
  std::vector<double> expected = a;
  for (int block = 0; block < 4; ++block)
    for (int t = 0; t < 64; ++t) {
      int64_t g = block * 64 + t, r = g % n;
      double buffer[4] = {};
      buffer[(g / n + g / n) % 4] = a[g] * s;
      double z = a[block * 64 + 63 - t] * s, q = buffer[r % 4];
      double maximum = std::max(q, z);
      double minimum = std::min(maximum, a[block * 64] + a[block * 64 + 1]);
      int32_t product = int32_t(minimum) * factor;
      double root = std::max(std::sqrt(std::fabs(float(product))) / s, s);
      double cases[] = {root, maximum, minimum, root / s};
      expected[g] = cases[r % 4];
      expectedCounts[r] += product;
      int32_t &most = expectedCounts[128 + r % 4];
      most = std::max(most, product);
    }
  DeviceArray<double> x(device.memory, a);
  DeviceArray<int32_t> y(device.memory, counts);
  EXPECT_EQ(device.run("mixed", {4, 1, 1}, {64, 1, 1}, 0, x.get(), y.get(), n,
                       s, factor),
            "");
  EXPECT_EQ(x.values(), expected);
  EXPECT_EQ(y.values(), expectedCounts);
}

//===----------------------------------------------------------------------===//
// Inputs/simt.cu
//===----------------------------------------------------------------------===//

TEST(Kernel, NvccAxpy) {
  Device device(readInput("simt.ptx"));
  auto a = makeInput(1000, 3), b = makeInput(1000, 4), expected = b;
  for (size_t i = 0; i < 997; ++i)
    expected[i] += 0.5f * a[i];
  DeviceArray<float> x(device.memory, a), y(device.memory, b);
  EXPECT_EQ(device.run("axpy", {8, 1, 1}, {128, 1, 1}, 0, 997, 0.5f, x.get(),
                       y.get()),
            "");
  EXPECT_EQ(y.values(), expected);
}

TEST(Kernel, NvccTiledMatmul) {
  Device device(readInput("simt.ptx"));
  constexpr int n = 64;
  auto a = makeInput(n * n, 5), b = makeInput(n * n, 6);
  DeviceArray<float> x(device.memory, a), y(device.memory, b),
      z(device.memory, std::vector<float>(n * n));
  EXPECT_EQ(device.run("tiled", {4, 4, 1}, {16, 16, 1}, 0, x.get(), y.get(),
                       z.get(), n),
            "");
  EXPECT_EQ(z.values(), multiply(a, b, n, n, n));
}

struct Pair {
  int a;
  double b;
  char c[5];
};

struct MixedResult {
  std::vector<float> out;
  std::vector<uint64_t> u;
  std::vector<double> d;
  std::vector<uint32_t> counts;
};

uint32_t reverseBits(int value) { return llvm::reverseBits(uint32_t(value)); }

/// What Inputs/simt.cu says, on the host.
MixedResult computeMixed(Pair p, MixedResult r, int n, int threads) {
  constexpr float table[] = {1, 2, 3, 4};
  MixedResult old = r;
  for (int t = 0; t < threads; ++t) {
    int z = (t + 1) % threads * p.a;
    int index = (z + n) & 7;
    float v = old.out[index] * index + table[z & 3];
    float weighted = 0;
    for (int i = 0; i < n; ++i)
      weighted = std::fma(float(i), old.out[t], weighted);
    v += weighted;
    const float cases[] = {std::sin(v),  std::exp(v),    std::log(v),
                           std::sqrt(v), float(v / p.b), std::pow(v, 2.5f)};
    v = n < 6 ? cases[n] : 1 / std::sqrt(v);
    r.out[t] = v + std::fmin(v, float(p.c[2]));
    r.u[t] = old.u[t] / uint64_t(n + 3) + llvm::popcount(old.u[t]) +
             llvm::countl_zero(uint32_t(z)) + __builtin_ffs(n) + reverseBits(n);
    double d = old.d[t];
    r.d[t] = std::exp(d) + std::sqrt(d) + std::fma(d, p.b, 1.0) + d / p.b;
  }
  return r;
}

class NvccMixed : public testing::TestWithParam<int> {};

TEST_P(NvccMixed, MatchesHost) {
  Device device(readInput("simt.ptx"));
  constexpr int threads = 48;
  int n = GetParam();
  MixedResult start;
  for (int i = 0; i < threads; ++i) {
    start.out.push_back(0.25f + 0.125f * i);
    start.u.push_back(0x123456789abcdefull * (i + 1));
    start.d.push_back(0.1 * i);
  }
  start.counts = {0, 0, 0, 0, 0, 0, 0};
  Pair p{3, 2.5, {1, 2, 100, 4, 5}};
  MixedResult expected = computeMixed(p, start, n, threads);
  DeviceArray<float> out(device.memory, start.out);
  DeviceArray<uint64_t> u(device.memory, start.u);
  DeviceArray<double> d(device.memory, start.d);
  DeviceArray<uint32_t> counts(device.memory, start.counts);
  ASSERT_EQ(device.run("mixed", {1, 1, 1}, {threads, 1, 1}, 4 * threads, p,
                       out.get(), u.get(), d.get(), counts.get(), n),
            "");
  for (int i = 0; i < threads; ++i) {
    EXPECT_NEAR(out.get()[i], expected.out[i],
                1e-5 * std::fabs(expected.out[i]) + 1e-6)
        << i;
    EXPECT_NEAR(d.get()[i], expected.d[i], 1e-13 * expected.d[i]) << i;
  }
  EXPECT_EQ(u.values(), expected.u);
  std::vector<uint32_t> got = counts.values();
  EXPECT_EQ(got[0], unsigned(threads));
  EXPECT_EQ(got[1], unsigned(threads - 1));
  EXPECT_EQ(got[2], 5u);
  EXPECT_EQ(got[3], unsigned(threads % 11));
  EXPECT_EQ(int(got[4]), 1 - threads);
  EXPECT_EQ(llvm::bit_cast<float>(got[5]), 0.5f * threads);
  EXPECT_EQ(int(got[6]), 7 + 2 * threads);
  auto counter = device.module->variable("counter");
  ASSERT_TRUE(bool(counter));
  EXPECT_EQ(*static_cast<int *>(counter->first), 7 + 2 * threads);
  EXPECT_EQ(counter->second, 4u);
}

INSTANTIATE_TEST_SUITE_P(Cases, NvccMixed, testing::Range(0, 8));

} // namespace
