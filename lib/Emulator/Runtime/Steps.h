//===- Steps.h - Instructions that the scheduler runs -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of the instruction table name these.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_STEPS_H
#define TC_LIB_EMULATOR_RUNTIME_STEPS_H

#include "Runtime/Step.h"

namespace tc::emulator::runtime {

bool barrier(Step &step);        ///< bar and barrier: sync, arrive, red
bool clusterBarrier(Step &step); ///< barrier.cluster: arrive, wait
bool syncWarp(Step &step);       ///< bar.warp.sync
bool fence(Step &step);
bool proxyFence(Step &step);   ///< fence.proxy.async
bool initFence(Step &step);    ///< fence.mbarrier_init
bool controlGrids(Step &step); ///< griddepcontrol: wait, launch_dependents
bool trap(Step &step);
bool call(Step &step); ///< of a function that has no body in PTX: vprintf, …

} // namespace tc::emulator::runtime

#endif // TC_LIB_EMULATOR_RUNTIME_STEPS_H
