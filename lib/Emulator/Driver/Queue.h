//===- Queue.h - Work of streams that has to wait ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work of a stream is done when its call returns, unless it has to wait: for
// work before it, or, inside a kernel, for what another kernel or the host
// does. Then it stays here, and later calls go on with it, in turns, on the
// thread that makes them. With another schedule than the deterministic one, any
// work may stay here, and whatever is ready goes on, by the seed: what nothing
// orders happens in any order.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_QUEUE_H
#define TC_LIB_EMULATOR_DRIVER_QUEUE_H

#include "tc-runtime/driver_api.h"
#include "tc/Emulator/Emulator.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/FunctionExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

namespace tc::emulator::driver {

using namespace tc::runtime;

struct State;

/// A stream as far as order goes (CUDA Driver API, stream synchronization
/// behavior): work of the legacy default stream and of a stream that blocks, of
/// one context, is ordered as if both were one stream.
struct Lane {
  /// A node of a graph is apart: only tickets order it.
  enum Kind { Legacy, Blocking, NonBlocking, Apart };
  uintptr_t stream = 0; ///< of a node, where its graph was launched
  Kind kind = Legacy;
  CUcontext context = nullptr;
  uint64_t graph = 0; ///< of a node: the launch of its graph

  bool isOrderedWith(const Lane &other) const;
};

/// One go at a piece of work.
struct Turn {
  State &state;
  std::unique_lock<std::mutex> &lock; ///< of the state; held
  CUresult fault;    ///< of the context: the work is to end undone
  uint64_t patience; ///< RunningLaunch::run
  bool isFresh;      ///< something has happened since the last turn
  uint64_t ticket;   ///< of the work
  const Lane &lane;
};

/// What work comes after beyond its lane, by ticket.
struct Dependencies {
  llvm::ArrayRef<uint64_t> after = {};
  /// Of a kernel's launch: earlier launches that need not end before it begins.
  llvm::ArrayRef<uint64_t> launches = {};
  /// Those of them whose blocks need only have begun, not triggered.
  llvm::ArrayRef<uint64_t> begun = {};
  /// What the next work of its lane may do so with, and what it leaves as is.
  enum Kind { Launch, Record, Other } kind = Other;
};

/// True once it is done.
using Work = llvm::unique_function<bool(const Turn &)>;

class Queue {
public:
  using Lock = std::unique_lock<std::mutex>;

  /// Does the work, or as much of it as can be done now. Returns its ticket.
  uint64_t submit(State &state, Lock &lock, const Lane &lane, Work work,
                  const Dependencies &dependencies = {});
  /// Goes on with everything, until nothing ends any more; by a seed, with one
  /// piece of work.
  void drive(State &state, Lock &lock);
  /// Returns once no work that `isAwaited` is left. Work that waits for ever
  /// ends as a deadlock. Others may call the driver meanwhile.
  void wait(State &state, Lock &lock,
            llvm::function_ref<bool(uint64_t, const Lane &)> isAwaited);
  bool isPending(uint64_t ticket) const { return tasks.count(ticket) != 0; }
  bool isEmpty() const { return tasks.empty(); }
  std::vector<uint64_t> getPending() const;
  /// What a stream that is given work now would have to wait for.
  std::vector<uint64_t> getBefore(const Lane &lane) const;

private:
  struct Task {
    Lane lane;
    std::vector<uint64_t> after; ///< tickets
    Work work;
    bool isFresh = false;
    bool hasBegun = false;
    std::thread::id runner = {}; ///< who runs it at the moment
  };
  bool isReady(const Task &task) const;
  bool run(State &state, Lock &lock, uint64_t ticket);
  bool runAny(State &state, Lock &lock);
  uint64_t nextRandom(const Schedule &schedule);

  std::map<uint64_t, Task> tasks; ///< that have not ended, by ticket
  uint64_t tickets = 0;           ///< given out
  std::mt19937_64 random;
  std::optional<uint64_t> seed; ///< of `random`
};

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_QUEUE_H
