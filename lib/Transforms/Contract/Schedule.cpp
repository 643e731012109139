//===- Schedule.cpp - Decide how each contraction is tiled ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Analysis/ScheduleSearch.h"
#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Split.h"
#include "tc/Analysis/Tuning.h"
#include "tc/IR/Scalars.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_SCHEDULE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// A factor of 1 says nothing; what is listed is what is tiled. A loop that is
/// not unrolled is listed.
static ScheduleAttr dropOnes(ScheduleAttr schedule) {
  return schedule.filter([](const Factor &factor) { return factor.value != 1; })
      .withUnroll(schedule.getUnroll());
}

/// Has a GPU instructions for elements of this type, and a size in memory?
static bool isScalarOfGPU(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return isa<Float32Type, Float64Type>(complex.getElementType());
  if (isF8(type) ||
      isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
    return true;
  return type.isSignlessInteger() &&
         llvm::is_contained({1, 8, 16, 32, 64}, type.getIntOrFloatBitWidth());
}

static LogicalResult verifyElements(ContractOp op) {
  for (Value operand : op->getOperands())
    if (auto type = dyn_cast<ShapedType>(operand.getType()))
      if (!isScalarOfGPU(type.getElementType()))
        return op.emitOpError("expected elements of i1, i8, i16, i32, i64, "
                              "f8E4M3FN, f8E5M2, f16, bf16, f32 or f64, or "
                              "complex ones of f32 or f64, got ")
               << type.getElementType();
  return success();
}

/// What is wrong with the versions that are there, as with a schedule.
static std::optional<std::string>
findVersionProblem(ContractGroup ops, ArrayRef<StrideTable> accesses,
                   MachineAttr machine) {
  auto helper = TCDialect::VersionsAttrHelper(machine.getContext());
  for (auto [op, access] : llvm::zip_equal(ops, accesses)) {
    ArrayAttr versions = helper.getAttr(op);
    if (!versions)
      continue;
    if (ops.size() > 1)
      return "expected no versions of a term of a tc.sum";
    for (auto version : versions.getAsRange<VersionAttr>()) {
      if (auto problem = findVersionSplitProblem(op, version))
        return problem;
      ScheduleAttr schedule = version.getSchedule();
      if (auto problem = findScheduleProblem(
              op, getVersionAccess(op, access, schedule), schedule, machine))
        return problem;
    }
  }
  return std::nullopt;
}

/// Says whether tensor instructions compute `op`, if it is a product; and if
/// not, why.
static void reportUnit(ContractOp op, const StrideTable &access,
                       MachineAttr machine) {
  if (op.getInputs().size() < 2)
    return;
  auto name =
      remark::RemarkOpts::name("TensorInstructions").category("tc-schedule");
  if (MmaAttr unit = op.getScheduleAttr().getUnit()) {
    remark::passed(op.getLoc(), name)
        << remark::reason("computed by {0}", unit.getInstruction().getValue());
    return;
  }
  std::string problem =
      findTensorProblem(op, access, machine)
          .value_or("multiply-adds are predicted to be as fast, or the terms "
                    "of a sum have to share their threads");
  remark::missed(op.getLoc(), name)
      << remark::reason("computed by multiply-adds: {0}", problem);
}

/// Puts terms of a sum whose lanes have the same results next to each other:
/// between others accumulators move. What is done to the sum in the end stays
/// with the last.
static void sortTerms(ContractGroup &ops,
                      SmallVectorImpl<ScheduleAttr> &schedules,
                      SmallVectorImpl<StrideTable> &accesses) {
  SmallVector<size_t> order, kinds;
  for (size_t n = 0; n < ops.size(); ++n) {
    order.push_back(n);
    size_t kind = 0;
    while (changesLanes(schedules[kind], schedules[n]))
      ++kind;
    kinds.push_back(kind);
  }
  if (size_t last = kinds.back(); !ops.back().getEpilogue().empty())
    llvm::replace(kinds, last, ops.size());
  llvm::stable_sort(order,
                    [&](size_t a, size_t b) { return kinds[a] < kinds[b]; });
  if (llvm::is_sorted(order))
    return;
  auto permute = [&](auto &list) {
    std::vector<std::decay_t<decltype(list.front())>> sorted;
    for (size_t n : order)
      sorted.push_back(std::move(list[n]));
    llvm::move(sorted, list.begin());
  };
  bool overwrites = ops.front().getOverwrite();
  ops.front().setOverwrite(false);
  permute(ops);
  permute(schedules);
  permute(accesses);
  ops.front().setOverwrite(overwrites);
  for (auto [before, after] : llvm::zip(ops, llvm::drop_begin(ops)))
    after->moveAfter(before);
}

/// Takes schedules off that say nothing but that a library is to be asked: the
/// kernel that stands in for it is chosen as any other. Gives the ops.
static SmallVector<ContractOp> takeBareLibraries(ArrayRef<ContractOp> ops) {
  SmallVector<ContractOp> taken;
  for (ContractOp op : ops) {
    auto bare = ScheduleAttr::get(op.getContext(), {}, {}, {}, Kernel::Library);
    if (op.getScheduleAttr() != bare)
      continue;
    op.removeScheduleAttr();
    taken.push_back(op);
  }
  return taken;
}

LogicalResult mlir::tc::schedule(ContractGroup &ops, MachineAttr machine,
                                 ArrayRef<NominalExtents> sizes) {
  SmallVector<ContractOp> askLibrary = takeBareLibraries(ops);
  SmallVector<StrideTable, 1> accesses;
  for (ContractOp op : ops) {
    if (failed(verifyElements(op)))
      return failure();
    FailureOr<StrideTable> access = getStrideTable(op);
    if (failed(access))
      return failure();
    accesses.push_back(std::move(*access));
  }
  SmallVector<ScheduleAttr> schedules;
  SmallVector<VersionAttr> versions;
  for (ContractOp op : ops)
    if (ScheduleAttr schedule = op.getScheduleAttr())
      schedules.push_back(schedule);
  bool isGiven = schedules.size() == ops.size();
  if (!isGiven) {
    FailureOr<ScheduleChoice> best = searchSchedules(ops, machine, sizes);
    if (failed(best))
      return failure();
    schedules = std::move(best->schedules);
    versions = std::move(best->versions);
    sortTerms(ops, schedules, accesses);
    for (auto [op, schedule] : llvm::zip_equal(ops, schedules))
      if (llvm::is_contained(askLibrary, op))
        schedule = schedule.withLibrary();
  }
  if (auto problem = findScheduleProblem(ops, accesses, schedules, machine))
    return ops.front().emitOpError(isGiven || !askLibrary.empty()
                                       ? "has an illegal schedule: "
                                       : "has no schedule that fits; of "
                                         "the smallest tiles: ")
           << *problem;
  if (auto problem = findVersionProblem(ops, accesses, machine))
    return ops.front().emitOpError("has an illegal version: ") << *problem;
  for (auto [op, access, schedule] : llvm::zip_equal(ops, accesses, schedules))
    op.setScheduleAttr(completeSchedule(op, access, dropOnes(schedule)));
  if (!isGiven)
    for (auto [op, access] : llvm::zip_equal(ops, accesses))
      reportUnit(op, access, machine);
  SmallVector<Attribute> completed;
  for (VersionAttr version : versions) {
    ContractOp op = ops.front();
    ScheduleAttr schedule = version.getSchedule();
    StrideTable access = getVersionAccess(op, accesses.front(), schedule);
    completed.push_back(
        version.withSchedule(completeSchedule(op, access, schedule)));
  }
  if (!completed.empty())
    TCDialect::VersionsAttrHelper(machine.getContext())
        .setAttr(ops.front(), ArrayAttr::get(machine.getContext(), completed));
  return success();
}

static void explain(ContractOp op, StringRef title, ScheduleAttr schedule,
                    const KernelCost &cost) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << title << ": " << schedule << "\n";
  printCost(cost, os);
  emitRemark(op.getLoc()) << StringRef(text).rtrim();
}

/// Says what the model thinks of the schedule that was chosen or written, and
/// of the best that it knows.
static LogicalResult explain(ContractGroup ops, MachineAttr machine,
                             unsigned count) {
  ContractOp op = ops.front();
  FailureOr<StrideTable> access = getStrideTable(op);
  if (failed(access))
    return failure();
  std::optional<KernelCost> own =
      predictCost(op, *access, op.getScheduleAttr(), machine);
  if (ops.size() > 1 || !own) {
    emitRemark(op.getLoc(),
               "nothing is predicted for several contractions in one "
               "kernel, and for extents that are empty or dynamic");
    return success();
  }
  explain(op, "carried out", op.getScheduleAttr(), *own);
  for (auto [n, best] :
       llvm::enumerate(searchPlans(op, *access, machine, count)))
    explain(op, "best " + std::to_string(n + 1),
            completeSchedule(op, *access, getSchedule(op, best.plan)),
            best.cost);
  return success();
}

/// Takes what a tuning file has for a contraction without schedule.
static LogicalResult takeTuned(ContractGroup ops, const TuningFile &tuning,
                               MachineAttr machine) {
  ContractOp op = ops.front();
  if (ops.size() != 1 || op.getScheduleAttr() || failed(verifyElements(op)))
    return success();
  FailureOr<StrideTable> access = getStrideTable(op);
  if (failed(access))
    return failure();
  llvm::Expected<ScheduleAttr> tuned =
      tuning.find(op, *access, machine.getChip());
  if (!tuned)
    return op.emitOpError("tuning file: ") << toString(tuned.takeError());
  if (!*tuned)
    return success();
  auto name = remark::RemarkOpts::name("Tuned").category("tc-schedule");
  if (auto problem = findScheduleProblem(op, *access, *tuned, machine)) {
    remark::missed(op.getLoc(), name) << remark::reason(
        "the schedule of the tuning file is illegal: {0}", *problem);
    return success();
  }
  remark::passed(op.getLoc(), name)
      << remark::reason("the schedule of the tuning file is taken");
  op.setScheduleAttr(*tuned);
  return success();
}

namespace {
struct SchedulePass : tc::impl::ScheduleBase<SchedulePass> {
  using ScheduleBase::ScheduleBase;

  /// Before the search has its turn.
  LogicalResult takeAllTuned(MachineAttr machine) {
    if (tuning.empty())
      return success();
    llvm::Expected<TuningFile> file = TuningFile::read(tuning);
    if (!file)
      return getOperation().emitError(toString(file.takeError()));
    for (ContractGroup &ops : collectContractions(getOperation()))
      if (failed(takeTuned(ops, *file, machine)))
        return failure();
    return success();
  }

  void runOnOperation() override {
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(machine) || failed(takeAllTuned(*machine)))
      return signalPassFailure();
    for (ContractGroup &ops : collectContractions(getOperation()))
      if (failed(schedule(ops, *machine)) ||
          (explained > 0 && failed(explain(ops, *machine, explained))))
        return signalPassFailure();
  }
};
} // namespace
