//===- RowVersions.h - Ways to run a nest of rows --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ways of which tc-flatten chooses one: whether a nest can be run so, and
// what becomes of it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_FLATTENING_ROWVERSIONS_H
#define TC_LIB_TRANSFORMS_FLATTENING_ROWVERSIONS_H

#include "Flattening/NestParts.h"

namespace mlir::tc {

/// Rows of a block whose warps have one each.
inline constexpr int64_t kRowsOfWarps = 8;

/// The versions of one nest of rows. A version is called by who runs a row.
class RowVersions {
public:
  explicit RowVersions(ParOp par);

  /// Is it a nest of rows that somebody may yet choose a version of?
  bool isOne();
  /// Does it hold nests of rows in turn?
  bool isDeep();
  /// Why there cannot be `version`; empty if there can.
  std::string findObstacle(Level version);

  // Each replaces the nest.
  void useThreads();
  void useWarps();
  void useDevice() { useTogether(Level::Device); }
  /// Cuts the nest into one for each op that has work for several threads, over
  /// all rows; `handle` gets these.
  void cut(function_ref<void(ParOp)> handle);

private:
  std::string findThreadObstacle();
  std::string findWarpObstacle();
  std::string findCutObstacle();
  ParOp dealOut(int64_t rowsOfBlock);
  void useTogether(Level team);

  ParOp par;
  NestParts parts;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_FLATTENING_ROWVERSIONS_H
