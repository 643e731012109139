//===- Attributes.cpp - Layouts, schedules, machines, maps ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// What ODS cannot say of their syntax
//===----------------------------------------------------------------------===//

/// Parses `?` or an integer.
static ParseResult parseMaybeDynamic(AsmParser &parser, int64_t &value) {
  if (succeeded(parser.parseOptionalQuestion())) {
    value = ShapedType::kDynamic;
    return success();
  }
  return parser.parseInteger(value);
}

static void printMaybeDynamic(AsmPrinter &printer, int64_t value) {
  if (ShapedType::isDynamic(value))
    printer << '?';
  else
    printer << value;
}

static ParseResult parseMaybeDynamics(AsmParser &parser,
                                      SmallVectorImpl<int64_t> &values) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseMaybeDynamic(parser, values.emplace_back());
  });
}

static void printMaybeDynamics(AsmPrinter &printer, ArrayRef<int64_t> values) {
  printer << '[';
  llvm::interleaveComma(values, printer,
                        [&](int64_t v) { printMaybeDynamic(printer, v); });
  printer << ']';
}

/// [name = value, ...]
static ParseResult parseFactors(AsmParser &parser,
                                SmallVectorImpl<Factor> &factors) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        std::string name;
        int64_t value;
        if (parser.parseKeywordOrString(&name) || parser.parseEqual() ||
            parser.parseInteger(value))
          return failure();
        factors.push_back({StringAttr::get(parser.getContext(), name), value});
        return success();
      });
}

static void printFactors(AsmPrinter &printer, ArrayRef<Factor> factors) {
  printer << '[';
  llvm::interleaveComma(factors, printer, [&](const Factor &factor) {
    printer.printKeywordOrString(factor.iterator.getValue());
    printer << " = " << factor.value;
  });
  printer << ']';
}

/// [name, name = inner points, ...]
static ParseResult parseIterators(AsmParser &parser,
                                  SmallVectorImpl<Factor> &iterators) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Square, [&]() -> ParseResult {
        std::string name;
        int64_t inner = 0;
        if (parser.parseKeywordOrString(&name) ||
            (succeeded(parser.parseOptionalEqual()) &&
             parser.parseInteger(inner)))
          return failure();
        iterators.push_back(
            {StringAttr::get(parser.getContext(), name), inner});
        return success();
      });
}

static void printIterators(AsmPrinter &printer, ArrayRef<Factor> iterators) {
  printer << '[';
  llvm::interleaveComma(iterators, printer, [&](const Factor &iterator) {
    printer.printKeywordOrString(iterator.iterator.getValue());
    if (iterator.value != 0)
      printer << " = " << iterator.value;
  });
  printer << ']';
}

/// `in_place`, or `[name = stride, ...] by chunk`
static ParseResult parseStaging(AsmParser &parser,
                                SmallVectorImpl<Factor> &strides,
                                int64_t &chunk) {
  bool isInPlace = succeeded(parser.parseOptionalKeyword("in_place"));
  chunk = isInPlace ? 0 : 1;
  return failure(!isInPlace && (parseFactors(parser, strides) ||
                                (succeeded(parser.parseOptionalKeyword("by")) &&
                                 parser.parseInteger(chunk))));
}

static void printStaging(AsmPrinter &printer, ArrayRef<Factor> strides,
                         int64_t chunk) {
  if (chunk == 0) {
    printer << "in_place";
    return;
  }
  printFactors(printer, strides);
  if (chunk != 1)
    printer << " by " << chunk;
}

static ParseResult parseStagings(AsmParser &parser,
                                 SmallVectorImpl<StagingAttr> &stagings) {
  auto parseElement = [&]() -> ParseResult {
    SmallVector<Factor> strides;
    int64_t chunk;
    SMLoc loc = parser.getCurrentLocation();
    if (parseStaging(parser, strides, chunk))
      return failure();
    stagings.push_back(parser.getChecked<StagingAttr>(
        loc, parser.getContext(), ArrayRef<Factor>(strides), chunk));
    return success(bool(stagings.back()));
  };
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        parseElement);
}

static void printStagings(AsmPrinter &printer, ArrayRef<StagingAttr> stagings) {
  printer << '[';
  llvm::interleaveComma(stagings, printer, [&](StagingAttr staging) {
    printStaging(printer, staging.getStrides(), staging.getChunk());
  });
  printer << ']';
}

/// The key that ends a schedule: what stands in its place is a key that there
/// is not, or one out of order.
static ParseResult parseFamily(AsmParser &parser, Kernel &kernel) {
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword("kernel"))) {
    StringRef found;
    bool isKey = succeeded(parser.parseOptionalKeyword(&found));
    return parser.emitError(loc, "expected thread, register, step, vector, "
                                 "split, stage, unroll, stages, resident and "
                                 "kernel, in this order, the last one always")
           << (isKey ? ", got '" + found + "'" : Twine());
  }
  FailureOr<Kernel> parsed = failure();
  if (parser.parseEqual() ||
      failed(parsed = FieldParser<Kernel>::parse(parser)))
    return failure();
  kernel = *parsed;
  return success();
}

static void printFamily(AsmPrinter &printer, Kernel kernel) {
  printer << "kernel = " << stringifyKernel(kernel);
}

#define GET_ATTRDEF_CLASSES
#include "tc/IR/TCAttrs.cpp.inc"

void TCDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tc/IR/TCAttrs.cpp.inc"
      >();
}
