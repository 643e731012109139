//===- State.h - Values of a reference evaluation ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the evaluation of a function knows so far.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_STATE_H
#define TC_LIB_REFERENCE_STATE_H

#include "View.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::tc::reference {

/// Roundings on the way to an element, and the sum of their unit roundoffs.
struct Roundings {
  int64_t count = 0;
  double error = 0;

  Roundings &operator+=(const Roundings &other) {
    count += other.count;
    error += other.error;
    return *this;
  }
};

/// The views of SSA values (a scalar is a view of rank 0).
class State {
public:
  /// The view of `value`, or null.
  const View *find(Value value) const {
    auto entry = views.find(value);
    return entry == views.end() ? nullptr : &entry->second;
  }
  void set(Value value, View view) { views[value] = std::move(view); }

  Roundings roundings; ///< the sum over all ops so far

private:
  llvm::DenseMap<Value, View> views;
};

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_STATE_H
