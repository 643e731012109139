//===- LaunchRun.h - One launch from its start to its end -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses code, checks and counters for a launch, runs its blocks, on several
// host threads where that changes nothing, and gathers the report. A launch
// that waits for what happens outside of it is set aside, between any two
// accesses, and goes on later: its warps have stacks of their own anyway.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_LAUNCHRUN_H
#define TC_LIB_EMULATOR_RUNTIME_LAUNCHRUN_H

#include "Check/Undefined.h"
#include "Count/Counter.h"
#include "Runtime/Memory/HostPages.h"
#include "Runtime/ModuleImpl.h"
#include "Runtime/Scheduler.h"
#include "Time/Trace.h"

#include <chrono>
#include <map>

namespace tc::emulator {

struct SiteFacts;
/// What a site may mean to other threads (PTX ISA, section 8).
SiteFacts getFacts(const KernelPlan &plan, uint32_t site);

class LaunchRun final : public RunningLaunch {
public:
  LaunchRun(Module::Impl &module, Kernel &kernel, Dim3 grid, Dim3 dim,
            const Cluster &cluster, uint32_t dynamicShared,
            llvm::ArrayRef<char> parameters, Memory &memory);
  ~LaunchRun() override;

  /// Does all of it that can fail. To be called first.
  llvm::Error begin();
  llvm::Expected<bool> run(uint64_t patience) override;
  void forgive() override { main->scheduler->forgive(); }
  std::shared_ptr<Usage> takeUsage() override { return std::move(usage); }

private:
  /// What one host thread needs to run blocks.
  struct Worker {
    Worker(LaunchRun &run);
    void makePeers(const LaunchRun &run);

    Launch launch;
    Buffer shared;
    HostPages parameters;
    BorrowedStacks stacks;
    std::optional<Scheduler> scheduler;
    bool isInBlock = false; ///< one that was set aside
  };
  using Clock = std::chrono::steady_clock;

  llvm::Error makeWorkspace();
  llvm::Error createMemoryError(const char *purpose) const;
  llvm::Error prepareChecker();
  void prepareCounter();
  bool mayShare() const;
  llvm::Error startWorker(std::unique_ptr<Worker> &worker);
  void keepClusters(std::vector<uint64_t> &chosen) const;
  Dim3 getClusters() const {
    return {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z};
  }
  void beginCluster(Worker &worker, uint64_t index);
  bool runCluster(Worker &worker, uint64_t index, uint64_t patience);
  bool improve(Worker &worker);
  bool runBlocks(uint64_t patience);
  void runShared(unsigned count);
  void setAside();
  void takeUp();
  void endChecks();
  void keepUsage();
  llvm::Error finish(Launch &launch);

  Module::Impl &module;
  Kernel &kernel;
  const KernelPlan &plan;
  Dim3 grid, dim;
  Dim3 cluster;     ///< its blocks; one where there are none
  bool isClustered; ///< the launch or the kernel asks for them
  /// Its blocks run together as if they were one cluster, and have a barrier in
  /// global memory.
  bool isCooperative;
  void *workspace = nullptr;
  uint32_t dynamicShared;
  llvm::SmallVector<char, 0> parameters;
  Memory &memory;
  LaunchOptions options;
  KernelCode *code = nullptr;
  std::vector<uint64_t> sample; ///< the clusters to run; empty: all
  uint64_t blocks = 0;          ///< how many clusters that are
  uint64_t next = 0;            ///< the first that has not ended
  bool isOptimized = false;
  std::unique_ptr<UndefinedTracker> undefined;
  std::unique_ptr<Checker> checker;
  CountPlan countPlan;
  std::unique_ptr<Counter> counter;
  std::unique_ptr<Tracer> tracer;
  std::unique_ptr<Worker> main;
  /// Of a launch that is set aside: its cells of each allocation.
  std::map<uint64_t, Shadow> cells;
  bool wasSetAside = false;
  std::shared_ptr<Usage> usage;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_LAUNCHRUN_H
