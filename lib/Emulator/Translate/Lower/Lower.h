//===- Lower.h - Translation of each instruction family ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions the instruction table names. Each emits LLVM IR for one
// verified instruction; the guard and the source position are the caller's
// matter.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_LOWER_LOWER_H
#define TC_LIB_EMULATOR_TRANSLATE_LOWER_LOWER_H

namespace tc::emulator {
class Emitter;
namespace ptx {
struct Instruction;
}

namespace lower {

// Of the two classes of this name, lowering means PTX's.
using ptx::Instruction;

#define TC_LOWER(name) void name(Emitter &e, const Instruction &in);

// LowerInteger.cpp
TC_LOWER(add)
TC_LOWER(addSaturated)
TC_LOWER(sub)
TC_LOWER(subSaturated)
TC_LOWER(mul)
TC_LOWER(mad)
TC_LOWER(mul24)
TC_LOWER(mad24)
TC_LOWER(sad)
TC_LOWER(divInteger)
TC_LOWER(rem)
TC_LOWER(absInteger)
TC_LOWER(negInteger)
TC_LOWER(extremeInteger)
TC_LOWER(dot)
TC_LOWER(absDifferences)
TC_LOWER(addCarry)
TC_LOWER(subBorrow)
TC_LOWER(madCarry)

// LowerBits.cpp
TC_LOWER(popc)
TC_LOWER(clz)
TC_LOWER(bfind)
TC_LOWER(brev)
TC_LOWER(bfe)
TC_LOWER(bfi)
TC_LOWER(bitAnd)
TC_LOWER(bitOr)
TC_LOWER(bitXor)
TC_LOWER(bitNot)
TC_LOWER(cnot)
TC_LOWER(lop3)
TC_LOWER(shf)
TC_LOWER(shl)
TC_LOWER(shr)
TC_LOWER(prmt)
TC_LOWER(bmsk)
TC_LOWER(szext)
TC_LOWER(fns)

// LowerFloat.cpp
TC_LOWER(testp)
TC_LOWER(copysign)
TC_LOWER(arithmetic)
TC_LOWER(extreme)
TC_LOWER(rcp)
TC_LOWER(elementary)

// LowerPacked.cpp
TC_LOWER(pairInteger)
TC_LOWER(mixedFloat)

// LowerCompare.cpp
TC_LOWER(set)
TC_LOWER(setp)
TC_LOWER(selp)
TC_LOWER(slct)

// LowerConvert.cpp
TC_LOWER(cvt)
TC_LOWER(cvtNarrow)
TC_LOWER(cvtWiden)
TC_LOWER(cvtPack)

// LowerAddress.cpp
TC_LOWER(isspacep)
TC_LOWER(mapa)
TC_LOWER(getctarank)
TC_LOWER(createPolicy)

// LowerMemory.cpp
TC_LOWER(mov)
TC_LOWER(load)
TC_LOWER(store)
TC_LOWER(cvta)
TC_LOWER(atom)
TC_LOWER(nothing)

// LowerControl.cpp
TC_LOWER(bra)
TC_LOWER(brx)
TC_LOWER(callBranch)
TC_LOWER(ret)
TC_LOWER(exit)

#undef TC_LOWER

} // namespace lower
} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_LOWER_LOWER_H
