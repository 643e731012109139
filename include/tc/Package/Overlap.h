//===- Overlap.h - Launches that may begin early ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tc-overlap-launches and host code have in common.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_OVERLAP_H
#define TC_PACKAGE_OVERLAP_H

#include "llvm/ADT/StringRef.h"

namespace mlir::tc {

/// A unit attribute of a launch: its kernel waits itself for the launch before
/// it in its stream, and may begin before that has ended.
inline constexpr llvm::StringLiteral kProgrammaticName = "tc.programmatic";

/// What host code calls before such a launch: in packages, with its call; and
/// of our mgpu library.
inline constexpr llvm::StringLiteral kPackageOverlapName = "tcPackageOverlap";
inline constexpr llvm::StringLiteral kMgpuOverlapName = "tcMgpuOverlap";

} // namespace mlir::tc

#endif // TC_PACKAGE_OVERLAP_H
