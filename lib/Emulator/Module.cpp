//===- Module.cpp - Loading and launching PTX modules ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The public face: parse, verify, plan, place variables; compile a kernel on
// its first launch; check a launch's limits and run its blocks.
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "Launch.h"
#include "Parser.h"
#include "Scheduler.h"
#include "Translate.h"
#include "Verify.h"
#include "tc/Emulator/Emulator.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator {

namespace {

/// Zeroed host memory, aligned as strictly as any variable may be.
class Buffer {
public:
  explicit Buffer(uint64_t bytes) {
    constexpr uint64_t align = 1024;
    if (bytes < (uint64_t(1) << 46))
      memory = static_cast<char *>(std::calloc(1, bytes + align));
    if (memory)
      start = reinterpret_cast<char *>(
          llvm::alignTo(reinterpret_cast<uint64_t>(memory), align));
  }
  Buffer(Buffer &&other)
      : memory(std::exchange(other.memory, nullptr)), start(other.start) {}
  ~Buffer() { std::free(memory); }
  /// Null when there was not enough memory.
  char *get() const { return start; }

private:
  char *memory = nullptr, *start = nullptr;
};

struct Kernel {
  KernelInfo info;
  KernelPlan plan;
  std::mutex mutex; ///< held while it is compiled
  std::unique_ptr<CompiledKernel> code;
};

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

struct Module::Impl {
  std::unique_ptr<ptx::Module> ptx;
  std::vector<Buffer> storage;
  std::vector<VariableRegion> variables;
  llvm::StringMap<std::unique_ptr<Kernel>> kernels;

  Error placeVariables();
  Error planKernels();
  Error compileOnce(Kernel &kernel);
  Error checkLaunch(const Kernel &kernel, Dim3 grid, Dim3 block,
                    uint32_t dynamicShared, size_t parameterBytes) const;
  Error run(Kernel &kernel, Dim3 grid, Dim3 block, uint32_t dynamicShared,
            llvm::ArrayRef<char> parameters, const Memory::Impl &memory);
  const VariableRegion *findVariable(StringRef name) const;
  uint64_t addressOf(const ptx::Variable &variable) const;
};

Module::Module() : state(std::make_unique<Impl>()) {}
Module::~Module() = default;

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<Module>> Module::load(StringRef text) {
  auto parsed = ptx::parse(text);
  if (!parsed)
    return parsed.takeError();
  if (Error error = ptx::verify(**parsed))
    return error;
  std::unique_ptr<Module> module(new Module());
  module->state->ptx = std::move(*parsed);
  if (Error error = module->state->placeVariables())
    return error;
  if (Error error = module->state->planKernels())
    return error;
  return module;
}

const VariableRegion *Module::Impl::findVariable(StringRef name) const {
  for (const VariableRegion &entry : variables)
    if (entry.variable->name == name)
      return &entry;
  return nullptr;
}

uint64_t Module::Impl::addressOf(const ptx::Variable &variable) const {
  for (const VariableRegion &entry : variables)
    if (entry.variable == &variable)
      return entry.region.base;
  return 0;
}

/// Gives every .global and .const variable its memory and initial value.
Error Module::Impl::placeVariables() {
  for (const ptx::Variable &variable : ptx->variables) {
    if (variable.isExternal)
      return ptx::makeError(variable.line, "variable '" + variable.name +
                                               "' is defined in no module");
    if (variable.space != ptx::Space::Global &&
        variable.space != ptx::Space::Const)
      continue;
    storage.emplace_back(variable.bytes);
    char *memory = storage.back().get();
    if (!memory)
      return ptx::makeError(variable.line, "no memory for '" + variable.name +
                                               "' of " + Twine(variable.bytes) +
                                               " bytes");
    if (!variable.initial.empty())
      std::memcpy(memory, variable.initial.data(), variable.initial.size());
    variables.push_back(
        {&variable, {reinterpret_cast<uint64_t>(memory), variable.bytes}});
  }
  for (const VariableRegion &entry : variables)
    for (const ptx::Relocation &relocation : entry.variable->relocations) {
      const VariableRegion *target = findVariable(relocation.symbol);
      if (!target)
        return ptx::makeError(entry.variable->line,
                              "initial value names '" + relocation.symbol +
                                  "', which is no variable of .global or "
                                  ".const");
      uint64_t address = target->region.base + relocation.addend;
      std::memcpy(reinterpret_cast<char *>(entry.region.base) +
                      relocation.offset,
                  &address, sizeof(address));
    }
  return Error::success();
}

Error Module::Impl::planKernels() {
  for (const ptx::Function &function : ptx->functions) {
    if (!function.isEntry || !function.hasBody)
      continue;
    Expected<KernelPlan> plan = makePlan(function);
    if (!plan)
      return plan.takeError();
    auto kernel = std::make_unique<Kernel>();
    kernel->plan = std::move(*plan);
    KernelInfo &info = kernel->info;
    info.sharedBytes = kernel->plan.staticShared;
    info.parameterBytes = function.parameterBytes;
    for (auto &extents : {function.maxThreads, function.requiredThreads})
      if (extents[0])
        info.maxThreads = std::min<uint64_t>(
            info.maxThreads, uint64_t(extents[0]) * extents[1] * extents[2]);
    for (const ptx::Variable *parameter : function.parameters)
      info.parameters.push_back({parameter->offset, parameter->bytes});
    if (!kernels.try_emplace(function.name, std::move(kernel)).second)
      return ptx::makeError(function.line,
                            "kernel '" + function.name + "' is defined twice");
  }
  return Error::success();
}

const KernelInfo *Module::find(StringRef kernel) const {
  auto found = state->kernels.find(kernel);
  return found == state->kernels.end() ? nullptr : &found->second->info;
}

Expected<std::pair<void *, size_t>> Module::variable(StringRef name) {
  if (const VariableRegion *entry = state->findVariable(name))
    return std::pair<void *, size_t>(
        reinterpret_cast<void *>(entry->region.base), entry->region.bytes);
  return llvm::createStringError(std::errc::invalid_argument,
                                 "the module has no variable '%s'",
                                 name.str().c_str());
}

//===----------------------------------------------------------------------===//
// Launching
//===----------------------------------------------------------------------===//

Error Module::Impl::compileOnce(Kernel &kernel) {
  std::lock_guard<std::mutex> lock(kernel.mutex);
  if (kernel.code)
    return Error::success();
  auto context = std::make_unique<llvm::LLVMContext>();
  std::unique_ptr<llvm::Module> module =
      translate(*context, kernel.plan, [&](const ptx::Variable &variable) {
        return addressOf(variable);
      });
  auto code = compile(std::move(module), std::move(context));
  if (!code)
    return code.takeError();
  kernel.code = std::move(*code);
  return Error::success();
}

Error Module::Impl::checkLaunch(const Kernel &kernel, Dim3 grid, Dim3 block,
                                uint32_t dynamicShared,
                                size_t parameterBytes) const {
  const ptx::Function &function = *kernel.plan.kernel;
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
  if (block.count() > kernel.info.maxThreads)
    return makeLaunchError(
        name, "expected at most " + Twine(kernel.info.maxThreads) +
                  " threads per block, got " + Twine(block.count()));
  const uint32_t (&required)[3] = function.requiredThreads;
  if (required[0] && (required[0] != block.x || required[1] != block.y ||
                      required[2] != block.z))
    return makeLaunchError(
        name, "expected blocks of " +
                  describe({required[0], required[1], required[2]}) + ", got " +
                  describe(block));
  uint64_t shared = kernel.plan.staticShared + uint64_t(dynamicShared);
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

/// Stacks outlive launches: mapping a thousand of them takes a while.
static StackPool &getStacks() {
  static thread_local StackPool stacks;
  return stacks;
}

Error Module::Impl::run(Kernel &kernel, Dim3 grid, Dim3 dim,
                        uint32_t dynamicShared, llvm::ArrayRef<char> parameters,
                        const Memory::Impl &memory) {
  const KernelPlan &plan = kernel.plan;
  Launch launch{plan, memory, variables};
  launch.function = kernel.code->getFunction();
  launch.parameterBytes = parameters.size();
  launch.slots.resize(plan.sites.size());
  uint32_t sharedBytes = plan.staticShared + dynamicShared;
  Buffer shared(sharedBytes), packed(parameters.size());
  if (!shared.get() || !packed.get())
    return makeLaunchError(plan.kernel->name, "no memory to launch it");
  if (!parameters.empty())
    std::memcpy(packed.get(), parameters.data(), parameters.size());
  BlockState &block = launch.block;
  block = BlockState{{dim.x, dim.y, dim.z},
                     {grid.x, grid.y, grid.z},
                     {0, 0, 0},
                     dynamicShared,
                     sharedBytes,
                     shared.get(),
                     {},
                     packed.get(),
                     launch.slots.data(),
                     &launch};
  for (unsigned shift = 0; shift < accessSizes; ++shift)
    block.sharedCount[shift] = countAccesses(sharedBytes, shift);
  std::optional<Scheduler> scheduler;
  // Large local memory may not fit on the host's own stack.
  if (plan.hasBarrier || plan.localBytes > 16 * 1024) {
    // Room for the kernel's local memory and spilled registers.
    uint64_t bytes = 64 * 1024 + plan.localBytes;
    for (const ptx::Function *function : plan.functions)
      bytes += 16 * function->registers.size();
    if (Error error = getStacks().reserve(dim.count(), bytes))
      return error;
    scheduler.emplace(launch, getStacks());
    launch.scheduler = &*scheduler;
  }
  uint32_t (&index)[3] = block.blockIndex;
  for (index[2] = 0; index[2] < grid.z; ++index[2])
    for (index[1] = 0; index[1] < grid.y; ++index[1])
      for (index[0] = 0; index[0] < grid.x; ++index[0])
        if (!runBlock(launch))
          return llvm::make_error<Fault>(launch.faultKind, launch.fault);
  return Error::success();
}

Error Module::launch(StringRef name, Dim3 grid, Dim3 block,
                     uint32_t dynamicSharedBytes,
                     llvm::ArrayRef<char> parameters, Memory &memory) {
  auto found = state->kernels.find(name);
  if (found == state->kernels.end())
    return makeLaunchError(name, "the module has no such kernel");
  Kernel &kernel = *found->second;
  if (Error error = state->checkLaunch(kernel, grid, block, dynamicSharedBytes,
                                       parameters.size()))
    return error;
  if (Error error = state->compileOnce(kernel))
    return error;
  return state->run(kernel, grid, block, dynamicSharedBytes, parameters,
                    memory.impl());
}

} // namespace tc::emulator
