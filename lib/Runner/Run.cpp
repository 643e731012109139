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

using namespace mlir;

namespace mlir::tc {

namespace {
/// One run: the values on the host, on the device, and in the reference.
class Runner {
public:
  Runner(Program &program, const RunOptions &options)
      : program(program), options(options) {}

  llvm::Expected<RunResult> run();

private:
  llvm::Error checkMemory();
  llvm::Error makeArguments();
  llvm::Error readInputs(ArrayRef<unsigned> targets);
  llvm::Error evaluateReference();
  llvm::Error placeResults();
  llvm::Error execute();
  llvm::Error call(Device &device);
  llvm::Error verify();
  llvm::Error writeOutputs();

  Program &program;
  const RunOptions &options;
  RunResult result;

  std::vector<NumpyArray> arguments; ///< of the host function
  size_t declared = 0;               ///< how many the program has itself
  SmallVector<bool> isWritten;       ///< by argument of the program
  /// For each result of the program: the argument it starts from, if any.
  SmallVector<std::optional<unsigned>> origins;
  /// The arguments with what the program computes: written ones, then results.
  SmallVector<unsigned> outputs;
  std::vector<Array> expected; ///< the same in the reference
  int64_t roundings = 0;
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

llvm::Error Runner::readInputs(ArrayRef<unsigned> targets) {
  for (auto [target, path] : llvm::zip(targets, options.inputs)) {
    llvm::Expected<NumpyArray> array = readNumpy(path);
    if (!array)
      return array.takeError();
    NumpyArray &argument = arguments[target];
    if (llvm::Error error =
            checkNumpy(*array, path, argument.elementBytes, argument.shape))
      return error;
    argument = std::move(*array);
  }
  return llvm::Error::success();
}

/// Refuses programs whose arguments cannot be held. The reference keeps a value
/// and a magnitude for each element, twice.
llvm::Error Runner::checkMemory() {
  constexpr int64_t referenceFactor = 10;
  int64_t bytes = 0;
  for (Type type : program.function().getArgumentTypes()) {
    int64_t own = countBytes(type).value_or(0);
    if (llvm::MulOverflow<int64_t>(own, options.verify ? referenceFactor : 2,
                                   own) ||
        llvm::AddOverflow(bytes, own, bytes) || bytes > physicalMemory())
      return llvm::createStringError(
          "expected arguments that fit into the memory of this machine (" +
          Twine(physicalMemory() >> 20) + " MiB)" +
          (options.verify ? " together with their reference" : ""));
  }
  return llvm::Error::success();
}

llvm::Error Runner::makeArguments() {
  if (llvm::Error error = checkMemory())
    return error;
  func::FuncOp function = program.function();
  isWritten = findWrittenArguments(function);
  SmallVector<unsigned> all, readOnly;
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    llvm::Expected<NumpyArray> array = makeArray(type);
    if (!array)
      return llvm::createStringError("argument " + Twine(number) + ": " +
                                     toString(array.takeError()));
    fillRandomly(*array, options.seed, number);
    arguments.push_back(std::move(*array));
    all.push_back(number);
    if (!isWritten[number])
      readOnly.push_back(number);
  }
  declared = arguments.size();
  if (llvm::hasSingleElement(function.getBody()))
    for (Value returned : function.front().getTerminator()->getOperands())
      origins.push_back(findOrigin(returned));
  size_t given = options.inputs.size();
  if (given != 0 && given != all.size() && given != readOnly.size())
    return llvm::createStringError("expected " + Twine(readOnly.size()) +
                                   " inputs (the arguments that " +
                                   "are only read) or " + Twine(all.size()) +
                                   " (all arguments), got " + Twine(given));
  return readInputs(given == readOnly.size() ? readOnly : all);
}

llvm::Error Runner::evaluateReference() {
  std::vector<Array> values;
  for (const NumpyArray &argument : arguments)
    values.push_back(Array::of(argument.shape, toDoubles(argument)));
  llvm::Expected<Evaluation> evaluation = evaluate(program.function(), values);
  if (!evaluation)
    return llvm::createStringError("reference: " +
                                   toString(evaluation.takeError()));
  for (auto [value, written] : llvm::zip(values, isWritten))
    if (written)
      expected.push_back(std::move(value));
  for (Array &value : evaluation->results)
    expected.push_back(std::move(value));
  roundings = evaluation->roundings;
  return llvm::Error::success();
}

/// Finds out where the host function leaves the results: in a new argument
/// each, or in the arguments they start from.
llvm::Error Runner::placeResults() {
  ArrayRef<Type> types = result.compilation.hostArguments;
  for (Type type : types.drop_front(std::min(declared, types.size()))) {
    llvm::Expected<NumpyArray> array = makeArray(type);
    if (!array)
      return llvm::createStringError("result: " + toString(array.takeError()));
    arguments.push_back(std::move(*array));
  }
  for (unsigned number = 0; number != declared; ++number)
    if (isWritten[number])
      outputs.push_back(number);
  size_t added = arguments.size() - declared, next = declared;
  size_t withoutOrigin = llvm::count(origins, std::nullopt);
  if (added != origins.size() && added != withoutOrigin)
    return llvm::createStringError(
        "expected the compiled function to have an argument for each result");
  for (std::optional<unsigned> origin : origins)
    outputs.push_back(origin && added == withoutOrigin ? *origin : next++);
  return llvm::Error::success();
}

/// Copies the arguments in, calls the host function, and copies results out.
llvm::Error Runner::call(Device &device) {
  llvm::Expected<HostCode> code =
      HostCode::compile(*result.compilation.module, device.library());
  if (!code)
    return code.takeError();
  if (llvm::Error error = device.check())
    return error;
  std::vector<Descriptor> descriptors;
  std::vector<void *> addresses;
  for (const NumpyArray &argument : arguments) {
    llvm::Expected<void *> address = device.allocate(argument.bytes);
    if (!address)
      return address.takeError();
    addresses.push_back(*address);
    descriptors.push_back(makeDescriptor(*address, argument.shape));
  }
  auto start = std::chrono::steady_clock::now();
  if (llvm::Error error = code->call(program.name, descriptors))
    return error;
  if (llvm::Error error = device.check())
    return error;
  std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - start;
  result.seconds = elapsed.count();
  for (unsigned number : outputs)
    if (llvm::Error error =
            device.copyOut(addresses[number], arguments[number].bytes))
      return error;
  return llvm::Error::success();
}

llvm::Error Runner::execute() {
  if (llvm::Error error = placeResults())
    return error;
  auto device = Device::open(options.device, options.library);
  if (!device)
    return device.takeError();
  result.device = (*device)->kind();
  return call(**device);
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

llvm::Error Runner::verify() {
  result.verified = true;
  for (auto [number, output] : llvm::enumerate(outputs)) {
    const NumpyArray &array = arguments[output];
    const Array &reference = expected[number];
    std::vector<double> got = toDoubles(array);
    double smallest = array.elementBytes == 4 ? 0x1p-126 : 0x1p-1022;
    Comparison comparison = compare(got, reference, smallest);
    double tolerance = toleranceFor(roundings, array.elementBytes);
    result.tolerance = std::max(result.tolerance, tolerance);
    result.maxRelativeError =
        std::max(result.maxRelativeError, comparison.maxRelativeError);
    if (comparison.maxRelativeError <= tolerance)
      continue;
    result.verified = false;
    llvm::raw_string_ostream(result.mismatch)
        << "result " << number << " at "
        << formatIndex(array.shape, comparison.worst) << ": expected "
        << reference.values[comparison.worst] << ", got "
        << got[comparison.worst] << "; an error of "
        << comparison.maxRelativeError << " of the magnitude, where at most "
        << tolerance << " is due to rounding\n";
  }
  return llvm::Error::success();
}

llvm::Error Runner::writeOutputs() {
  if (options.outputs.size() > outputs.size())
    return llvm::createStringError("expected at most " + Twine(outputs.size()) +
                                   " outputs, got " +
                                   Twine(options.outputs.size()));
  for (auto [path, output] : llvm::zip(options.outputs, outputs))
    if (llvm::Error error = writeFile(path, formatNumpy(arguments[output])))
      return error;
  return llvm::Error::success();
}

llvm::Expected<RunResult> Runner::run() {
  if (llvm::Error error = makeArguments())
    return error;
  if (options.verify)
    if (llvm::Error error = evaluateReference())
      return error;
  CompileOptions compileOptions = options.compile;
  compileOptions.wantsModule = true;
  llvm::Expected<Compilation> compilation = compile(program, compileOptions);
  if (!compilation)
    return compilation.takeError();
  result.compilation = std::move(*compilation);
  if (llvm::Error error = execute())
    return error;
  if (options.verify)
    if (llvm::Error error = verify())
      return error;
  if (llvm::Error error = writeOutputs())
    return error;
  return std::move(result);
}

llvm::Expected<RunResult> run(Program &program, const RunOptions &options) {
  return Runner(program, options).run();
}

} // namespace mlir::tc
