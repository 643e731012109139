//===- Scheduler.cpp - Turns of the warps of a block ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stacks by Boost.Context. What waits jumps straight to the next strand; a
// fault jumps back to the host's stack, and the strands are simply dropped:
// compiled code owns nothing that would need to be destroyed.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Scheduler.h"
#include "Async/Bulk/Bulk.h"
#include "Check/Checker.h"
#include "Check/Undefined.h"
#include "Isa/Isa.h"
#include "Runtime/Memory/WarpAccess.h"

#include "llvm/ADT/Twine.h"

using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;
using llvm::Twine;

namespace tc::emulator {

uint64_t Scheduler::getStackCount(const Launch &launch) {
  const uint32_t *dim = launch.block.blockDim;
  uint64_t threads = uint64_t(dim[0]) * dim[1] * dim[2];
  return launch.countBlocks() *
         (launch.isThreads() ? threads : llvm::divideCeil(threads, warpSize));
}

/// Of a stack, for what kernels call of the runtime.
static constexpr uint64_t kRuntimeStackBytes = 256 * 1024;

llvm::Error Scheduler::take(Launch &launch, const CompiledKernel &code,
                            StackPool &stacks) {
  if (llvm::Error error = stacks.reserve(
          getStackCount(launch), kRuntimeStackBytes + code.getFrameBytes()))
    return error;
  launch.function = code.getFunction();
  return llvm::Error::success();
}

Scheduler::Scheduler(Launch &launch, StackPool &stacks)
    : launch(launch), stacks(stacks), random(launch.options.schedule.seed) {
  const uint32_t *dim = launch.block.blockDim;
  uint32_t threads = dim[0] * dim[1] * dim[2];
  uint32_t warpsOfBlock = llvm::divideCeil(threads, warpSize);
  warps.resize(warpsOfBlock * launch.countBlocks());
  for (uint32_t rank = 0; rank < launch.countBlocks(); ++rank) {
    Team &team = teams.emplace_back();
    team.block = &launch.getBlock(rank);
    team.warps =
        llvm::MutableArrayRef(warps).slice(rank * warpsOfBlock, warpsOfBlock);
  }
  meetings.resize(warps.size());
  isMasked.resize(warps.size());
  isStopIgnored.resize(warps.size());
  uint64_t localOfWarp = launch.plan.localStride() * warpSize;
  local = Mapping(localOfWarp * warps.size());
  uint64_t frame = isThreads() ? 0 : launch.code->getFrameOffsets().back();
  frames = Mapping(frame * warps.size());
  const UndefinedPlan *followed =
      launch.code ? launch.code->getUndefined() : nullptr;
  size_t masks =
      followed ? followed->registers.size() + followed->holeCount : 0;
  undefined.resize(masks * warps.size());
  for (uint32_t i = 0; i < warps.size(); ++i) {
    WarpState &warp = warps[i];
    warp = WarpState();
    warp.index = i % warpsOfBlock;
    warp.rank = i / warpsOfBlock;
    warp.before = warp.rank * warpsOfBlock;
    warp.block = teams[warp.rank].block;
    uint32_t first = warp.index * warpSize;
    uint32_t lanes = std::min(warpSize, threads - first);
    warp.exists = lanes == warpSize ? ~0u : (1u << lanes) - 1;
    for (uint32_t lane = 0; lane < warpSize; ++lane) {
      uint32_t linear = first + lane;
      warp.tid[0][lane] = linear % dim[0];
      warp.tid[1][lane] = linear / dim[0] % dim[1];
      warp.tid[2][lane] = linear / dim[0] / dim[1];
    }
    warp.local = local.get() ? local.get() + i * localOfWarp : nullptr;
    warp.frame = frames.get() ? frames.get() + i * frame : nullptr;
    if (followed) {
      warp.undefined = undefined.data() + i * masks;
      warp.holes = warp.undefined + followed->registers.size();
    }
    if (!isThreads()) {
      strands.push_back({&warp, warp.exists});
      continue;
    }
    for (uint32_t lane = 0; lane < lanes; ++lane)
      strands.push_back({&warp, 1u << lane});
  }
}

//===----------------------------------------------------------------------===//
// Running a block
//===----------------------------------------------------------------------===//

void Scheduler::start() {
  live = strands.size();
  pauses = spins = 0;
  for (Team &team : teams) {
    team.liveWarps = team.warps.size();
    for (; team.occupied; team.occupied &= team.occupied - 1)
      team.table[llvm::countr_zero(team.occupied)] = Barrier();
  }
  for (std::vector<uint32_t> *each : {&cluster.arrived, &cluster.passing,
                                      &cluster.waiting, &cluster.siteOfWarp})
    each->assign(warps.size(), 0);
  cluster.isEmpty = true;
  if (launch.undefined && launch.undefined->isAny())
    llvm::fill(undefined, 0);
  // Zeros, as GPUs' drivers leave it: MLIR's printf reads four bytes of one.
  // Most of a stack is never used.
  if (local.size() < (1 << 20))
    std::fill_n(local.get(), local.size(), 0);
  else
    local.clear();
  for (WarpState &warp : warps) {
    warp.live = warp.exists;
    warp.active = warp.waiting = warp.released = warp.stalled = 0;
    warp.arrived = 0;
    warp.turns = warp.strong = warp.hasUndefined = 0;
    isMasked[warp.getNumber()] = false;
  }
  for (uint64_t i = 0; i < strands.size(); ++i) {
    strands[i].status = Status::Ready;
    strands[i].stores.flush();
    stacks.renew(i);
    strands[i].context =
        make_fcontext(stacks.top(i), stacks.usableBytes(), &enter);
  }
}

/// Strong accesses after which another warp goes on.
static constexpr uint64_t accessesOfTurn = 64;

bool Scheduler::run(uint64_t patience) {
  turns = std::max<uint64_t>(patience / accessesOfTurn, 1);
  Strand *next = std::exchange(asking, nullptr);
  if (!next) {
    start();
    main.status = Status::Done;
    current = &main;
    next = findNext();
  }
  resume(*next);
  while (asking && task) {
    std::exchange(task, nullptr)();
    resume(*std::exchange(asking, nullptr));
  }
  return !asking;
}

/// Runs `work` on the host's own stack: compiling takes more than a strand has.
void Scheduler::runOnHost(std::function<void()> work) {
  task = std::move(work);
  asking = current;
  resume(main);
}

void Scheduler::enter(transfer_t transfer) {
  auto &self = *static_cast<Scheduler *>(transfer.data);
  self.previous->context = transfer.fctx;
  Strand &strand = *self.current;
  self.runStrand(strand);
  self.finish(strand);
}

void Scheduler::runStrand(Strand &strand) {
  WarpState &warp = *strand.warp;
  if (isThreads()) {
    auto *function = reinterpret_cast<ThreadFunction>(launch.function);
    return function(&warp, warp.block, llvm::countr_zero(strand.lanes));
  }
  bool isMaskedOnly =
      launch.options.execution == LaunchOptions::Execution::Masked;
  if (warp.exists == ~0u && !isMaskedOnly) {
    auto *function = reinterpret_cast<WarpFunction>(launch.function);
    return function(&warp, warp.block);
  }
  // Registers that are read before they are written are zero.
  const Flow &flow = launch.code->getFlow();
  llvm::ArrayRef<uint32_t> offsets = launch.code->getFrameOffsets();
  for (unsigned reg : flow.blocks[0].liveIn.set_bits())
    std::memset(warp.frame + offsets[reg], 0, offsets[reg + 1] - offsets[reg]);
  std::fill_n(reinterpret_cast<uint32_t *>(warp.frame), warpSize,
              launch.code->getStart());
  runMasked(warp, warpEnded);
}

void Scheduler::resume(Strand &strand) {
  previous = current;
  current = &strand;
  transfer_t transfer = jump_fcontext(strand.context, this);
  // Back again; whoever jumped here left its context.
  auto &self = *static_cast<Scheduler *>(transfer.data);
  self.previous->context = transfer.fctx;
}

/// A strand that can run: the next in order, or any; one that pauses only if
/// there is no other.
Scheduler::Strand *Scheduler::findNext() {
  uint64_t count = strands.size();
  uint64_t first = current == &main ? 0 : current - strands.data() + 1;
  if (launch.options.schedule.kind != Schedule::Deterministic)
    first = random() % count;
  for (Status status : {Status::Ready, Status::Paused})
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t at = first + i < count ? first + i : first + i - count;
      if (strands[at].status == status)
        return &strands[at];
    }
  return nullptr;
}

bool Scheduler::yield(Status status) {
  // What waits for others has shown them its stores: barriers and instructions
  // that lanes meet for do.
  if (status != Status::Ready)
    current->stores.flush();
  current->status = status;
  pauses = status == Status::Paused ? pauses + 1 : 0;
  Strand *next = nullptr;
  while (!launch.fault) {
    next = findNext();
    if (next && (next->status == Status::Ready || pauses <= mostPauses))
      break;
    // Those that meet go on when nobody else can.
    if (meetAnywhere()) {
      pauses = 0;
      continue;
    }
    if (live)
      reportDeadlock();
    next = nullptr;
    break;
  }
  if (launch.fault)
    next = nullptr;
  if (next == current) {
    current->status = Status::Ready;
    return true;
  }
  resume(next ? *next : main);
  current->status = Status::Ready;
  return !launch.fault;
}

void Scheduler::finish(Strand &strand) {
  if (launch.checker)
    launch.checker->settleWrites();
  --live;
  spins = 0;
  strand.status = Status::Done;
  if (!launch.fault)
    endLanes(*strand.warp, strand.lanes & strand.warp->live);
  yield(Status::Done);
}

/// Barriers for all threads no longer wait for lanes that have ended (PTX ISA,
/// section 9.7.12.7).
void Scheduler::endLanes(WarpState &warp, uint32_t mask) {
  if (!mask)
    return;
  if (!launch.async.empty())
    finishAsync(launch, warp, mask);
  if (launch.bulk)
    bulk::finish(launch, warp, mask);
  if (launch.checker && teams.size() > 1)
    launch.checker->endThreads(warp, mask);
  Team &team = teamOf(warp);
  team.liveWarps -= warp.live && !(warp.live & ~mask);
  warp.live &= ~mask;
  warp.stalled = 0;
  completeBarriers(team);
  if (!team.liveWarps && launch.bulk)
    bulk::endBlock(launch, warp.rank);
  if (!team.liveWarps && teams.size() > 1)
    endBlock(team);
  completeCluster();
}

bool Scheduler::pause(WarpState &warp, unsigned lane, uint32_t site) {
  if (launch.fault)
    return false;
  current->site = site;
  return yield(Status::Paused);
}

/// Waiting in a loop looks like work. A block that makes as many strong
/// accesses as this, while no barrier completes and no thread ends, is taken to
/// wait for ever.
static constexpr uint64_t mostSpins = uint64_t(1) << 27;

bool Scheduler::spin(WarpState &warp, unsigned lane, uint32_t site) {
  warp.strong = 1;
  if (++spins % accessesOfTurn)
    return true;
  current->site = site;
  if (spins > mostSpins)
    return reportFault(
        warp, lane, site,
        "timeout: the block has made 2^27 atomic or volatile "
        "accesses while no thread ended and no barrier completed",
        FindingClass::Deadlock);
  if (--turns)
    return yield(Status::Ready);
  asking = current;
  resume(main);
  return true;
}

/// Others run; they do not see what is kept back.
bool Scheduler::giveWay() {
  uint64_t before = pauses;
  current->stores.hide(random);
  bool mayGoOn = yield(Status::Ready);
  pauses = before;
  if (mayGoOn)
    current->stores.show();
  return mayGoOn;
}

bool Scheduler::preempt(const WarpAccess &access) {
  const ptx::Instruction &in = *launch.plan.sites[access.site].instruction;
  for (llvm::StringRef set : {"StOrder", "AtomOrder", "RedOrder"})
    if (in.get(set) == "release" || in.get(set) == "acq_rel")
      current->stores.flush();
  if (random() % 16 == 0 && !giveWay())
    return false;
  bool isDelayed = launch.options.schedule.kind == Schedule::Adversarial &&
                   access.kind == AccessKind::Write && !access.isStrong;
  bool isShared = access.space == ptx::Space::Shared;
  if (!isDelayed || access.space == ptx::Space::Local)
    return true;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (access.mask >> lane & 1)
      current->stores.add(
          isShared ? current->warp->block->shared +
                         (access.addresses[lane] - sharedStart)
                   : reinterpret_cast<char *>(access.addresses[lane]),
          access.bytes);
  return true;
}

bool Scheduler::takeTurns(uint32_t site) {
  bool isAround = site <= current->load;
  current->load = site;
  if (!isAround)
    return true;
  uint64_t before = pauses;
  bool mayGoOn = yield(Status::Ready);
  pauses = before;
  return mayGoOn;
}

//===----------------------------------------------------------------------===//
// Masked code
//===----------------------------------------------------------------------===//

llvm::Error Scheduler::prepareMasked() {
  llvm::Expected<const CompiledKernel *> code =
      launch.code->getMasked(launch.effort);
  if (!code)
    return code.takeError();
  if (llvm::Error error = maskedStacks->reserve(
          warps.size(), kRuntimeStackBytes + (*code)->getFrameBytes()))
    return error;
  masked = reinterpret_cast<MaskedFunction>((*code)->getFunction());
  return llvm::Error::success();
}

namespace {
struct MaskedCall {
  MaskedFunction function;
  WarpState &warp;
  uint32_t stop;
  bool isBack = false;
};
} // namespace

static void callMasked(transfer_t caller) {
  auto &call = *static_cast<MaskedCall *>(caller.data);
  call.isBack = call.function(&call.warp, call.warp.block, call.stop);
  jump_fcontext(caller.fctx, nullptr);
}

bool Scheduler::runMasked(WarpState &warp, uint32_t stop) {
  if (!masked)
    runOnHost([&] {
      if (llvm::Error error = prepareMasked())
        reportFault(warp, llvm::countr_zero(warp.live), 0,
                    llvm::toString(std::move(error)), FindingClass::Trap);
    });
  if (!masked)
    return false;
  uint32_t number = warp.getNumber();
  isMasked[number] = true;
  isStopIgnored[number] = stop == warpEnded;
  // How much of a stack it needs was not known when the strand began, and can
  // be several times as much as other code: it has stacks of its own.
  MaskedCall call{masked, warp, stop};
  maskedStacks->renew(number);
  jump_fcontext(make_fcontext(maskedStacks->top(number),
                              maskedStacks->usableBytes(), &callMasked),
                &call);
  isMasked[number] = false;
  return call.isBack;
}

uint32_t Scheduler::dispatch(WarpState &warp, uint32_t stop) {
  const auto *positions = reinterpret_cast<const uint32_t *>(warp.frame);
  uint8_t &ignoresStop = isStopIgnored[warp.getNumber()];
  while (!launch.fault && warp.live) {
    uint32_t runnable = warp.live & ~warp.waiting & ~warp.stalled, atStop = 0;
    if (!ignoresStop)
      for (uint32_t lane = 0; lane < warpSize; ++lane)
        atStop |= uint32_t(positions[lane] == stop) << lane;
    atStop &= runnable;
    if (atStop == ~0u)
      return warpJoined;
    // Lanes at the stop wait for the others, unless those cannot come.
    uint32_t candidates = runnable & ~atStop;
    if (!candidates && atStop) {
      ignoresStop = true;
      candidates = atStop;
    }
    if (!candidates) {
      if (!warp.waiting) {
        uint32_t lane = llvm::countr_zero(warp.stalled);
        const Flow &flow = launch.code->getFlow();
        unsigned block = flow.order[positions[lane] & ~collectiveBlock];
        reportMissing(warp, flow.blocks[block].first, warp.stalled, 0);
        break;
      }
      if (!yield(Status::Waiting))
        break;
      warp.stalled = 0;
      continue;
    }
    // The first in the order of the flow; now and then another one, so that
    // lanes that wait for lanes of their own warp do not wait for ever.
    uint32_t chosen = ~0u;
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      if (candidates >> lane & 1)
        chosen = std::min(chosen, positions[lane]);
    uint32_t period = warp.strong ? 4 : 4096;
    if (++warp.turns % period == 0 && !(chosen & collectiveBlock)) {
      uint32_t start = warp.turns / period;
      warp.strong = 0;
      for (uint32_t i = 0; i < warpSize; ++i) {
        uint32_t lane = (start + i) % warpSize;
        if (runnable >> lane & 1 && positions[lane] != chosen &&
            !(positions[lane] & collectiveBlock)) {
          chosen = positions[lane];
          ignoresStop |= atStop >> lane & 1;
          break;
        }
      }
    }
    warp.active = 0;
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      warp.active |= uint32_t(positions[lane] == chosen) << lane;
    warp.active &= runnable;
    return chosen;
  }
  return warpEnded;
}

//===----------------------------------------------------------------------===//
// Deadlock
//===----------------------------------------------------------------------===//

/// No strand can go on: says how many threads wait where.
void Scheduler::reportDeadlock() {
  llvm::SmallVector<std::pair<const Strand *, uint32_t>> groups;
  for (const Strand &strand : strands) {
    if (strand.status == Status::Done)
      continue;
    uint32_t count = llvm::popcount(strand.lanes & strand.warp->live);
    auto same = llvm::find_if(
        groups, [&](auto &group) { return group.first->site == strand.site; });
    if (same == groups.end())
      groups.push_back({&strand, count});
    else
      same->second += count;
  }
  std::string text = "deadlock: ";
  for (auto [strand, count] : groups) {
    uint32_t lane = llvm::countr_zero(strand->lanes & strand->warp->live);
    Dim3 thread =
        getThread(launch.block, strand->warp->index * warpSize + lane);
    text +=
        (Twine(count) + " threads wait at " +
         describeSite(launch, strand->site) + ", the first (" +
         Twine(thread.x) + "," + Twine(thread.y) + "," + Twine(thread.z) + ")")
            .str();
    if (teams.size() > 1)
      text += (" of the block of rank " + Twine(strand->warp->rank)).str();
    std::string wait = describeWait(launch, *strand->warp, strand->site);
    if (!wait.empty())
      text += ", where " + wait;
    text += "; ";
  }
  uint64_t total = 0, ended = 0;
  for (const WarpState &warp : warps) {
    total += llvm::popcount(warp.exists);
    ended += llvm::popcount(warp.exists & ~warp.live);
  }
  text += (Twine(ended) + " of " + Twine(total) + " have ended").str();
  const Strand &first = *groups.front().first;
  reportFault(*first.warp, llvm::countr_zero(first.lanes & first.warp->live),
              first.site, text, FindingClass::Deadlock);
}

} // namespace tc::emulator

// Note [Turns]
// Warps take turns at barriers, where they pause, and, in schedules that are
// not deterministic, before accesses (with StoreBuffer.h, whose buffers belong
// to strands). In order, every run is the same. Lanes of a warp that have
// diverged are chosen by `dispatch`; in the execution by threads they are
// strands. Either way an instruction that brings lanes together runs when no
// other lane of its warp (or, by threads, of the block) can.
