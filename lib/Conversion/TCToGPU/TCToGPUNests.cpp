//===- TCToGPUNests.cpp - The nests of a kernel ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel/ExpandIndex.h"
#include "TCToGPU/TCToGPU.h"
#include "TCToLoops/TCToLoops.h"

#include "tc/Algebra/Strategies.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Who runs what
//===----------------------------------------------------------------------===//

FailureOr<Mapping> mlir::tc::getMapping(ParOp op) {
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

Recovery::Recovery(const Mapping &mapping, ArrayRef<AffineExpr> thread)
    : indices(mapping.inverse(thread)), guards(mapping.guard(thread)) {}

std::optional<std::array<int64_t, 3>>
mlir::tc::getStaticExtents(const Axes &axes) {
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
static FailureOr<std::array<int64_t, 3>> getExtents(ParOp op,
                                                    const Mapping &mapping) {
  auto extents = getStaticExtents(*mapping.axes());
  if (!extents)
    return op.emitOpError("expected a static number of threads of a ")
           << stringifyLevel(*op.getLevel()) << ", got a dynamic one";
  if (isLinear(op) && ((*extents)[1] != 1 || (*extents)[2] != 1))
    return op.emitOpError("expected a mapping to one axis");
  return *extents;
}

LogicalResult mlir::tc::measureBlock(KernelContext &kernel) {
  ParOp grid = kernel.grid;
  auto &blockSize = kernel.blockSize;
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
      return measureCluster(kernel, op);
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
// Conditions
//===----------------------------------------------------------------------===//

void mlir::tc::enter(OpBuilder &builder, Value condition) {
  if (!condition)
    return;
  auto branch = scf::IfOp::create(builder, condition.getLoc(), condition);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
}

Value mlir::tc::conjoin(OpBuilder &builder, Value first, Value second) {
  if (!first || !second)
    return first ? first : second;
  return builder.createOrFold<arith::AndIOp>(second.getLoc(), first, second);
}

Value mlir::tc::buildIsBelow(OpBuilder &builder, Location loc, Value number,
                             int64_t end) {
  return arith::CmpIOp::create(
      builder, loc, arith::CmpIPredicate::ult, number,
      arith::ConstantIndexOp::create(builder, loc, end));
}

bool mlir::tc::isEmpty(ParOp op) {
  return llvm::any_of(op.getSpace().extents(), [](AffineExpr extent) {
    return staticValue(extent).value_or(1) <= 0;
  });
}

Value mlir::tc::buildNonEmpty(OpBuilder &builder, ParOp op) {
  Location loc = op.getLoc();
  Value works;
  for (auto [lower, upper] :
       llvm::zip_equal(op.getMixedLower(), op.getMixedUpper()))
    if (!isa<Attribute>(lower) || !isa<Attribute>(upper))
      works =
          conjoin(builder, works,
                  arith::CmpIOp::create(
                      builder, loc, arith::CmpIPredicate::slt,
                      getValueOrCreateConstantIndexOp(builder, loc, lower),
                      getValueOrCreateConstantIndexOp(builder, loc, upper)));
  return works;
}

/// The number of this thread's team among those that run `op`.
static Value expandMember(KernelContext &kernel, ParOp op) {
  AffineExpr number = kernel.builder.getAffineDimExpr(0);
  if (op.getLevel() != Level::Block)
    number = number % getTeamThreads(*op.getLevel());
  return expandIndex(kernel.builder, op.getLoc(),
                     number.floorDiv(op.getMemberThreads()),
                     kernel.threadNumber);
}

/// Coordinates below what `op` needs, where the block has more.
static Value buildWorkGuard(KernelContext &kernel, ParOp op,
                            ArrayRef<int64_t> extents, ValueRange coordinates) {
  std::array<int64_t, 3> sizes = kernel.blockSize;
  if (isLinear(op)) {
    int64_t team = op.getLevel() == Level::Block
                       ? kernel.countThreads()
                       : getTeamThreads(*op.getLevel());
    sizes = {team / op.getMemberThreads(), 1, 1};
  }
  Value guard;
  auto require = [&](Value coordinate, int64_t extent) {
    guard =
        conjoin(kernel.builder, guard,
                buildIsBelow(kernel.builder, op.getLoc(), coordinate, extent));
  };
  // A warp of a grid is the first one of the block.
  if (int64_t team = getTeamThreads(*op.getLevel());
      team > 1 && op->getParentOfType<ParOp>().isOfBlocks() &&
      team < kernel.countThreads())
    require(kernel.threadNumber, team);
  for (auto [size, extent, coordinate] :
       llvm::zip(sizes, extents, coordinates)) {
    if (size != extent)
      require(coordinate, extent);
  }
  return guard;
}

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

LogicalResult mlir::tc::lowerNest(KernelContext &kernel, ParOp op,
                                  const Recovery &recovery,
                                  ValueRange coordinates, ValueRange symbols) {
  IRRewriter &builder = kernel.builder;
  Location loc = op.getLoc();
  SmallVector<Value> indices =
      llvm::map_to_vector(recovery.indices, [&](AffineExpr expr) {
        return expandIndex(builder, loc, expr, coordinates, symbols);
      });
  enter(builder,
        expandGuard(builder, loc, recovery.guards, coordinates, symbols));
  builder.moveOpBefore(op, builder.getInsertionBlock(),
                       builder.getInsertionPoint());
  builder.replaceAllUsesWith(op.getIndices(), indices);
  return lowerOps(kernel, *op.getBody());
}

SmallVector<Value> mlir::tc::enterLoops(OpBuilder &builder, Location loc,
                                        ArrayRef<AffineExpr> extents,
                                        ValueRange symbols) {
  SmallVector<Value> indices;
  for (AffineExpr extent : extents) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0),
          one = arith::ConstantIndexOp::create(builder, loc, 1);
    auto loop =
        scf::ForOp::create(builder, loc, zero,
                           expandIndex(builder, loc, extent, {}, symbols), one);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    indices.push_back(loop.getInductionVar());
  }
  return indices;
}

static LogicalResult lowerThreads(KernelContext &kernel, ParOp op) {
  FailureOr<Mapping> threads = getMapping(op);
  if (failed(threads))
    return failure();
  auto extents = getExtents(op, *threads);
  if (failed(extents))
    return failure();
  OpBuilder &builder = kernel.builder;
  Location loc = op.getLoc();
  gpu::KernelDim3 thread = kernel.launch.getThreadIds();
  SmallVector<Value> coordinates = {thread.x, thread.y, thread.z};
  if (isLinear(op)) {
    Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
    coordinates = {expandMember(kernel, op), zero, zero};
  }
  SmallVector<Value> symbols(op->getOperands());
  // A block larger than this nest has threads without work in it.
  enter(builder, conjoin(builder, buildNonEmpty(builder, op),
                         buildWorkGuard(kernel, op, *extents, coordinates)));
  SmallVector<AffineExpr> loops;
  for (Value index :
       enterLoops(builder, loc, threads->serialExtents(), symbols)) {
    loops.push_back(builder.getAffineDimExpr(coordinates.size()));
    coordinates.push_back(index);
  }
  Axes axes = {builder.getAffineDimExpr(0), builder.getAffineDimExpr(1),
               builder.getAffineDimExpr(2)};
  return lowerNest(kernel, op,
                   Recovery(*threads, threads->threadAt(axes, loops)),
                   coordinates, symbols);
}

/// Loops that a thread runs, made by `lowerLoops` when their body is lowered.
template <typename NestOp>
static LogicalResult lowerBody(KernelContext &kernel, NestOp op,
                               void (*lowerLoops)(IRRewriter &, NestOp)) {
  if (failed(lowerOps(kernel, *op.getBody())))
    return failure();
  kernel.builder.setInsertionPoint(op);
  lowerLoops(kernel.builder, op);
  return success();
}

static LogicalResult lowerByLevel(KernelContext &kernel, ParOp op) {
  if (op.getLevel() == Level::Thread)
    return lowerBody(kernel, op, lowerPar);
  if (isEmpty(op)) {
    Operation *end = op.getBody()->getTerminator();
    while (Operation *inside = end->getPrevNode())
      kernel.builder.eraseOp(inside);
    return success();
  }
  return op.getLevel() == Level::Cluster ? lowerBlocks(kernel, op)
                                         : lowerThreads(kernel, op);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// A barrier is of the team that it stands in.
static LogicalResult lowerBarrier(KernelContext &kernel, gpu::BarrierOp op) {
  IRRewriter &builder = kernel.builder;
  Location loc = op.getLoc();
  auto par = op->getParentOfType<ParOp>();
  bool isOfCluster = par == kernel.grid && kernel.hasClusters;
  if (par.isOfBlocks() && !isOfCluster)
    return success();
  int64_t threads = par.getMemberThreads();
  auto integer = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  if (isOfCluster) {
    buildClusterBarrier(builder, loc);
  } else if (threads == 1) {
    return op.emitOpError("expected no barrier between the iterations of a "
                          "tc.par that single threads run");
  } else if (threads == 32) {
    NVVM::SyncWarpOp::create(builder, loc, integer(-1));
  } else {
    // Barrier 0 is that of the block.
    Value id = expandIndex(builder, loc, builder.getAffineDimExpr(0) + 1,
                           expandMember(kernel, par));
    id = arith::IndexCastOp::create(builder, loc, builder.getI32Type(), id);
    NVVM::BarrierOp::create(builder, loc, TypeRange(), id, integer(threads), {},
                            Value());
  }
  builder.eraseOp(op);
  return success();
}

/// Other ops stay; what they hold may be ours.
static LogicalResult lowerOther(KernelContext &kernel, Operation *op) {
  for (Type type : op->getResultTypes())
    if (isa<FloatType>(type) && !isF8(type) &&
        !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(type))
      return op->emitOpError("expected f8E4M3FN, f8E5M2, f16, bf16, f32 or f64 "
                             "in a kernel, got ")
             << type;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      if (failed(lowerOps(kernel, block)))
        return failure();
  return success();
}

/// Is `op` one of the loops and nests that the threads of a block run one after
/// another, in a kernel of several terms? Each then finds its places by itself:
/// those of all of them would take registers from the accumulators, while
/// tensor instructions leave time to find them again.
static bool isPartOfSum(KernelContext &kernel, Operation *op) {
  return kernel.addsTermsOfWarps && isa<SeqOp, ParOp>(op) &&
         !op->getParentOfType<SeqOp>() &&
         op->getParentOfType<ParOp>() == kernel.grid;
}

LogicalResult mlir::tc::lower(KernelContext &kernel, Operation *op) {
  kernel.builder.setInsertionPoint(op);
  if (isOfCluster(kernel, op))
    return lowerClusterAccess(kernel, op);
  llvm::SaveAndRestore restore(kernel.threadNumber);
  if (isPartOfSum(kernel, op))
    kernel.threadNumber = hideThreadNumber(kernel, op->getLoc());
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ParOp op) { return lowerByLevel(kernel, op); })
      .Case([&](SeqOp op) {
        return isPipelined(op) ? lowerPipelined(kernel, op)
                               : lowerBody(kernel, op, lowerSeq);
      })
      .Case([&](NewOp op) { return lowerNew(kernel, op); })
      .Case([&](StageOp op) { return lowerStage(kernel, op); })
      .Case([&](gpu::BarrierOp op) { return lowerBarrier(kernel, op); })
      .Case([&](PtxOp op) { return lowerPtx(kernel, op), success(); })
      .Case([&](ContractOp op) {
        return op.emitOpError(
            "expected no contraction in a mapped nest: of threads it needs "
            "tc-lower-microkernel, and otherwise a tc.par that tc-distribute "
            "can take it out of (--remarks)");
      })
      .Default([&](Operation *op) { return lowerOther(kernel, op); });
}

LogicalResult mlir::tc::lowerOps(KernelContext &kernel, Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (failed(lower(kernel, &op)))
      return failure();
  return success();
}
