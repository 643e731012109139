//===- EinsumProblem.cpp - An einsum with its operands --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/EinsumProblem.h"

#include "tc/Algebra/Lmad.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace mlir::tc {

/// The product of all extents but zeros is below 2^62. Zeros do not excuse the
/// others: strides are products of them.
static bool isCountable(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    if (MulOverflow(count, std::max<int64_t>(extent, 1), count) ||
        count >= int64_t(1) << 62)
      return false;
  return true;
}

std::string EinsumProblem::sizesText() const {
  auto textOf = [](const Iterator &iterator) {
    return iterator.name + "=" +
           (iterator.extent != dynamicExtent ? std::to_string(iterator.extent)
            : iterator.nominal == 0 ? "?"
                                    : "?" + std::to_string(iterator.nominal));
  };
  return llvm::join(llvm::map_range(iterators, textOf), ",");
}

std::string EinsumProblem::typesText() const {
  SmallVector<StringRef> names;
  for (const Operand &input : inputs)
    names.push_back(nameOf(input.type));
  if (llvm::all_equal(names)) {
    names.truncate(1);
    if (output.type == resultOf(inputs.front().type))
      return names.front().str();
  }
  return llvm::join(names, ",") + "->" + nameOf(output.type).str();
}

SmallVector<SmallVector<int64_t>> EinsumProblem::getShapes() const {
  SmallVector<SmallVector<int64_t>> shapes;
  for (const Operand &input : inputs)
    shapes.push_back(input.shape);
  shapes.push_back(output.shape);
  return shapes;
}

/// The iterator of that name; the end where there is none.
template <typename Iterators>
static auto findByName(Iterators &iterators, StringRef name) {
  return llvm::find_if(
      iterators, [&](const auto &iterator) { return iterator.name == name; });
}

Expected<EinsumProblem> EinsumProblem::withExtents(const Sizes &extents) const {
  EinsumProblem result = *this;
  for (const Sizes::Entry &entry : extents.entries) {
    const auto *known = findByName(iterators, StringRef(&entry.label, 1));
    if (known == iterators.end() || known->extent != dynamicExtent)
      return errorInText("run", extents.source, entry.column,
                         "expected a label whose extent is '?', got '" +
                             Twine(entry.label) + "'");
    result.iterators[known - iterators.begin()].extent = entry.extent;
  }
  for (const Iterator &iterator : result.iterators)
    if (iterator.extent == dynamicExtent)
      return errorInText("run", extents.source, 0,
                         "expected an extent for '" + iterator.name + "'");
  auto setShape = [&](Operand &operand) {
    for (auto [extent, iterator] :
         llvm::zip_equal(operand.shape, operand.iterators))
      if (extent == dynamicExtent)
        extent = result.iterators[*iterator].extent;
    return isCountable(operand.shape);
  };
  bool areCountable = setShape(result.output);
  for (Operand &input : result.inputs)
    areCountable &= setShape(input);
  if (!areCountable)
    return errorInText("run", extents.source, 0,
                       "expected operands of fewer than 2^62 elements");
  return result;
}

bool EinsumProblem::isDynamic() const {
  return llvm::any_of(iterators, [](const Iterator &iterator) {
    return iterator.extent == dynamicExtent;
  });
}

namespace {
/// The operands of an einsum, matched with its labels.
class Matcher {
public:
  Matcher(const Einsum &einsum, ArrayRef<SmallVector<int64_t>> shapes)
      : einsum(einsum), shapes(shapes) {}

  Expected<EinsumProblem> match();

private:
  Error fail(size_t column, const Twine &message) {
    return errorInText("einsum", einsum.source, column, message);
  }
  /// Iterators by name; a dimension of an ellipsis is numbered from the last.
  static std::string nameOf(unsigned ellipsisDim) {
    return "e" + std::to_string(ellipsisDim);
  }
  Error checkRank(unsigned input);
  /// The name of each dimension of an operand.
  SmallVector<std::string> namesOf(const Einsum::Operand &operand,
                                   unsigned ellipsisRank);
  Error addExtents(unsigned input);
  Error cannotBroadcast(const Twine &name, size_t column);
  EinsumProblem::Operand makeOperand(ArrayRef<std::string> names,
                                     ArrayRef<int64_t> shape);
  void addIterator(const std::string &name);

  const Einsum &einsum;
  ArrayRef<SmallVector<int64_t>> shapes; ///< of the inputs
  EinsumProblem problem;
  SmallVector<SmallVector<std::string>> names; ///< of the inputs' dimensions
  unsigned ellipsisRank = 0;                   ///< the largest of an input
};
} // namespace

Error Matcher::checkRank(unsigned input) {
  const Einsum::Operand &operand = einsum.inputs[input];
  size_t rank = shapes[input].size(), labels = operand.labels.size();
  if (labels > rank)
    return fail(operand.columns[rank],
                "einstein sum subscripts string contains too many subscripts "
                "for operand " +
                    Twine(input));
  if (labels < rank && !operand.ellipsis)
    return fail(operand.column,
                "operand has more dimensions than subscripts given in einstein "
                "sum, but no '...' ellipsis provided to broadcast the extra "
                "dimensions.");
  ellipsisRank = std::max<unsigned>(ellipsisRank, rank - labels);
  return Error::success();
}

SmallVector<std::string> Matcher::namesOf(const Einsum::Operand &operand,
                                          unsigned rank) {
  SmallVector<std::string> result;
  for (char label : operand.labels)
    result.push_back(std::string(1, label));
  for (unsigned dim = 0; dim != rank && operand.ellipsis; ++dim)
    result.insert(result.begin() + *operand.ellipsis + dim,
                  nameOf(ellipsisRank - rank + dim));
  return result;
}

void Matcher::addIterator(const std::string &name) {
  if (findByName(problem.iterators, name) == problem.iterators.end())
    problem.iterators.push_back({name, 1});
}

static std::string shapeText(ArrayRef<int64_t> shape) {
  return "(" +
         llvm::join(llvm::map_range(
                        shape, [](int64_t e) { return std::to_string(e); }),
                    ",") +
         ")";
}

/// NumPy's message: the shape of each input, and the same in the order of the
/// iterators.
Error Matcher::cannotBroadcast(const Twine &name, size_t column) {
  std::string text;
  for (auto [shape, dims] : llvm::zip(shapes, names)) {
    SmallVector<std::string> remapped;
    for (const auto &iterator : problem.iterators) {
      auto *found = llvm::find(dims, iterator.name);
      if (found != dims.end())
        remapped.push_back(std::to_string(shape[found - dims.begin()]));
      else if (!remapped.empty())
        remapped.push_back("newaxis");
    }
    text += shapeText(shape) + "->(" + llvm::join(remapped, ",") + ") ";
  }
  return fail(column, "operands could not be broadcast together with remapped "
                      "shapes [original->remapped]: " +
                          StringRef(text).rtrim() + ", because of '" + name +
                          "'");
}

/// Where dimension `dim` of an operand of `rank` is in the source.
static size_t columnOf(const Einsum::Operand &operand, size_t dim,
                       size_t rank) {
  size_t before = operand.ellipsis.value_or(rank);
  size_t hidden = rank - operand.labels.size();
  if (dim >= before && dim < before + hidden)
    return operand.column;
  return operand.columns[dim < before ? dim : dim - hidden];
}

/// Gives iterators the extents of one input, which may repeat a 1.
Error Matcher::addExtents(unsigned input) {
  const Einsum::Operand &operand = einsum.inputs[input];
  ArrayRef<std::string> dims = names[input];
  for (size_t dim = 0; dim != dims.size(); ++dim) {
    int64_t extent = shapes[input][dim];
    size_t column = columnOf(operand, dim, dims.size());
    auto *first = llvm::find(dims, dims[dim]);
    int64_t before = shapes[input][first - dims.begin()];
    if (before != extent)
      return fail(column, "dimensions in operand " + Twine(input) +
                              " for collapsing index '" + dims[dim] +
                              "' don't match (" + Twine(before) +
                              " != " + Twine(extent) + ")");
    auto *iterator = findByName(problem.iterators, dims[dim]);
    if (iterator->extent == 1)
      iterator->extent = extent;
    else if (extent != 1 && iterator->extent != extent)
      return cannotBroadcast(dims[dim], column);
  }
  return Error::success();
}

EinsumProblem::Operand Matcher::makeOperand(ArrayRef<std::string> dims,
                                            ArrayRef<int64_t> shape) {
  EinsumProblem::Operand operand;
  operand.shape.assign(shape.begin(), shape.end());
  for (auto [name, extent] : llvm::zip_equal(dims, shape)) {
    auto *iterator = findByName(problem.iterators, name);
    unsigned number = iterator - problem.iterators.begin();
    bool isRepeated = extent == 1 && iterator->extent != 1;
    operand.iterators.push_back(isRepeated ? std::nullopt
                                           : std::optional(number));
  }
  return operand;
}

Expected<EinsumProblem> Matcher::match() {
  problem.text = einsum.text();
  for (unsigned i = 0; i != einsum.inputs.size(); ++i)
    if (Error error = checkRank(i))
      return error;
  if (ellipsisRank > 0 && !einsum.output.ellipsis)
    return fail(einsum.output.column,
                "output has more dimensions than subscripts given in einstein "
                "sum, but no '...' ellipsis provided to broadcast the extra "
                "dimensions.");
  SmallVector<std::string> outputNames = namesOf(einsum.output, ellipsisRank);
  for (const std::string &name : outputNames)
    addIterator(name);
  for (auto [operand, shape] : llvm::zip_equal(einsum.inputs, shapes)) {
    names.push_back(namesOf(operand, shape.size() - operand.labels.size()));
    for (const std::string &name : names.back())
      addIterator(name);
  }
  for (unsigned i = 0; i != einsum.inputs.size(); ++i)
    if (Error error = addExtents(i))
      return error;
  SmallVector<int64_t> space;
  for (const auto &iterator : problem.iterators)
    space.push_back(iterator.extent);
  for (auto [dims, shape] : llvm::zip_equal(names, shapes))
    problem.inputs.push_back(makeOperand(dims, shape));
  problem.output =
      makeOperand(outputNames, ArrayRef(space).take_front(outputNames.size()));
  for (auto [operand, shape] : llvm::zip_equal(einsum.inputs, shapes))
    if (!isCountable(shape))
      return fail(operand.column,
                  "expected an operand of fewer than 2^62 elements");
  if (!isCountable(space))
    return fail(0, "expected an iteration space of fewer than 2^62 points");
  return std::move(problem);
}

/// Gives the operands their element types.
static Error setTypes(EinsumProblem &problem, const ElementTypes &types) {
  if (types.inputs.size() != 1 && types.inputs.size() != problem.inputs.size())
    return createStringError(
        "dtype: expected one element type, or " + Twine(problem.inputs.size()) +
        " for '" + problem.text + "', got " + Twine(types.inputs.size()));
  for (auto [i, input] : llvm::enumerate(problem.inputs))
    input.type = types.inputs[types.inputs.size() == 1 ? 0 : i];
  problem.output.type = types.result;
  problem.accumulator = types.accumulator;
  problem.precision = types.precision;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Shapes by label
//===----------------------------------------------------------------------===//

static Error checkSizes(const Einsum &einsum, const Sizes &sizes) {
  for (const Einsum::Operand &input : einsum.inputs) {
    for (auto [label, column] : llvm::zip(input.labels, input.columns))
      if (!sizes.find(label))
        return errorInText("einsum", einsum.source, column,
                           "label '" + Twine(label) +
                               "' has no extent; expected '" + Twine(label) +
                               "=N' among the sizes");
    if (input.ellipsis && !sizes.ellipsis)
      return errorInText("einsum", einsum.source, input.column,
                         "the ellipsis has no extents; expected '...=NxM' "
                         "among the sizes, or '...=' where it is empty");
  }
  std::string labels = einsum.labels();
  for (const Sizes::Entry &entry : sizes.entries)
    if (!StringRef(labels).contains(entry.label))
      return errorInText("sizes", sizes.source, entry.column,
                         "unknown label '" + Twine(entry.label) +
                             "': it is not in the einsum '" + einsum.source +
                             "'");
  if (sizes.ellipsis && !einsum.hasEllipsis())
    return errorInText("sizes", sizes.source, sizes.source.find("..."),
                       "there is no ellipsis in an input of the einsum '" +
                           einsum.source + "'");
  return Error::success();
}

Expected<EinsumProblem> makeProblem(const Einsum &einsum, const Sizes &sizes,
                                    const ElementTypes &types) {
  if (Error error = checkSizes(einsum, sizes))
    return error;
  SmallVector<SmallVector<int64_t>> shapes;
  for (const Einsum::Operand &input : einsum.inputs) {
    SmallVector<int64_t> &shape = shapes.emplace_back();
    for (char label : input.labels)
      shape.push_back(*sizes.find(label));
    if (input.ellipsis)
      shape.insert(shape.begin() + *input.ellipsis, sizes.ellipsis->begin(),
                   sizes.ellipsis->end());
  }
  Expected<EinsumProblem> problem = Matcher(einsum, shapes).match();
  if (!problem)
    return problem;
  for (const Sizes::Entry &entry : sizes.entries)
    findByName(problem->iterators, StringRef(&entry.label, 1))->nominal =
        entry.nominal;
  if (Error error = setTypes(*problem, types))
    return error;
  return problem;
}

//===----------------------------------------------------------------------===//
// Shapes by operand
//===----------------------------------------------------------------------===//

/// The shape with 1 for each extent of 0.
static SmallVector<int64_t> withoutZeros(ArrayRef<int64_t> shape) {
  return llvm::map_to_vector(
      shape, [](int64_t extent) { return std::max<int64_t>(extent, 1); });
}

SmallVector<int64_t> BufferLayout::rowMajorStrides(ArrayRef<int64_t> shape) {
  return computeStrides(withoutZeros(shape));
}

std::optional<std::pair<int64_t, int64_t>>
BufferLayout::findSpan(ArrayRef<int64_t> shape) const {
  auto span = footprint(Lmad(offset, withoutZeros(shape), strides));
  return span ? std::optional(std::pair(span->min, span->max)) : std::nullopt;
}

/// The place of an operand's elements, checked to be inside of its buffer.
static Expected<std::optional<BufferLayout>>
layoutOf(const OperandDescription &operand, ArrayRef<int64_t> shape,
         const Twine &name) {
  if (!operand.strides && !operand.offset && !operand.elements)
    return std::nullopt;
  BufferLayout layout;
  layout.offset = operand.offset;
  layout.strides =
      operand.strides.value_or(BufferLayout::rowMajorStrides(shape));
  auto span = layout.findSpan(shape);
  if (!span || span->second >= int64_t(1) << 62)
    return createStringError("operands: expected " + name +
                             " to end before element 2^62 of its buffer");
  auto [low, high] = *span;
  bool isEmpty = llvm::is_contained(shape, 0);
  if (low < 0 && !isEmpty)
    return createStringError(
        "operands: expected " + name + " to start at an offset of at least " +
        Twine(layout.offset - low) + ", got " + Twine(layout.offset));
  int64_t needed = isEmpty ? 0 : high + 1;
  layout.elements = operand.elements.value_or(needed);
  if (layout.elements < needed)
    return createStringError("operands: expected a buffer of at least " +
                             Twine(needed) + " elements for " + name +
                             ", got " + Twine(layout.elements));
  return std::optional(layout);
}

static Error setLayouts(EinsumProblem &problem,
                        const OperandDescriptions &operands) {
  for (auto [i, input] : llvm::enumerate(problem.inputs)) {
    if (Error error =
            layoutOf(operands.inputs[i], input.shape, "input " + Twine(i))
                .moveInto(input.layout))
      return error;
    input.type = operands.inputs[i].type.value_or(input.type);
  }
  if (!operands.result)
    return Error::success();
  const OperandDescription &result = *operands.result;
  EinsumProblem::Operand &output = problem.output;
  if (result.shape && *result.shape != output.shape)
    return createStringError("operands: expected a result of shape " +
                             shapeText(output.shape) + ", got " +
                             shapeText(*result.shape));
  if (result.strides && result.strides->size() != output.shape.size())
    return createStringError(
        "operands: expected " + Twine(output.shape.size()) +
        " strides for the result, got " + Twine(result.strides->size()));
  if (Error error =
          layoutOf(result, output.shape, "the result").moveInto(output.layout))
    return error;
  // Each element of a result needs a place of its own.
  if (output.layout &&
      !isInjective(Lmad(0, output.shape, output.layout->strides)))
    return createStringError(
        "operands: expected a result whose elements do not overlap, got "
        "strides " +
        shapeText(output.layout->strides) + " for shape " +
        shapeText(output.shape));
  return Error::success();
}

/// The type of the result follows from those of the inputs, where they have
/// some and it does not.
static void setResultType(EinsumProblem &problem,
                          const OperandDescriptions &operands) {
  if (operands.result && operands.result->type) {
    problem.output.type = *operands.result->type;
    return;
  }
  if (llvm::none_of(operands.inputs,
                    [](const auto &input) { return input.type.has_value(); }))
    return;
  ElementType all = problem.inputs.front().type;
  for (const EinsumProblem::Operand &input : problem.inputs)
    all = promote(all, input.type);
  problem.output.type = resultOf(all);
}

Expected<EinsumProblem> makeProblem(const Einsum &einsum,
                                    const OperandDescriptions &operands,
                                    const ElementTypes &types) {
  size_t given = operands.inputs.size(), wanted = einsum.inputs.size();
  if (given != wanted)
    return createStringError(
        Twine(given < wanted ? "fewer" : "more") +
        " operands provided to einstein sum function than specified in the "
        "subscripts string: expected " +
        Twine(wanted) + " for '" + einsum.source + "', got " + Twine(given));
  SmallVector<SmallVector<int64_t>> shapes;
  for (const OperandDescription &operand : operands.inputs)
    shapes.push_back(*operand.shape);
  Expected<EinsumProblem> problem = Matcher(einsum, shapes).match();
  if (!problem)
    return problem.takeError();
  if (Error error = setTypes(*problem, types))
    return error;
  if (Error error = setLayouts(*problem, operands))
    return error;
  setResultType(*problem, operands);
  return problem;
}

} // namespace mlir::tc
