//===- Reference.h - What a program should compute --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates a function of structured ops (linalg on tensors or memrefs,
// tc.contract), nests (tc.par, tc.seq, the loops and branches of scf and
// affine) and accesses to buffers and views of them, directly from what these
// ops mean, without any pass of the pipeline: the judge of what kernels
// compute. Parallel iterations run in lexicographic order. Floats and complex
// numbers are computed in f64, integers exactly, wrapped to their width.
//
// With each floating-point value v comes its magnitude m: the value that the
// same program has when every term is taken by its absolute value, so that a
// sum that cancels keeps the size of its terms. An implementation in an
// arithmetic of unit roundoff u that makes at most n roundings on the way to an
// element, in any order of summation, errs by at most n*u/(1 - n*u) * m (N. J.
// Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., sections 3.1
// and 4.2). Each number carries its n, and the sum of the unit roundoffs of
// these roundings, as arithmetics may be mixed: a sum has the larger one of its
// terms, a product that of both factors, and one more.
//
// Where a comparison is closer than the errors of its sides, an implementation
// may get another truth value. Integers that follow are marked, choices have
// the distance of both values as error, and branches and subscripts are
// counted: what comes behind one has no bound.
//
//===----------------------------------------------------------------------===//

#ifndef TC_REFERENCE_REFERENCE_H
#define TC_REFERENCE_REFERENCE_H

#include "tc/Reference/Scalar.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace mlir::tc {

/// The elements of a memref, a tensor, or a scalar (rank 0), in row-major order
/// whatever the layout of the memref.
struct Array {
  SmallVector<int64_t> shape;
  std::vector<Scalar> elements;
  bool isInteger = false; ///< integers, indices or truth values

  /// An array of known values: each has its absolute value as magnitude.
  static Array of(ArrayRef<int64_t> shape, ArrayRef<double> values);
  static Array ofIntegers(ArrayRef<int64_t> shape, ArrayRef<int64_t> values);

  /// The parts of all elements.
  std::vector<double> values() const;
  std::vector<double> magnitudes() const;
  std::vector<int64_t> integers() const;
};

/// What `evaluate` found out.
struct Evaluation {
  std::vector<Array> results; ///< what the function returns
  /// The most roundings on the way to one element of any result or memref, and
  /// the largest sum of their unit roundoffs, each that of the type it rounds
  /// to.
  int64_t roundings = 0;
  double error = 0;
  /// How many branches and subscripts rounding errors decide, and where first.
  uint64_t undecided = 0;
  std::string firstUndecided;
};

struct EvaluateOptions {
  /// Fail where an iteration of a parallel loop writes an element that another
  /// one reads or writes, but for atomic updates.
  bool checkIndependence = false;
};

/// Runs `function`, which has one block. `arguments` has an array for each
/// argument, of its shape; those of memrefs are updated. Fails with the
/// location of an op that has no meaning here, that accesses what is outside of
/// an operand, or that reads what nobody has written.
llvm::Expected<Evaluation> evaluate(func::FuncOp function,
                                    MutableArrayRef<Array> arguments,
                                    const EvaluateOptions &options = {});

/// For each argument of `function`: may an op write to it (through views)?
SmallVector<bool> findWrittenArguments(func::FuncOp function);

/// How far computed values are from the reference.
struct Comparison {
  /// The largest |got - reference| / magnitude over all elements; infinite when
  /// one of the two is not a number, where the magnitude is 0 and got is not,
  /// and where integers differ.
  double maxRelativeError = 0;
  /// Of all elements, the one whose error is largest for its tolerance.
  int64_t worst = 0;       ///< its row-major index
  double error = 0;        ///< as maxRelativeError, of this element
  double tolerance = 0;    ///< what is due to rounding there (toleranceFor)
  double maxTolerance = 0; ///< the largest one of any element

  bool isDueToRounding() const { return error <= tolerance; }
};

/// Compares all elements; both have as many, and both or none are integers.
/// `smallest` is the smallest normal number of the arithmetic, below which
/// errors are absolute; `roundoff` the unit roundoff of the type of the array,
/// to which the results are rounded at last.
Comparison compare(const Array &got, const Array &reference, double smallest,
                   double roundoff = 0);

/// What a faithful implementation keeps below in `compare`: the bound above for
/// roundings whose unit roundoffs sum up to `error`, and as many, `roundings`,
/// of the reference itself in f64.
double toleranceFor(int64_t roundings, double error);

} // namespace mlir::tc

#endif // TC_REFERENCE_REFERENCE_H
