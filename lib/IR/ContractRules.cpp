//===- ContractRules.cpp - What a tc.contract must keep -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule has a label; test/IR/invalid.mlir has a case of that name.
//
//===----------------------------------------------------------------------===//

#include "Rules.h"
#include "tc/Algebra/Exprs.h"
#include "tc/Algebra/Lmad.h"
#include "tc/IR/Scalars.h"
#include "tc/IR/TC.h"
#include "tc/Target/Limits.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tc;

bool ContractOp::isLinear(AffineMap map) {
  return llvm::all_of(map.getResults(), [&](AffineExpr subscript) {
    std::optional<LinearForm> form = linearForm(subscript, map.getNumDims());
    return form && staticValue(form->constant);
  });
}

bool ContractOp::isInjective(AffineMap map) {
  llvm::SmallBitVector varies(map.getNumDims()), alone(map.getNumDims());
  for (AffineExpr subscript : map.getResults()) {
    llvm::SmallBitVector dims(map.getNumDims());
    for (unsigned i = 0, e = map.getNumDims(); i < e; ++i)
      dims[i] = subscript.isFunctionOfDim(i);
    varies |= dims;
    if (dims.count() == 1)
      alone |= dims;
  }
  return varies == alone;
}

/// contract_bounds: a static subscript stays inside a static shape.
static LogicalResult verifyBounds(ContractOp op, Value operand, AffineMap map) {
  ArrayRef<int64_t> extents = op.getStaticExtents();
  if (llvm::is_contained(extents, 0))
    return success();
  auto shape = cast<ShapedType>(operand.getType()).getShape();
  for (auto [i, subscript] : llvm::enumerate(map.getResults())) {
    bool known = !ShapedType::isDynamic(shape[i]);
    for (auto [dim, extent] : llvm::enumerate(extents))
      known &=
          !subscript.isFunctionOfDim(dim) || !ShapedType::isDynamic(extent);
    if (!known)
      continue;
    SmallVector<int64_t> ranges(extents);
    llvm::replace(ranges, ShapedType::kDynamic, int64_t(1));
    auto range = findRange(subscript, ranges);
    if (!range) // contract_overflow
      return op.emitOpError("expected subscript ")
             << i << " of " << operand.getType() << " to need 64 bits at most";
    auto [low, high] = *range;
    if (low < 0 || high >= shape[i])
      return op.emitOpError("expected subscript ")
             << i << " of " << operand.getType() << " to stay in [0, "
             << shape[i] << "), got [" << low << ", " << high << "]";
  }
  return success();
}

/// Can subscripts be written with `name`? The words of affine expressions and
/// of integer types cannot stand for an iterator there.
static bool isIteratorName(StringRef name) {
  StringRef number = name;
  if (number.consume_front("i") || number.consume_front("si") ||
      number.consume_front("ui"))
    if (!number.empty() && llvm::all_of(number, llvm::isDigit))
      return false;
  return !name.empty() && (llvm::isAlpha(name.front()) || name[0] == '_') &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; }) &&
         !llvm::is_contained({"mod", "floordiv", "ceildiv", "symbol"}, name);
}

static LogicalResult verifySpace(ContractOp op) {
  llvm::SmallDenseSet<StringRef> names;
  for (auto name : op.getIterators().getAsValueRange<StringAttr>()) {
    if (!isIteratorName(name)) // contract_identifiers
      return op.emitOpError("expected iterators to be identifiers, got '")
             << name << "'";
    if (!names.insert(name).second) // contract_names
      return op.emitOpError("expected each iterator once, got '")
             << name << "' again";
  }
  ArrayRef<int64_t> extents = op.getStaticExtents();
  if (extents.size() != op.getNumIterators()) // contract_extents
    return op.emitOpError("expected one extent per iterator, got ")
           << extents.size() << " for " << op.getNumIterators();
  for (auto [i, extent] : llvm::enumerate(extents)) // contract_negative_extent
    if (extent < 0 && !ShapedType::isDynamic(extent))
      return op.emitOpError("expected the extent of '")
             << op.getIterator(i) << "' to be at least 0, got " << extent;
  size_t dynamic = llvm::count_if(extents, ShapedType::isDynamic);
  if (dynamic != op.getExtents().size()) // contract_dynamic_extents
    return op.emitOpError("expected ")
           << dynamic << " extents as operands, got " << op.getExtents().size();
  return success();
}

/// Rules of one operand and its subscripts.
static LogicalResult verifyMap(ContractOp op, Value operand, AffineMap map) {
  auto attr = AffineMapAttr::get(map);
  if (map.getNumDims() != op.getNumIterators() || map.getNumSymbols())
    return op.emitOpError("expected a map of ") // contract_map_dims
           << op.getNumIterators() << " dimensions and no symbols, got "
           << attr;
  auto type = dyn_cast<ShapedType>(operand.getType());
  if (!type.hasRank()) // contract_ranked
    return op.emitOpError("expected ranked operands, got ") << type;
  if (type.getRank() != map.getNumResults()) // contract_rank
    return op.emitOpError("expected ")
           << type.getRank() << " subscripts for " << type << ", got "
           << map.getNumResults();
  if (!ContractOp::isLinear(map)) // contract_linear
    return op.emitOpError("expected subscripts linear in the iterators, got ")
           << attr;
  return success();
}

/// Results agree on what is contracted, and sides vary with nothing that is.
static LogicalResult verifyResultSpace(ContractOp op) {
  for (unsigned o = 0, e = op.getOutputs().size(); o < e; ++o) {
    AffineMap map = op.getOutputMap(o);
    if (!ContractOp::isInjective(map)) // contract_injective
      return op.emitOpError(
                 "expected the result's subscripts to be injective: "
                 "each of its iterators alone in one subscript, got ")
             << AffineMapAttr::get(map);
    for (unsigned i = 0; i < op.getNumIterators(); ++i)
      if (ContractOp::variesWith(map, i) == op.isContracted(i))
        return op.emitOpError(
                   "expected results that vary with the same " // contract_outputs
                   "iterators, got '")
               << op.getIterator(i) << "' in one of them";
  }
  for (unsigned s = 0, e = op.getSides().size(); s < e; ++s)
    for (unsigned i = 0; i < op.getNumIterators(); ++i)
      if (op.isContracted(i) && ContractOp::variesWith(op.getSideMap(s), i))
        return op.emitOpError(
                   "expected sides that vary with result " // contract_sides
                   "iterators alone, got '")
               << op.getIterator(i) << "' in side " << s;
  return success();
}

static LogicalResult verifyMaps(ContractOp op) {
  if (op.getInputs().empty() && op.getMap().empty()) // contract_inputs
    return op.emitOpError("expected at least one input, or a map region");
  if (op.getOutputs().empty()) // contract_no_outputs
    return op.emitOpError("expected at least one result operand");
  OperandRange operands = op.getShapedOperands();
  if (op.getIndexingMaps().size() != operands.size()) // contract_maps
    return op.emitOpError("expected one map per operand, got ")
           << op.getIndexingMaps().size() << " for " << operands.size();
  SmallVector<AffineMap> maps = op.getMaps();
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    if (failed(verifyMap(op, operand, map)))
      return failure();
  if (failed(verifyResultSpace(op)))
    return failure();
  for (auto [operand, map] : llvm::zip_equal(operands, maps))
    if (failed(verifyBounds(op, operand, map)))
      return failure();
  return success();
}

/// What regions that are not there would have to do must be possible.
static LogicalResult verifyDefaults(ContractOp op) {
  SmallVector<Type> accumulators = op.getAccumulatorTypes();
  bool defaults = op.getMap().empty() || op.getCombine().empty();
  for (Type type : accumulators)
    if (defaults && !isNumber(type)) // contract_arithmetic
      return op.emitOpError("expected floats, complex numbers or signless "
                            "integers without map and combine regions, got ")
             << type;
  if (op.getMap().empty() && accumulators.size() != 1) // contract_map_results
    return op.emitOpError("expected one accumulator without a map region, got ")
           << accumulators.size();
  for (Value input : op.getInputs()) {
    Type element = cast<ShapedType>(input.getType()).getElementType();
    if (op.getMap().empty() && !canConvert(element, accumulators.front()))
      return op.emitOpError(
                 "expected inputs that convert to ") // contract_element
             << accumulators.front() << " without a map region, got "
             << input.getType();
  }
  bool perResult = op.getEpilogue().empty() || !op.getOverwrite();
  if (perResult && accumulators.size() != op.getOutputs().size())
    return op.emitOpError("expected an accumulator for each result without "
                          "an " // contract_epilogue
                          "epilogue, and where old results are added to, "
                          "got ")
           << accumulators.size() << " for " << op.getOutputs().size();
  for (auto [i, type] : llvm::enumerate(accumulators)) {
    if (op.getEpilogue().empty() && !canConvert(type, op.getElementType(i)))
      return op.emitOpError(
                 "expected accumulators that convert to their " // contract_result_element
                 "result without an epilogue, got ")
             << type << " and " << op.getElementType(i);
    if (!op.getOverwrite() && !canConvert(op.getElementType(i), type))
      return op.emitOpError(
                 "expected old results that convert to their " // contract_old
                 "accumulator, got ")
             << op.getElementType(i) << " and " << type;
  }
  return success();
}

static LogicalResult verifyOperandTypes(ContractOp op) {
  bool tensors = op.hasTensorSemantics();
  for (Value operand : op.getShapedOperands())
    if (isa<TensorType>(operand.getType()) != tensors) // contract_semantics
      return op.emitOpError("expected all operands to be tensors or all to be "
                            "memrefs, got ")
             << operand.getType() << " and " << op.getOutput().getType();
  TypeRange results = op.getResultTypes(); // contract_result
  if (tensors ? results != op.getOutputs().getTypes() : !results.empty())
    return op.emitOpError("expected ")
           << (tensors ? "one result of the type of each of outs"
                       : "no result for a memref");
  if (op.getAccumulator() && // contract_accumulator
      !(op.getMap().empty() && op.getCombine().empty()))
    return op.emitOpError("expected no accumulator type beside regions, which "
                          "have their own, got ")
           << *op.getAccumulator();
  return success();
}

/// contract_precision: others than products of f32 have no choice.
static LogicalResult verifyPrecision(ContractOp op) {
  if (op.getProductPrecision() == Precision::IEEE || op.areProductsOfF32())
    return success();
  return op.emitOpError("expected products of f32 or complex<f32>, added in "
                        "the same type, for precision ")
         << stringifyPrecision(op.getProductPrecision());
}

/// contract_schedule: the schedule speaks of this op's iterators; `contracted`
/// says of which kind those of `list` are to be.
static LogicalResult verifyFactors(ContractOp op, ArrayRef<Factor> factors,
                                   StringRef list,
                                   std::optional<bool> contracted) {
  for (const Factor &factor : factors) {
    StringRef name = factor.iterator.getValue();
    std::optional<unsigned> i = op.findIterator(name);
    if (!i) {
      InFlightDiagnostic error = op.emitOpError("expected '");
      error << list << "' of the schedule to name iterators (";
      for (unsigned own = 0; own < op.getNumIterators(); ++own)
        error << (own == 0 ? "'" : ", '") << op.getIterator(own) << "'";
      return error << "), got '" << name << "'";
    }
    if (contracted && op.isContracted(*i) != *contracted)
      return op.emitOpError("expected '")
             << list << "' of the schedule to name "
             << (*contracted ? "contracted" : "result") << " iterators, got '"
             << name << "'";
  }
  return success();
}

/// mma_iterators: lanes are along iterators of their kinds.
static LogicalResult verifyUnit(ContractOp op, MmaAttr unit) {
  if (!unit)
    return success();
  return success(succeeded(verifyFactors(op, unit.getM(), "m", false)) &&
                 succeeded(verifyFactors(op, unit.getN(), "n", false)) &&
                 succeeded(verifyFactors(op, unit.getK(), "k", true)));
}

LogicalResult mlir::tc::verifyVersion(ContractOp op, VersionAttr version) {
  for (const Factor &most : version.getMost()) {
    if (!op.findIterator(most.iterator.getValue())) // versions_most
      return op.emitOpError("expected 'most' of a version to name iterators, "
                            "got '")
             << most.iterator.getValue() << "'";
    if (most.value < 1) // versions_most_extent
      return op.emitOpError("expected 'most' of a version to be at least 1, "
                            "got ")
             << most.value << " for '" << most.iterator.getValue() << "'";
  }
  return verifySchedule(op, version.getSchedule());
}

LogicalResult mlir::tc::verifySchedule(ContractOp op, ScheduleAttr schedule) {
  if (!schedule)
    return success();
  return success(
      succeeded(
          verifyFactors(op, schedule.getThread(), "thread", std::nullopt)) &&
      succeeded(verifyFactors(op, schedule.getReg(), "register", false)) &&
      succeeded(verifyFactors(op, schedule.getStep(), "step", true)) &&
      succeeded(
          verifyFactors(op, schedule.getVector(), "vector", std::nullopt)) &&
      succeeded(verifyFactors(op, schedule.getSplit(), "split", true)) &&
      succeeded(verifyFactors(op, schedule.getUnroll(), "unroll", true)) &&
      succeeded(verifyUnit(op, schedule.getUnit())));
}

/// Neutral elements come with a combine region, one for each accumulator.
static LogicalResult verifyNeutral(ContractOp op) {
  ArrayAttr neutral = op.getNeutralAttr();
  if (op.getCombine().empty()) {
    if (neutral) // contract_neutral_alone
      return op.emitOpError("expected no neutral element without a combine "
                            "region, got ")
             << neutral;
    if (op.getAssociative() || op.getCommutative()) // contract_laws_alone
      return op.emitOpError("expected 'associative' and 'commutative' with a "
                            "combine region only");
    return success();
  }
  if (!neutral) // contract_neutral
    return op.emitOpError("expected a neutral element with a combine region");
  SmallVector<Type> types = op.getAccumulatorTypes();
  if (neutral.size() != types.size()) // contract_neutral_count
    return op.emitOpError("expected ")
           << types.size() << " neutral elements, got " << neutral.size();
  for (auto [value, type] : llvm::zip_equal(neutral, types)) {
    auto typed = dyn_cast<TypedAttr>(value);
    if (!typed || typed.getType() != type || !isNumber(type))
      return op.emitOpError(
                 "expected a neutral element of type ") // contract_neutral_type
             << type << ", got " << value;
  }
  return success();
}

LogicalResult mlir::tc::verifyYield(Operation *op, StringRef name,
                                    Region &region) {
  Block &block = region.front();                    // contract_terminator
  if (!block.empty() && isa<YieldOp>(block.back())) // reduce_terminator
    return success();
  InFlightDiagnostic error = op->emitOpError("expected the ")
                             << name << " region to end in tc.yield";
  if (!block.empty())
    error << ", got '" << block.back().getName() << "'";
  return error;
}

LogicalResult mlir::tc::verifyTypes(Operation *op, StringRef name,
                                    Region &region, TypeRange arguments,
                                    TypeRange yielded) {
  // contract_region
  if (region.getArgumentTypes() != arguments) // reduce_arguments
    return op->emitOpError("expected the ")
           << name << " region to take (" << arguments << "), got ("
           << region.getArgumentTypes() << ")";
  TypeRange got = region.front().getTerminator()->getOperandTypes();
  if (got != yielded) // reduce_yield
    return op->emitOpError("expected the ")
           << name << " region to yield (" << yielded << "), got (" << got
           << ")";
  return success();
}

LogicalResult mlir::tc::verifyNoEffects(Operation *op, StringRef name,
                                        Region &region) {
  // contract_effects
  for (Operation &inner : region.front().without_terminator())
    if (!isMemoryEffectFree(&inner)) // reduce_effects
      return op->emitOpError("expected the ")
             << name << " region to be free of effects, got '"
             << inner.getName() << "'";
  return success();
}

/// The names of the regions that a contraction may have, in their order.
static constexpr StringRef regionNames[] = {"map", "combine", "epilogue"};

/// The regions end in tc.yield, so that their types can be asked for.
static LogicalResult verifyTerminators(ContractOp op) {
  for (auto [name, region] : llvm::zip_equal(regionNames, op->getRegions()))
    if (!region.empty() && failed(verifyYield(op, name, region)))
      return failure();
  return success();
}

/// `tc.vectors`: operands whose last dimension one access can move.
static LogicalResult verifyVectors(ContractOp op) {
  auto numbers = TCDialect::VectorsAttrHelper(op.getContext()).getAttr(op);
  if (!numbers)
    return success();
  SmallVector<std::optional<unsigned>> rows = op.findRowIterators();
  int64_t least = 0;
  for (int64_t o : numbers.asArrayRef()) {
    if (o < std::exchange(least, o + 1) ||
        o >= int64_t(rows.size())) // vectors_operand
      return op.emitOpError("expected 'tc.vectors' to have numbers of its ")
             << rows.size() << " operands, rising, got " << numbers;
    if (!rows[o]) // vectors_row
      return op.emitOpError("expected the last dimension of operand ")
             << o << ", as 'tc.vectors' has it, to be dense, of 2 to "
             << kMaxAccessBytes
             << " bytes, a power of two, and along an iterator of that static "
                "extent and nothing else, got "
             << op.getShapedOperands()[o].getType();
  }
  return success();
}

LogicalResult ContractOp::verify() {
  return failure(
      failed(verifySpace(*this)) || failed(verifyMaps(*this)) ||
      failed(verifyTerminators(*this)) || failed(verifyOperandTypes(*this)) ||
      failed(verifyPrecision(*this)) || failed(verifyDefaults(*this)) ||
      failed(verifyNeutral(*this)) ||
      failed(verifySchedule(*this, getScheduleAttr())) ||
      failed(verifyVectors(*this)));
}

static SmallVector<Type> getElements(OperandRange operands) {
  return llvm::map_to_vector(operands, [](Value operand) {
    return cast<ShapedType>(operand.getType()).getElementType();
  });
}

LogicalResult ContractOp::verifyRegions() {
  SmallVector<Type> accumulators = getAccumulatorTypes();
  SmallVector<Type> mapped =
      getMap().empty()
          ? accumulators
          : llvm::to_vector(
                getMap().front().getTerminator()->getOperandTypes());
  if (mapped.empty()) // contract_region
    return emitOpError("expected the map region to yield at least one value");
  SmallVector<Type> combined(accumulators), finished(accumulators);
  llvm::append_range(combined, mapped);
  llvm::append_range(finished, getElements(getSides()));
  SmallVector<Type> arguments[] = {getElements(getInputs()), combined,
                                   finished};
  SmallVector<Type> yielded[] = {mapped, accumulators,
                                 getElements(getOutputs())};
  for (auto [name, region, takes, yields] :
       llvm::zip_equal(regionNames, (*this)->getRegions(), arguments, yielded))
    if (!region.empty() &&
        (failed(verifyTypes(*this, name, region, takes, yields)) ||
         failed(verifyNoEffects(*this, name, region))))
      return failure();
  return success();
}
