//===- Descriptor.cpp - Matrices in shared memory -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Note [Layouts] in the header.
//
//===----------------------------------------------------------------------===//

#include "Warp/Descriptor.h"
#include "Warp/Swizzle.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using llvm::Twine;

namespace tc::emulator::warpgroup {

static std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

/// Bits that mean nothing, and must be zero.
static constexpr uint64_t reserved =
    0x3ull << 14 | 0x3ull << 30 | 0x7ull << 46 | 0x3ffull << 52;

std::string Descriptor::findFault(const SharedMatrix &matrix) const {
  if (bits & reserved)
    return ("expected zeros in the bits 14, 15, 30, 31, 46 to 48 and 52 to 61, "
            "got " +
            Twine(hex(bits & reserved)))
        .str();
  uint32_t span = getSpan(), start = getStart();
  unsigned base = getBaseOffset(), mask = span / pieceBytes - 1;
  if (!getSwizzle())
    return base ? ("expected a base offset of 0 without a swizzle, got " +
                   Twine(base))
                      .str()
                : std::string();
  // Without one, rows of the pattern count from address 0, as those of a bulk
  // copy do: CUTLASS has tiles that are aligned to 128 bytes.
  unsigned expected = start >> 7 & mask;
  if (base && (base & mask) != expected)
    return ("expected a base offset of " + Twine(expected) +
            " for the start address " + hex(start) + " and a swizzle of " +
            Twine(span) + " bytes, got " + Twine(base) +
            "; align the matrix to " + Twine(8 * span) + " bytes")
        .str();
  // What follows the start without a gap must not leave its row of the pattern.
  uint32_t first = start % span;
  uint32_t together =
      matrix.isRowsTogether ? std::min(span, 2 * matrix.rows) : 2 * pieceBytes;
  if (first + together > span)
    return ("expected a start address with " + Twine(together) +
            " bytes behind it in a row of " + Twine(span) +
            " bytes, which the swizzle has; got " + hex(start) + ", " +
            Twine(first) + " bytes into one")
        .str();
  return "";
}

uint32_t Descriptor::swizzle(uint32_t address) const {
  return swizzleAddress(address, getSpan(), getBaseOffset());
}

/// The core matrix of a K-major matrix.
uint32_t Descriptor::getGroup(unsigned group, unsigned half) const {
  return getStart() + group * getStride() + half * getHalfOffset();
}

/// The same of an MN-major one.
uint32_t Descriptor::getGroupOfRows(unsigned group, unsigned half) const {
  uint32_t leading = getLeading(), stride = getStride();
  if (!getSwizzle())
    std::swap(leading, stride);
  uint32_t pieces = getSpan() / pieceBytes;
  return getStart() + group % pieces * pieceBytes + group / pieces * leading +
         half * stride;
}

uint32_t Descriptor::getPiece(unsigned row, unsigned half) const {
  return getPieceOfCore(getGroup(row / 8, half), row % 8);
}

uint32_t Descriptor::getPieceOfRows(unsigned group, unsigned k) const {
  return getPieceOfCore(getGroupOfRows(group, k / 8), k % 8);
}

uint32_t Descriptor::getCore(const SharedMatrix &matrix, unsigned group,
                             unsigned half) const {
  return matrix.isRowsTogether ? getGroupOfRows(group, half)
                               : getGroup(group, half);
}

unsigned Descriptor::countGroups(const SharedMatrix &matrix) const {
  unsigned groups = matrix.rows / 8;
  if (!matrix.isRowsTogether || !getSwizzle())
    return getStride() ? groups : 1;
  return getLeading() ? groups : std::min(groups, getSpan() / pieceBytes);
}

unsigned Descriptor::countHalves(const SharedMatrix &matrix) const {
  uint32_t offset = !matrix.isRowsTogether ? getHalfOffset()
                    : getSwizzle()         ? getStride()
                                           : getLeading();
  return offset ? 2 : 1;
}

} // namespace tc::emulator::warpgroup
