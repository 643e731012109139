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

namespace tc::emulator::test {

using ptx::Type;

/// The bits of the sources in written order, of the destinations likewise.
using Bits = std::vector<uint64_t>;
using Reference = Bits (*)(const ptx::Instruction &in, const Bits &sources);

/// The reference of the instructions with that root; null if there is none.
Reference findReference(llvm::StringRef root);

/// Whether destination bits of type `type` are right: the same, or both NaN;
/// for approximations, within the error that is documented.
bool isRight(const ptx::Instruction &in, Type type, uint64_t got,
             uint64_t expected);

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_REFERENCE_H
