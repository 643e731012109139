//===- Registers.cpp - Budgets of registers -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// setmaxnreg (PTX ISA, section 9.7.19.5): warpgroups give registers back to
// their block and take others. How many a kernel is launched with is not known
// before ptxas has made code of it: here it is the most that the block may
// have, so what is found too much is too much in any case.
//
//===----------------------------------------------------------------------===//

#include "Async/Async.h"
#include "Runtime/Scheduler.h"

#include "llvm/Support/MathExtras.h"

using llvm::Twine;

namespace tc::emulator {

/// CUDA C++ Programming Guide, technical specifications: of a multiprocessor,
/// and of a thread.
static constexpr uint32_t registersOfBlock = 65536, registersOfThread = 255;
static constexpr uint32_t registerUnit = 8, warpsTogether = 4;

namespace {

/// What the warps of a block have.
struct Budget {
  Budget(Launch &launch, const BlockState &block)
      : state(getAsync(launch, block)) {
    const uint32_t *dim = block.blockDim;
    threads = dim[0] * dim[1] * dim[2];
    warps = llvm::divideCeil(threads, warpSize);
    launched = llvm::alignDown(
        std::min(registersOfBlock / (warps * warpSize), registersOfThread),
        registerUnit);
  }
  uint32_t get(unsigned warp) const {
    uint32_t own = state.warps[warp].registers;
    return own ? own : launched;
  }
  /// Registers that no warp has.
  int64_t countFree() const {
    int64_t all = int64_t(launched) * warps * warpSize;
    for (unsigned warp = 0; warp < warps; ++warp)
      all -= int64_t(get(warp)) * warpSize;
    return all;
  }
  int64_t countMissing(unsigned warp, uint32_t wanted) const {
    return (int64_t(wanted) - get(warp)) * warpSize - countFree();
  }

  AsyncState &state;
  uint32_t threads, warps, launched;
};

} // namespace

/// The warps of a group execute the same of them. False after a fault.
static bool matchRegisters(Step &step, Budget &budget) {
  unsigned index = step.warp.index, group = index / warpsTogether;
  if ((group + 1) * warpsTogether * warpSize > budget.threads)
    return fail(step, llvm::countr_zero(step.active),
                "expected a warpgroup of 128 threads, from a multiple of 128 "
                "on, but the block has " +
                    Twine(budget.threads) + " threads");
  std::vector<uint32_t> &sites = budget.state.budgets[group];
  size_t number = budget.state.warps[index].changes++;
  if (number == sites.size())
    sites.push_back(step.site);
  for (unsigned i = 0; i < warpsTogether; ++i) {
    unsigned warp = group * warpsTogether + i;
    if (step.launch.scheduler->hasEnded(step.warp.block->rank, warp) &&
        budget.state.warps[warp].changes <= number)
      return fail(step, llvm::countr_zero(step.active),
                  "warp " + Twine(warp) +
                      " ends without this instruction, which another warp of "
                      "its warpgroup executed and all four must");
  }
  if (sites[number] == step.site)
    return true;
  return fail(step, llvm::countr_zero(step.active),
              "the warps of a warpgroup execute different setmaxnreg; another "
              "warp executed " +
                  Twine(describeSite(step.launch, sites[number])));
}

bool finishRegisters(Launch &launch, const AsyncState &state, WarpState &warp,
                     uint32_t lanes) {
  if (warp.live & ~lanes)
    return true;
  const auto &sites = state.budgets[warp.index / warpsTogether];
  size_t number = state.warps[warp.index].changes;
  return number == sites.size() ||
         reportFault(warp, llvm::countr_zero(lanes), sites[number],
                     "warp " + Twine(warp.index) +
                         " ends without this instruction, which another warp "
                         "of its warpgroup executed and all four must",
                     FindingClass::Collective);
}

std::string describeRegisters(Launch &launch, const WarpState &warp,
                              uint32_t site) {
  Budget budget(launch, *warp.block);
  uint32_t wanted = launch.plan.sites[site].instruction->operands[0].bits;
  return ("warp " + Twine(warp.index) + " has " +
          Twine(budget.get(warp.index)) + " registers for a thread, wants " +
          Twine(wanted) + ", and " + Twine(budget.countFree()) + " of the " +
          Twine(wanted - budget.get(warp.index)) +
          " * 32 that it needs more are free: the budgets of the warpgroups "
          "exceed the " +
          Twine(budget.launched * budget.warps * warpSize) +
          " registers of the block")
      .str();
}

namespace async {

bool setRegisters(Step &step) {
  Budget budget(step.launch, *step.warp.block);
  AsyncState::Warp &own = budget.state.warps[step.warp.index];
  uint32_t wanted = step.instruction.operands[0].bits;
  uint32_t had = budget.get(step.warp.index);
  bool takes = step.instruction.get("IncDec") == "inc";
  // Threads come again until the registers are there.
  bool isAgain = own.awaited == nullptr && own.waiter == step.site + 1;
  if (!isAgain && !matchRegisters(step, budget))
    return false;
  unsigned lane = llvm::countr_zero(step.active);
  if (!takes && wanted > had)
    return fail(step, lane,
                "expected at most the " + Twine(had) +
                    " registers that the warp has, got " + Twine(wanted) +
                    "; take more with setmaxnreg.inc");
  if (takes && own.registers && wanted < had)
    return fail(step, lane,
                "expected at least the " + Twine(had) +
                    " registers that the warp has, got " + Twine(wanted) +
                    "; give some back with setmaxnreg.dec");
  auto isThere = [&] {
    return budget.countMissing(step.warp.index, wanted) <= 0;
  };
  if (takes && wanted > had && !isThere()) {
    own.awaited = nullptr;
    own.waiter = step.site + 1;
    if (!step.launch.scheduler->await(step, isThere))
      return false;
    if (!step.done)
      return true;
  }
  own.waiter = 0;
  own.registers = wanted;
  if (!takes)
    step.launch.scheduler->wake(step.warp.block->rank, 0, budget.warps);
  step.launch.scheduler->noteProgress();
  return true;
}

} // namespace async

} // namespace tc::emulator
