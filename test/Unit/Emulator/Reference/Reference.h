//===- Reference.h - What instructions compute, a second time ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The semantics of the PTX ISA document's instructions without effects, on one
// thread's bits. Floating point is done by llvm::APFloat, so that nothing is
// shared with the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_REFERENCE_H
#define TC_TEST_UNIT_EMULATOR_REFERENCE_H

#include "Isa/Isa.h"

#include "llvm/Support/MathExtras.h"

namespace tc::emulator::test {

using ptx::Type;

/// The bits of the sources in written order, of the destinations likewise.
using Bits = std::vector<uint64_t>;
using Reference = Bits (*)(const ptx::Instruction &in, const Bits &sources);

/// Pieces that the two halves of the reference share.
namespace reference {

using Wide = __int128;

inline uint64_t cut(Wide value, unsigned bits) {
  return uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(bits);
}
/// The number that `bits` of a register are.
inline Wide extend(uint64_t value, unsigned bits, bool isSigned) {
  return isSigned ? Wide(llvm::SignExtend64(value, bits))
                  : Wide(cut(value, bits));
}
inline Wide number(const ptx::Instruction &in, uint64_t value) {
  return extend(value, ptx::getBits(in.type), ptx::isSigned(in.type));
}
inline Wide clampTo(Wide value, unsigned bits, bool isSigned) {
  Wide most = (Wide(1) << (bits - isSigned)) - 1;
  Wide least = isSigned ? -most - 1 : 0;
  return std::min(std::max(value, least), most);
}

inline bool isPacked(Type type) { return ptx::getName(type).ends_with("x2"); }
inline unsigned partBits(Type type) {
  return ptx::getBits(type) >> unsigned(isPacked(type));
}
inline bool isReal(Type type) {
  return ptx::isFloat(type) || type == Type::F16X2 || type == Type::BF16X2 ||
         type == Type::F32X2;
}

// ReferenceFloat.cpp
Bits realArithmetic(const ptx::Instruction &in, const Bits &sources);
Bits mixedArithmetic(const ptx::Instruction &in, const Bits &sources);
Bits convert(const ptx::Instruction &in, const Bits &sources);
Bits classify(const ptx::Instruction &in, const Bits &sources);
/// The comparison of the numbers that begin at bit `shift`.
bool compareReals(const ptx::Instruction &in, const Bits &sources,
                  unsigned shift);
/// eq, lt and so on, by the sign of a difference.
bool holds(llvm::StringRef comparison, int order);
/// Whether the .f32 is at least zero, of either sign; NaN is not.
bool isAtLeastZero(const ptx::Instruction &in, uint64_t bits);
/// 1 in a format, as bits.
uint64_t encodeOne(Type type);

} // namespace reference

/// The reference of the instructions with that root; null if there is none.
Reference findReference(llvm::StringRef root);

/// Whether destination bits of type `type` are right: the same, or both NaN;
/// for approximations, within the error that is documented.
bool isRight(const ptx::Instruction &in, Type type, uint64_t got,
             uint64_t expected);

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_REFERENCE_H
