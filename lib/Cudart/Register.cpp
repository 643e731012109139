//===- Register.cpp - Device code of a program ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Before main, a program that nvcc compiled hands over its fat binaries, and
// says which stub of the host belongs to which kernel, and which variable to
// which (crt/host_runtime.h). A module is loaded when something of it is first
// used.
//
//===----------------------------------------------------------------------===//

#include "Cudart.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

using namespace tc::cudart;

namespace {

/// One fat binary of the program.
struct Binary {
  const void *image;
  CUmodule module = nullptr;
  /// Where managed variables keep their addresses.
  std::vector<std::pair<void **, std::string>> managed;
};

struct Variable {
  Binary *binary;
  std::string name;
};

} // namespace

struct tc::cudart::Function {
  Binary *binary;
  std::string name;
  CUfunction function = nullptr;
};

namespace {

/// Never destroyed: programs unregister from their destructors.
struct Registry {
  std::recursive_mutex mutex;
  std::map<Binary *, std::unique_ptr<Binary>> binaries;
  std::map<const void *, std::unique_ptr<Function>> functions; ///< by stub
  std::map<const void *, Variable> variables; ///< by their place in the host
};

Registry &getRegistry() {
  static auto *registry = new Registry;
  return *registry;
}

Error load(const Driver &driver, Binary &binary) {
  if (binary.module)
    return 0;
  CUresult result = driver.cuModuleLoadData(&binary.module, binary.image);
  for (auto &[place, name] : binary.managed) {
    CUdeviceptr address = 0;
    size_t bytes = 0;
    if (!result)
      result = driver.cuModuleGetGlobal_v2(&address, &bytes, binary.module,
                                           name.c_str());
    if (!result)
      *place = reinterpret_cast<void *>(address);
  }
  return result;
}

Function *findRecord(Registry &registry, const void *stub) {
  auto found = registry.functions.find(stub);
  if (found != registry.functions.end())
    return found->second.get();
  for (auto &[known, function] : registry.functions)
    if (function.get() == stub)
      return function.get();
  return nullptr;
}

} // namespace

Error tc::cudart::findFunction(const void *stub, CUfunction &function) {
  const Driver *driver = nullptr;
  if (Error error = enter(driver))
    return error;
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  Function *record = findRecord(registry, stub);
  if (!record)
    return 98; // cudaErrorInvalidDeviceFunction
  if (Error error = load(*driver, *record->binary))
    return error;
  if (!record->function)
    if (CUresult bad = driver->cuModuleGetFunction(
            &record->function, record->binary->module, record->name.c_str()))
      return bad == CUDA_ERROR_NOT_FOUND ? 98 : Error(bad);
  function = record->function;
  return 0;
}

const void *tc::cudart::findStub(CUfunction function) {
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  for (const auto &[stub, known] : registry.functions)
    if (known->function == function)
      return stub;
  return nullptr;
}

Error tc::cudart::findVariable(const void *symbol, CUdeviceptr &address,
                               size_t &bytes) {
  const Driver *driver = nullptr;
  if (Error error = enter(driver))
    return error;
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  auto found = registry.variables.find(symbol);
  if (found == registry.variables.end())
    return 13; // cudaErrorInvalidSymbol
  Variable &variable = found->second;
  if (Error error = load(*driver, *variable.binary))
    return error;
  CUresult result = driver->cuModuleGetGlobal_v2(
      &address, &bytes, variable.binary->module, variable.name.c_str());
  return result == CUDA_ERROR_NOT_FOUND ? 13 : Error(result);
}

extern "C" {

void **__cudaRegisterFatBinary(void *image) {
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  auto binary = std::make_unique<Binary>();
  binary->image = image;
  Binary *handle = binary.get();
  registry.binaries[handle] = std::move(binary);
  return reinterpret_cast<void **>(handle);
}

void __cudaRegisterFatBinaryEnd(void **) {}

void __cudaUnregisterFatBinary(void **handle) {
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  auto *binary = reinterpret_cast<Binary *>(handle);
  for (auto it = registry.functions.begin(); it != registry.functions.end();)
    it = it->second->binary == binary ? registry.functions.erase(it)
                                      : std::next(it);
  for (auto it = registry.variables.begin(); it != registry.variables.end();)
    it = it->second.binary == binary ? registry.variables.erase(it)
                                     : std::next(it);
  registry.binaries.erase(binary);
}

/// Managed variables have addresses from here on.
char __cudaInitModule(void **handle) {
  const Driver *driver = nullptr;
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  auto found = registry.binaries.find(reinterpret_cast<Binary *>(handle));
  if (found == registry.binaries.end() || found->second->managed.empty())
    return 1;
  return !enter(driver) && !load(*driver, *found->second);
}

void __cudaRegisterFunction(void **handle, const char *stub, char *,
                            const char *name, int, void *, void *, void *,
                            void *, int *) {
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  auto function = std::make_unique<Function>();
  function->binary = reinterpret_cast<Binary *>(handle);
  function->name = name;
  registry.functions[stub] = std::move(function);
}

void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int,
                       size_t, int, int) {
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  registry.variables[host] = {reinterpret_cast<Binary *>(handle), name};
}

void __cudaRegisterManagedVar(void **handle, void **host, char *,
                              const char *name, int, size_t, int, int) {
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  auto *binary = reinterpret_cast<Binary *>(handle);
  binary->managed.push_back({host, name});
  registry.variables[host] = {binary, name};
}

Error __cudaGetKernel(void **kernel, const void *stub) {
  Registry &registry = getRegistry();
  std::lock_guard<std::recursive_mutex> lock(registry.mutex);
  Function *record = findRecord(registry, stub);
  if (!record || !kernel)
    return keep(98);
  *kernel = record;
  return 0;
}

Error cudaGetKernel(void **kernel, const void *stub) {
  return __cudaGetKernel(kernel, stub);
}

Error cudaGetFuncBySymbol(CUfunction *function, const void *stub) {
  return keep(function ? findFunction(stub, *function)
                       : Error(CUDA_ERROR_INVALID_VALUE));
}

Error cudaGetSymbolAddress(void **address, const void *symbol) {
  CUdeviceptr found = 0;
  size_t bytes = 0;
  Error error = address ? findVariable(symbol, found, bytes)
                        : Error(CUDA_ERROR_INVALID_VALUE);
  if (!error)
    *address = reinterpret_cast<void *>(found);
  return keep(error);
}

Error cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  CUdeviceptr found = 0;
  return keep(bytes ? findVariable(symbol, found, *bytes)
                    : Error(CUDA_ERROR_INVALID_VALUE));
}
}
