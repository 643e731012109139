//===- Atomic.cpp - Atomics that hosts do not have ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop of compare and exchange on each word.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Memory/Atomic.h"
#include "Runtime/Step.h"
#include "Translate/Lower/Formats.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using llvm::StringRef;

namespace tc::emulator::runtime {

namespace {

enum class Operation { Add, Min, Max };

double apply(Operation operation, double x, double y) {
  if (operation == Operation::Add)
    return x + y;
  if (std::isnan(x) || std::isnan(y))
    return std::isnan(x) ? y : x;
  if (x == y)
    return std::signbit(x) == (operation == Operation::Min) ? x : y;
  return (x < y) == (operation == Operation::Min) ? x : y;
}

/// What a word of `bits` bits holds: one .f32, or 16-bit numbers.
struct Word {
  Operation operation;
  bool isSingle;
  Format format;

  template <typename T>
  T combine(T old, T operand) const {
    if (isSingle)
      return T(
          llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(uint32_t(old)) +
                                   llvm::bit_cast<float>(uint32_t(operand))));
    T result = 0;
    for (unsigned shift = 0; shift < 8 * sizeof(T); shift += 16) {
      double value = apply(operation, decode(old >> shift & 0xffff, format),
                           decode(operand >> shift & 0xffff, format));
      result |= T(encode(value, {format}) << shift);
    }
    return result;
  }
};

template <typename T>
uint64_t update(char *pointer, uint64_t operand, const Word &word) {
  T *at = reinterpret_cast<T *>(pointer);
  T old = __atomic_load_n(at, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(at, &old, word.combine(old, T(operand)),
                                      false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST))
    ;
  return old;
}

} // namespace

bool atomic(Step &step) {
  const ptx::Instruction &in = step.instruction;
  bool hasResult = in.root == "atom";
  unsigned bytes = ptx::getBytes(in.type), count = 1;
  in.get("Vec").drop_front(in.has("Vec")).getAsInteger(10, count);
  bool isBrain = in.type == ptx::Type::BF16 || in.type == ptx::Type::BF16X2;
  StringRef name = in.get("AtomInt");
  Word word{name == "min"   ? Operation::Min
            : name == "max" ? Operation::Max
                            : Operation::Add,
            in.type == ptx::Type::F32, isBrain ? Format::BF16 : Format::F16};
  ptx::Space space = in.has("AtomSpace") ? *ptx::findSpace(in.get("AtomSpace"))
                     : in.has("global")  ? ptx::Space::Global
                                         : ptx::Space::Generic;
  LanePointers pointers;
  if (!resolve(step, step.active, space, step.sources[0], bytes * count,
               AccessKind::Atomic, pointers))
    return false;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!step.isActive(lane))
      continue;
    for (unsigned i = 0; i < count; ++i) {
      char *pointer = pointers[lane] + i * bytes;
      uint64_t operand = step.sources[1 + i][lane];
      uint64_t old = bytes == 2 ? update<uint16_t>(pointer, operand, word)
                                : update<uint32_t>(pointer, operand, word);
      if (hasResult)
        step.results[i][lane] = old;
    }
  }
  return true;
}

} // namespace tc::emulator::runtime
