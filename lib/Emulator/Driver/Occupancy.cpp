//===- Occupancy.cpp - Occupancy of the emulated driver -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many blocks of a kernel a multiprocessor of the device's kind could hold,
// by threads, blocks and shared memory; registers are not known.
//
//===----------------------------------------------------------------------===//

#include "Module/Kernel.h"

#include <algorithm>

using namespace tc::emulator;
using namespace tc::emulator::driver;

size_t driver::countResident(const Kernel &kernel, size_t threads,
                             size_t dynamicShared) {
  size_t warps = (threads + limits::warpSize - 1) / limits::warpSize;
  size_t shared =
      kernel.info.sharedBytes + dynamicShared + limits::reservedSharedPerBlock;
  return std::min<size_t>(
      {limits::threadsPerMultiprocessor / (warps * limits::warpSize),
       limits::sharedPerMultiprocessor / shared,
       limits::blocksPerMultiprocessor});
}

/// The kernel, and that `threads` are legal for it; null after an error.
static Kernel *findKernel(Call &call, CUfunction function, int threads,
                          CUresult &bad) {
  Kernel *kernel = call.find(&State::kernels, function);
  bad = kernel ? checkExtent(call, "a number of threads", unsigned(threads),
                             limits::threadsPerBlock)
               : call.status();
  return bad ? nullptr : kernel;
}

namespace tc::runtime {
extern "C" {

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, CUfunction function, int threads, size_t dynamicShared,
    unsigned) {
  Call call("cuOccupancyMaxActiveBlocksPerMultiprocessor", Needs::Driver);
  if (CUresult bad = checkPlace(call, blocks))
    return bad;
  CUresult bad = CUDA_SUCCESS;
  Kernel *kernel = findKernel(call, function, threads, bad);
  if (!kernel)
    return bad;
  *blocks = int(countResident(*kernel, threads, dynamicShared));
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks,
                                                     CUfunction function,
                                                     int threads,
                                                     size_t dynamicShared) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      blocks, function, threads, dynamicShared, /*flags=*/0);
}

/// The block size with most threads on a multiprocessor; of equals the largest.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *grid, int *block, CUfunction function,
    CUoccupancyB2DSize dynamicSharedOf, size_t dynamicShared, int most,
    unsigned) {
  Call call("cuOccupancyMaxPotentialBlockSize", Needs::Driver);
  if (CUresult bad = checkPlace(call, grid ? block : nullptr))
    return bad;
  Kernel *kernel = call.find(&State::kernels, function);
  if (!kernel)
    return call.status();
  unsigned limit = std::min<unsigned>(
      kernel->info.maxThreads, most > 0 ? most : limits::threadsPerBlock);
  limit = std::min<unsigned>(limit, limits::threadsPerBlock);
  size_t best = 0;
  *grid = *block = 0;
  for (unsigned threads = limit; threads != 0;
       threads = (threads - 1) / limits::warpSize * limits::warpSize) {
    size_t bytes =
        dynamicSharedOf ? dynamicSharedOf(int(threads)) : dynamicShared;
    size_t blocks = countResident(*kernel, threads, bytes);
    if (blocks * threads <= best)
      continue;
    best = blocks * threads;
    *block = int(threads);
    *grid = int(blocks) * multiprocessors;
  }
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block,
                                          CUfunction function,
                                          CUoccupancyB2DSize dynamicSharedOf,
                                          size_t dynamicShared, int most) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(
      grid, block, function, dynamicSharedOf, dynamicShared, most, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                 CUfunction function,
                                                 int blocks, int threads) {
  Call call("cuOccupancyAvailableDynamicSMemPerBlock", Needs::Driver);
  if (CUresult bad = checkPlace(call, bytes))
    return bad;
  CUresult bad = CUDA_SUCCESS;
  Kernel *kernel = findKernel(call, function, threads, bad);
  if (!kernel)
    return bad;
  size_t fit = countResident(*kernel, threads, /*dynamicShared=*/0);
  if (blocks < 1 || size_t(blocks) > fit)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected 1 to " + llvm::Twine(fit) +
                         " blocks on a multiprocessor, got " +
                         llvm::Twine(blocks));
  int64_t each =
      limits::sharedPerMultiprocessor / blocks - limits::reservedSharedPerBlock;
  each = std::min<int64_t>(each, limits::sharedPerBlockOptIn);
  *bytes = std::max<int64_t>(each - int64_t(kernel->info.sharedBytes), 0);
  return CUDA_SUCCESS;
}
}
} // namespace tc::runtime
