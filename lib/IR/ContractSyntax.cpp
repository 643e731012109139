//===- ContractSyntax.cpp - How a tc.contract is written ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc.contract (a = 16, q = %n) ins(%X[a, q] : type) outs(%Z[a] : type)
//     overwrite neutral(0.0 : f32) {schedule = ...} map (...) {...}
//     combine (...) {...} -> type
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
using NamedDims = SmallVector<std::pair<StringRef, AffineExpr>>;

/// What the text of a contraction holds, before operands are resolved.
struct ContractText {
  SmallVector<std::string> names;
  SmallVector<int64_t> staticExtents;
  SmallVector<OpAsmParser::UnresolvedOperand> extents;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SmallVector<SMLoc> locations;
  SmallVector<AffineMap> maps;
};
} // namespace

/// `(a = 16, b = %n)`
static ParseResult parseSpace(OpAsmParser &parser, ContractText &text) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        if (parser.parseKeywordOrString(&text.names.emplace_back()) ||
            parser.parseEqual())
          return failure();
        OpAsmParser::UnresolvedOperand value;
        OptionalParseResult dynamic = parser.parseOptionalOperand(value);
        if (dynamic.has_value()) {
          text.extents.push_back(value);
          text.staticExtents.push_back(ShapedType::kDynamic);
          return *dynamic;
        }
        return parser.parseInteger(text.staticExtents.emplace_back());
      });
}

/// `%X[i, 2 * j + k] : type, ...` between parentheses.
static ParseResult parseOperands(OpAsmParser &parser, const NamedDims &dims,
                                 ContractText &text) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        text.locations.push_back(parser.getCurrentLocation());
        SmallVector<AffineExpr> subscripts;
        auto parseSubscript = [&] {
          return parser.parseAffineExpr(dims, subscripts.emplace_back());
        };
        if (parser.parseOperand(text.operands.emplace_back()) ||
            parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                           parseSubscript) ||
            parser.parseColonType(text.types.emplace_back()))
          return failure();
        // Names were parsed as symbols 0..n-1; they are the map's dimensions.
        SmallVector<AffineExpr> replacements;
        for (unsigned i = 0, e = dims.size(); i < e; ++i)
          replacements.push_back(getAffineDimExpr(i, parser.getContext()));
        for (AffineExpr &subscript : subscripts)
          subscript = subscript.replaceSymbols(replacements);
        text.maps.push_back(
            AffineMap::get(dims.size(), 0, subscripts, parser.getContext()));
        return success();
      });
}

/// `(%x: f32, ...) { ... }` after the keyword, if the keyword is there.
static ParseResult parseScalarRegion(OpAsmParser &parser, StringRef keyword,
                                     Region &region) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments,
                                          AsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(region, arguments));
}

ParseResult ContractOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder builder(parser.getContext());
  Properties &properties = result.getOrAddProperties<Properties>();
  ContractText text;
  if (parseSpace(parser, text))
    return failure();
  NamedDims dims;
  for (auto [i, name] : llvm::enumerate(text.names))
    dims.emplace_back(name, builder.getAffineSymbolExpr(i));

  if (parser.parseKeyword("ins") || parseOperands(parser, dims, text) ||
      parser.parseKeyword("outs"))
    return failure();
  size_t numInputs = text.operands.size();
  SMLoc outsLoc = parser.getCurrentLocation();
  if (parseOperands(parser, dims, text))
    return failure();
  if (text.operands.size() != numInputs + 1)
    return parser.emitError(outsLoc, "expected one result operand, got ")
           << text.operands.size() - numInputs;

  if (succeeded(parser.parseOptionalKeyword("overwrite")))
    properties.setOverwrite(builder.getUnitAttr());
  if (succeeded(parser.parseOptionalKeyword("neutral"))) {
    TypedAttr neutral;
    if (parser.parseLParen() || parser.parseAttribute(neutral) ||
        parser.parseRParen())
      return failure();
    properties.setNeutral(neutral);
  }
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parseScalarRegion(parser, "map", *result.addRegion()) ||
      parseScalarRegion(parser, "combine", *result.addRegion()) ||
      parser.parseOptionalArrowTypeList(result.types))
    return failure();

  SmallVector<StringRef> names(text.names.begin(), text.names.end());
  properties.setIterators(builder.getStrArrayAttr(names));
  properties.setStaticExtents(builder.getDenseI64ArrayAttr(text.staticExtents));
  properties.setIndexingMaps(builder.getAffineMapArrayAttr(text.maps));
  properties.setOperandSegmentSizes({static_cast<int32_t>(text.extents.size()),
                                     static_cast<int32_t>(numInputs), 1});
  if (parser.resolveOperands(text.extents, builder.getIndexType(),
                             result.operands))
    return failure();
  for (auto [operand, type] : llvm::zip_equal(text.operands, text.types))
    if (parser.resolveOperand(operand, type, result.operands))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

/// Prints a sum with names for dimensions, in a form parseAffineExpr reads.
static void printSubscript(OpAsmPrinter &printer, ContractOp op,
                           AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    printer.printKeywordOrString(op.getIterator(dim.getPosition()));
    return;
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expr)) {
    printer << constant.getValue();
    return;
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  auto printNested = [&](AffineExpr side) {
    bool brackets =
        isa<AffineBinaryOpExpr>(side) && expr.getKind() != AffineExprKind::Add;
    if (brackets)
      printer << '(';
    printSubscript(printer, op, side);
    if (brackets)
      printer << ')';
  };
  printNested(binary.getLHS());
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    printer << " + ";
    break;
  case AffineExprKind::Mul:
    printer << " * ";
    break;
  case AffineExprKind::Mod:
    printer << " mod ";
    break;
  case AffineExprKind::FloorDiv:
    printer << " floordiv ";
    break;
  default:
    printer << " ceildiv ";
    break;
  }
  printNested(binary.getRHS());
}

static void printScalarRegion(OpAsmPrinter &printer, StringRef keyword,
                              Region &region) {
  if (region.empty())
    return;
  printer << ' ' << keyword << " (";
  llvm::interleaveComma(region.getArguments(), printer, [&](BlockArgument arg) {
    printer.printRegionArgument(arg);
  });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false);
}

void ContractOp::print(OpAsmPrinter &printer) {
  printer << " (";
  llvm::interleaveComma(
      llvm::zip_equal(getIterators(), getMixedExtents()), printer,
      [&](auto iterator) {
        auto [name, extent] = iterator;
        printer.printKeywordOrString(cast<StringAttr>(name).getValue());
        printer << " = ";
        if (auto value = dyn_cast<Value>(extent))
          printer << value;
        else
          printer << cast<IntegerAttr>(cast<Attribute>(extent)).getInt();
      });
  auto printOperand = [&](Value operand, AffineMap map) {
    printer << operand << '[';
    llvm::interleaveComma(map.getResults(), printer, [&](AffineExpr subscript) {
      printSubscript(printer, *this, subscript);
    });
    printer << "] : " << operand.getType();
  };
  printer << ") ins(";
  llvm::interleaveComma(llvm::enumerate(getInputs()), printer, [&](auto input) {
    printOperand(input.value(), getInputMap(input.index()));
  });
  printer << ") outs(";
  printOperand(getOutput(), getOutputMap());
  printer << ')';
  if (getOverwrite())
    printer << " overwrite";
  if (getNeutralAttr())
    printer << " neutral(" << getNeutralAttr() << ')';
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getIteratorsAttrName(), getStaticExtentsAttrName(),
       getIndexingMapsAttrName(), getOverwriteAttrName(), getNeutralAttrName(),
       getOperandSegmentSizesAttrName()});
  printScalarRegion(printer, "map", getMap());
  printScalarRegion(printer, "combine", getCombine());
  printer.printOptionalArrowTypeList(getResultTypes());
}
