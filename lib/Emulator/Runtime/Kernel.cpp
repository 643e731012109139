//===- Kernel.cpp - A kernel and its machine code -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a kernel, once or twice.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernel.h"
#include "Translate/Translate.h"

namespace tc::emulator {

Kernel::Kernel(KernelPlan planned) : plan(std::move(planned)) {
  const ptx::Function &function = *plan.kernel;
  info.sharedBytes = plan.staticShared;
  info.parameterBytes = function.parameterBytes;
  for (auto &extents : {function.maxThreads, function.requiredThreads})
    if (extents[0])
      info.maxThreads = std::min<uint64_t>(
          info.maxThreads, uint64_t(extents[0]) * extents[1] * extents[2]);
  for (const ptx::Variable *parameter : function.parameters)
    info.parameters.push_back({parameter->offset, uint32_t(parameter->bytes)});
  // Measured: 0.1 to 0.15 ms an instruction.
  for (const ptx::Function *reached : plan.functions)
    optimizingTime += 120000 * int64_t(reached->body.size());
}

llvm::Expected<std::unique_ptr<CompiledKernel>>
Kernel::compileKernel(Effort effort, VariableAddress variableAddress) {
  auto context = std::make_unique<llvm::LLVMContext>();
  // Every translation has the same sites. Threads that run the kernel read
  // those of the first, so a later one fills a copy.
  KernelPlan copy;
  bool isFirst = plan.sites.empty();
  if (!isFirst)
    copy = plan;
  std::unique_ptr<llvm::Module> module =
      translate(*context, isFirst ? plan : copy, variableAddress);
  return compile(std::move(module), std::move(context), effort);
}

llvm::Expected<KernelFunction>
Kernel::getFunction(Effort effort, VariableAddress variableAddress) {
  std::lock_guard<std::mutex> lock(mutex);
  if (effort == Effort::Adaptive)
    effort =
        optimized || isWorthOptimizing() ? Effort::Optimized : Effort::Quick;
  std::unique_ptr<CompiledKernel> &code =
      effort == Effort::Optimized ? optimized : quick;
  if (!code) {
    auto compiled = compileKernel(effort, variableAddress);
    if (!compiled)
      return compiled.takeError();
    code = std::move(*compiled);
  }
  return code->getFunction();
}

} // namespace tc::emulator
