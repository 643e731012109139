//===- Verify.cpp - What a run computed against the reference -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Verify.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <cmath>

using namespace llvm;

namespace mlir::tc {

//===----------------------------------------------------------------------===//
// Elements that nobody wrote
//===----------------------------------------------------------------------===//

/// The bits of a NaN that no arithmetic makes. Kernels make the canonical one.
static uint64_t markedNaN(ElementType part) {
  return part == ElementType::f64    ? 0xfffadeadfadedeadull
         : part == ElementType::f32  ? 0xffdeadedull
         : part == ElementType::bf16 ? 0xffdeull
         : part == ElementType::f16  ? 0xfeadull
                                     : 0xffull;
}

void fillUnwritten(NumpyArray &array, const Array *expected) {
  ElementKind kind = kindOf(array.type);
  bool isFloat = kind == ElementKind::real || kind == ElementKind::complex;
  ElementType part = partOf(array.type);
  size_t bytes = bytesOf(array.type), partBytes = bytesOf(part);
  for (size_t i = 0; i * bytes != array.bytes.size(); ++i) {
    char *to = &array.bytes[i * bytes];
    const Scalar *element = expected ? &expected->elements[i] : nullptr;
    if (isFloat) {
      bool wantsNaN = element && (std::isnan(element->value) ||
                                  std::isnan(element->imaginary));
      for (size_t at = 0; at != bytes; at += partBytes)
        writeBits(part, wantsNaN ? 0 : markedNaN(part), to + at);
      continue;
    }
    uint64_t bits = element ? ~uint64_t(element->integer) : ~uint64_t(0);
    if (kind == ElementKind::boolean)
      bits &= 1;
    writeBits(array.type, bits, to);
  }
}

static bool isSame(const Scalar &a, const Scalar &b, bool isInteger) {
  return isInteger ? a.integer == b.integer : a.complex() == b.complex();
}

/// The first element that still holds what lay there before, and should not.
static std::optional<int64_t> findUnwritten(const Output &output) {
  if (!output.before)
    return std::nullopt;
  Array before = toReference(*output.before);
  for (auto [i, expected] : llvm::enumerate(output.expected.elements))
    if (expected.isWritten() && std::isfinite(expected.error()) &&
        !isSame(expected, before.elements[i], before.isInteger) &&
        output.got.element(i) == output.before->element(i))
      return i;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Verdicts
//===----------------------------------------------------------------------===//

/// Row-major indices of element `number`.
static std::string formatIndex(ArrayRef<int64_t> shape, int64_t number) {
  std::string text;
  raw_string_ostream stream(text);
  interleaveComma(mlir::delinearize(number, computeStrides(shape)),
                  stream << '[');
  stream << ']';
  return text;
}

void verify(const Output &output, StringRef undecided,
            ArrayRef<std::string> allowed, Outcome &outcome) {
  const Array &expected = output.expected;
  Array got = toReference(output.got);
  Comparison comparison = compare(got, expected);
  outcome.verified = outcome.verified.value_or(true);
  outcome.tolerance = std::max(outcome.tolerance, comparison.maxBound);
  outcome.maxRelativeError =
      std::max(outcome.maxRelativeError, comparison.maxError);
  // Behind a branch that rounding errors decide an element may be anything: one
  // that differs is not judged, unless the user says that it does not matter.
  bool isAllowed = is_contained(allowed, output.name);
  bool canBeWrong = undecided.empty() || isAllowed;
  raw_string_ostream stream(outcome.mismatch);
  auto at = [&](int64_t number) {
    return output.name + " at " + formatIndex(output.got.shape, number);
  };
  std::optional<int64_t> unwritten = findUnwritten(output);
  if (unwritten || !comparison.isDueToRounding()) {
    outcome.verified = false;
    outcome.isWrong |= canBeWrong;
    int64_t place = unwritten.value_or(comparison.worst);
    stream << at(place) << ": expected " << formatElement(expected, place);
    if (unwritten)
      stream << ", got an element that no kernel wrote\n";
    else
      stream << ", got " << formatElement(got, place) << "; an error of "
             << comparison.error << ", where at most " << comparison.bound
             << " is due to rounding\n";
  }
  bool isJudged = undecided.empty() && comparison.unjudged == 0;
  if (isJudged || isAllowed)
    return;
  outcome.verified = false;
  outcome.unjudged.push_back(output.name);
  if (comparison.unjudged == 0)
    return;
  const Scalar &first = expected.elements[comparison.firstUnjudged];
  stream << at(comparison.firstUnjudged) << ": expected ";
  if (!first.isWritten())
    stream << "an element that the program writes";
  else if (std::isfinite(first.error()))
    stream << formatElement(expected, comparison.firstUnjudged)
           << ", of which rounding alone may change " << first.error()
           << ", more than the largest element, " << comparison.scale;
  else
    stream
        << formatElement(expected, comparison.firstUnjudged)
        << ", of which nothing is known: an operation on the way to it has no "
           "meaning or may overflow";
  stream << "; " << comparison.unjudged << " of " << expected.elements.size()
         << " elements are not judged\n";
}

} // namespace mlir::tc
