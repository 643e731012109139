//===- TCToGPUKernel.cpp - The nests of a kernel --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandIndex.h"
#include "TCToGPU.h"

#include "tc/Algebra/Strategies.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Launch
//===----------------------------------------------------------------------===//

/// The mapping of `op`. Reports a tc.par that tc-map has not bound.
static FailureOr<Mapping> getMapping(ParOp op) {
  if (!op.getMappingAttr())
    return op.emitOpError("expected a mapping to threads; run tc-map first");
  llvm::Expected<Mapping> mapping =
      op.getMappingAttr().getMapping(op.getSpace());
  if (!mapping)
    return op.emitOpError("cannot be mapped: ")
           << llvm::toString(mapping.takeError());
  if (!mapping->axes())
    return op.emitOpError("expected a mapping to at most 3 axes");
  return std::move(*mapping);
}

/// The mapping of a tc.par block, and its extents along x, y and z.
static FailureOr<std::pair<Mapping, std::array<int64_t, 3>>>
getThreads(ParOp op) {
  FailureOr<Mapping> mapping = getMapping(op);
  if (failed(mapping))
    return failure();
  Axes axes = *mapping->axes();
  std::array<int64_t, 3> extents;
  for (auto [extent, axis] :
       llvm::zip(extents, std::array{axes.x, axes.y, axes.z})) {
    auto value = staticValue(axis);
    if (!value)
      return op.emitOpError("expected static bounds of tc.par block");
    extent = *value;
  }
  return std::make_pair(std::move(*mapping), extents);
}

namespace {
/// The indices that a thread works on and the conditions under which it has
/// work: expressions over its coordinates (x, y, z) and the run-time bounds.
struct Recovery {
  SmallVector<AffineExpr> indices, guards;

  explicit Recovery(const Mapping &mapping) {
    MLIRContext *context = mapping.getContext();
    SmallVector<AffineExpr> thread = mapping.threadAt(
        {getAffineDimExpr(0, context), getAffineDimExpr(1, context),
         getAffineDimExpr(2, context)});
    indices = mapping.inverse(thread);
    guards = mapping.guard(thread);
  }

  /// Binds the indices of `op` to those of `coordinates`, and returns the
  /// condition for work, or null.
  Value bind(OpBuilder &builder, ParOp op, ValueRange coordinates,
             ValueRange symbols, IRMapping &values) {
    for (auto [index, expr] : llvm::zip_equal(op.getIndices(), indices))
      values.map(index,
                 expandIndex(builder, op.getLoc(), expr, coordinates, symbols));
    return expandGuard(builder, op.getLoc(), guards, coordinates, symbols);
  }
};
} // namespace

/// The block must hold the largest tc.par block inside.
LogicalResult KernelBuilder::measureBlock() {
  if (grid->getParentOfType<ParOp>() || grid->getParentOfType<gpu::LaunchOp>())
    return grid.emitOpError("expected tc.par grid outside of other nests and "
                            "kernels");
  WalkResult result = grid.walk([&](ParOp op) -> WalkResult {
    if (op == grid)
      return WalkResult::advance();
    if (op.getLevel() != Level::Block)
      return op.emitOpError("expected tc.par block inside tc.par grid");
    if (op->getParentOfType<ParOp>() != grid)
      return op.emitOpError("expected no tc.par inside tc.par block");
    auto axes = getThreads(op);
    if (failed(axes))
      return failure();
    for (auto [size, extent] : llvm::zip(blockSize, axes->second))
      size = std::max(size, extent);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  auto [x, y, z] = blockSize;
  int64_t most = LaunchLimits().blockThreads;
  if (std::max({x, y, z}) > most || x * y * z > most)
    return grid.emitOpError("expected at most ")
           << most << " threads in a block, got " << x << " x " << y << " x "
           << z << " for all tc.par block together";
  return success();
}

/// `name` with what PTX does not take in a name replaced.
static std::string getKernelName(StringRef name) {
  std::string result = name.str();
  for (char &c : result)
    if (!llvm::isAlnum(c) && c != '_' && c != '$')
      c = '_';
  return result;
}

/// The kernel is called as its function and the variant it is; further ones of
/// one name are numbered.
void KernelBuilder::nameKernel() {
  auto function = launch->getParentOfType<func::FuncOp>();
  std::string name = getKernelName(function.getName());
  auto kernels = getKernelModule(function->getParentOfType<ModuleOp>(),
                                 name + "_kernels", indexWidth);
  if (variant && variant.getName())
    name += "_" + getKernelName(variant.getName());
  llvm::StringSet<> taken;
  function.walk([&](gpu::LaunchOp other) {
    if (FlatSymbolRefAttr kernel = other.getFunctionAttr())
      taken.insert(kernel.getValue());
  });
  std::string unique = name;
  for (unsigned i = 1; taken.contains(unique); ++i)
    unique = name + "_" + std::to_string(i);
  launch.setModuleAttr(FlatSymbolRefAttr::get(kernels));
  launch.setFunctionAttr(FlatSymbolRefAttr::get(builder.getContext(), unique));
}

/// Opens a branch for the case that no run-time range of the grid is empty:
/// there would be nothing to launch, and no way to.
void KernelBuilder::buildHostGuard() {
  Location loc = grid.getLoc();
  Value works;
  for (auto [lower, upper] :
       llvm::zip_equal(grid.getMixedLower(), grid.getMixedUpper())) {
    if (isa<Attribute>(lower) && isa<Attribute>(upper))
      continue;
    Value holds = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::slt,
        getValueOrCreateConstantIndexOp(builder, loc, lower),
        getValueOrCreateConstantIndexOp(builder, loc, upper));
    works = works
                ? arith::AndIOp::create(builder, loc, works, holds).getResult()
                : holds;
  }
  if (!works)
    return;
  auto branch = scf::IfOp::create(builder, loc, works);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
}

/// The launch itself, `extents` blocks of `blockSize` threads, with an empty
/// body.
void KernelBuilder::buildLaunch(ValueRange extents) {
  Location loc = grid.getLoc();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  launch = gpu::LaunchOp::create(
      builder, loc, extents[0], extents[1], extents[2], constant(blockSize[0]),
      constant(blockSize[1]), constant(blockSize[2]));
  nameKernel();
  builder.setInsertionPointToEnd(&launch.getBody().front());
  auto terminator = gpu::TerminatorOp::create(builder, loc);
  builder.setInsertionPoint(terminator);
}

LogicalResult KernelBuilder::run() {
  FailureOr<Mapping> gridMapping = getMapping(grid);
  if (failed(gridMapping) || failed(measureBlock()))
    return failure();
  Axes axes = *gridMapping->axes();
  SmallVector<AffineExpr> extents = {axes.x, axes.y, axes.z};
  // Without iterations there is nothing to launch, and no way to.
  if (llvm::any_of(extents, [](AffineExpr e) { return staticValue(e) == 0; })) {
    grid.erase();
    return success();
  }
  Location loc = grid.getLoc();
  builder.setInsertionPoint(grid);
  buildHostGuard();
  // What depends on run-time bounds alone is computed once, by the host.
  Recovery recovery(*gridMapping);
  SmallVector<Value> symbols(grid->getOperands());
  for (MutableArrayRef<AffineExpr> exprs :
       {MutableArrayRef(extents), MutableArrayRef(recovery.indices),
        MutableArrayRef(recovery.guards)})
    hoistSymbolic(builder, loc, exprs, symbols);
  buildLaunch(llvm::map_to_vector(extents, [&](AffineExpr extent) {
    return expandIndex(builder, loc, extent, /*dims=*/{}, symbols);
  }));

  gpu::KernelDim3 thread = launch.getThreadIds(), block = launch.getBlockIds();
  AffineExpr tx = builder.getAffineDimExpr(0), ty = builder.getAffineDimExpr(1),
             tz = builder.getAffineDimExpr(2);
  threadNumber =
      expandIndex(builder, loc, tx + (ty + tz * blockSize[1]) * blockSize[0],
                  {thread.x, thread.y, thread.z});
  Value guard = recovery.bind(builder, grid, {block.x, block.y, block.z},
                              symbols, mapping);
  if (guard) {
    // The same for all threads of a block, so barriers inside are safe.
    auto branch = scf::IfOp::create(builder, loc, guard);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  if (failed(emitOps(*grid.getBody())))
    return failure();
  grid.erase();
  passArguments(launch, indexWidth);
  return success();
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

LogicalResult KernelBuilder::emitOps(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emit(&op)))
      return failure();
  return success();
}

LogicalResult KernelBuilder::emit(Operation *op) {
  if (auto par = dyn_cast<ParOp>(op))
    return emitThreads(par);
  if (auto seq = dyn_cast<SeqOp>(op))
    return emitSeq(seq);
  if (auto view = dyn_cast<ViewOp>(op))
    return emitView(view);
  if (auto buffer = dyn_cast<NewOp>(op))
    return emitNew(buffer);
  if (auto stage = dyn_cast<StageOp>(op))
    return emitStage(stage);
  if (isa<ContractOp>(op))
    return op->emitOpError("expected no contraction in a mapped nest; run "
                           "tc-lower-microkernel first");
  return emitOther(op);
}

/// Other ops stand for themselves; what they hold may be ours.
LogicalResult KernelBuilder::emitOther(Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<FloatType>(type) &&
        !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
      return op->emitOpError("expected f16, bf16, f32 or f64 in a kernel, got ")
             << type;
  Operation *copy = builder.cloneWithoutRegions(*op, mapping);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), copy->getRegions())) {
    // Branches may lead to any block of the region.
    for (Block &block : from) {
      SmallVector<Location> locations(block.getNumArguments(), op->getLoc());
      Block *target = builder.createBlock(&to, to.end(),
                                          block.getArgumentTypes(), locations);
      mapping.map(&block, target);
      mapping.map(block.getArguments(), target->getArguments());
    }
    for (Block &block : from) {
      builder.setInsertionPointToEnd(mapping.lookup(&block));
      if (failed(emitOps(block)))
        return failure();
      if (block.mightHaveTerminator())
        builder.clone(*block.getTerminator(), mapping);
    }
  }
  return success();
}

LogicalResult KernelBuilder::emitThreads(ParOp op) {
  auto axes = getThreads(op);
  if (failed(axes))
    return failure();
  OpBuilder::InsertionGuard insertion(builder);
  gpu::KernelDim3 thread = launch.getThreadIds();
  Value guard = Recovery(axes->first)
                    .bind(builder, op, {thread.x, thread.y, thread.z},
                          /*symbols=*/{}, mapping);
  // A block larger than this nest has threads without work in it.
  Value coordinates[] = {thread.x, thread.y, thread.z};
  for (auto [size, extent, coordinate] :
       llvm::zip(blockSize, axes->second, coordinates)) {
    if (size == extent)
      continue;
    Value bound = arith::ConstantIndexOp::create(builder, op.getLoc(), extent);
    Value works = arith::CmpIOp::create(
        builder, op.getLoc(), arith::CmpIPredicate::ult, coordinate, bound);
    guard = guard ? arith::AndIOp::create(builder, op.getLoc(), guard, works)
                        .getResult()
                  : works;
  }
  if (guard) {
    auto branch = scf::IfOp::create(builder, op.getLoc(), guard);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  return emitOps(*op.getBody());
}

LogicalResult KernelBuilder::emitSeq(SeqOp op) {
  Location loc = op.getLoc();
  if (!llvm::all_of(op.getWidth(), [](int64_t width) { return width == 1; }))
    return op.emitOpError("expected widths of 1 in a kernel");
  if (isPipelined(op))
    return emitPipelined(op);
  SmallVector<Value> lower, upper, step;
  auto materialize = [&](OpFoldResult bound) -> Value {
    if (auto value = dyn_cast<Value>(bound))
      return mapping.lookupOrDefault(value);
    return getValueOrCreateConstantIndexOp(builder, loc, bound);
  };
  for (auto [low, high, stride] :
       llvm::zip_equal(op.getMixedLower(), op.getMixedUpper(), op.getStep())) {
    lower.push_back(materialize(low));
    upper.push_back(materialize(high));
    step.push_back(arith::ConstantIndexOp::create(builder, loc, stride));
  }
  SmallVector<Value> inits;
  for (Value init : op.getInits())
    inits.push_back(mapping.lookupOrDefault(init));
  LogicalResult status = success();
  scf::LoopNest nest = scf::buildLoopNest(
      builder, loc, lower, upper, step, inits,
      [&](OpBuilder &, Location, ValueRange indices,
          ValueRange carried) -> scf::ValueVector {
        mapping.map(op.getIndices(), indices);
        mapping.map(op.getCarried(), carried);
        status = emitOps(*op.getBody());
        scf::ValueVector yielded;
        for (Value value : op.getBody()->getTerminator()->getOperands())
          yielded.push_back(mapping.lookupOrDefault(value));
        return yielded;
      });
  mapping.map(op.getResults(), nest.results);
  return status;
}
