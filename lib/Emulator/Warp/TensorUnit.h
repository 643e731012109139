//===- TensorUnit.h - How the tensor units of chips add ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arithmetic of devices, for matrix instructions on floating point but .f64
// (LaunchOptions::Arithmetic::Hardware).
//
// Note [Tensor units]. A unit does not add one term after the other. It takes
// as many as it has room for, and the accumulator; shifts all of them right
// until they have the exponent of the largest, whereby all bits but so many are
// cut off; adds what is left exactly; and cuts the sum to .f32, towards zero,
// or rounds it to .f16, to nearest even. An instruction with more terms does
// this several times. The exponent of a product is the sum of its factors'
// exponents, without a carry from its significand; that of zero is -127.
//
// How many bits and how many terms is not documented. The numbers are those of
// MMA-Sim (Xie, Wang, Yang and Yang, arXiv:2511.10909), whose authors compared
// them with devices bit by bit; those of Volta, Turing and Ampere are also in
// Fasi, Higham, Mikaitis and Pranesh, PeerJ CS 7:e330 (2021). No device was
// compared with for `wmma`, which is taken to be several `mma`. On sm_90, `mma`
// of 8-bit floating point is a product of halves that starts from zero, and an
// addition of its own, which rounds. benchmarks/gpu/mma_bits.py compared all
// forms that contractions use with an H200. `wgmma` of 8-bit floating point
// multiplies bytes, and its sums keep 13 bits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_WARP_TENSORUNIT_H
#define TC_LIB_EMULATOR_WARP_TENSORUNIT_H

#include "Warp/Matrix.h"

#include <algorithm>

namespace tc::emulator::warp {

struct TensorUnit {
  /// Bits that a term keeps after the point of the largest one.
  unsigned fractionBits;
  /// The most terms that are added at once.
  unsigned terms;
  /// Multiplies halves, and adds the sum to the accumulator afterwards.
  bool addsLast = false;

  /// Bits after the point of an .f32 result.
  unsigned getResultBits() const { return std::min(fractionBits, 23u); }
};

/// The unit of a chip (80 for sm_80) for inputs of a type; chips that are not
/// known add as the newest one before them.
TensorUnit getTensorUnit(unsigned chip, Element input);

/// The same for `wgmma`: bytes are multiplied as they are, with a shorter sum.
TensorUnit getGroupUnit(unsigned chip, Element input);

/// c = a * b + c as the unit computes the product of `form`, each matrix dense
/// in row-major order. It has a multiple of 8 columns.
void multiplyAsUnit(const TensorUnit &unit, const MatrixForm &form,
                    const double *a, const double *b, double *c);

} // namespace tc::emulator::warp

#endif // TC_LIB_EMULATOR_WARP_TENSORUNIT_H
