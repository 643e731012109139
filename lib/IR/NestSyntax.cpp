//===- NestSyntax.cpp - How tc.par and tc.seq are written -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestSyntax.h"

#include "tc/IR/TC.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Syntax: (%i, %j) = (0, %lb) to (16, %ub) step (4, 1) width (1, 1)
//===----------------------------------------------------------------------===//

static ParseResult
parseBounds(OpAsmParser &parser, SmallVectorImpl<int64_t> &constants,
            SmallVectorImpl<OpAsmParser::UnresolvedOperand> &values) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Paren, [&]() -> ParseResult {
        OpAsmParser::UnresolvedOperand value;
        SMLoc loc = parser.getCurrentLocation();
        OptionalParseResult dynamic = parser.parseOptionalOperand(value);
        if (!dynamic.has_value()) {
          if (parser.parseInteger(constants.emplace_back()))
            return failure();
          // The smallest number of 64 bits stands for a dynamic bound.
          if (ShapedType::isDynamic(constants.back())) // nest_lower_bound
            return parser.emitError(loc, "expected a bound above -2^63");
          return success();
        }
        values.push_back(value);
        constants.push_back(ShapedType::kDynamic);
        return *dynamic;
      });
}

/// Parses `keyword (1, 2)`; without the keyword every entry is 1.
static ParseResult parseFactors(OpAsmParser &parser, StringRef keyword,
                                size_t rank, SmallVectorImpl<int64_t> &values) {
  if (failed(parser.parseOptionalKeyword(keyword))) {
    values.assign(rank, 1);
    return success();
  }
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
    return parser.parseInteger(values.emplace_back());
  });
}

ParseResult mlir::tc::parseLevel(OpAsmParser &parser, StringRef expected,
                                 LevelAttr &level) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&word)))
    return success();
  std::optional<Level> known = symbolizeLevel(word);
  if (!known)
    return parser.emitError(loc, "expected ")
           << expected << ", got '" << word << "'";
  level = LevelAttr::get(parser.getContext(), *known);
  return success();
}

ParseResult mlir::tc::parseNest(OpAsmParser &parser, NestText &text) {
  if (parser.parseArgumentList(text.indices, AsmParser::Delimiter::Paren) ||
      parser.parseEqual() ||
      parseBounds(parser, text.staticLower, text.lower) ||
      parser.parseKeyword("to") ||
      parseBounds(parser, text.staticUpper, text.upper) ||
      parseFactors(parser, "step", text.indices.size(), text.step) ||
      parseFactors(parser, "width", text.indices.size(), text.width))
    return failure();
  for (OpAsmParser::Argument &index : text.indices)
    index.type = parser.getBuilder().getIndexType();
  return success();
}

void mlir::tc::addYield(Region &region, Location loc) {
  Block &body = region.empty() ? region.emplaceBlock() : region.front();
  if (!body.empty() && isa<YieldOp>(body.back()))
    return;
  OpBuilder builder(loc.getContext());
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, loc);
}

void mlir::tc::printBounds(OpAsmPrinter &printer,
                           ArrayRef<OpFoldResult> bounds) {
  printer << '(';
  llvm::interleaveComma(bounds, printer, [&](OpFoldResult bound) {
    if (auto value = dyn_cast<Value>(bound))
      printer << value;
    else
      printer << cast<IntegerAttr>(cast<Attribute>(bound)).getInt();
  });
  printer << ')';
}

void mlir::tc::printFactors(OpAsmPrinter &printer, StringRef keyword,
                            ArrayRef<int64_t> values) {
  if (llvm::all_of(values, [](int64_t value) { return value == 1; }))
    return;
  printer << ' ' << keyword << " (";
  llvm::interleaveComma(values, printer);
  printer << ')';
}

//===----------------------------------------------------------------------===//
// tc.par
//===----------------------------------------------------------------------===//

ParseResult ParOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  if (succeeded(parser.parseOptionalKeyword("full"))) {
    properties.setFull(builder.getUnitAttr());
    int64_t align;
    if (succeeded(parser.parseOptionalKeyword("align"))) {
      if (parser.parseLParen() || parser.parseInteger(align) ||
          parser.parseRParen())
        return failure();
      properties.setAlign(builder.getI64IntegerAttr(align));
    }
  }
  LevelAttr level;
  NestText text;
  Region *region = result.addRegion();
  if (parseLevel(parser, "device, grid, block, warpgroup, warp or thread",
                 level) ||
      parseNest(parser, text))
    return failure();
  if (level)
    properties.setLevel(level);
  if (succeeded(parser.parseOptionalKeyword("map"))) {
    MapAttr map;
    if (parser.parseAttribute(map))
      return failure();
    properties.setMapping(map);
  }
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*region, text.indices) ||
      finishNest(parser, result, text, /*inits=*/0, properties))
    return failure();
  ParOp::ensureTerminator(*region, builder, result.location);
  return success();
}

void ParOp::print(OpAsmPrinter &printer) {
  if (getFull())
    printer << " full";
  if (getAlign() != 1)
    printer << " align(" << getAlign() << ')';
  if (getLevel())
    printer << ' ' << stringifyLevel(*getLevel());
  printNest(printer, *this);
  if (getMappingAttr())
    printer << " map " << getMappingAttr();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getStaticLowerAttrName(), getStaticUpperAttrName(), getStepAttrName(),
       getWidthAttrName(), getLevelAttrName(), getFullAttrName(),
       getAlignAttrName(), getMappingAttrName(),
       getOperandSegmentSizesAttrName()});
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

//===----------------------------------------------------------------------===//
// tc.seq
//===----------------------------------------------------------------------===//

ParseResult SeqOp::parse(OpAsmParser &parser, OperationState &result) {
  Properties &properties = result.getOrAddProperties<Properties>();
  NestText text;
  SmallVector<OpAsmParser::Argument> carried;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  if (parseNest(parser, text))
    return failure();
  SMLoc initsLoc = parser.getCurrentLocation();
  auto parseCarried = [&]() -> ParseResult {
    return failure(parser.parseArgument(carried.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()) ||
                   parser.parseColonType(carried.back().type));
  };
  if (succeeded(parser.parseOptionalKeyword("init")) &&
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseCarried))
    return failure();
  int64_t stages = 1;
  if (succeeded(parser.parseOptionalKeyword("stages")) &&
      (parser.parseLParen() || parser.parseInteger(stages) ||
       parser.parseRParen()))
    return failure();
  if (stages != 1)
    properties.setStages(parser.getBuilder().getI64IntegerAttr(stages));
  for (OpAsmParser::Argument &argument : carried)
    result.addTypes(argument.type);
  SmallVector<OpAsmParser::Argument> arguments(text.indices);
  arguments.append(carried);
  Region *region = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*region, arguments) ||
      finishNest(parser, result, text, inits.size(), properties) ||
      parser.resolveOperands(inits, result.types, initsLoc, result.operands))
    return failure();
  if (carried.empty())
    addYield(*region, result.location);
  return success();
}

void SeqOp::print(OpAsmPrinter &printer) {
  printNest(printer, *this);
  if (!getInits().empty()) {
    printer << " init(";
    llvm::interleaveComma(
        llvm::zip_equal(getCarried(), getInits()), printer, [&](auto pair) {
          auto [argument, init] = pair;
          printer << argument << " = " << init << " : " << init.getType();
        });
    printer << ')';
  }
  if (getStages() != 1)
    printer << " stages(" << getStages() << ')';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getStaticLowerAttrName(), getStaticUpperAttrName(), getStepAttrName(),
       getWidthAttrName(), getStagesAttrName(),
       getOperandSegmentSizesAttrName()});
  printer << ' ';
  printer.printRegion(getRegion(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/!getInits().empty());
}
