//===- Registers.cpp - Registers of a thread ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cost/Registers.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

/// See Note [Spare registers].
static constexpr int64_t kSpareRegisters = 28, kSpareOfNarrow = 16,
                         kSpareOfRounded = 18, kSpareOfDoubles = 0;
/// ptxas gives a thread a multiple of these.
static constexpr int64_t kUnit = 8;

int64_t mlir::tc::getMostRegisters(const Machine &machine, int64_t threads,
                                   int64_t resident) {
  int64_t warps = llvm::divideCeil(threads, machine.warpSize);
  int64_t together =
      llvm::divideCeil(resident * warps, machine.partitionsPerSm);
  int64_t registers = resident == 1 ? std::min(machine.registersPerSm,
                                               machine.registersPerBlock)
                                    : machine.registersPerSm;
  int64_t most =
      registers / machine.partitionsPerSm / (together * machine.warpSize);
  return std::min(machine.maxRegistersPerThread, most / kUnit * kUnit);
}

int64_t mlir::tc::getResident(const Machine &machine, const KernelCost &cost) {
  Occupancy fits =
      occupancy(machine, cost.threads, cost.registersAtOnce, cost.sharedBytes);
  // A small grid has fewer for each.
  int64_t blocks =
      std::min(fits.blocksPerSm,
               int64_t(std::ceil(cost.blocks / double(machine.smCount))));
  bool isLimited = blocks > 1 && fits.limiter == OccupancyLimiter::Registers;
  // What ptxas would take at the most may leave room enough.
  return isLimited && getMostRegisters(machine, cost.threads, blocks) <
                          machine.maxRegistersPerThread / kUnit * kUnit
             ? blocks
             : 1;
}

int64_t mlir::tc::getSpareRegisters(const MmaShape *shape,
                                    const Decomposition *product,
                                    bool areSingle) {
  if (!shape || product->isSeveral())
    return kSpareRegisters;
  if (shape->perRegister > 1)
    return product->type.empty() ? kSpareOfNarrow : kSpareOfRounded;
  return shape->getType() == "f64" && areSingle ? kSpareOfDoubles
                                                : kSpareRegisters;
}

bool mlir::tc::isSafeFromSpills(const Machine &machine, int64_t threads,
                                double values, int64_t spare) {
  return double(kBaseRegisters + spare) + values <=
         double(getMostRegisters(machine, threads));
}

double mlir::tc::countResident(const Machine &machine, int64_t threads,
                               double values) {
  int64_t registers = std::min(kBaseRegisters + int64_t(values),
                               getMostRegisters(machine, threads));
  Occupancy fits = occupancy(machine, threads, registers,
                             /*sharedBytesPerBlock=*/0);
  return double(std::max<int64_t>(fits.blocksPerSm, 1));
}

// Note [Spare registers]
// ~~~~~~~~~~~~~~~~~~~~~~
// Of 101 schedules with tensor instructions, drawn from the best of the search
// for the problems of benchmarks/tensor.py, those spill that are estimated at
// 242 registers or more, and of others two, which copy 55 times a step. Narrow
// elements that are multiplied as they are spill later, and so do those that
// numbers of f32 are rounded to: of 23 problems one spilled with 16 spare
// registers, none with 18 (sm_90a, sm_80). So do doubles where a lane holds one
// term of each row and column: of 24 schedules by hand, estimated at 238 to 263
// registers, none spills, and with two terms in an access four of 17 do, from
// 240 on.
