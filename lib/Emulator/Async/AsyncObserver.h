//===- AsyncObserver.h - Who watches asynchronous work ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the checks learn of copies in flight and of mbarrier objects. Accesses
// themselves come to them through `resolve`, as all do.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ASYNC_ASYNCOBSERVER_H
#define TC_LIB_EMULATOR_ASYNC_ASYNCOBSERVER_H

#include "Runtime/Step.h"

namespace tc::emulator {

class AsyncObserver {
public:
  virtual ~AsyncObserver() = default;

  /// An asynchronous copy of `lane` will write `bytes` at a shared `address`:
  /// nobody may touch them. False after a fault.
  virtual bool issueCopy(Step &step, unsigned lane, uint64_t address,
                         uint32_t bytes) = 0;
  /// The copy issued by `step` counts as a write of `lane`, now: the lane has
  /// waited for it, or an mbarrier tells its end.
  virtual void completeCopy(Step &step, unsigned lane, uint64_t address,
                            uint32_t bytes) = 0;

  /// What `lane` did before is released by an arrival on an mbarrier.
  virtual void arriveAt(Step &step, unsigned lane, uint64_t object) = 0;
  /// The phase of the mbarrier has ended.
  virtual void completePhase(uint64_t object) = 0;
  /// `lane` has seen the last phase end: what its arrivals released is visible
  /// to the lane.
  virtual void awaitPhase(Step &step, unsigned lane, uint64_t object) = 0;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_ASYNC_ASYNCOBSERVER_H
