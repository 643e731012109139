//===- ReduceSyntax.cpp - How tc.reduce and tc.scan are written -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tc.reduce block (%i) = (0) to (%n) init(%zero : f32) commutative {
//     ...
//     tc.yield %x : f32
//   } combine (%a: f32, %b: f32) {
//     ...
//     tc.yield %s : f32
//   } finish (%total: f32) {
//     ...
//   }
//
//===----------------------------------------------------------------------===//

#include "NestSyntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Parses `keyword (%a: f32, %b: f32) {...}`.
static ParseResult parseRegion(OpAsmParser &parser, StringRef keyword,
                               Region &region) {
  SmallVector<OpAsmParser::Argument> arguments;
  return failure(parser.parseKeyword(keyword) ||
                 parser.parseArgumentList(arguments,
                                          AsmParser::Delimiter::Paren,
                                          /*allowType=*/true) ||
                 parser.parseRegion(region, arguments));
}

/// Parses all but `flag`, the word that one of the two ops knows.
template <typename FoldOp>
static ParseResult parseFold(OpAsmParser &parser, OperationState &result,
                             StringRef flag,
                             function_ref<void(UnitAttr)> setFlag) {
  auto &properties = result.getOrAddProperties<typename FoldOp::Properties>();
  LevelAttr level;
  NestText text;
  SmallVector<OpAsmParser::UnresolvedOperand> inits;
  SmallVector<Type> types;
  auto parseInit = [&]() -> ParseResult {
    return failure(parser.parseOperand(inits.emplace_back()) ||
                   parser.parseColonType(types.emplace_back()));
  };
  if (parseLevel(parser, "a level of the machine", level) ||
      parseNest(parser, text) || parser.parseKeyword("init"))
    return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseInit))
    return failure();
  if (level)
    properties.setLevel(level);
  if (succeeded(parser.parseOptionalKeyword(flag)))
    setFlag(parser.getBuilder().getUnitAttr());
  Region *map = result.addRegion(), *combine = result.addRegion(),
         *finish = result.addRegion();
  if (parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*map, text.indices) ||
      parseRegion(parser, "combine", *combine) ||
      parseRegion(parser, "finish", *finish) ||
      finishNest(parser, result, text, inits.size(), properties) ||
      parser.resolveOperands(inits, types, loc, result.operands))
    return failure();
  addYield(*finish, result.location);
  return success();
}

static void printRegion(OpAsmPrinter &printer, StringRef keyword,
                        Region &region, bool printsYield) {
  printer << ' ' << keyword << " (";
  llvm::interleaveComma(region.getArguments(), printer, [&](Value argument) {
    printer << argument << ": " << argument.getType();
  });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false, printsYield);
}

template <typename FoldOp>
static void printFold(OpAsmPrinter &printer, FoldOp op, StringRef flag) {
  if (op.getLevel())
    printer << ' ' << stringifyLevel(*op.getLevel());
  printNest(printer, op);
  printer << " init(";
  llvm::interleaveComma(op.getInits(), printer, [&](Value init) {
    printer << init << " : " << init.getType();
  });
  printer << ')';
  if (!flag.empty())
    printer << ' ' << flag;
  SmallVector<StringRef> known = {
      op.getStaticLowerAttrName(), op.getStaticUpperAttrName(),
      op.getStepAttrName(),        op.getWidthAttrName(),
      op.getLevelAttrName(),       op.getOperandSegmentSizesAttrName()};
  known.push_back(flag);
  printer.printOptionalAttrDictWithKeyword(op->getAttrs(), known);
  printer << ' ';
  printer.printRegion(op.getMap(), /*printEntryBlockArgs=*/false);
  printRegion(printer, "combine", op.getCombine(), /*printsYield=*/true);
  printRegion(printer, "finish", op.getFinish(), /*printsYield=*/false);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  Properties &properties = result.getOrAddProperties<Properties>();
  return parseFold<ReduceOp>(parser, result, "commutative", [&](UnitAttr flag) {
    properties.setCommutative(flag);
  });
}

void ReduceOp::print(OpAsmPrinter &printer) {
  printFold(printer, *this, getCommutative() ? "commutative" : "");
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  Properties &properties = result.getOrAddProperties<Properties>();
  return parseFold<ScanOp>(parser, result, "exclusive", [&](UnitAttr flag) {
    properties.setExclusive(flag);
  });
}

void ScanOp::print(OpAsmPrinter &printer) {
  printFold(printer, *this, getExclusive() ? "exclusive" : "");
}
