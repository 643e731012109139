//===- FloatOps.h - Pieces of floating-point translation --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What arithmetic, comparison and conversion share: packed and 16-bit formats,
// flushing, saturation and rounding modes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_LOWER_FLOATOPS_H
#define TC_LIB_EMULATOR_TRANSLATE_LOWER_FLOATOPS_H

#include "Translate/Emitter.h"

namespace tc::emulator {

/// The scalar type of which a packed type has two; another type is its own.
ptx::Type getPart(ptx::Type type);
inline unsigned countParts(ptx::Type type) {
  return getPart(type) == type ? 1 : 2;
}

/// The number that part `part` of an operand's bits holds, as a value to
/// compute with: .f16, .bf16 and .tf32 as .f32, which is exact.
llvm::Value *readPart(Emitter &e, const ptx::Operand &operand, ptx::Type type,
                      unsigned part);
/// A value to compute with as the bits of `type`, to nearest even.
llvm::Value *narrow(Emitter &e, llvm::Value *value, ptx::Type type);
/// The bits of a register from those of its one or two parts.
llvm::Value *joinParts(Emitter &e, llvm::ArrayRef<llvm::Value *> parts);

/// Replaces a number that is subnormal in `type` by the zero of its sign.
llvm::Value *flush(Emitter &e, llvm::Value *value, ptx::Type type);
/// `flush` if the instruction has .ftz and `type` is not .f64.
llvm::Value *flushInput(Emitter &e, const ptx::Instruction &in,
                        llvm::Value *value, ptx::Type type);

/// Clamps to [0, 1]; NaN and -0 become +0.
llvm::Value *saturate(Emitter &e, llvm::Value *value);
/// Clamps negative numbers to +0; NaN stays.
llvm::Value *rectify(Emitter &e, llvm::Value *value);
/// `saturate` for .sat, `rectify` for .relu.
llvm::Value *clamp(Emitter &e, const ptx::Instruction &in, llvm::Value *value);

/// x op y, or x * y + z for "fma", of two or three values of .f32 or .f64; `op`
/// is add, sub, mul, div, fma or sqrt. Nearest is done inline.
llvm::Value *compute(Emitter &e, llvm::StringRef op, llvm::StringRef mode,
                     llvm::ArrayRef<llvm::Value *> values);

/// The quiet NaN that NVIDIA's instructions give.
llvm::Constant *canonicalNaN(llvm::Type *type);

/// The runtime's number of a rounding mode: rn 0, rz 1, rm 2, rp 3, rna 4.
unsigned getRounding(llvm::StringRef mode);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_LOWER_FLOATOPS_H
