//===- OverlapLaunches.cpp - Kernels that begin early ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches that follow each other in a stream, and where their kernels wait.
// See Note [The wait is text] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"
#include "tc/IR/TC.h"
#include "tc/Package/Overlap.h"
#include "tc/Target/Machine.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_OVERLAPLAUNCHES
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

/// The first capability whose kernels can wait for others.
static constexpr int64_t kFirstCapability = 90;

//===----------------------------------------------------------------------===//
// Chains
//===----------------------------------------------------------------------===//

using Launches = llvm::SetVector<gpu::LaunchFuncOp>;

/// Is `op` the first to go on with the stream of `token`? It may be in
/// conditions.
static bool isFirstAfter(Operation *op, Value token) {
  for (;; op = op->getParentOp()) {
    bool isFirst = llvm::all_of(token.getUsers(), [&](Operation *user) {
      Operation *other = op->getBlock()->findAncestorOpInBlock(*user);
      return !other || other == op || op->isBeforeInBlock(other) ||
             isa<gpu::WaitOp>(other);
    });
    if (!isFirst || op->getBlock() == token.getParentBlock())
      return isFirst;
    if (!isa<scf::IfOp>(op->getParentOp()))
      return false;
  }
}

/// The last launches of the stream of `token`. False where something else may
/// be the last: others may have given the stream kernels that begin early and
/// do not wait.
static bool collectLast(Value token, llvm::DenseSet<Value> &seen,
                        Launches &launches) {
  if (!seen.insert(token).second)
    return true;
  auto collect = [&](Value other) {
    return collectLast(other, seen, launches);
  };
  if (auto launch = token.getDefiningOp<gpu::LaunchFuncOp>())
    return launches.insert(launch), true;
  if (auto branch = token.getDefiningOp<scf::IfOp>()) {
    unsigned number = cast<OpResult>(token).getResultNumber();
    return collect(branch.thenYield().getOperand(number)) &&
           collect(branch.elseYield().getOperand(number));
  }
  auto argument = dyn_cast<BlockArgument>(token);
  auto loop = argument
                  ? dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp())
                  : token.getDefiningOp<scf::ForOp>();
  return loop && loop.getNumRegionIterArgs() == 1 &&
         collect(loop.getInitArgs().front()) &&
         collect(loop.getYieldedValues().front());
}

/// The launches that `launch` may follow in its stream; none where that may be
/// something else.
static Launches findLaunchesBefore(gpu::LaunchFuncOp launch) {
  Launches launches;
  if (!launch.getAsyncToken()) {
    Operation *op = launch->getPrevNode();
    while (op && isMemoryEffectFree(op))
      op = op->getPrevNode();
    auto before = dyn_cast_or_null<gpu::LaunchFuncOp>(op);
    if (before && !before.getAsyncToken())
      launches.insert(before);
    return launches;
  }
  ValueRange tokens = launch.getAsyncDependencies();
  llvm::DenseSet<Value> seen;
  if (tokens.size() != 1 || !isFirstAfter(launch, tokens.front()) ||
      !collectLast(tokens.front(), seen, launches))
    launches.clear();
  return launches;
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// Is `buffer` of one block or one thread alone?
static bool isOwn(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  auto space =
      type ? dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace())
           : gpu::AddressSpaceAttr();
  return space && space.getValue() != gpu::AddressSpace::Global;
}

/// May `op`, without what is inside of it, touch memory that other kernels
/// have?
static bool touchesShared(Operation *op) {
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      isa<gpu::BarrierOp>(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffects(found);
  return llvm::any_of(found, [](const MemoryEffects::EffectInstance &effect) {
    Value buffer = effect.getValue();
    return isa<MemoryEffects::Read, MemoryEffects::Write>(effect.getEffect()) &&
           (!buffer || !isOwn(buffer));
  });
}

/// The first op of the kernel that may touch such memory, or its end. All
/// threads come there.
static Operation *findFirstUse(gpu::GPUFuncOp kernel) {
  Block &entry = kernel.getBody().front();
  if (!kernel.getBody().hasOneBlock())
    return &entry.front();
  for (Operation &op : entry.without_terminator()) {
    WalkResult found = op.walk([](Operation *inner) {
      return touchesShared(inner) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (found.wasInterrupted())
      return &op;
  }
  return entry.getTerminator();
}

static void createWait(OpBuilder &builder, Location loc) {
  LLVM::InlineAsmOp::create(builder, loc, /*res=*/Type(),
                            /*operands=*/ValueRange(), "griddepcontrol.wait;",
                            "~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

/// Lets the kernel after this one begin, once this one has waited itself.
static void prepareKernel(gpu::GPUFuncOp kernel, bool waits) {
  OpBuilder builder(waits ? findFirstUse(kernel)
                          : &kernel.getBody().front().front());
  if (waits)
    createWait(builder, kernel.getLoc());
  NVVM::GriddepcontrolOp::create(builder, kernel.getLoc(),
                                 NVVM::GridDepActionKind::launch_dependents);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct OverlapLaunchesPass
    : tc::impl::OverlapLaunchesBase<OverlapLaunchesPass> {
  using OverlapLaunchesBase::OverlapLaunchesBase;

  void runOnOperation() override;
};
} // namespace

void OverlapLaunchesPass::runOnOperation() {
  FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
  if (failed(machine))
    return signalPassFailure();
  llvm::Expected<Machine> known = mlir::tc::findMachine(machine->getChip());
  if (!known) {
    getOperation().emitError() << llvm::toString(known.takeError());
    return signalPassFailure();
  }
  if (known->computeCapability < kFirstCapability)
    return;
  SymbolTableCollection symbols;
  auto findKernel = [&](gpu::LaunchFuncOp launch) {
    return symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernelAttr());
  };
  llvm::SetVector<gpu::GPUFuncOp> kernels, waiting;
  getOperation()->walk([&](gpu::LaunchFuncOp launch) {
    Launches before = findLaunchesBefore(launch);
    gpu::GPUFuncOp kernel = findKernel(launch);
    if (before.empty() || !kernel)
      return;
    TCDialect::ProgrammaticAttrHelper(&getContext())
        .setAttr(launch, UnitAttr::get(&getContext()));
    for (gpu::LaunchFuncOp other : before)
      if (gpu::GPUFuncOp first = findKernel(other))
        kernels.insert(first);
    kernels.insert(kernel);
    waiting.insert(kernel);
    remark::passed(
        launch.getLoc(),
        remark::RemarkOpts::name("Overlaps").category("tc-overlap-launches"))
        << remark::reason("it may begin before the launch before has ended");
  });
  for (gpu::GPUFuncOp kernel : kernels)
    prepareKernel(kernel, waiting.contains(kernel));
}

// Note [The wait is text]
// ~~~~~~~~~~~~~~~~~~~~~~~
// LLVM 22 says of llvm.nvvm.griddepcontrol.wait, which `nvvm.griddepcontrol
// wait` becomes, that it touches no memory. So a load behind it may be moved
// before it. Text that clobbers memory stays where it is, as CUDA's own headers
// have it. launch_dependents orders no memory.
