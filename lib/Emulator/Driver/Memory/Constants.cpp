//===- Constants.cpp - Calls with one answer ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls that have nothing to do on this device, and those whose answer is
// always the same: one row each.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

namespace tc::runtime {
extern "C" {

// Hints and settings of a GPU: name, symbol, what is needed, parameters.
#define TC_NOTHING(name, symbol, needs, parameters)                            \
  CUresult symbol parameters { return Call(#name, Needs::needs).status(); }
// clang-format off
TC_NOTHING(cuProfilerStart, cuProfilerStart, Context, ())
TC_NOTHING(cuProfilerStop, cuProfilerStop, Context, ())
TC_NOTHING(cuCtxSetCacheConfig, cuCtxSetCacheConfig, Context, (CUfunc_cache))
TC_NOTHING(cuCtxSetSharedMemConfig, cuCtxSetSharedMemConfig, Context, (CUsharedconfig))
TC_NOTHING(cuCtxResetPersistingL2Cache, cuCtxResetPersistingL2Cache, Context, ())
TC_NOTHING(cuPointerSetAttribute, cuPointerSetAttribute, Driver, (const void *, CUpointer_attribute, CUdeviceptr))
TC_NOTHING(cuMemAdvise, cuMemAdvise, Health, (CUdeviceptr, size_t, CUmem_advise, CUdevice))
TC_NOTHING(cuMemAdvise, cuMemAdvise_v2, Health, (CUdeviceptr, size_t, CUmem_advise, CUmemLocation))
TC_NOTHING(cuMemPrefetchAsync, cuMemPrefetchAsync, Health, (CUdeviceptr, size_t, CUdevice, CUstream))
TC_NOTHING(cuMemPrefetchAsync, cuMemPrefetchAsync_v2, Health, (CUdeviceptr, size_t, CUmemLocation, unsigned, CUstream))
// clang-format on
#undef TC_NOTHING

// Constants, which go to `place`: symbol, what is needed, answer, parameters.
#define TC_CONSTANT(symbol, needs, value, parameters)                          \
  CUresult symbol parameters {                                                 \
    return answer(Call(#symbol, Needs::needs), place, value);                  \
  }
// clang-format off
TC_CONSTANT(cuDriverGetVersion, Nothing, driverVersion, (int *place))
TC_CONSTANT(cuDeviceGetCount, Driver, 1, (int *place))
TC_CONSTANT(cuDeviceCanAccessPeer, Driver, 0, (int *place, CUdevice, CUdevice))
TC_CONSTANT(cuDeviceGetP2PAttribute, Driver, 0, (int *place, CUdevice_P2PAttribute, CUdevice, CUdevice))
TC_CONSTANT(cuCtxGetCacheConfig, Context, 0, (CUfunc_cache *place))
TC_CONSTANT(cuCtxGetSharedMemConfig, Context, 1, (CUsharedconfig *place))
TC_CONSTANT(cuModuleGetLoadingMode, Driver, 1, (CUmoduleLoadingMode *place)) // eager: a module is checked as a whole
TC_CONSTANT(cuMemHostGetFlags, Driver, 0, (unsigned *place, void *))
// clang-format on
#undef TC_CONSTANT
}
} // namespace tc::runtime
