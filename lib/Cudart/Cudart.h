//===- Cudart.h - A CUDA runtime over the driver API ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime API of CUDA 13 (CUDA Runtime API reference), for programs that
// are linked with libcudart.so.13: each call becomes one or a few of the driver
// API, of the libcuda.so.1 that the dynamic linker finds. NVIDIA's own runtime
// asks its driver for tables that are documented nowhere; this one asks for
// nothing that is not in NVIDIA's documents.
//
// Errors of both have the same numbers, and so have most enumerations.
//
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CUDART_CUDART_H
#define TC_LIB_CUDART_CUDART_H

#include "tc-runtime/Driver.h"

#include <string>

namespace tc::cudart {

using namespace tc::runtime;

/// cudaError_t, which has the numbers of CUresult.
using Error = int;

/// As CUDA passes them by value, and in structures.
struct Dim3 {
  unsigned x, y, z;
};

/// A kernel by the address of its stub in the host program.
struct Function;
/// What the program asks a kernel for: the address of the stub, or the handle
/// that `__cudaGetKernel` gave out. Loads its module. Null: there is none.
Error findFunction(const void *stub, CUfunction &function);
/// The stub of a kernel, or null.
const void *findStub(CUfunction function);
/// The same of a variable: its address and size.
Error findVariable(const void *symbol, CUdeviceptr &address, size_t &bytes);

/// Opens the driver, once, and gives this thread the device's context.
Error enter(const Driver *&driver);
/// Keeps an error for cudaGetLastError, and returns it.
Error keep(Error error);
/// Says on standard error, once for each call, that it is not there.
Error missing(const char *call);

/// A call of the runtime: `run` with the driver, and its error kept.
template <typename F>
Error call(F run) {
  const Driver *driver = nullptr;
  Error error = enter(driver);
  return keep(error ? error : Error(run(*driver)));
}

inline CUdeviceptr toDevice(const void *pointer) {
  return reinterpret_cast<CUdeviceptr>(pointer);
}

} // namespace tc::cudart

#endif // TC_LIB_CUDART_CUDART_H
