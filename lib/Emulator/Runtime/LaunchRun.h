//===- LaunchRun.h - One launch from its start to its end -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses code, checks and counters for a launch, runs its blocks, on several
// host threads where that changes nothing, and gathers the report.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_LAUNCHRUN_H
#define TC_LIB_EMULATOR_RUNTIME_LAUNCHRUN_H

#include "Count/Counter.h"
#include "Runtime/ModuleImpl.h"
#include "Runtime/Scheduler.h"

namespace tc::emulator {

class LaunchRun {
public:
  LaunchRun(Module::Impl &module, Kernel &kernel, Dim3 grid, Dim3 dim,
            uint32_t dynamicShared, llvm::ArrayRef<char> parameters,
            Memory &memory);
  ~LaunchRun();

  /// A fault of the kernel is an error, and a finding in the module's report.
  llvm::Error run();

private:
  /// What one host thread needs to run blocks.
  struct Worker {
    Worker(LaunchRun &run);

    Launch launch;
    Buffer shared, parameters;
    std::optional<Scheduler> scheduler;
  };

  llvm::Error prepare();
  void prepareChecker();
  void prepareCounter();
  bool mayShare() const;
  llvm::Error startWorker(std::unique_ptr<Worker> &worker);
  void runBlock(Worker &worker, uint64_t index);
  bool improve(Worker &worker);
  llvm::Error runBlocks();
  void runShared(uint64_t first, unsigned count, Worker &main);
  llvm::Error finish(const Launch &launch);

  Module::Impl &module;
  Kernel &kernel;
  const KernelPlan &plan;
  Dim3 grid, dim;
  uint32_t dynamicShared;
  llvm::ArrayRef<char> parameters;
  Memory &memory;
  LaunchOptions options;
  KernelCode *code = nullptr;
  std::vector<uint64_t> sample; ///< the blocks to run; empty: all
  uint64_t blocks = 0;          ///< how many that are
  std::unique_ptr<Checker> checker;
  CountPlan countPlan;
  std::unique_ptr<Counter> counter;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_LAUNCHRUN_H
