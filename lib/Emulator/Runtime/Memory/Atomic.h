//===- Atomic.h - Atomics that hosts do not have ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `atom` and `red` on 16-bit floating point, packed or not, and on vectors (PTX
// ISA, sections 9.7.13.6 and 9.7.13.8). Each element is atomic by itself.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_MEMORY_ATOMIC_H
#define TC_LIB_EMULATOR_RUNTIME_MEMORY_ATOMIC_H

namespace tc::emulator {

struct Step;

namespace runtime {

/// add, min or max; the lanes go in their order.
bool atomic(Step &step);

} // namespace runtime
} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_MEMORY_ATOMIC_H
