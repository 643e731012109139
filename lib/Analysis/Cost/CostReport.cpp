//===- CostReport.cpp - A predicted cost as text and JSON -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/CostModel.h"

#include "tc/Schema/Structure.h"

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

namespace {
struct Sectors {
  double sectors;
};

struct Wavefronts {
  double wavefronts;
};

struct TermFigures {
  double amount, seconds;
};
} // namespace

/// Amounts are whole, whatever a sample gave; times are as they are.
static double whole(double amount) { return std::round(amount); }

/// What `get` says, where there is a time: a block fits on the machine.
template <typename Get>
static auto whereTimed(Get get) {
  return [get](const KernelCost &cost) {
    using Value = std::decay_t<std::invoke_result_t<Get, const KernelCost &>>;
    return cost.occupancy.blocksPerSm == 0
               ? std::optional<Value>()
               : std::optional<Value>(std::invoke(get, cost));
  };
}

static std::map<std::string, TermFigures> listTerms(const KernelCost &cost) {
  std::map<std::string, TermFigures> terms;
  for (const CostTerm &term : cost.terms)
    terms[term.name.str()] = {whole(term.amount), term.seconds};
  return terms;
}

namespace mlir::tc::schema {

template <>
const Structure<Sectors> &describe<Sectors>() {
  static const auto structure =
      Structure<Sectors>("predicted-global", "Accesses of global memory.")
          .member("sectors", &Sectors::sectors, "of 32 bytes", "sectors");
  return structure;
}

template <>
const Structure<Wavefronts> &describe<Wavefronts>() {
  static const auto structure =
      Structure<Wavefronts>("predicted-shared", "Accesses of shared memory.")
          .member("wavefronts", &Wavefronts::wavefronts,
                  "cycles that shared memory is busy", "wavefronts");
  return structure;
}

template <>
const Structure<TermFigures> &describe<TermFigures>() {
  static const auto structure =
      Structure<TermFigures>("predicted-term", "A unit of the machine.")
          .member("amount", &TermFigures::amount, "that the kernel asks of it")
          .member("seconds", &TermFigures::seconds,
                  "predicted: the amount over the rate", "seconds");
  return structure;
}

template <>
const Structure<IssueSlots> &describe<IssueSlots>() {
  auto round = [](double IssueSlots::*purpose) {
    return [purpose](const IssueSlots &slots) { return whole(slots.*purpose); };
  };
  static const auto structure =
      Structure<IssueSlots>("slots", "Instructions by purpose.")
          .member("arithmetic", round(&IssueSlots::arithmetic),
                  "of the sums of products")
          .member("reads", round(&IssueSlots::reads), "of shared memory")
          .member("copies", round(&IssueSlots::copies),
                  "from global to shared memory")
          .member("loop", round(&IssueSlots::loop), "of the loop over steps")
          .member("write_back", round(&IssueSlots::writeBack), "of results");
  return structure;
}

template <>
const Structure<KernelCost> &describe<KernelCost>() {
  using Cost = KernelCost;
  auto round = [](double Cost::*amount) {
    return [amount](const Cost &cost) { return whole(cost.*amount); };
  };
  auto getLoads = [](const Cost &c) { return Sectors{whole(c.loads.sectors)}; };
  auto getStores = [](const Cost &c) {
    return Sectors{whole(c.stores.sectors)};
  };
  auto getReads = [](const Cost &c) {
    return Wavefronts{whole(c.readWavefronts)};
  };
  auto getFills = [](const Cost &c) {
    return Wavefronts{whole(c.fillWavefronts)};
  };
  auto getSlots = [](const Cost &c) { return whole(c.slots.sum()); };
  auto getOccupancy = [](const Cost &c) { return c.occupancy.fraction; };
  auto getLaunchSeconds = [](const Cost &c) { return c.launch.launchSeconds; };
  static const auto structure =
      Structure<Cost>("prediction",
                      "What the cost model predicts for a kernel. There are no "
                      "times, and nothing they are made of, if no block fits "
                      "on the machine.")
          .member("blocks", round(&Cost::blocks), "of the grid")
          .member("threads", &Cost::threads, "of a block")
          .member("steps", round(&Cost::steps), "of a block")
          .member("registers", &Cost::registers, "of a thread")
          .member("shared_bytes", &Cost::sharedBytes,
                  "shared memory of a block", "bytes")
          .member("occupancy", getOccupancy,
                  "resident warps as a share of those that a multiprocessor "
                  "can hold")
          .member("waves", &Cost::waves, "blocks over blocks resident at once")
          .member("tail", &Cost::tail,
                  "the time of the fullest multiprocessor over the average")
          .member("useful_share", &Cost::usefulShare,
                  "of the arithmetic, what is not on tiles that stick out")
          .optional("global_loads", whereTimed(getLoads),
                    "inputs, old results and sides")
          .optional("global_stores", whereTimed(getStores), "results")
          .optional("shared_loads", whereTimed(getReads), "of tiles")
          .optional("shared_stores", whereTimed(getFills), "of tiles")
          .optional("instructions", whereTimed(getSlots), "that warps issue")
          .optional("slots", whereTimed(&Cost::slots), "the same by purpose")
          .optional("seconds", whereTimed(&Cost::seconds),
                    "by the formula of simulated time, and those of a second "
                    "kernel",
                    "seconds")
          .optional("bound_seconds", whereTimed(&Cost::boundSeconds),
                    "starting a kernel and the longest term, by the formula of "
                    "counted time, and those of a second kernel",
                    "seconds")
          .optional("limiter", whereTimed(&Cost::limiter), "the longest term")
          .optional("launch_seconds", whereTimed(getLaunchSeconds),
                    "the part that it takes to start a kernel", "seconds")
          .optional("launch", whereTimed(&Cost::launch),
                    "the simulated time of the kernel alone, over what is "
                    "predicted")
          .optional("terms", whereTimed(listTerms),
                    "busy times of the machine's units, by name");
  return structure;
}

} // namespace mlir::tc::schema
