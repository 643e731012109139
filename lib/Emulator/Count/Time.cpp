//===- Time.cpp - Counted time --------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every resource of the machine is one term: an amount over a rate. Those of a
// multiprocessor are stretched by the tail.
//
//===----------------------------------------------------------------------===//

#include "Count/GroupRate.h"
#include "tc/Emulator/Counts.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using mlir::tc::Machine;

namespace tc::emulator {

namespace {

/// A unit of a multiprocessor, by the name instructions are classed under.
struct Unit {
  const char *name;
  const char *metric;
  int64_t Machine::*rate;
};

constexpr Unit units[] = {
    {"f32", "sm__pipe_fma_cycles_active", &Machine::f32FmaPerCycle},
    {"f64", "sm__pipe_fp64_cycles_active", &Machine::f64FmaPerCycle},
    {"f16", "sm__pipe_fma_cycles_active", &Machine::f16FmaPerCycle},
    {"integer", "sm__pipe_alu_cycles_active", &Machine::integerPerCycle},
    {"convert", "sm__inst_executed_pipe_xu", &Machine::convertPerCycle},
    {"special", "sm__inst_executed_pipe_xu", &Machine::specialPerCycle},
};
/// The tensor units, by the types of their inputs.
constexpr const char *matrixUnits[] = {"mma.f16", "mma.tf32", "mma.s8",
                                       "mma.f8", "mma.f64"};

constexpr const char *groupUnits[] = {"wgmma.f16", "wgmma.tf32", "wgmma.s8",
                                      "wgmma.f8", "wgmma.b1"};

class Clock {
public:
  Clock(CountedTime &time, const Machine &machine)
      : time(time), machine(machine) {}

  /// A term of every multiprocessor, at `perCycle`.
  void addLocal(const char *name, const char *metric, double amount,
                double perCycle) {
    add(name, metric, amount,
        perCycle * double(machine.smCount) * machine.clockHz, time.tail);
  }
  void add(const char *name, const char *metric, double amount,
           double perSecond, double tail = 1) {
    if (amount == 0)
      return;
    double seconds = perSecond > 0 ? amount / perSecond * tail : 0;
    time.terms.push_back({name, metric, amount, perSecond, seconds});
  }

private:
  CountedTime &time;
  const Machine &machine;
};

} // namespace

double LaunchCounts::getOperations(llvm::StringRef unit) const {
  double sum = 0;
  for (const InstructionCounts &kind : instructions)
    if (kind.unit == unit && kind.lanes)
      sum += unit.contains("mma.")
                 ? double(kind.operations)
                 : double(kind.operations) / double(kind.lanes) * 32 *
                       double(kind.warps);
  return sum;
}

CountedTime countTime(const LaunchCounts &counts, const Machine &machine,
                      unsigned blocksPerSm) {
  CountedTime time;
  time.machine = machine.name.str();
  time.launchSeconds = machine.launchSeconds;
  double blocks = double(counts.grid.count()), sms = double(machine.smCount);
  if (sms > 0 && blocks > 0) {
    time.tail = std::ceil(blocks / sms) * sms / blocks;
    if (blocksPerSm)
      time.waves = blocks / (sms * blocksPerSm);
  }
  uint64_t together = uint64_t(std::max(sms, 1.0)) * std::max(blocksPerSm, 1u);
  Clock clock(time, machine);
  clock.addLocal("issue", "sm__inst_issued", double(counts.getIssued()),
                 double(machine.issuedPerCycle));
  for (const Unit &unit : units)
    clock.addLocal(unit.name, unit.metric, counts.getOperations(unit.name),
                   double(machine.*unit.rate));
  for (const char *unit : matrixUnits)
    clock.addLocal(unit, "sm__pipe_tensor_cycles_active",
                   counts.getOperations(unit),
                   machine.getMmaPerCycle(llvm::StringRef(unit).substr(4)));
  for (const char *unit : groupUnits)
    clock.addLocal(unit, "sm__pipe_tensor_cycles_active",
                   counts.getOperations(unit),
                   getGroupRate(machine, llvm::StringRef(unit).substr(6)));
  clock.addLocal("memory", "sm__inst_executed_pipe_lsu",
                 counts.getOperations("memory") -
                     32 * double(counts.getMerged()),
                 double(machine.memoryPerCycle));
  clock.addLocal("shared", "l1tex__data_pipe_lsu_wavefronts_mem_shared",
                 double(counts.getMemory("shared").machineWavefronts),
                 double(machine.wavefrontsPerCycle));
  clock.add("l2", "lts__t_bytes", double(counts.getL2Bytes()),
            machine.l2BytesPerSecond);
  clock.add("dram", "dram__bytes",
            counts.estimateDramBytes(uint64_t(machine.l2Bytes), together).sum(),
            machine.dramBytesPerSecond);
  double longest = 0;
  for (const CountedTime::Term &term : time.terms)
    if (term.seconds > longest) {
      longest = term.seconds;
      time.limiter = term.name;
    }
  time.seconds = time.launchSeconds + longest;
  return time;
}

void CountedTime::print(llvm::raw_ostream &os) const {
  os << llvm::formatv("counted time on {0}: {1:F2} us, limited by {2}\n  ",
                      machine, seconds * 1e6,
                      limiter.empty() ? "nothing" : limiter);
  std::vector<Term> sorted = terms;
  llvm::stable_sort(sorted, [](const Term &a, const Term &b) {
    return a.seconds > b.seconds;
  });
  for (const Term &term : sorted)
    if (term.perSecond > 0)
      os << llvm::formatv("{0} {1:F2}, ", term.name, term.seconds * 1e6);
    else
      os << llvm::formatv("{0} ?, ", term.name);
  os << llvm::formatv("launch {0:F2} us; tail {1:F3}", launchSeconds * 1e6,
                      tail);
  if (waves > 0)
    os << llvm::formatv(", {0:F2} waves", waves);
  os << '\n';
}

void CountedTime::printTerms(llvm::raw_ostream &os) const {
  os << "terms of the counted time\n";
  for (const Term &term : terms)
    if (term.perSecond > 0)
      os << llvm::formatv("  {0,-9} {1,12:F2} us = {2:F0} / {3:E3} a second  "
                          "[{4}]\n",
                          term.name, term.seconds * 1e6, term.amount,
                          term.perSecond, term.metric);
    else
      os << llvm::formatv("  {0,-9} {1,12} us = {2:F0} / an unknown rate  "
                          "[{3}]\n",
                          term.name, "?", term.amount, term.metric);
  os << llvm::formatv("  tail {0:F3}, in the terms of a multiprocessor\n",
                      tail);
}

} // namespace tc::emulator
