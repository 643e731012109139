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
// Shared pieces of syntax
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

//===----------------------------------------------------------------------===//
// LmadAttr
//===----------------------------------------------------------------------===//

Attribute LmadAttr::parse(AsmParser &parser, Type) {
  int64_t offset = 0;
  SmallVector<int64_t> sizes, strides;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword("offset") ||
      parser.parseEqual() || parseMaybeDynamic(parser, offset) ||
      parser.parseComma() || parser.parseKeyword("sizes") ||
      parser.parseEqual() || parseMaybeDynamics(parser, sizes) ||
      parser.parseComma() || parser.parseKeyword("strides") ||
      parser.parseEqual() || parseMaybeDynamics(parser, strides) ||
      parser.parseGreater())
    return {};
  return LmadAttr::getChecked([&] { return parser.emitError(loc); },
                              parser.getContext(), offset, sizes, strides);
}

void LmadAttr::print(AsmPrinter &printer) const {
  printer << "<offset = ";
  printMaybeDynamic(printer, getOffset());
  printer << ", sizes = ";
  printMaybeDynamics(printer, getSizes());
  printer << ", strides = ";
  printMaybeDynamics(printer, getStrides());
  printer << '>';
}

LogicalResult LmadAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t offset, ArrayRef<int64_t> sizes,
                               ArrayRef<int64_t> strides) {
  if (sizes.size() != strides.size()) // lmad_rank
    return emitError() << "expected as many strides as sizes, got "
                       << strides.size() << " strides and " << sizes.size()
                       << " sizes";
  for (int64_t size : sizes)
    if (size < 0 && !ShapedType::isDynamic(size)) // lmad_size
      return emitError() << "expected sizes of at least 0, got " << size;
  return success();
}

unsigned LmadAttr::getNumDynamic() const {
  return ShapedType::isDynamic(getOffset()) +
         llvm::count_if(getSizes(), ShapedType::isDynamic) +
         llvm::count_if(getStrides(), ShapedType::isDynamic);
}

/// Are these the strides of a static dense array, last dimension fastest?
static bool isRowMajor(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  int64_t expected = 1;
  for (auto [size, stride] :
       llvm::zip_equal(llvm::reverse(sizes), llvm::reverse(strides))) {
    if (ShapedType::isDynamic(size) || stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

MemRefType LmadAttr::getViewType(MemRefType source) const {
  SmallVector<int64_t> sourceStrides;
  int64_t sourceOffset = ShapedType::kDynamic;
  if (failed(source.getStridesAndOffset(sourceStrides, sourceOffset)))
    sourceOffset = ShapedType::kDynamic;
  int64_t offset =
      ShapedType::isDynamic(sourceOffset) || ShapedType::isDynamic(getOffset())
          ? ShapedType::kDynamic
          : sourceOffset + getOffset();
  // A dense row-major view is written without a layout, as elsewhere in MLIR.
  if (offset == 0 && isRowMajor(getSizes(), getStrides()))
    return MemRefType::get(getSizes(), source.getElementType(),
                           MemRefLayoutAttrInterface(),
                           source.getMemorySpace());
  auto layout = StridedLayoutAttr::get(getContext(), offset, getStrides());
  return MemRefType::get(getSizes(), source.getElementType(), layout,
                         source.getMemorySpace());
}

//===----------------------------------------------------------------------===//
// ScheduleAttr
//===----------------------------------------------------------------------===//

static ParseResult parseFactors(AsmParser &parser, StringRef keyword,
                                SmallVectorImpl<Factor> &factors) {
  if (failed(parser.parseOptionalKeyword(keyword)))
    return success();
  return failure(parser.parseEqual() ||
                 parser.parseCommaSeparatedList(
                     AsmParser::Delimiter::Square,
                     [&]() -> ParseResult {
                       std::string name;
                       int64_t value;
                       if (parser.parseKeywordOrString(&name) ||
                           parser.parseEqual() || parser.parseInteger(value))
                         return failure();
                       auto id = StringAttr::get(parser.getContext(), name);
                       factors.push_back({id, value});
                       return success();
                     }) ||
                 parser.parseComma());
}

static void printFactors(AsmPrinter &printer, StringRef keyword,
                         ArrayRef<Factor> factors) {
  if (factors.empty())
    return;
  printer << keyword << " = [";
  llvm::interleaveComma(factors, printer, [&](const Factor &factor) {
    printer.printKeywordOrString(factor.iterator.getValue());
    printer << " = " << factor.value;
  });
  printer << "], ";
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  SmallVector<Factor> thread, reg, step;
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseFactors(parser, "thread", thread) ||
      parseFactors(parser, "register", reg) ||
      parseFactors(parser, "step", step))
    return {};
  SMLoc kernelLoc = parser.getCurrentLocation();
  if (parser.parseKeyword("kernel") || parser.parseEqual() ||
      parser.parseKeyword(&word))
    return {};
  std::optional<Kernel> kernel = symbolizeKernel(word);
  if (!kernel) {
    parser.emitError(kernelLoc, "expected kernel to be 'fma', got '")
        << word << "'";
    return {};
  }
  if (parser.parseGreater())
    return {};
  return ScheduleAttr::getChecked([&] { return parser.emitError(loc); },
                                  parser.getContext(), thread, reg, step,
                                  *kernel);
}

void ScheduleAttr::print(AsmPrinter &printer) const {
  printer << '<';
  printFactors(printer, "thread", getThread());
  printFactors(printer, "register", getReg());
  printFactors(printer, "step", getStep());
  printer << "kernel = " << stringifyKernel(getKernel()) << '>';
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<Factor> thread,
                                   ArrayRef<Factor> reg, ArrayRef<Factor> step,
                                   Kernel kernel) {
  for (ArrayRef<Factor> list : {thread, reg, step}) {
    llvm::SmallDenseSet<StringAttr> seen;
    for (const Factor &factor : list) {
      if (factor.value < 1) // schedule_factor
        return emitError() << "expected the factor of '"
                           << factor.iterator.getValue()
                           << "' to be at least 1, got " << factor.value;
      if (!seen.insert(factor.iterator).second) // schedule_once
        return emitError() << "expected each iterator at most once in a list, "
                              "got '"
                           << factor.iterator.getValue() << "' again";
    }
  }
  return success();
}

static int64_t findFactor(ArrayRef<Factor> factors, StringRef iterator) {
  for (const Factor &factor : factors)
    if (factor.iterator.getValue() == iterator)
      return factor.value;
  return 1;
}

static int64_t getProduct(ArrayRef<Factor> factors) {
  int64_t product = 1;
  for (const Factor &factor : factors)
    if (llvm::MulOverflow(product, factor.value, product))
      return std::numeric_limits<int64_t>::max();
  return product;
}

int64_t ScheduleAttr::getThread(StringRef iterator) const {
  return findFactor(getThread(), iterator);
}
int64_t ScheduleAttr::getRegister(StringRef iterator) const {
  return findFactor(getReg(), iterator);
}
int64_t ScheduleAttr::getStep(StringRef iterator) const {
  return findFactor(getStep(), iterator);
}
int64_t ScheduleAttr::getBlock(StringRef iterator) const {
  int64_t block;
  if (llvm::MulOverflow(getThread(iterator), getRegister(iterator), block))
    return std::numeric_limits<int64_t>::max();
  return block;
}
int64_t ScheduleAttr::getNumThreads() const { return getProduct(getThread()); }
int64_t ScheduleAttr::getNumResults() const { return getProduct(getReg()); }

//===----------------------------------------------------------------------===//
// MachineAttr
//===----------------------------------------------------------------------===//

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef chip, int64_t multiprocessors,
                                  int64_t warpSize, int64_t maxBlockThreads,
                                  int64_t maxThreadRegisters,
                                  int64_t blockRegisters,
                                  int64_t blockSharedBytes) {
  for (int64_t value : {multiprocessors, warpSize, maxBlockThreads,
                        maxThreadRegisters, blockRegisters, blockSharedBytes})
    if (value < 1) // machine_limit
      return emitError() << "expected each limit to be at least 1, got "
                         << value;
  return success();
}

//===----------------------------------------------------------------------===//
// MapAttr
//===----------------------------------------------------------------------===//

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
                             parser.getContext(), names, arguments);
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

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

#define GET_ATTRDEF_CLASSES
#include "tc/IR/TCAttrs.cpp.inc"

void TCDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tc/IR/TCAttrs.cpp.inc"
      >();
}
