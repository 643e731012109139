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

#ifndef TC_LIB_REFERENCE_VALUES_SCALAROPS_H
#define TC_LIB_REFERENCE_VALUES_SCALAROPS_H

#include "tc/Reference/Scalar.h"

#include "mlir/IR/Operation.h"

#include <limits>
#include <optional>

namespace mlir::tc::reference {

struct ScalarOp;
/// Computes one scalar from up to three.
using ScalarFunction = Scalar (*)(const Scalar *arguments, const ScalarOp &op);

/// How an operation bounds the error of its result.
enum class ErrorRule {
  own,     ///< the function does, as those of floats do
  sum,     ///< an integer is off by at most what its arguments are off together
  anything ///< an integer may be anything once an argument is uncertain
};

/// One operation with what its types add to it.
struct ScalarOp {
  ScalarFunction function = nullptr;
  ErrorRule rule = ErrorRule::own;
  unsigned code = 0;  ///< of a comparison: the predicate
  unsigned bits = 64; ///< of the integers that it reads, or truncates to
  /// Roundings that it makes, and the unit roundoff of each; 0: an integer.
  unsigned roundings = 0;
  double roundoff = 0;
  int digits = 0; ///< of the significand of a float
  /// The smallest normal and the largest number of the float type.
  double smallest = 0;
  double largest = std::numeric_limits<double>::infinity();
  /// Is what is larger the largest number rather than infinite?
  bool saturates = false;

  /// The sum of the unit roundoffs of its roundings: the implementation's, and
  /// as many of the reference, which computes in f64.
  double rounding() const { return roundings * (roundoff + 0x1p-53); }
  /// The whole result: a value, and what bounds its error.
  Scalar apply(llvm::ArrayRef<Scalar> arguments) const;
};

/// A row of the tables of operations.
struct ScalarOpEntry {
  llvm::StringLiteral name;
  ScalarFunction function;
  unsigned roundings = 0; ///< to the type of the result
  ErrorRule rule = ErrorRule::own;
};
llvm::ArrayRef<ScalarOpEntry> getRealOps();
llvm::ArrayRef<ScalarOpEntry> getComplexOps();
llvm::ArrayRef<ScalarOpEntry> getIntegerOps();

/// The meaning of `op`, which has one result, if it has one here; of an op on
/// vectors it has none.
std::optional<ScalarOp> findScalarOp(Operation *op);
/// The same of an op on scalars or on vectors: for each of their elements.
std::optional<ScalarOp> findElementOp(Operation *op);
/// The same of the op called `name` with arguments and result of `type`.
std::optional<ScalarOp> findScalarOp(llvm::StringRef name, Type type);

/// The operations of a contraction without regions; of i1, `and` and `or`.
ScalarOp getProduct(Type type);
ScalarOp getSum(Type type);
/// From a number's type to another (see canConvert); nothing where the two are
/// the same in the reference.
std::optional<ScalarOp> findConversion(Type from, Type to);
/// What rounds a float to `type`.
ScalarOp getRounding(Type type);
ScalarOp getCopy();

/// The number that a constant stands for, if it stands for one.
std::optional<Scalar> findScalar(Attribute attribute);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_VALUES_SCALAROPS_H
