//===- Store.cpp - Elements of a buffer in other places -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNest.h"
#include "Nests/BuildExpr.h"

#include "tc/Analysis/AccessBox.h"
#include "tc/Analysis/Lifetimes.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Dominance.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

/// An empty buffer like `buffer`, of another shape.
static NewOp createLike(RewriterBase &rewriter, NewOp buffer,
                        ArrayRef<int64_t> shape, int64_t threads) {
  auto type = cast<MemRefType>(buffer.getType());
  return NewOp::create(rewriter, buffer.getLoc(),
                       MemRefType::get(shape, type.getElementType(),
                                       MemRefLayoutAttrInterface(),
                                       type.getMemorySpace()),
                       buffer.getInitAttr(), threads, /*slot=*/IntegerAttr());
}

/// Why elements of `type` cannot be stored by `layout` in `other`, if that is a
/// type; empty if they can. Else `shape` is what they need.
static std::string findPlaces(MemRefType type, AffineMap layout,
                              MemRefType other,
                              SmallVectorImpl<int64_t> &shape) {
  if (!type.hasStaticShape() || type.getNumElements() == 0)
    return "expected a buffer of static extents that is not empty";
  if (layout.getNumDims() != type.getRank() || layout.getNumSymbols() != 0)
    return ("expected a layout of " + Twine(type.getRank()) + " dimensions")
        .str();
  if (other && other.getElementType() != type.getElementType())
    return "expected buffers of one element type";
  if (other && other.getRank() != layout.getNumResults())
    return ("expected a layout with " + Twine(other.getRank()) +
            " results, as the other buffer has dimensions")
        .str();
  SmallVector<std::optional<int64_t>> first(type.getRank(), 0), last;
  for (int64_t size : type.getShape())
    last.push_back(size - 1);
  for (auto [d, result] : llvm::enumerate(layout.getResults())) {
    auto low = getBoundForAffineExpr(result, type.getRank(), 0, first, last,
                                     /*isUpper=*/false),
         high = getBoundForAffineExpr(result, type.getRank(), 0, first, last,
                                      /*isUpper=*/true);
    if (!low || !high || *low < 0)
      return ("expected subscripts from 0 on, by result " + Twine(d) +
              " of the layout")
          .str();
    if (other && (other.isDynamicDim(d) || *high >= other.getDimSize(d)))
      return ("expected subscripts of the other buffer, by result " + Twine(d) +
              " of the layout")
          .str();
    shape.push_back(*high + 1);
  }
  return "";
}

/// The subscripts of an access of one element of `buffer`; none of another op.
static std::optional<ValueRange> getSubscripts(Operation *op, Value buffer) {
  using Found = std::optional<ValueRange>;
  return TypeSwitch<Operation *, Found>(op)
      .Case([](memref::LoadOp load) -> Found { return load.getIndices(); })
      .Case([&](memref::StoreOp store) -> Found { return store.getIndices(); })
      .Case([&](memref::AtomicRMWOp update) -> Found {
        return update.getIndices();
      })
      .Default(Found());
}

static void redirect(RewriterBase &rewriter, Operation *op, Value target,
                     ValueRange places) {
  TypeSwitch<Operation *>(op)
      .Case([&](memref::LoadOp load) {
        rewriter.replaceOpWithNewOp<memref::LoadOp>(load, target, places);
      })
      .Case([&](memref::StoreOp store) {
        rewriter.replaceOpWithNewOp<memref::StoreOp>(store, store.getValue(),
                                                     target, places);
      })
      .Case([&](memref::AtomicRMWOp update) {
        rewriter.replaceOpWithNewOp<memref::AtomicRMWOp>(
            update, update.getKind(), update.getValue(), target, places);
      });
}

static LogicalResult checkUsers(NewOp buffer, Refusal &refusal) {
  for (Operation *user : buffer->getUsers())
    if (!getSubscripts(user, buffer))
      return refuse(refusal,
                    "expected loads, stores and atomic updates of elements "
                    "alone, found '" +
                        user->getName().getStringRef() + "'");
  return success();
}

/// May values of `other` be there before, and be needed at the end?
static StoredBuffer describeOther(Value other, const Storage &storage) {
  auto made = other.getDefiningOp<NewOp>();
  bool isLocal = made || other.getDefiningOp<memref::AllocOp>() ||
                 other.getDefiningOp<memref::AllocaOp>();
  auto rank = cast<MemRefType>(other.getType()).getRank();
  return {other, AffineMap::getMultiDimIdentityMap(rank, other.getContext()),
          !storage.discard && (made ? made.getInit().has_value() : !isLocal),
          !isLocal};
}

LogicalResult mlir::tc::storeIn(RewriterBase &rewriter, NewOp buffer,
                                const Storage &storage, Refusal &refusal) {
  auto type = cast<MemRefType>(buffer.getType());
  Value other = storage.other;
  auto otherType = other ? dyn_cast<MemRefType>(other.getType()) : MemRefType();
  AffineMap layout = storage.layout;
  if (!layout)
    layout =
        AffineMap::getMultiDimIdentityMap(type.getRank(), buffer.getContext());
  if (other && (!otherType || findBuffer(other) != other || other == buffer))
    return refuse(refusal, "expected another buffer, not a view of one");
  if (buffer.getThreads() != 0 || buffer.getSlot() ||
      (other && buffer.getInit()))
    return refuse(refusal, "expected a tc.new without threads, slot, and in "
                           "another buffer without init");
  SmallVector<int64_t> shape;
  if (std::string why = findPlaces(type, layout, otherType, shape);
      !why.empty())
    return refuse(refusal, why);
  if (storage.threads < 0 || storage.threads > int64_t(shape.size()) ||
      (other && storage.threads != 0))
    return refuse(refusal, "expected threads that are numbered by the first "
                           "dimensions of a new buffer");
  if (other && !DominanceInfo().properlyDominates(other, buffer))
    return refuse(refusal, "expected another buffer that is there before");
  if (failed(checkUsers(buffer, refusal)))
    return failure();

  NestValues values(buffer.getContext());
  SmallVector<StoredBuffer> stored = {
      {buffer, layout, buffer.getInit().has_value(), /*hasFinal=*/false}};
  if (other)
    stored.push_back(describeOther(other, storage));
  Block *scope = other ? other.getParentBlock() : buffer->getBlock();
  if (auto lost = findOverwrite(scope, stored, values)) {
    refusal.overwrite = lost;
    StringRef why = lost->isRace ? "iterations that are independent would "
                                   "write to one place"
                                 : "two elements of one place would be needed "
                                   "at one time";
    return refuse(refusal, (lost->isProven ? "" : "not proven: ") + why);
  }

  Value target = other;
  if (!target) {
    rewriter.setInsertionPoint(buffer);
    target = createLike(rewriter, buffer, shape, storage.threads);
  }
  for (Operation *user : llvm::to_vector(buffer->getUsers())) {
    rewriter.setInsertionPoint(user);
    SmallVector<AffineExpr> subscripts =
        llvm::map_to_vector(*getSubscripts(user, buffer), [&](Value subscript) {
          return values.trace(subscript);
        });
    SmallVector<Value> places;
    for (AffineExpr result : layout.getResults())
      places.push_back(getValueOrCreateConstantIndexOp(
          rewriter, user->getLoc(),
          buildExpr(rewriter, user->getLoc(),
                    simplifyInRange(result.replaceDims(subscripts), values),
                    values)));
    redirect(rewriter, user, target, places);
  }
  rewriter.eraseOp(buffer);
  return success();
}

//===----------------------------------------------------------------------===//
// Store at
//===----------------------------------------------------------------------===//

/// What the users of `buffer` reach in an iteration of `nest`.
static LogicalResult findBox(NewOp buffer, Operation *nest, NestValues &values,
                             AccessBox &box, Refusal &refusal) {
  for (Operation *user : buffer->getUsers()) {
    if (!nest->isProperAncestor(user))
      return refuse(refusal,
                    "expected a buffer that is used in the nest alone");
    for (NestAccess &access : getAccesses(user, values))
      if (auto found = box.extend(access))
        return refuse(refusal,
                      "expected each iteration to use a box, found subscript " +
                          Twine(found->dim) +
                          (found->isApart
                               ? " of two accesses not a constant apart"
                               : " not linear in indices of constant extents"));
  }
  return success();
}

FailureOr<Operation *> mlir::tc::storeAt(RewriterBase &rewriter, NewOp buffer,
                                         Operation *nest, Refusal &refusal) {
  if (buffer.getThreads() != 0 || buffer.getSlot())
    return refuse(refusal, "expected a tc.new without threads and slot");
  if (nest->getBlock() != buffer->getBlock() || !buffer->isBeforeInBlock(nest))
    return refuse(refusal, "expected a nest after the buffer, in its block");
  if (buffer->use_empty())
    return refuse(refusal, "expected a buffer that is used in the nest");
  if (failed(checkUsers(buffer, refusal)))
    return failure();
  NestValues values(nest->getContext());
  AccessBox box(&LoopNest(nest).getBody().front(), values);
  if (failed(findBox(buffer, nest, values, box, refusal)))
    return failure();
  // Iterations of a tc.par see nothing of each other.
  if (auto clash =
          isa<ParOp>(nest) ? std::nullopt : findCarried(nest, buffer, values))
    return refuse(refusal, "a buffer for each iteration", *clash);

  rewriter.setInsertionPointToStart(&LoopNest(nest).getBody());
  SmallVector<int64_t> shape;
  for (unsigned d = 0; d < box.getRank(); ++d)
    shape.push_back(box.getSize(d));
  NewOp part = createLike(rewriter, buffer, shape, /*threads=*/0);
  for (Operation *user : llvm::to_vector(buffer->getUsers())) {
    SmallVector<AffineExpr> subscripts =
        getAccesses(user, values).front().subscripts;
    rewriter.setInsertionPoint(user);
    SmallVector<Value> places;
    for (auto [d, subscript] : llvm::enumerate(subscripts))
      places.push_back(getValueOrCreateConstantIndexOp(
          rewriter, user->getLoc(),
          buildExpr(rewriter, user->getLoc(), subscript - box.getFirst(d),
                    values)));
    redirect(rewriter, user, part, places);
  }
  rewriter.eraseOp(buffer);
  return part.getOperation();
}
