//===- ModuleLaunch.cpp - Launching kernels -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks a launch against its limits and runs its blocks in order.
//
//===----------------------------------------------------------------------===//

#include "Runtime/LaunchRun.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator {

namespace {

Error makeLaunchError(StringRef kernel, const Twine &message) {
  return llvm::createStringError(
      std::errc::invalid_argument, "%s",
      ("kernel '" + kernel + "': " + message).str().c_str());
}

/// Shared memory that one block may have, in bytes (CUDA C++ Programming Guide,
/// compute capabilities).
uint32_t getSharedLimit(unsigned chip) {
  if (chip < 80)
    return 64 * 1024;
  if (chip == 80 || chip == 87)
    return 163 * 1024;
  if (chip == 86 || chip == 89 || chip >= 120)
    return 99 * 1024;
  return 227 * 1024;
}

std::string describe(Dim3 dim) {
  return ("(" + Twine(dim.x) + "," + Twine(dim.y) + "," + Twine(dim.z) + ")")
      .str();
}

} // namespace

Error Module::Impl::checkLaunch(const Kernel &kernel, Dim3 grid, Dim3 block,
                                uint32_t dynamicShared,
                                size_t parameterBytes) const {
  const ptx::Function &function = *kernel.getPlan().kernel;
  StringRef name = function.name;
  if (!grid.x || !grid.y || !grid.z || grid.x > 0x7fffffff || grid.y > 65535 ||
      grid.z > 65535)
    return makeLaunchError(name, "expected a grid of at least one block and at "
                                 "most (2147483647,65535,65535), got " +
                                     describe(grid));
  if (!block.x || !block.y || !block.z || block.x > 1024 || block.y > 1024 ||
      block.z > 64 || block.count() > 1024)
    return makeLaunchError(name, "expected a block of 1 to 1024 threads and at "
                                 "most (1024,1024,64), got " +
                                     describe(block));
  if (block.count() > kernel.getInfo().maxThreads)
    return makeLaunchError(
        name, "expected at most " + Twine(kernel.getInfo().maxThreads) +
                  " threads per block, got " + Twine(block.count()));
  const uint32_t (&required)[3] = function.requiredThreads;
  if (required[0] && (required[0] != block.x || required[1] != block.y ||
                      required[2] != block.z))
    return makeLaunchError(
        name, "expected blocks of " +
                  describe({required[0], required[1], required[2]}) + ", got " +
                  describe(block));
  uint64_t shared = kernel.getPlan().staticShared + uint64_t(dynamicShared);
  uint32_t limit = getSharedLimit(ptx->getChip());
  if (shared > limit)
    return makeLaunchError(name, "expected at most " + Twine(limit) +
                                     " bytes of shared memory on " +
                                     ptx->target + ", got " + Twine(shared));
  if (parameterBytes != function.parameterBytes)
    return makeLaunchError(name, "expected " + Twine(function.parameterBytes) +
                                     " bytes of parameters, got " +
                                     Twine(parameterBytes));
  return Error::success();
}

/// The clusters of a launch: what it asks for, or what the kernel says.
static Cluster chooseCluster(const Kernel &kernel, Cluster cluster) {
  const uint32_t (&own)[3] = kernel.getPlan().kernel->clusterBlocks;
  if (!cluster.isAskedFor())
    cluster.blocks = {own[0], own[1], own[2]};
  return cluster;
}

/// Blocks that run together may not have clusters beside.
static Error checkCooperative(const KernelPlan &plan, const Cluster &cluster,
                              Dim3 grid) {
  StringRef name = plan.kernel->name;
  // Shared memory of all has addresses of 32 bits.
  constexpr uint64_t most = (uint64_t(1) << 32) / clusterWindow - 1;
  if (grid.count() > most)
    return makeLaunchError(name, "expected a cooperative launch of at most " +
                                     Twine(most) + " blocks, got " +
                                     Twine(grid.count()));
  bool usesClusters =
      llvm::any_of(plan.flat->body, [](const ptx::Instruction &in) {
        return in.root == "mapa" || in.root == "getctarank" ||
               llvm::any_of(in.modifiers, [](StringRef word) {
                 return word == "cluster" || word == "shared::cluster";
               });
      });
  if (grid.count() > 1 && (cluster.isAskedFor() || usesClusters))
    return makeLaunchError(
        name, "cooperative launches of kernels with clusters are not covered");
  return Error::success();
}

Error Module::checkCluster(StringRef name, Dim3 grid,
                           const Cluster &asked) const {
  auto found = state->kernels.find(name);
  if (found == state->kernels.end())
    return makeLaunchError(name, "the module has no such kernel");
  const ptx::Function &function = *found->second->getPlan().kernel;
  const uint32_t (&own)[3] = function.clusterBlocks;
  Cluster cluster = chooseCluster(*found->second, asked);
  const Dim3 &blocks = cluster.blocks;
  if (cluster.isCooperative)
    if (Error error = checkCooperative(found->second->getPlan(), cluster, grid))
      return error;
  if (!cluster.isAskedFor())
    return function.isExplicitCluster
               ? makeLaunchError(name, "it is declared .explicitcluster: "
                                       "expected a launch in clusters")
               : Error::success();
  if (state->ptx->getChip() < 90 && cluster.blocks.count() != 1)
    return makeLaunchError(name,
                           "clusters need sm_90, got " + state->ptx->target);
  if (own[0] &&
      (own[0] != blocks.x || own[1] != blocks.y || own[2] != blocks.z))
    return makeLaunchError(
        name, "expected clusters of " + describe({own[0], own[1], own[2]}) +
                  " blocks, as it is declared, got " + describe(blocks));
  uint64_t most = cluster.mayBeNonPortable ? ptx::maxClusterBlocks : 8;
  if (function.maxClusterRank)
    most = std::min<uint64_t>(most, function.maxClusterRank);
  if (!blocks.y || !blocks.z || blocks.count() > most)
    return makeLaunchError(name, "expected clusters of 1 to " + Twine(most) +
                                     " blocks, got " + describe(blocks));
  if (grid.x % blocks.x || grid.y % blocks.y || grid.z % blocks.z)
    return makeLaunchError(name, "expected a grid of whole clusters of " +
                                     describe(blocks) + " blocks, got " +
                                     describe(grid));
  return Error::success();
}

Expected<std::unique_ptr<RunningLaunch>>
Module::begin(StringRef name, Dim3 grid, Dim3 block,
              uint32_t dynamicSharedBytes, llvm::ArrayRef<char> parameters,
              Memory &memory, const Cluster &cluster) {
  auto found = state->kernels.find(name);
  if (found == state->kernels.end())
    return makeLaunchError(name, "the module has no such kernel");
  Kernel &kernel = *found->second;
  if (Error error = state->checkLaunch(kernel, grid, block, dynamicSharedBytes,
                                       parameters.size()))
    return error;
  if (Error error = checkCluster(name, grid, cluster))
    return error;
  auto run = std::make_unique<LaunchRun>(
      *state, kernel, grid, block, chooseCluster(kernel, cluster),
      dynamicSharedBytes, parameters, memory);
  if (Error error = run->begin())
    return error;
  return run;
}

Error Module::launch(StringRef name, Dim3 grid, Dim3 block,
                     uint32_t dynamicSharedBytes,
                     llvm::ArrayRef<char> parameters, Memory &memory,
                     const Cluster &cluster) {
  auto running =
      begin(name, grid, block, dynamicSharedBytes, parameters, memory, cluster);
  if (!running)
    return running.takeError();
  return (*running)->run(RunningLaunch::unlimited).takeError();
}

} // namespace tc::emulator
