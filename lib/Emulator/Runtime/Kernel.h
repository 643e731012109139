//===- Kernel.h - A kernel and its machine code -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a module keeps of each kernel: facts for the host, the plan, and code,
// compiled on demand and better once the kernel has run for long enough.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_KERNEL_H
#define TC_LIB_EMULATOR_RUNTIME_KERNEL_H

#include "Translate/Emitter.h"
#include "Translate/Jit.h"
#include "Translate/Plan.h"

#include <atomic>
#include <chrono>
#include <mutex>

namespace tc::emulator {

class Kernel {
public:
  explicit Kernel(KernelPlan plan);

  const KernelInfo &getInfo() const { return info; }
  const KernelPlan &getPlan() const { return plan; }

  /// The kernel compiled with `effort`. Adaptive: what `isWorthOptimizing`
  /// says.
  llvm::Expected<KernelFunction> getFunction(Effort effort,
                                             VariableAddress variableAddress);

  /// Counts time that quickly compiled code ran.
  void addRunTime(std::chrono::nanoseconds time) { runTime += time.count(); }
  /// True once the kernel has run for as long as compiling it better takes:
  /// then doing so costs at most twice the time of the best choice.
  bool isWorthOptimizing() const { return runTime > optimizingTime; }

private:
  llvm::Expected<std::unique_ptr<CompiledKernel>>
  compileKernel(Effort effort, VariableAddress variableAddress);

  KernelInfo info;
  KernelPlan plan;
  std::mutex mutex; ///< held while it is compiled
  std::unique_ptr<CompiledKernel> quick, optimized;
  int64_t optimizingTime = 0; ///< in nanoseconds, estimated
  std::atomic<int64_t> runTime{0};
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_KERNEL_H
