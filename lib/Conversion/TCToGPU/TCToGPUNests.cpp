//===- TCToGPUNests.cpp - The nests of a kernel ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel/ExpandIndex.h"
#include "TCToGPU/TCToGPU.h"
#include "TCToLoops/NestLoops.h"

#include "tc/Algebra/Strategies.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Who runs what
//===----------------------------------------------------------------------===//

FailureOr<Mapping> KernelBuilder::getMapping(ParOp op) {
  if (!op.getMappingAttr())
    return op.emitOpError("expected a mapping to threads; run tc-map first");
  llvm::Expected<Mapping> mapping =
      op.getMappingAttr().getMapping(op.getSpace());
  if (!mapping)
    return op.emitOpError("cannot be mapped: ")
           << llvm::toString(mapping.takeError());
  if (op.getLevel() != Level::Device && !mapping->axes())
    return op.emitOpError("expected a mapping to at most 3 axes");
  return std::move(*mapping);
}

KernelBuilder::Recovery::Recovery(const Mapping &mapping,
                                  ArrayRef<AffineExpr> thread)
    : indices(mapping.inverse(thread)), guards(mapping.guard(thread)) {}

Value KernelBuilder::Recovery::bind(OpBuilder &builder, ParOp op,
                                    ValueRange coordinates, ValueRange symbols,
                                    IRMapping &values) const {
  for (auto [index, expr] : llvm::zip_equal(op.getIndices(), indices))
    values.map(index,
               expandIndex(builder, op.getLoc(), expr, coordinates, symbols));
  return expandGuard(builder, op.getLoc(), guards, coordinates, symbols);
}

std::optional<std::array<int64_t, 3>>
KernelBuilder::getStaticExtents(const Axes &axes) {
  auto extents = staticValues({axes.x, axes.y, axes.z});
  if (!extents)
    return std::nullopt;
  return std::array{(*extents)[0], (*extents)[1], (*extents)[2]};
}

/// Are the iterations of `op` numbered along one axis, since warps run them, or
/// threads of a warp?
static bool isLinear(ParOp op) {
  return op.getLevel() != Level::Block || op.getMemberThreads() > 1;
}

/// The extents of a team along x, y and z that `mapping` needs.
FailureOr<std::array<int64_t, 3>>
KernelBuilder::getExtents(ParOp op, const Mapping &mapping) {
  auto extents = getStaticExtents(*mapping.axes());
  if (!extents)
    return op.emitOpError("expected a static number of threads of a ")
           << stringifyLevel(*op.getLevel()) << ", got a dynamic one";
  if (isLinear(op) && ((*extents)[1] != 1 || (*extents)[2] != 1))
    return op.emitOpError("expected a mapping to one axis");
  return *extents;
}

LogicalResult KernelBuilder::measureBlock() {
  if (grid->getParentOfType<ParOp>() || grid->getParentOfType<gpu::LaunchOp>())
    return grid.emitOpError("expected tc.par ")
           << stringifyLevel(*grid.getLevel())
           << " outside of other nests and kernels";
  // Threads along the one axis that warps are numbered by.
  int64_t linear = 1;
  WalkResult result = grid.walk([&](ParOp op) -> WalkResult {
    if (op == grid || op.getLevel() == Level::Thread)
      return WalkResult::advance();
    if (!op.getLevel())
      return op.emitOpError("expected a level inside of tc.par ")
             << stringifyLevel(*grid.getLevel()) << "; run tc-bind first";
    if (op.getLevel() == Level::Cluster)
      return measureCluster(op);
    FailureOr<Mapping> mapping = getMapping(op);
    if (failed(mapping))
      return failure();
    auto extents = getExtents(op, *mapping);
    if (failed(extents))
      return failure();
    if (op.getLevel() != Level::Block) {
      linear = std::max(linear, getTeamThreads(*op.getLevel()));
    } else if (isLinear(op)) {
      linear = std::max(linear, extents->front() * op.getMemberThreads());
    } else {
      for (auto [size, extent] : llvm::zip(blockSize, *extents))
        size = std::max(size, extent);
    }
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (linear > 1 && (blockSize[1] > 1 || blockSize[2] > 1))
    return grid.emitOpError("expected the threads of a block along one axis, "
                            "since there are warps in it");
  blockSize[0] = std::max(blockSize[0], linear);
  auto [x, y, z] = blockSize;
  int64_t most = LaunchLimits().blockThreads;
  if (std::max({x, y, z}) > most || x * y * z > most)
    return grid.emitOpError("expected at most ")
           << most << " threads in a block, got " << x << " x " << y << " x "
           << z << " for all tc.par block together";
  return success();
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult KernelBuilder::emitOps(Block &block) {
  for (Operation &op : block.without_terminator())
    if (failed(emit(&op)))
      return failure();
  return success();
}

LogicalResult KernelBuilder::emit(Operation *op) {
  if (auto par = dyn_cast<ParOp>(op); par && par.getLevel() == Level::Cluster)
    return emitBlocks(par);
  if (auto par = dyn_cast<ParOp>(op))
    return par.getLevel() == Level::Thread ? emitLoops(par) : emitThreads(par);
  if (auto seq = dyn_cast<SeqOp>(op))
    return emitSeq(seq);
  if (auto view = dyn_cast<ViewOp>(op))
    return emitView(view);
  if (isOfThreads(op))
    return emitPart(cast<memref::SubViewOp>(op));
  if (auto buffer = dyn_cast<NewOp>(op))
    return emitNew(buffer);
  if (auto stage = dyn_cast<StageOp>(op))
    return emitStage(stage);
  if (auto barrier = dyn_cast<gpu::BarrierOp>(op))
    return emitBarrier(barrier);
  if (auto text = dyn_cast<PtxOp>(op))
    return emitPtx(text);
  if (isOfCluster(op))
    return emitClusterAccess(op);
  if (isa<ContractOp>(op))
    return op->emitOpError("expected no contraction in a mapped nest; run "
                           "tc-lower-microkernel first");
  return emitOther(op);
}

/// A barrier is of the team that it stands in.
LogicalResult KernelBuilder::emitBarrier(gpu::BarrierOp op) {
  Location loc = op.getLoc();
  auto par = op->getParentOfType<ParOp>();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  if (par == grid && hasClusters) {
    emitClusterBarrier(loc);
    return success();
  }
  if (par.isOfBlocks())
    return emitOther(op);
  if (par.getMemberThreads() == 1)
    return op.emitOpError("expected no barrier between the iterations of a "
                          "tc.par that single threads run");
  if (par.getMemberThreads() == 32) {
    NVVM::SyncWarpOp::create(builder, loc, integer(-1));
    return success();
  }
  // Barrier 0 is that of the block.
  AffineExpr number = builder.getAffineDimExpr(0) + 1;
  Value id = expandIndex(builder, loc, number, expandMember(par));
  id = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), id);
  NVVM::BarrierOp::create(builder, loc, TypeRange(), id,
                          integer(par.getMemberThreads()), {}, Value());
  return success();
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

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

void KernelBuilder::enter(Value condition) {
  if (!condition)
    return;
  auto branch = scf::IfOp::create(builder, condition.getLoc(), condition);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
}

Value KernelBuilder::conjoin(Value first, Value second) {
  if (!first || !second)
    return first ? first : second;
  return builder.createOrFold<arith::AndIOp>(second.getLoc(), first, second);
}

Value KernelBuilder::buildConstant(Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

Value KernelBuilder::buildIsBelow(Location loc, Value number, int64_t end) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, number,
                               buildConstant(loc, end));
}

SmallVector<Value> KernelBuilder::lookUp(ValueRange values) {
  return llvm::map_to_vector(
      values, [&](Value value) { return mapping.lookupOrDefault(value); });
}

bool KernelBuilder::isEmpty(ParOp op) {
  return llvm::any_of(op.getSpace().extents(), [](AffineExpr extent) {
    return staticValue(extent).value_or(1) <= 0;
  });
}

Value KernelBuilder::buildNonEmpty(ParOp op) {
  Location loc = op.getLoc();
  auto materialize = [&](OpFoldResult bound) {
    return mapping.lookupOrDefault(
        getValueOrCreateConstantIndexOp(builder, loc, bound));
  };
  Value works;
  for (auto [lower, upper] :
       llvm::zip_equal(op.getMixedLower(), op.getMixedUpper()))
    if (!isa<Attribute>(lower) || !isa<Attribute>(upper))
      works = conjoin(
          works, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                       materialize(lower), materialize(upper)));
  return works;
}

Value KernelBuilder::expandMember(ParOp op) {
  int64_t perMember = op.getMemberThreads();
  AffineExpr number = builder.getAffineDimExpr(0);
  if (op.getLevel() != Level::Block)
    number = number % getTeamThreads(*op.getLevel());
  return expandIndex(builder, op.getLoc(), number.floorDiv(perMember),
                     threadNumber);
}

/// Coordinates below what `op` needs, where the block has more.
Value KernelBuilder::buildWorkGuard(ParOp op, ArrayRef<int64_t> extents,
                                    ValueRange coordinates) {
  std::array<int64_t, 3> sizes = blockSize;
  if (isLinear(op)) {
    int64_t team = op.getLevel() == Level::Block
                       ? countThreads()
                       : getTeamThreads(*op.getLevel());
    sizes = {team / op.getMemberThreads(), 1, 1};
  }
  Value guard;
  auto require = [&](Value coordinate, int64_t extent) {
    guard = conjoin(guard, buildIsBelow(op.getLoc(), coordinate, extent));
  };
  // A warp of a grid is the first one of the block.
  if (int64_t team = getTeamThreads(*op.getLevel());
      team > 1 && op->getParentOfType<ParOp>().isOfBlocks() &&
      team < countThreads())
    require(threadNumber, team);
  for (auto [size, extent, coordinate] :
       llvm::zip(sizes, extents, coordinates)) {
    if (size != extent)
      require(coordinate, extent);
  }
  return guard;
}

LogicalResult KernelBuilder::emitThreads(ParOp op) {
  FailureOr<Mapping> threads = getMapping(op);
  if (failed(threads))
    return failure();
  auto extents = getExtents(op, *threads);
  if (failed(extents))
    return failure();
  if (isEmpty(op))
    return success();
  OpBuilder::InsertionGuard insertion(builder);
  Location loc = op.getLoc();
  gpu::KernelDim3 thread = launch.getThreadIds();
  SmallVector<Value> coordinates = {thread.x, thread.y, thread.z};
  if (isLinear(op)) {
    Value zero = buildConstant(loc, 0);
    coordinates = {expandMember(op), zero, zero};
  }
  SmallVector<Value> symbols = lookUp(op->getOperands());
  // A block larger than this nest has threads without work in it.
  enter(conjoin(buildNonEmpty(op), buildWorkGuard(op, *extents, coordinates)));
  SmallVector<AffineExpr> loops;
  for (AffineExpr extent : threads->serialExtents()) {
    Value zero = buildConstant(loc, 0), one = buildConstant(loc, 1);
    auto loop =
        scf::ForOp::create(builder, loc, zero,
                           expandIndex(builder, loc, extent, {}, symbols), one);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    loops.push_back(builder.getAffineDimExpr(coordinates.size()));
    coordinates.push_back(loop.getInductionVar());
  }
  Axes axes = {builder.getAffineDimExpr(0), builder.getAffineDimExpr(1),
               builder.getAffineDimExpr(2)};
  enter(Recovery(*threads, threads->threadAt(axes, loops))
            .bind(builder, op, coordinates, symbols, mapping));
  return emitOps(*op.getBody());
}

template <typename NestOp>
FailureOr<SmallVector<Value>> KernelBuilder::emitNest(NestOp op,
                                                      ValueRange inits) {
  Location loc = op.getLoc();
  LoopSpace space = getLoopSpace(builder, op);
  for (Value &bound : llvm::concat<Value>(space.lower, space.upper))
    bound = mapping.lookupOrDefault(bound);
  LogicalResult status = success();
  auto emitBody = [&](ValueRange indices, ValueRange carried) {
    SmallVector<Value> arguments(indices);
    llvm::append_range(arguments, carried);
    mapping.map(op.getBody()->getArguments(), arguments);
    if (failed(emitOps(*op.getBody())))
      status = failure();
    return lookUp(op.getBody()->getTerminator()->getOperands());
  };
  SmallVector<Value> results = buildLoops(builder, loc, space, inits, emitBody);
  if (failed(status))
    return failure();
  return results;
}

LogicalResult KernelBuilder::emitLoops(ParOp op) { return emitNest(op, {}); }

LogicalResult KernelBuilder::emitSeq(SeqOp op) {
  if (isPipelined(op))
    return emitPipelined(op);
  FailureOr<SmallVector<Value>> results = emitNest(op, lookUp(op.getInits()));
  if (failed(results))
    return failure();
  mapping.map(op.getResults(), *results);
  return success();
}
