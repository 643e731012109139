//===- Queue.cpp - Work of streams that has to wait -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns are counted in the strong accesses of a kernel that waits: many when it
// is launched, as most kernels just use many of them; few when it is known to
// wait, as then others are to go on soon.
//
//===----------------------------------------------------------------------===//

#include "State.h"

#include "llvm/ADT/STLExtras.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

static constexpr uint64_t firstTurn = uint64_t(1) << 18;
static constexpr uint64_t laterTurn = uint64_t(1) << 12;

bool Lane::isOrderedWith(const Lane &other) const {
  if (context != other.context || kind == Apart || other.kind == Apart)
    return false;
  if (stream == other.stream)
    return true;
  return (kind == Legacy && other.kind == Blocking) ||
         (kind == Blocking && other.kind == Legacy);
}

std::vector<uint64_t> Queue::getBefore(const Lane &lane) const {
  std::vector<uint64_t> before;
  for (const auto &[ticket, task] : tasks)
    if (task.lane.isOrderedWith(lane))
      before.push_back(ticket);
  return before;
}

std::vector<uint64_t> Queue::getPending() const {
  std::vector<uint64_t> pending;
  for (const auto &[ticket, task] : tasks)
    pending.push_back(ticket);
  return pending;
}

uint64_t Queue::submit(State &state, Lock &lock, const Lane &lane, Work work,
                       const Dependencies &dependencies) {
  Task task{lane, getBefore(lane), std::move(work)};
  // Kernels run one after the other, whatever may overlap.
  for (llvm::ArrayRef<uint64_t> some :
       {dependencies.after, dependencies.launches})
    task.after.insert(task.after.end(), some.begin(), some.end());
  uint64_t ticket = ++tickets;
  state.races.submit(ticket, lane, dependencies);
  bool canBegin = isReady(task);
  tasks.emplace(ticket, std::move(task));
  const Schedule &schedule = state.settings.launch.schedule;
  if (schedule.kind != Schedule::Deterministic) {
    while (nextRandom(schedule) % 2 && runAny(state, lock))
      ;
    return ticket;
  }
  if (canBegin)
    run(state, lock, ticket);
  drive(state, lock);
  return ticket;
}

bool Queue::isReady(const Task &task) const {
  return task.runner == std::thread::id() &&
         llvm::none_of(task.after, [&](uint64_t t) { return isPending(t); });
}

/// True if the task has ended. It stays in its place while it runs: it may let
/// others call the driver.
bool Queue::run(State &state, Lock &lock, uint64_t ticket) {
  Task &task = tasks.find(ticket)->second;
  task.runner = std::this_thread::get_id();
  const Context *context = state.contexts.find(task.lane.context);
  CUresult fault = context ? context->fault : CUDA_ERROR_CONTEXT_IS_DESTROYED;
  bool isFresh = std::exchange(task.isFresh, false);
  uint64_t patience = task.hasBegun ? laterTurn : firstTurn;
  if (!std::exchange(task.hasBegun, true))
    state.races.noteBegin(ticket);
  bool ended =
      task.work({state, lock, fault, patience, isFresh, ticket, task.lane});
  task.runner = std::thread::id();
  if (!ended)
    return false;
  tasks.erase(ticket);
  state.races.noteEnd(ticket);
  for (auto &[other, waiting] : tasks)
    waiting.isFresh = true;
  return true;
}

uint64_t Queue::nextRandom(const Schedule &schedule) {
  if (seed != schedule.seed) {
    seed = schedule.seed;
    random.seed(*seed);
  }
  return random();
}

/// Goes on with any work that is ready; false where there is none.
bool Queue::runAny(State &state, Lock &lock) {
  std::vector<uint64_t> ready;
  for (const auto &[ticket, task] : tasks)
    if (isReady(task))
      ready.push_back(ticket);
  if (ready.empty())
    return false;
  uint64_t chosen = nextRandom(state.settings.launch.schedule) % ready.size();
  run(state, lock, ready[chosen]);
  return true;
}

void Queue::drive(State &state, Lock &lock) {
  if (state.settings.launch.schedule.kind != Schedule::Deterministic) {
    runAny(state, lock);
    return;
  }
  for (bool goesOn = true; goesOn;) {
    goesOn = false;
    for (auto it = tasks.begin(); it != tasks.end();) {
      uint64_t ticket = it->first;
      if (isReady(it->second))
        goesOn |= run(state, lock, ticket);
      it = tasks.upper_bound(ticket);
    }
  }
}

void Queue::wait(State &state, Lock &lock,
                 llvm::function_ref<bool(uint64_t, const Lane &)> isAwaited) {
  while (true) {
    drive(state, lock);
    // A function of the host that waits for its own stream is not held up.
    bool isLeft = llvm::any_of(tasks, [&](const auto &entry) {
      return entry.second.runner != std::this_thread::get_id() &&
             isAwaited(entry.first, entry.second.lane);
    });
    if (!isLeft)
      return;
    lock.unlock();
    if (state.callers)
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    lock.lock();
  }
}
