//===- Run.cpp - A compiled program on a device ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/ProgramRun.h"
#include "Run/ResultShapes.h"
#include "Run/Verify.h"

#include "tc/IR/TC.h"

#include <cstring>

using namespace mlir;

namespace mlir::tc {

/// Keeps the program, and finds out what it writes.
llvm::Error Runner::analyze() {
  original = program.module->clone();
  function = original->lookupSymbol<func::FuncOp>(program.name);
  isWritten = findWrittenArguments(function);
  if (llvm::hasSingleElement(function.getBody()))
    for (Value returned : function.front().getTerminator()->getOperands()) {
      // The argument that it is an updated version of, if it is one.
      auto origin = dyn_cast<BlockArgument>(findOrigin(returned));
      origins.push_back(origin ? std::optional(origin.getArgNumber())
                               : std::nullopt);
    }
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

/// Finds out where the host function leaves the results: in a new argument
/// each, or in the arguments they start from.
llvm::Error Runner::placeResults(Values &values) {
  ArrayRef<Type> types = result.compilation.hostArguments;
  size_t declared = function.getNumArguments();
  types = types.drop_front(std::min(declared, types.size()));
  size_t added = types.size(), next = declared;
  size_t withoutOrigin = llvm::count(origins, std::nullopt);
  if (added != origins.size() && added != withoutOrigin)
    return llvm::createStringError(
        "expected the compiled function to have an argument for each result");
  SmallVector<SmallVector<int64_t>> shapes;
  for (auto [shape, origin] :
       llvm::zip(findResultShapes(function, values.arguments), origins))
    if (added == origins.size() || !origin)
      shapes.push_back(shape);
  for (auto [type, shape] : llvm::zip_equal(types, shapes))
    if (llvm::Error error = values.addArgument(type, shape, "result"))
      return error;
  outputs.clear();
  for (unsigned number = 0; number != declared; ++number)
    if (isWritten[number])
      outputs.push_back(number);
  for (std::optional<unsigned> origin : origins)
    outputs.push_back(origin && added == withoutOrigin ? *origin : next++);
  for (auto [number, output] : llvm::enumerate(outputs))
    if (output >= declared)
      fillUnwritten(values.arguments[output],
                    options.verify ? &values.expected[number] : nullptr);
  values.before = values.arguments;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

llvm::Error LoadedCode::open(ModuleOp module, const RunOptions &options) {
  close();
  if (llvm::Error error =
          Device::open(options.device, options.library).moveInto(device))
    return error;
  llvm::Expected<HostCode> compiled =
      HostCode::compile(module, StringRef(device->library()));
  if (!compiled)
    return compiled.takeError();
  code.emplace(std::move(*compiled));
  return device->check();
}

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
    void *address = buffers.back().data();
    if (!HostAttr::isSpaceOf(type))
      if (llvm::Error error = device.allocate(buffers.back()).moveInto(address))
        return error;
    addresses.push_back(address);
    descriptors.push_back(
        makeDescriptor(address, argument.shape, layout.strides, layout.offset));
  }
  Stopwatch watch;
  if (llvm::Error error = code.call(program.name, descriptors))
    return error;
  if (llvm::Error error = device.check())
    return error;
  if (std::string remark = device.remark(); !remark.empty())
    result.compilation.notes +=
        "remark: no library computes a product: " + remark + "\n";
  outcome.seconds = watch.lap() / 1000;
  for (unsigned number : outputs) {
    if (addresses[number] != buffers[number].data())
      if (llvm::Error error =
              device.copyOut(addresses[number], buffers[number]))
        return error;
    fromBuffer(buffers[number], values.layouts[number],
               values.arguments[number]);
  }
  return llvm::Error::success();
}

void Runner::verify(const Values &values, Outcome &outcome) {
  for (auto [number, output] : llvm::enumerate(outputs)) {
    bool isResult = output >= function.getNumArguments();
    tc::verify(
        {"result" + std::to_string(number), values.arguments[output],
         values.expected[number],
         isResult || values.areErased ? &values.before[output] : nullptr},
        values.undecided, options.unjudged, outcome);
  }
  outcome.verified = outcome.verified.value_or(true);
  outcome.hasFewBits = values.haveFewBits;
  if (*outcome.verified)
    return;
  llvm::raw_string_ostream stream(outcome.mismatch);
  if (!values.undecided.empty())
    stream << values.undecided << '\n';
  if (!outcome.sizes.empty())
    stream << "for " << outcome.sizes << '\n';
}

llvm::Error Runner::writeOutputs(const Values &values) {
  for (auto [path, output] : llvm::zip(options.outputs, outputs))
    if (llvm::Error error =
            writeFile(path, formatNumpy(values.arguments[output])))
      return error;
  return llvm::Error::success();
}

llvm::Expected<Outcome> Runner::runOnce(HostCode &code, Device &device,
                                        Values &values, StringRef sizes) {
  Outcome outcome;
  outcome.sizes = sizes.str();
  if (llvm::Error error = placeResults(values))
    return error;
  Values before;
  if (options.faults) {
    before = values;
    device.leaveOutLaunch(-1);
  }
  if (llvm::Error error = call(code, device, values, outcome))
    return error;
  if (options.verify)
    verify(values, outcome);
  if (options.faults && outcome.verified.value_or(false))
    if (llvm::Error error =
            runFaults(before, values, device.leaveOutLaunch(-1), outcome))
      return error;
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
    result.isWrong |= outcome.isWrong;
    result.hasFewBits |= outcome.hasFewBits;
    llvm::append_range(result.faults, outcome.faults);
    for (const std::string &name : outcome.unjudged)
      if (!llvm::is_contained(result.unjudged, name))
        result.unjudged.push_back(name);
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
  if (options.faults && extents->size() > 1)
    return llvm::createStringError(
        "expected one set of extents with faults, got " +
        Twine(extents->size()));
  // What is wrong with the arguments comes before what the compiler says.
  llvm::Expected<Values> first = makeValues(extents->front());
  if (!first)
    return first.takeError();
  CompileOptions compileOptions = options.compile;
  compileOptions.wantsModule = true;
  if (llvm::Error error =
          compile(program, compileOptions).moveInto(result.compilation))
    return error;
  LoadedCode loaded;
  if (llvm::Error error = loaded.open(*result.compilation.module, options))
    return error;
  result.device = loaded.device->kind();
  for (const Sizes &sizes : *extents) {
    bool isFirst = &sizes == extents->begin();
    llvm::Expected<Values> values =
        isFirst ? std::move(first) : makeValues(sizes);
    if (!values)
      return values.takeError();
    if (llvm::Error error =
            runOnce(*loaded.code, *loaded.device, *values, sizes.source)
                .moveInto(result.outcomes.emplace_back()))
      return error;
  }
  summarize();
  return std::move(result);
}

llvm::Error checkVerdict(const Outcome &outcome) {
  if (outcome.verified.value_or(true))
    return llvm::Error::success();
  return llvm::createStringError(
      (outcome.isWrong ? "wrong result\n" : "a result is not judged\n") +
      outcome.mismatch);
}

llvm::Expected<RunResult> run(Program &program, const RunOptions &options) {
  if (llvm::Error error = inlineCalls(program))
    return std::move(error);
  return Runner(program, options).run();
}

} // namespace mlir::tc
