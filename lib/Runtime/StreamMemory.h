//===- StreamMemory.h - Device memory in a stream's order -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that is allocated and freed between other work of a stream.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_STREAMMEMORY_H
#define TC_LIB_RUNTIME_STREAMMEMORY_H

#include "tc-runtime/Driver.h"

namespace tc::runtime {

/// Allocates memory for work that `stream` is given later; at once where the
/// device has no pools of memory. Returns a tcStatus.
int allocateOn(const Driver &driver, size_t bytes, CUstream stream,
               CUdeviceptr &address);

/// Frees it when all that `stream` was given so far is done; waits for that
/// where the device has no pools of memory. Returns a tcStatus.
int freeOn(const Driver &driver, CUdeviceptr address, CUstream stream);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_STREAMMEMORY_H
