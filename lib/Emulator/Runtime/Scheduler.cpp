//===- Scheduler.cpp - Threads of one block as fibers ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fibers by Boost.Context. A waiting thread jumps straight to the next one; a
// fault jumps back to the host's stack, and the fibers are simply dropped: a
// translated kernel owns nothing that would need to be destroyed.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Scheduler.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <sys/mman.h>

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;
using llvm::Twine;

namespace tc::emulator {

//===----------------------------------------------------------------------===//
// Stacks
//===----------------------------------------------------------------------===//

StackPool::~StackPool() { clear(); }

void StackPool::clear() {
  if (memory)
    munmap(memory, stacks * stackBytes);
  memory = nullptr;
}

llvm::Error StackPool::reserve(uint64_t count, uint64_t bytes) {
  constexpr uint64_t page = 4096;
  // One page for the guard and one for the stagger.
  bytes = llvm::alignTo(bytes, page) + 2 * page;
  if (memory && count <= stacks && bytes <= stackBytes)
    return llvm::Error::success();
  clear();
  stacks = std::max(count, stacks);
  stackBytes = std::max(bytes, stackBytes);
  void *got = mmap(nullptr, stacks * stackBytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED)
    return llvm::createStringError(std::errc::not_enough_memory,
                                   "cannot map %llu stacks of %llu bytes",
                                   static_cast<unsigned long long>(stacks),
                                   static_cast<unsigned long long>(stackBytes));
  memory = static_cast<char *>(got);
  for (uint64_t i = 0; i < stacks; ++i)
    mprotect(memory + i * stackBytes, page, PROT_NONE);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Running a block
//===----------------------------------------------------------------------===//

Scheduler::Scheduler(Launch &launch, StackPool &stacks)
    : launch(launch), stacks(stacks) {
  const uint32_t *dim = launch.block.blockDim;
  fibers.resize(uint64_t(dim[0]) * dim[1] * dim[2]);
  for (uint32_t i = 0; i < fibers.size(); ++i) {
    ThreadState &thread = fibers[i].thread;
    thread = {&launch.block,
              {i % dim[0], i / dim[0] % dim[1], i / dim[0] / dim[1]},
              i,
              nullptr};
  }
}

void Scheduler::start() {
  live = fibers.size();
  std::fill(std::begin(table), std::end(table), Barrier());
  std::fill(std::begin(liveInWarp), std::end(liveInWarp), 0);
  for (uint32_t i = 0; i < live; ++i) {
    fibers[i].status = Status::Ready;
    fibers[i].context =
        make_fcontext(stacks.top(i), stacks.usableBytes(), &enter);
    ++liveInWarp[i / warpSize];
  }
}

void Scheduler::run() {
  start();
  main.status = Status::Done;
  current = &main;
  resume(fibers[0]);
}

void Scheduler::enter(transfer_t transfer) {
  auto &self = *static_cast<Scheduler *>(transfer.data);
  self.previous->context = transfer.fctx;
  Fiber &fiber = *self.current;
  self.launch.function(&fiber.thread, &self.launch.block);
  self.finish(fiber);
}

void Scheduler::resume(Fiber &fiber) {
  previous = current;
  current = &fiber;
  transfer_t transfer = jump_fcontext(fiber.context, this);
  // Back again; whoever jumped here left its context.
  auto &self = *static_cast<Scheduler *>(transfer.data);
  self.previous->context = transfer.fctx;
}

/// The next thread in order that can run, after the current one.
Scheduler::Fiber *Scheduler::findReady() {
  uint32_t count = fibers.size(), first = current - fibers.data();
  for (uint32_t i = 1; i <= count; ++i) {
    uint32_t index = first + i < count ? first + i : first + i - count;
    if (fibers[index].status == Status::Ready)
      return &fibers[index];
  }
  return nullptr;
}

void Scheduler::yield() {
  Fiber *next = launch.fault.empty() ? findReady() : nullptr;
  if (!next && launch.fault.empty() && live)
    reportDeadlock();
  resume(next ? *next : main);
}

/// A thread has ended. Barriers for all threads no longer wait for it (PTX ISA,
/// section 9.7.12.7).
void Scheduler::finish(Fiber &fiber) {
  uint32_t warp = fiber.thread.linear / warpSize;
  fiber.status = Status::Done;
  --live;
  --liveInWarp[warp];
  for (uint32_t id = 0; id < barriers; ++id)
    if (table[id].arrived && isComplete(table[id]))
      release(id);
  for (uint32_t lane = 0; lane < warpSize; ++lane) {
    uint32_t index = warp * warpSize + lane;
    if (index < fibers.size() && fibers[index].status == Status::InWarp)
      releaseWarp(warp, fibers[index].barrier);
  }
  yield();
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

/// With a count, a warp counts as 32 once all its threads that still run have
/// arrived.
bool Scheduler::isComplete(const Barrier &barrier) const {
  if (!barrier.count)
    return barrier.arrived == live;
  uint32_t counted = 0;
  for (uint32_t warp = 0; warp < maxWarps; ++warp)
    if (barrier.inWarp[warp] && barrier.inWarp[warp] == liveInWarp[warp])
      counted += warpSize;
  return counted >= barrier.count;
}

void Scheduler::release(uint32_t id) {
  table[id] = Barrier();
  for (Fiber &fiber : fibers)
    if (fiber.status == Status::AtBarrier && fiber.barrier == id)
      fiber.status = Status::Ready;
}

/// Faults of the arrival itself. All threads of a warp must come to the same
/// aligned barrier instruction.
bool Scheduler::checkArrival(Fiber &fiber, uint32_t id, uint32_t count,
                             uint32_t site) {
  if (id >= barriers) {
    reportFault(&fiber.thread, site,
                "expected a barrier from 0 to 15, got " + Twine(id));
    return false;
  }
  Barrier &barrier = table[id];
  if (count % warpSize || (barrier.arrived && barrier.count != count)) {
    reportFault(&fiber.thread, site,
                count % warpSize
                    ? "expected a thread count that is a multiple of 32, got " +
                          Twine(count)
                    : "the threads at barrier " + Twine(id) +
                          " disagree on how many it waits for");
    return false;
  }
  uint32_t warp = fiber.thread.linear / warpSize;
  bool isAligned = launch.plan.sites[site].isAligned;
  if (isAligned && barrier.inWarp[warp] && barrier.siteOfWarp[warp] != site) {
    const Site &other = launch.plan.sites[barrier.siteOfWarp[warp]];
    reportFault(&fiber.thread, site,
                "threads of one warp are at different barriers, the other at " +
                    Twine(describeSite(other)));
    return false;
  }
  barrier.siteOfWarp[warp] = site;
  return true;
}

bool Scheduler::waitAtBarrier(ThreadState *thread, uint32_t id, uint32_t count,
                              uint32_t site) {
  Fiber &fiber = fiberOf(thread);
  if (!checkArrival(fiber, id, count, site))
    return false;
  Barrier &barrier = table[id];
  barrier.count = count;
  ++barrier.arrived;
  ++barrier.inWarp[thread->linear / warpSize];
  if (isComplete(barrier)) {
    release(id);
    return true;
  }
  fiber.status = Status::AtBarrier;
  fiber.barrier = id;
  fiber.site = site;
  yield();
  return true;
}

/// Lets the lanes of `mask` go if all of them that still run wait with it.
void Scheduler::releaseWarp(uint32_t warp, uint32_t mask) {
  uint32_t first = warp * warpSize;
  uint32_t end = std::min<uint32_t>(first + warpSize, fibers.size());
  for (uint32_t i = first; i < end; ++i) {
    const Fiber &fiber = fibers[i];
    bool isNamed = mask >> (i - first) & 1;
    bool waits = fiber.status == Status::InWarp && fiber.barrier == mask;
    if (isNamed && !waits && fiber.status != Status::Done)
      return;
  }
  for (uint32_t i = first; i < end; ++i)
    if (mask >> (i - first) & 1 && fibers[i].status == Status::InWarp)
      fibers[i].status = Status::Ready;
}

bool Scheduler::waitInWarp(ThreadState *thread, uint32_t mask, uint32_t site) {
  Fiber &fiber = fiberOf(thread);
  uint32_t lane = thread->linear % warpSize;
  if (!(mask >> lane & 1)) {
    reportFault(thread, site,
                "lane " + Twine(lane) + " is not in its own member mask");
    return false;
  }
  fiber.status = Status::InWarp;
  fiber.barrier = mask;
  fiber.site = site;
  releaseWarp(thread->linear / warpSize, mask);
  if (fiber.status != Status::Ready)
    yield();
  return true;
}

/// No thread can go on: says how many wait where.
void Scheduler::reportDeadlock() {
  std::vector<std::pair<const Fiber *, uint32_t>> groups;
  for (const Fiber &fiber : fibers) {
    if (fiber.status == Status::Done)
      continue;
    auto same = llvm::find_if(
        groups, [&](auto &group) { return group.first->site == fiber.site; });
    if (same == groups.end())
      groups.push_back({&fiber, 1});
    else
      ++same->second;
  }
  std::string text = "deadlock at a barrier: ";
  for (auto [fiber, count] : groups) {
    const uint32_t *index = fiber->thread.index;
    text += (Twine(count) + " threads wait at " +
             describeSite(launch.plan.sites[fiber->site]) + ", the first (" +
             Twine(index[0]) + "," + Twine(index[1]) + "," + Twine(index[2]) +
             "); ")
                .str();
  }
  text += std::to_string(fibers.size() - live) + " have ended";
  launch.fault = describeBlock(launch) + ": " + text;
}

} // namespace tc::emulator

using namespace tc::emulator;

bool tc_emulator_barrier(ThreadState *thread, uint32_t id, uint32_t count,
                         uint32_t site) {
  return getLaunch(thread).scheduler->waitAtBarrier(thread, id, count, site);
}

bool tc_emulator_warp_barrier(ThreadState *thread, uint32_t mask,
                              uint32_t site) {
  return getLaunch(thread).scheduler->waitInWarp(thread, mask, site);
}
