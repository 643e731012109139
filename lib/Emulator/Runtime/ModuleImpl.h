//===- ModuleImpl.h - What a loaded module keeps ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state behind Module, shared by loading (Module.cpp) and launching
// (ModuleLaunch.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_MODULEIMPL_H
#define TC_LIB_EMULATOR_RUNTIME_MODULEIMPL_H

#include "Runtime/Kernel.h"
#include "Runtime/Launch.h"
#include "Runtime/Memory/HostPages.h"

#include "llvm/Support/MathExtras.h"

#include <cstdlib>

namespace tc::emulator {

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

struct Module::Impl {
  std::unique_ptr<ptx::Module> ptx;
  std::vector<Buffer> storage; ///< of the variables in .global
  std::vector<std::unique_ptr<HostPages>> constants;
  std::vector<VariableRegion> variables;
  llvm::StringMap<std::unique_ptr<Kernel>> kernels;
  Effort effort = Effort::Adaptive;
  LaunchOptions options;
  LaunchReport report; ///< of the last launch that ran

  /// Gives every .global and .const variable its memory and initial value.
  llvm::Error placeVariables();
  llvm::Error planKernels();
  const VariableRegion *findVariable(llvm::StringRef name) const;
  uint64_t addressOf(const ptx::Variable &variable) const;

  /// Limits of the GPU, and what the kernel itself asks for.
  llvm::Error checkLaunch(const Kernel &kernel, Dim3 grid, Dim3 block,
                          uint32_t dynamicShared, size_t parameterBytes) const;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_MODULEIMPL_H
