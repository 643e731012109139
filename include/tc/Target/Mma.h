//===- Mma.h - Instructions of the tensor units -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The `mma.sync` instructions that contractions use, from the PTX ISA ("Matrix
// fragments for mma"). Their fragments are alike: with lane = 4 g + t, a lane
// has rows g, g + 8, ... of A, and of each a fourth of the terms, a register of
// neighbours at a time; of B, column g and the same terms; and of the results,
// the same rows and columns 2 t and 2 t + 1. Which terms these are does not
// count, as long as they are the same of A and of B.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_MMA_H
#define TC_TARGET_MMA_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace mlir::tc {

/// Lanes of a warp along the rows of a fragment, and along its columns and its
/// terms.
inline constexpr int64_t kMmaRowLanes = 8;
inline constexpr int64_t kMmaColumnLanes = 4;
/// Columns of the results that a lane holds side by side.
inline constexpr int64_t kMmaColumnsPerLane = 2;

/// Units of Ada have few bits for sums of .e4m3 and .e5m2, and others cut off
/// what is below 24 or 25. So these sums are added to accumulators of .f32
/// after as many terms as in DeepSeek-V3 (arXiv:2412.19437, section 3.3.2) and
/// the libraries after it.
inline constexpr int64_t kMostTermsOfF8 = 128;
/// Terms of .e4m3 and .e5m2 that such a unit adds at once (MMA-Sim,
/// arXiv:2511.10909).
inline constexpr int64_t kTermsOfF8AtOnce = 16;

/// The most of products that are several instructions: with 32, sums of 256
/// terms are less accurate than those of multiply-adds in .f32, which
/// docs/Accuracy.md promises (benchmarks/accuracy.py).
inline constexpr int64_t kMostTermsOfParts = 16;

/// One instruction: m x n results, each of which gets k terms.
struct MmaShape {
  llvm::StringRef name; ///< as in `#tc.mma`: shape and type of the inputs
  int64_t m, n, k;
  int64_t perRegister;       ///< elements of A and B in one
  int64_t computeCapability; ///< times ten, since which chips have it
  /// LLVM's, with {0} and {1} for the types of A and B where these are several.
  llvm::StringRef intrinsic;
  /// The most terms that its sums gather before they are added to accumulators
  /// outside of the unit; 0: any number.
  int64_t mostTerms = 0;
  /// 10 * major + minor, if it is newer than what its chips ask for.
  int64_t ptxVersion = 0;

  /// Of the inputs; `f8` is .e4m3 or .e5m2, of each input its own.
  llvm::StringRef getType() const { return name.split('.').second; }
  /// Of one lane: results, rows of A, and terms of each row and column.
  int64_t countResults() const { return m * n / 32; }
  int64_t countRows() const { return m / kMmaRowLanes; }
  int64_t countTerms() const { return k / kMmaColumnLanes; }
  /// Is there one with twice the terms, which takes less than twice the time?
  bool isShort() const {
    return getType() != "f64" && countTerms() == perRegister;
  }
};

/// All that are known.
llvm::ArrayRef<MmaShape> getMmaShapes();

/// That of this name; null if there is none.
const MmaShape *findMmaShape(llvm::StringRef name);

} // namespace mlir::tc

#endif // TC_TARGET_MMA_H
