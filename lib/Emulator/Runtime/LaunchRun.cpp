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
#include "Translate/Flow/Loops.h"
#include "tc/Emulator/Counts.h"

#include <cstring>
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

/// Its size, and the barrier (cooperative_groups/details/driver_abi.h).
Error LaunchRun::makeWorkspace() {
  constexpr uint32_t begin[] = {8, 0};
  llvm::Expected<void *> made = memory.allocate(sizeof(begin));
  if (!made)
    return made.takeError();
  workspace = *made;
  std::memcpy(workspace, begin, sizeof(begin));
  return Error::success();
}

static bool isThreads(const LaunchOptions &options) {
  return options.execution == LaunchOptions::Execution::Threads;
}

//===----------------------------------------------------------------------===//
// Preparation
//===----------------------------------------------------------------------===//

Error LaunchRun::begin() {
  LaunchShape shape{{dim.x, dim.y, dim.z}, true};
  uint32_t grids[3] = {grid.x, grid.y, grid.z};
  for (unsigned i = 0; i < 3; ++i)
    shape.isGridSmall &= uint64_t(grids[i]) * shape.block[i] <= 0x7fffffff;
  bool isWatched = options.checks.areWatching() || options.count ||
                   options.schedule.kind != Schedule::Deterministic;
  bool isChecked = options.checks.areWatching() && !options.count &&
                   options.schedule.kind == Schedule::Deterministic;
  Hooks hooks{options.checks.has(Checks::Bounds.chosen),
              isWatched,
              isChecked,
              options.count,
              options.count && options.trace,
              options.checks.has(Checks::Uninitialised)};
  // Code for launches that stop has less to keep in registers.
  hooks.goesOn = !options.stopsAtFirst() || options.suppressions ||
                 !options.checks.has(Checks::Misaligned) ||
                 !options.checks.has(Checks::Addresses);
  code = &kernel.getCode(shape, hooks, isThreads(options),
                         // It is kept for later launches.
                         [&module = module](const ptx::Variable &variable) {
                           return module.addressOf(variable);
                         });
  if (options.box && options.box->count() != grid.count())
    options.box.reset();
  if (options.sampleBlocks && options.sampleBlocks < grid.count()) {
    sample = options.box ? chooseBlocks(*options.box, options.sampleBlocks,
                                        options.sampleSeed)
                         : chooseBlocks(grid, options.sampleBlocks,
                                        options.sampleSeed, options.count);
    keepClusters(sample);
    blocks = sample.size();
  }
  if (options.count)
    prepareCounter();
  if (isCooperative)
    if (Error error = makeWorkspace())
      return error;
  return startWorker(main);
}

/// Makes clusters of the blocks that were chosen: all of those that one is in.
void LaunchRun::keepClusters(std::vector<uint64_t> &chosen) const {
  Dim3 clusters = getClusters();
  for (uint64_t &block : chosen) {
    uint64_t x = block % grid.x, y = block / grid.x % grid.y,
             z = block / grid.x / grid.y;
    block = (z / cluster.z * clusters.y + y / cluster.y) * clusters.x +
            x / cluster.x;
  }
  llvm::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
}

/// What a site may mean to other threads (PTX ISA, section 8).
static SiteFacts getFacts(const KernelPlan &plan, uint32_t site) {
  const ptx::Instruction &in = *plan.sites[site].instruction;
  SiteFacts facts;
  llvm::StringRef scope = in.get("Scope");
  llvm::StringRef order = in.get("LdOrder");
  for (llvm::StringRef set : {"StOrder", "AtomOrder", "RedOrder", "FenceOrder"})
    if (in.has(set))
      order = in.get(set);
  bool isProxyFence = in.root == "fence" && in.has("async");
  bool isFence = (in.root == "fence" && !isProxyFence) || in.root == "membar";
  facts.acquires = order == "acquire" || order == "acq_rel" || isFence;
  facts.releases = order == "release" || order == "acq_rel" || isFence;
  if (in.root == "membar")
    scope = in.get("MembarLevel") == "cta" ? "cta" : "gpu";
  // Without a scope, atomics and volatile accesses reach the whole device.
  facts.isWide = scope != "cta";
  return facts;
}

Error LaunchRun::createMemoryError(const char *purpose) const {
  return llvm::createStringError(std::errc::not_enough_memory,
                                 "kernel '%s': no memory %s",
                                 plan.kernel->name.str().c_str(), purpose);
}

Error LaunchRun::prepareChecker() {
  CheckSetup setup;
  setup.threads = dim.count();
  setup.blocks = cluster.count();
  setup.isFine = setup.blocks > 1;
  setup.sharedBytes = plan.staticShared + dynamicShared;
  setup.localBytes = plan.localBytes;
  for (auto [variable, address] : plan.addresses)
    if (variable->space == ptx::Space::Param)
      setup.localArguments.push_back(
          {address - localStart, address - localStart + variable->bytes});
  setup.isThreads = options.execution == LaunchOptions::Execution::Threads;
  for (uint32_t index = 0; index < plan.sites.size(); ++index) {
    const Site &site = plan.sites[index];
    const ptx::Instruction &in = *site.instruction;
    SiteFacts facts = getFacts(plan, index);
    bool isBlockBarrier =
        isBarrier(in) && site.sources <= 1 && !in.has("cluster");
    // Accesses without an order, volatile and atomic ones too, order nothing.
    setup.isFine |= facts.acquires || facts.releases || in.root == "mbarrier" ||
                    llvm::is_contained(in.modifiers, "mbarrier") ||
                    (in.root == "bar" && in.has("warp")) ||
                    (isBarrier(in) && !isBlockBarrier);
    if (!site.bytes)
      continue;
    // Less than a word is told apart where the kernel has such accesses.
    const ptx::Operand &values = in.operands[in.root == "st"];
    bool isVector = values.kind == ptx::Operand::Kind::Vector;
    unsigned granule = llvm::Log2_32(
        isVector ? site.bytes / values.elements.size() : site.bytes);
    bool isGeneric = site.space == ptx::Space::Generic;
    if (isGeneric || site.space == ptx::Space::Shared ||
        site.space == ptx::Space::Cluster)
      setup.sharedGranule = std::min(setup.sharedGranule, granule);
    if (isGeneric || site.space == ptx::Space::Global)
      setup.globalGranule = std::min(setup.globalGranule, granule);
  }
  setup.getFacts = [this](uint32_t site) { return getFacts(plan, site); };
  setup.checks = options.checks;
  setup.read = [this](ptx::Space space, uint64_t address, uint32_t bytes,
                      char *to) {
    const char *from = space == ptx::Space::Shared
                           ? getShared(main->launch, address)
                           : reinterpret_cast<const char *>(address);
    main->scheduler->readLatest(from, bytes, to);
  };
  setup.report = [this](const CheckFinding &found) {
    return reportFinding(main->launch, found);
  };
  if (const UndefinedPlan *followed = code->getUndefined()) {
    undefined = std::make_unique<UndefinedTracker>(main->launch, *followed);
    setup.takeHole = [this](const WarpAccess &access, uint32_t lanes,
                            uint64_t address, uint32_t bytes) {
      return undefined->takeHole(access, lanes, address, bytes);
    };
    main->launch.undefined = undefined.get();
  }
  checker = std::make_unique<Checker>(memory.impl(), std::move(setup));
  if (!checker->hasMemory())
    return createMemoryError("to check it");
  for (const VariableRegion &entry : module.variables)
    if (entry.variable->space == ptx::Space::Global)
      checker->addVariable(entry.region.base, entry.region.bytes);
  main->launch.checker = checker.get();
  return Error::success();
}

void LaunchRun::prepareCounter() {
  countPlan.setModule(*module.ptx);
  for (const Site &site : plan.sites)
    countPlan.addSite(*site.instruction,
                      module.ptx->describeLocation(*site.instruction),
                      options.cachesLoads);
  std::vector<Loop> loops = findLoops(code->getFlow());
  KernelStructure structure = findStructure(plan, code->getFlow(), loops);
  for (const Block &block : code->getFlow().blocks) {
    std::vector<const ptx::Instruction *> instructions;
    for (unsigned i = block.first; i < block.end; ++i)
      instructions.push_back(&plan.flat->body[i]);
    countPlan.addBlock(instructions,
                       llvm::ArrayRef(structure.folding)
                           .slice(block.first, block.end - block.first));
  }
  for (const Loop &loop : loops) {
    unsigned first = code->getFlow().blocks[loop.front()].first;
    countPlan.addLoop(plan.flat->body[first].line, loop);
  }
  BlockBox box = options.box ? *options.box : BlockBox::of(grid);
  if (options.trace)
    tracer = std::make_unique<Tracer>(
        makeProgram(plan, code->getFlow(), structure), code->getFlow(), box);
  countPlan.setStructure(std::move(structure));
  counter = std::make_unique<Counter>(countPlan, std::move(box));
  counter->setTracer(tracer.get());
}

LaunchRun::Worker::Worker(LaunchRun &run)
    : launch{*run.module.ptx, run.plan, run.memory.impl(),
             run.module.variables},
      shared(run.plan.staticShared + run.dynamicShared +
             (run.cluster.count() - 1) * clusterWindow),
      parameters(run.parameters.size(), run.plan.hasShortAddresses) {
  launch.parameterBytes = run.parameters.size();
  launch.options = run.options;
  launch.heap = &run.memory;
  launch.effort = run.module.effort;
  launch.code = run.code;
  launch.counter = run.counter.get();
  launch.tracer = run.tracer.get();
  launch.slots.resize(run.plan.sites.size());
  BlockState &block = launch.block;
  std::tie(block.blockDim[0], block.blockDim[1], block.blockDim[2]) =
      std::tuple(run.dim.x, run.dim.y, run.dim.z);
  std::tie(block.gridDim[0], block.gridDim[1], block.gridDim[2]) =
      std::tuple(run.grid.x, run.grid.y, run.grid.z);
  block.dynamicShared = run.dynamicShared;
  block.totalShared = run.plan.staticShared + run.dynamicShared;
  block.shared = block.clusterShared = shared.get();
  block.parameters = parameters.get();
  block.slots = launch.slots.data();
  block.launch = &launch;
  for (unsigned shift = 0; shift < accessSizes; ++shift)
    block.sharedCount[shift] = countAccesses(block.totalShared, shift);
  makePeers(run);
  if (!run.parameters.empty() && parameters.get())
    std::memcpy(parameters.get(), run.parameters.data(), run.parameters.size());
}

/// The blocks of a cluster, which differ in their rank.
void LaunchRun::Worker::makePeers(const LaunchRun &run) {
  const Dim3 &cluster = run.cluster;
  BlockState &block = launch.block;
  uint32_t extents[3] = {cluster.x, cluster.y, cluster.z};
  for (unsigned i = 0; i < 3; ++i) {
    block.clusterDim[i] = extents[i];
    block.clusterGrid[i] = block.gridDim[i] / extents[i];
  }
  block.clusterBlocks = cluster.count();
  block.isExplicitCluster = run.isClustered;
  block.isCooperative = run.isCooperative;
  block.gridWorkspace = reinterpret_cast<uint64_t>(run.workspace);
  block.clusterBytes =
      (block.clusterBlocks - 1) * clusterWindow + block.totalShared;
  launch.peers.assign(block.clusterBlocks - 1, block);
  for (uint32_t rank = 0; rank < block.clusterBlocks; ++rank) {
    BlockState &peer = launch.getBlock(rank);
    peer.rank = rank;
    peer.indexInCluster[0] = rank % cluster.x;
    peer.indexInCluster[1] = rank / cluster.x % cluster.y;
    peer.indexInCluster[2] = rank / cluster.x / cluster.y;
    if (block.shared)
      peer.shared = block.shared + rank * clusterWindow;
  }
}

Error LaunchRun::startWorker(std::unique_ptr<Worker> &worker) {
  worker = std::make_unique<Worker>(*this);
  Launch &launch = worker->launch;
  if (!worker->shared.get() || !worker->parameters.get())
    return createMemoryError("to launch it");
  llvm::Expected<const CompiledKernel *> function =
      code->getFunction(launch.effort);
  if (!function)
    return function.takeError();
  if (Error error = Scheduler::take(launch, **function, *worker->stacks))
    return error;
  worker->scheduler.emplace(launch, *worker->stacks);
  if (!worker->scheduler->hasMemory())
    return createMemoryError("to launch it");
  launch.scheduler = &*worker->scheduler;
  return Error::success();
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
    report.counters = report.counts->toJson();
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
  endChecks();
  if (Error error = finish(main->launch))
    return error;
  return true;
}

} // namespace tc::emulator
