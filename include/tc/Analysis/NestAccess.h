//===- NestAccess.h - What the ops of a nest touch --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every load and store of a par/seq program as the element of a buffer that it
// reaches, an expression over the indices of the nest round it. Barriers,
// memory spaces, copies near the threads and the order of dimensions are all
// decided from these.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_NESTACCESS_H
#define TC_ANALYSIS_NESTACCESS_H

#include "tc/IR/TC.h"

#include "llvm/ADT/MapVector.h"

namespace mlir::tc {

/// One dimension of a tc.par, a tc.seq or another loop.
struct NestRange {
  Value index;
  OpFoldResult lower, upper;
  std::optional<int64_t> step;      ///< none if it is dynamic
  std::optional<int64_t> width = 1; ///< likewise
};

/// The dimensions of `op`; none of an op that is no loop, or one whose bounds
/// cannot be told.
SmallVector<NestRange> getRanges(Operation *op);
/// The dimension whose index `value` is.
std::optional<NestRange> findRange(Value value);
/// Indices from `lower` to `upper`, as far as an integer counts them.
int64_t countTrips(int64_t lower, int64_t upper, int64_t step, int64_t width);
/// The iterations of a loop, of its dimensions from `first` on; none where
/// their number is dynamic, or more than an integer holds.
std::optional<int64_t> countIterations(Operation *loop, unsigned first = 0);

/// The values of a program as dimensions of affine expressions: indices of
/// nests, and whatever else arithmetic ends in.
class NestValues {
public:
  explicit NestValues(MLIRContext *context) : context(context) {}

  MLIRContext *getContext() const { return context; }
  /// `value` over dimensions: through constants, affine.apply and arith as far
  /// as it is linear, or divides by a constant; else a dimension of its own.
  AffineExpr trace(Value value);
  AffineExpr trace(OpFoldResult value);
  /// The results of `map` at `operands`.
  SmallVector<AffineExpr> trace(AffineMap map, ValueRange operands);
  /// What is all at most a lower bound, or at least an upper one: the results
  /// of an affine.max, or of an affine.min, or the bound itself.
  SmallVector<AffineExpr> traceBounds(OpFoldResult bound, bool isLower);
  /// `upper - lower`, if it is constant.
  std::optional<int64_t> findExtent(OpFoldResult lower, OpFoldResult upper);
  /// The dimension that stands for `value`.
  AffineExpr getDim(Value value);
  /// A dimension that stands for nothing in the program.
  AffineExpr addDim() { return getAffineDimExpr(numDims++, context); }
  /// The value of a dimension; null of one that was added.
  Value getValue(unsigned dim) const { return values.lookup(dim); }
  unsigned getNumDims() const { return numDims; }
  /// What is known of a dimension: `expr >= 0`, over its bounds, if it is an
  /// index of a nest or of scf.for, or the number of a thread or block of a
  /// kernel. Nothing of a step or width that is a value.
  SmallVector<AffineExpr> getConditions(unsigned dim);
  /// Are these conditions all that the dimension has to fulfil?
  bool hasAllConditions(unsigned dim);

private:
  AffineExpr traceOp(Operation *op);

  MLIRContext *context;
  unsigned numDims = 0;
  DenseMap<Value, AffineExpr> dims;
  DenseMap<unsigned, Value> values;
};

/// One buffer, and the elements of it that an op reads or writes.
struct NestAccess {
  Operation *op;
  /// What is allocated, or a function's argument, below all views.
  Value buffer;
  bool writes = false;
  bool isAtomic = false;
  /// Is it one element, and that one always, if the op runs?
  bool isExact = false;
  /// The element: a subscript for each dimension of the buffer, or, if it is
  /// linear, its distance in elements from the first. Empty and linear when
  /// nothing is known.
  SmallVector<AffineExpr> subscripts;
  bool isLinear = false;
  /// `expr >= 0` on dimensions that were added for ops which reach more than
  /// one element.
  SmallVector<AffineExpr> conditions;

  bool isKnown() const { return !isLinear || !subscripts.empty(); }
};

/// Is a memref in memory of one thread, or in shared memory?
bool isInPrivateMemory(Value memref);
bool isInWorkgroupMemory(Value memref);

/// The distance, in elements, between the first element of a memref of this
/// type and the one at `subscripts`; null where strides are not known.
AffineExpr getDistance(MemRefType type, ArrayRef<AffineExpr> subscripts);

/// Are two buffers, as findBuffer gives them, known to be different memory? An
/// argument of a function is none of its others: kernels do not take buffers
/// that overlap what they write.
bool areDistinct(Value first, Value second);

/// The access of `op` to every element of `memref`.
NestAccess getWholeAccess(Operation *op, Value memref, bool writes,
                          NestValues &values);

/// What `op` itself, not what is inside of it, does to memory: an access for
/// each memref that it reads or writes. An op that does not tell its effects
/// may read and write all that it is given.
SmallVector<NestAccess> getAccesses(Operation *op, NestValues &values);

} // namespace mlir::tc

#endif // TC_ANALYSIS_NESTACCESS_H
