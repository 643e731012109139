//===- stub_defaults.cpp - Calls that the stub has not --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every call of the driver's list, refused. stub_driver.cpp defines some anew.
//
//===----------------------------------------------------------------------===//

#include "tc-runtime/driver_api.h"

using namespace tc::runtime;

#define TC_REFUSE(name, symbol, since, need, parameters)                       \
  extern "C" __attribute__((weak)) CUresult symbol parameters {                \
    return CUDA_ERROR_NOT_SUPPORTED;                                           \
  }
TC_DRIVER_CALLS(TC_REFUSE)
