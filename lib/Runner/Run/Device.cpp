//===- Device.cpp - Device memory through the mgpu library ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/Device.h"

#include "tc-runtime/driver_types.h"
#include "tc/Runner/Program.h"

#include "llvm/Support/DynamicLibrary.h"

using namespace llvm;
using ::tc::runtime::CUstream;

namespace mlir::tc {

/// The functions of tc_mgpu.h, and those of the mgpu functions used here.
struct Device::Functions {
  int (*open)(const char *kind, const char *library);
  const char *(*kind)();
  const char *(*lastError)();
  const char *(*lastRemark)();
  void (*clearError)();
  void *(*allocate)(uint64_t bytes, CUstream stream, bool isHostShared);
  void (*release)(void *address, CUstream stream);
  void (*copy)(void *to, void *from, size_t bytes, CUstream stream);
  void (*synchronize)(CUstream stream);
  int64_t (*leaveOutLaunch)(int64_t number);
};

/// Sets `function` to the symbol of that name; false when there is none.
template <typename Function>
static bool load(sys::DynamicLibrary &library, const char *name,
                 Function &function) {
  function = reinterpret_cast<Function>(library.getAddressOfSymbol(name));
  return function != nullptr;
}

Device::Device() = default;

Expected<std::unique_ptr<Device>> Device::open(const std::string &kind,
                                               const std::string &library) {
  std::unique_ptr<Device> device(new Device);
  device->path = library.empty()
                     ? findLibraryFolder() + "/libtc-mgpu-runtime.so"
                     : library;
  std::string reason;
  sys::DynamicLibrary handle =
      sys::DynamicLibrary::getPermanentLibrary(device->path.c_str(), &reason);
  if (!handle.isValid())
    return createStringError("cannot open the mgpu library '" + device->path +
                             "': " + reason);
  auto functions = std::make_unique<Functions>();
  if (!load(handle, "tcMgpuOpen", functions->open) ||
      !load(handle, "tcMgpuKind", functions->kind) ||
      !load(handle, "tcMgpuLastError", functions->lastError) ||
      !load(handle, "tcMgpuClearError", functions->clearError) ||
      !load(handle, "tcMgpuLeaveOutLaunch", functions->leaveOutLaunch) ||
      !load(handle, "mgpuMemAlloc", functions->allocate) ||
      !load(handle, "mgpuMemFree", functions->release) ||
      !load(handle, "mgpuMemcpy", functions->copy) ||
      !load(handle, "mgpuStreamSynchronize", functions->synchronize))
    return createStringError("expected '" + device->path +
                             "' to have the functions of tc_mgpu.h");
  // One that asks no library for products has nothing to say of them.
  if (!load(handle, "tcMgpuLastRemark", functions->lastRemark))
    functions->lastRemark = [] { return ""; };
  device->functions = std::move(functions);
  device->functions->clearError();
  if (device->functions->open(kind.c_str(), nullptr) != 0)
    return device->check();
  return device;
}

Device::~Device() {
  for (void *address : allocations)
    functions->release(address, nullptr);
}

std::string Device::kind() const {
  const char *name = functions->kind();
  return name ? name : "";
}

std::string Device::remark() const { return functions->lastRemark(); }

Error Device::check() {
  std::string message = functions->lastError();
  if (message.empty())
    return Error::success();
  functions->clearError();
  return createStringError(message);
}

Error Device::copy(void *to, void *from, size_t bytes) {
  functions->copy(to, from, bytes, /*stream=*/nullptr);
  functions->synchronize(/*stream=*/nullptr);
  return check();
}

Expected<void *> Device::allocate(const std::vector<char> &bytes) {
  void *address =
      functions->allocate(bytes.size(), nullptr, /*isHostShared=*/false);
  if (address)
    allocations.push_back(address);
  if (Error error = check())
    return error;
  if (Error error =
          copy(address, const_cast<char *>(bytes.data()), bytes.size()))
    return error;
  return address;
}

int64_t Device::leaveOutLaunch(int64_t number) {
  return functions->leaveOutLaunch(number);
}

Error Device::copyOut(void *address, std::vector<char> &bytes) {
  return copy(bytes.data(), address, bytes.size());
}

} // namespace mlir::tc
