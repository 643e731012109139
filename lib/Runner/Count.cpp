//===- Count.cpp - What a program's kernels do, counted -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Count.h"

#include "CountingDevice.h"
#include "HostArray.h"
#include "HostCode.h"

using namespace mlir;
using ::tc::emulator::LaunchOptions;

namespace mlir::tc {

/// A descriptor for each argument of the host function.
static llvm::Expected<SmallVector<Descriptor>>
makeArguments(ArrayRef<Type> types, CountingDevice &device) {
  SmallVector<Descriptor> descriptors;
  for (auto [number, type] : llvm::enumerate(types)) {
    auto memref = dyn_cast<MemRefType>(type);
    if (!memref || !memref.hasStaticShape())
      return llvm::createStringError("argument " + Twine(number) +
                                     ": expected extents that are known now");
    llvm::Expected<BufferLayout> layout = layoutOf(type, memref.getShape());
    if (!layout)
      return llvm::createStringError("argument " + Twine(number) + ": " +
                                     toString(layout.takeError()));
    std::optional<ElementType> element =
        findElementType(memref.getElementType());
    std::optional<int64_t> bytes;
    if (element)
      bytes = countBytes(*element, layout->elements);
    if (!bytes)
      return llvm::createStringError("argument " + Twine(number) +
                                     ": expected a type of the table and at "
                                     "most 2^63 bytes");
    descriptors.push_back(makeDescriptor(device.allocate(*bytes),
                                         memref.getShape(), layout->strides,
                                         layout->offset));
  }
  if (llvm::Error error = device.check())
    return std::move(error);
  return descriptors;
}

/// How many blocks of that kernel a multiprocessor holds; 0: not known.
static unsigned blocksPerSm(const Compilation &compilation, StringRef kernel) {
  for (const KernelReport &report : compilation.kernels)
    if (report.launch.kernel == kernel)
      return report.blocksPerSm.value_or(0);
  return 0;
}

llvm::Expected<CountResult> count(Program &program,
                                  const CountOptions &options) {
  llvm::Expected<Machine> machine = findMachine(options.compile.chip);
  if (!machine)
    return llvm::createStringError("chip: " + toString(machine.takeError()));
  CountResult result;
  result.machine = *machine;
  CompileOptions compileOptions = options.compile;
  compileOptions.wantsModule = true;
  compileOptions.wantsReport = true; // occupancy
  llvm::Expected<Compilation> compilation = compile(program, compileOptions);
  if (!compilation)
    return compilation.takeError();
  result.compilation = std::move(*compilation);
  LaunchOptions launch;
  launch.checks = ::tc::emulator::Checks::None;
  launch.sampleBlocks = options.sampleBlocks;
  launch.sampleSeed = options.seed;
  CountingDevice device(launch);
  device.boxes = result.compilation.boxes;
  auto arguments = makeArguments(result.compilation.hostArguments, device);
  if (!arguments)
    return arguments.takeError();
  llvm::Expected<HostCode> code =
      HostCode::compile(*result.compilation.module, device.getFunctions());
  if (!code)
    return code.takeError();
  if (llvm::Error error = code->call(program.name, *arguments))
    return std::move(error);
  if (llvm::Error error = device.check())
    return std::move(error);
  for (::tc::emulator::LaunchCounts &counts : device.launches) {
    unsigned blocks = blocksPerSm(result.compilation, counts.kernel);
    ::tc::emulator::CountedTime time =
        countTime(counts, result.machine, blocks);
    std::optional<SimulatedTime> simulated;
    if (blocks)
      simulated = simulateTime(counts, result.machine, blocks);
    result.launches.push_back(
        {std::move(counts), std::move(time), std::move(simulated)});
  }
  return result;
}

} // namespace mlir::tc
