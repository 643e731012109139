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

Comparison compare(const Array &got, const Array &reference, double smallest,
                   double roundoff) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Comparison result;
  double worst = 0; // error / tolerance
  for (size_t i = 0; i != got.elements.size(); ++i) {
    const Scalar &x = got.elements[i], &y = reference.elements[i];
    double error = 0, tolerance = 0;
    if (reference.isInteger) {
      error = x.integer == y.integer ? 0 : infinity;
    } else {
      error = relativeError(x, y, smallest);
      tolerance = toleranceFor(y.roundings, y.error + roundoff);
    }
    result.maxRelativeError = std::max(result.maxRelativeError, error);
    result.maxTolerance = std::max(result.maxTolerance, tolerance);
    double share = error == 0 ? 0 : error / tolerance; // may be infinite
    if (i != 0 && !(share > worst))
      continue;
    worst = share;
    result.worst = i;
    result.error = error;
    result.tolerance = tolerance;
  }
  return result;
}

double toleranceFor(int64_t roundings, double error) {
  auto bound = [](double nu) { return nu < 0.5 ? nu / (1 - nu) : 1; };
  return bound(error) + bound(double(roundings + 1) * 0x1p-53);
}

} // namespace mlir::tc
