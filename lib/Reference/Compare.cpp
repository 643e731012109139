//===- Compare.cpp - Computed values against the reference ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"

#include <cmath>
#include <limits>

using namespace llvm;

namespace mlir::tc {

static bool isNotANumber(const Scalar &x) {
  return std::isnan(x.value) || std::isnan(x.imaginary);
}

/// The error of one element; see Comparison.
static double relativeError(const Scalar &got, const Scalar &expected,
                            double smallest) {
  if (got.complex() == expected.complex() ||
      (isNotANumber(got) && isNotANumber(expected)))
    return 0;
  double error = std::abs(got.complex() - expected.complex());
  // A sum that is exactly 0 in every term has no rounding to excuse it.
  if (expected.magnitude == 0 || !std::isfinite(error))
    return std::numeric_limits<double>::infinity();
  return error / std::max(expected.magnitude, smallest);
}

Comparison compare(const Array &got, const Array &reference, double smallest) {
  Comparison result;
  for (size_t i = 0; i != got.elements.size(); ++i) {
    const Scalar &x = got.elements[i], &y = reference.elements[i];
    double error = !reference.isInteger ? relativeError(x, y, smallest)
                   : x.integer == y.integer
                       ? 0
                       : std::numeric_limits<double>::infinity();
    if (error <= result.maxRelativeError)
      continue;
    result.maxRelativeError = error;
    result.worst = i;
  }
  return result;
}

double toleranceFor(int64_t roundings, double error) {
  auto bound = [](double nu) { return nu < 0.5 ? nu / (1 - nu) : 1; };
  return bound(error) + bound(double(roundings + 1) * 0x1p-53);
}

} // namespace mlir::tc
