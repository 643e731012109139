//===- Mbarrier.h - The contents of an mbarrier object ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section 9.7.13.15.2, names the contents and leaves their layout to
// the implementation. Here the 64 bits of an object are, from the lowest:
//
//   20 bits  arrivals that the present phase waits for
//   20 bits  arrivals that each later phase waits for
//   21 bits  bytes that the present phase waits for, signed
//    3 bits  the number of the phase, modulo 8; its lowest bit is the parity
//
// A state, as `mbarrier.arrive` returns it, is these bits before the arrival.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ASYNC_MBARRIER_H
#define TC_LIB_EMULATOR_ASYNC_MBARRIER_H

#include "llvm/Support/MathExtras.h"

#include <cstdint>

namespace tc::emulator {

struct Mbarrier {
  /// The most arrivals, and bytes, that a phase can wait for.
  static constexpr int64_t maxCount = (1 << 20) - 1;

  int64_t pending = 0;  ///< arrivals that the phase waits for
  int64_t expected = 0; ///< arrivals that each later phase waits for
  int64_t bytes = 0;    ///< that the phase waits for
  unsigned phase = 0;   ///< modulo 8

  static Mbarrier decode(uint64_t word) {
    return {int64_t(word & maxCount), int64_t(word >> 20 & maxCount),
            llvm::SignExtend64<21>(word >> 40), unsigned(word >> 61)};
  }
  uint64_t encode() const {
    return uint64_t(pending) | uint64_t(expected) << 20 |
           (uint64_t(bytes) & 0x1fffff) << 40 | uint64_t(phase) << 61;
  }
  /// Goes on to the next phase if this one waits for nothing more.
  bool advance() {
    if (pending || bytes)
      return false;
    phase = (phase + 1) & 7;
    pending = expected;
    return true;
  }
};

/// What an instruction of a warp does to one object, its lanes together.
struct MbarrierUse {
  enum class Kind : uint8_t {
    Init,
    Expect,     ///< more bytes or arrivals; no phase ends by it
    Arrive,     ///< threads, or bytes
    CopyArrive, ///< once the warp's copies so far have landed
    Wait        ///< until the phase is over, which it was
  };
  Kind kind = Kind::Init;
  uint32_t object = 0; ///< its address in shared memory
  int64_t pending = 0; ///< to be added, as are the next two
  int64_t expected = 0;
  int64_t bytes = 0;
  unsigned phase = 0;  ///< waited for,
  unsigned modulo = 8; ///< of which the instruction knows the rest by this
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_ASYNC_MBARRIER_H
