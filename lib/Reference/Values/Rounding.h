//===- Rounding.h - Bounds of what an implementation gets -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the errors of arguments pass through an operation, and what its own
// rounding adds (Reference.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_VALUES_ROUNDING_H
#define TC_LIB_REFERENCE_VALUES_ROUNDING_H

#include "Values/ScalarOps.h"

#include "llvm/Support/MathExtras.h"

#include <initializer_list>

namespace mlir::tc::reference {

/// Nothing is known of what an implementation gets.
constexpr double unknown = std::numeric_limits<double>::infinity();

/// A number of any type of which nothing is known.
inline Scalar unknownNumber() {
  Scalar result;
  result.inherited = unknown;
  return result;
}

/// How far `value` is from the farthest of `others`, each of which an
/// implementation may get in its place; infinite where only one of two is a
/// number, or they are infinities of two signs.
double spread(double value, std::initializer_list<double> others);

/// The result `value` of an operation that is no sum: its arguments make it
/// wrong by `inherited`, and it is then rounded as `op` rounds. Where `quantum`
/// is given, the exact result is a multiple of 2^quantum.
Scalar rounded(double value, double inherited, const ScalarOp &op,
               int quantum = Scalar::noQuantum);
Scalar rounded(std::complex<double> value, double inherited, const ScalarOp &op,
               int quantum = Scalar::noQuantum);
/// The quantum of a product.
int quantumOfProduct(int first, int second);

/// `x` rounded to the type of `op`: an open sum stays open.
Scalar roundedSum(Scalar x, const ScalarOp &op);

/// The product of two reals.
Scalar multiply(const Scalar &a, const Scalar &b, const ScalarOp &op);

/// A term of sums: `sum` with the terms of `other` added, whose total is
/// `total`.
Scalar joined(std::complex<double> total, const Scalar &sum,
              const Scalar &other, const ScalarOp &op);

/// `chosen`, where rounding errors decide whether it is `other` instead.
Scalar chooseUndecided(const Scalar &chosen, const Scalar &other,
                       const ScalarOp &op);

/// What has become of a float: infinities and NaN are exact where all that is
/// possible gives them; what may pass the largest number of the type, in some
/// order of its terms, may become an infinity.
void settleRange(Scalar &result, const ScalarOp &op);

/// May errors change the order of the two? Not where one is no number.
bool isUndecided(const Scalar &a, const Scalar &b);

/// The low bits of a number that `op` reads, zero-extended.
inline uint64_t unsignedOf(const Scalar &x, const ScalarOp &op) {
  return uint64_t(x.integer) & llvm::maskTrailingOnes<uint64_t>(op.bits);
}
/// A truth value counts as -1, as any integer of which all bits are set.
inline int64_t signedOf(const Scalar &x, const ScalarOp &op) {
  return op.bits == 1 ? -x.integer : x.integer;
}

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_VALUES_ROUNDING_H
