//===- Multiprocessor.cpp - One multiprocessor, event by event ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Time/Multiprocessor.h"

#include "llvm/ADT/STLExtras.h"

namespace tc::emulator {

// Estimates, in cycles: between the first blocks; from a branch to the
// instruction behind it.
static constexpr double kStagger = 20;
static constexpr double kBranch = 5;
/// From where a memory instruction leaves its queue until its registers may be
/// written: some 9 cycles after its issue on an idle machine (Huerta et al.,
/// arXiv:2503.20481, latencies of memory instructions).
static constexpr double kRead = 5;
/// Instructions between two entries of the progress.
static constexpr uint64_t kProgress = 1 << 14;

Multiprocessor::Multiprocessor(const MultiprocessorSetup &setup)
    : setup(setup), memory(setup.machine, setup.rates),
      interval(double(setup.machine.partitionsPerSm) /
               double(setup.machine.issuedPerCycle)),
      blocks(setup.resident), partitions(setup.machine.partitionsPerSm),
      losses(setup.lines) {}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// When a block that could start at `earliest` does: the other multiprocessors
/// have their blocks started in between.
double Multiprocessor::getStart(double earliest) {
  const mlir::tc::Machine &machine = setup.machine;
  double start = std::max(earliest, nextStart);
  nextStart = start + machine.cyclesPerStart * double(machine.smCount);
  return start;
}

/// All blocks have as many warps.
void Multiprocessor::begin(unsigned number, const BlockWork &work, double at) {
  if (warps.empty()) {
    warps.resize(work.size() * blocks.size());
    ready.resize(warps.size() * setup.registers);
    readyWhy.resize(ready.size());
    read.resize(ready.size());
    for (unsigned i = 0; i < warps.size(); ++i) {
      warps[i].partition = i % partitions.size();
      partitions[warps[i].partition].warps.push_back(i);
    }
  }
  ResidentBlock &block = blocks[number];
  block.warps = work.size();
  block.meetings.clear();
  block.mbarriers.assign(setup.mbarriers, {});
  ++live;
  for (unsigned i = 0; i < work.size(); ++i) {
    unsigned slot = number * work.size() + i;
    unsigned partition = warps[slot].partition;
    Warp &warp = warps[slot] = Warp();
    warp.work = &work[i];
    warp.block = number;
    warp.partition = partition;
    warp.ready = warp.issued = at;
    warp.isWaiting = false;
    auto first = ready.begin() + size_t(slot) * setup.registers;
    std::fill_n(first, setup.registers, 0.0);
    std::fill_n(read.begin() + size_t(slot) * setup.registers, setup.registers,
                0.0);
  }
}

void Multiprocessor::end(unsigned number, const NextBlock &next) {
  Warp &warp = warps[number];
  warp.isWaiting = true;
  partitions[warp.partition].isKnown = false;
  ResidentBlock &block = blocks[warp.block];
  if (--block.warps) {
    checkMeetings(block);
    return;
  }
  ends.push_back(now);
  --live;
  unsigned at = warp.block;
  if (const BlockWork *work = next()) {
    begin(at, *work, getStart(now + setup.machine.latencies.block));
    for (unsigned i = 0; i < work->size(); ++i) {
      unsigned slot = at * work->size() + i;
      partitions[warps[slot].partition].isKnown = false;
      if (!prepare(warps[slot], slot))
        end(slot, next);
    }
  }
}

//===----------------------------------------------------------------------===//
// What a warp waits for
//===----------------------------------------------------------------------===//

/// Carries out what takes no instruction. False: the warp has ended.
bool Multiprocessor::fold(Warp &warp, unsigned number) {
  for (;;) {
    if (warp.segment == warp.work->size())
      return false;
    const Segment &segment = getSegment(warp);
    if (warp.op == segment.body->ops.size()) {
      ++warp.segment;
      warp.op = warp.demand = 0;
      continue;
    }
    const MachineOp &op = segment.body->ops[warp.op];
    if (op.kind != OpKind::Folded)
      return true;
    const uint32_t *regs = &segment.body->registers[op.firstRegister];
    double latest = 0;
    Loss why = Loss::Result;
    for (unsigned i = 0; i < op.readCount; ++i)
      if (double at = readyAt(number, regs[i]); at > latest) {
        latest = at;
        why = readyWhy[size_t(number) * setup.registers + regs[i]];
      }
    for (unsigned i = 0; i < op.writeCount; ++i) {
      uint32_t reg = regs[op.readCount + i];
      readyAt(number, reg) = latest;
      readyWhy[size_t(number) * setup.registers + reg] = why;
    }
    ++warp.op;
  }
}

/// Until as many groups, of copies or products, as the op says are under way.
void Multiprocessor::await(Warp &warp, const MachineOp &op,
                           llvm::SmallVectorImpl<double> &groups, Loss why) {
  size_t landed = groups.size() - std::min<size_t>(op.groups, groups.size());
  for (size_t i = 0; i < landed; ++i)
    if (groups[i] > warp.ready) {
      warp.ready = groups[i];
      warp.why = why;
      warp.whyLine = op.line;
    }
  groups.erase(groups.begin(), groups.begin() + landed);
}

/// Finds when the next instruction of the warp can issue at the earliest.
/// False: it has ended.
bool Multiprocessor::prepare(Warp &warp, unsigned number) {
  if (!fold(warp, number))
    return false;
  const Segment &segment = getSegment(warp);
  const MachineOp &op = segment.body->ops[warp.op];
  const uint32_t *regs = &segment.body->registers[op.firstRegister];
  const double *own = &ready[size_t(number) * setup.registers];
  for (unsigned i = 0, count = op.readCount + op.writeCount; i < count; ++i)
    if (own[regs[i]] > warp.ready) {
      warp.ready = own[regs[i]];
      warp.why = readyWhy[size_t(number) * setup.registers + regs[i]];
      warp.whyLine = op.line;
    }
  const double *ownRead = &read[size_t(number) * setup.registers];
  for (unsigned i = op.readCount; i < op.readCount + op.writeCount; ++i)
    if (ownRead[regs[i]] > warp.ready) {
      warp.ready = ownRead[regs[i]];
      warp.why = Loss::Result;
      warp.whyLine = op.line;
    }
  if (op.kind == OpKind::Await)
    await(warp, op, warp.groups, Loss::Global);
  if (op.kind == OpKind::AwaitProducts)
    await(warp, op, warp.groupsOfProducts, Loss::Pipe);
  return true;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

/// The warp that can issue first; of several the one that issued last.
void Multiprocessor::choose(Partition &partition) {
  partition.isKnown = true;
  partition.at = kNever;
  for (unsigned number : partition.warps) {
    const Warp &warp = warps[number];
    if (warp.isWaiting)
      continue;
    const MachineOp &op = getOp(warp);
    double at = warp.ready;
    Loss why = Loss::Issue;
    auto wait = [&](double until, Loss reason) {
      if (until > at) {
        at = until;
        why = reason;
      }
    };
    wait(partition.free, Loss::Others);
    wait(partition.pipes[op.pipe], Loss::Pipe);
    if (op.pipe == kMemoryPipe)
      wait(partition.queue[partition.head], Loss::Queue);
    if (at < partition.at || (at == partition.at && number == partition.last)) {
      partition.at = at;
      partition.warp = number;
      partition.why = why;
    }
  }
}

/// Notes where the cycles since the last instruction went.
void Multiprocessor::lose(Warp &warp, const Partition &partition,
                          unsigned line) {
  double free = warp.issued + interval;
  if (warp.ready > free)
    losses[warp.whyLine ? warp.whyLine : line][unsigned(warp.why)] +=
        warp.ready - free;
  double from = std::max(warp.ready, free);
  if (partition.at > from)
    losses[line][unsigned(partition.why)] += partition.at - from;
  losses[line][unsigned(Loss::Issue)] += interval;
}

MemorySystem::Answer Multiprocessor::access(Partition &partition, Warp &warp,
                                            const MachineOp &op) {
  const MemoryDemand &demand = getSegment(warp).demands[warp.demand++];
  if (demand.kind == MemoryDemand::Kind::None)
    return {now, now + op.latency};
  MemorySystem::Answer answer = memory.ask(demand, now);
  partition.queue[partition.head] = answer.begin;
  partition.head = (partition.head + 1) % std::size(partition.queue);
  answer.done = std::max(answer.done, now + interval);
  return answer;
}

void Multiprocessor::arrive(Warp &warp, unsigned number, const MachineOp &op) {
  ResidentBlock &block = blocks[warp.block];
  if (op.barrier >= block.meetings.size())
    block.meetings.resize(op.barrier + 1);
  Meeting &meeting = block.meetings[op.barrier];
  meeting.expected = (op.threads + 31) / 32;
  ++meeting.arrived;
  if (op.kind == OpKind::Barrier) {
    warp.isWaiting = true;
    meeting.line = op.line;
    meeting.waiting.push_back(number);
  }
}

void Multiprocessor::release(Warp &warp, double at, unsigned line) {
  warp.isWaiting = false;
  partitions[warp.partition].isKnown = false;
  if (at <= warp.ready)
    return;
  warp.ready = at;
  warp.why = Loss::Barrier;
  warp.whyLine = line;
}

/// Lets the warps go that wait for nobody any more.
void Multiprocessor::checkMeetings(ResidentBlock &block) {
  for (Meeting &meeting : block.meetings) {
    unsigned expected = meeting.expected ? meeting.expected : block.warps;
    if (!meeting.arrived || meeting.arrived < expected)
      continue;
    meeting.arrived = 0;
    llvm::SmallVector<unsigned, 8> waiting;
    waiting.swap(meeting.waiting);
    for (unsigned number : waiting) {
      release(warps[number], now + setup.machine.latencies.barrier,
              meeting.line);
    }
  }
}

/// Returns when the result of the instruction is there.
double Multiprocessor::useMbarriers(unsigned number, const MachineOp &op,
                                    const MemoryDemand &demand, double done) {
  Warp &warp = warps[number];
  llvm::ArrayRef<MbarrierUse> uses = getSegment(warp).uses;
  for (const MbarrierUse &use : uses.slice(demand.firstUse, demand.uses)) {
    MbarrierClock &mbarrier = blocks[warp.block].mbarriers[use.object];
    if (use.kind != MbarrierUse::Kind::Wait) {
      bool waits = use.kind == MbarrierUse::Kind::CopyArrive;
      mbarrier.apply(use, waits ? std::max(done, warp.allCopies) : done);
      for (const MbarrierClock::Waiting &waiting : mbarrier.takeReleased())
        if (--warps[waiting.warp].phases == 0)
          release(warps[waiting.warp], mbarrier.getEnd(), waiting.line);
    } else if (mbarrier.isOver(use)) {
      done = std::max(done, mbarrier.getEnd());
    } else {
      mbarrier.wait({number, op.line, use});
      ++warp.phases;
      warp.isWaiting = true;
    }
  }
  return done;
}

/// A product joins those that the partition's tensor unit has to do; the warp
/// goes on. One warp of the four brings what all read from shared memory.
void Multiprocessor::multiply(Partition &partition, Warp &warp,
                              const MachineOp &op) {
  double &pipe = partition.pipes[kTensorPipe];
  pipe = std::max(pipe, now) + double(op.pipeCycles);
  double done = pipe + double(op.latency);
  const MemoryDemand &demand = getSegment(warp).demands[warp.demand++];
  if (demand.kind != MemoryDemand::Kind::None)
    done = std::max(done, memory.ask(demand, now).done);
  warp.products = std::max(warp.products, done);
}

void Multiprocessor::issue(Partition &partition, const NextBlock &next) {
  unsigned number = partition.warp;
  Warp &warp = warps[number];
  const Segment &segment = getSegment(warp);
  const MachineOp &op = segment.body->ops[warp.op];
  now = partition.at;
  lose(warp, partition, op.line);
  partition.free = now + interval;
  partition.pipes[op.pipe] =
      op.pipe == kNoPipe ? 0 : now + std::max(double(op.pipeCycles), interval);
  partition.last = number;
  partition.isKnown = false;
  warp.issued = now;
  warp.ready = now + interval;
  warp.why = Loss::Others;
  warp.whyLine = 0;
  double done = now + op.latency, readDone = now + op.readCycles;
  Loss why = Loss::Result;
  switch (op.kind) {
  case OpKind::Load:
  case OpKind::Store:
  case OpKind::Atomic:
  case OpKind::Exchange: {
    MemoryDemand::Kind kind = segment.demands[warp.demand].kind;
    MemorySystem::Answer answer = access(partition, warp, op);
    done = answer.done;
    readDone = answer.begin + kRead;
    bool isFar = kind != MemoryDemand::Kind::Shared &&
                 kind != MemoryDemand::Kind::Constant;
    why = isFar ? Loss::Global : Loss::Shared;
    break;
  }
  case OpKind::Copy: {
    MemorySystem::Answer answer = access(partition, warp, op);
    warp.copies = std::max(warp.copies, answer.done);
    warp.allCopies = std::max(warp.allCopies, answer.done);
    readDone = answer.begin + kRead;
    break;
  }
  case OpKind::Mbarrier: {
    const MemoryDemand &demand = segment.demands[warp.demand];
    MemorySystem::Answer answer = access(partition, warp, op);
    readDone = answer.begin + kRead;
    done = useMbarriers(number, op, demand, answer.done);
    why = Loss::Barrier;
    break;
  }
  case OpKind::Commit:
    warp.groups.push_back(warp.copies);
    warp.copies = 0;
    break;
  case OpKind::Product:
    multiply(partition, warp, op);
    break;
  case OpKind::CommitProducts:
    warp.groupsOfProducts.push_back(warp.products);
    warp.products = 0;
    break;
  case OpKind::Branch:
    warp.ready = now + kBranch;
    warp.why = Loss::Branch;
    break;
  case OpKind::Barrier:
  case OpKind::Arrive:
    arrive(warp, number, op);
    break;
  default:
    break;
  }
  const uint32_t *regs = &segment.body->registers[op.firstRegister];
  if (readDone > now)
    for (unsigned i = 0; i < op.readCount; ++i)
      read[size_t(number) * setup.registers + regs[i]] = readDone;
  for (unsigned i = 0; i < op.writeCount; ++i) {
    size_t at = size_t(number) * setup.registers + regs[op.readCount + i];
    ready[at] = done;
    readyWhy[at] = why;
  }
  ++warp.op;
  ++instructions;
  if (op.kind == OpKind::Barrier || op.kind == OpKind::Arrive)
    checkMeetings(blocks[warp.block]);
  // What comes next is found while it waits at a barrier, too.
  if (!prepare(warp, number))
    end(number, next);
}

bool Multiprocessor::run(const NextBlock &next, uint64_t most) {
  for (unsigned number = 0; number < blocks.size(); ++number)
    if (const BlockWork *work = next())
      begin(number, *work, getStart(number * kStagger));
  for (unsigned number = 0; number < warps.size(); ++number)
    if (!warps[number].isWaiting && !prepare(warps[number], number))
      end(number, next);
  while (live && instructions < most) {
    Partition *first = nullptr;
    for (Partition &partition : partitions) {
      if (!partition.isKnown)
        choose(partition);
      if (!first || partition.at < first->at)
        first = &partition;
    }
    if (first->at == kNever)
      return false;
    issue(*first, next);
    if (instructions % kProgress == 0)
      progress.push_back({instructions, now});
  }
  return true;
}

double Multiprocessor::getCycles() const {
  return std::max(now, memory.getEnd());
}

} // namespace tc::emulator
