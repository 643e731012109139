//===- LaunchPrepare.cpp - What a launch needs before it runs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything that can fail: code, checks, counters, and the memory and stacks
// of whoever runs blocks.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"
#include "Check/Undefined.h"
#include "Runtime/LaunchRun.h"
#include "Translate/Flow/Loops.h"
#include "tc/Emulator/Counts.h"

#include <cstring>

using llvm::Error;

namespace tc::emulator {

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

SiteFacts getFacts(const KernelPlan &plan, uint32_t site) {
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
  setup.keepsUsage = options.keepUsage;
  setup.isProgrammatic = options.keepUsage && options.isProgrammatic;
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

} // namespace tc::emulator
