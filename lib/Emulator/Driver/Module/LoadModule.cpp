//===- LoadModule.cpp - Modules of the emulated driver --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Modules come as PTX text, or as a fatbin that holds some. Machine code for a
// GPU is refused by name.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Module/Image.h"

#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstring>

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// Where the caller of cuModuleLoadDataEx wants the compiler's words.
struct Log {
  char *buffer = nullptr;
  void **size = nullptr; ///< room, and afterwards the bytes written

  void write(llvm::StringRef text) const {
    size_t room = size ? reinterpret_cast<uintptr_t>(*size) : 0;
    if (!buffer || room == 0) {
      if (size)
        *size = nullptr;
      return;
    }
    size_t bytes = std::min(room - 1, text.size());
    memcpy(buffer, text.data(), bytes);
    buffer[bytes] = '\0';
    *size = reinterpret_cast<void *>(bytes);
  }
};

/// Loads text into the current context.
static CUresult loadText(Call &call, CUmodule *module, llvm::StringRef ptx,
                         const Log &errors) {
  llvm::Expected<std::unique_ptr<Module>> loaded = Module::load(ptx);
  if (!loaded) {
    std::string message = llvm::toString(loaded.takeError());
    errors.write(message);
    return call.fail(CUDA_ERROR_INVALID_PTX, message);
  }
  // A later launch may begin before one of before it has ended.
  if ((*loaded)->controlsGrids())
    call.state.races.begin();
  LoadedModule entry = {call.handle, std::move(*loaded), {}};
  *module = call.state.modules.add(std::move(entry));
  errors.write("");
  return CUDA_SUCCESS;
}

static CUresult load(Call &call, CUmodule *module, const void *image,
                     const Log &errors) {
  if (CUresult bad = checkPlace(call, module))
    return bad;
  *module = nullptr;
  if (!image)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "expected an image, got null");
  llvm::Expected<Image> found = readImage(image);
  if (!found) {
    std::string message = llvm::toString(found.takeError());
    errors.write(message);
    return call.fail(CUDA_ERROR_NO_BINARY_FOR_GPU, message);
  }
  if (found->lacksFeatures && !std::exchange(call.state.isToldOfFeatures, true))
    printLine("note: the program has machine code for sm_90a, but PTX without "
              "the instructions of sm_90a, which is what runs here: compile it "
              "with -gencode arch=compute_90a,code=compute_90a");
  return loadText(call, module, found->ptx, errors);
}

namespace tc::runtime {
extern "C" {

CUresult cuModuleLoad(CUmodule *module, const char *path) {
  Call call("cuModuleLoad", Needs::Health);
  if (CUresult bad = checkPlace(call, path ? module : nullptr))
    return bad;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return call.fail(CUDA_ERROR_FILE_NOT_FOUND,
                     llvm::Twine(path) + ": " + file.getError().message());
  return load(call, module, (*file)->getBufferStart(), Log());
}

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  Call call("cuModuleLoadData", Needs::Health);
  return call ? load(call, module, image, Log()) : call.status();
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  Call call("cuModuleLoadDataEx", Needs::Health);
  if (!call)
    return call.status();
  if (count != 0 && (!options || !values))
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected options and their values, got null");
  Log errors, notes;
  for (unsigned i = 0; i < count; ++i) {
    if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
      errors.buffer = static_cast<char *>(values[i]);
    else if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      errors.size = &values[i];
    else if (options[i] == CU_JIT_INFO_LOG_BUFFER)
      notes.buffer = static_cast<char *>(values[i]);
    else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES)
      notes.size = &values[i];
    // All others steer code generation for a GPU.
  }
  notes.write("");
  return load(call, module, image, errors);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadData(module, image);
}

CUresult cuModuleUnload(CUmodule module) {
  Call call("cuModuleUnload", Needs::Driver);
  if (LoadedModule *loaded = call.find(&State::modules, module)) {
    call.waitForAll(loaded->context);
    call.state.unload(module);
  }
  return call.status();
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  Call call("cuModuleGetFunction", Needs::Driver);
  if (CUresult bad = checkPlace(call, name ? function : nullptr))
    return bad;
  LoadedModule *loaded = call.find(&State::modules, module);
  if (!loaded)
    return call.status();
  auto known = loaded->kernels.find(name);
  if (known != loaded->kernels.end()) {
    *function = known->second;
    return CUDA_SUCCESS;
  }
  const KernelInfo *info = loaded->module->find(name);
  if (!info)
    return call.fail(CUDA_ERROR_NOT_FOUND, llvm::Twine("expected a kernel '") +
                                               name +
                                               "' in the module, got none");
  unsigned fixed = info->sharedBytes;
  unsigned free = limits::sharedPerBlock;
  Kernel kernel = {loaded->context, module, name, *info,
                   fixed < free ? free - fixed : 0};
  *function = call.state.kernels.add(std::move(kernel));
  loaded->kernels[name] = *function;
  return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *bytes,
                              CUmodule module, const char *name) {
  Call call("cuModuleGetGlobal", Needs::Driver);
  if (CUresult bad = checkPlace(call, name))
    return bad;
  LoadedModule *loaded = call.find(&State::modules, module);
  if (!loaded)
    return call.status();
  auto variable = loaded->module->variable(name);
  if (!variable)
    return call.fail(CUDA_ERROR_NOT_FOUND,
                     llvm::toString(variable.takeError()));
  auto start = reinterpret_cast<uintptr_t>(variable->first);
  // Makes the variable known to copies.
  call.state.ranges.insert(
      {start, {variable->second, Owner::Variable, loaded->context, module}});
  if (address)
    *address = start;
  if (bytes)
    *bytes = variable->second;
  return CUDA_SUCCESS;
}
}
} // namespace tc::runtime
