//===- OuterContraction.h - A contraction over a nest's indices -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction in a tc.par over views that move with its indices is one with
// these indices as iterators. An index that counts tiles is merged with the
// iterator inside of a tile.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_FLATTENING_OUTERCONTRACTION_H
#define TC_LIB_TRANSFORMS_FLATTENING_OUTERCONTRACTION_H

#include "tc/Analysis/NestAccess.h"

namespace mlir::tc {

/// Has each operand a stride along each of its dimensions?
bool hasStridedOperands(ContractOp op);

class OuterContraction {
public:
  OuterContraction(ParOp par, ContractOp op);

  /// Why there is none; empty if there is one.
  const std::string &getObstacle() const { return obstacle; }
  /// Makes it, before the tc.par.
  ContractOp build(OpBuilder &builder);

private:
  struct Place {
    AffineExpr inside;  ///< over the iterators
    AffineExpr outside; ///< over `values`, the same in all iterations
  };
  struct Array {
    Value memref;
    SmallVector<Place> places; ///< along each dimension
  };

  bool addIndices();
  bool isFixed();
  AffineMap getMap(const Array &array) const;
  bool addOperand(Value operand, AffineMap map);
  std::optional<Place> findPlace(OpFoldResult value);
  Value buildBase(OpBuilder &builder, const Array &array);
  bool countsTilesOf(unsigned index, unsigned iterator) const;
  void mergeTiles();
  void dropIterator(unsigned i);
  bool refuse(const Twine &why);

  ParOp par;
  ContractOp op;
  NestValues values;
  std::string obstacle;
  /// The indices, then the iterators of `op`.
  SmallVector<std::string> names;
  SmallVector<OpFoldResult> extents;
  SmallVector<Array> arrays;
  unsigned numIndices = 0;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_FLATTENING_OUTERCONTRACTION_H
