//===- AccessFields.h - The counts of accesses, by name ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums go over all of them, and reports name those that are not 0.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_COUNT_ACCESSFIELDS_H
#define TC_LIB_EMULATOR_COUNT_ACCESSFIELDS_H

#include "tc/Emulator/Counts.h"

namespace tc::emulator {

struct AccessField {
  const char *name;
  uint64_t AccessCounts::*value;
  const char *meaning, *unit;
};

llvm::ArrayRef<AccessField> getAccessFields();

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_COUNT_ACCESSFIELDS_H
