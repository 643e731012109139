//===- OutlineHost.cpp - Nests that call what only the host has -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function without kernels is host code, and its buffers are the host's. So a
// nest for the host becomes a function of its own, in which loops work on
// copies of the buffers that the device has.
//
//===----------------------------------------------------------------------===//

#include "Kernel/WritePtx.h"
#include "TCToGPU/TCToGPU.h"

#include "tc/Conversion/Passes.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_OUTLINEHOST
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// A call in `op`, or in a function that is called there, of a function that no
/// kernel can have; null if there is none.
static func::CallOp findHostCall(Operation *op, SymbolTable &symbols,
                                 llvm::SmallPtrSetImpl<Operation *> &seen) {
  func::CallOp found;
  op->walk([&](func::CallOp call) {
    auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
    if (!callee || isOfEveryKernel(callee.getName()))
      return WalkResult::advance();
    if (callee.isExternal())
      found = call;
    else if (seen.insert(callee).second)
      found = findHostCall(callee, symbols, seen);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

namespace {
/// What a nest takes from outside. Upstream's makeRegionIsolatedFromAbove (LLVM
/// 22) leaves uses in nested regions as they are.
struct Captures {
  SetVector<Operation *> copied; ///< views and constants, in order
  SetVector<Value> passed;

  explicit Captures(Operation *nest);
};
} // namespace

Captures::Captures(Operation *nest) {
  SetVector<Value> used(nest->operand_begin(), nest->operand_end());
  getUsedValuesDefinedAbove(nest->getRegions(), used);
  BackwardSliceOptions options;
  options.inclusive = true;
  options.filter = [](Operation *op) {
    return isa<ViewLikeOpInterface>(op) ||
           op->hasTrait<OpTrait::ConstantLike>();
  };
  for (Value value : used)
    if (Operation *op = value.getDefiningOp(); op && options.filter(op))
      (void)getBackwardSlice(op, &copied, options);
  for (Operation *op : copied)
    used.insert(op->operand_begin(), op->operand_end());
  for (Value value : used)
    if (!copied.contains(value.getDefiningOp()))
      passed.insert(value);
}

/// Moves `nest` into a function, which is called in its place.
static func::FuncOp outline(Operation *nest, SymbolTable &symbols) {
  Captures captures(nest);
  OpBuilder builder(nest);
  auto outer = nest->getParentOfType<func::FuncOp>();
  SmallVector<Value> passed = captures.passed.takeVector();
  auto type = builder.getFunctionType(TypeRange(ValueRange(passed)), {});
  auto function = func::FuncOp::create(nest->getLoc(),
                                       (outer.getName() + "_host").str(), type);
  function.setPrivate();
  symbols.insert(function, std::next(outer->getIterator()));
  func::CallOp::create(builder, nest->getLoc(), function, passed);

  builder.setInsertionPointToStart(function.addEntryBlock());
  IRMapping mapping;
  mapping.map(passed, function.getArguments());
  for (Operation *op : captures.copied)
    builder.clone(*op, mapping);
  builder.clone(*nest, mapping);
  func::ReturnOp::create(builder, nest->getLoc());
  nest->erase();
  return function;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// May an op write to `buffer`, or to a view of it? Not if all that is known of
/// each is that it reads; others may pass it on, as a select does.
static bool mayBeWritten(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [&](Operation *user) {
    if (isa<memref::DimOp>(user))
      return false;
    if (isa<ViewLikeOpInterface>(user))
      return mayBeWritten(user->getResult(0));
    SmallVector<MemoryEffects::EffectInstance> ofBuffer;
    if (auto effects = dyn_cast<MemoryEffectOpInterface>(user))
      effects.getEffectsOnValue(buffer, ofBuffer);
    return ofBuffer.empty() || !llvm::all_of(ofBuffer, [](const auto &effect) {
             return isa<MemoryEffects::Read>(effect.getEffect());
           });
  });
}

/// Has `function`, of loops on buffers of the host, take buffers of the device
/// of these types: it copies each to the host, and back what it may have
/// written. What it writes may be a part of a buffer, so all are copied there.
static LogicalResult copyBuffers(func::FuncOp function, TypeRange types) {
  Operation *begin = &function.front().front();
  Operation *end = function.front().getTerminator();
  OpBuilder builder(function.getContext());
  Location loc = function.getLoc();
  for (auto [buffer, type] : llvm::zip_equal(function.getArguments(), types)) {
    if (!isa<BaseMemRefType>(type))
      continue;
    auto ofHost = dyn_cast<MemRefType>(buffer.getType());
    if (!ofHost || !ofHost.getLayout().isIdentity())
      return function.emitError("expected buffers of a nest on the host to be "
                                "dense, since they are copied, got ")
             << type;
    bool isWritten = mayBeWritten(buffer);
    builder.setInsertionPoint(begin);
    SmallVector<Value> sizes;
    for (int64_t i = 0; i != ofHost.getRank(); ++i)
      if (ofHost.isDynamicDim(i))
        sizes.push_back(memref::DimOp::create(builder, loc, buffer, i));
    Value copy = memref::AllocOp::create(builder, loc, ofHost, sizes);
    SmallPtrSet<Operation *, 4> ofDevice;
    for (Value size : sizes)
      ofDevice.insert(size.getDefiningOp());
    buffer.replaceAllUsesExcept(copy, ofDevice);
    buffer.setType(type);
    emitCopy(builder, loc, copy, buffer);
    builder.setInsertionPoint(end);
    if (isWritten)
      emitCopy(builder, loc, buffer, copy);
    memref::DeallocOp::create(builder, loc, copy);
  }
  function.setType(builder.getFunctionType(types, {}));
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct OutlineHostPass : tc::impl::OutlineHostBase<OutlineHostPass> {
  using OutlineHostBase::OutlineHostBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    SmallVector<std::pair<Operation *, func::CallOp>> found;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (!isa<ParOp, ReduceOp, ScanOp>(op))
        return WalkResult::advance();
      llvm::SmallPtrSet<Operation *, 4> seen;
      if (func::CallOp call = findHostCall(op, symbols, seen))
        found.push_back({op, call});
      return WalkResult::skip();
    });
    for (auto [nest, call] : found)
      if (failed(refuse ? report(nest, call) : lower(nest, call, symbols)))
        return signalPassFailure();
  }

  LogicalResult report(Operation *nest, func::CallOp call) {
    InFlightDiagnostic error =
        call.emitError(
            "expected a function with a body, or of libdevice, got '")
        << call.getCallee()
        << "': the nest that calls it is host code, of which nothing is kept "
           "here but launches; tc-opt --tc-to-nvvm keeps it";
    error.attachNote(nest->getLoc()) << "the nest";
    return error;
  }

  LogicalResult lower(Operation *nest, func::CallOp call,
                      SymbolTable &symbols) {
    remark::missed(
        call.getLoc(),
        remark::RemarkOpts::name("HostNest").category("tc-outline-host"))
        << remark::reason("the nest runs on the host, on copies of its "
                          "buffers, since '{0}' has no body",
                          call.getCallee());
    func::FuncOp function = outline(nest, symbols);
    SmallVector<Type> types(function.getArgumentTypes());
    OpPassManager pm(func::FuncOp::getOperationName());
    pm.addPass(createConvertTCToLoops());
    if (failed(runPipeline(pm, function)))
      return failure();
    return copyBuffers(function, types);
  }
};
} // namespace
