//===- Count.cpp - What a program's kernels do, counted -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Count.h"

#include "Run/CountingDevice.h"
#include "Run/HostArray.h"
#include "Run/HostCode.h"

#include "tc/Files/Files.h"

#include "llvm/ADT/StringMap.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace mlir;
using ::tc::emulator::LaunchOptions;

namespace mlir::tc {

using Shapes = SmallVector<SmallVector<int64_t>>;

namespace {
/// The shape of each argument of the host function; of one that is an index,
/// the number is in `numbers`.
struct CountedArguments {
  Shapes shapes;
  std::map<unsigned, int64_t> numbers;
};
} // namespace

/// The arguments that NumPy files describe, one each.
static llvm::Expected<CountedArguments>
readArguments(ArrayRef<Type> types, ArrayRef<std::string> paths) {
  if (paths.size() != types.size())
    return llvm::createStringError(
        "expected " + Twine(types.size()) +
        " inputs (all arguments) with --count, got " + Twine(paths.size()));
  CountedArguments arguments;
  for (auto [number, type, path] : llvm::enumerate(types, paths)) {
    llvm::Expected<NumpyArray> array = readNumpy(path);
    if (!array)
      return array.takeError();
    SmallVector<int64_t> &shape = arguments.shapes.emplace_back();
    if (auto memref = dyn_cast<MemRefType>(type))
      llvm::append_range(shape, memref.getShape());
    if (llvm::Error error = takeExtents(shape, *array, path))
      return std::move(error);
    if (!isa<IndexType>(type))
      continue;
    if (llvm::Error error = checkNumpy(*array, path, ElementType::i64, {}))
      return std::move(error);
    std::memcpy(&arguments.numbers[number], array->bytes.data(),
                sizeof(int64_t));
  }
  return arguments;
}

/// The arguments of the host function: of `types`, where those are static, else
/// of the einsum with the extents of `run`, or of the files.
static llvm::Expected<CountedArguments>
getArguments(const Program &program, ArrayRef<Type> types,
             const CountOptions &options) {
  StringRef run = options.run;
  if (!options.inputs.empty())
    return readArguments(types, options.inputs);
  Shapes shapes;
  if (!run.empty()) {
    if (!program.problem)
      return llvm::createStringError(
          "expected extents for run time with an einsum, got an MLIR file");
    if (size_t sets = run.count(';') + 1; sets > 1)
      return llvm::createStringError(
          "expected one set of extents in --run with --count, got " +
          Twine(sets));
    llvm::Expected<Sizes> sizes = parseSizes(run);
    if (!sizes)
      return sizes.takeError();
    llvm::Expected<EinsumProblem> problem =
        program.problem->withExtents(*sizes);
    if (!problem)
      return problem.takeError();
    return CountedArguments{problem->getShapes(), {}};
  }
  for (auto [number, type] : llvm::enumerate(types)) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.hasStaticShape())
      return llvm::createStringError(
          "argument " + Twine(number) +
          ": expected static extents, an einsum with its extents in --run, or "
          "all arguments in --inputs=A.npy,B.npy, whose shapes are the extents "
          "(an index is an array without dimensions)");
    shapes.emplace_back(memref.getShape());
  }
  return CountedArguments{std::move(shapes), {}};
}

/// A descriptor for each argument of the host function; says in `result` what
/// they are.
static llvm::Expected<SmallVector<Descriptor>>
makeArguments(const CountedArguments &arguments, CountingDevice &device,
              CountResult &result) {
  SmallVector<Descriptor> descriptors;
  for (auto [number, type, shape] :
       llvm::enumerate(result.compilation.hostArguments, arguments.shapes)) {
    llvm::Expected<BufferLayout> layout = layoutOf(type, shape);
    if (!layout)
      return errorIn("argument " + Twine(number), layout.takeError());
    std::optional<ElementType> element =
        isa<IndexType>(type) ? ElementType::i64
                             : findElementType(getElementTypeOrSelf(type));
    std::optional<int64_t> bytes;
    if (element)
      bytes = countBytes(*element, layout->elements);
    if (!bytes)
      return llvm::createStringError("argument " + Twine(number) +
                                     ": expected a type of the table and at "
                                     "most 2^63 bytes");
    void *address = device.allocate(*bytes);
    auto index = arguments.numbers.find(number);
    descriptors.push_back(
        index == arguments.numbers.end()
            ? makeDescriptor(address, shape, layout->strides, layout->offset)
            : Descriptor{index->second});
    result.arguments.push_back({{}, shape, *element, std::move(*layout)});
  }
  device.numArguments = descriptors.size();
  if (llvm::Error error = device.check())
    return std::move(error);
  return descriptors;
}

static const KernelReport *findKernel(const Compilation &compilation,
                                      StringRef kernel) {
  for (const KernelReport &report : compilation.kernels)
    if (report.launch.kernel == kernel)
      return &report;
  return nullptr;
}

static void addTimes(const CountResult &result, CountedLaunch &launch) {
  const ::tc::emulator::LaunchCounts &counts = *launch.counts;
  const KernelReport *kernel = findKernel(result.compilation, counts.kernel);
  unsigned blocks = kernel ? kernel->blocksPerSm.value_or(0) : 0;
  launch.time = countTime(counts, result.machine, blocks);
  if (!blocks)
    return;
  launch.simulated = simulateTime(counts, result.machine, blocks);
  if (launch.trace)
    launch.traced = simulateTrace(*launch.trace, counts, result.machine, blocks,
                                  kernel->registers.value_or(0));
}

/// Seconds of the unit that all launches together keep busy longest, at the
/// rate of the whole device. Streams gain no more than what it is idle in
/// between.
static double getBusiest(ArrayRef<CountedLaunch> launches) {
  llvm::StringMap<double> seconds;
  double busiest = 0;
  for (const CountedLaunch &launch : launches)
    for (const auto &term : launch.time.terms)
      if (term.perSecond > 0) {
        double &sum = seconds[term.name];
        sum += term.amount / term.perSecond;
        busiest = std::max(busiest, sum);
      }
  return busiest;
}

llvm::Expected<CountResult> count(Program &program,
                                  const CountOptions &options) {
  llvm::Expected<Machine> machine = findMachine(options.compile.chip);
  if (!machine)
    return errorIn("chip", machine.takeError());
  if (llvm::Error error = inlineCalls(program))
    return std::move(error);
  CountResult result;
  result.machine = *machine;
  CompileOptions compileOptions = options.compile;
  compileOptions.wantsModule = true;
  compileOptions.wantsReport = true; // occupancy
  compileOptions.notesThresholds = true;
  if (llvm::Error error =
          compile(program, compileOptions).moveInto(result.compilation))
    return error;
  LaunchOptions launch;
  // Subscripts that are data may be anything.
  launch.checks = ::tc::emulator::Checks::Bounds;
  launch.sampleBlocks = options.sampleBlocks;
  launch.sampleSeed = options.seed;
  launch.trace = options.simulate;
  CountingDevice device(launch);
  device.boxes = result.compilation.boxes;
  ArrayRef<Type> types = result.compilation.hostArguments;
  llvm::Expected<CountedArguments> given =
      getArguments(program, types, options);
  if (!given)
    return given.takeError();
  auto arguments = makeArguments(*given, device, result);
  if (!arguments)
    return arguments.takeError();
  llvm::Expected<HostCode> code = HostCode::compile(
      *result.compilation.module, /*libraries=*/{}, device.getFunctions());
  if (!code)
    return code.takeError();
  if (llvm::Error error = code->call(program.name, *arguments))
    return std::move(error);
  if (llvm::Error error = device.check())
    return std::move(error);
  for (auto [address, bytes] :
       ArrayRef(device.allocations).drop_front(device.numArguments))
    result.temporaries.push_back(bytes);
  for (auto [limit, number] : device.compared)
    result.compared.push_back(
        {result.compilation.thresholds[limit].first, number});
  result.launches = std::move(device.launches);
  SmallVector<double> seconds;
  for (CountedLaunch &launch : result.launches) {
    addTimes(result, launch);
    seconds.push_back(launch.time.seconds);
    result.serialSeconds += launch.time.seconds;
  }
  result.longestSeconds = device.streams.getLongest(seconds);
  result.busiestSeconds = getBusiest(result.launches);
  return result;
}

} // namespace mlir::tc
