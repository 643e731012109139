//===- Kernel.h - A kernel of a module and its code -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a module keeps of each kernel: facts for the host, the plan, and code:
// one set for each launch shape and choice of hooks, compiled on demand, and
// better once it has run for long enough.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_KERNEL_H
#define TC_LIB_EMULATOR_RUNTIME_KERNEL_H

#include "Translate/Jit.h"
#include "Translate/Translate.h"

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

namespace tc::emulator {

/// Code of a kernel for launches of one shape.
class KernelCode {
public:
  using GetAddress = std::function<uint64_t(const ptx::Variable &)>;

  KernelCode(const KernelPlan &plan, const LaunchShape &shape, Hooks hooks,
             bool isThreads, GetAddress getAddress);

  /// A WarpFunction, or a ThreadFunction when the code is for threads.
  /// Adaptive: what `isWorthOptimizing` says.
  llvm::Expected<const CompiledKernel *> getFunction(Effort effort);
  /// A MaskedFunction.
  llvm::Expected<const CompiledKernel *> getMasked(Effort effort);

  /// Counts time that quickly compiled code ran.
  void addRunTime(std::chrono::nanoseconds time) { runTime += time.count(); }
  /// True once the kernel has run for as long as compiling it better takes:
  /// then doing so costs at most twice the time of the best choice.
  bool isWorthOptimizing() const { return runTime > optimizingTime; }

  const Flow &getFlow() const { return *flow; }
  llvm::ArrayRef<uint32_t> getFrameOffsets() const { return frameOffsets; }
  /// Null where nobody follows what is undefined.
  const UndefinedPlan *getUndefined() const { return undefined.get(); }
  /// The position in masked code at which a kernel begins.
  uint32_t getStart() const;

private:
  struct Versions {
    std::unique_ptr<CompiledKernel> quick, optimized;
  };
  llvm::Expected<const CompiledKernel *> get(Versions &versions, Mode mode,
                                             Effort effort);

  const KernelPlan &plan;
  std::unique_ptr<Flow> flow;
  std::unique_ptr<Shapes> shapes;
  std::vector<uint32_t> frameOffsets;
  std::unique_ptr<UndefinedPlan> undefined;
  Hooks hooks;
  bool isThreads;
  GetAddress getAddress;
  std::mutex mutex; ///< held while it is compiled
  Versions whole, masked;
  int64_t optimizingTime = 0; ///< in nanoseconds, estimated
  std::atomic<int64_t> runTime{0};
};

class Kernel {
public:
  explicit Kernel(KernelPlan plan);

  const KernelInfo &getInfo() const { return info; }
  const KernelPlan &getPlan() const { return plan; }
  /// Of all its instructions, or of those that were counted.
  std::shared_ptr<const Fidelity> getFidelity(bool isHardware);
  std::shared_ptr<const Fidelity> getFidelity(bool isHardware,
                                              const LaunchCounts &counts) const;

  /// Its sites as findings name them. `describe` is asked once.
  std::shared_ptr<const std::vector<Party>>
  getSites(llvm::function_ref<Party(uint32_t site)> describe);

  KernelCode &getCode(const LaunchShape &shape, Hooks hooks, bool isThreads,
                      const KernelCode::GetAddress &getAddress);

private:
  KernelInfo info;
  KernelPlan plan;
  std::shared_ptr<const Fidelity> fidelities[2]; ///< by isHardware
  std::shared_ptr<const std::vector<Party>> sites;
  std::mutex mutex;
  std::map<std::array<uint32_t, 5>, std::unique_ptr<KernelCode>> codes;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_KERNEL_H
