//===- Descriptor.h - Matrices in shared memory -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix descriptor of `wgmma` (PTX ISA, section 9.7.15.5.1): 64 bits that
// say where the pieces of a matrix lie. A piece is 16 bytes, which are
// neighbours along k (K-major) or along m or n (MN-major). All lengths in a
// descriptor are counted in pieces:
//
//   13..0   start        29..16  leading offset       45..32  stride offset
//   51..49  base offset  63..62  swizzle: none, 128, 64, 32 bytes
//
// 8 pieces make a *core matrix*: of 8 rows, or of 8 k.
//
// Note [Layouts]. With a swizzle of S bytes (16 for none), k being 32 bytes:
//
//   K-major   row r, half h:       r % 8 * S + r / 8 * stride + h * 16
//   MN-major  k, piece c of rows:  c % (S / 16) * 16 + c / (S / 16) * leading
//                                  + k % 8 * S + k / 8 * stride
//
// Without a swizzle, h counts `leading` bytes, and MN-major has leading and
// stride exchanged. Then bits 4 to 6 of the address are exchanged by its bits 7
// to 9 (fewer for 64 and 32), which count from where the base offset says that
// the pattern begins.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_WARP_DESCRIPTOR_H
#define TC_LIB_EMULATOR_WARP_DESCRIPTOR_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <string>

namespace tc::emulator::warpgroup {

constexpr unsigned pieceBytes = 16;

/// What a descriptor is to stand for.
struct SharedMatrix {
  unsigned rows;       ///< m or n
  bool isRowsTogether; ///< MN-major; elements of 16 bits
};

class Descriptor {
public:
  explicit Descriptor(uint64_t bits) : bits(bits) {}

  /// What is wrong with it: what was expected, and what it has. Empty: nothing.
  std::string findFault(const SharedMatrix &matrix) const;

  uint32_t getStart() const { return field(0); }
  /// Of a K-major matrix: of a row and a half of k.
  uint32_t getPiece(unsigned row, unsigned half) const;
  /// Of an MN-major one: of 8 rows, and a k.
  uint32_t getPieceOfRows(unsigned group, unsigned k) const;

  /// Where the core matrix of 8 rows and a half of k begins, before any
  /// swizzle.
  uint32_t getCore(const SharedMatrix &matrix, unsigned group,
                   unsigned half) const;
  /// Of a core matrix that begins there: a piece.
  uint32_t getPieceOfCore(uint32_t core, unsigned piece) const {
    return swizzle(core + piece * getSpan());
  }
  /// How many groups of rows and halves of k there are; fewer where an offset
  /// of 0 repeats them.
  unsigned countGroups(const SharedMatrix &matrix) const;
  unsigned countHalves(const SharedMatrix &matrix) const;
  /// Bytes that follow each other before the next row.
  uint32_t getSpan() const { return getSpan(getSwizzle()); }
  static uint32_t getSpan(unsigned swizzle) {
    return swizzle ? 256u >> swizzle : pieceBytes;
  }
  /// What tells orders of pieces apart: a number below 32.
  uint32_t getOrder() const {
    return getSwizzle() << 3 | (getBaseOffset() & (getSpan() / pieceBytes - 1));
  }

private:
  uint32_t field(unsigned shift) const {
    return uint32_t(bits >> shift & 0x3fff) * pieceBytes;
  }
  unsigned getSwizzle() const { return unsigned(bits >> 62); }
  unsigned getBaseOffset() const { return bits >> 49 & 7; }
  uint32_t getLeading() const { return field(16); }
  uint32_t getStride() const { return field(32); }
  /// Between the halves of k of a K-major matrix.
  uint32_t getHalfOffset() const {
    return getSwizzle() ? pieceBytes : getLeading();
  }
  uint32_t getGroup(unsigned group, unsigned half) const;
  uint32_t getGroupOfRows(unsigned group, unsigned half) const;
  uint32_t swizzle(uint32_t address) const;

  uint64_t bits;
};

} // namespace tc::emulator::warpgroup

#endif // TC_LIB_EMULATOR_WARP_DESCRIPTOR_H
