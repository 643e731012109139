//===- HostTarget.cpp - The machine that a package is for -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the machine at hand is, as LLVM finds it out.
//
//===----------------------------------------------------------------------===//

#include "tc/Package/HostObject.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

namespace mlir::tc {

std::string getTriple(const HostTarget &target) {
  return llvm::Triple::normalize(target.triple.empty()
                                     ? llvm::sys::getDefaultTargetTriple()
                                     : target.triple);
}

/// "+avx2,-avx512f": what this machine's CPU has, and what it lacks of what its
/// name promises, as in a virtual machine. In alphabetical order, so that the
/// same machine gives the same bytes.
static std::string detectFeatures() {
  llvm::SmallVector<std::string> features;
  for (const auto &[name, isThere] : llvm::sys::getHostCPUFeatures())
    features.push_back((isThere ? "+" : "-") + name.str());
  llvm::sort(features, [](StringRef a, StringRef b) {
    return a.drop_front() < b.drop_front();
  });
  return llvm::join(features, ",");
}

llvm::Expected<HostTarget> resolveHost(const HostTarget &target) {
  HostTarget host = target;
  host.triple = getTriple(target);
  if (target.cpu.empty())
    host.cpu = "generic";
  if (target.cpu != "native")
    return host;
  llvm::Triple own(llvm::sys::getDefaultTargetTriple());
  if (llvm::Triple(host.triple).getArch() != own.getArch())
    return llvm::createStringError(
        "host: expected a CPU by its name for '" + host.triple +
        "', got 'native', which is of '" + own.str() + "'");
  host.cpu = llvm::sys::getHostCPUName().str();
  host.features = detectFeatures();
  return host;
}

} // namespace mlir::tc
