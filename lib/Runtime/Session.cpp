//===- Session.cpp - A device held open -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choosing a driver and holding the primary context of a device.
//
//===----------------------------------------------------------------------===//

#include "Session.h"

#include <cstdlib>

using namespace tc::runtime;

std::optional<DriverKind> tc::runtime::chooseDriverKind(const char *kind,
                                                        std::string &error) {
  std::string name = kind ? kind : "";
  std::string source = "device";
  if (!kind) {
    const char *chosen = getenv("TC_DRIVER");
    name = chosen && *chosen ? chosen : "auto";
    source = "TC_DRIVER";
  }
  std::optional<DriverKind> found = findDriverKind(name);
  if (!found)
    error = source + ": expected auto, cuda or emulator, got '" + name + "'";
  return found;
}

bool Session::retain(int ordinal, std::string &error) {
  CUresult result = driver->cuDeviceGet(&device, ordinal);
  if (result != CUDA_SUCCESS) {
    error = "device " + std::to_string(ordinal) + " of " + driver->library +
            ": " + driver->describe("cuDeviceGet", result);
    return false;
  }
  result = driver->cuDevicePrimaryCtxRetain(&context, device);
  if (result != CUDA_SUCCESS)
    error = driver->library + ": " +
            driver->describe("cuDevicePrimaryCtxRetain", result);
  return result == CUDA_SUCCESS;
}

bool Session::open(DriverKind kind, const std::string &library, int ordinal,
                   std::string &error) {
  driver = openDriver(kind, library, error);
  return driver && retain(ordinal, error);
}
