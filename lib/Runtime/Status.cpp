//===- Status.cpp - Codes and texts of failures ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every part of the runtime reports with.
//
//===----------------------------------------------------------------------===//

#include "Status.h"

#include <utility>

using namespace tc::runtime;

static std::string &lastError() {
  // Never destroyed: the destructors of the host program may still fail.
  static thread_local auto &text = *new std::string;
  return text;
}

std::string &tc::runtime::lastRemark() {
  static thread_local auto &text = *new std::string;
  return text;
}

const char *tcLastRemark(void) { return lastRemark().c_str(); }

const char *tcLastError(void) { return lastError().c_str(); }

std::string tc::runtime::hexOf(uint64_t value) {
  char text[2 + 16 + 1];
  snprintf(text, sizeof(text), "0x%llx",
           static_cast<unsigned long long>(value));
  return text;
}

int tc::runtime::fail(tcStatus status, std::string message) {
  lastError() = std::move(message);
  return status;
}

tcStatus tc::runtime::classify(CUresult result) {
  switch (result) {
  case CUDA_SUCCESS:
    return TC_OK;
  case CUDA_ERROR_OUT_OF_MEMORY:
    return TC_OUT_OF_MEMORY;
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
    return TC_INVALID_IMAGE;
  case CUDA_ERROR_NOT_FOUND:
    return TC_NOT_FOUND;
  case CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES:
    return TC_INVALID_LAUNCH;
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_LAUNCH_FAILED:
    return TC_KERNEL_FAULT;
  default:
    return TC_DRIVER_ERROR;
  }
}

int tc::runtime::check(const Driver &driver, const char *call,
                       CUresult result) {
  if (result == CUDA_SUCCESS)
    return TC_OK;
  return fail(classify(result), driver.describe(call, result));
}

static constexpr std::pair<tcStatus, const char *> meanings[] = {
    {TC_OK, "no error"},
    {TC_INVALID_ARGUMENT, "an argument that cannot be"},
    {TC_NO_DEVICE, "no CUDA device, or no driver for one"},
    {TC_INVALID_IMAGE, "the driver does not take the kernels"},
    {TC_NOT_FOUND, "no such kernel"},
    {TC_OUT_OF_MEMORY, "out of memory"},
    {TC_INVALID_LAUNCH, "a launch that the device cannot do"},
    {TC_KERNEL_FAULT, "a kernel failed"},
    {TC_DRIVER_ERROR, "a call of the CUDA driver failed"},
    {TC_INVALID_PACKAGE,
     "the package was made for another version of libtc-runtime"},
    {TC_WRONG_EXTENT, "an extent that is negative or too large"},
    {TC_NULL_POINTER, "a null pointer for a buffer that has elements"},
    {TC_MISALIGNED, "a buffer that is not aligned to its elements"},
    {TC_OVERLAP, "a buffer that is written overlaps another"},
    {TC_BUFFER_TOO_SMALL, "an allocation that is smaller than its buffer"},
    {TC_WORKSPACE, "no workspace, or too little, or misaligned"},
    {TC_WRONG_DEVICE, "a buffer that is not in the memory of the device"},
    {TC_NO_VARIANT, "the package holds no kernels for the device"},
    {TC_DRIVER_TOO_OLD, "the CUDA driver is too old for the kernels"},
    {TC_NO_CPU_VERSION, "the package holds no version for this CPU"},
};

const char *tcErrorString(int status) {
  for (auto [known, meaning] : meanings)
    if (known == status)
      return meaning;
  return "unknown error";
}
