//===- Run.cpp - A compiled program on a device ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Run.h"

#include "Device.h"
#include "HostArray.h"
#include "HostCode.h"

#include "tc/Frontend/Files.h"
#include "tc/Reference/Reference.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/MathExtras.h"

#include <chrono>
#include <cstring>

using namespace mlir;

namespace mlir::tc {

namespace {
/// The values of one run: on the host, and in the reference.
struct Values {
  std::vector<NumpyArray> arguments; ///< of the host function
  std::vector<BufferLayout> layouts; ///< of the same
  std::vector<Array> expected;       ///< of the outputs, in the reference
  uint64_t undecided = 0;            ///< see Evaluation
  std::string firstUndecided;
};

/// The runs of one program.
class Runner {
public:
  Runner(Program &program, const RunOptions &options)
      : program(program), options(options) {}

  llvm::Expected<RunResult> run();

private:
  using Shapes = SmallVector<SmallVector<int64_t>>;

  llvm::Error analyze();
  llvm::Expected<SmallVector<Sizes>> readExtents();
  llvm::Expected<Shapes> shapesFor(const Sizes &extents);
  llvm::Error takeShapesOfInputs(Shapes &shapes);
  llvm::Error checkMemory(const Shapes &shapes);
  llvm::Expected<Values> makeValues(const Sizes &extents);
  llvm::Error readInputs(ArrayRef<unsigned> targets, Values &values);
  llvm::Error evaluateReference(Values &values);
  llvm::Error placeResults(Values &values);
  llvm::Error call(HostCode &code, Device &device, Values &values,
                   Outcome &outcome);
  void verify(const Values &values, Outcome &outcome);
  llvm::Expected<Outcome> runOnce(HostCode &code, Device &device, Values values,
                                  StringRef sizes);
  llvm::Error writeOutputs(const Values &values);
  void summarize();

  Program &program;
  const RunOptions &options;
  RunResult result;

  OwningOpRef<ModuleOp> original; ///< the program before its compilation
  func::FuncOp function;          ///< of it
  SmallVector<bool> isWritten;    ///< by argument of the program
  /// For each result of the program: the argument it starts from, if any.
  SmallVector<std::optional<unsigned>> origins;
  /// The arguments with what the program computes: written ones, then results.
  SmallVector<unsigned> outputs;
};
} // namespace

/// The argument that `value` is an updated version of, if it is one.
static std::optional<unsigned> findOrigin(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner());
    if (!op)
      return std::nullopt;
    value = op.getTiedOpOperand(result)->get();
  }
  return cast<BlockArgument>(value).getArgNumber();
}

/// Keeps the program, and finds out what it writes.
llvm::Error Runner::analyze() {
  original = program.module->clone();
  function = original->lookupSymbol<func::FuncOp>(program.name);
  isWritten = findWrittenArguments(function);
  if (llvm::hasSingleElement(function.getBody()))
    for (Value returned : function.front().getTerminator()->getOperands())
      origins.push_back(findOrigin(returned));
  for (auto [number, written] : llvm::enumerate(isWritten))
    if (written)
      outputs.push_back(number);
  size_t most = outputs.size() + origins.size();
  if (options.outputs.size() > most)
    return llvm::createStringError("expected at most " + Twine(most) +
                                   " outputs, got " +
                                   Twine(options.outputs.size()));
  return llvm::Error::success();
}

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
    for (const EinsumProblem::Operand &input : problem->inputs)
      shapes.push_back(input.shape);
    shapes.push_back(problem->output.shape);
    return shapes;
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
    if (array->shape.size() != shape.size())
      return llvm::createStringError("'" + path + "': expected " +
                                     Twine(shape.size()) + " dimensions, got " +
                                     Twine(array->shape.size()));
    for (auto [extent, given] : llvm::zip_equal(shape, array->shape))
      if (extent == dynamicExtent)
        extent = given;
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

llvm::Expected<Values> Runner::makeValues(const Sizes &extents) {
  llvm::Expected<Shapes> shapes = shapesFor(extents);
  if (!shapes)
    return shapes.takeError();
  if (llvm::Error error = checkMemory(*shapes))
    return error;
  Values values;
  SmallVector<unsigned> all, readOnly;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (isa<IndexType>(type) &&
        options.inputs.size() != function.getNumArguments())
      return llvm::createStringError("argument " + Twine(number) +
                                     ": expected an input for all arguments, "
                                     "as this one is an index");
    llvm::Expected<NumpyArray> array = makeArray(type, (*shapes)[number]);
    if (!array)
      return llvm::createStringError("argument " + Twine(number) + ": " +
                                     toString(array.takeError()));
    llvm::Expected<BufferLayout> layout = layoutOf(type, array->shape);
    if (!layout)
      return llvm::createStringError("argument " + Twine(number) + ": " +
                                     toString(layout.takeError()));
    fillRandomly(*array, options.seed, number);
    values.arguments.push_back(std::move(*array));
    values.layouts.push_back(std::move(*layout));
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
  if (llvm::Error error =
          readInputs(given == readOnly.size() ? readOnly : all, values))
    return error;
  if (options.verify)
    if (llvm::Error error = evaluateReference(values))
      return error;
  return values;
}

llvm::Error Runner::evaluateReference(Values &values) {
  std::vector<Array> arrays;
  for (const NumpyArray &argument : values.arguments)
    arrays.push_back(toReference(argument));
  llvm::Expected<Evaluation> evaluation =
      evaluate(function, arrays, {/*checkIndependence=*/true});
  if (!evaluation)
    return llvm::createStringError("reference: " +
                                   toString(evaluation.takeError()));
  for (auto [array, written] : llvm::zip(arrays, isWritten))
    if (written)
      values.expected.push_back(std::move(array));
  for (Array &array : evaluation->results)
    values.expected.push_back(std::move(array));
  values.undecided = evaluation->undecided;
  values.firstUndecided = evaluation->firstUndecided;
  return llvm::Error::success();
}

/// Finds out where the host function leaves the results: in a new argument
/// each, or in the arguments they start from.
llvm::Error Runner::placeResults(Values &values) {
  ArrayRef<Type> types = result.compilation.hostArguments;
  size_t declared = function.getNumArguments();
  for (Type type : types.drop_front(std::min(declared, types.size()))) {
    llvm::Expected<NumpyArray> array = makeArray(type);
    if (!array)
      return llvm::createStringError("result: " + toString(array.takeError()));
    llvm::Expected<BufferLayout> layout = layoutOf(type, array->shape);
    if (!layout)
      return llvm::createStringError("result: " + toString(layout.takeError()));
    values.arguments.push_back(std::move(*array));
    values.layouts.push_back(std::move(*layout));
  }
  outputs.clear();
  for (unsigned number = 0; number != declared; ++number)
    if (isWritten[number])
      outputs.push_back(number);
  size_t added = values.arguments.size() - declared, next = declared;
  size_t withoutOrigin = llvm::count(origins, std::nullopt);
  if (added != origins.size() && added != withoutOrigin)
    return llvm::createStringError(
        "expected the compiled function to have an argument for each result");
  for (std::optional<unsigned> origin : origins)
    outputs.push_back(origin && added == withoutOrigin ? *origin : next++);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Copies the arguments in, calls the host function, and copies results out.
llvm::Error Runner::call(HostCode &code, Device &device, Values &values,
                         Outcome &outcome) {
  std::vector<Descriptor> descriptors;
  std::vector<void *> addresses;
  std::vector<std::vector<char>> buffers;
  for (auto [type, argument, layout] :
       llvm::zip(result.compilation.hostArguments, values.arguments,
                 values.layouts)) {
    buffers.push_back(toBuffer(argument, layout));
    if (isa<IndexType>(type)) {
      std::memcpy(descriptors.emplace_back(1).data(), buffers.back().data(),
                  sizeof(int64_t));
      addresses.push_back(nullptr);
      continue;
    }
    llvm::Expected<void *> address = device.allocate(buffers.back());
    if (!address)
      return address.takeError();
    addresses.push_back(*address);
    descriptors.push_back(makeDescriptor(*address, argument.shape,
                                         layout.strides, layout.offset));
  }
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = code.call(program.name, descriptors))
    return error;
  if (llvm::Error error = device.check())
    return error;
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  outcome.seconds = elapsed.count();
  for (unsigned number : outputs) {
    if (llvm::Error error = device.copyOut(addresses[number], buffers[number]))
      return error;
    fromBuffer(buffers[number], values.layouts[number],
               values.arguments[number]);
  }
  return llvm::Error::success();
}

/// Row-major indices of element `number`.
static std::string formatIndex(ArrayRef<int64_t> shape, int64_t number) {
  SmallVector<int64_t> index(shape.size());
  for (size_t dim = shape.size(); dim-- != 0;) {
    index[dim] = number % shape[dim];
    number /= shape[dim];
  }
  std::string text = "[";
  for (int64_t i : index)
    text += (text.size() > 1 ? ", " : "") + std::to_string(i);
  return text + "]";
}

void Runner::verify(const Values &values, Outcome &outcome) {
  outcome.verified = true;
  for (auto [number, output] : llvm::enumerate(outputs)) {
    const NumpyArray &array = values.arguments[output];
    const Array &reference = values.expected[number];
    Array got = toReference(array);
    double roundoff = reference.isInteger ? 0 : roundoffOf(array.type);
    Comparison comparison =
        compare(got, reference, smallestOf(array.type), roundoff);
    outcome.tolerance = std::max(outcome.tolerance, comparison.maxTolerance);
    outcome.maxRelativeError =
        std::max(outcome.maxRelativeError, comparison.maxRelativeError);
    if (comparison.isDueToRounding())
      continue;
    outcome.verified = false;
    llvm::raw_string_ostream stream(outcome.mismatch);
    stream << "result " << number << " at "
           << formatIndex(array.shape, comparison.worst) << ": expected "
           << formatElement(reference, comparison.worst) << ", got "
           << formatElement(got, comparison.worst);
    if (!outcome.sizes.empty())
      stream << ", for " << outcome.sizes;
    if (!reference.isInteger)
      stream << "; an error of " << comparison.error
             << " of the magnitude, where at most " << comparison.tolerance
             << " is due to rounding";
    if (reference.isInteger && reference.elements[comparison.worst].error != 0)
      stream << "; rounding errors decide which";
    if (values.undecided != 0)
      stream << "; rounding errors decide " << values.undecided
             << " branches or subscripts on the way to the results, the first "
                "one at "
             << values.firstUndecided;
    stream << '\n';
  }
}

llvm::Error Runner::writeOutputs(const Values &values) {
  for (auto [path, output] : llvm::zip(options.outputs, outputs))
    if (llvm::Error error =
            writeFile(path, formatNumpy(values.arguments[output])))
      return error;
  return llvm::Error::success();
}

llvm::Expected<Outcome> Runner::runOnce(HostCode &code, Device &device,
                                        Values values, StringRef sizes) {
  Outcome outcome;
  outcome.sizes = sizes.str();
  if (llvm::Error error = placeResults(values))
    return error;
  if (llvm::Error error = call(code, device, values, outcome))
    return error;
  if (options.verify)
    verify(values, outcome);
  if (llvm::Error error = writeOutputs(values))
    return error;
  return outcome;
}

/// Sums up the outcomes; see RunResult.
void Runner::summarize() {
  for (const Outcome &outcome : result.outcomes) {
    result.seconds += outcome.seconds;
    if (outcome.verified)
      result.verified = result.verified.value_or(true) && *outcome.verified;
    result.maxRelativeError =
        std::max(result.maxRelativeError, outcome.maxRelativeError);
    result.tolerance = std::max(result.tolerance, outcome.tolerance);
    result.mismatch += outcome.mismatch;
  }
  if (options.run.empty())
    result.outcomes.clear();
}

llvm::Expected<RunResult> Runner::run() {
  if (llvm::Error error = analyze())
    return error;
  llvm::Expected<SmallVector<Sizes>> extents = readExtents();
  if (!extents)
    return extents.takeError();
  // What is wrong with the arguments comes before what the compiler says.
  llvm::Expected<Values> first = makeValues(extents->front());
  if (!first)
    return first.takeError();
  CompileOptions compileOptions = options.compile;
  compileOptions.wantsModule = true;
  llvm::Expected<Compilation> compilation = compile(program, compileOptions);
  if (!compilation)
    return compilation.takeError();
  result.compilation = std::move(*compilation);
  auto device = Device::open(options.device, options.library);
  if (!device)
    return device.takeError();
  result.device = (*device)->kind();
  llvm::Expected<HostCode> code =
      HostCode::compile(*result.compilation.module, (*device)->library());
  if (!code)
    return code.takeError();
  if (llvm::Error error = (*device)->check())
    return error;
  for (const Sizes &sizes : *extents) {
    bool isFirst = &sizes == extents->begin();
    llvm::Expected<Values> values =
        isFirst ? std::move(first) : makeValues(sizes);
    if (!values)
      return values.takeError();
    llvm::Expected<Outcome> outcome =
        runOnce(*code, **device, std::move(*values), sizes.source);
    if (!outcome)
      return outcome.takeError();
    result.outcomes.push_back(std::move(*outcome));
  }
  summarize();
  return std::move(result);
}

llvm::Expected<RunResult> run(Program &program, const RunOptions &options) {
  return Runner(program, options).run();
}

} // namespace mlir::tc
