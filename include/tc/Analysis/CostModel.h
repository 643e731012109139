//===- CostModel.h - What a schedule will cost ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts what the emulator will count for the kernel of one contraction, and
// the times that follow by the emulator's formulas (docs/Emulator.md): a bound,
// launch plus the largest of the times that each unit of the machine is busy,
// and the time of a launch whose units wait for each other (LaunchTime.h). All
// numbers are predicted, none is counted or measured.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_COSTMODEL_H
#define TC_ANALYSIS_COSTMODEL_H

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Workload.h"
#include "tc/Target/LaunchTime.h"
#include "tc/Target/Occupancy.h"

namespace mlir::tc {

struct TrafficCache;

/// Instructions of warps, by what they are for.
struct IssueSlots {
  double arithmetic = 0; ///< multiply-adds, or what the regions do instead
  double reads = 0;      ///< of shared memory
  double copies = 0;     ///< global to shared memory, with index arithmetic
  double loop = 0;       ///< counters and barriers of the steps
  double writeBack = 0;  ///< of results, with index arithmetic
  double sum() const { return arithmetic + reads + copies + loop + writeBack; }
};

/// One unit of the machine: how much it has to do, and for how long.
struct CostTerm {
  StringRef name;
  double amount = 0;
  double perSecond = 0; ///< of the whole machine
  double seconds = 0; ///< with the tail, where each multiprocessor has its own
};

/// What one kernel will do, predicted. Amounts are of the whole launch.
struct KernelCost {
  // Of one block.
  int64_t threads = 0;
  int64_t registers = 0; ///< of a thread
  /// And if it held all its values at once. The search asks for no more blocks
  /// than fit with these (`resident`), since ptxas would spill.
  int64_t registersAtOnce = 0;
  int64_t sharedBytes = 0;
  double steps = 0;
  // Of the launch.
  double blocks = 0;
  Occupancy occupancy;
  double waves = 0; ///< blocks over those resident at once
  double tail = 1;  ///< time of the fullest multiprocessor over the average's
  /// Of the arithmetic, what is not on tiles that stick out.
  double usefulShare = 1;

  Requests loads;  ///< of global memory: inputs, old results, sides
  Requests stores; ///< of results
  double fillWavefronts = 0, readWavefronts = 0;
  double memoryRequests = 0; ///< of any memory
  double l2Bytes = 0, dramReadBytes = 0, dramWrittenBytes = 0;
  IssueSlots slots;
  double integerSlots = 0; ///< of those, work of the integer units

  /// Busy times of the machine's units, in a fixed order.
  SmallVector<CostTerm, 8> terms;
  StringRef limiter; ///< name of the longest term
  /// Launch, the longest term, and combining: what the kernel takes at least.
  double boundSeconds = 0;
  /// Of the kernel alone, by what it will ask of the machine.
  SimulatedTime launch;
  /// Of the kernel that combines parts, with its launch; 0 without parts.
  double combineSeconds = 0;
  double seconds = 0; ///< of both
  /// By what schedules are compared: `seconds`, and a little for what is
  /// wasted.
  double score = 0;
};

/// The limits and rates of `machine`: those of the known chip of its name, else
/// those of sm_80, with the limits that `machine` states.
Machine getRates(MachineAttr machine);

/// The emulator's name of the unit, and its lanes a cycle and multiprocessor.
std::pair<StringRef, double> getRate(Arithmetic unit, const Machine &machine);

/// Instructions that make a number for `unit` of one of `type`: of 8 bits
/// (ExpandF8.cpp), or half a number of f32.
double countConversionSlots(Type type, Arithmetic unit, const Machine &machine);

/// The cost of `plan` for `work`. Where a block does not fit on the machine
/// occupancy is 0 and times are infinite.
KernelCost predictCost(const Workload &work, const TilePlan &plan,
                       const Machine &machine);
/// The same for one of many plans of a search, which have a cache of the same
/// workload.
KernelCost predictCost(const Workload &work, const TilePlan &plan,
                       const Machine &machine, TrafficCache &cache);

/// The same for a normal contraction with a schedule. Nothing where extents are
/// empty or dynamic.
std::optional<KernelCost> predictCost(ContractOp op, const StrideTable &access,
                                      ScheduleAttr schedule,
                                      MachineAttr machine);

/// One line a term, for people.
void printCost(const KernelCost &cost, raw_ostream &os);

namespace schema {
/// By the names of counted launches, where both have the number.
template <>
const Structure<KernelCost> &describe();
} // namespace schema

} // namespace mlir::tc

#endif // TC_ANALYSIS_COSTMODEL_H
