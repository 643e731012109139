//===- Kernel.cpp - A kernel of a module and its code ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyses and compiles a kernel for a launch shape.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Kernel.h"

#include "Isa/Fidelity.h"

#include "tc/Emulator/Counts.h"

#include "llvm/ADT/DenseSet.h"

using llvm::Error;
using llvm::Expected;

namespace tc::emulator {

KernelCode::KernelCode(const KernelPlan &plan, const LaunchShape &shape,
                       Hooks hooks, bool isThreads, GetAddress getAddress)
    : plan(plan), frameOffsets(layOutFrame(*plan.flat)), hooks(hooks),
      isThreads(isThreads), getAddress(std::move(getAddress)) {
  std::vector<unsigned> cuts;
  flow = std::make_unique<Flow>(*plan.flat, cuts);
  // A warp leaves at the start of a block, so tested instructions begin one.
  while (!isThreads) {
    shapes = std::make_unique<Shapes>(plan, *flow, shape);
    size_t known = cuts.size();
    llvm::append_range(cuts, shapes->tests);
    llvm::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    if (cuts.size() == known)
      break;
    flow = std::make_unique<Flow>(*plan.flat, cuts);
  }
  if (hooks.undefined)
    undefined = std::make_unique<UndefinedPlan>(plan);
  // Measured: 0.15 to 0.3 ms an instruction.
  optimizingTime = 200000 * int64_t(plan.flat->body.size());
}

uint32_t KernelCode::getStart() const {
  return flow->meets(*plan.flat, 0) ? collectiveBlock : 0;
}

Expected<const CompiledKernel *> KernelCode::get(Versions &versions, Mode mode,
                                                 Effort effort) {
  std::lock_guard<std::mutex> lock(mutex);
  if (effort == Effort::Adaptive)
    effort = versions.optimized || isWorthOptimizing() ? Effort::Optimized
                                                       : Effort::Quick;
  std::unique_ptr<CompiledKernel> &code =
      effort == Effort::Optimized ? versions.optimized : versions.quick;
  if (!code) {
    auto context = std::make_unique<llvm::LLVMContext>();
    Translation translation{plan,  *flow,      shapes.get(), mode,
                            hooks, getAddress, frameOffsets, undefined.get()};
    std::unique_ptr<llvm::Module> module = translate(*context, translation);
    auto compiled = compile(std::move(module), std::move(context), effort);
    if (!compiled)
      return compiled.takeError();
    code = std::move(*compiled);
  }
  return code.get();
}

Expected<const CompiledKernel *> KernelCode::getFunction(Effort effort) {
  return get(whole, isThreads ? Mode::Thread : Mode::Warp, effort);
}

Expected<const CompiledKernel *> KernelCode::getMasked(Effort effort) {
  // Compiled while the kernel runs, which is not the kernel's own time.
  auto start = std::chrono::steady_clock::now();
  auto function = get(masked, Mode::Masked, effort);
  addRunTime(start - std::chrono::steady_clock::now());
  return function;
}

Kernel::Kernel(KernelPlan planned) : plan(std::move(planned)) {
  const ptx::Function &function = *plan.kernel;
  info.sharedBytes = plan.staticShared;
  info.parameterBytes = function.parameterBytes;
  const uint32_t (&cluster)[3] = function.clusterBlocks;
  info.cluster = {cluster[0], cluster[1], cluster[2]};
  info.needsCluster = function.isExplicitCluster;
  for (auto &extents : {function.maxThreads, function.requiredThreads})
    if (extents[0])
      info.maxThreads = std::min<uint64_t>(
          info.maxThreads, uint64_t(extents[0]) * extents[1] * extents[2]);
  for (const ptx::Variable *parameter : function.parameters)
    info.parameters.push_back({parameter->offset, uint32_t(parameter->bytes)});
}

std::shared_ptr<const Fidelity> Kernel::getFidelity(bool isHardware) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<const Fidelity> &known = fidelities[isHardware];
  if (!known)
    known = std::make_shared<Fidelity>(isa::getFidelity(
        plan.flat->body, isHardware, [](unsigned) { return true; }));
  return known;
}

std::shared_ptr<const Fidelity>
Kernel::getFidelity(bool isHardware, const LaunchCounts &counts) const {
  llvm::DenseSet<unsigned> executed;
  for (const LineCounts &line : counts.lines)
    if (line.warps)
      executed.insert(line.line);
  auto fidelity = std::make_shared<Fidelity>(
      isa::getFidelity(plan.flat->body, isHardware,
                       [&](unsigned line) { return executed.contains(line); }));
  fidelity->isOfExecuted = true;
  return fidelity;
}

std::shared_ptr<const std::vector<Party>>
Kernel::getSites(llvm::function_ref<Party(uint32_t site)> describe) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!sites) {
    auto all = std::make_shared<std::vector<Party>>();
    for (uint32_t site = 0; site < plan.sites.size(); ++site)
      all->push_back(describe(site));
    sites = std::move(all);
  }
  return sites;
}

KernelCode &Kernel::getCode(const LaunchShape &shape, Hooks hooks,
                            bool isThreads,
                            const KernelCode::GetAddress &getAddress) {
  uint32_t flags = hooks.bounds | hooks.accesses << 1 | hooks.blocks << 2 |
                   isThreads << 3 | hooks.groups << 4 | hooks.entries << 5 |
                   hooks.undefined << 6 | hooks.goesOn << 7;
  std::array<uint32_t, 5> key = {shape.block[0], shape.block[1], shape.block[2],
                                 shape.isGridSmall, flags};
  // Code of one thread is the same for every shape.
  if (isThreads)
    key = {0, 0, 0, 0, flags};
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<KernelCode> &code = codes[key];
  if (!code)
    code =
        std::make_unique<KernelCode>(plan, shape, hooks, isThreads, getAddress);
  return *code;
}

} // namespace tc::emulator
