//===- LaunchUsage.cpp - What a launch did to memory ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For comparison with launches and copies that run at the same time. It is kept
// for longer than the module, so it has all that is needed to name an access.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"
#include "Runtime/LaunchRun.h"

namespace tc::emulator {

void LaunchRun::keepUsage() {
  const Launch &launch = main->launch;
  LaunchFacts facts;
  facts.sites = kernel.getSites(
      [&](uint32_t site) { return describeParty(launch, site); });
  facts.grid = grid;
  facts.cluster = cluster;
  facts.block = dim;
  facts.threads = llvm::alignTo<warpSize>(dim.count());
  usage = std::make_shared<Usage>(plan.kernel->name.str(), std::move(facts));
  usage->hasWaited = wasSetAside;
  for (uint32_t site = 0; site < plan.sites.size(); ++site) {
    SiteFacts order = getFacts(plan, site);
    usage->acquires |= order.acquires && order.isWide;
    usage->releases |= order.releases && order.isWide;
  }
  checker->fillUsage(*usage);
}

} // namespace tc::emulator
