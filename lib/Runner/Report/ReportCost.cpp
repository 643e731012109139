//===- ReportCost.cpp - A predicted cost as JSON --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report/ReportCost.h"

#include <cmath>

using namespace mlir;
using llvm::json::Object;

/// Amounts are whole, whatever a sample gave; times are as they are.
static double whole(double amount) { return std::round(amount); }

Object mlir::tc::toJson(const KernelCost &cost) {
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
