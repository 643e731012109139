//===- Inline.cpp - Functions where they are called -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Not upstream's pass] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Inliner.h"
#include "mlir/Transforms/InliningUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_INLINE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// Expressions of indices may be anywhere; to upstream only ops that begin an
/// affine scope may have them.
struct NestInliner : InlinerInterface {
  using InlinerInterface::InlinerInterface;
  using InlinerInterface::isLegalToInline;

  bool isLegalToInline(Operation *op, Region *to, bool wouldBeCloned,
                       IRMapping &mapping) const override {
    return isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
               op) ||
           InlinerInterface::isLegalToInline(op, to, wouldBeCloned, mapping);
  }
};
} // namespace

/// The function that is called, if it has a body.
static func::FuncOp findCallee(func::CallOp call) {
  auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      call, call.getCalleeAttr());
  return callee && !callee.isExternal() ? callee : func::FuncOp();
}

/// Does `function`, by whatever way, call itself?
static bool callsItself(func::FuncOp function) {
  llvm::SetVector<Operation *> reached;
  auto addCalls = [&](Operation *caller) {
    caller->walk([&](func::CallOp call) {
      if (func::FuncOp callee = findCallee(call))
        reached.insert(callee);
    });
  };
  addCalls(function);
  for (size_t i = 0; i < reached.size(); ++i)
    addCalls(reached[i]);
  return reached.contains(function);
}

/// Is `op` part of a kernel?
static bool isInNest(Operation *op) {
  return op->getParentOfType<ParOp>() || op->getParentOfType<ReduceOp>() ||
         op->getParentOfType<ScanOp>() || op->getParentOfType<PartitionOp>();
}

namespace {
struct InlinePass : tc::impl::InlineBase<InlinePass> {
  using InlineBase::InlineBase;

  void runOnOperation() override {
    auto functions = llvm::to_vector(getOperation().getOps<func::FuncOp>());
    llvm::SmallPtrSet<Operation *, 4> recursive;
    for (func::FuncOp function : functions)
      if (callsItself(function))
        recursive.insert(function);
    llvm::SetVector<Operation *> inlined;
    for (func::FuncOp function : functions)
      while (inlineOne(function, recursive, inlined)) {
        // What a body brings along may be a call again.
      }
    // Nobody else can call what is private.
    for (bool isGone = true; isGone;) {
      isGone = false;
      for (Operation *function : llvm::to_vector(inlined))
        if (cast<func::FuncOp>(function).isPrivate() &&
            SymbolTable::symbolKnownUseEmpty(function, getOperation())) {
          inlined.remove(function);
          function->erase();
          isGone = true;
        }
    }
  }

  /// Inlines a call of `function`; false if all that it has stay.
  bool inlineOne(func::FuncOp function,
                 const llvm::SmallPtrSetImpl<Operation *> &recursive,
                 llvm::SetVector<Operation *> &inlined) {
    for (func::CallOp call : collectOps<func::CallOp>(function)) {
      func::FuncOp callee = findCallee(call);
      if (callee && !recursive.contains(callee) &&
          inlineBody(call, callee, inlined))
        return true;
    }
    return false;
  }

  bool inlineBody(func::CallOp call, func::FuncOp callee,
                  llvm::SetVector<Operation *> &inlined) {
    // Where an op has one block there is no room for branches; and a function
    // of the host may reach memory of the host.
    if ((!host && !isInNest(call)) ||
        (call->getParentOp()->mightHaveTrait<OpTrait::SingleBlock>() &&
         !llvm::hasSingleElement(callee.getBody())))
      return false;
    NestInliner interface(&getContext());
    if (failed(inlineCall(interface, InlinerConfig().getCloneCallback(), call,
                          callee, &callee.getBody())))
      return false;
    call.erase();
    inlined.insert(callee);
    return true;
  }
};
} // namespace

// Note [Not upstream's pass]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~
// Upstream's `inline` puts no affine op into a region that is not an affine
// scope or a loop of affine. tc.par is none: values outside of a scope are
// symbols in it, and of a symbol upstream's analyses know less than of a
// dimension. affine.apply, min and max hold wherever their operands are.
