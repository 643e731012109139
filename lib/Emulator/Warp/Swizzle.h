//===- Swizzle.h - The order of pieces in shared memory ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Matrices of `wgmma` and boxes of tensor copies may have their 16-byte pieces
// exchanged, so that a column of them lies in all banks: bits 4 to 6 of the
// address are exchanged by its bits 7 to 9 (fewer for spans of 64 and 32
// bytes).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_WARP_SWIZZLE_H
#define TC_LIB_EMULATOR_WARP_SWIZZLE_H

#include <cstdint>

namespace tc::emulator {

/// Where what belongs at `address` lies, with rows of `span` bytes (16: there
/// is no swizzle). The pattern begins `firstRow` rows of 128 bytes before a
/// multiple of 1024.
inline uint64_t swizzleAddress(uint64_t address, uint32_t span,
                               uint32_t firstRow = 0) {
  uint64_t mask = span / 16 - 1;
  return address ^ ((address >> 7) - firstRow & mask) << 4;
}

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_WARP_SWIZZLE_H
