//===- ScalarOps.h - What scalar ops compute --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The meaning of the ops of arith, math and complex, and of the arithmetic of a
// contraction without regions, on the numbers of the reference.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_SCALAROPS_H
#define TC_LIB_REFERENCE_SCALAROPS_H

#include "tc/Reference/Scalar.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace mlir::tc::reference {

struct ScalarOp;
/// Computes the value and the magnitude of one scalar from up to three.
using ScalarFunction = Scalar (*)(const Scalar *arguments, const ScalarOp &op);

/// How the roundings of the arguments pass to the result, before those of the
/// operation itself: to first order, what bounds |error| / magnitude.
enum class Passing {
  largest, ///< of sums, of functions of one argument, and of integers
  sum,     ///< of products
  fused,   ///< of a product and a sum
  own      ///< the function says
};

/// One operation with what its types add to it.
struct ScalarOp {
  ScalarFunction function = nullptr;
  unsigned code = 0;  ///< of a comparison: the predicate
  unsigned bits = 64; ///< of the integers that it reads, or truncates to
  /// Roundings that it makes, and the unit roundoff of each.
  unsigned roundings = 0;
  double roundoff = 0;
  Passing passing = Passing::largest;

  /// The whole result: value, magnitude and roundings.
  Scalar apply(llvm::ArrayRef<Scalar> arguments) const;
};

/// The meaning of `op`, which has one result, if it has one here.
std::optional<ScalarOp> findScalarOp(Operation *op);
/// The same of the op called `name` with arguments and result of `type`.
std::optional<ScalarOp> findScalarOp(llvm::StringRef name, Type type);

/// The operations of a contraction without regions; of i1, `and` and `or`.
ScalarOp getProduct(Type type);
ScalarOp getSum(Type type);
/// From a number's type to another (see canConvert); nothing where the two are
/// the same in the reference.
std::optional<ScalarOp> findConversion(Type from, Type to);
ScalarOp getCopy();

/// The number that a constant stands for, if it stands for one.
std::optional<Scalar> findScalar(Attribute attribute);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_SCALAROPS_H
