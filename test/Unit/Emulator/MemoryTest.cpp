//===- MemoryTest.cpp - Faults of memory accesses -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every planted fault is found and reported with its place; the correct twin of
// each kernel passes.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

#include "gmock/gmock.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;
using testing::MatchesRegex;

namespace {

/// A kernel of one pointer and one offset; the body starts on line 6. %q1 is
/// the pointer plus the offset, %q2 the offset.
std::string kernel(llvm::StringRef body, llvm::StringRef before = "") {
  return header + before.str() +
         ".visible .entry k(.param .u64 p, .param .u64 offset) { .reg .pred "
         "%p<4>; .reg .b16 %h<4>; .reg .b32 %i<8>; .reg .b64 %q<8>; "
         "ld.param.u64 "
         "%q1, [p]; ld.param.u64 %q2, [offset]; add.u64 %q1, %q1, %q2;\n" +
         body.str() + "\nret;\n}\n";
}

/// Runs `body` on an array of four 32-bit integers.
std::string runOn(llvm::StringRef body, int64_t offset,
                  llvm::StringRef before = "", Dim3 grid = {}, Dim3 block = {},
                  uint32_t dynamicShared = 0) {
  Device device(kernel(body, before));
  DeviceArray<uint32_t> data(device.memory, {1, 2, 3, 4});
  return device.run("k", grid, block, dynamicShared, data.get(), offset);
}

TEST(Fault, GlobalBounds) {
  const char *read = "ld.global.u32 %i1, [%q1];";
  EXPECT_EQ(runOn(read, 0), "");
  EXPECT_EQ(runOn(read, 12), "");
  EXPECT_THAT(runOn(read, 16),
              MatchesRegex("kernel 'k', block \\(0,0,0\\), thread \\(0,0,0\\), "
                           "PTX line 6 \\(`ld.global.u32 %i1, \\[%q1\\]`\\): "
                           "read of 4 bytes at global address 0x[0-9a-f]+ is "
                           "out of bounds.*16 bytes at 0x[0-9a-f]+, which ends "
                           "0 bytes before it"));
  EXPECT_THAT(runOn(read, -4), HasSubstr("which begins 4 bytes behind it"));
  EXPECT_THAT(runOn(read, int64_t(1) << 40), HasSubstr("out of bounds"));
  EXPECT_THAT(runOn("st.global.u32 [%q1+16], %i1;", 0),
              HasSubstr("write of 4 bytes"));
  EXPECT_THAT(runOn("ld.global.u32 %i1, [0];", 0), HasSubstr("address 0x0"));
}

/// Half of the access is inside.
TEST(Fault, PartlyOutside) {
  EXPECT_EQ(runOn("ld.global.v2.u32 {%i1, %i2}, [%q1];", 8), "");
  EXPECT_THAT(runOn("ld.global.v4.u32 {%i1, %i2, %i3, %i4}, [%q1];", 16),
              HasSubstr("read of 16 bytes"));
  EXPECT_THAT(runOn("ld.global.u64 %q3, [%q1];", 16), HasSubstr("8 bytes"));
}

TEST(Fault, Alignment) {
  EXPECT_THAT(runOn("ld.global.u32 %i1, [%q1];", 2),
              HasSubstr("is misaligned: expected a multiple of 4"));
  EXPECT_EQ(runOn("ld.global.u16 %h1, [%q1];", 2), "");
  EXPECT_THAT(runOn("ld.global.v2.u32 {%i1, %i2}, [%q1];", 4),
              HasSubstr("is misaligned: expected a multiple of 8"));
  EXPECT_THAT(runOn("st.global.v4.f32 [%q1], {%i1, %i1, %i1, %i1};", 8),
              HasSubstr("out of bounds"));
  EXPECT_THAT(runOn("atom.global.add.u64 %q3, [%q1], 1;", 4),
              HasSubstr("expected a multiple of 8"));
}

/// Only the thread that goes wrong is named, after others went right.
TEST(Fault, NamesBlockAndThread) {
  const char *body =
      "mov.u32 %i1, %ctaid.y; mov.u32 %i2, %tid.z; mad.lo.u32 %i1, %i1, 2, "
      "%i2; mul.wide.u32 %q3, %i1, 4; add.u64 %q1, %q1, %q3;\n"
      "ld.global.u32 %i3, [%q1];";
  EXPECT_EQ(runOn(body, 0, "", {1, 2, 1}, {1, 1, 2}), "");
  EXPECT_THAT(runOn(body, 4, "", {1, 2, 1}, {1, 1, 2}),
              HasSubstr("block (0,1,0), thread (0,0,1), PTX line 7"));
}

TEST(Fault, FreedMemory) {
  Device device(kernel("ld.global.u32 %i1, [%q1];"));
  void *data = llvm::cantFail(device.memory.allocate(16));
  EXPECT_EQ(device.run("k", {}, {}, 0, data, int64_t(0)), "");
  llvm::cantFail(device.memory.release(data));
  EXPECT_THAT(device.run("k", {}, {}, 0, data, int64_t(0)),
              HasSubstr("was freed"));
}

TEST(Fault, KindIsReported) {
  Device device(kernel("ld.global.u32 %i1, [%q1];"));
  DeviceArray<uint32_t> data(device.memory, {1, 2});
  auto kindAt = [&](int64_t offset) {
    FaultKind kind = FaultKind::Failure;
    llvm::Error error = device.module->launch(
        "k", {}, {}, 0, Arguments(data.get(), offset).get(), device.memory);
    llvm::handleAllErrors(std::move(error),
                          [&](const Fault &fault) { kind = fault.getKind(); });
    return kind;
  };
  EXPECT_EQ(kindAt(8), FaultKind::Address);
  EXPECT_EQ(kindAt(2), FaultKind::Alignment);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

TEST(Fault, SharedBounds) {
  const char *tile = ".shared .align 8 .b8 tile[64];\n";
  auto at = [&](const char *instruction, int64_t offset) {
    std::string body =
        std::string("mov.u64 %q3, tile; add.u64 %q3, %q3, %q2; ") + instruction;
    return runOn(body, offset, tile);
  };
  EXPECT_EQ(at("st.shared.u32 [%q3], 1;", 60), "");
  EXPECT_THAT(at("st.shared.u32 [%q3], 1;", 64),
              HasSubstr("out of bounds: the block has 64 bytes at 0x400, which "
                        "ends 0 bytes before it, the nearest variable is "
                        "'tile', 64 bytes at 0x400"));
  EXPECT_THAT(at("ld.shared.u32 %i1, [%q3];", -4),
              HasSubstr("which begins 4 bytes behind it"));
  EXPECT_THAT(at("ld.shared.u64 %q4, [%q3];", 4),
              HasSubstr("misaligned: expected a multiple of 8"));
  EXPECT_THAT(at("ld.shared.u32 %i1, [0];", 0), HasSubstr("address 0x0"));
  // 32-bit addresses, as nvcc makes them.
  EXPECT_EQ(at("mov.u32 %i1, tile; st.shared.u32 [%q3], 1; ld.shared.u32 %i2, "
               "[%i1+60];",
               60),
            "");
  EXPECT_THAT(at("mov.u32 %i1, tile; ld.shared.u32 %i2, [%i1+64];", 0),
              HasSubstr("shared address 0x440"));
}

TEST(Fault, NoSharedMemory) {
  EXPECT_THAT(runOn("ld.shared.u32 %i1, [%q2];", 1024),
              HasSubstr("the block has 0 bytes"));
}

TEST(Fault, DynamicSharedBounds) {
  const char *tile = ".extern .shared .align 16 .b8 tile[];\n";
  const char *body = "mov.u64 %q3, tile; add.u64 %q3, %q3, %q2; "
                     "st.shared.u32 [%q3], 1;";
  EXPECT_EQ(runOn(body, 28, tile, {}, {}, 32), "");
  EXPECT_THAT(runOn(body, 32, tile, {}, {}, 32), HasSubstr("out of bounds"));
}

/// Each block starts with memory nobody has written. This test is of what
/// unwritten memory holds, so it cannot run with all checks.
TEST(Memory, SharedStartsFresh) {
  Device device(kernel("ld.shared.u32 %i1, [tile]; st.shared.u32 [tile], 5; "
                       "mov.u32 %i2, %ctaid.x; mul.wide.u32 %q3, %i2, 4; "
                       "add.u64 %q1, %q1, %q3; st.global.u32 [%q1], %i1;",
                       ".shared .u32 tile;\n"));
  LaunchOptions options = getOptions();
  options.checks = Checks::Bounds;
  device.module->setOptions(options);
  DeviceArray<uint32_t> data(device.memory, {1, 2, 3, 4});
  EXPECT_EQ(device.run("k", {4, 1, 1}, {}, 0, data.get(), int64_t(0)), "");
  EXPECT_EQ(data.values(), std::vector<uint32_t>(4, ~0u));
}

//===----------------------------------------------------------------------===//
// Local, const, param and generic addresses
//===----------------------------------------------------------------------===//

TEST(Fault, LocalBounds) {
  const char *body = ".local .align 16 .b8 depot[32]; mov.u64 %q3, depot; "
                     "add.u64 %q3, %q3, %q2; st.local.u32 [%q3], 7; "
                     "ld.local.u32 %i1, [%q3];";
  EXPECT_EQ(runOn(body, 28), "");
  EXPECT_THAT(runOn(body, 32), HasSubstr("the nearest variable is 'depot'"));
  EXPECT_THAT(runOn(body, -4), HasSubstr("out of bounds"));
  EXPECT_THAT(runOn(body, 2), HasSubstr("misaligned"));
}

/// Registers of 32 bits hold local and shared addresses, also with an offset
/// that differs between lanes.
TEST(Memory, AddressesOf32Bits) {
  const char *before = ".shared .align 4 .b8 tile[16];\n";
  const char *body =
      ".local .align 8 .b8 depot[16]; mov.u32 %i1, %tid.x; mov.u32 %i2, "
      "depot+4; mov.b32 %i3, tile; mad.lo.u32 %i2, %i1, 4, %i2; mad.lo.u32 "
      "%i3, %i1, 4, %i3; add.u32 %i4, %i1, 7; st.local.u32 [%i2], %i4; "
      "st.shared.u32 [%i3], %i4; ld.local.u32 %i4, [%i2]; ld.shared.u32 %i5, "
      "[%i3]; mul.wide.u32 %q3, %i1, 4; add.u64 %q1, %q1, %q3; mad.lo.u32 "
      "%i4, %i4, 100, %i5; st.global.u32 [%q1], %i4;\n";
  Device device(kernel(body, before));
  DeviceArray<uint32_t> data(device.memory, {0, 0, 0});
  EXPECT_EQ(device.run("k", {}, {3, 1, 1}, 0, data.get(), int64_t(0)), "");
  EXPECT_EQ(data.values(), (std::vector<uint32_t>{707, 808, 909}));
  EXPECT_THAT(runOn(".local .b32 depot; mov.b32 %i1, depot; ld.local.b32 %i2, "
                    "[%i1+4];",
                    0),
              HasSubstr("the nearest variable is 'depot'"));
}

TEST(Memory, ConstantsBy32Bits) {
  Device device(
      kernel("mov.b32 %i1, table; ld.const.u32 %i2, [%i1+4]; "
             "ld.const.u32 %i3, [table+8]; cvt.u64.u32 %q3, %i1; "
             "ld.const.u32 %i4, [%q3]; mad.lo.u32 %i2, %i2, 10, %i3; "
             "mad.lo.u32 %i2, %i2, 10, %i4; st.global.u32 [%q1], %i2;",
             ".const .align 4 .u32 table[3] = {3, 1, 2};\n"));
  DeviceArray<uint32_t> data(device.memory, {0});
  EXPECT_EQ(device.run("k", {}, {}, 0, data.get(), int64_t(0)), "");
  EXPECT_EQ(data.values(), (std::vector<uint32_t>{123}));
}

/// They wrap around, in all lanes alike or not, and where a copy runs step by
/// step.
TEST(Memory, AddressesOf32BitsWrap) {
  const char *before = ".shared .align 4 .b8 tile[16];\n";
  const char *body =
      "mov.u32 %i1, %tid.x; mov.b32 %i2, tile; sub.u32 %i3, %i2, 4096; "
      "mad.lo.u32 %i4, %i1, 4, %i3; add.u32 %i5, %i1, 7; "
      "mul.wide.u32 %q3, %i1, 4; add.u64 %q1, %q1, %q3; "
      "cp.async.ca.shared.global [%i4+4096], [%q1], 4; cp.async.wait_all; "
      "ld.shared.u32 %i6, [%i4+4096]; mad.lo.u32 %i5, %i6, 100, %i5; "
      "st.shared.u32 [%i4+4096], %i5; bar.sync 0; "
      "ld.shared.u32 %i7, [%i3+4100]; ld.shared.u32 %i6, [%i4+4096]; "
      "mad.lo.u32 %i6, %i7, 1000, %i6; st.global.u32 [%q1], %i6;\n";
  Device device(kernel(body, before));
  DeviceArray<uint32_t> data(device.memory, {1, 2, 3});
  EXPECT_EQ(device.run("k", {}, {3, 1, 1}, 0, data.get(), int64_t(0)), "");
  EXPECT_EQ(data.values(), (std::vector<uint32_t>{208107, 208208, 208309}));
}

/// More than fits on a host stack; every thread has its own.
TEST(Memory, LargeLocalMemory) {
  Device device(kernel(
      ".local .align 128 .b8 depot[400000]; mov.u32 %i1, %tid.x; mul.wide.u32 "
      "%q3, %i1, 4; add.u64 %q1, %q1, %q3; mov.u64 %q4, depot; add.u64 %q5, "
      "%q4, 399900; add.u64 %q5, %q5, %q3; mov.u32 %i4, 7; "
      "st.local.u32 [depot+399904], %i4; st.local.u32 [%q5], %i1; "
      "ld.local.u32 %i2, [depot+399904]; cvta.local.u64 %q6, %q4; and.b64 %q6, "
      "%q6, 127; cvt.u32.u64 %i3, %q6; add.u32 %i2, %i2, %i3;\n"
      "st.global.u32 [%q1], %i2;"));
  DeviceArray<uint32_t> data(device.memory, {0, 0, 0});
  EXPECT_EQ(device.run("k", {}, {3, 1, 1}, 0, data.get(), int64_t(0)), "");
  // Only thread 1 wrote twice to what it reads.
  EXPECT_EQ(data.values(), (std::vector<uint32_t>{7, 1, 7}));
}

TEST(Fault, SpacesAreKeptApart) {
  EXPECT_THAT(runOn("ld.const.u32 %i1, [%q1];", 0),
              HasSubstr("hits memory of .global"));
  const char *table = ".const .u32 table[2] = {5, 6};\n";
  EXPECT_EQ(runOn("mov.u64 %q3, table; ld.const.u32 %i1, [%q3+4];", 0, table),
            "");
  EXPECT_THAT(runOn("mov.u64 %q3, table; ld.const.u32 %i1, [%q3+8];", 0, table),
              HasSubstr("out of bounds"));
  EXPECT_THAT(runOn("mov.u64 %q3, table; st.u32 [%q3], 1;", 0, table),
              HasSubstr("read-only"));
  EXPECT_THAT(runOn("mov.u64 %q3, table; ld.global.u32 %i1, [%q3];", 0, table),
              HasSubstr("hits memory of .const"));
}

TEST(Memory, GenericReachesEverySpace) {
  const char *before = ".shared .u32 tile[2];\n.global .u32 cell = 9;\n"
                       ".const .u32 table = 8;\n";
  const char *body =
      ".local .align 4 .b8 depot[8];\n"
      "mov.u64 %q3, tile; cvta.shared.u64 %q3, %q3; st.u32 [%q3], 1; "
      "ld.shared.u32 %i1, [tile];\n"
      "mov.u64 %q4, depot; cvta.local.u64 %q5, %q4; st.u32 [%q5+4], 2; "
      "ld.local.u32 %i2, [%q4+4];\n"
      "cvta.global.u64 %q6, cell; ld.u32 %i3, [%q6]; add.u32 %i1, %i1, %i2; "
      "add.u32 %i1, %i1, %i3;\n"
      "mov.u64 %q6, table; cvta.const.u64 %q6, %q6; ld.u32 %i3, [%q6]; "
      "add.u32 %i1, %i1, %i3;\n"
      "cvta.to.shared.u64 %q7, %q3; st.shared.u32 [%q7+4], %i1; "
      "ld.shared.u32 %i1, [tile+4]; st.global.u32 [%q1], %i1;";
  Device device(kernel(body, before));
  DeviceArray<uint32_t> data(device.memory, {0});
  EXPECT_EQ(device.run("k", {}, {}, 0, data.get(), int64_t(0)), "");
  EXPECT_EQ(data.values()[0], 20u);
  EXPECT_THAT(runOn("mov.u64 %q3, tile; cvta.shared.u64 %q3, %q3; "
                    "ld.u32 %i1, [%q3+8];",
                    0, before),
              HasSubstr("read of 4 bytes at generic address"));
}

/// Thread 0 leaves the address of its local memory to thread 1.
TEST(Fault, LocalMemoryOfAnotherThread) {
  const char *before = ".shared .u64 where;\n";
  std::string body =
      ".local .align 4 .b8 depot[8]; mov.u32 %i1, %tid.x; mov.u64 %q3, depot; "
      "cvta.local.u64 %q3, %q3; setp.eq.u32 %p1, %i1, 0; st.u32 [%q3], 1;\n"
      "@%p1 st.shared.u64 [where], %q3; bar.sync 0;\n";
  EXPECT_EQ(runOn(body + "ld.u32 %i2, [%q3];", 0, before, {}, {2, 1, 1}), "");
  EXPECT_THAT(runOn(body + "ld.shared.u64 %q4, [where]; ld.u32 %i2, [%q4];", 0,
                    before, {}, {2, 1, 1}),
              HasSubstr("thread (1,0,0), PTX line 9"));
}

/// Host memory of any alignment may be registered; accesses are still checked.
TEST(Fault, RegisteredHostMemory) {
  Device device(kernel("ld.global.u32 %i1, [%q1]; ld.global.u8 %h1, [%q1];"));
  alignas(16) char host[64] = {};
  ASSERT_EQ(messageOf(device.memory.registerHost(host + 6, 30)), "");
  auto at = [&](int64_t offset) {
    return device.run("k", {}, {}, 0, static_cast<void *>(host), offset);
  };
  EXPECT_EQ(at(8), "");
  EXPECT_EQ(at(32), "");
  EXPECT_THAT(at(6), HasSubstr("misaligned"));
  EXPECT_THAT(at(36), HasSubstr("out of bounds"));
  EXPECT_THAT(at(4), HasSubstr("out of bounds"));
  EXPECT_NE(messageOf(device.memory.registerHost(host + 30, 1)), "");
  EXPECT_EQ(messageOf(device.memory.unregisterHost(host + 6)), "");
  EXPECT_THAT(at(8), HasSubstr("out of bounds"));
}

TEST(Memory, ParameterByAddress) {
  std::string text =
      header + ".visible .entry k(.param .u64 out, .param .align 4 .b8 s[12]) "
               "{ .reg .b32 %i<3>; .reg .b64 %q<4>; ld.param.u64 %q1, [out];\n"
               "mov.u64 %q2, s; ld.param.u32 %i1, [%q2+8]; "
               "st.global.u32 [%q1], %i1; cvta.param.u64 %q3, %q2; "
               "ld.u32 %i1, [%q3+4]; st.global.u32 [%q1+4], %i1; ret; }\n";
  struct Triple {
    uint32_t x, y, z;
  };
  Device device(text);
  DeviceArray<uint32_t> data(device.memory, {0, 0});
  EXPECT_EQ(device.run("k", {}, {}, 0, data.get(), Triple{4, 5, 6}), "");
  EXPECT_EQ(data.values(), (std::vector<uint32_t>{6, 5}));
}

/// As Triton takes those of tensor maps.
TEST(Memory, ParameterBy32Bits) {
  std::string text =
      header + ".visible .entry k(.param .u64 out, .param .align 4 .b8 s[12]) "
               "{ .reg .b32 %i<3>; .reg .b64 %q<4>; ld.param.u64 %q1, [out];\n"
               "mov.b32 %i2, s; cvt.u64.u32 %q2, %i2; cvta.param.u64 %q3, "
               "%q2; ld.u32 %i1, [%q3+4]; st.global.u32 [%q1+4], %i1;\n"
               "ld.param.u32 %i1, [%q2+8]; st.global.u32 [%q1], %i1; ret; }\n";
  struct Triple {
    uint32_t x, y, z;
  };
  Device device(text);
  DeviceArray<uint32_t> data(device.memory, {0, 0});
  for (unsigned i = 0; i < 3; ++i)
    EXPECT_EQ(device.run("k", {2}, {}, 0, data.get(), Triple{4, 5 + i, 6}), "");
  EXPECT_EQ(data.values(), (std::vector<uint32_t>{6, 7}));
}

/// Without a space, an access by name has that of the variable.
TEST(Memory, GenericAccessByName) {
  std::string text =
      header +
      ".global .u32 g[2] = {5, 6};\n"
      ".visible .entry k(.param .u64 out) { .reg .b32 %i<4>; .reg .b64 %q<2>; "
      ".shared .align 4 .b8 s[8]; .local .align 4 .b8 l[8];\n"
      "ld.param.u64 %q1, [out]; mov.u32 %i1, 7; st.u32 [s+4], %i1; "
      "st.u32 [l+4], 8; ld.u32 %i1, [s+4]; ld.u32 %i2, [l+4]; "
      "ld.u32 %i3, [g+4]; st.u32 [%q1], %i1; st.u32 [%q1+4], %i2; "
      "st.u32 [%q1+8], %i3; atom.add.u32 %i1, [s+4], 3; ld.u32 %i1, [s+4]; "
      "st.u32 [%q1+12], %i1; ret; }\n";
  Device device(text);
  DeviceArray<uint32_t> data(device.memory, {0, 0, 0, 0});
  EXPECT_EQ(device.run("k", {}, {}, 0, data.get()), "");
  EXPECT_EQ(data.values(), (std::vector<uint32_t>{7, 8, 6, 10}));
}

TEST(Memory, VectorsAndSmallTypes) {
  Device device(kernel(
      "ld.global.v4.u8 {%h0, %h1, %h2, %h3}, [%q1]; "
      "st.global.v2.u8 [%q1+4], {%h3, %h1}; ld.global.s8 %i1, [%q1+1]; "
      "st.global.u16 [%q1+6], %i1; ld.global.nc.L1::no_allocate.v2.b32 {_, "
      "%i2}, [%q1+8]; st.global.cs.b32 [%q1+8], %i2;"));
  DeviceArray<uint32_t> data(device.memory, {0x04fe8001, 0, 7, 8});
  EXPECT_EQ(device.run("k", {}, {}, 0, data.get(), int64_t(0)), "");
  EXPECT_EQ(data.values(),
            (std::vector<uint32_t>{0x04fe8001, 0xff808004, 8, 8}));
}

TEST(Memory, Atomics) {
  std::string body;
  unsigned cell = 0;
  auto add = [&](const char *form, const char *operands) {
    body += std::string("atom.global.") + form + " %i1, [%q1+" +
            std::to_string(4 * cell++) + "], " + operands + ";\n";
  };
  add("add.u32", "3");
  add("min.s32", "-5");
  add("max.u32", "-5");
  add("and.b32", "6");
  add("or.b32", "9");
  add("xor.b32", "3");
  add("exch.b32", "77");
  add("inc.u32", "10");
  add("inc.u32", "20");
  add("dec.u32", "5");
  add("cas.b32", "10, 99");
  add("cas.b32", "11, 99");
  add("add.f32", "0f3F800000");
  body += "red.relaxed.gpu.global.add.u32 [%q1], 1; "
          "st.global.u32 [%q1+52], %i1;";
  Device device(kernel(body));
  std::vector<uint32_t> start(14, 10);
  start[12] = llvm::bit_cast<uint32_t>(2.5f);
  DeviceArray<uint32_t> data(device.memory, start);
  EXPECT_EQ(device.run("k", {}, {}, 0, data.get(), int64_t(0)), "");
  EXPECT_EQ(data.values(), (std::vector<uint32_t>{
                               14, uint32_t(-5), uint32_t(-5), 2, 11, 9, 77, 0,
                               11, 5, 99, 10, llvm::bit_cast<uint32_t>(3.5f),
                               llvm::bit_cast<uint32_t>(2.5f)}));
}

TEST(Memory, ModuleVariables) {
  Device device(
      kernel("ld.global.u64 %q3, [pointer]; ld.global.u32 %i1, [%q3]; "
             "st.global.u32 [%q1], %i1; ld.const.f32 %i2, [values+4]; "
             "st.global.b32 [%q1+4], %i2; st.global.u32 [table+4], 50;",
             ".global .align 4 .u32 table[3] = {1, 2, 0x30};\n"
             ".global .u64 pointer = table+8;\n"
             ".const .f32 values[2] = {0f3F800000, -2.5};\n"));
  DeviceArray<uint32_t> data(device.memory, {0, 0});
  EXPECT_EQ(device.run("k", {}, {}, 0, data.get(), int64_t(0)), "");
  EXPECT_EQ(data.values(),
            (std::vector<uint32_t>{0x30, llvm::bit_cast<uint32_t>(-2.5f)}));
  auto table = device.module->variable("table");
  ASSERT_TRUE(bool(table));
  EXPECT_EQ(table->second, 12u);
  EXPECT_EQ(static_cast<uint32_t *>(table->first)[1], 50u);
  EXPECT_THAT(messageOf(device.module->variable("none").takeError()),
              HasSubstr("no variable 'none'"));
}

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

TEST(Memory, AllocateAndRelease) {
  Memory memory;
  char *a = static_cast<char *>(llvm::cantFail(memory.allocate(100)));
  void *empty = llvm::cantFail(memory.allocate(0));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a) % 256, 0u);
  EXPECT_EQ(memory.used(), 100u);
  EXPECT_TRUE(memory.contains(a, 100));
  EXPECT_TRUE(memory.contains(a + 99, 1));
  EXPECT_FALSE(memory.contains(a + 1, 100));
  EXPECT_FALSE(memory.contains(a + 100, 1));
  EXPECT_NE(messageOf(memory.release(a + 1)), "");
  EXPECT_EQ(messageOf(memory.release(a)), "");
  EXPECT_NE(messageOf(memory.release(a)), "");
  EXPECT_EQ(messageOf(memory.release(empty)), "");
  EXPECT_EQ(memory.used(), 0u);
  EXPECT_NE(messageOf(memory.allocate(size_t(1) << 60).takeError()), "");
}

} // namespace
