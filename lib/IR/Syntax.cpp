//===- Syntax.cpp - What ODS cannot say of the ops' syntax ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The custom directives of assembly formats: index spaces and operands that
// name what regions and subscripts use.
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

using Operands = SmallVectorImpl<OpAsmParser::UnresolvedOperand>;
using Types = SmallVectorImpl<Type>;
using Arguments = SmallVector<OpAsmParser::Argument>;

static constexpr auto inParens = AsmParser::Delimiter::Paren;

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

/// `(%x: f32, ...) {...}`
static ParseResult parseScalarRegion(OpAsmParser &parser, Region &region) {
  Arguments arguments;
  return failure(
      parser.parseArgumentList(arguments, inParens, /*allowType=*/true) ||
      parser.parseRegion(region, arguments));
}

static void printScalarRegion(OpAsmPrinter &printer, Operation *,
                              Region &region, bool printsYield = true) {
  printer << '(';
  llvm::interleaveComma(region.getArguments(), printer, [&](BlockArgument arg) {
    printer.printRegionArgument(arg);
  });
  printer << ") ";
  printer.printRegion(region, /*printEntryBlockArgs=*/false, printsYield);
}

/// Ends `region`, which yields nothing, where that was left to be understood.
static void addYield(OpAsmParser &parser, Region &region) {
  Block &body = region.empty() ? region.emplaceBlock() : region.front();
  if (!body.empty() && isa<YieldOp>(body.back()))
    return;
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToEnd(&body);
  YieldOp::create(builder, parser.getEncodedSourceLoc(parser.getNameLoc()));
}

/// `attributes {...} {...}`, with the index space and what is carried as the
/// region's `arguments`.
static ParseResult parseBody(OpAsmParser &parser, NamedAttrList &attributes,
                             Region &region, const Arguments &arguments) {
  return failure(parser.parseOptionalAttrDictWithKeyword(attributes) ||
                 parser.parseRegion(region, arguments));
}

static void printBody(OpAsmPrinter &printer, Operation *op, Region &region,
                      bool printsYield) {
  printer.printOptionalAttrDictWithKeyword(
      op->getDiscardableAttrDictionary().getValue());
  printer << ' ';
  printer.printRegion(region, /*printEntryBlockArgs=*/false, printsYield);
}

//===----------------------------------------------------------------------===//
// Index spaces: (%i, %j) = (0, %lb) to (16, %ub) step (4, 1) width (1, 1)
//===----------------------------------------------------------------------===//

static OptionalParseResult parseLevel(OpAsmParser &parser, LevelAttr &level) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (failed(parser.parseOptionalKeyword(&word)))
    return std::nullopt;
  std::optional<Level> known = symbolizeLevel(word);
  if (!known)
    return parser.emitError(loc, "expected host, device, grid, cluster, block, "
                                 "warpgroup, warp or thread, got '")
           << word << "'";
  level = LevelAttr::get(parser.getContext(), *known);
  return success();
}

static void printLevel(OpAsmPrinter &printer, Operation *, LevelAttr level) {
  printer << stringifyLevel(level.getValue());
}

namespace {
/// The operands and constants of an index space, as they are parsed.
struct ParsedSpace {
  Operands &lower, &upper, &step, &width;
  DenseI64ArrayAttr &staticLower, &staticUpper, &staticStep, &staticWidth;
};
} // namespace

static ParseResult parseBounds(OpAsmParser &parser, Operands &values,
                               DenseI64ArrayAttr &constants) {
  SMLoc loc = parser.getCurrentLocation();
  if (parseDynamicIndexList(parser, values, constants, /*valueTypes=*/nullptr,
                            inParens))
    return failure();
  // The smallest number of 64 bits stands for a dynamic bound.
  if (llvm::count_if(constants.asArrayRef(), ShapedType::isDynamic) !=
      int64_t(values.size())) // nest_lower_bound
    return parser.emitError(loc, "expected a bound above -2^63");
  return success();
}

/// `keyword (1, %n)`; without the keyword every entry is 1.
static ParseResult parseFactors(OpAsmParser &parser, StringRef keyword,
                                size_t rank, Operands &values,
                                DenseI64ArrayAttr &constants) {
  if (succeeded(parser.parseOptionalKeyword(keyword)))
    return parseBounds(parser, values, constants);
  constants =
      parser.getBuilder().getDenseI64ArrayAttr(SmallVector<int64_t>(rank, 1));
  return success();
}

static ParseResult parseSpace(OpAsmParser &parser, Arguments &indices,
                              ParsedSpace space) {
  if (parser.parseArgumentList(indices, inParens) || parser.parseEqual() ||
      parseBounds(parser, space.lower, space.staticLower) ||
      parser.parseKeyword("to") ||
      parseBounds(parser, space.upper, space.staticUpper) ||
      parseFactors(parser, "step", indices.size(), space.step,
                   space.staticStep) ||
      parseFactors(parser, "width", indices.size(), space.width,
                   space.staticWidth))
    return failure();
  for (OpAsmParser::Argument &index : indices)
    index.type = parser.getBuilder().getIndexType();
  return success();
}

template <typename NestOp>
static void printSpace(OpAsmPrinter &printer, NestOp op) {
  printer << '(';
  llvm::interleaveComma(op.getIndices(), printer,
                        [&](Value index) { printer << index; });
  printer << ") = ";
  auto print = [&](OperandRange values, ArrayRef<int64_t> constants) {
    printDynamicIndexList(printer, op, values, constants, {}, inParens);
  };
  auto printFactors = [&](StringRef keyword, OperandRange values,
                          ArrayRef<int64_t> constants) {
    if (llvm::all_of(constants, [](int64_t value) { return value == 1; }))
      return;
    printer << ' ' << keyword << ' ';
    print(values, constants);
  };
  print(op.getLower(), op.getStaticLower());
  printer << " to ";
  print(op.getUpper(), op.getStaticUpper());
  printFactors("step", op.getStep(), op.getStaticStep());
  printFactors("width", op.getWidth(), op.getStaticWidth());
}

//===----------------------------------------------------------------------===//
// Nests. All that is printed is in the op.
//===----------------------------------------------------------------------===//

/// The space, then `map #tc.map<...>`.
static ParseResult parsePar(OpAsmParser &parser, Operands &lower,
                            Operands &upper, Operands &step, Operands &width,
                            DenseI64ArrayAttr &staticLower,
                            DenseI64ArrayAttr &staticUpper,
                            DenseI64ArrayAttr &staticStep,
                            DenseI64ArrayAttr &staticWidth, MapAttr &mapping,
                            NamedAttrList &attributes, Region &region) {
  Arguments indices;
  if (parseSpace(parser, indices,
                 {lower, upper, step, width, staticLower, staticUpper,
                  staticStep, staticWidth}) ||
      (succeeded(parser.parseOptionalKeyword("map")) &&
       parser.parseAttribute(mapping)) ||
      parseBody(parser, attributes, region, indices))
    return failure();
  addYield(parser, region);
  return success();
}

template <typename... Parts>
static void printPar(OpAsmPrinter &printer, ParOp op, const Parts &...) {
  printSpace(printer, op);
  if (op.getMappingAttr())
    printer << " map " << op.getMappingAttr();
  printBody(printer, op, op.getRegion(), /*printsYield=*/false);
}

/// The space and the region, which ends in a tc.yield.
static ParseResult
parsePartition(OpAsmParser &parser, Operands &lower, Operands &upper,
               Operands &step, Operands &width, DenseI64ArrayAttr &staticLower,
               DenseI64ArrayAttr &staticUpper, DenseI64ArrayAttr &staticStep,
               DenseI64ArrayAttr &staticWidth, NamedAttrList &attributes,
               Region &region) {
  Arguments indices;
  if (parseSpace(parser, indices,
                 {lower, upper, step, width, staticLower, staticUpper,
                  staticStep, staticWidth}) ||
      parseBody(parser, attributes, region, indices))
    return failure();
  if (region.empty() || region.front().empty()) // partition_yield
    addYield(parser, region);
  return success();
}

template <typename... Parts>
static void printPartition(OpAsmPrinter &printer, PartitionOp op,
                           const Parts &...) {
  printSpace(printer, op);
  printBody(printer, op, op.getRegion(), /*printsYield=*/true);
}

/// The space, then `init(%sum = %zero : f32) stages(2) unroll(4)`.
static ParseResult
parseSeq(OpAsmParser &parser, Operands &lower, Operands &upper, Operands &step,
         Operands &width, DenseI64ArrayAttr &staticLower,
         DenseI64ArrayAttr &staticUpper, DenseI64ArrayAttr &staticStep,
         DenseI64ArrayAttr &staticWidth, Operands &inits, Types &initTypes,
         Types &resultTypes, IntegerAttr &stages, IntegerAttr &unroll,
         NamedAttrList &attributes, Region &region) {
  Arguments arguments;
  auto parseCarried = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) ||
                   parser.parseEqual() ||
                   parser.parseOperand(inits.emplace_back()) ||
                   parser.parseColonType(arguments.back().type));
  };
  if (parseSpace(parser, arguments,
                 {lower, upper, step, width, staticLower, staticUpper,
                  staticStep, staticWidth}) ||
      (succeeded(parser.parseOptionalKeyword("init")) &&
       parser.parseCommaSeparatedList(inParens, parseCarried)))
    return failure();
  for (auto [word, attribute] :
       {std::pair("stages", &stages), std::pair("unroll", &unroll)}) {
    if (failed(parser.parseOptionalKeyword(word)))
      continue;
    int64_t count;
    if (parser.parseLParen() || parser.parseInteger(count) ||
        parser.parseRParen())
      return failure();
    *attribute = parser.getBuilder().getI64IntegerAttr(count);
  }
  for (auto &carried : ArrayRef(arguments).take_back(inits.size()))
    initTypes.push_back(carried.type);
  llvm::append_range(resultTypes, initTypes);
  if (parseBody(parser, attributes, region, arguments))
    return failure();
  if (inits.empty())
    addYield(parser, region);
  return success();
}

template <typename... Parts>
static void printSeq(OpAsmPrinter &printer, SeqOp op, const Parts &...) {
  printSpace(printer, op);
  if (!op.getInits().empty()) {
    printer << " init(";
    llvm::interleaveComma(llvm::zip_equal(op.getCarried(), op.getInits()),
                          printer, [&](auto pair) {
                            auto [argument, init] = pair;
                            printer << argument << " = " << init << " : "
                                    << init.getType();
                          });
    printer << ')';
  }
  if (op.getStages() != 1)
    printer << " stages(" << op.getStages() << ')';
  if (op.getUnroll() != 1)
    printer << " unroll(" << op.getUnroll() << ')';
  printBody(printer, op, op.getRegion(), !op.getInits().empty());
}

/// The space, then `init(%zero : f32) commutative {...} combine (%a: f32, %b:
/// f32) {...} finish (%total: f32) {...}`; the word in the middle is `word`.
static ParseResult
parseFold(OpAsmParser &parser, Operands &lower, Operands &upper, Operands &step,
          Operands &width, DenseI64ArrayAttr &staticLower,
          DenseI64ArrayAttr &staticUpper, DenseI64ArrayAttr &staticStep,
          DenseI64ArrayAttr &staticWidth, Operands &inits, Types &initTypes,
          UnitAttr &flag, StringRef word, NamedAttrList &attributes,
          Region &map, Region &combine, Region &finish) {
  Arguments indices;
  auto parseInit = [&]() -> ParseResult {
    return failure(parser.parseOperand(inits.emplace_back()) ||
                   parser.parseColonType(initTypes.emplace_back()));
  };
  if (parseSpace(parser, indices,
                 {lower, upper, step, width, staticLower, staticUpper,
                  staticStep, staticWidth}) ||
      parser.parseKeyword("init") ||
      parser.parseCommaSeparatedList(inParens, parseInit))
    return failure();
  if (succeeded(parser.parseOptionalKeyword(word)))
    flag = parser.getBuilder().getUnitAttr();
  if (parseBody(parser, attributes, map, indices) ||
      parser.parseKeyword("combine") || parseScalarRegion(parser, combine) ||
      parser.parseKeyword("finish") || parseScalarRegion(parser, finish))
    return failure();
  addYield(parser, finish);
  return success();
}

template <typename FoldOp>
static void printFold(OpAsmPrinter &printer, FoldOp op, OperandRange,
                      OperandRange, OperandRange, OperandRange,
                      DenseI64ArrayAttr, DenseI64ArrayAttr, DenseI64ArrayAttr,
                      DenseI64ArrayAttr, OperandRange inits, TypeRange,
                      UnitAttr flag, StringRef word, DictionaryAttr,
                      Region &map, Region &combine, Region &finish) {
  printSpace(printer, op);
  printer << " init(";
  llvm::interleaveComma(inits, printer, [&](Value init) {
    printer << init << " : " << init.getType();
  });
  printer << ')';
  if (flag)
    printer << ' ' << word;
  printBody(printer, op, map, /*printsYield=*/true);
  printer << " combine ";
  printScalarRegion(printer, op, combine);
  printer << " finish ";
  printScalarRegion(printer, op, finish, /*printsYield=*/false);
}

//===----------------------------------------------------------------------===//
// Contractions: (a = 16, q = %n) ins(%X[a, q] : type) outs(%Z[a] : type)
//===----------------------------------------------------------------------===//

using NamedDims = SmallVector<std::pair<StringRef, AffineExpr>>;

/// `(a = 16, b = %n)`
static ParseResult parseIterators(OpAsmParser &parser,
                                  SmallVectorImpl<std::string> &names,
                                  Operands &extents,
                                  SmallVectorImpl<int64_t> &staticExtents) {
  return parser.parseCommaSeparatedList(inParens, [&]() -> ParseResult {
    if (parser.parseKeywordOrString(&names.emplace_back()) ||
        parser.parseEqual())
      return failure();
    OpAsmParser::UnresolvedOperand value;
    OptionalParseResult dynamic = parser.parseOptionalOperand(value);
    if (!dynamic.has_value())
      return parser.parseInteger(staticExtents.emplace_back());
    extents.push_back(value);
    staticExtents.push_back(ShapedType::kDynamic);
    return *dynamic;
  });
}

/// `%X[i, 2 * j + k] : type, ...` between parentheses.
static ParseResult parseSubscripted(OpAsmParser &parser, const NamedDims &dims,
                                    Operands &operands, Types &types,
                                    SmallVectorImpl<AffineMap> &maps) {
  return parser.parseCommaSeparatedList(inParens, [&]() -> ParseResult {
    SmallVector<AffineExpr> subscripts;
    auto parseSubscript = [&] {
      return parser.parseAffineExpr(dims, subscripts.emplace_back());
    };
    if (parser.parseOperand(operands.emplace_back()) ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                       parseSubscript) ||
        parser.parseColonType(types.emplace_back()))
      return failure();
    // Names were parsed as symbols 0..n-1; they are the map's dimensions.
    SmallVector<AffineExpr> replacements;
    for (unsigned i = 0, e = dims.size(); i < e; ++i)
      replacements.push_back(getAffineDimExpr(i, parser.getContext()));
    for (AffineExpr &subscript : subscripts)
      subscript = subscript.replaceSymbols(replacements);
    maps.push_back(
        AffineMap::get(dims.size(), 0, subscripts, parser.getContext()));
    return success();
  });
}

static ParseResult parseContraction(OpAsmParser &parser, ArrayAttr &iterators,
                                    Operands &extents,
                                    DenseI64ArrayAttr &staticExtents,
                                    Operands &inputs, Types &inputTypes,
                                    Operands &sides, Types &sideTypes,
                                    Operands &outputs, Types &outputTypes,
                                    ArrayAttr &indexingMaps) {
  Builder &builder = parser.getBuilder();
  SmallVector<std::string> names;
  SmallVector<int64_t> constants;
  SmallVector<AffineMap> maps;
  if (parseIterators(parser, names, extents, constants))
    return failure();
  NamedDims dims;
  for (auto [i, name] : llvm::enumerate(names))
    dims.emplace_back(name, builder.getAffineSymbolExpr(i));
  if (parser.parseKeyword("ins") ||
      parseSubscripted(parser, dims, inputs, inputTypes, maps) ||
      (succeeded(parser.parseOptionalKeyword("sides")) &&
       parseSubscripted(parser, dims, sides, sideTypes, maps)) ||
      parser.parseKeyword("outs") ||
      parseSubscripted(parser, dims, outputs, outputTypes, maps))
    return failure();
  iterators = builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(names));
  staticExtents = builder.getDenseI64ArrayAttr(constants);
  indexingMaps = builder.getAffineMapArrayAttr(maps);
  return success();
}

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

template <typename... Parts>
static void printContraction(OpAsmPrinter &printer, ContractOp op,
                             const Parts &...) {
  printer << '(';
  llvm::interleaveComma(
      llvm::zip_equal(op.getIterators(), op.getMixedExtents()), printer,
      [&](auto iterator) {
        auto [name, extent] = iterator;
        printer.printKeywordOrString(cast<StringAttr>(name).getValue());
        printer << " = ";
        if (auto value = dyn_cast<Value>(extent))
          printer << value;
        else
          printer << cast<IntegerAttr>(cast<Attribute>(extent)).getInt();
      });
  printer << ')';
  SmallVector<AffineMap> maps = op.getMaps();
  const AffineMap *map = maps.begin();
  auto printSubscripted = [&](StringRef keyword, OperandRange operands) {
    printer << ' ' << keyword << '(';
    llvm::interleaveComma(operands, printer, [&](Value operand) {
      printer << operand << '[';
      llvm::interleaveComma(map++->getResults(), printer, [&](AffineExpr expr) {
        printSubscript(printer, op, expr);
      });
      printer << "] : " << operand.getType();
    });
    printer << ')';
  };
  printSubscripted("ins", op.getInputs());
  if (!op.getSides().empty())
    printSubscripted("sides", op.getSides());
  printSubscripted("outs", op.getOutputs());
}

/// `(0.0 : f32, ...)`
static ParseResult parseNeutral(OpAsmParser &parser, ArrayAttr &neutral) {
  SmallVector<Attribute> values;
  auto parseValue = [&]() -> ParseResult {
    TypedAttr value;
    ParseResult result = parser.parseAttribute(value);
    values.push_back(value);
    return result;
  };
  if (parser.parseCommaSeparatedList(inParens, parseValue))
    return failure();
  neutral = parser.getBuilder().getArrayAttr(values);
  return success();
}

static void printNeutral(OpAsmPrinter &printer, Operation *,
                         ArrayAttr neutral) {
  printer << '(';
  llvm::interleaveComma(neutral, printer);
  printer << ')';
}

/// `(tf32)`
static ParseResult parsePrecision(OpAsmParser &parser,
                                  PrecisionAttr &precision) {
  StringRef name;
  SMLoc loc;
  if (parser.parseLParen() || parser.getCurrentLocation(&loc) ||
      parser.parseKeyword(&name) || parser.parseRParen())
    return failure();
  std::optional<Precision> value = symbolizePrecision(name);
  if (!value) // contract_precision_name
    return parser.emitError(loc, "expected ")
           << listPrecisions() << ", got '" << name << "'";
  precision = PrecisionAttr::get(parser.getContext(), *value);
  return success();
}

static void printPrecision(OpAsmPrinter &printer, Operation *,
                           PrecisionAttr precision) {
  printer << '(' << stringifyPrecision(precision.getValue()) << ')';
}

/// `type`, or `(type, ...)`.
static ParseResult parseResultTypes(OpAsmParser &parser, Types &types) {
  if (succeeded(parser.parseOptionalLParen()))
    return failure(parser.parseTypeList(types) || parser.parseRParen());
  return parser.parseType(types.emplace_back());
}

static void printResultTypes(OpAsmPrinter &printer, Operation *,
                             TypeRange types) {
  printer << (types.size() == 1 ? "" : "(") << types
          << (types.size() == 1 ? "" : ")");
}

#define GET_OP_CLASSES
#include "tc/IR/TCOps.cpp.inc"
