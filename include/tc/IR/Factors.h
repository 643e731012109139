//===- Factors.h - What a contraction multiplies ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum of products f(a) * g(b), where each factor is a function of one input:
// its conjugate, its negative, or a number of f16 that its 8 bits stand for.
// Such functions are prologues: they are applied to an element once it is in a
// register, and then there are products as any others, for fused multiply-adds
// and for tensor instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_FACTORS_H
#define TC_IR_FACTORS_H

#include "tc/IR/TC.h"

#include <array>

namespace mlir::tc {

class Factors {
public:
  /// Those of a contraction with two inputs that adds up products; nothing of
  /// others. Without a map they are the elements of the inputs, or these as
  /// numbers of the accumulator's type.
  static std::optional<Factors> match(ContractOp op);

  /// The type of a factor. One that is widened for the product is taken before
  /// that where tensor instructions can: halves and bytes, if both are.
  Type getType(unsigned input) const { return types[input]; }
  /// Are the elements of this input factors as they are?
  bool isElement(unsigned input) const {
    return map ? isa<BlockArgument>(values[input])
               : elements[input] == types[input];
  }
  /// In the map, which multiplies it; null without a map.
  Value getValue(unsigned input) const { return values[input]; }
  /// Emits the factor of an element of this input.
  Value build(OpBuilder &builder, Location loc, unsigned input,
              Value element) const;
  /// Operations that make a factor of an element.
  unsigned countOps(unsigned input) const;

private:
  Block *map = nullptr;
  std::array<Value, 2> values; ///< of the map, if there is one
  std::array<Type, 2> elements, types;
};

/// Emits the accumulators combined with the term of these elements of the
/// inputs. A product is added by one fused multiply-add.
SmallVector<Value> addTerm(OpBuilder &builder, Location loc, ContractOp op,
                           ValueRange accumulators, ValueRange elements);

/// `value` with the other sign. That of a product goes into its first factor,
/// and of a float that is widened into the narrow one, so that products stay
/// what instructions take. Integers are negated after they are widened, since
/// the least one has no negative of its type.
Value negateNumber(OpBuilder &builder, Location loc, Value value);

} // namespace mlir::tc

#endif // TC_IR_FACTORS_H
