//===- Mgpu.cpp - The mgpu functions: modules, launches, streams ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mgpu* entry points that LLVM 22's gpu-to-llvm conversion and gpu.binary
// translation call, over the driver table. Sizes and extents have the type of
// MLIR's index. Errors are kept for tcMgpuLastError. The functions on memory
// are in MgpuMemory.cpp.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Mgpu/MgpuState.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <utility>

using namespace tc::runtime;
using mgpu::call;
using mgpu::release;
using mgpu::run;

extern "C" {

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

CUmodule mgpuModuleLoadJIT(void *data, int optimizationLevel) {
  CUmodule module = nullptr;
  bool loaded = run("cuModuleLoadDataEx", [&](const Driver &driver) {
    std::string error;
    CUresult result =
        loadModule(driver, data, optimizationLevel, module, error);
    if (result != CUDA_SUCCESS)
      mgpu::report(error);
    return result;
  });
  return loaded ? module : nullptr;
}

CUmodule mgpuModuleLoad(void *data, size_t) {
  CUmodule module = nullptr;
  call("cuModuleLoadData", &Driver::cuModuleLoadData, &module, data);
  return module;
}

void mgpuModuleUnload(CUmodule module) {
  if (module)
    release("cuModuleUnload", &Driver::cuModuleUnload, module);
}

CUfunction mgpuModuleGetFunction(CUmodule module, const char *name) {
  CUfunction function = nullptr;
  std::string text =
      std::string("cuModuleGetFunction '") + (name ? name : "") + "'";
  call(text.c_str(), &Driver::cuModuleGetFunction, &function, module, name);
  return function;
}
}

/// Whether the next launch of the thread may begin early.
static thread_local bool overlaps = false;

extern "C" void tcMgpuOverlap(void) { overlaps = true; }

/// `extents` are those of grid, block and, if there are any, cluster.
static void launch(const char *call, std::initializer_list<intptr_t> extents,
                   CUfunction function, int32_t dynamicShared, CUstream stream,
                   void **parameters, void **extra) {
  bool beginsEarly = std::exchange(overlaps, false);
  run(call, [&](const Driver &driver) {
    LaunchShape shape = {};
    std::copy(extents.begin(), extents.end(), shape.begin());
    if (!mgpu::startLaunch())
      return CUDA_SUCCESS;
    std::string error;
    CUresult result =
        allowDynamicShared(driver, function, dynamicShared, error);
    if (result != CUDA_SUCCESS) {
      mgpu::report(error);
      return result;
    }
    result = launchKernel(driver, function, shape, dynamicShared, stream,
                          parameters, error, extra, beginsEarly);
    if (result != CUDA_SUCCESS)
      mgpu::report(error);
    return result;
  });
}

extern "C" {

void mgpuLaunchKernel(CUfunction function, intptr_t gridX, intptr_t gridY,
                      intptr_t gridZ, intptr_t blockX, intptr_t blockY,
                      intptr_t blockZ, int32_t dynamicShared, CUstream stream,
                      void **parameters, void **extra, size_t) {
  launch("cuLaunchKernel", {gridX, gridY, gridZ, blockX, blockY, blockZ},
         function, dynamicShared, stream, parameters, extra);
}

void mgpuLaunchClusterKernel(CUfunction function, intptr_t clusterX,
                             intptr_t clusterY, intptr_t clusterZ,
                             intptr_t gridX, intptr_t gridY, intptr_t gridZ,
                             intptr_t blockX, intptr_t blockY, intptr_t blockZ,
                             int32_t dynamicShared, CUstream stream,
                             void **parameters, void **extra, size_t) {
  launch("cuLaunchKernelEx",
         {gridX, gridY, gridZ, blockX, blockY, blockZ, clusterX, clusterY,
          clusterZ},
         function, dynamicShared, stream, parameters, extra);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

CUstream mgpuStreamCreate() {
  CUstream stream = mgpu::takeStream();
  if (!stream)
    call("cuStreamCreate", &Driver::cuStreamCreate, &stream,
         CU_STREAM_NON_BLOCKING);
  mgpu::addStream(stream);
  return stream;
}

void mgpuStreamDestroy(CUstream stream) {
  if (stream && !mgpu::giveBackStream(stream))
    release("cuStreamDestroy", &Driver::cuStreamDestroy_v2, stream);
}

void mgpuStreamSynchronize(CUstream stream) {
  call("cuStreamSynchronize", &Driver::cuStreamSynchronize, stream);
}

CUevent mgpuEventCreate();
void mgpuEventDestroy(CUevent event);
void mgpuEventRecord(CUevent event, CUstream stream);

// The gpu-to-llvm of LLVM 22 gives the stream itself where an asynchronous
// region with a launch is to yield an event of it (llvm-project pull request
// 190717). Such a token stands for all that the stream has been given so far.
// Several regions may have it, so that it is never destroyed.

void mgpuStreamWaitEvent(CUstream stream, CUevent event) {
  if (mgpu::isStream(event)) {
    CUevent made = mgpuEventCreate();
    mgpuEventRecord(made, reinterpret_cast<CUstream>(event));
    mgpuStreamWaitEvent(stream, made);
    return mgpuEventDestroy(made);
  }
  call("cuStreamWaitEvent", &Driver::cuStreamWaitEvent, stream, event,
       /*flags=*/0);
}

CUevent mgpuEventCreate() {
  CUevent event = nullptr;
  call("cuEventCreate", &Driver::cuEventCreate, &event,
       CU_EVENT_DISABLE_TIMING);
  return event;
}

void mgpuEventDestroy(CUevent event) {
  if (event && !mgpu::isStream(event))
    release("cuEventDestroy", &Driver::cuEventDestroy_v2, event);
}

void mgpuEventSynchronize(CUevent event) {
  if (mgpu::isStream(event))
    return mgpuStreamSynchronize(reinterpret_cast<CUstream>(event));
  call("cuEventSynchronize", &Driver::cuEventSynchronize, event);
}

void mgpuEventRecord(CUevent event, CUstream stream) {
  call("cuEventRecord", &Driver::cuEventRecord, event, stream);
}
}
