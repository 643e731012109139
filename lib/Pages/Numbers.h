//===- Numbers.h - The numbers of a line page -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PAGES_NUMBERS_H
#define TC_LIB_PAGES_NUMBERS_H

#include "tc/Pages/LinePage.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace mlir::tc {

inline double getNumber(const LineRow &row, size_t column) {
  return column < row.numbers.size() ? row.numbers[column] : 0;
}

inline double getTotal(const LineSection &section, size_t column) {
  return column < section.totals.size() ? section.totals[column] : 0;
}

/// Has a row more than its text?
inline bool hasContent(const LineRow &row) {
  return !row.notes.empty() ||
         llvm::any_of(row.numbers, [](double number) { return number != 0; });
}

/// Whole numbers as they are, others with one digit behind the point.
inline std::string formatNumber(double number) {
  return std::floor(number) == number && std::fabs(number) < 1e15
             ? llvm::formatv("{0}", int64_t(number)).str()
             : llvm::formatv("{0:f1}", number).str();
}

} // namespace mlir::tc

#endif // TC_LIB_PAGES_NUMBERS_H
