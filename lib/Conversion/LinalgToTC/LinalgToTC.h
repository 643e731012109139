//===- LinalgToTC.h - Pieces of convert-linalg-to-tc ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTC_LINALGTOTC_H
#define TC_LIB_CONVERSION_LINALGTOTC_LINALGTOTC_H

#include "tc/IR/TC.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

#include <string>

namespace mlir::tc {

/// A value of the body as the map yields it: as a number of `type`.
using Mapped = std::pair<Value, Type>;

/// The body of a linalg op, cut in two: what old results have no part in is the
/// map, what they do have a part in is the combine.
struct ScalarBody {
  /// The inputs that the map reads, as numbers of DPS inputs; one at least
  /// where the op accumulates.
  SmallVector<unsigned> inputs;
  /// The ops of the map, in order, constants apart, and what the combine uses
  /// of it, each as a value of a type; what the op yields where it does not
  /// accumulate.
  SmallVector<Operation *> mapOps;
  SmallVector<Mapped> mapped;
  /// The type of each accumulator: wider than the result where that is a sum of
  /// narrow numbers.
  SmallVector<Type> accumulators;
  /// The ops of the combine that have operands and results of the accumulator's
  /// type in place of that of the element.
  llvm::SmallDenseMap<Operation *, Type> widened;
  /// The ops that depend on old results.
  SmallVector<Operation *> combineOps;
  /// Where each result is a mapped value joined to its old value by an
  /// associative and commutative op, or subtracted from it: these ops. Else
  /// empty.
  SmallVector<Operation *> joins;

  /// Is an old result read, or a result written more than once? If not, the op
  /// overwrites its results with what is mapped.
  bool accumulates = false;

  /// Are all joins additions, which need no region, once the map gives what is
  /// subtracted with the other sign?
  bool isAddition() const;
  bool isSubtracted(unsigned i) const;
  /// The type in which an op of the combine gives its first result, and in
  /// which it takes `operand` of the body.
  Type getType(Operation *combineOp) const;
  Type getTypeIn(Operation *combineOp, Value operand) const;
  /// For each join the element `x` of the result with join(x, y) == y.
  SmallVector<TypedAttr> getNeutral() const;
  /// Does joining with `value` at the start, and any number of times, give the
  /// same as once? True of the neutral element, and of any value when join `i`
  /// is idempotent (max, min, and, or).
  bool mayStartFrom(unsigned i, TypedAttr value) const;
};

/// Cuts the body of `op`, or fails with a word on what it found in `reason`.
FailureOr<ScalarBody> matchBody(linalg::LinalgOp op, std::string &reason);

/// What the user has said of the combine of a linalg op by the attributes
/// tc.associative, tc.commutative and tc.neutral.
struct Laws {
  bool associative = false, commutative = false;
  SmallVector<TypedAttr> neutral; ///< where accumulation starts, if given
};

/// Gives `contract`, which has none, the regions that `body` is. `start` is
/// where accumulation starts: a neutral element of each result, or, where terms
/// are joined in order, any value.
void buildRegions(RewriterBase &rewriter, linalg::LinalgOp op,
                  const ScalarBody &body, const Laws &laws,
                  ArrayRef<TypedAttr> start, ContractOp contract);

/// The linalg.fill with a constant that wrote the whole old content of result
/// `i` of `op`, when nothing else can have seen or changed it since.
linalg::FillOp findFill(linalg::LinalgOp op, unsigned i);

/// The constant a fill writes, if it is one.
TypedAttr getFillValue(linalg::FillOp fill);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_LINALGTOTC_LINALGTOTC_H
