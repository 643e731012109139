//===- RunValues.cpp - Arguments of a run, and what they should give ------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/ProgramRun.h"
#include "Run/Verify.h"

#include "tc/Files/Files.h"
#include "tc/Target/Machine.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"

#include <limits>

using namespace mlir;

namespace mlir::tc {

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

/// The extents of each run, which are all there are to give; those of one
/// without any when none are given.
llvm::Expected<SmallVector<Sizes>> Runner::readExtents() {
  SmallVector<Sizes> all;
  if (!options.run.empty() && !program.problem)
    return llvm::createStringError(
        "expected extents for run time with an einsum, got an MLIR file");
  SmallVector<StringRef> texts;
  StringRef(options.run).split(texts, ';');
  for (StringRef text : texts) {
    llvm::Expected<Sizes> sizes = parseSizes(text);
    if (!sizes)
      return sizes.takeError();
    llvm::Expected<Shapes> shapes = shapesFor(*sizes);
    if (!shapes)
      return shapes.takeError();
    all.push_back(std::move(*sizes));
  }
  return all;
}

/// The shape of each argument of the program.
llvm::Expected<Runner::Shapes> Runner::shapesFor(const Sizes &extents) {
  Shapes shapes;
  if (program.problem &&
      (program.problem->isDynamic() || !options.run.empty())) {
    auto problem = program.problem->withExtents(extents);
    if (!problem)
      return problem.takeError();
    return problem->getShapes();
  }
  for (Type type : function.getArgumentTypes()) {
    SmallVector<int64_t> &shape = shapes.emplace_back();
    if (auto shaped = dyn_cast<ShapedType>(type); shaped && shaped.hasRank())
      llvm::append_range(shape, shaped.getShape());
  }
  if (options.inputs.size() == shapes.size())
    if (llvm::Error error = takeShapesOfInputs(shapes))
      return std::move(error);
  return shapes;
}

/// Dynamic extents are those of the array that is given for the argument.
llvm::Error Runner::takeShapesOfInputs(Shapes &shapes) {
  for (auto [shape, path] : llvm::zip_equal(shapes, options.inputs)) {
    if (!llvm::is_contained(shape, dynamicExtent))
      continue;
    llvm::Expected<NumpyArray> array = readNumpy(path);
    if (!array)
      return array.takeError();
    if (llvm::Error error = takeExtents(shape, *array, path))
      return error;
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

llvm::Error Runner::readInputs(ArrayRef<unsigned> targets, Values &values) {
  for (auto [target, path] : llvm::zip(targets, options.inputs)) {
    llvm::Expected<NumpyArray> array = readNumpy(path);
    if (!array)
      return array.takeError();
    NumpyArray &argument = values.arguments[target];
    if (llvm::Error error =
            checkNumpy(*array, path, argument.type, argument.shape))
      return error;
    argument = std::move(*array);
  }
  return llvm::Error::success();
}

/// Refuses programs whose arguments cannot be held. The reference keeps three
/// numbers for each element, twice.
llvm::Error Runner::checkMemory(const Shapes &shapes) {
  int64_t bytes = 0;
  for (auto [type, shape] : llvm::zip(function.getArgumentTypes(), shapes)) {
    std::optional<ElementType> element =
        findElementType(getElementTypeOrSelf(type));
    if (!element || llvm::is_contained(shape, dynamicExtent))
      continue; // refused with their type
    int64_t factor =
        options.verify ? 2 + 2 * sizeof(Scalar) / bytesOf(*element) : 2;
    int64_t own = countBytes(*element, shape).value_or(0);
    if (llvm::MulOverflow(own, factor, own) ||
        llvm::AddOverflow(bytes, own, bytes) || bytes > physicalMemory())
      return llvm::createStringError(
          "expected arguments that fit into the memory of this machine (" +
          Twine(physicalMemory() >> 20) + " MiB)" +
          (options.verify ? " together with their reference" : ""));
  }
  return llvm::Error::success();
}

llvm::Error Values::addArgument(Type type, ArrayRef<int64_t> shape,
                                const Twine &name) {
  NumpyArray &array = arguments.emplace_back();
  llvm::Error error = makeArray(type, shape).moveInto(array);
  if (!error)
    error = layoutOf(type, array.shape).moveInto(layouts.emplace_back());
  if (!error)
    return error;
  return errorIn(name, std::move(error));
}

/// Arguments that hold zeros, and where their elements lie.
llvm::Expected<Values> Runner::makeArguments(const Shapes &shapes) {
  Values values;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    std::string open = // what nobody has said
        isa<IndexType>(type) ? "index"
        : llvm::is_contained(shapes[number], dynamicExtent)
            ? "dynamic extent of " + llvm::to_string(type)
            : "";
    if (!open.empty() && options.inputs.size() != function.getNumArguments())
      return llvm::createStringError(
          "argument " + Twine(number) + ": expected a value for each " + open +
          "; give all arguments by --inputs=A.npy,B.npy, whose shapes are the "
          "extents (an index is an array without dimensions)");
    if (llvm::Error error = values.addArgument(type, shapes[number],
                                               "argument " + Twine(number)))
      return error;
  }
  return values;
}

/// Takes the arguments from the files, and makes up the others.
llvm::Error Runner::fillArguments(RandomBits bits, Values &values) {
  SmallVector<unsigned> all, readOnly;
  for (auto [number, argument] : llvm::enumerate(values.arguments)) {
    fillRandomly(argument, options.seed, number, bits);
    all.push_back(number);
    if (!isWritten[number])
      readOnly.push_back(number);
  }
  size_t given = options.inputs.size();
  if (given != 0 && given != all.size() && given != readOnly.size())
    return llvm::createStringError("expected " + Twine(readOnly.size()) +
                                   " inputs (the arguments that " +
                                   "are only read) or " + Twine(all.size()) +
                                   " (all arguments), got " + Twine(given));
  return readInputs(given == readOnly.size() ? readOnly : all, values);
}

/// The widest bound of any element, relative to the scale of its result;
/// infinite where one is not judged.
static double findWidestBound(const Values &values) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double widest = values.undecided.empty() ? 0 : infinity;
  for (const Array &expected : values.expected) {
    Comparison comparison = compare(expected, expected);
    widest =
        std::max(widest, comparison.unjudged ? infinity : comparison.maxBound);
  }
  return widest;
}

/// With random numbers of all bits a kernel that computes in less precision
/// than it should is found. But in a long sum, rounding may then hide more than
/// 1 %; numbers of few bits make such sums exact.
llvm::Expected<Values> Runner::makeValues(const Sizes &extents) {
  llvm::Expected<Shapes> shapes = shapesFor(extents);
  if (!shapes)
    return shapes.takeError();
  if (llvm::Error error = checkMemory(*shapes))
    return error;
  llvm::Expected<Values> values = makeArguments(*shapes);
  if (!values)
    return values;
  if (llvm::Error error = fillArguments(RandomBits::all, *values))
    return error;
  if (!options.verify)
    return values;
  if (llvm::Error error = evaluateReference(*values))
    return error;
  double widest = findWidestBound(*values);
  if (widest <= 0.01 || !options.inputs.empty())
    return values;
  Values rounder;
  rounder.arguments = values->arguments;
  rounder.layouts = values->layouts;
  rounder.haveFewBits = true;
  if (llvm::Error error = fillArguments(RandomBits::few, rounder))
    return error;
  if (llvm::Error error = evaluateReference(rounder))
    return error;
  return findWidestBound(rounder) < widest ? std::move(rounder)
                                           : std::move(*values);
}

/// Fills what the program has written over, and keeps the rest as it was.
static void eraseWritten(NumpyArray &argument, Array &array,
                         ArrayRef<Scalar> initial) {
  NumpyArray erased = argument;
  fillUnwritten(erased, &array);
  for (auto [number, element] : llvm::enumerate(array.elements))
    if (element.isWritten())
      llvm::copy(erased.element(number), argument.element(number).begin());
    else
      element = initial[number];
}

/// For what the chip may compute.
EvaluateOptions Runner::getEvaluation() const {
  EvaluateOptions evaluation;
  evaluation.checkIndependence = true;
  auto machine = llvm::expectedToOptional(findMachine(options.compile.chip));
  if (machine)
    evaluation.f8SumBits = machine->f8SumBits;
  return evaluation;
}

/// Evaluates the program as if nobody had written to the arguments that it
/// writes; those then hold before the run what no kernel leaves there. Nothing
/// where it reads one of them first, or where files give them.
std::optional<Evaluation>
Runner::evaluateOverwriting(Values &values, MutableArrayRef<Array> arrays) {
  bool areGiven = options.inputs.size() == arrays.size();
  if (areGiven || !llvm::is_contained(isWritten, true))
    return std::nullopt;
  std::vector<std::vector<Scalar>> initial(arrays.size());
  for (auto [array, before, written] : llvm::zip(arrays, initial, isWritten))
    if (written) {
      before = array.elements;
      llvm::fill(array.elements, Scalar::unwritten());
    }
  EvaluateOptions overwriting = getEvaluation();
  overwriting.copiesRead = true; // old values would be results
  llvm::Expected<Evaluation> evaluation =
      evaluate(function, arrays, overwriting);
  values.areErased = bool(evaluation);
  for (auto [argument, array, before, written] :
       llvm::zip(values.arguments, arrays, initial, isWritten))
    if (written && evaluation)
      eraseWritten(argument, array, before);
    else if (written)
      array.elements = std::move(before);
  if (evaluation)
    return std::move(*evaluation);
  llvm::consumeError(evaluation.takeError());
  return std::nullopt;
}

/// Evaluates the program on the arguments, which change where it writes over
/// them.
llvm::Error Runner::evaluateReference(Values &values) {
  std::vector<Array> arrays;
  arrays.reserve(values.arguments.size()); // to grow would be to copy
  for (const NumpyArray &argument : values.arguments)
    arrays.push_back(toReference(argument));
  std::optional<Evaluation> overwriting = evaluateOverwriting(values, arrays);
  llvm::Expected<Evaluation> evaluation =
      overwriting ? std::move(*overwriting)
                  : evaluate(function, arrays, getEvaluation());
  if (!evaluation)
    return errorIn("reference", evaluation.takeError());
  for (auto [array, written] : llvm::zip(arrays, isWritten))
    if (written)
      values.expected.push_back(std::move(array));
  for (Array &array : evaluation->results)
    values.expected.push_back(std::move(array));
  if (evaluation->undecided != 0)
    values.undecided = llvm::formatv(
        "rounding errors decide {0} branches or subscripts on the way to the "
        "results, the first one at {1}",
        evaluation->undecided, evaluation->firstUndecided);
  return llvm::Error::success();
}

} // namespace mlir::tc
