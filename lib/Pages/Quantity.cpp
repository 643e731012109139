//===- Quantity.cpp - Numbers with units, for people ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pages/Quantity.h"

#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;

namespace mlir::tc {

std::string formatQuantity(double value, StringRef unit) {
  static constexpr const char *prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
  if (!std::isfinite(value))
    return "unknown";
  size_t power = 0;
  // 999.5 has three digits as 1000, too.
  while (std::fabs(value) >= 999.5 && power + 1 < std::size(prefixes)) {
    value /= 1000;
    ++power;
  }
  int places = 0;
  if (value != std::floor(value))
    places = std::fabs(value) >= 99.95 ? 0 : std::fabs(value) >= 9.995 ? 1 : 2;
  std::string number = places == 2   ? formatv("{0:f2}", value)
                       : places == 1 ? formatv("{0:f1}", value)
                                     : formatv("{0:f0}", value);
  std::string suffix = prefixes[power] + unit.str();
  return suffix.empty() ? number : number + " " + suffix;
}

std::string formatTime(double seconds) {
  if (!std::isfinite(seconds))
    return "unknown";
  double time = seconds * 1e6;
  return time != 0 && time < 1 ? formatv("{0:f3} us", time).str()
                               : formatv("{0:f2} us", time).str();
}

} // namespace mlir::tc
