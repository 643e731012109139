//===- AccessPair.h - Accesses of different iterations ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses, or more, are copies of the program's values: those that all see
// are shared, those of an iteration of its own, and of loops in between, are
// not.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_NESTS_ACCESSPAIR_H
#define TC_LIB_ANALYSIS_NESTS_ACCESSPAIR_H

#include "Nests/Cases.h"

#include "tc/Analysis/IntegerSystem.h"
#include "tc/Analysis/NestAccess.h"

#include "llvm/ADT/DenseSet.h"

namespace mlir::tc {

/// The conditions under which accesses reach one element.
class AccessPair {
public:
  /// Values of `copied` and of what is inside of these ops differ.
  AccessPair(ArrayRef<Operation *> copied, NestValues &values)
      : values(values), system(values.getContext()), copied(copied) {}

  /// Adds `expr >= 0`, and what is known of its variables.
  void addNonNegative(AffineExpr expr);
  /// Adds `expr = 0`, likewise.
  void addZero(AffineExpr expr);
  /// Adds the conditions of a case, likewise.
  void add(const Case &conditions);
  /// Adds what is known of the variables of `expr`.
  void addKnown(AffineExpr expr);
  /// Are the subscripts of the first access those of the second?
  void addSame(ArrayRef<AffineExpr> first, ArrayRef<AffineExpr> second);
  /// `expr` over the values that the second access sees.
  AffineExpr inSecond(AffineExpr expr) { return in(1, expr); }
  /// `expr` over the values that access number `copy` sees; the first is 0.
  AffineExpr in(unsigned copy, AffineExpr expr);

  bool isProvablyEmpty() const { return system.isProvablyEmpty(); }
  /// Are all variables indices, of which everything is known?
  bool isClosed() const;
  std::optional<DenseMap<unsigned, int64_t>> findPoint() const {
    return system.findPoint();
  }

private:
  bool isShared(unsigned dim);
  AffineExpr getCopy(unsigned copy, unsigned dim);

  NestValues &values;
  IntegerSystem system;
  /// Ops whose values either access has for itself.
  SmallVector<Operation *> copied;
  DenseMap<std::pair<unsigned, unsigned>, AffineExpr> copies;
  /// The number of the copy, and what it is one of.
  DenseMap<unsigned, std::pair<unsigned, unsigned>> origin;
  DenseSet<unsigned> known;
};

/// The subscripts of both in one form; none when that is not known.
std::optional<std::pair<SmallVector<AffineExpr>, SmallVector<AffineExpr>>>
alignSubscripts(const NestAccess &first, const NestAccess &second);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_NESTS_ACCESSPAIR_H
