//===- MemorySystem.h - What memory instructions wait for -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The load/store unit of a multiprocessor and its shares of L2 and of memory,
// each of which serves one request after the other.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TIME_MEMORYSYSTEM_H
#define TC_LIB_EMULATOR_TIME_MEMORYSYSTEM_H

#include "Time/Trace.h"
#include "tc/Target/Machine.h"

namespace tc::emulator {

/// A request in the units of a machine.
struct MemoryDemand {
  enum class Kind : uint8_t {
    None, ///< no lane takes part
    Shared,
    Constant, ///< of an address that is in a register
    Load,
    Store,
    Atomic
  };
  Kind kind = Kind::None;
  float cycles = 0;                ///< of the load/store unit
  float sectors = 0;               ///< that go to L2
  float l2Slots = 0;               ///< sectors that L2 takes as long for
  uint32_t firstUse = 0, uses = 0; ///< of mbarriers, in the segment's
};

/// Cycles of one multiprocessor.
struct MemoryRates {
  double l2 = 0, dram = 0;   ///< per sector, of its shares
  double readMissed = 0;     ///< share of the sectors from L2 that memory gives
  double written = 0;        ///< share of the sectors to L2 that go to memory
  double bufferedWrites = 0; ///< cycles of memory that L2 keeps back
};

MemoryDemand getDemand(const Request &request, OpKind kind,
                       const mlir::tc::Machine &machine);

class MemorySystem {
public:
  MemorySystem(const mlir::tc::Machine &machine, const MemoryRates &rates)
      : machine(machine), rates(rates) {}

  struct Answer {
    double begin = 0; ///< leaves the queue of the load/store unit
    double done = 0;  ///< its result is there, or its data has landed
  };
  /// What is asked at `at`. Calls come by rising `at`, nearly.
  Answer ask(const MemoryDemand &demand, double at);
  /// When all that was stored is where it belongs.
  double getEnd() const;

private:
  double readL2(const MemoryDemand &demand, double begin);
  void write(const MemoryDemand &demand, double begin);

  const mlir::tc::Machine &machine;
  MemoryRates rates;
  double unit = 0;      ///< when the load/store unit is free
  double constants = 0; ///< when the cache of constants is
  double l2 = 0;        ///< when its share of L2 is
  double dram = 0;      ///< when its share of memory is
  double writes = 0;    ///< cycles of memory that are kept back
  /// Sectors that are to miss and did not; what is half of one is rounded up.
  double missed = 0.5;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TIME_MEMORYSYSTEM_H
