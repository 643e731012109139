//===- Compare.cpp - Computed values against the reference ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace llvm;

namespace mlir::tc {

static constexpr double infinity = std::numeric_limits<double>::infinity();

static double sizeOf(const Scalar &x, bool isInteger) {
  return isInteger ? std::fabs(double(x.integer)) : std::abs(x.complex());
}

static double scaleOf(const Array &array) {
  double scale = 0;
  for (const Scalar &x : array.elements) {
    double size = x.isWritten() ? sizeOf(x, array.isInteger) : 0;
    if (std::isfinite(size))
      scale = std::max(scale, size);
  }
  return scale;
}

/// Infinities and NaN are compared as such.
static double distance(double got, double expected) {
  if (got == expected || (std::isnan(got) && std::isnan(expected)))
    return 0;
  double error = std::fabs(got - expected);
  return std::isnan(error) ? infinity : error;
}

static double distance(const Scalar &got, const Scalar &expected,
                       bool isInteger) {
  if (!isInteger)
    return std::hypot(distance(got.value, expected.value),
                      distance(got.imaginary, expected.imaginary));
  if (got.integer == expected.integer)
    return 0;
  // In f64 two large integers may be the same.
  double difference = double(got.integer) - double(expected.integer);
  return std::max(1.0, std::fabs(difference));
}

Comparison compare(const Array &got, const Array &reference) {
  Comparison result;
  result.scale = scaleOf(reference);
  auto relative = [&](double x) { return x == 0 ? 0 : x / result.scale; };
  double worst = -1; // error / bound
  for (size_t i = 0; i != got.elements.size(); ++i) {
    const Scalar &expected = reference.elements[i];
    double bound = expected.isWritten() ? expected.error() : infinity;
    double error = expected.isWritten() ? distance(got.elements[i], expected,
                                                   reference.isInteger)
                                        : 0;
    if (bound > result.scale && result.unjudged++ == 0)
      result.firstUnjudged = i;
    if (bound <= result.scale)
      result.maxBound = std::max(result.maxBound, relative(bound));
    result.maxError = std::max(result.maxError, relative(error));
    double share = error == 0 || bound == infinity ? 0 : error / bound;
    if (!(share > worst))
      continue;
    worst = share;
    result.worst = i;
    result.error = error;
    result.bound = bound;
  }
  return result;
}

} // namespace mlir::tc
