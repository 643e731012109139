//===- Rounding.cpp - How roundings pass through scalar ops -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rounding.h"

#include "tc/Reference/Reference.h"

using namespace llvm;

namespace mlir::tc::reference {

double boundError(const Scalar &real) {
  if (real.error == 0 || real.magnitude == 0)
    return 0;
  return toleranceFor(real.roundings, real.error) * real.magnitude;
}

Scalar chooseUndecided(const Scalar &chosen, const Scalar &first,
                       const Scalar &second, const ScalarOp &op) {
  Scalar result = chosen;
  result.error = std::max(first.error, second.error);
  result.roundings = std::max(first.roundings, second.roundings);
  if (op.roundoff == 0) { // integers
    if (first.integer != second.integer)
      result.error = 1;
    return result;
  }
  double distance = std::abs(first.complex() - second.complex());
  result.magnitude = std::max(first.magnitude, second.magnitude);
  if (distance != 0)
    result.error += float(distance / result.magnitude);
  return result;
}

Scalar ScalarOp::apply(ArrayRef<Scalar> x) const {
  Scalar result = function(x.data(), *this);
  if (passing == Passing::own)
    return result;
  float error = 0, count = 0;
  if (passing == Passing::largest) {
    for (const Scalar &argument : x) {
      error = std::max(error, argument.error);
      count = std::max(count, argument.roundings);
    }
  } else {
    error = x[0].error + x[1].error;
    count = x[0].roundings + x[1].roundings;
  }
  if (passing == Passing::fused) {
    error = std::max(error, x[2].error);
    count = std::max(count, x[2].roundings);
  }
  result.error = error + float(roundings * roundoff);
  result.roundings = count + float(roundings);
  return result;
}

} // namespace mlir::tc::reference
