//===- Warp.h - Instructions of a whole warp --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that the rows of WarpTable.cpp name. All of them run once for
// the lanes of a warp that came together.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_WARP_WARP_H
#define TC_LIB_EMULATOR_WARP_WARP_H

#include "Runtime/Step.h"

namespace tc::emulator::warp {

// Collectives (Collectives.cpp).
bool shuffle(Step &step);
bool vote(Step &step);
bool match(Step &step);
bool reduce(Step &step);
bool activeMask(Step &step);
bool elect(Step &step);

// Matrices between memory and registers (MatrixMemory.cpp).
bool loadMatrix(Step &step);
bool storeMatrix(Step &step);
bool moveMatrix(Step &step);
bool loadFragment(Step &step);
bool storeFragment(Step &step);

/// d = a * b + c (Multiply.cpp).
bool multiply(Step &step);

/// Instructions with `.aligned` want all lanes of the warp. False after a
/// fault.
bool checkAllLanes(Step &step);

} // namespace tc::emulator::warp

#endif // TC_LIB_EMULATOR_WARP_WARP_H
