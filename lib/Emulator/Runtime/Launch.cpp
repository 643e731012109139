//===- Launch.cpp - One running kernel ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs blocks, and words faults.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Launch.h"
#include "Runtime/Scheduler.h"

#include "llvm/ADT/Twine.h"

#include <cstring>

using llvm::Twine;

namespace tc::emulator {

static std::string describeIndex(const uint32_t (&index)[3]) {
  return ("(" + Twine(index[0]) + "," + Twine(index[1]) + "," +
          Twine(index[2]) + ")")
      .str();
}

std::string describeBlock(const Launch &launch) {
  return "kernel '" + launch.plan.kernel->name.str() + "', block " +
         describeIndex(launch.block.blockIndex);
}

std::string describeSite(const Site &site) {
  return ("PTX line " + Twine(site.instruction->line) + " (`" +
          site.instruction->text + "`)")
      .str();
}

void reportFault(const ThreadState *thread, uint32_t site, const Twine &what,
                 FaultKind kind) {
  Launch &launch = getLaunch(thread);
  if (!launch.fault.empty())
    return;
  launch.faultKind = kind;
  launch.fault = describeBlock(launch) + ", thread " +
                 describeIndex(thread->index) + ", " +
                 describeSite(launch.plan.sites[site]) + ": " + what.str();
}

bool runBlock(Launch &launch) {
  BlockState &block = launch.block;
  // Ones are NaN in every format: what nobody wrote shows.
  if (block.shared)
    std::memset(block.shared, 0xff, block.totalShared);
  if (launch.scheduler) {
    launch.scheduler->run();
    return launch.fault.empty();
  }
  ThreadState thread{&block, {0, 0, 0}, 0, nullptr};
  uint32_t (&index)[3] = thread.index;
  for (index[2] = 0; index[2] < block.blockDim[2]; ++index[2])
    for (index[1] = 0; index[1] < block.blockDim[1]; ++index[1])
      for (index[0] = 0; index[0] < block.blockDim[0]; ++index[0]) {
        launch.function(&thread, &block);
        if (!launch.fault.empty())
          return false;
        ++thread.linear;
      }
  return true;
}

} // namespace tc::emulator
