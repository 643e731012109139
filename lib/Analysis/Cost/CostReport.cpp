//===- CostReport.cpp - A predicted cost for people -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/CostModel.h"

#include "llvm/Support/FormatVariadic.h"

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
  os << formatv("  a block every {0:F0} cycles of a multiprocessor:",
                cost.launch.cyclesPerBlock);
  for (const StationTime &station : cost.launch.stations)
    os << formatv(" {0} {1:F0}", station.name, station.cycles);
  os << '\n';
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
