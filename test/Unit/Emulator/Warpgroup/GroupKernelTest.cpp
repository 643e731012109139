//===- GroupKernelTest.cpp - A product of matrices by wgmma ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel as one writes it: tiles of a and b by cp.async, a stage ahead, in
// the layout of 128 bytes; products that are waited for a step later. Right in
// every way of execution and under many orders, with all checks; and with
// something left out, found.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <random>

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::AllOf;
using testing::HasSubstr;
using Execution = LaunchOptions::Execution;

namespace {

constexpr unsigned tile = 64, stageBytes = 2 * tile * tile * 2;

struct Choices {
  bool hasProxyFence = true, hasBarrier = true;
  unsigned productsAhead = 1;
};

/// c = a * b, a by rows and b by columns, of .bf16; a block of 128 threads does
/// 64 by 64 of c, in steps of 64 terms.
std::string makeKernel(const Choices &choices) {
  std::string sums, clears, stores;
  for (unsigned i = 0; i < 32; ++i) {
    sums += llvm::formatv("{0}%d{1}", i ? ", " : "", i);
    clears += llvm::formatv("mov.b32 %d{0}, 0;\n", i);
  }
  // Thread t has rows 16 (t / 32) + t % 32 / 4 and 8 more.
  for (unsigned i = 0; i < 32; i += 2)
    stores += llvm::formatv("st.global.v2.b32 [%q{0}+{1}], {{%d{2}, %d{3}};\n",
                            i % 4 / 2 ? 6 : 5, i / 4 * 32, i, i + 1);
  // Pieces t, t + 128, ... of a tile: 8 in a row of 128 bytes.
  std::string copies;
  for (unsigned matrix = 0; matrix < 2; ++matrix)
    for (unsigned i = 0; i < 4; ++i)
      copies += llvm::formatv(
          "cp.async.cg.shared.global [%i5+{0}], [%q{1}], 16; add.u64 %q{1}, "
          "%q{1}, %q7;\n",
          matrix * tile * 128 + i * 16 * 128, 1 + matrix);
  // Back to the first rows, and on to the next terms.
  copies += "sub.u64 %q1, %q1, %q8; sub.u64 %q2, %q2, %q8; "
            "cp.async.commit_group;\n";
  std::string products;
  for (unsigned k = 0; k < 4; ++k)
    products += llvm::formatv(
        "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{{0}}, %q10, "
        "%q11, 1, 1, 1, 0, 0; add.u64 %q10, %q10, 2; add.u64 %q11, %q11, 2;\n",
        sums);
  return ".version 8.4\n.target sm_90a\n.address_size 64\n\n"
         ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c, "
         ".param .u32 n, .param .u32 terms) { .reg .pred %p<4>; .reg .b32 "
         "%i<16>, %d<32>; .reg .b64 %q<16>; .shared .align 1024 .b8 stages[" +
         std::to_string(2 * stageBytes) +
         "]; ld.param.u64 %q1, [a]; ld.param.u64 %q2, [b]; ld.param.u64 %q3, "
         "[c]; ld.param.u32 %i8, [n]; ld.param.u32 %i9, [terms];\n"
         // Of this thread: row t / 8 and piece t % 8 of both tiles.
         "mov.u32 %i1, %tid.x; shr.u32 %i2, %i1, 3; and.b32 %i3, %i1, 7; "
         "mov.u32 %i10, %ctaid.y; mov.u32 %i11, %ctaid.x; mad.lo.u32 %i4, "
         "%i10, 64, %i2; mul.lo.u32 %i4, %i4, %i9; mad.lo.u32 %i4, %i3, 8, "
         "%i4; mad.wide.u32 %q1, %i4, 2, %q1; mad.lo.u32 %i4, %i11, 64, %i2; "
         "mul.lo.u32 %i4, %i4, %i9; mad.lo.u32 %i4, %i3, 8, %i4; mad.wide.u32 "
         "%q2, %i4, 2, %q2; mul.wide.u32 %q7, %i9, 32; shl.b64 %q8, %q7, 2; "
         "sub.u64 %q8, %q8, 128;\n"
         // Its place: pieces are exchanged by the row.
         "and.b32 %i4, %i2, 7; xor.b32 %i4, %i4, %i3; shl.b32 %i4, %i4, 4; "
         "mad.lo.u32 %i4, %i2, 128, %i4; mov.u32 %i6, stages; add.u32 %i4, "
         "%i4, %i6; mov.u32 %i5, %i4;\n" +
         copies + clears +
         "mov.u32 %i7, 0;\n"
         "step: cp.async.wait_group 0;\n" +
         (choices.hasProxyFence ? "fence.proxy.async;\n" : "") +
         (choices.hasBarrier ? "bar.sync 0;\n" : "") +
         // The stage of this step, by bit 6 of the term.
         "shl.b32 %i12, %i7, 8; and.b32 %i12, %i12, 16384; add.u32 %i13, %i6, "
         "%i12; cvt.u64.u32 %q10, %i13; shr.u64 %q10, %q10, 4; or.b64 %q10, "
         "%q10, 0x4000004000010000; add.u64 %q11, %q10, 512;\n"
         "wgmma.fence.sync.aligned;\n" +
         products + "wgmma.commit_group.sync.aligned;\n" +
         llvm::formatv("wgmma.wait_group.sync.aligned {0};\n",
                       choices.productsAhead)
             .str() +
         "add.u32 %i7, %i7, 64; setp.ge.u32 %p1, %i7, %i9; @%p1 bra done;\n"
         "xor.b32 %i12, %i12, 16384; add.u32 %i5, %i4, %i12;\n" +
         copies +
         "bra step;\n"
         "done: wgmma.wait_group.sync.aligned 0;\n"
         "shr.u32 %i2, %i1, 5; and.b32 %i3, %i1, 31; shr.u32 %i12, %i3, 2; "
         "mad.lo.u32 %i12, %i2, 16, %i12; mad.lo.u32 %i12, %i10, 64, %i12; "
         "mul.lo.u32 %i12, %i12, %i8; and.b32 %i3, %i3, 3; mad.lo.u32 %i12, "
         "%i3, 2, %i12; mad.lo.u32 %i12, %i11, 64, %i12; mad.wide.u32 %q5, "
         "%i12, 4, %q3; mad.wide.u32 %q6, %i8, 32, %q5;\n" +
         stores + "ret;\n}\n";
}

/// Runs it, and compares with the product of small integers.
std::string multiply(const Choices &choices, LaunchOptions options) {
  constexpr unsigned m = 128, n = 64, terms = 320;
  std::mt19937_64 random(1);
  auto make = [&](unsigned count) {
    std::vector<uint16_t> bits(count);
    for (uint16_t &each : bits)
      each = llvm::bit_cast<uint32_t>(float(int(random() % 9) - 4)) >> 16;
    return bits;
  };
  auto valueOf = [](uint16_t bits) {
    return llvm::bit_cast<float>(uint32_t(bits) << 16);
  };
  std::vector<uint16_t> a = make(m * terms), b = make(n * terms);
  Device device(makeKernel(choices));
  if (!device.module)
    return "no module";
  options.checks = Checks::All;
  device.module->setOptions(options);
  DeviceArray<uint16_t> left(device.memory, a), right(device.memory, b);
  DeviceArray<float> result(device.memory, std::vector<float>(m * n));
  std::string error =
      device.run("k", {n / tile, m / tile, 1}, {128, 1, 1}, 0, left.get(),
                 right.get(), result.get(), n, terms);
  if (!error.empty())
    return error;
  std::vector<float> c = result.values();
  for (unsigned i = 0; i < m; ++i)
    for (unsigned j = 0; j < n; ++j) {
      float sum = 0;
      for (unsigned k = 0; k < terms; ++k)
        sum += valueOf(a[i * terms + k]) * valueOf(b[j * terms + k]);
      if (c[i * n + j] != sum)
        return llvm::formatv("({0}, {1}): expected {2}, got {3}", i, j, sum,
                             c[i * n + j]);
    }
  return "";
}

TEST(GroupKernel, IsRight) {
  for (Execution execution :
       {Execution::Warps, Execution::Masked, Execution::Threads}) {
    LaunchOptions options;
    options.execution = execution;
    EXPECT_EQ(multiply({}, options), "");
  }
}

TEST(GroupKernel, IsRightInAnyOrder) {
  LaunchOptions options;
  for (Execution execution : {Execution::Warps, Execution::Masked})
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      options.execution = execution;
      options.schedule = {Schedule::Adversarial, seed};
      EXPECT_EQ(multiply({}, options), "") << seed;
    }
}

TEST(GroupKernel, IsRightInTheArithmeticOfTheDevice) {
  LaunchOptions options;
  options.arithmetic = LaunchOptions::Arithmetic::Hardware;
  EXPECT_EQ(multiply({}, options), "");
}

TEST(GroupKernel, WithoutTheProxyFence) {
  Choices choices;
  choices.hasProxyFence = false;
  EXPECT_THAT(multiply(choices, {}),
              AllOf(HasSubstr("execute fence.proxy.async"),
                    HasSubstr("(`cp.async.cg.shared.global"),
                    HasSubstr("(in 'stages')")));
}

TEST(GroupKernel, WithoutTheBarrier) {
  Choices choices;
  choices.hasBarrier = false;
  EXPECT_THAT(multiply(choices, {}),
              AllOf(HasSubstr("by thread ("), HasSubstr("wgmma")));
}

TEST(GroupKernel, WaitsForTooLittle) {
  Choices choices;
  choices.productsAhead = 2;
  EXPECT_THAT(multiply(choices, {}),
              AllOf(HasSubstr("write of 16 bytes"),
                    HasSubstr("meets a wgmma in flight"),
                    HasSubstr("(`cp.async.cg.shared.global")));
}

} // namespace
