//===- Cache.cpp - Requests for copies in shared memory -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Nests/Cache.h"

#include "Contract/Alignment.h"
#include "Contract/Indexing.h"
#include "Nests/BuildExpr.h"

#include "tc/Transforms/Passes.h"

#include "tc/Algebra/Exprs.h"
#include "tc/Analysis/IntegerSystem.h"
#include "tc/Analysis/WideAccess.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CACHE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

LogicalResult CacheRequest::findLoads() {
  Value buffer = skipAssumptions(op.getSource());
  if (findBuffer(buffer) != buffer)
    return op.emitOpError("expected a buffer, not a view of one");
  for (Operation *next = op->getNextNode(); next; next = next->getNextNode()) {
    WalkResult result = next->walk([&](Operation *nested) -> WalkResult {
      for (NestAccess &access : getAccesses(nested, values)) {
        if (areDistinct(access.buffer, buffer))
          continue;
        if (access.writes || !access.isExact || access.isLinear)
          return nested->emitOpError("expected loads of the buffer itself "
                                     "after a tc.cache of it");
        loads.push_back(access);
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  if (loads.empty())
    return op.emitOpError("expected loads of the buffer after it");
  return success();
}

LogicalResult CacheRequest::findBox() {
  for (NestAccess &load : loads)
    if (std::optional<BoxObstacle> found = box.extend(load)) {
      InFlightDiagnostic error = load.op->emitOpError("expected subscript ")
                                 << found->dim;
      if (found->isApart)
        error << " to be a constant apart from that of the other loads of the "
                 "buffer";
      else
        error << " to be linear in indices of constant extents, for the "
                 "tc.cache of the buffer";
      return failure();
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

/// Where the box begins along dimension `d`, inside of the buffer.
Value CacheRequest::buildOffset(unsigned d) {
  Location loc = op.getLoc();
  AffineExpr first = box.getFirst(d);
  Value offset = getValueOrCreateConstantIndexOp(
      rewriter, loc, buildExpr(rewriter, loc, first, values));
  if (isNonNegative(first, values))
    return offset;
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  return arith::MaxSIOp::create(rewriter, loc, offset, zero);
}

/// How much of the box is inside of the buffer along dimension `d`.
OpFoldResult CacheRequest::buildSize(unsigned d) {
  Location loc = op.getLoc();
  int64_t size = box.getSize(d);
  auto type = cast<MemRefType>(op.getSource().getType());
  AffineExpr first = box.getFirst(d);
  if (!type.isDynamicDim(d) && isNonNegative(first, values) &&
      isNonNegative(type.getDimSize(d) - size - first, values))
    return rewriter.getIndexAttr(size);
  Value extent = memref::DimOp::create(rewriter, loc, op.getSource(), d);
  Value rest = arith::SubIOp::create(rewriter, loc, extent, offsets[d]);
  Value most = arith::ConstantIndexOp::create(rewriter, loc, size);
  rest = arith::MinSIOp::create(rewriter, loc, rest, most);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  return arith::MaxSIOp::create(rewriter, loc, rest, zero).getResult();
}

/// The strides of a copy whose dimensions lie in this order, with `pad`
/// elements after each row.
static SmallVector<int64_t> getStrides(ArrayRef<int64_t> sizes,
                                       ArrayRef<int64_t> order, int64_t pad) {
  SmallVector<int64_t> strides(sizes.size());
  int64_t stride = 1;
  for (auto [place, d] : llvm::enumerate(llvm::reverse(order))) {
    strides[d] = stride;
    stride *= sizes[d];
    if (place == 0 && order.size() > 1)
      stride += pad;
  }
  return strides;
}

StageOp CacheRequest::buildStage() {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getSource().getType());
  unsigned rank = type.getRank();
  SmallVector<OpFoldResult> begin, sizes;
  SmallVector<int64_t> full;
  for (unsigned d = 0; d < rank; ++d) {
    offsets.push_back(buildOffset(d));
    begin.push_back(offsets[d]);
    sizes.push_back(buildSize(d));
    full.push_back(box.getSize(d));
  }
  SmallVector<OpFoldResult> ones(rank, rewriter.getIndexAttr(1));
  Value part = memref::SubViewOp::create(rewriter, loc, op.getSource(), begin,
                                         sizes, ones);
  SmallVector<int64_t> order = getOrder();
  SmallVector<int64_t> strides =
      getStrides(full, order, getPad(full, order.back()));
  auto layout = StridedLayoutAttr::get(op.getContext(), /*offset=*/0, strides);
  auto space =
      gpu::AddressSpaceAttr::get(op.getContext(), gpu::AddressSpace::Workgroup);
  auto copy = MemRefType::get(full, type.getElementType(), layout, space);
  CopyBlock block = getBlock(full, strides);
  return StageOp::create(
      rewriter, loc, copy, part,
      cast<TypedAttr>(rewriter.getZeroAttr(type.getElementType())),
      IntegerAttr(), rewriter.getI64IntegerAttr(block.chunk),
      rewriter.getI64IntegerAttr(block.rows));
}

/// Lets `load` read the copy.
void CacheRequest::redirect(NestAccess &load, Value stage) {
  rewriter.setInsertionPoint(load.op);
  Location loc = load.op->getLoc();
  SmallVector<Value> subscripts;
  for (auto [subscript, offset] : llvm::zip_equal(load.subscripts, offsets)) {
    AffineExpr relative = subscript - values.getDim(offset);
    subscripts.push_back(getValueOrCreateConstantIndexOp(
        rewriter, loc, buildExpr(rewriter, loc, relative, values)));
  }
  rewriter.replaceOpWithNewOp<memref::LoadOp>(load.op, stage, subscripts);
}

FailureOr<StageOp> CacheRequest::run() {
  auto grid = op->getParentOfType<ParOp>();
  if (!grid || !grid.isOfBlocks() || grid.hasClusters())
    return op.emitOpError("expected to be between the tc.par of a grid, where "
                          "the threads of a block can copy together");
  if (!op.getSource().getType().getElementType().isIntOrFloat())
    return op.emitOpError("expected a buffer of numbers, got ")
           << op.getSource().getType();
  if (failed(findLoads()) || failed(findBox()))
    return failure();
  rewriter.setInsertionPoint(op);
  StageOp stage = buildStage();
  for (NestAccess &load : loads)
    redirect(load, stage);
  rewriter.eraseOp(op);
  return stage;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

static ParOp getOutermostPar(Operation *op) {
  ParOp outermost;
  for (auto par = op->getParentOfType<ParOp>(); par;
       par = par->getParentOfType<ParOp>())
    outermost = par;
  return outermost;
}

/// The buffers from outside that `nest` reads or writes: #tc.variant speaks of
/// the alignment of all of them.
static SmallVector<Value> getOuterBuffers(ParOp nest) {
  SmallVector<Value> buffers;
  nest.walk([&](Operation *op) {
    for (Value operand : op->getOperands()) {
      if (!isa<MemRefType>(operand.getType()))
        continue;
      // What is known of an alignment is said of a view.
      while (auto view = operand.getDefiningOp<ViewLikeOpInterface>()) {
        if (isa<memref::AssumeAlignmentOp>(view))
          break;
        operand = view.getViewSource();
      }
      if (!nest.getRegion().isAncestor(operand.getParentRegion()))
        buffers.push_back(operand);
    }
  });
  return buffers;
}

/// Moves the elements of `stages`, copies in `nest`, one at a time where
/// buffers turn out not to be aligned: in a nest of its own.
static void addUnaligned(RewriterBase &rewriter, ParOp nest,
                         ArrayRef<StageOp> stages) {
  auto helper = TCDialect::VariantAttrHelper(nest.getContext());
  VariantAttr given = helper.getAttr(nest);
  StringAttr name = given ? given.getName() : StringAttr();
  auto mark = [&](Operation *op, StringAttr name, int64_t alignment) {
    helper.setAttr(op,
                   VariantAttr::get(nest.getContext(), name,
                                    given ? given.getIndex() : 64, alignment));
  };
  rewriter.setInsertionPoint(nest);
  Value aligned =
      given && given.getAlignment() % kMaxAccessBytes == 0
          ? Value()
          : buildAligned(rewriter, nest.getLoc(), getOuterBuffers(nest));
  if (aligned) {
    auto branch = scf::IfOp::create(rewriter, nest.getLoc(), aligned,
                                    /*withElseRegion=*/true);
    IRMapping mapping;
    rewriter.setInsertionPoint(branch.elseBlock()->getTerminator());
    std::string prefix = name ? name.str() + "_" : "";
    mark(rewriter.clone(*nest, mapping),
         rewriter.getStringAttr(prefix + "unaligned"), /*alignment=*/1);
    for (StageOp stage : stages) {
      auto copy = cast<StageOp>(mapping.lookup(stage.getOperation()));
      copy.setChunk(1);
      copy.setRows(1);
    }
    rewriter.moveOpBefore(nest, branch.thenBlock()->getTerminator());
  }
  mark(nest, name, kMaxAccessBytes);
}

namespace {
struct CachePass : tc::impl::CacheBase<CachePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    llvm::MapVector<ParOp, SmallVector<StageOp>> wide;
    for (CacheOp op : collectOps<CacheOp>(getOperation())) {
      FailureOr<StageOp> stage = CacheRequest(rewriter, op).run();
      if (failed(stage))
        return signalPassFailure();
      if (stage->getChunk() > 1)
        wide[getOutermostPar(*stage)].push_back(*stage);
    }
    for (auto &[nest, stages] : wide)
      addUnaligned(rewriter, nest, stages);
  }
};
} // namespace
