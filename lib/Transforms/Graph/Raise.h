//===- Raise.h - Pieces of tc-raise -----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_GRAPH_RAISE_H
#define TC_LIB_TRANSFORMS_GRAPH_RAISE_H

#include "tc/Analysis/NestAccess.h"

#include <string>
#include <vector>

namespace mlir::tc {

/// Is `value` computed in the nest?
inline bool isInside(Operation *root, Value value) {
  return root->isAncestor(value.getParentRegion()->getParentOp());
}

/// What a loop, tc.seq or of another dialect, carries from one iteration to the
/// next: at first, and in its body. Nothing is carried by other ops.
ValueRange getInits(Operation *loop);
Block::BlockArgListType getCarried(Operation *loop);

/// An element of a memref, over the indices of the nest and values before it.
struct RaiseElement {
  Operation *op = nullptr; ///< the load or store
  Value memref;
  SmallVector<AffineExpr> subscripts;

  bool operator==(const RaiseElement &other) const {
    return memref == other.memref && subscripts == other.subscripts;
  }
};

/// For each point of `ranges`: element = value(loads, old), or one of a buffer
/// for sums alone, where what is stored needs the old element beside its sum.
struct RaiseStatement {
  SmallVector<NestRange> ranges; ///< outermost first
  RaiseElement element;
  Value value;
  /// The values that are the element's old one: loads of it, or what loops
  /// carry in its place.
  SmallVector<Value> old;
  SmallVector<RaiseElement> loads;
  bool isOfSums = false; ///< is the element one of the buffer for sums?
  Value sum;             ///< what `value` reads from there; may be null
  /// The argument of a tc.reduce's `combine` that stands for a term, and the
  /// term; null elsewhere.
  std::pair<Value, Value> term;
  SmallVector<Operation *> ops;     ///< that make `value`, in order
  SmallVector<unsigned> contracted; ///< numbers of ranges, as dimensions

  bool isAccumulating() const { return !contracted.empty(); }
};

/// A nest as statements that follow one another, all on one element.
class RaiseNest {
public:
  explicit RaiseNest(Operation *root)
      : root(root), values(root->getContext()) {}

  /// Fails with a `reason`.
  LogicalResult match();

  /// Has it a loop in order that stores, or carries a value?
  bool mayAccumulate() const;

  Operation *root;
  NestValues values;
  /// Indices of loops that are gone through backwards.
  DenseSet<Value> reversed;
  std::vector<RaiseStatement> statements;
  std::string reason;

private:
  /// A loop that carries one value, and the innermost one of its kind.
  struct Fold {
    SmallVector<NestRange> ranges;
    Value init, carried, next;
    std::pair<Value, Value> term; ///< as of RaiseStatement
    size_t outside = 0;           ///< loops round it
  };

  LogicalResult fail(const Twine &why) {
    reason = why.str();
    return failure();
  }
  void findReversed();
  SmallVector<AffineExpr> getSubscripts(Operation *op);
  LogicalResult enter(Operation *loop);
  LogicalResult addRanges(Operation *loop);
  LogicalResult addFold(Operation *loop);
  LogicalResult addReduce(ReduceOp reduce);
  LogicalResult addStore(Operation *store);
  Value findFold(Value value, DenseSet<Value> &seen) const;
  bool readsElement(Value value, const RaiseElement &element, Value sum);
  /// Adds what makes the value of `statement`, which knows its ranges, its
  /// element, and an old value that is no load. A fold may start from what
  /// `start` loads.
  LogicalResult addStatement(RaiseStatement statement,
                             Operation *start = nullptr);
  LogicalResult checkOld(ArrayRef<Operation *> loads,
                         const RaiseStatement &statement);
  LogicalResult collect(Value value, RaiseStatement &statement,
                        DenseSet<Operation *> &seen);
  LogicalResult collectLoad(Operation *load, RaiseStatement &statement);
  FailureOr<RaiseElement> getElement(Operation *op);
  LogicalResult checkStatement(RaiseStatement &statement);
  LogicalResult checkOrder();
  DenseMap<Value, Fold> folds; ///< by result
  SmallVector<NestRange> ranges;
  DenseMap<Operation *, unsigned> places;
};

/// Makes the loops of a nest that go along rows of memory work for the threads
/// of a block: tc.reduce where they combine, tc.par where they do not. False
/// where the nest stays as it is; `refusal` says why where it combines values
/// that belong together.
bool raiseFolds(RewriterBase &rewriter, Operation *root, bool keepOrder,
                std::string &refusal);

/// A subscript of a view: the iterators of the nest, counted from 0 in steps of
/// 1, times constants; and where the view begins. A constant is negative only
/// where it is the only one: a sum begins at its least value.
struct RaiseSubscript {
  SmallVector<std::pair<NestRange, int64_t>> factors;
  AffineExpr offset;
};

/// Subviews of what the nest at `root` reaches.
class RaiseViews {
public:
  /// The loops of `reversed` begin with their last index.
  RaiseViews(Operation *root, NestValues &values,
             const DenseSet<Value> &reversed)
      : root(root), values(values), reversed(reversed) {}

  /// Why an element has no view; empty if it has one.
  std::string refuse(const RaiseElement &element);
  /// The view, before `root`.
  Value build(OpBuilder &builder, const RaiseElement &element);
  /// The subscripts of the view over the counted iterators of `ranges`.
  AffineMap getMap(const RaiseElement &element, ArrayRef<NestRange> ranges);
  /// The iterations of a range.
  OpFoldResult getExtent(OpBuilder &builder, const NestRange &range);

private:
  std::optional<RaiseSubscript> split(AffineExpr subscript);
  OpFoldResult build(OpBuilder &builder, AffineExpr expr);
  OpFoldResult getSize(OpBuilder &builder, const RaiseSubscript &subscript);

  Operation *root;
  NestValues &values;
  const DenseSet<Value> &reversed;
  DenseMap<Value, OpFoldResult> extents; ///< by index
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_GRAPH_RAISE_H
