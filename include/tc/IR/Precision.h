//===- Precision.h - Products by those of other numbers ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each precision of a contraction permits for products of f32, and which
// real products a complex one consists of.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_PRECISION_H
#define TC_IR_PRECISION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace mlir {
class Type;
} // namespace mlir

namespace mlir::tc {

enum class Precision : uint32_t;

/// One of the numbers that the first factor consists of, and one of the second.
struct PartPair {
  unsigned first, second;
};

/// A factor of f32 as a sum of numbers of a narrower type: the nearest one,
/// then the nearest of what that lacks, and so on.
struct Decomposition {
  llvm::StringRef type; ///< as instructions have it; empty for products of f32
  unsigned parts;
  /// Those that are added, the smallest first. Part 0 is the largest.
  llvm::ArrayRef<PartPair> products;
  /// What a product is off by at most, relatively, for each of its factors;
  /// for one part it is the roundoff of the type.
  double loss;
  /// Of `products` the first ones, of parts that are zero, or have another
  /// sign, where their number is infinite: what they add up to is dropped where
  /// it is not finite.
  unsigned spoiled = 0;

  unsigned countProducts() const { return products.size(); }
  /// Are the products of one pair of factors several?
  bool isSeveral() const { return countProducts() > 1; }
};

const Decomposition &getDecomposition(Precision precision);

/// A number as real ones: itself, or the two components of a complex one. Each
/// of them may be decomposed.
struct Components {
  unsigned count;    ///< of a number
  unsigned ofSecond; ///< of one that is a second factor
  /// For each component of a sum, the products that are added to it, in order.
  llvm::ArrayRef<llvm::ArrayRef<PartPair>> sums;
};

/// A complex number has a third component as a second factor: the imaginary one
/// with the other sign.
inline constexpr unsigned kReal = 0, kImaginary = 1, kMinusImaginary = 2;

/// Those of numbers, or of elements, of `type`.
const Components &getComponents(Type type);

/// The precisions whose products are of `type`, or all: "tf32 or tf32x3".
std::string listPrecisions(llvm::StringRef type);
std::string listPrecisions();

} // namespace mlir::tc

#endif // TC_IR_PRECISION_H
