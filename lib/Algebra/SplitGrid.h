//===- SplitGrid.h - A grid dimension on several axes -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the strategies; internal to the library.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ALGEBRA_SPLITGRID_H
#define TC_LIB_ALGEBRA_SPLITGRID_H

#include "MappingBuilder.h"
#include "tc/Algebra/Strategies.h"

namespace mlir::tc {

/// Dimension 0 is the whole grid: splits it in (y, x), or (z, y, x), until
/// each part obeys its limit. Nothing when x alone does. A symbolic extent is
/// always split; at run time its outer parts are then 1 unless they are
/// needed.
void splitGridAxis(MappingBuilder &builder, const LaunchLimits &limits);

/// Folds those of the `count` outermost dimensions that have the constant
/// extent 1 into a neighbour among them, and returns how many are left.
unsigned dropUnits(MappingBuilder &builder, unsigned count);

/// Puts the `count` outermost dimensions on the axes of the grid: as they are
/// where they fit, else folded and split.
void fitGrid(MappingBuilder &builder, unsigned count,
             const LaunchLimits &limits);

/// The finished mapping; fails when it exceeds `limits`.
llvm::Expected<Mapping> finishWithin(const MappingBuilder &builder,
                                     const LaunchLimits &limits);

} // namespace mlir::tc

#endif // TC_LIB_ALGEBRA_SPLITGRID_H
