//===- AtomicTest.cpp - Address questions and wide atomics
//-----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.9.19 and 9.7.9.20; 9.7.13.6 and 9.7.13.8 on 16-bit
// numbers, vectors and 128 bits; section 10 in a grid without clusters.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

/// Runs a kernel on one array of words in each way of execution.
template <typename T>
std::vector<T> runEverywhere(const std::string &body, std::vector<T> values,
                             unsigned threads = 32) {
  std::vector<T> first;
  for (auto execution :
       {LaunchOptions::Execution::Threads, LaunchOptions::Execution::Warps,
        LaunchOptions::Execution::Masked}) {
    Device device(header +
                  ".visible .entry k(.param .u64 p) {\n.reg .pred %p<9>; .reg "
                  ".b16 %h<9>; .reg .b32 %r<9>; .reg .b64 %q<9>;\n"
                  "ld.param.u64 %q1, [p]; mov.u32 %r1, %tid.x;\n" +
                  body + "\nret; }\n");
    if (!device.module)
      return {};
    LaunchOptions options;
    options.execution = execution;
    device.module->setOptions(options);
    DeviceArray<T> array(device.memory, values);
    EXPECT_EQ(device.run("k", {}, {threads, 1, 1}, 0, array.get()), "");
    if (first.empty())
      first = array.values();
    EXPECT_EQ(array.values(), first);
  }
  return first;
}

TEST(Address, SpacesOfGenericAddresses) {
  std::string text = ".shared .b32 s[4]; .local .b32 l[4];\n"
                     "mov.u64 %q2, s; cvta.shared.u64 %q2, %q2;\n"
                     "mov.u64 %q3, l; cvta.local.u64 %q3, %q3;\n"
                     "mov.u32 %r2, 0;\n";
  unsigned bit = 1;
  for (const char *space : {"global", "shared", "local"})
    for (const char *address : {"%q1", "%q2", "%q3"}) {
      text += std::string("isspacep.") + space + " %p1, " + address +
              "; @%p1 or.b32 %r2, %r2, " + std::to_string(bit) + ";\n";
      bit *= 2;
    }
  // Back from generic, and in.
  text += "cvta.to.shared.u64 %q4, %q2; mov.u64 %q5, s; setp.eq.u64 %p1, %q4, "
          "%q5; @%p1 or.b32 %r2, %r2, 512;\n"
          "st.u32 [%q3], 7; cvta.to.local.u64 %q4, %q3; ld.local.u32 %r3, "
          "[%q4]; shl.b32 %r3, %r3, 10; or.b32 %r2, %r2, %r3;\n"
          "mad.wide.u32 %q6, %r1, 4, %q1; st.global.u32 [%q6], %r2;";
  EXPECT_EQ(runEverywhere(text, std::vector<uint32_t>(32)),
            std::vector<uint32_t>(32, 0b111'1'100'010'001));
}

//===----------------------------------------------------------------------===//
// Atomics on halves and vectors
//===----------------------------------------------------------------------===//

TEST(Atomic, HalvesAddUp) {
  // 32 times 0.5 and 1.5 in .f16, on 1 and 2.
  EXPECT_EQ(runEverywhere<uint32_t>(
                "mov.b32 %r2, 0x3e003800; red.global.add.noftz.f16x2 [%q1], "
                "%r2;",
                {0x40003c00})[0],
            0x52404c40u); // 50 and 17
  // .bf16: 32 times 1 on 4 in the upper half of a word.
  EXPECT_EQ(runEverywhere<uint16_t>(
                "mov.b16 %h1, 0x3f80; atom.global.add.noftz.bf16 %h2, "
                "[%q1+2], %h1;",
                {7, 0x4080})[1],
            0x4210u); // 36
}

TEST(Atomic, OldValuesComeInOrderOfLanes) {
  auto values = runEverywhere<uint16_t>(
      "mov.b16 %h1, 0x3c00; atom.global.add.noftz.f16 %h2, [%q1], %h1;\n"
      "mad.wide.u32 %q2, %r1, 2, %q1; st.global.b16 [%q2+2], %h2;",
      std::vector<uint16_t>(5, 0), 4);
  EXPECT_EQ(values, (std::vector<uint16_t>{0x4400, 0, 0x3c00, 0x4000, 0x4200}));
}

TEST(Atomic, Vectors) {
  auto sums =
      runEverywhere<float>("mov.b32 %r2, 0f3F800000; mov.b32 %r3, 0f40000000;\n"
                           "red.global.add.v2.f32 [%q1], {%r2, %r3};",
                           {10, 20});
  EXPECT_EQ(sums, (std::vector<float>{42, 84}));
  // -1 against NaN and 3, 2 against -0 and +0.
  auto least = runEverywhere<uint16_t>(
      "mov.b16 %h1, 0xbc00; mov.b16 %h2, 0x4000;\n"
      "atom.global.min.noftz.v4.f16 {%h3, %h4, %h5, %h6}, [%q1], {%h1, %h1, "
      "%h2, %h2};",
      {0x7e00, 0x4200, 0x8000, 0});
  EXPECT_EQ(least, (std::vector<uint16_t>{0xbc00, 0xbc00, 0x8000, 0}));
}

TEST(Atomic, WidestAndNarrowest) {
  // Lane 0 wins; the others find its value.
  auto words = runEverywhere<uint64_t>(
      ".reg .b128 %x<4>; cvt.u64.u32 %q2, %r1; add.u64 %q2, %q2, 5; mov.b64 "
      "%q3, 0; mov.b128 %x1, {%q3, %q3}; mov.b128 %x2, {%q2, %q2};\n"
      "atom.global.cas.b128 %x3, [%q1], %x1, %x2; mov.b128 {%q4, %q5}, %x3;\n"
      "setp.eq.u32 %p1, %r1, 3; @%p1 st.global.u64 [%q1+16], %q5;",
      std::vector<uint64_t>(4, 0));
  EXPECT_EQ(words[0], 5u);
  EXPECT_EQ(words[1], 5u);
  EXPECT_EQ(words[2], 5u);
  auto halves = runEverywhere<uint16_t>(
      "cvt.u16.u32 %h1, %r1; add.u16 %h2, %h1, 1; atom.global.cas.b16 %h3, "
      "[%q1+2], %h1, %h2;",
      {9, 0});
  EXPECT_EQ(halves, (std::vector<uint16_t>{9, 32}));
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

TEST(Special, EachBlockIsACluster) {
  std::string text;
  const char *names[] = {"%clusterid.x",     "%nclusterid.x",
                         "%cluster_ctaid.y", "%cluster_nctaid.z",
                         "%cluster_ctarank", "%cluster_nctarank",
                         "%envreg31",        "%reserved_smem_offset_end",
                         "%globaltimer_hi",  "%pm3",
                         "%aggr_smem_size"};
  unsigned slot = 0;
  for (const char *name : names)
    text += std::string("mov.u32 %r2, ") + name + "; st.global.u32 [%q1+" +
            std::to_string(4 * slot++) + "], %r2;\n";
  text += "mov.u64 %q2, %current_graph_exec; st.global.u64 [%q1+48], %q2; "
          "mov.pred %p1, %is_explicit_cluster; @%p1 trap;";
  auto values = runEverywhere(text, std::vector<uint32_t>(14, 77));
  values.resize(10);
  EXPECT_EQ(values, (std::vector<uint32_t>{0, 1, 0, 1, 0, 1, 0, 0, 0, 0}));
}

} // namespace
