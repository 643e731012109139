//===- BulkHarness.h - Kernels of bulk copies -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels with bulk copies; with a planted fault, and the same without it, in
// every way of execution, those without it also under many orders.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_BULK_BULKHARNESS_H
#define TC_TEST_UNIT_EMULATOR_BULK_BULKHARNESS_H

#include "Harness.h"

#include "gmock/gmock.h"

namespace tc::emulator::test {

/// A kernel k(in, out) whose body begins on line 6. %i1 is the thread, %p1
/// whether it is thread 0, %i9 the block's rank in its cluster; %q1 and %q2 are
/// the buffers, %q3 and %q4 the thread's words there. %i2 is the address of
/// `tile`, %i3 of the thread's word there, %i4 of `bars`, 8 bytes apart.
inline std::string makeBulkKernel(const std::string &body,
                                  const std::string &directives = "",
                                  unsigned tileBytes = 8192) {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n\n"
         ".visible .entry k(.param .u64 in, .param .u64 out) " +
         directives +
         " { .reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %i<32>; .reg .f32 "
         "%f<8>; .reg .b64 %q<16>; .shared .align 1024 .b8 tile[" +
         std::to_string(tileBytes) +
         "]; .shared .align 8 .b64 bars[8]; ld.param.u64 %q1, [in]; "
         "ld.param.u64 %q2, [out]; mov.u32 %i1, %tid.x; setp.eq.u32 %p1, %i1, "
         "0; mul.wide.u32 %q3, %i1, 4; add.u64 %q4, %q2, %q3; add.u64 %q3, "
         "%q1, %q3; mov.u32 %i2, tile; shl.b32 %i3, %i1, 2; add.u32 %i3, %i2, "
         "%i3; mov.u32 %i4, bars; mov.u32 %i9, %cluster_ctarank;\n" +
         body + "\nret;\n}\n";
}

/// Waits for the phase of a parity.
inline std::string waitFor(const std::string &label, const std::string &bar,
                           const std::string &parity) {
  return "$" + label + ": mbarrier.try_wait.parity.shared::cta.b64 %p2, [" +
         bar + "], " + parity + "; @!%p2 bra $" + label + ";\n";
}

/// What one run gives.
struct BulkResult {
  std::string error; ///< of the launch
  std::string all;   ///< that was found
  std::vector<uint32_t> out;
};

struct BulkRun {
  uint32_t blocks = 1, threads = 128;
  std::vector<uint32_t> in, out;
  LaunchOptions options = getOptions();
};

/// Numbers from 1 on.
inline std::vector<uint32_t> count(unsigned words) {
  std::vector<uint32_t> values(words);
  for (unsigned i = 0; i < words; ++i)
    values[i] = i + 1;
  return values;
}

inline BulkResult runBulk(const std::string &text, const BulkRun &run) {
  Device device(text, Effort::Quick);
  if (!device.module)
    return {"no module", "no module", {}};
  device.module->setOptions(run.options);
  DeviceArray<uint32_t> in(device.memory, run.in), out(device.memory, run.out);
  std::string error = device.run("k", {run.blocks, 1, 1}, {run.threads, 1, 1},
                                 0, in.get(), out.get());
  std::string all = error;
  for (const Finding &finding : device.module->getReport().findings)
    all += "\n" + finding.text;
  return {error, all, out.values()};
}

/// Every way of execution, in order and in others by seeds.
inline std::vector<LaunchOptions> getAllOptions(Checks checks = Checks::All) {
  std::vector<LaunchOptions> all;
  for (LaunchOptions::Execution execution :
       {LaunchOptions::Execution::Warps, LaunchOptions::Execution::Masked,
        LaunchOptions::Execution::Threads})
    for (uint64_t seed = 0; seed <= 5; ++seed) {
      LaunchOptions options;
      options.execution = execution;
      options.checks = checks;
      options.schedule.kind =
          seed ? Schedule::Adversarial : Schedule::Deterministic;
      options.schedule.seed = seed;
      bool isSlow = execution == LaunchOptions::Execution::Threads;
      if (seed <= !isSlow || execution == LaunchOptions::Execution::Warps)
        all.push_back(options);
    }
  return all;
}

/// A kernel with a fault, what the report says of it, and the mended kernel.
struct BulkFault {
  const char *name;
  std::string bad;
  std::vector<const char *> report;
  std::string good;
  BulkRun run = {};
  std::string directives = {};
};

inline void runFaults(llvm::ArrayRef<BulkFault> faults) {
  for (const BulkFault &fault : faults) {
    SCOPED_TRACE(fault.name);
    BulkRun run = fault.run;
    if (run.in.empty())
      run.in = count(4096);
    if (run.out.empty())
      run.out.resize(4096);
    for (const LaunchOptions &options : getAllOptions()) {
      SCOPED_TRACE("execution " + std::to_string(int(options.execution)) +
                   ", seed " + std::to_string(options.schedule.seed));
      run.options = options;
      if (options.schedule.kind == Schedule::Deterministic) {
        std::vector<testing::Matcher<const std::string &>> parts = {
            testing::HasSubstr("kernel 'k', block (")};
        for (const char *part : fault.report)
          parts.push_back(testing::HasSubstr(part));
        EXPECT_THAT(
            runBulk(makeBulkKernel(fault.bad, fault.directives), run).all,
            testing::AllOfArray(parts));
      }
      EXPECT_EQ(runBulk(makeBulkKernel(fault.good, fault.directives), run).all,
                "");
    }
  }
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_BULK_BULKHARNESS_H
