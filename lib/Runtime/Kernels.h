//===- Kernels.h - Modules loaded and kernels launched ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the launcher, packaged kernels and the mgpu library ask of a driver in
// the same way. The context must be current.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_KERNELS_H
#define TC_LIB_RUNTIME_KERNELS_H

#include "tc-runtime/Driver.h"

#include <array>
#include <cstdint>
#include <string>

namespace tc::runtime {

/// Loads `image`: a cubin, or PTX text ended by a zero. A negative
/// `optimizationLevel` leaves the driver's default. On failure `error` is what
/// the driver says, with the log of its compiler.
CUresult loadModule(const Driver &driver, const void *image,
                    int optimizationLevel, CUmodule &module,
                    std::string &error);

/// Allows `function` to be launched with `bytes` of dynamic shared memory.
/// Needed where static and dynamic together pass 48 KiB; changes nothing
/// otherwise. On failure `error` is what the driver says, with how much a block
/// can have and would have.
CUresult allowDynamicShared(const Driver &driver, CUfunction function,
                            unsigned bytes, std::string &error);

/// Extents along x, y and z of grid, block and cluster; those of the last are
/// zeros where there are no clusters.
using LaunchShape = std::array<int64_t, 9>;

/// On failure `error` is what the driver says, with the extent that the device
/// does not have: blocks and grids of dynamic extents are checked here. With
/// `overlaps` the kernel, which waits by itself, may begin before the one
/// before it in the stream has ended, where the driver has that.
CUresult launchKernel(const Driver &driver, CUfunction function,
                      const LaunchShape &shape, unsigned dynamicShared,
                      CUstream stream, void **parameters, std::string &error,
                      void **extra = nullptr, bool overlaps = false);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_KERNELS_H
