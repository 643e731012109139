//===- FloatOps.h - Pieces of floating-point translation --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What arithmetic, comparison and conversion share: flushing, saturation and
// rounding modes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_FLOATOPS_H
#define TC_LIB_EMULATOR_TRANSLATE_FLOATOPS_H

#include "Translate/Emitter.h"

namespace tc::emulator {

/// Replaces a subnormal number by the zero of its sign.
llvm::Value *flush(Emitter &e, llvm::Value *value);

/// `flush` if the instruction has .ftz and `value` is an f32.
llvm::Value *flushInput(Emitter &e, const ptx::Instruction &in,
                        llvm::Value *value);

/// Clamps to [0, 1]; NaN and -0 become +0.
llvm::Value *saturate(Emitter &e, llvm::Value *value);

/// x op y, or x * y + z for "fma", of two or three values of .f32 or .f64; `op`
/// is add, sub, mul, div, fma or sqrt. Nearest is done inline.
llvm::Value *compute(Emitter &e, llvm::StringRef op, llvm::StringRef mode,
                     llvm::ArrayRef<llvm::Value *> values);

/// An .f16 or .bf16, held as an i16, as .f32, which is exact.
llvm::Value *widenHalf(Emitter &e, llvm::Value *bits, ptx::Type type);

/// The runtime's number of a rounding mode: rn 0, rz 1, rm 2, rp 3.
unsigned getRounding(llvm::StringRef mode);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_FLOATOPS_H
