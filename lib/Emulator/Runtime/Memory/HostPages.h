//===- HostPages.h - Where parameters and constants lie ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses of parameters and constants are the host's. Some kernels take 32
// bits of them, as Triton's do of tensor maps, and ours of constants: those lie
// below 4 GiB.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_MEMORY_HOSTPAGES_H
#define TC_LIB_EMULATOR_RUNTIME_MEMORY_HOSTPAGES_H

#include <cstdint>

namespace tc::emulator {

/// Zeroed pages of the host.
class HostPages {
public:
  HostPages(uint64_t bytes, bool isLow);
  HostPages(const HostPages &) = delete;
  HostPages &operator=(const HostPages &) = delete;
  ~HostPages();

  /// Null when there was no room.
  char *get() const { return start; }

private:
  char *start = nullptr;
  uint64_t mapped = 0; ///< bytes, or 0 where it comes from malloc
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_MEMORY_HOSTPAGES_H
