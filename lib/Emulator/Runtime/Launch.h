//===- Launch.h - One running kernel ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a launch that the runtime's functions reach from a thread.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_LAUNCH_H
#define TC_LIB_EMULATOR_RUNTIME_LAUNCH_H

#include "Runtime/MemoryImpl.h"
#include "Runtime/State.h"
#include "Translate/Plan.h"

namespace tc::emulator {

struct AsyncState;
class Scheduler;

/// A module-level variable and where it lies.
struct VariableRegion {
  const ptx::Variable *variable;
  Region region;
};

struct Launch {
  const KernelPlan &plan;
  const Memory::Impl &memory;
  llvm::ArrayRef<VariableRegion> variables;
  uint64_t parameterBytes = 0;
  KernelFunction function = nullptr;
  BlockState block{};
  std::vector<Slot> slots = {};
  Scheduler *scheduler = nullptr; ///< null when no thread needs a stack
  std::string fault = {};         ///< the first one; empty while all is well
  FaultKind faultKind = FaultKind::Failure;
  LaunchOptions options = {};
  Memory *heap = nullptr; ///< where kernels allocate
  /// Copies in flight and mbarrier objects; made when the first one is.
  std::shared_ptr<AsyncState> async = {};
};

inline Launch &getLaunch(const ThreadState *thread) {
  return *static_cast<Launch *>(thread->block->launch);
}

/// Records a fault of `thread` at `site`, unless there is one already.
void reportFault(const ThreadState *thread, uint32_t site,
                 const llvm::Twine &what, FaultKind kind = FaultKind::Failure);

/// Runs every thread of the block that `launch.block` describes. False after a
/// fault.
bool runBlock(Launch &launch);

/// "kernel 'k', block (0,0,0)" for messages.
std::string describeBlock(const Launch &launch);
/// "PTX line 12 (`bar.sync 0`)".
std::string describeSite(const Site &site);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_LAUNCH_H
