//===- Quantity.h - Numbers with units, for people --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PAGES_QUANTITY_H
#define TC_PAGES_QUANTITY_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir::tc {

/// "3.35 TB/s": three digits, with the prefix of a power of 1000 before `unit`
/// from a thousand on.
std::string formatQuantity(double value, llvm::StringRef unit);

/// "41.30 us", or "0.041 us": one digit more below a microsecond.
std::string formatTime(double seconds);

} // namespace mlir::tc

#endif // TC_PAGES_QUANTITY_H
