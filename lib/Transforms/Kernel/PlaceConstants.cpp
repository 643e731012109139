//===- PlaceConstants.cpp - Tables in constant memory ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constant memory answers the threads of a warp that read one address at once,
// as fast as a register; others one address after the other. So all threads
// have to compute the same index.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_PLACECONSTANTS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Uniform values
//===----------------------------------------------------------------------===//

namespace {
/// Tells which values all threads of a block compute alike.
class Uniformity {
public:
  bool isUniform(Value value) {
    auto [known, isNew] = verdicts.try_emplace(value, false);
    if (!isNew) // of itself, in a loop: no
      return known->second;
    bool verdict = judge(value);
    return verdicts[value] = verdict;
  }
  bool areUniform(ValueRange values) {
    return llvm::all_of(values, [&](Value value) { return isUniform(value); });
  }

private:
  bool judge(Value value);
  DenseMap<Value, bool> verdicts;
};
} // namespace

bool Uniformity::judge(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto kernel = dyn_cast<gpu::GPUFuncOp>(parent))
      return kernel.isKernel() &&
             argument.getArgNumber() < kernel.getNumArguments();
    // Threads in one iteration have counted alike, whoever goes on.
    auto loop = dyn_cast<scf::ForOp>(parent);
    return loop && argument == loop.getInductionVar() &&
           isUniform(loop.getLowerBound()) && isUniform(loop.getStep());
  }
  Operation *op = value.getDefiningOp();
  if (isa<gpu::BlockIdOp, gpu::GridDimOp, gpu::BlockDimOp>(op))
    return true;
  // No result of a loop or a condition, no load, no number of a thread.
  return isPure(op) && op->getNumRegions() == 0 &&
         !isa<gpu::GPUDialect, NVVM::NVVMDialect>(op->getDialect()) &&
         areUniform(op->getOperands());
}

/// Why constant memory does not serve what is read of `buffer`, if it does not.
static std::optional<StringRef> findProblem(Value buffer,
                                            Uniformity &uniformity) {
  for (Operation *user : buffer.getUsers()) {
    if (auto view = dyn_cast<ViewLikeOpInterface>(user)) {
      if (view.getViewSource() != buffer ||
          !uniformity.areUniform(user->getOperands().drop_front()))
        return "where threads read depends on the thread";
      if (auto problem = findProblem(user->getResult(0), uniformity))
        return problem;
      continue;
    }
    if (!isa<memref::LoadOp, vector::LoadOp>(user))
      return "it is not only read element by element";
    if (!uniformity.areUniform(user->getOperands().drop_front()))
      return "where threads read depends on the thread";
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct PlaceConstantsPass : tc::impl::PlaceConstantsBase<PlaceConstantsPass> {
  using PlaceConstantsBase::PlaceConstantsBase;

  void runOnOperation() override {
    for (auto table : getOperation().getOps<memref::GlobalOp>())
      if (table.getConstant() && !table.isExternal() &&
          !table.getType().getMemorySpace())
        place(table);
  }

private:
  SmallVector<memref::GetGlobalOp> findUses(memref::GlobalOp table) {
    SmallVector<memref::GetGlobalOp> uses;
    getOperation().walk([&](memref::GetGlobalOp op) {
      if (op.getName() == table.getSymName())
        uses.push_back(op);
    });
    return uses;
  }

  void place(memref::GlobalOp table) {
    auto name = remark::RemarkOpts::name("ConstantMemory")
                    .category("tc-place-constants");
    SmallVector<memref::GetGlobalOp> uses = findUses(table);
    MemRefType type = table.getType();
    int64_t bytes =
        type.getNumElements() * DataLayout().getTypeSize(type.getElementType());
    std::optional<StringRef> problem;
    if (used + bytes > most)
      problem = "it is too large, with others of the module";
    Uniformity uniformity;
    for (memref::GetGlobalOp use : uses)
      if (!problem)
        problem = findProblem(use.getResult(), uniformity);
    if (problem) {
      remark::missed(table.getLoc(), name) << remark::reason(
          "'{0}' is in global memory: {1}", table.getSymName(), *problem);
      return;
    }
    used += bytes;
    auto placed = MemRefType::get(
        type.getShape(), type.getElementType(), type.getLayout(),
        IntegerAttr::get(IntegerType::get(&getContext(), 64),
                         int64_t(NVVM::NVVMMemorySpace::Constant)));
    table.setType(placed);
    for (memref::GetGlobalOp use : uses) {
      OpBuilder builder(use);
      Value inside = memref::GetGlobalOp::create(builder, use.getLoc(), placed,
                                                 use.getNameAttr());
      // LLVM follows a cast to where elements are read.
      use.replaceAllUsesWith(
          memref::MemorySpaceCastOp::create(builder, use.getLoc(), type, inside)
              .getResult());
      use.erase();
    }
    remark::passed(table.getLoc(), name) << remark::reason(
        "'{0}', {1} bytes, is in constant memory", table.getSymName(), bytes);
  }

  int64_t used = 0;
};
} // namespace
