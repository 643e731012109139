//===- Kernel.h - Kernels of the emulated driver ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What launches and the questions about a kernel share.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_MODULE_KERNEL_H
#define TC_LIB_EMULATOR_DRIVER_MODULE_KERNEL_H

#include "Device.h"

namespace tc::emulator::driver {

/// Whether an extent of a grid or block is from 1 to its limit.
CUresult checkExtent(const Call &call, const char *what, unsigned extent,
                     int limit);

/// Blocks of `threads` (1 to 1024) that fit on a multiprocessor, each with that
/// many bytes of dynamic shared memory.
size_t countResident(const Kernel &kernel, size_t threads,
                     size_t dynamicShared);

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_MODULE_KERNEL_H
