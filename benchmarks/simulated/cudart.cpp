//===- cudart.cpp - The part of CUDA's runtime API that programs here use --===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs of others, as nvcc compiles them (-cudart none), on the emulator: what
// they call of the runtime API, on top of the driver API. Errors end the program;
// times of events are none.
//
//===----------------------------------------------------------------------===//

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <vector>

namespace {

void check(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  std::fprintf(stderr, "error: %s: the driver says %d\n", what, int(result));
  std::exit(3);
}

struct Symbol {
  void **image;
  const char *name;
};
struct Configuration {
  dim3 grid, block;
  size_t sharedBytes;
  cudaStream_t stream;
};

/// Registration comes before the constructors of this file.
struct State {
  std::map<const void *, Symbol> symbols; ///< kernels and variables, by host
  std::map<void **, CUmodule> modules;
  std::vector<Configuration> configurations;
};
State &getState() {
  static State state;
  return state;
}

void useDevice() {
  static const bool once = [] {
    check(cuInit(0), "cuInit");
    CUdevice device;
    check(cuDeviceGet(&device, 0), "cuDeviceGet");
    CUcontext context;
    check(cuDevicePrimaryCtxRetain(&context, device), "a context");
    check(cuCtxSetCurrent(context), "a context");
    return true;
  }();
  static_cast<void>(once);
}

CUmodule getModule(void **image) {
  useDevice();
  CUmodule &module = getState().modules[image];
  if (!module)
    check(cuModuleLoadData(&module, *image), "loading the kernels");
  return module;
}

} // namespace

extern "C" {

//===----------------------------------------------------------------------===//
// What nvcc's host code calls
//===----------------------------------------------------------------------===//

void **__cudaRegisterFatBinary(void *wrapper) { return new void *(wrapper); }
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 0; }

void __cudaRegisterFunction(void **image, const char *host, char *,
                            const char *name, int, uint3 *, uint3 *, dim3 *,
                            dim3 *, int *) {
  getState().symbols[host] = {image, name};
}

void __cudaRegisterVar(void **image, char *host, char *, const char *name, int,
                       size_t, int, int) {
  getState().symbols[host] = {image, name};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t sharedBytes,
                                     cudaStream_t stream) {
  getState().configurations.push_back({grid, block, sharedBytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block,
                                       size_t *sharedBytes, void *stream) {
  Configuration top = getState().configurations.back();
  getState().configurations.pop_back();
  *grid = top.grid;
  *block = top.block;
  *sharedBytes = top.sharedBytes;
  *static_cast<cudaStream_t *>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void *>(host));
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block,
                             void **arguments, size_t sharedBytes,
                             cudaStream_t) {
  Symbol symbol = getState().symbols.at(host);
  CUfunction function;
  check(cuModuleGetFunction(&function, getModule(symbol.image), symbol.name),
        symbol.name);
  check(cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y,
                       block.z, unsigned(sharedBytes), nullptr, arguments,
                       nullptr),
        symbol.name);
  check(cuCtxSynchronize(), symbol.name);
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t sharedBytes,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, sharedBytes, stream);
}

//===----------------------------------------------------------------------===//
// What the programs call
//===----------------------------------------------------------------------===//

cudaError_t cudaMalloc(void **address, size_t bytes) {
  useDevice();
  CUdeviceptr place;
  check(cuMemAlloc(&place, bytes), "cudaMalloc");
  *address = reinterpret_cast<void *>(place);
  return cudaSuccess;
}

cudaError_t cudaFree(void *address) {
  check(cuMemFree(reinterpret_cast<CUdeviceptr>(address)), "cudaFree");
  return cudaSuccess;
}

cudaError_t cudaMemset(void *address, int value, size_t bytes) {
  check(cuMemsetD8(reinterpret_cast<CUdeviceptr>(address),
                   static_cast<unsigned char>(value), bytes),
        "cudaMemset");
  return cudaSuccess;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind) {
  if (kind == cudaMemcpyHostToDevice)
    check(cuMemcpyHtoD(reinterpret_cast<CUdeviceptr>(to), from, bytes),
          "cudaMemcpy");
  else if (kind == cudaMemcpyDeviceToHost)
    check(cuMemcpyDtoH(to, reinterpret_cast<CUdeviceptr>(from), bytes),
          "cudaMemcpy");
  else
    return cudaErrorInvalidMemcpyDirection;
  return cudaSuccess;
}

cudaError_t cudaMemcpyToSymbol(const void *host, const void *from,
                               size_t bytes, size_t offset, cudaMemcpyKind) {
  Symbol symbol = getState().symbols.at(host);
  CUdeviceptr place;
  size_t size;
  check(cuModuleGetGlobal(&place, &size, getModule(symbol.image), symbol.name),
        symbol.name);
  // COGENT's programs try to copy more than there is, and ignore the error.
  if (offset > size || bytes > size - offset)
    return cudaErrorInvalidValue;
  check(cuMemcpyHtoD(place + offset, from, bytes), symbol.name);
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaPeekAtLastError() { return cudaSuccess; }
const char *cudaGetErrorString(cudaError_t) { return "an error"; }
cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t) {
  return cudaErrorNotSupported;
}
cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int) {
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int) {
  return cudaErrorNotSupported;
}

} // extern "C"

//===----------------------------------------------------------------------===//
// cuBLAS, which programs name and do not call here
//===----------------------------------------------------------------------===//

extern "C" {
int cublasSgemm_v2() { return 1; }
int cublasGemmEx() { return 1; }
}
