//===- ProcAddress.cpp - Look-up of the emulated driver's calls -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cuGetProcAddress: a call by its documented name, in the form of a CUDA
// version.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "llvm/ADT/StringRef.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

namespace {

struct Entry {
  llvm::StringRef name, symbol;
  int since;
  void *function;
};

} // namespace

#define TC_ENTRY(name, symbol, since, need, parameters)                        \
  {#name, #symbol, since, reinterpret_cast<void *>(&tc::runtime::symbol)},
static const Entry entries[] = {
    TC_DRIVER_CALLS(TC_ENTRY)
    // CUDA 12 gave the name to this form.
    {"cuGraphInstantiate", "cuGraphInstantiateWithFlags", 12000,
     reinterpret_cast<void *>(&tc::runtime::cuGraphInstantiateWithFlags)}};
#undef TC_ENTRY

/// The newest form of a call that `version` knows, or the form whose symbol is
/// asked for.
static void *lookUp(llvm::StringRef name, int version,
                    CUdriverProcAddressQueryResult &status) {
  const Entry *best = nullptr;
  status = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  for (const Entry &entry : entries) {
    if (entry.name != name && entry.symbol != name)
      continue;
    if (entry.since > version) {
      if (!best)
        status = CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT;
      continue;
    }
    if (!best || entry.since > best->since)
      best = &entry;
    status = CU_GET_PROC_ADDRESS_SUCCESS;
  }
  return best ? best->function : nullptr;
}

namespace tc::runtime {
extern "C" {

CUresult cuGetProcAddress_v2(const char *symbol, void **function, int version,
                             uint64_t, CUdriverProcAddressQueryResult *status) {
  Call call("cuGetProcAddress", Needs::Nothing);
  if (CUresult bad = checkPlace(call, symbol ? function : nullptr))
    return bad;
  if (version > driverVersion)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected a version up to " + llvm::Twine(driverVersion) +
                         ", got " + llvm::Twine(version));
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SUCCESS;
  *function = lookUp(symbol, version, found);
  if (status)
    *status = found;
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *symbol, void **function, int version,
                          uint64_t flags) {
  CUresult result =
      cuGetProcAddress_v2(symbol, function, version, flags, nullptr);
  if (result != CUDA_SUCCESS || *function)
    return result;
  Call call("cuGetProcAddress", Needs::Nothing);
  return call.fail(CUDA_ERROR_NOT_FOUND,
                   llvm::Twine("expected a call of the driver, got ") + symbol);
}
}
} // namespace tc::runtime
