//===- LaunchPlan.cpp - What the host code does, as data ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/LaunchPlan.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace mlir::tc {

namespace {
/// Reads one host function.
class PlanReader {
public:
  /// Fails at what a plan cannot say.
  LogicalResult read(func::FuncOp function);

  LaunchPlan plan;

private:
  LogicalResult visit(Operation *op);
  LogicalResult addTemporary(Value buffer);
  LogicalResult addLaunch(gpu::LaunchFuncOp launch);
  std::optional<LaunchPointer> findPointer(Value buffer) const;

  llvm::DenseMap<Value, int64_t> temporaryOf;
};
} // namespace

/// Is `value` the low bits of addresses, and nothing else?
static bool isOfAddresses(Value value) {
  Operation *op = value.getDefiningOp();
  if (auto either = dyn_cast_if_present<arith::OrIOp>(op))
    return isOfAddresses(either.getLhs()) && isOfAddresses(either.getRhs());
  if (auto map = dyn_cast_if_present<affine::AffineApplyOp>(op))
    return llvm::all_of(map.getMapOperands(), isOfAddresses);
  return isa_and_nonnull<memref::ExtractAlignedPointerAsIndexOp>(op);
}

/// Does `condition` ask whether buffers are aligned (tc-variants)?
static bool asksForAlignment(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
         matchPattern(compare.getRhs(), m_Zero()) &&
         isOfAddresses(compare.getLhs());
}

/// Nothing for what only the run decides.
static std::optional<LaunchCondition> findCondition(Operation *launch) {
  Operation *parent = launch->getParentOp();
  if (isa<func::FuncOp>(parent))
    return LaunchCondition::always;
  auto branch = dyn_cast<scf::IfOp>(parent);
  if (!branch || !isa<func::FuncOp>(branch->getParentOp()) ||
      !asksForAlignment(branch.getCondition()))
    return std::nullopt;
  return launch->getBlock() == branch.thenBlock() ? LaunchCondition::aligned
                                                  : LaunchCondition::unaligned;
}

LogicalResult PlanReader::addTemporary(Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (!type.hasStaticShape() || !type.getLayout().isIdentity() ||
      !type.getElementType().isIntOrFloat())
    return failure();
  int64_t bits = type.getNumElements() * type.getElementTypeBitWidth();
  temporaryOf[buffer] = int64_t(plan.temporaries.size());
  plan.temporaries.push_back(llvm::divideCeil(bits, 8));
  return success();
}

std::optional<LaunchPointer> PlanReader::findPointer(Value buffer) const {
  // A kernel takes the aligned pointer; a view has that of what it views.
  buffer = findBuffer(buffer);
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    if (isa<func::FuncOp>(argument.getOwner()->getParentOp()))
      return LaunchPointer{/*isTemporary=*/false, argument.getArgNumber()};
  if (auto found = temporaryOf.find(buffer); found != temporaryOf.end())
    return LaunchPointer{/*isTemporary=*/true, found->second};
  return std::nullopt;
}

LogicalResult PlanReader::addLaunch(gpu::LaunchFuncOp launch) {
  std::optional<LaunchCondition> when = findCondition(launch);
  // A plan has no word for clusters.
  if (!when || launch.hasClusterSize())
    return failure();
  PlannedLaunch planned{launch.getKernelName().str(), *when, {}};
  for (Value operand : launch.getKernelOperands()) {
    if (!isa<MemRefType>(operand.getType()))
      return failure();
    std::optional<LaunchPointer> pointer = findPointer(operand);
    if (!pointer)
      return failure();
    planned.pointers.push_back(*pointer);
  }
  plan.launches.push_back(std::move(planned));
  return success();
}

LogicalResult PlanReader::visit(Operation *op) {
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return addLaunch(launch);
  if (auto alloc = dyn_cast<gpu::AllocOp>(op))
    return addTemporary(alloc.getMemref());
  if (auto alloc = dyn_cast<memref::AllocOp>(op))
    return addTemporary(alloc.getMemref());
  if (isa<gpu::WaitOp, gpu::DeallocOp, memref::DeallocOp, scf::IfOp,
          func::FuncOp>(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return success();
  return success(isMemoryEffectFree(op));
}

LogicalResult PlanReader::read(func::FuncOp function) {
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    return failed(visit(op)) ? WalkResult::interrupt() : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

std::optional<LaunchPlan> findLaunchPlan(ModuleOp module) {
  auto functions = llvm::to_vector(module.getOps<func::FuncOp>());
  PlanReader reader;
  if (functions.size() != 1 || failed(reader.read(functions.front())))
    return std::nullopt;
  return std::move(reader.plan);
}

} // namespace mlir::tc
