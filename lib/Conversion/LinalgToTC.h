//===- LinalgToTC.h - Pieces of convert-linalg-to-tc ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOTC_H
#define TC_LIB_CONVERSION_LINALGTOTC_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <string>

namespace mlir::tc {

/// The body of a linalg op as `combine(acc, map(inputs))`.
struct ScalarBody {
  /// The inputs that the body reads, as numbers of DPS inputs; one that is read
  /// twice as a factor is there twice.
  SmallVector<unsigned> inputs;
  /// Empty when the mapped value is the product of `inputs`; else the ops that
  /// compute it, in order.
  SmallVector<Operation *> mapOps;
  Value mapped;
  /// The op that joins the old value and the mapped one; null when the old
  /// value is not read.
  Operation *combine = nullptr;

  /// Is the combine an addition, which needs no region?
  bool isAddition() const;
  /// The element `x` with combine(x, y) == y, or null without a combine.
  TypedAttr getNeutral() const;
  /// Does combining with `value` at the start, and any number of times, give
  /// the same as once? True of the neutral element, and of any value when the
  /// combine is idempotent (max, min, and, or).
  bool mayStartFrom(TypedAttr value) const;
};

/// Reads the body of `op`, or fails with a word on what it found in `reason`.
FailureOr<ScalarBody> matchBody(linalg::LinalgOp op, std::string &reason);

/// The linalg.fill with a constant that wrote the whole old content of `op`'s
/// only result, when nothing else can have seen or changed it since.
linalg::FillOp findFill(linalg::LinalgOp op);

/// The constant a fill writes, if it is one.
TypedAttr getFillValue(linalg::FillOp fill);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_LINALGTOTC_H
