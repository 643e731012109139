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
// With each value comes a bound of the absolute error that a faithful
// implementation may have there: one that rounds each operation to its type,
// and takes the terms of a sum in any order. Errors pass through operations
// (through a function that is monotone, what it makes of both ends), and each
// operation adds its own rounding. A sum of n terms in an arithmetic of unit
// roundoff u errs by at most n*u/(1 - n*u) times the sum of the absolute values
// of its terms (N. J. Higham, Accuracy and Stability of Numerical Algorithms,
// 2nd ed., sections 3.1 and 4.2), and by what the terms bring along. Sums of
// floats of 16 and 8 bits into a result are kept in f32 and rounded once; what
// is too large for 8 bits is the largest number. Units that are short of bits
// for sums of products of 8 bits may cut off what they do not have. Infinities
// and NaN are exact where all that is possible gives them, and are compared as
// such.
//
// Where a comparison is closer than the errors of its sides, an implementation
// may get another truth value. A choice that follows is off by the distance of
// both values, an integer may be another one, and branches and subscripts are
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

  /// The parts of all elements.
  std::vector<double> values() const;
  std::vector<int64_t> integers() const;
};

/// What `evaluate` found out.
struct Evaluation {
  std::vector<Array> results; ///< what the function returns
  /// How many branches and subscripts rounding errors decide, and where first.
  uint64_t undecided = 0;
  std::string firstUndecided;
};

struct EvaluateOptions {
  /// Fail where an iteration of a parallel loop writes an element that another
  /// one reads or writes, but for atomic updates.
  bool checkIndependence = false;
  /// Fail where a memref.copy reads what nobody has written, too.
  bool copiesRead = false;
  /// Where tensor units keep fewer bits after the point of sums of products of
  /// 8 bits than f32 (Machine::f8SumBits): how many; else 0.
  int64_t f8SumBits = 0;
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
  /// The largest absolute value among the finite elements of the reference.
  double scale = 0;
  /// The largest |got - reference| of any element, relative to the scale;
  /// infinite where only one of two is a number, and where there is no scale.
  double maxError = 0;
  double maxBound = 0; ///< the largest bound of a judged element, relative too
  /// Of all elements, the one whose error is largest for its bound.
  int64_t worst = 0; ///< its row-major index
  double error = 0;  ///< |got - reference| there
  double bound = 0;  ///< what is due to rounding there
  /// Elements of which nothing is asked, and the first of them: their bound is
  /// wider than the scale, or the program does not write them.
  int64_t unjudged = 0;
  int64_t firstUnjudged = 0;

  bool isDueToRounding() const { return error <= bound; }
};

/// Compares all elements; both have as many, and both or none are integers.
Comparison compare(const Array &got, const Array &reference);

} // namespace mlir::tc

#endif // TC_REFERENCE_REFERENCE_H
