//===- Memory.cpp - What the reference may allocate
//-----------------------====//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/Memory.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <optional>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;

namespace mlir::tc::reference {

/// The text of a file of /proc, whose size is not known before it is read.
static std::string readProc(StringRef path) {
  auto buffer = MemoryBuffer::getFileAsStream(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

/// What the kernel can give without swapping; all there is where it does not
/// say so.
static int64_t freeMemory() {
  std::string text = readProc("/proc/meminfo");
  StringRef rest = StringRef(text).split("MemAvailable:").second.ltrim();
  int64_t kib = 0;
  if (!rest.consumeInteger(10, kib))
    return kib * 1024;
  return int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
}

/// What RLIMIT_AS leaves; nothing when it is not set.
static std::optional<int64_t> freeAddresses() {
  rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::nullopt;
  std::string text = readProc("/proc/self/statm");
  int64_t pages = 0;
  StringRef(text).consumeInteger(10, pages);
  return int64_t(limit.rlim_cur) - pages * int64_t(sysconf(_SC_PAGESIZE));
}

bool canAllocate(int64_t bytes) {
  // Small ones do not fill a machine, and asking takes longer than they do.
  constexpr int64_t always = int64_t(1) << 20;
  // What other parts of the process need while this is held.
  constexpr int64_t spared = int64_t(64) << 20;
  if (bytes < always)
    return true;
  int64_t left = freeMemory();
  if (std::optional<int64_t> addresses = freeAddresses())
    left = std::min(left, *addresses);
  return bytes <= left - spared;
}

} // namespace mlir::tc::reference
