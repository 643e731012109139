//===- Meeting.cpp - Where lanes and warps meet ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers of the block, instructions that bring the lanes of a warp together,
// and the call of everything that is run rather than translated.
//
//===----------------------------------------------------------------------===//

#include "Async/Builtins.h"
#include "Check/Checker.h"
#include "Check/Undefined.h"
#include "Count/Counter.h"
#include "Runtime/Scheduler.h"
#include "Runtime/Steps.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using llvm::ArrayRef;
using llvm::MutableArrayRef;
using llvm::Twine;

namespace tc::emulator {

//===----------------------------------------------------------------------===//
// Instructions that are run
//===----------------------------------------------------------------------===//

bool Scheduler::runStep(WarpState &warp, uint32_t site, uint32_t lanes,
                        ArrayRef<Lanes> sources, MutableArrayRef<Lanes> results,
                        uint32_t &done) {
  const ptx::Instruction &in = *launch.plan.sites[site].instruction;
  Step step{launch, warp, in, site, lanes, sources, results};
  // What is not run and yet comes here has failed.
  isa::RunFunction run = in.form->row->run;
  if ((isBarrier(in) && in.get("ClusterOrder") != "relaxed") ||
      run == runtime::fence || run == runtime::proxyFence)
    current->stores.flush();
  bool mayGoOn = run ? run(step) : runtime::trap(step);
  if (run && launch.undefined && launch.undefined->isAny())
    launch.undefined->step(step, run);
  done |= step.done;
  return mayGoOn;
}

int64_t Scheduler::step(WarpState &warp, uint32_t site, uint32_t mask,
                        const uint64_t *sources, uint64_t *results) {
  if (launch.checker)
    launch.checker->settleWrites();
  if (launch.fault)
    return -1;
  const Site &at = launch.plan.sites[site];
  ArrayRef<Lanes> given(reinterpret_cast<const Lanes *>(sources), at.sources);
  MutableArrayRef<Lanes> wanted(reinterpret_cast<Lanes *>(results), at.results);
  if (!isCollective(*at.instruction)) {
    uint32_t done = 0;
    return runStep(warp, site, mask, given, wanted, done) ? int64_t(done) : -1;
  }
  if (!isThreads())
    return meetLanes(warp, site, mask, given, wanted,
                     isMasked[warp.getNumber()]);
  // One thread: it leaves its operands and waits for the others.
  Meeting &meeting = meetings[warp.getNumber()];
  meeting.sources.resize(
      std::max<size_t>(meeting.sources.size(), at.sources * warpSize));
  meeting.results.resize(
      std::max<size_t>(meeting.results.size(), at.results * warpSize));
  unsigned lane = llvm::countr_zero(mask);
  for (unsigned i = 0; i < at.sources; ++i)
    meeting.sources[i * warpSize + lane] = given[i][lane];
  current->site = site;
  if (!yield(Status::Meeting))
    return -1;
  for (unsigned i = 0; i < at.results; ++i)
    wanted[i][lane] = meeting.results[i * warpSize + lane];
  return mask;
}

//===----------------------------------------------------------------------===//
// Lanes of a warp
//===----------------------------------------------------------------------===//

/// The lanes that must come, as lane `lane` says: the member mask where there
/// is one, all lanes where the instruction is for the whole warp.
static uint32_t getMembers(const ptx::Instruction &in, const WarpState &warp,
                           uint32_t lanes, ArrayRef<Lanes> sources,
                           unsigned lane) {
  if (in.root == "bar")
    return sources.front()[lane];
  bool isVote = in.root == "shfl" || in.root == "vote" || in.root == "match" ||
                in.root == "redux" || in.root == "elect";
  if (isVote && in.has("sync"))
    return sources.back()[lane];
  return in.has("aligned") ? warp.live : lanes;
}

bool noteForeignMask(const WarpState &warp, uint32_t site, unsigned lane,
                     uint32_t mask) {
  if (getLaunch(warp).options.checks == Checks::None)
    return true;
  return reportSite(warp, lane, site, FindingClass::Collective, [&] {
    return ("lane " + Twine(lane) + " is not in its own member mask 0x" +
            Twine::utohexstr(mask))
        .str();
  });
}

/// Runs the instruction for every group of lanes that is complete. Gives those
/// lanes; the others wait if they may.
int64_t Scheduler::meetLanes(WarpState &warp, uint32_t site, uint32_t lanes,
                             ArrayRef<Lanes> sources,
                             MutableArrayRef<Lanes> results, bool mayWait) {
  const ptx::Instruction &in = *launch.plan.sites[site].instruction;
  uint32_t done = 0;
  for (uint32_t left = lanes; left;) {
    unsigned lane = llvm::countr_zero(left);
    uint32_t members = getMembers(in, warp, lanes, sources, lane), group = 0;
    for (unsigned other = lane; other < warpSize; ++other)
      if (left >> other & 1 &&
          getMembers(in, warp, lanes, sources, other) == members)
        group |= 1u << other;
    left &= ~group;
    if (!(members >> lane & 1)) {
      if (!noteForeignMask(warp, site, lane, members))
        return -1;
      members = group;
    }
    uint32_t missing = members & warp.live & ~group;
    if (!missing) {
      if (!runStep(warp, site, group, sources, results, done))
        return -1;
    } else if (!mayWait) {
      reportMissing(warp, site, group, missing);
      return -1;
    }
  }
  warp.stalled = done ? 0 : warp.stalled;
  warp.stalled |= mayWait ? lanes & ~done : 0;
  return done;
}

bool Scheduler::reportMissing(WarpState &warp, uint32_t site, uint32_t lanes,
                              uint32_t missing) {
  if (!missing)
    missing = warp.live & ~lanes;
  return reportFault(warp, llvm::countr_zero(lanes), site,
                     "lanes 0x" + Twine::utohexstr(missing) +
                         " have to take part and have not come; lanes 0x" +
                         Twine::utohexstr(lanes) + " wait for them",
                     FindingClass::Collective);
}

/// Execution by threads: lets those go on for whom everybody has come.
bool Scheduler::meetAnywhere() {
  bool any = false;
  if (isThreads())
    for (uint32_t warp = 0; warp < warps.size(); ++warp)
      any |= meetThreads(warp);
  return any && !launch.fault;
}

bool Scheduler::meetThreads(uint32_t index) {
  WarpState &warp = warps[index];
  Meeting &meeting = meetings[index];
  std::map<uint32_t, uint32_t> groups; // lanes by site
  for (const Strand &strand : strands)
    if (strand.warp == &warp && strand.status == Status::Meeting)
      groups[strand.site] |= strand.lanes;
  for (auto [site, lanes] : groups) {
    const Site &at = launch.plan.sites[site];
    ArrayRef<Lanes> sources(
        reinterpret_cast<const Lanes *>(meeting.sources.data()), at.sources);
    std::vector<Lanes> results(at.results);
    int64_t done = meetLanes(warp, site, lanes, sources, results, true);
    warp.stalled = 0;
    if (done < 0)
      return true;
    if (!done)
      continue;
    for (unsigned i = 0; i < at.results; ++i)
      for (unsigned lane = 0; lane < warpSize; ++lane)
        if (done >> lane & 1)
          meeting.results[i * warpSize + lane] = results[i][lane];
    for (Strand &strand : strands)
      if (strand.warp == &warp && strand.lanes & done &&
          strand.status == Status::Meeting)
        strand.status = Status::Ready;
    return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

static bool isReduction(const ptx::Instruction &in) {
  return in.operands.size() > 2 && in.has("red");
}

static unsigned getCount(const Step &step, unsigned lane) {
  return step.sources.size() - isReduction(step.instruction) > 1
             ? unsigned(step.sources[1][lane])
             : 0;
}

/// Faults of the arrival itself. All threads of a warp must come to the same
/// aligned barrier instruction.
bool Scheduler::checkArrival(Step &step, unsigned id, unsigned count,
                             unsigned lane) {
  if (id >= barriers)
    return fail(step, lane, "expected a barrier from 0 to 15, got " + Twine(id),
                FindingClass::Barrier);
  if (count % warpSize)
    return fail(step, lane,
                "expected a thread count that is a multiple of 32, got " +
                    Twine(count),
                FindingClass::Barrier);
  const Team &team = teamOf(step.warp);
  const Barrier &barrier = team.table[id];
  if ((team.occupied >> id & 1) && barrier.count != count)
    return fail(step, lane,
                "the threads at barrier " + Twine(id) +
                    " disagree on how many it waits for",
                FindingClass::Barrier);
  uint32_t warp = step.warp.index;
  if (launch.plan.sites[step.site].isAligned && barrier.arrived[warp] &&
      barrier.siteOfWarp[warp] != step.site)
    return fail(step, lane,
                "threads of one warp are at different barriers, the other at " +
                    Twine(describeSite(launch, barrier.siteOfWarp[warp])),
                FindingClass::Barrier);
  return true;
}

void Scheduler::tellBarrier(Team &team, unsigned id) {
  const Barrier &barrier = team.table[id];
  bool isWhole =
      teams.size() == 1 && !barrier.count &&
      llvm::all_of(team.warps, [&](const WarpState &warp) {
        return (barrier.waiting[warp.index] & warp.live) == warp.live;
      });
  if (isWhole) {
    launch.checker->meetBlock();
    if (launch.undefined)
      launch.undefined->flush();
    return;
  }
  std::vector<uint32_t> threads;
  for (const WarpState &warp : team.warps)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (barrier.waiting[warp.index] >> lane & 1)
        threads.push_back(warp.getFirstThread() + lane);
  launch.checker->meet(threads, team.block->rank * barriers + id);
}

bool Scheduler::release(Team &team, unsigned id) {
  if (launch.checker)
    tellBarrier(team, id);
  if (launch.counter)
    launch.counter->endStep(team.block->rank);
  Barrier &barrier = team.table[id];
  for (WarpState &warp : team.warps) {
    uint32_t lanes = barrier.waiting[warp.index];
    warp.waiting &= ~lanes;
    warp.released |= lanes;
    team.holds[warp.index] = barrier.holds;
    team.arrivals[warp.index] = barrier.arrivals;
  }
  for (Strand &strand : strands)
    if (strand.status == Status::Waiting &&
        strand.warp->rank == team.block->rank &&
        strand.lanes & barrier.waiting[strand.warp->index])
      strand.status = Status::Ready;
  barrier = Barrier();
  team.occupied &= ~(1u << id);
  pauses = spins = 0;
  return !launch.fault;
}

/// Lanes have ended: fewer arrivals are enough.
bool Scheduler::completeBarriers(Team &team) {
  for (uint32_t left = team.occupied; left; left &= left - 1) {
    unsigned id = llvm::countr_zero(left);
    Barrier &barrier = team.table[id];
    barrier.whole = llvm::count_if(team.warps, [&](const WarpState &warp) {
      uint32_t arrived = barrier.arrived[warp.index];
      return (barrier.count ? arrived : warp.live) &&
             (arrived & warp.live) == warp.live;
    });
    if (isComplete(team, barrier) && !release(team, id))
      return false;
  }
  return true;
}

bool Scheduler::arrive(Step &step, uint32_t lanes) {
  const ptx::Instruction &in = step.instruction;
  unsigned lane = llvm::countr_zero(lanes), warp = step.warp.index;
  unsigned id = step.sources[0][lane], count = getCount(step, lane);
  if (!checkArrival(step, id, count, lane))
    return false;
  bool isFixed = in.operands.front().kind == ptx::Operand::Kind::Immediate &&
                 step.sources.size() == 1;
  for (unsigned other = lane; !isFixed && other < warpSize; ++other)
    if (lanes >> other & 1 &&
        (step.sources[0][other] != id || getCount(step, other) != count))
      return fail(step, other, "the lanes of a warp name different barriers",
                  FindingClass::Barrier);
  Team &team = teamOf(step.warp);
  Barrier &barrier = team.table[id];
  barrier.count = count;
  barrier.siteOfWarp[warp] = step.site;
  team.occupied |= 1u << id;
  // With a count, a warp counts as 32 once all its live lanes have arrived.
  uint32_t live = step.warp.live, &arrived = barrier.arrived[warp];
  bool wasWhole = (arrived & live) == live;
  arrived |= lanes;
  barrier.whole += !wasWhole && (arrived & live) == live;
  for (unsigned other = 0; isReduction(in) && other < warpSize; ++other)
    if (lanes >> other & 1) {
      ++barrier.arrivals;
      barrier.holds += step.sources.back()[other] != 0;
    }
  if (in.has("arrive")) {
    if (launch.checker)
      launch.checker->arrive(step.warp, lanes, step.warp.rank * barriers + id);
  } else {
    barrier.waiting[warp] |= lanes;
    step.warp.waiting |= lanes;
  }
  current->site = step.site;
  return !isComplete(team, barrier) || release(team, id);
}

//===----------------------------------------------------------------------===//
// Waiting for others
//===----------------------------------------------------------------------===//

bool Scheduler::await(Step &step, llvm::function_ref<bool()> isOver) {
  while (!isOver()) {
    if (isThreads()) {
      step.done = 0;
      return true;
    }
    current->site = step.site;
    if (!yield(Status::Waiting))
      return false;
  }
  return true;
}

void Scheduler::wake(uint32_t rank, uint32_t firstWarp, uint32_t count) {
  for (Strand &strand : strands)
    if (strand.status == Status::Waiting && strand.warp->rank == rank &&
        strand.warp->index - firstWarp < count)
      strand.status = Status::Ready;
}

bool Scheduler::meetBlock(Step &step) {
  WarpState &warp = step.warp;
  uint32_t arriving = step.active & ~warp.released;
  if (arriving && !arrive(step, arriving))
    return false;
  if (step.instruction.has("arrive"))
    return true;
  // In masked code the other lanes of the warp run while these wait.
  while (!isMasked[warp.getNumber()] &&
         (warp.released & step.active) != step.active) {
    current->site = step.site;
    if (!yield(Status::Waiting))
      return false;
  }
  step.done = warp.released & step.active;
  warp.released &= ~step.done;
  if (!isReduction(step.instruction) || step.results.empty())
    return true;
  const Team &team = teamOf(warp);
  uint32_t held = team.holds[warp.index], all = team.arrivals[warp.index];
  uint64_t value = step.instruction.has("popc")                 ? held
                   : step.instruction.get("BarrierOp") == "and" ? held == all
                                                                : held != 0;
  step.results[0].fill(value);
  return true;
}

} // namespace tc::emulator

//===----------------------------------------------------------------------===//
// What compiled code and instructions ask for
//===----------------------------------------------------------------------===//

using namespace tc::emulator;

namespace tc::emulator {

bool pause(Step &step) {
  return step.launch.scheduler->pause(step.warp, llvm::countr_zero(step.active),
                                      step.site);
}

namespace runtime {

bool barrier(Step &step) { return step.launch.scheduler->meetBlock(step); }

bool clusterBarrier(Step &step) {
  return step.launch.scheduler->meetCluster(step);
}

bool syncWarp(Step &step) {
  if (step.launch.checker)
    step.launch.checker->meetWarp(step.warp, step.active);
  return true;
}

bool fence(Step &step) {
  if (step.launch.checker)
    step.launch.checker->fence(step.warp, step.active, step.site);
  return true;
}

bool proxyFence(Step &step) {
  llvm::StringRef space = step.instruction.get("AsyncSpace");
  if (step.launch.checker)
    step.launch.checker->fenceProxy(step.warp, step.active, space != "global",
                                    space.empty() || space == "global");
  return true;
}

bool initFence(Step &step) {
  if (step.launch.checker)
    step.launch.checker->fenceInits(step.warp, step.active);
  return true;
}

bool controlGrids(Step &step) {
  if (Checker *checker = step.launch.checker)
    step.instruction.has("wait")
        ? checker->waitForGrids(step.warp, step.active)
        : checker->launchDependents(step.warp, step.active);
  return true;
}

/// Why a call that is a branch has nowhere to go.
static std::string explainCall(const Step &step, uint64_t address) {
  const ptx::Instruction &in = step.instruction;
  if (in.branch == ptx::Instruction::Branch::Stack)
    return ("stack overflow: calls of '" + in.callees.front()->name +
            "' take more than the " + llvm::Twine(FlatBody::stackBytes) +
            " bytes that a thread has for them")
        .str();
  if (!address)
    return "call through a null pointer";
  for (const ptx::Function &function : step.launch.ptx.functions)
    if (function.getAddress() == address)
      return ("call through a pointer to '" + function.name +
              (function.hasBody ? "', which takes or returns other than the "
                                  "call says"
                                : "', which is defined in no module"))
          .str();
  return "call to address 0x" + llvm::utohexstr(address, true) +
         ", which is no function's";
}

bool trap(Step &step) {
  unsigned lane = llvm::countr_zero(step.active);
  if (step.instruction.root == "call")
    return fail(step, lane, explainCall(step, step.sources[0][lane]),
                FindingClass::Trap);
  bool isTable = step.instruction.root == "brx";
  return fail(step, lane,
              isTable ? Twine("the index is beyond the table of branch targets")
                      : "the kernel executed '" + step.instruction.root + "'",
              FindingClass::Trap);
}

bool call(Step &step) {
  const Builtin *builtin = findBuiltin(step.instruction.callee);
  return builtin->run(step);
}

} // namespace runtime
} // namespace tc::emulator

int64_t tc_emulator_step(WarpState *warp, uint32_t site, uint32_t mask,
                         const uint64_t *sources, uint64_t *results) {
  return getLaunch(*warp).scheduler->step(*warp, site, mask, sources, results);
}

bool tc_emulator_pause(WarpState *warp, uint32_t site, uint32_t mask) {
  return getLaunch(*warp).scheduler->spin(*warp, llvm::countr_zero(mask), site);
}

void tc_emulator_end(WarpState *warp, uint32_t mask) {
  getLaunch(*warp).scheduler->endLanes(*warp, mask);
}

uint32_t tc_emulator_dispatch(WarpState *warp, uint32_t stop) {
  return getLaunch(*warp).scheduler->dispatch(*warp, stop);
}

bool tc_emulator_masked(WarpState *warp, uint32_t stop) {
  return getLaunch(*warp).scheduler->runMasked(*warp, stop);
}
