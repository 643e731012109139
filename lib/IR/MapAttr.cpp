//===- MapAttr.cpp - #tc.map ----------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

Attribute MapAttr::parse(AsmParser &parser, Type) {
  SmallVector<StringAttr> names;
  SmallVector<DenseI64ArrayAttr> arguments;
  SMLoc loc = parser.getCurrentLocation();
  auto parseStep = [&]() -> ParseResult {
    StringRef word;
    SmallVector<int64_t> values;
    if (parser.parseKeyword(&word) ||
        parser.parseCommaSeparatedList(
            AsmParser::Delimiter::OptionalParen,
            [&] { return parser.parseInteger(values.emplace_back()); }))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), word));
    arguments.push_back(DenseI64ArrayAttr::get(parser.getContext(), values));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseStep))
    return {};
  return MapAttr::getChecked([&] { return parser.emitError(loc); },
                             parser.getContext(), ArrayRef<StringAttr>(names),
                             ArrayRef<DenseI64ArrayAttr>(arguments));
}

void MapAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getCombinators(), printer,
                        [&](const Combinator &combinator) {
                          combinator.print(printer.getStream());
                        });
  printer << '>';
}

LogicalResult MapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                              ArrayRef<StringAttr> names,
                              ArrayRef<DenseI64ArrayAttr> arguments) {
  if (names.size() != arguments.size())
    return emitError() << "expected arguments for each combinator, got "
                       << arguments.size() << " for " << names.size();
  for (auto [name, values] : llvm::zip_equal(names, arguments)) {
    auto combinator = Combinator::get(name.getValue(), values);
    if (!combinator) // map_combinator
      return emitError() << llvm::toString(combinator.takeError());
  }
  return success();
}

MapAttr MapAttr::get(MLIRContext *context, ArrayRef<Combinator> combinators) {
  SmallVector<StringAttr> names;
  SmallVector<DenseI64ArrayAttr> arguments;
  for (const Combinator &combinator : combinators) {
    names.push_back(StringAttr::get(context, combinator.name()));
    arguments.push_back(
        DenseI64ArrayAttr::get(context, combinator.arguments()));
  }
  return get(context, names, arguments);
}

SmallVector<Combinator> MapAttr::getCombinators() const {
  SmallVector<Combinator> combinators;
  for (auto [name, values] : llvm::zip_equal(getNames(), getArguments()))
    combinators.push_back(
        llvm::cantFail(Combinator::get(name.getValue(), values)));
  return combinators;
}

llvm::Expected<Mapping> MapAttr::getMapping(const IndexSpace &space) const {
  return Mapping::get(space, getCombinators());
}
