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

} // namespace
