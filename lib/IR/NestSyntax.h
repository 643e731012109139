//===- NestSyntax.h - How index spaces are written --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the ops over an index space share of their syntax:
//
//   (%i, %j) = (0, %lb) to (16, %ub) step (4, 1) width (1, 1)
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IR_NESTSYNTAX_H
#define TC_LIB_IR_NESTSYNTAX_H

#include "tc/IR/TC.h"

#include "mlir/IR/Builders.h"

namespace mlir::tc {

/// The text of an index space, before operands are resolved.
struct NestText {
  SmallVector<OpAsmParser::Argument> indices;
  SmallVector<OpAsmParser::UnresolvedOperand> lower, upper;
  SmallVector<int64_t> staticLower, staticUpper, step, width;
};

/// Sets how many bounds of each kind and initial values are operands.
template <typename Properties>
void setSegments(Properties &properties, size_t lower, size_t upper,
                 size_t inits) {
  int32_t sizes[] = {int32_t(lower), int32_t(upper), int32_t(inits)};
  // A tc.par has no initial values.
  size_t groups = properties.operandSegmentSizes.size();
  properties.setOperandSegmentSizes(ArrayRef(sizes).take_front(groups));
}

/// Gives an op in the making an index space of dense steps, and its operands.
template <typename Properties>
void buildSpace(OpBuilder &builder, OperationState &state,
                ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                ArrayRef<int64_t> step, ValueRange inits,
                Properties &properties) {
  SmallVector<Value> lowerValues, upperValues;
  SmallVector<int64_t> staticLower, staticUpper, ones(lower.size(), 1);
  dispatchIndexOpFoldResults(lower, lowerValues, staticLower);
  dispatchIndexOpFoldResults(upper, upperValues, staticUpper);
  for (ValueRange group :
       {ValueRange(lowerValues), ValueRange(upperValues), inits})
    state.addOperands(group);
  properties.setStaticLower(builder.getDenseI64ArrayAttr(staticLower));
  properties.setStaticUpper(builder.getDenseI64ArrayAttr(staticUpper));
  properties.setStep(builder.getDenseI64ArrayAttr(step));
  properties.setWidth(builder.getDenseI64ArrayAttr(ones));
  setSegments(properties, lowerValues.size(), upperValues.size(), inits.size());
}

/// Parses the level, if there is one; `expected` is said of another word.
ParseResult parseLevel(OpAsmParser &parser, StringRef expected,
                       LevelAttr &level);

/// Parses an index space; its indices get their type.
ParseResult parseNest(OpAsmParser &parser, NestText &text);

/// Sets what `text` says of an op: the bounds at run time become its first
/// operands, before its `inits` initial values.
template <typename Properties>
ParseResult finishNest(OpAsmParser &parser, OperationState &result,
                       const NestText &text, size_t inits,
                       Properties &properties) {
  Builder &builder = parser.getBuilder();
  properties.setStaticLower(builder.getDenseI64ArrayAttr(text.staticLower));
  properties.setStaticUpper(builder.getDenseI64ArrayAttr(text.staticUpper));
  properties.setStep(builder.getDenseI64ArrayAttr(text.step));
  properties.setWidth(builder.getDenseI64ArrayAttr(text.width));
  setSegments(properties, text.lower.size(), text.upper.size(), inits);
  return failure(parser.resolveOperands(text.lower, builder.getIndexType(),
                                        result.operands) ||
                 parser.resolveOperands(text.upper, builder.getIndexType(),
                                        result.operands));
}

/// Ends `region`, which yields nothing, where that was left to be understood.
void addYield(Region &region, Location loc);

void printBounds(OpAsmPrinter &printer, ArrayRef<OpFoldResult> bounds);

/// Prints ` keyword (1, 2)`; nothing where every entry is 1.
void printFactors(OpAsmPrinter &printer, StringRef keyword,
                  ArrayRef<int64_t> values);

/// Prints the index space of `op`.
template <typename NestOp>
void printNest(OpAsmPrinter &printer, NestOp op) {
  printer << " (";
  llvm::interleaveComma(op.getIndices(), printer,
                        [&](Value index) { printer << index; });
  printer << ") = ";
  printBounds(printer, op.getMixedLower());
  printer << " to ";
  printBounds(printer, op.getMixedUpper());
  printFactors(printer, "step", op.getStep());
  printFactors(printer, "width", op.getWidth());
}

/// The rules that index spaces have in common (Regions.cpp).
LogicalResult verifySpace(ReduceOp op);
LogicalResult verifySpace(ScanOp op);

} // namespace mlir::tc

#endif // TC_LIB_IR_NESTSYNTAX_H
