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

  /// From now on `bytes` of shared memory at `destination` are in flight for
  /// the lane that executes `step`: nobody may touch them.
  virtual void issue(Step &step, unsigned lane, const char *destination,
                     uint32_t bytes) = 0;
  /// The lane that issued the copy at `step` has waited for it, or an mbarrier
  /// tells its end: the bytes count as written by that lane, now.
  virtual void complete(Step &step, unsigned lane, const char *destination,
                        uint32_t bytes) = 0;
  /// What `lane` did before is released by an arrival on `object`.
  virtual void release(Step &step, unsigned lane, const char *object) = 0;
  /// `lane` has seen a phase of `object` end: what was released by the arrivals
  /// of that phase is visible to it.
  virtual void acquire(Step &step, unsigned lane, const char *object) = 0;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_ASYNC_ASYNCOBSERVER_H
