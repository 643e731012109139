//===- Library.cpp - Libraries and linking --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library is a module of the current context, and its kernels are functions.
// Linking takes one text and hands it out as the image.
//
//===----------------------------------------------------------------------===//

#include "Device.h"
#include "Module/Image.h"

#include "llvm/Support/MemoryBuffer.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

static CUmodule toModule(CUlibrary library) {
  return reinterpret_cast<CUmodule>(library);
}
static CUfunction toFunction(CUkernel kernel) {
  return reinterpret_cast<CUfunction>(kernel);
}

static CUresult addText(Call &call, CUlinkState state, CUjitInputType type,
                        const void *image) {
  Link *link = call.find(&State::links, state);
  if (!link)
    return call.status();
  if (CUresult bad = checkPlace(call, image))
    return bad;
  if (!link->image->empty())
    return call.fail(CUDA_ERROR_NOT_SUPPORTED,
                     "expected one text to link, got a second");
  if (type != CU_JIT_INPUT_PTX)
    return call.fail(CUDA_ERROR_NO_BINARY_FOR_GPU,
                     "expected PTX to link, got input of kind " +
                         llvm::Twine(type));
  llvm::Expected<Image> found = readImage(image);
  if (!found)
    return call.fail(CUDA_ERROR_INVALID_PTX, llvm::toString(found.takeError()));
  *link->image = std::move(found->ptx);
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

CUresult cuLinkCreate_v2(unsigned, CUjit_option *, void **,
                         CUlinkState *state) {
  Call call("cuLinkCreate", Needs::Health);
  if (CUresult bad = checkPlace(call, state))
    return bad;
  *state = call.state.links.add({call.handle, std::make_unique<std::string>()});
  return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data,
                          size_t bytes, const char *, unsigned, CUjit_option *,
                          void **) {
  Call call("cuLinkAddData", Needs::Driver);
  if (!data)
    return addText(call, state, type, nullptr);
  std::string image(static_cast<const char *>(data), bytes);
  return addText(call, state, type, image.c_str());
}

CUresult cuLinkAddFile_v2(CUlinkState state, CUjitInputType type,
                          const char *path, unsigned, CUjit_option *, void **) {
  Call call("cuLinkAddFile", Needs::Driver);
  if (CUresult bad = checkPlace(call, path))
    return bad;
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return call.fail(CUDA_ERROR_FILE_NOT_FOUND,
                     llvm::Twine(path) + ": " + file.getError().message());
  return addText(call, state, type, (*file)->getBufferStart());
}

CUresult cuLinkComplete(CUlinkState state, void **image, size_t *bytes) {
  Call call("cuLinkComplete", Needs::Driver);
  if (CUresult bad = checkPlace(call, image))
    return bad;
  Link *link = call.find(&State::links, state);
  if (!link)
    return call.status();
  *image = link->image->data();
  if (bytes)
    *bytes = link->image->size() + 1;
  return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
  Call call("cuLinkDestroy", Needs::Driver);
  if (!call.find(&State::links, state))
    return call.status();
  call.state.links.erase(state);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

CUresult cuLibraryLoadData(CUlibrary *library, const void *image,
                           CUjit_option *options, void **values, unsigned count,
                           CUlibraryOption *, void **, unsigned) {
  return cuModuleLoadDataEx(reinterpret_cast<CUmodule *>(library), image, count,
                            options, values);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path,
                               CUjit_option *, void **, unsigned,
                               CUlibraryOption *, void **, unsigned) {
  return cuModuleLoad(reinterpret_cast<CUmodule *>(library), path);
}

CUresult cuLibraryUnload(CUlibrary library) {
  return cuModuleUnload(toModule(library));
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                            const char *name) {
  return cuModuleGetFunction(reinterpret_cast<CUfunction *>(kernel),
                             toModule(library), name);
}

CUresult cuLibraryGetModule(CUmodule *module, CUlibrary library) {
  return answer(Call("cuLibraryGetModule", Needs::Driver), module,
                toModule(library));
}

CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes,
                            CUlibrary library, const char *name) {
  return cuModuleGetGlobal_v2(address, bytes, toModule(library), name);
}

CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return answer(Call("cuKernelGetFunction", Needs::Driver), function,
                toFunction(kernel));
}

CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute,
                              CUkernel kernel, CUdevice) {
  return cuFuncGetAttribute(value, attribute, toFunction(kernel));
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                              CUkernel kernel, CUdevice) {
  return cuFuncSetAttribute(toFunction(kernel), attribute, value);
}
}
} // namespace tc::runtime
