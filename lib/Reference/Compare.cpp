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

/// The error of one element; see Comparison.
static double relativeError(double got, double expected, double magnitude,
                            double smallest) {
  if (got == expected || (std::isnan(got) && std::isnan(expected)))
    return 0;
  // A sum that is exactly 0 in every term has no rounding to excuse it.
  if (magnitude == 0 || !std::isfinite(got) || !std::isfinite(expected))
    return std::numeric_limits<double>::infinity();
  return std::fabs(got - expected) / std::max(magnitude, smallest);
}

Comparison compare(ArrayRef<double> got, const Array &reference,
                   double smallest) {
  Comparison result;
  for (size_t i = 0; i != got.size(); ++i) {
    double error = relativeError(got[i], reference.values[i],
                                 reference.magnitudes[i], smallest);
    if (error <= result.maxRelativeError)
      continue;
    result.maxRelativeError = error;
    result.worst = i;
  }
  return result;
}

double toleranceFor(int64_t roundings, unsigned elementBytes) {
  constexpr double f64Roundoff = 0x1p-53;
  double roundoff = elementBytes == 4 ? 0x1p-24 : f64Roundoff;
  auto bound = [&](double u) {
    double nu = double(roundings + 1) * u;
    return nu < 0.5 ? nu / (1 - nu) : 1;
  };
  return bound(roundoff) + bound(f64Roundoff);
}

} // namespace mlir::tc
