//===- LaunchRun.cpp - One launch from its start to its end ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clusters run in order, x fastest: blocks, where there are none of more. See
// LaunchRun.h.
//
//===----------------------------------------------------------------------===//

#include "Runtime/LaunchRun.h"
#include "Check/Checker.h"
#include "Check/Undefined.h"
#include "tc/Emulator/Counts.h"

#include <thread>

using llvm::Error;
using llvm::Expected;

namespace tc::emulator {

LaunchRun::LaunchRun(Module::Impl &module, Kernel &kernel, Dim3 grid, Dim3 dim,
                     const Cluster &cluster, uint32_t dynamicShared,
                     llvm::ArrayRef<char> parameters, Memory &memory)
    : module(module), kernel(kernel), plan(kernel.getPlan()), grid(grid),
      dim(dim), cluster(cluster.blocks), isClustered(cluster.isAskedFor()),
      isCooperative(cluster.isCooperative), dynamicShared(dynamicShared),
      parameters(parameters.begin(), parameters.end()), memory(memory),
      options(module.options) {
  if (!isClustered)
    this->cluster = isCooperative ? grid : Dim3{1, 1, 1};
  // The cells of the checks have no number for more threads.
  if (isCooperative && grid.count() * llvm::alignTo<warpSize>(dim.count()) >
                           cell::threadMask + 1)
    options.checks.chosen &= Checks::Bounds.chosen | Checks::Leaks;
  blocks = grid.count() / this->cluster.count();
}

LaunchRun::~LaunchRun() {
  endChecks();
  if (workspace)
    llvm::consumeError(memory.release(workspace));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Begins the blocks of a cluster, by its place among those to run.
void LaunchRun::beginCluster(Worker &worker, uint64_t index) {
  Launch &launch = worker.launch;
  uint64_t linear = sample.empty() ? index : sample[index];
  Dim3 clusters = getClusters();
  uint64_t at[3] = {linear % clusters.x, linear / clusters.x % clusters.y,
                    linear / clusters.x / clusters.y};
  for (uint32_t rank = 0; rank < launch.countBlocks(); ++rank) {
    BlockState &block = launch.getBlock(rank);
    for (unsigned i = 0; i < 3; ++i) {
      block.clusterIndex[i] = at[i];
      block.blockIndex[i] =
          at[i] * block.clusterDim[i] + block.indexInCluster[i];
    }
    // Ones are NaN in every format: what nobody wrote shows.
    std::memset(block.shared, 0xff, block.totalShared);
    if (counter) {
      counter->beginBlock(getLinearIndex(block), rank);
      block.counts = &counter->getBlockCounts(rank)->warps;
      if (tracer)
        tracer->beginBlock(getLinearIndex(block), rank,
                           (dim.count() + warpSize - 1) / warpSize);
    }
  }
  if (!launch.peers.empty())
    llvm::fill(launch.slots, Slot());
  if (checker)
    checker->beginBlock(linear);
  if (undefined)
    undefined->beginBlock();
}

/// Begins a cluster, or goes on with it. False: it is to go on later.
bool LaunchRun::runCluster(Worker &worker, uint64_t index, uint64_t patience) {
  if (!worker.isInBlock)
    beginCluster(worker, index);
  worker.isInBlock = !worker.scheduler->run(patience);
  if (worker.isInBlock)
    return false;
  if (checker)
    checker->endBlock();
  if (undefined && undefined->isAny())
    undefined->flush();
  return true;
}

/// Takes better code once the kernel has run for long enough. False when that
/// cannot be had.
bool LaunchRun::improve(Worker &worker) {
  if (module.effort != Effort::Adaptive || !code->isWorthOptimizing())
    return false;
  void *function = worker.launch.function;
  llvm::Expected<const CompiledKernel *> better =
      code->getFunction(Effort::Adaptive);
  Error error = better
                    ? Scheduler::take(worker.launch, **better, *worker.stacks)
                    : better.takeError();
  if (error) {
    llvm::consumeError(std::move(error));
    return false;
  }
  return worker.launch.function != function;
}

/// Blocks on several host threads give the same result: nothing observes their
/// order.
bool LaunchRun::mayShare() const {
  bool calls = llvm::any_of(plan.flat->body, [](const ptx::Instruction &in) {
    return in.root == "call" && in.branch == ptx::Instruction::Branch::None;
  });
  return !checker && !counter && !plan.hasAtomics && !calls &&
         options.schedule.kind == Schedule::Deterministic;
}

/// False: threads wait for what is not of this launch.
bool LaunchRun::runBlocks(uint64_t patience) {
  unsigned workers =
      options.workers ? options.workers : std::thread::hardware_concurrency();
  Clock::time_point start = Clock::now(), last = start;
  while (next < blocks) {
    if (!runCluster(*main, next, patience))
      return false;
    if (main->launch.fault || ++next == blocks)
      break;
    if (isOptimized && workers == 1)
      continue;
    Clock::time_point now = Clock::now();
    if (!isOptimized) {
      code->addRunTime(now - last);
      isOptimized = improve(*main);
      now = Clock::now();
    }
    last = now;
    // Starting threads takes longer than short launches do.
    if (workers > 1 && now - start > std::chrono::milliseconds(2) &&
        blocks - next >= workers && mayShare()) {
      runShared(workers);
      break;
    }
  }
  return true;
}

/// Runs the blocks that are left. Of several faults that of the lowest block is
/// left in `main`. Kernels that run so have nothing to wait by.
void LaunchRun::runShared(unsigned count) {
  std::atomic<uint64_t> first{next}, end{blocks};
  auto work = [&](Worker &worker) {
    for (uint64_t index; (index = first++) < end;) {
      runCluster(worker, index, RunningLaunch::unlimited);
      improve(worker);
      if (!worker.launch.fault)
        continue;
      // Blocks before this one have begun; none after it counts.
      for (uint64_t old = end;
           index < old && !end.compare_exchange_weak(old, index);)
        ;
      return;
    }
  };
  std::vector<std::thread> threads;
  std::vector<std::unique_ptr<Worker>> others(count - 1);
  for (std::unique_ptr<Worker> &other : others)
    threads.emplace_back([&] {
      // Without memory for one more worker the others do its share.
      if (Error error = startWorker(other)) {
        llvm::consumeError(std::move(error));
        other.reset();
      } else {
        work(*other);
        other->scheduler.reset();
      }
    });
  work(*main);
  for (std::thread &thread : threads)
    thread.join();
  Launch &result = main->launch;
  for (const std::unique_ptr<Worker> &other : others)
    if (other)
      result.findings.merge(std::move(other->launch.findings),
                            options.findingLimit);
  for (const std::unique_ptr<Worker> &other : others)
    if (other && other->launch.fault &&
        (!result.fault || other->launch.faultBlock < result.faultBlock)) {
      result.fault = other->launch.fault;
      result.faultBlock = other->launch.faultBlock;
    }
}

//===----------------------------------------------------------------------===//
// The end
//===----------------------------------------------------------------------===//

static FaultKind getKind(FindingClass what) {
  switch (what) {
  case FindingClass::OutOfBounds:
  case FindingClass::UseAfterFree:
    return FaultKind::Address;
  case FindingClass::Misaligned:
    return FaultKind::Alignment;
  case FindingClass::Deadlock:
    return FaultKind::Timeout;
  case FindingClass::Assert:
    return FaultKind::Assertion;
  default:
    return FaultKind::Failure;
  }
}

Error LaunchRun::finish(Launch &launch) {
  LaunchReport &report = module.report;
  report = LaunchReport();
  report.blocksRun = blocks * cluster.count();
  bool isHardware = options.arithmetic == LaunchOptions::Arithmetic::Hardware;
  report.fidelity = kernel.getFidelity(isHardware);
  if (counter) {
    std::vector<std::pair<uint64_t, uint64_t>> allocations;
    for (const auto &[base, allocation] : memory.impl().allocations)
      allocations.push_back({base, allocation.region.bytes});
    for (const VariableRegion &entry : module.variables)
      allocations.push_back({entry.region.base, entry.region.bytes});
    llvm::sort(allocations);
    CountedLaunch counted{plan.kernel->name, grid, dim,
                          plan.staticShared + uint64_t(dynamicShared),
                          allocations};
    report.counts = std::make_shared<LaunchCounts>(counter->finish(counted));
    report.fidelity = kernel.getFidelity(isHardware, *report.counts);
    llvm::raw_string_ostream os(report.countersText);
    report.counts->print(os);
    if (tracer)
      report.trace = tracer->finish();
  }
  launch.findings.finish(report);
  // Behind the errors before it, which may be its cause.
  if (launch.fault)
    report.findings.insert(
        llvm::find_if(report.findings,
                      [](const Finding &f) { return !f.isError(); }),
        *launch.fault);
  for (const Finding &finding : report.findings)
    if (finding.isError())
      return llvm::make_error<Fault>(getKind(finding.what), finding.text);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// Takes the launch's marks off the memory, as others may run: what the checks
/// know of two launches that run in turns is kept apart. All that points into
/// allocations is forgotten, as they may be released.
void LaunchRun::setAside() {
  std::fill(main->launch.slots.begin(), main->launch.slots.end(), Slot());
  wasSetAside = true;
  if (!checker)
    return;
  std::lock_guard<std::mutex> lock(memory.impl().mutex);
  for (const auto &[base, allocation] : memory.impl().allocations) {
    checker->release(base);
    Shadow &shadow = allocation.shadow, &kept = cells[base];
    kept.bytes = shadow.bytes;
    std::swap(shadow.writes, kept.writes);
    std::swap(shadow.reads, kept.reads);
    std::swap(shadow.granule, kept.granule);
    std::swap(shadow.written, kept.written);
    std::swap(shadow.span, kept.span);
  }
}

/// Puts them back, in place of those of launches that have ended since.
void LaunchRun::takeUp() {
  if (!checker)
    return;
  std::lock_guard<std::mutex> lock(memory.impl().mutex);
  for (const auto &[base, allocation] : memory.impl().allocations) {
    Shadow &shadow = allocation.shadow, &kept = cells[base];
    if (kept.bytes != shadow.bytes) { // a later allocation
      shadow.forget();
      continue;
    }
    shadow.writes = std::move(kept.writes);
    shadow.reads = std::move(kept.reads);
    shadow.granule = kept.granule;
    shadow.written = kept.written;
    shadow.span = kept.span;
  }
  cells.clear();
}

/// The clock of the checks goes on where the launch that came furthest left it.
void LaunchRun::endChecks() {
  if (!checker)
    return;
  int64_t tick = memory.impl().tick;
  checker.reset();
  memory.impl().tick = std::max(tick, memory.impl().tick);
}

Expected<bool> LaunchRun::run(uint64_t patience) {
  bool begins = next == 0 && !main->isInBlock;
  if (!begins)
    takeUp();
  else if (options.checks.areWatching())
    if (Error error = prepareChecker())
      return error;
  if (!runBlocks(patience)) {
    setAside();
    return false;
  }
  if (checker && options.keepUsage)
    keepUsage();
  endChecks();
  if (Error error = finish(main->launch))
    return error;
  return true;
}

} // namespace tc::emulator
