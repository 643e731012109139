//===- Steps.cpp - What streams and graphs are given to do ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A step as work of the queue.
//
//===----------------------------------------------------------------------===//

#include "Steps.h"

#include "State.h"

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// What a step could not do stays with the context, as a fault of a kernel
/// does. "" for what it could do.
static void keepFault(State &state, CUcontext context, CUresult code,
                      const std::string &what) {
  Context *found = what.empty() ? nullptr : state.contexts.find(context);
  if (!found)
    return;
  found->fault = code;
  found->report = what;
  Finding finding;
  finding.what = FindingClass::OutOfBounds;
  finding.text = what;
  if (code == CUDA_ERROR_ILLEGAL_ADDRESS)
    state.add(std::move(finding));
}

/// A kernel of a graph begins when its turn comes.
static bool runKernel(const Turn &turn, const KernelStep &step, Work &begun,
                      CUcontext context, const Backtrace &callers) {
  if (turn.fault)
    return true;
  if (!begun) {
    llvm::Expected<Work> work =
        beginKernel(turn.state, step,
                    turn.state.races.isProgrammatic(turn.ticket), callers);
    if (!work) {
      keepFault(turn.state, context, CUDA_ERROR_LAUNCH_FAILED,
                llvm::toString(work.takeError()));
      return true;
    }
    begun = std::move(*work);
  }
  return begun(turn);
}

/// What is done in one go, by `run`, which says what stands in the way. `tell`
/// says what was done.
template <typename Run, typename Tell>
static Work makeWhole(CUcontext context, Run run, Tell tell) {
  return [context, run = std::move(run), tell](const Turn &turn) mutable {
    if (turn.fault)
      return true;
    std::string bad = run(turn.state);
    if (bad.empty())
      tell(turn);
    keepFault(turn.state, context, CUDA_ERROR_ILLEGAL_ADDRESS, bad);
    return true;
  };
}

namespace {

struct MakeWork {
  CUcontext context;
  Backtrace callers;

  Work operator()(const KernelStep &step) {
    return [step, begun = Work(), context = context,
            callers = callers](const Turn &turn) mutable {
      return runKernel(turn, step, begun, context, callers);
    };
  }
  Work operator()(const CopyStep &step) {
    return makeWhole(
        context, [=](State &state) { return runCopy(state, step.copy); },
        [=](const Turn &turn) { turn.state.races.tell(turn, step); });
  }
  Work operator()(const FillStep &step) {
    return makeWhole(
        context, [=](State &state) { return runFill(state, step.fill); },
        [=](const Turn &turn) { turn.state.races.tell(turn, step); });
  }
  /// It may call the driver.
  Work operator()(const HostStep &step) {
    return [call = step.call](const Turn &turn) {
      if (turn.fault)
        return true;
      turn.lock.unlock();
      call.fn(call.userData);
      turn.lock.lock();
      return true;
    };
  }
  Work operator()(const RecordStep &step) {
    return [handle = step.event](const Turn &turn) {
      if (Event *event = turn.state.events.find(handle))
        event->time = std::chrono::steady_clock::now();
      return true;
    };
  }
  Work operator()(const AllocateStep &step) {
    return makeWhole(
        context,
        [=, context = context](State &state) {
          return allocateReserved(state, step, context);
        },
        [=](const Turn &turn) {
          turn.state.races.tellAllocated(turn, step.asked.dptr,
                                         step.asked.bytesize);
        });
  }
  Work operator()(const FreeStep &step) {
    return [=, context = context](const Turn &turn) {
      if (turn.fault)
        return true;
      State &state = turn.state;
      auto range = state.ranges.find(step.address);
      if (range != state.ranges.end())
        state.races.tellFreed(turn, step.address, range->second.bytes);
      keepFault(state, context, CUDA_ERROR_ILLEGAL_ADDRESS,
                freeReserved(state, step.address));
      return true;
    };
  }
  Work operator()(const EmptyStep &) { return makeNothing(); }
  Work operator()(const WaitStep &) { return makeNothing(); }
  Work operator()(const GraphStep &) { return makeNothing(); }
  Work operator()(const ConditionalStep &) { return makeNothing(); }

private:
  static Work makeNothing() {
    return [](const Turn &) { return true; };
  }
};

} // namespace

Work driver::makeWork(const Step &step, CUcontext context, Backtrace callers) {
  return std::visit(MakeWork{context, std::move(callers)}, step);
}
