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

/// `(%x: f32, ...) { ... }`
static ParseResult parseRegionOnScalars(OpAsmParser &parser, Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseArgumentList(arguments,
                                          AsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(region, arguments));
}

/// A region after its keyword, if the keyword is there.
static ParseResult parseScalarRegion(OpAsmParser &parser, StringRef keyword,
                                     Region &region) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return parseRegionOnScalars(parser, region);
}

/// `accumulate(f32) neutral(0.0 : f32, ...)`, either or both.
static ParseResult parseMeaning(OpAsmParser &parser,
                                ContractOp::Properties &properties) {
  if (succeeded(parser.parseOptionalKeyword("accumulate"))) {
    Type type;
    if (parser.parseLParen() || parser.parseType(type) || parser.parseRParen())
      return failure();
    properties.setAccumulator(TypeAttr::get(type));
  }
  if (failed(parser.parseOptionalKeyword("neutral")))
    return success();
  SmallVector<Attribute> values;
  auto parseValue = [&]() -> ParseResult {
    TypedAttr value;
    if (parser.parseAttribute(value))
      return failure();
    values.push_back(value);
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseValue))
    return failure();
  properties.setNeutral(parser.getBuilder().getArrayAttr(values));
  return success();
}

/// `combine associative commutative (...) {...}`
static ParseResult parseCombine(OpAsmParser &parser,
                                ContractOp::Properties &properties,
                                Region &region) {
  if (failed(parser.parseOptionalKeyword("combine")))
    return success();
  UnitAttr yes = parser.getBuilder().getUnitAttr();
  if (succeeded(parser.parseOptionalKeyword("associative")))
    properties.setAssociative(yes);
  if (succeeded(parser.parseOptionalKeyword("commutative")))
    properties.setCommutative(yes);
  return parseRegionOnScalars(parser, region);
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

  if (parser.parseKeyword("ins") || parseOperands(parser, dims, text))
    return failure();
  size_t numInputs = text.operands.size();
  if (succeeded(parser.parseOptionalKeyword("sides")) &&
      parseOperands(parser, dims, text))
    return failure();
  size_t numSides = text.operands.size() - numInputs;
  if (parser.parseKeyword("outs") || parseOperands(parser, dims, text))
    return failure();
  size_t numOutputs = text.operands.size() - numInputs - numSides;

  if (succeeded(parser.parseOptionalKeyword("overwrite")))
    properties.setOverwrite(builder.getUnitAttr());
  if (parseMeaning(parser, properties) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parseScalarRegion(parser, "map", *result.addRegion()) ||
      parseCombine(parser, properties, *result.addRegion()) ||
      parseScalarRegion(parser, "epilogue", *result.addRegion()) ||
      parser.parseOptionalArrowTypeList(result.types))
    return failure();

  SmallVector<StringRef> names(text.names.begin(), text.names.end());
  properties.setIterators(builder.getStrArrayAttr(names));
  properties.setStaticExtents(builder.getDenseI64ArrayAttr(text.staticExtents));
  properties.setIndexingMaps(builder.getAffineMapArrayAttr(text.maps));
  llvm::copy(ArrayRef<int32_t>{static_cast<int32_t>(text.extents.size()),
                               static_cast<int32_t>(numInputs),
                               static_cast<int32_t>(numSides),
                               static_cast<int32_t>(numOutputs)},
             properties.operandSegmentSizes.begin());
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
  AffineExprKind kind = expr.getKind();
  printNested(binary.getLHS());
  printer << (kind == AffineExprKind::Add        ? " + "
              : kind == AffineExprKind::Mul      ? " * "
              : kind == AffineExprKind::Mod      ? " mod "
              : kind == AffineExprKind::FloorDiv ? " floordiv "
                                                 : " ceildiv ");
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
  SmallVector<AffineMap> maps = getMaps();
  auto printOperands = [&](StringRef keyword, OperandRange operands,
                           ArrayRef<AffineMap> subscripts) {
    printer << ' ' << keyword << '(';
    llvm::interleaveComma(
        llvm::zip_equal(operands, subscripts), printer, [&](auto pair) {
          auto [operand, map] = pair;
          printer << operand << '[';
          llvm::interleaveComma(map.getResults(), printer,
                                [&](AffineExpr subscript) {
                                  printSubscript(printer, *this, subscript);
                                });
          printer << "] : " << operand.getType();
        });
    printer << ')';
  };
  printer << ')';
  size_t numInputs = getInputs().size(), numSides = getSides().size();
  printOperands("ins", getInputs(), ArrayRef(maps).take_front(numInputs));
  if (numSides > 0)
    printOperands("sides", getSides(),
                  ArrayRef(maps).slice(numInputs, numSides));
  printOperands("outs", getOutputs(),
                ArrayRef(maps).drop_front(numInputs + numSides));
  if (getOverwrite())
    printer << " overwrite";
  if (getAccumulator())
    printer << " accumulate(" << *getAccumulator() << ')';
  if (ArrayAttr neutral = getNeutralAttr()) {
    printer << " neutral(";
    llvm::interleaveComma(neutral, printer);
    printer << ')';
  }
  printer.printOptionalAttrDict(
      (*this)->getAttrs(),
      {getIteratorsAttrName(), getStaticExtentsAttrName(),
       getIndexingMapsAttrName(), getOverwriteAttrName(),
       getAccumulatorAttrName(), getNeutralAttrName(), getAssociativeAttrName(),
       getCommutativeAttrName(), getOperandSegmentSizesAttrName()});
  printScalarRegion(printer, "map", getMap());
  std::string combine = "combine";
  combine += getAssociative() ? " associative" : "";
  combine += getCommutative() ? " commutative" : "";
  printScalarRegion(printer, combine, getCombine());
  printScalarRegion(printer, "epilogue", getEpilogue());
  printer.printOptionalArrowTypeList(getResultTypes());
}
