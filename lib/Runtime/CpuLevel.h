//===- CpuLevel.h - What the CPU at hand has --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The levels of x86-64, as its psABI numbers them: x86-64 itself is 1. Packages
// have a version of their CPU code for several of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_CPULEVEL_H
#define TC_LIB_RUNTIME_CPULEVEL_H

#include <string>

namespace tc::runtime {

struct CpuLevel {
  unsigned number = 0; ///< 0: a CPU that has no levels
  std::string error;   ///< what was wrong with TC_CPU; empty: nothing
};

/// "x86-64-v3" for 3, "" for 0.
std::string nameOfLevel(unsigned number);

/// The level that `asked` names, or the highest one, `highest`, where it is
/// null or empty. An error if it names none, or one above `highest`.
CpuLevel chooseLevel(const char *asked, unsigned highest);

/// That of this process: the environment's TC_CPU, and what the CPU and the
/// operating system have.
const CpuLevel &cpuLevel();

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CPULEVEL_H
