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
using namespace mlir::tc;
using llvm::json::OStream;

/// Amounts are whole, whatever a sample gave; times are as they are.
static void writeAmount(OStream &json, StringRef name, double amount) {
  json.attribute(name, std::round(amount));
}

static void writeShape(OStream &json, const KernelCost &cost) {
  writeAmount(json, "blocks", cost.blocks);
  json.attribute("threads", cost.threads);
  writeAmount(json, "steps", cost.steps);
  json.attribute("registers", cost.registers);
  json.attribute("shared_bytes", cost.sharedBytes);
  json.attribute("occupancy", cost.occupancy.fraction);
  json.attribute("waves", cost.waves);
  json.attribute("tail", cost.tail);
  json.attribute("useful_share", cost.usefulShare);
}

static void writeTraffic(OStream &json, const KernelCost &cost) {
  auto write = [&](StringRef name, StringRef unit, double amount) {
    json.attributeObject(name, [&] { writeAmount(json, unit, amount); });
  };
  write("global_loads", "sectors", cost.loadSectors);
  write("global_stores", "sectors", cost.storeSectors);
  write("shared_loads", "wavefronts", cost.readWavefronts);
  write("shared_stores", "wavefronts", cost.fillWavefronts);
}

static void writeSlots(OStream &json, const KernelCost &cost) {
  writeAmount(json, "instructions", cost.slots.sum());
  json.attributeObject("slots", [&] {
    writeAmount(json, "arithmetic", cost.slots.arithmetic);
    writeAmount(json, "reads", cost.slots.reads);
    writeAmount(json, "copies", cost.slots.copies);
    writeAmount(json, "loop", cost.slots.loop);
    writeAmount(json, "write_back", cost.slots.writeBack);
  });
}

static void writeTimes(OStream &json, const KernelCost &cost) {
  json.attribute("seconds", cost.seconds);
  json.attribute("bound_seconds", cost.boundSeconds);
  json.attribute("limiter", cost.limiter);
  json.attribute("launch_seconds", cost.launch.launchSeconds);
  json.attribute("launch", toJson(cost.launch));
  json.attributeObject("terms", [&] {
    for (const CostTerm &term : cost.terms)
      json.attributeObject(term.name, [&] {
        writeAmount(json, "amount", term.amount);
        json.attribute("seconds", term.seconds);
      });
  });
}

void mlir::tc::writeCost(OStream &json, const KernelCost &cost) {
  json.object([&] {
    writeShape(json, cost);
    if (cost.occupancy.blocksPerSm == 0)
      return; // no times
    writeTraffic(json, cost);
    writeSlots(json, cost);
    writeTimes(json, cost);
  });
}
