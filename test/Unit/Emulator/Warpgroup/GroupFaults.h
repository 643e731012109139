//===- GroupFaults.h - Kernels of wgmma with faults -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with a planted fault, and the same without it, in every way of
// execution; those without it also under many orders.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_WARPGROUP_GROUPFAULTS_H
#define TC_TEST_UNIT_EMULATOR_WARPGROUP_GROUPFAULTS_H

#include "Harness.h"

#include "gmock/gmock.h"

namespace tc::emulator::test {

/// The parts of a kernel that multiplies 64 by 16 numbers with 16 by 8 by one
/// warpgroup. %i1 is the thread, %i2 its warp, %i3 the address of its 16 bytes
/// of `tile`, where a has 2048 bytes and b 256; %q4 and %q5 are the
/// descriptors, %q1 the buffer and %q2 the thread's 16 bytes of it.
struct Parts {
  std::string write = "st.shared.v4.b32 [%i3], {%i9, %i9, %i9, %i9};\n"
                      "@%p2 st.shared.v4.b32 [%i3+2048], {%i9, %i9, %i9, "
                      "%i9};\n";
  std::string proxy = "fence.proxy.async;\n";
  std::string meet = "bar.sync 0;\n";
  std::string fence = "wgmma.fence.sync.aligned;\n";
  std::string multiply = product("d");
  std::string commit = "wgmma.commit_group.sync.aligned;\n";
  std::string wait = "wgmma.wait_group.sync.aligned 0;\n";
  std::string end = store("d");

  static std::string product(const std::string &d, const std::string &a = "%q4",
                             const std::string &b = "%q5",
                             const std::string &scale = "%p1") {
    bool isInRegisters = a[0] == '{';
    return "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%" + d +
           "0, %" + d + "1, %" + d + "2, %" + d + "3}, " + a + ", " + b + ", " +
           scale + (isInRegisters ? ", 1, 1, 0;\n" : ", 1, 1, 0, 0;\n");
  }
  static std::string store(const std::string &d) {
    return "st.global.v4.b32 [%q2], {%" + d + "0, %" + d + "1, %" + d + "2, %" +
           d + "3};\n";
  }

  std::string getKernel() const {
    return ".version 8.4\n.target sm_90a\n.address_size 64\n\n"
           ".visible .entry k(.param .u64 p) { .reg .pred %p<8>; .reg .b32 "
           "%i<16>, %d<8>, %e<4>, %a<4>; .reg .b64 %q<16>; .shared .align 1024 "
           ".b8 tile[2304]; .shared .align 8 .b8 bar[16]; ld.param.u64 %q1, "
           "[p]; mov.u32 %i1, %tid.x; shr.u32 %i2, %i1, 5; shl.b32 %i4, %i1, "
           "4; cvt.u64.u32 %q2, %i4; add.u64 %q2, %q1, %q2; mov.u32 %i3, tile; "
           "add.u32 %i3, %i3, %i4; mov.u64 %q4, tile; shr.u64 %q4, %q4, 4; "
           "add.u64 %q4, %q4, 0x0000001000080000; add.u64 %q5, %q4, 128; "
           "setp.eq.u32 %p1, 0, 0; setp.lt.u32 %p2, %i1, 16; setp.eq.u32 %p3, "
           "%i2, 0; setp.eq.u32 %p4, %i1, 0; setp.lt.u32 %p5, %i1, 128;\n" +
           write + proxy + meet + fence + multiply + commit + wait + end +
           "ret;\n}\n";
  }
};

struct Case {
  const char *name;
  Parts bad;
  std::vector<const char *> report; ///< parts of it
  Parts good;
  unsigned threads = 128;
  bool isOnlyBad = false;
};

inline const std::string fence = "wgmma.fence.sync.aligned;\n";
inline const std::string commit = "wgmma.commit_group.sync.aligned;\n";
inline const std::string barrier = "bar.sync 0;\n";
inline const std::string proxy = "fence.proxy.async;\n";
inline const std::string inputs = "{%a0, %a1, %a2, %a3}";
inline const std::string clear = "mov.b32 %d0, 0;\n";
inline const std::string storeTile =
    "st.shared.v4.b32 [%i3], {%i9, %i9, %i9, %i9};\n";

inline std::string waitFor(unsigned groups) {
  return "wgmma.wait_group.sync.aligned " + std::to_string(groups) + ";\n";
}

template <typename Change>
Parts with(Change change) {
  Parts parts;
  change(parts);
  return parts;
}

inline void run(const Parts &parts, unsigned threads, LaunchOptions options,
                testing::Matcher<const std::string &> expected) {
  Device device(parts.getKernel(), Effort::Quick);
  ASSERT_TRUE(device.module) << parts.getKernel();
  options.checks = Checks::All;
  device.module->setOptions(options);
  DeviceArray<uint32_t> buffer(device.memory, std::vector<uint32_t>(2048));
  EXPECT_THAT(device.run("k", {1, 1, 1}, {threads, 1, 1}, 0, buffer.get()),
              expected)
      << parts.getKernel();
}

inline void runAll(llvm::ArrayRef<Case> cases) {
  for (const Case &test : cases) {
    SCOPED_TRACE(test.name);
    for (LaunchOptions::Execution execution :
         {LaunchOptions::Execution::Warps, LaunchOptions::Execution::Masked,
          LaunchOptions::Execution::Threads}) {
      LaunchOptions options;
      options.execution = execution;
      std::vector<testing::Matcher<const std::string &>> parts = {
          testing::HasSubstr("kernel 'k', block (0,0,0), thread (")};
      for (const char *part : test.report)
        parts.push_back(testing::HasSubstr(part));
      run(test.bad, test.threads, options, testing::AllOfArray(parts));
      if (test.isOnlyBad)
        continue;
      run(test.good, test.threads, options, testing::StrEq(""));
      options.schedule.kind = Schedule::Adversarial;
      bool isThreads = execution == LaunchOptions::Execution::Threads;
      for (uint64_t seed = 1; !isThreads && seed <= 5; ++seed) {
        options.schedule.seed = seed;
        run(test.good, test.threads, options, testing::StrEq(""));
      }
    }
  }
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_WARPGROUP_GROUPFAULTS_H
