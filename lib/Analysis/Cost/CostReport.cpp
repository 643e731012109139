//===- CostReport.cpp - A predicted cost as text and JSON -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/CostModel.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

void mlir::tc::printCost(const KernelCost &cost, raw_ostream &os) {
  using llvm::formatv;
  os << formatv("predicted {0:F2} us on {1}, at least {2:F2} us by {3}\n",
                cost.seconds * 1e6, cost.launch.machine,
                cost.boundSeconds * 1e6, cost.limiter);
  for (const CostTerm &term : cost.terms)
    os << formatv("  {0,-8} {1,10:F2} us = {2:F0} / {3:E3} a second\n",
                  term.name, term.seconds * 1e6, term.amount, term.perSecond);
  os << formatv("  launch   {0,10:F2} us\n", cost.launch.launchSeconds * 1e6);
  printStations(cost.launch, os);
  if (cost.combineSeconds > 0)
    os << formatv("  combine  {0,10:F2} us, another kernel\n",
                  cost.combineSeconds * 1e6);
  os << formatv("  blocks {0:F0} of {1} threads, {2:F0} steps each; {3:F2} "
                "waves, tail {4:F3}, useful share {5:F3}\n",
                cost.blocks, cost.threads, cost.steps, cost.waves, cost.tail,
                cost.usefulShare);
  os << formatv("  {0} registers a thread, {1} bytes of shared memory; {2} "
                "blocks a multiprocessor, occupancy {3:F2}, limited by {4}\n",
                cost.registers, cost.sharedBytes, cost.occupancy.blocksPerSm,
                cost.occupancy.fraction, stringify(cost.occupancy.limiter));
  os << formatv("  sectors: {0:F0} loaded, {1:F0} stored; wavefronts: {2:F0} "
                "filling, {3:F0} reading\n",
                cost.loads.sectors, cost.stores.sectors, cost.fillWavefronts,
                cost.readWavefronts);
  os << formatv("  slots: {0:F0} arithmetic, {1:F0} reads, {2:F0} copies, "
                "{3:F0} loop, {4:F0} write-back\n",
                cost.slots.arithmetic, cost.slots.reads, cost.slots.copies,
                cost.slots.loop, cost.slots.writeBack);
}

/// Amounts are whole, whatever a sample gave; times are as they are.
static double whole(double amount) { return std::round(amount); }

llvm::json::Object mlir::tc::toJson(const KernelCost &cost) {
  using llvm::json::Object;
  Object object{{"blocks", whole(cost.blocks)},
                {"threads", cost.threads},
                {"steps", whole(cost.steps)},
                {"registers", cost.registers},
                {"shared_bytes", cost.sharedBytes},
                {"occupancy", cost.occupancy.fraction},
                {"waves", cost.waves},
                {"tail", cost.tail},
                {"useful_share", cost.usefulShare}};
  if (cost.occupancy.blocksPerSm == 0)
    return object; // no times
  auto add = [&](StringRef name, StringRef unit, double amount) {
    object[name] = Object{{unit, whole(amount)}};
  };
  add("global_loads", "sectors", cost.loads.sectors);
  add("global_stores", "sectors", cost.stores.sectors);
  add("shared_loads", "wavefronts", cost.readWavefronts);
  add("shared_stores", "wavefronts", cost.fillWavefronts);
  object["instructions"] = whole(cost.slots.sum());
  object["slots"] = Object{{"arithmetic", whole(cost.slots.arithmetic)},
                           {"reads", whole(cost.slots.reads)},
                           {"copies", whole(cost.slots.copies)},
                           {"loop", whole(cost.slots.loop)},
                           {"write_back", whole(cost.slots.writeBack)}};
  object["seconds"] = cost.seconds;
  object["bound_seconds"] = cost.boundSeconds;
  object["limiter"] = cost.limiter;
  object["launch_seconds"] = cost.launch.launchSeconds;
  object["launch"] = tc::toJson(cost.launch);
  Object terms;
  for (const CostTerm &term : cost.terms)
    terms[term.name] =
        Object{{"amount", whole(term.amount)}, {"seconds", term.seconds}};
  object["terms"] = std::move(terms);
  return object;
}
