//===- Pads.h - What to fill a tile with where it sticks out ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of an input that sticks out of its array is filled, so that whoever
// reads it needs no guard. Along contracted iterators the fill must not change
// the result; see Note [Fill values] in Pads.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_PADS_H
#define TC_ANALYSIS_PADS_H

#include "tc/IR/TC.h"

namespace mlir::tc {

struct Pads {
  /// One value per input, of its element type.
  SmallVector<TypedAttr> values;
  /// Per iterator: do the values make points beyond its extent harmless? True
  /// for result iterators, whose results beyond the extent are not stored.
  SmallVector<bool> covers;
};

/// The fill values that cover the most contracted iterators of `op`.
Pads findPads(ContractOp op);

} // namespace mlir::tc

#endif // TC_ANALYSIS_PADS_H
