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
uint32_t getSharedLimit(StringRef target) {
  unsigned chip = 0;
  target.drop_front(3).rtrim("af").getAsInteger(10, chip);
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
  uint32_t limit = getSharedLimit(ptx->target);
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

Expected<std::unique_ptr<RunningLaunch>>
Module::begin(StringRef name, Dim3 grid, Dim3 block,
              uint32_t dynamicSharedBytes, llvm::ArrayRef<char> parameters,
              Memory &memory) {
  auto found = state->kernels.find(name);
  if (found == state->kernels.end())
    return makeLaunchError(name, "the module has no such kernel");
  Kernel &kernel = *found->second;
  if (Error error = state->checkLaunch(kernel, grid, block, dynamicSharedBytes,
                                       parameters.size()))
    return error;
  auto run = std::make_unique<LaunchRun>(
      *state, kernel, grid, block, dynamicSharedBytes, parameters, memory);
  if (Error error = run->begin())
    return error;
  return run;
}

Error Module::launch(StringRef name, Dim3 grid, Dim3 block,
                     uint32_t dynamicSharedBytes,
                     llvm::ArrayRef<char> parameters, Memory &memory) {
  auto running =
      begin(name, grid, block, dynamicSharedBytes, parameters, memory);
  if (!running)
    return running.takeError();
  return (*running)->run(RunningLaunch::unlimited).takeError();
}

} // namespace tc::emulator
