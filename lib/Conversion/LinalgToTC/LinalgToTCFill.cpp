//===- LinalgToTCFill.cpp - The fill before a linalg op -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToTC/LinalgToTC.h"

#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlir::tc;

/// Does the op give every element of result `i` a value?
static bool coversResult(linalg::LinalgOp op, unsigned i) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(i));
  return map.isProjectedPermutation();
}

TypedAttr mlir::tc::getFillValue(linalg::FillOp fill) {
  Value filled = fill.getInputs().front();
  Attribute value;
  if (!matchPattern(filled, m_Constant(&value)))
    return {};
  // complex.constant has an attribute for each part.
  auto type = dyn_cast<ComplexType>(filled.getType());
  auto parts = dyn_cast<ArrayAttr>(value);
  if (!type || !parts)
    return dyn_cast<TypedAttr>(value);
  auto part = [&](unsigned i) {
    return cast<FloatAttr>(parts[i]).getValueAsDouble();
  };
  return complex::NumberAttr::get(type, part(0), part(1));
}

linalg::FillOp mlir::tc::findFill(linalg::LinalgOp op, unsigned i) {
  Value result = op.getDpsInitOperand(i)->get();
  if (!coversResult(op, i))
    return {};
  if (op.hasPureTensorSemantics()) {
    auto fill = result.getDefiningOp<linalg::FillOp>();
    return fill && getFillValue(fill) ? fill : linalg::FillOp();
  }
  // An input that shares the buffer would see the fill.
  for (Value input : op.getDpsInputs())
    if (findBuffer(input) == findBuffer(result))
      return {};
  AliasAnalysis aliases(op);
  for (Operation *before = op->getPrevNode(); before;
       before = before->getPrevNode()) {
    auto fill = dyn_cast<linalg::FillOp>(before);
    if (fill && fill.getOutputs().front() == result)
      return getFillValue(fill) ? fill : linalg::FillOp();
    // Other results of the op do not overlap this one.
    if (fill && llvm::is_contained(op.getDpsInits(), fill.getOutputs().front()))
      continue;
    if (mayTouch(before, /*alsoReads=*/true, [&](Value memref) {
          return !aliases.alias(memref, result).isNo();
        }))
      return {};
  }
  return {};
}
