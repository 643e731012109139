//===- CountingDevice.cpp - A device that counts launches -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/CountingDevice.h"

#include "tc/Package/HostEntry.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace llvm;
using ::tc::emulator::BlockBox;
using ::tc::emulator::Dim3;
using ::tc::emulator::KernelInfo;
using ::tc::emulator::LaunchOptions;
using PtxModule = ::tc::emulator::Module;

namespace mlir::tc {

/// The one that there is.
static CountingDevice *device = nullptr;

CountingDevice::CountingDevice(const LaunchOptions &options)
    : options(options) {
  this->options.count = true;
  device = this;
}

CountingDevice::~CountingDevice() { device = nullptr; }

void CountingDevice::fail(const std::string &message) {
  if (error.empty())
    error = message;
}

Error CountingDevice::check() {
  return error.empty() ? Error::success() : createStringError(error);
}

void *CountingDevice::allocate(uint64_t bytes) {
  Expected<void *> address = memory.allocate(bytes);
  if (address) {
    allocations.emplace_back(*address, bytes);
    return *address;
  }
  fail(toString(address.takeError()));
  return nullptr;
}

void CountingDevice::release(void *address) {
  if (Error error = address ? memory.release(address) : Error::success())
    fail(toString(std::move(error)));
}

PtxModule *CountingDevice::load(StringRef ptx) {
  Expected<std::unique_ptr<PtxModule>> module = PtxModule::load(ptx);
  if (!module) {
    fail(toString(module.takeError()));
    return nullptr;
  }
  return modules.emplace_back(std::move(*module)).get();
}

CountingDevice::Function *CountingDevice::find(PtxModule *module,
                                               StringRef kernel) {
  if (module && module->find(kernel))
    return functions.emplace_back(new Function{module, kernel.str()}).get();
  fail("no kernel '" + kernel.str() + "'");
  return nullptr;
}

std::optional<BlockBox> CountingDevice::findBox(uint64_t blocks) const {
  std::optional<BlockBox> found;
  for (const BlockBox &box : boxes) {
    if (box.count() != blocks)
      continue;
    if (found && !(*found == box))
      return std::nullopt;
    found = box;
  }
  return found;
}

/// A parameter by what it holds: where that is an address, the last buffer that
/// was allocated there.
LaunchArgument CountingDevice::describe(ArrayRef<char> parameter) const {
  int64_t value = 0;
  std::memcpy(&value, parameter.data(),
              std::min(parameter.size(), sizeof(value)));
  for (size_t number = allocations.size(); number-- != 0;)
    if (reinterpret_cast<intptr_t>(allocations[number].first) == value)
      return number < numArguments
                 ? LaunchArgument{"argument", int64_t(number)}
                 : LaunchArgument{"temporary", int64_t(number - numArguments)};
  return {"i" + std::to_string(8 * parameter.size()), value};
}

void CountingDevice::launch(const Function &function, Dim3 grid, Dim3 block,
                            uint32_t dynamicShared, void *stream,
                            void **parameters) {
  if (!error.empty())
    return;
  LaunchOptions own = options;
  own.box = findBox(grid.count());
  function.module->setOptions(own);
  const KernelInfo *info = function.module->find(function.name);
  std::vector<char> packed(info->parameterBytes);
  SmallVector<LaunchArgument> arguments;
  for (auto [number, place] : enumerate(info->parameters)) {
    std::memcpy(&packed[place.first], parameters[number], place.second);
    arguments.push_back(
        describe(ArrayRef(packed).slice(place.first, place.second)));
  }
  if (Error error = function.module->launch(function.name, grid, block,
                                            dynamicShared, packed, memory))
    return fail(toString(std::move(error)));
  const ::tc::emulator::LaunchReport &report = function.module->getReport();
  CountedLaunch &launched = launches.emplace_back();
  streams.launch(stream);
  launched.dynamicSharedBytes = dynamicShared;
  launched.arguments = std::move(arguments);
  launched.counts = report.counts;
  launched.trace = report.trace;
}

//===----------------------------------------------------------------------===//
// The functions
//===----------------------------------------------------------------------===//

namespace {

/// `Number`: the size of the text, or how far to optimise it.
template <typename Number>
void *load(void *ptx, Number) {
  return device->load(static_cast<const char *>(ptx));
}

void *find(void *module, const char *name) {
  return device->find(static_cast<PtxModule *>(module), name);
}

void launch(void *function, intptr_t gridX, intptr_t gridY, intptr_t gridZ,
            intptr_t blockX, intptr_t blockY, intptr_t blockZ,
            int32_t dynamicShared, void *stream, void **parameters, void **,
            size_t) {
  auto dim = [](intptr_t x, intptr_t y, intptr_t z) {
    return Dim3{uint32_t(x), uint32_t(y), uint32_t(z)};
  };
  if (function)
    device->launch(*static_cast<CountingDevice::Function *>(function),
                   dim(gridX, gridY, gridZ), dim(blockX, blockY, blockZ),
                   dynamicShared, stream, parameters);
}

void *allocate(uint64_t bytes, void *, bool) { return device->allocate(bytes); }
void release(void *address, void *) { device->release(address); }

/// What memory holds does not matter.
void copy(void *, void *, size_t, void *) {}
void copyStrided(void *, const void *, int64_t, int64_t, const int64_t *,
                 void *) {}
void set32(void *, unsigned, size_t, void *) {}
void set16(void *, unsigned short, size_t, void *) {}

void *create() { return device->streams.create(); }
void synchronize(void *handle) { device->streams.synchronize(handle); }
void wait(void *stream, void *event) { device->streams.wait(stream, event); }
void record(void *event, void *stream) {
  device->streams.record(event, stream);
}
void doNothing(void *) {}
void registerHost(int64_t, void *, int64_t) {}

/// Kernels are counted, not what a library does.
int64_t refuseProduct(const void *, void *, void *, void *, void *, void *,
                      int64_t) {
  return 0;
}

} // namespace

static void noteThreshold(int64_t limit, int64_t number) {
  device->compared.insert({limit, number});
}

std::vector<std::pair<StringRef, void *>> CountingDevice::getFunctions() {
  auto at = [](auto *function) { return reinterpret_cast<void *>(function); };
  return {{kNoteThresholdName, at(noteThreshold)},
          {kProductName, at(refuseProduct)},
          {"mgpuModuleLoad", at(tc::load<size_t>)},
          {"mgpuModuleLoadJIT", at(tc::load<int>)},
          {"mgpuModuleUnload", at(doNothing)},
          {"mgpuModuleGetFunction", at(tc::find)},
          {"mgpuLaunchKernel", at(tc::launch)},
          {"mgpuMemAlloc", at(tc::allocate)},
          {"mgpuMemFree", at(tc::release)},
          {"mgpuMemcpy", at(copy)},
          {"tcMgpuCopy", at(copyStrided)},
          {"mgpuMemHostRegisterMemRef", at(registerHost)},
          {"mgpuMemHostUnregisterMemRef", at(registerHost)},
          {"mgpuMemset32", at(set32)},
          {"mgpuMemset16", at(set16)},
          {"mgpuStreamCreate", at(create)},
          {"mgpuStreamDestroy", at(doNothing)},
          {"mgpuStreamSynchronize", at(synchronize)},
          {"mgpuStreamWaitEvent", at(wait)},
          {"mgpuEventCreate", at(create)},
          {"mgpuEventDestroy", at(doNothing)},
          {"mgpuEventSynchronize", at(synchronize)},
          {"mgpuEventRecord", at(record)}};
}

} // namespace mlir::tc
