//===- Thresholds.h - Limits with names of one function ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The limits that a function compares with (tc.threshold): those that somebody
// has set, by hand or in a tuning file, and defaults for the others.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_THRESHOLDS_H
#define TC_ANALYSIS_THRESHOLDS_H

#include "tc/IR/TC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::tc {

class Thresholds {
public:
  /// Takes those that the file at `path` has for `function` on `chip`; and
  /// those of `settings`, each a NAME=VALUE, which come before. Reports what
  /// cannot be read.
  LogicalResult read(func::FuncOp function, StringRef path, StringRef chip,
                     ArrayRef<std::string> settings);

  /// The limit `name`; the function compares something with it.
  int64_t get(StringRef name, int64_t defaultLimit);
  /// There is a limit of this name, though nothing may be compared with it.
  void note(StringRef name) { known.push_back(name.str()); }
  /// There may be limits of numbered nests in the nest `name`.
  void noteNested(StringRef name) { prefixes.push_back(name.str()); }

  /// Reports a limit that was set and that `function` does not have.
  LogicalResult verifyKnown(func::FuncOp function) const;

private:
  struct Setting {
    int64_t value;
    std::string source; ///< for diagnostics
  };
  bool isKnown(StringRef name) const;

  llvm::StringMap<Setting> settings;
  SmallVector<std::string> known, prefixes;
};

} // namespace mlir::tc

#endif // TC_ANALYSIS_THRESHOLDS_H
