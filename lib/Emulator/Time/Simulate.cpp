//===- Simulate.cpp - Simulated time of a traced launch -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a trace to the work of one multiprocessor, and from what it does in the
// time that is simulated to the whole launch.
//
//===----------------------------------------------------------------------===//

#include "Time/Multiprocessor.h"
#include "Time/Order.h"
#include "Time/Trace.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using mlir::tc::Machine;

namespace tc::emulator {

/// Warp instructions that are simulated, at most but for the first blocks.
static constexpr double kMostInstructions = 4e6;
/// Share of L2 that keeps back what is stored. An estimate.
static constexpr double kBufferedShare = 0.5;

namespace {
class TraceSimulator {
public:
  TraceSimulator(const LaunchTrace &trace, const LaunchCounts &counts,
                 const Machine &machine, unsigned blocksPerSm,
                 int64_t registers)
      : trace(trace), counts(counts), machine(machine),
        blocksPerSm(blocksPerSm),
        registers(
            unsigned(registers ? registers : machine.maxRegistersPerThread)) {}
  TracedTime run();

private:
  const MachineBody &getBody(llvm::ArrayRef<uint32_t> blocks);
  uint32_t getSegment(llvm::ArrayRef<uint32_t> steps);
  std::vector<uint32_t> divide(llvm::ArrayRef<uint32_t> steps);
  void makeWork();
  MemoryRates getRates() const;
  const BlockWork *getNext();
  double getInstructionsOfBlock() const;
  void extrapolate(Multiprocessor &sm, TracedTime &time);
  void summarize(const Multiprocessor &sm, TracedTime &time) const;

  const LaunchTrace &trace;
  const LaunchCounts &counts;
  const Machine &machine;
  unsigned blocksPerSm, registers;

  /// Of a body, by its blocks, with the machine's form of it.
  struct KnownBody {
    Body body;
    MachineBody machine;
  };
  std::map<std::vector<uint32_t>, KnownBody> bodies;
  std::map<std::vector<uint32_t>, uint32_t> segments; ///< by their steps
  std::optional<MultiprocessorSetup> setup;
  std::vector<BlockWork> work; ///< by traced block
  std::vector<double> shares;  ///< of all blocks, by traced block
  std::vector<double> due;     ///< blocks that should have run and did not
  double blocks = 0;           ///< of the fullest multiprocessor
  double begun = 0, most = 0;  ///< blocks, and how many may begin
};
} // namespace

//===----------------------------------------------------------------------===//
// Bodies and segments
//===----------------------------------------------------------------------===//

static bool isAccess(OpKind kind) {
  switch (kind) {
  case OpKind::Load:
  case OpKind::Store:
  case OpKind::Atomic:
  case OpKind::Copy:
  case OpKind::Exchange:
  case OpKind::Mbarrier:
    return true;
  default:
    return false;
  }
}

static uint8_t getPipeNumber(const Op &op) {
  if (isAccess(op.kind))
    return kMemoryPipe;
  if (op.kind != OpKind::Arithmetic)
    return kNoPipe;
  switch (op.pipe) {
  case Pipe::None:
    return kNoPipe;
  case Pipe::F32:
    return 0;
  case Pipe::Integer:
    return 1;
  case Pipe::F64:
    return 2;
  case Pipe::F16:
    return 3;
  case Pipe::Convert:
  case Pipe::Special:
    return 4;
  case Pipe::MatrixF16:
  case Pipe::MatrixTf32:
  case Pipe::MatrixF64:
  case Pipe::MatrixS8:
  case Pipe::MatrixF8:
    return kTensorPipe;
  case Pipe::GroupF16:
  case Pipe::GroupTf32:
  case Pipe::GroupS8:
  case Pipe::GroupF8:
  case Pipe::GroupB1:
    break; // no instruction waits for it: see Multiprocessor::multiply
  }
  return kNoPipe;
}

static MachineBody makeMachineBody(const Body &body, const Program &program,
                                   const Machine &machine) {
  MachineBody made;
  double memoryCycles =
      32.0 * double(machine.partitionsPerSm) / double(machine.memoryPerCycle);
  for (const BodyOp &from : body.ops) {
    const Op &op = program.ops[from.op];
    MachineOp to;
    to.kind = from.getKind(program);
    to.pipe = getPipeNumber(op);
    to.pipeCycles =
        float(isAccess(to.kind) ? memoryCycles : getPipeCycles(op, machine));
    to.latency = float(isAccess(to.kind) ? machine.latencies.arithmetic
                                         : getLatency(op, machine));
    if (op.pipe == Pipe::F64 && machine.guardsF64())
      to.readCycles = float(machine.latencies.f64);
    to.groups = uint16_t(op.groups);
    to.barrier = uint16_t(op.barrier);
    to.threads = uint16_t(op.threads);
    to.line = op.line;
    to.firstRegister = made.registers.size();
    to.readCount = uint8_t(std::min<size_t>(from.reads.size(), 255));
    to.writeCount = uint8_t(std::min<size_t>(from.writes.size(), 255));
    made.registers.insert(made.registers.end(), from.reads.begin(),
                          from.reads.begin() + to.readCount);
    made.registers.insert(made.registers.end(), from.writes.begin(),
                          from.writes.begin() + to.writeCount);
    made.ops.push_back(to);
  }
  return made;
}

const MachineBody &TraceSimulator::getBody(llvm::ArrayRef<uint32_t> blocks) {
  auto [it, isNew] = bodies.try_emplace(blocks.vec());
  if (isNew) {
    KnownBody &known = it->second;
    known.body = orderBody(trace.program, blocks, machine, registers);
    known.machine = makeMachineBody(known.body, trace.program, machine);
    setup->registers = std::max(setup->registers, known.body.registers);
  }
  return it->second.machine;
}

static MemoryDemand findDemand(const Op &op, const TraceStep &step,
                               const Machine &machine) {
  Request request;
  if (op.kind == OpKind::Exchange ||
      (op.kind == OpKind::Mbarrier && !op.isBulk)) {
    request.requests = request.wavefronts = 1;
    request.space = ptx::Space::Shared;
    return getDemand(request, op.kind, machine);
  }
  auto at = llvm::lower_bound(
      step.requests, op.site,
      [](const Request &r, uint32_t site) { return r.site < site; });
  if (at == step.requests.end() || at->site != op.site)
    return {};
  if (!op.isBulk)
    return getDemand(*at, op.kind, machine);
  // The load/store unit only passes it on.
  OpKind kind = op.kind == OpKind::Mbarrier ? OpKind::Load : OpKind::Store;
  MemoryDemand demand = getDemand(*at, kind, machine);
  demand.cycles = 1;
  return demand;
}

uint32_t TraceSimulator::getSegment(llvm::ArrayRef<uint32_t> steps) {
  auto [it, isNew] =
      segments.try_emplace(steps.vec(), uint32_t(setup->segments.size()));
  if (!isNew)
    return it->second;
  llvm::SmallVector<uint32_t> blocks;
  for (uint32_t step : steps)
    blocks.push_back(trace.steps[step].block);
  Segment segment;
  segment.body = &getBody(blocks);
  for (const BodyOp &op :
       bodies.at(std::vector<uint32_t>(blocks.begin(), blocks.end()))
           .body.ops) {
    const Op &from = trace.program.ops[op.op];
    OpKind kind = op.getKind(trace.program);
    if (!isAccess(kind) && kind != OpKind::Product)
      continue;
    const TraceStep &step = trace.steps[steps[op.step]];
    MemoryDemand &demand =
        segment.demands.emplace_back(findDemand(from, step, machine));
    demand.firstUse = uint32_t(segment.uses.size());
    if (from.kind == OpKind::Mbarrier)
      for (const MbarrierRequest &request : step.uses)
        if (request.site == from.site)
          segment.uses.push_back(request.use);
    demand.uses = uint32_t(segment.uses.size()) - demand.firstUse;
  }
  setup->segments.push_back(std::move(segment));
  return it->second;
}

/// The steps of a warp, those together that are ordered as one.
std::vector<uint32_t> TraceSimulator::divide(llvm::ArrayRef<uint32_t> steps) {
  auto getBlock = [&](size_t at) { return trace.steps[steps[at]].block; };
  std::vector<uint32_t> found;
  for (size_t first = 0, end = 0; first < steps.size(); first = end) {
    for (end = first;;) {
      uint32_t number = getBlock(end);
      const OpBlock &block = trace.program.blocks[number];
      unsigned copies = 0;
      while (copies < block.copies && end < steps.size() &&
             getBlock(end) == number) {
        ++copies;
        ++end;
      }
      if (copies < block.copies || end == steps.size() ||
          (getBlock(end) != block.next && getBlock(end) != block.guarded))
        break;
    }
    found.push_back(getSegment(steps.slice(first, end - first)));
  }
  return found;
}

void TraceSimulator::makeWork() {
  double all = 0;
  for (const TracedBlock &block : trace.blocks) {
    BlockWork &made = work.emplace_back();
    for (const std::vector<uint32_t> &warp : block.warps)
      made.push_back(divide(warp));
    double count = 0;
    for (const BlockClass &by : counts.classes)
      if (by.lastAxes == block.lastAxes)
        count += double(by.blocks);
    shares.push_back(count);
    all += count;
  }
  for (double &share : shares)
    share = all > 0 ? share / all : 1.0 / double(shares.size());
  due.assign(shares.size(), 0);
}

//===----------------------------------------------------------------------===//
// The multiprocessor
//===----------------------------------------------------------------------===//

MemoryRates TraceSimulator::getRates() const {
  double sms = std::min(double(machine.smCount), double(counts.grid.count()));
  auto getCycles = [&](double perSecond) {
    return 32 /
           std::min(perSecond / sms / machine.clockHz, machine.l2BytesPerCycle);
  };
  MemoryRates rates;
  rates.l2 = getCycles(machine.l2BytesPerSecond);
  rates.dram = getCycles(machine.dramBytesPerSecond * machine.dramEfficiency);
  uint64_t together = uint64_t(machine.smCount) * blocksPerSm;
  DramBytes dram =
      counts.estimateDramBytes(uint64_t(machine.l2Bytes), together);
  double read = 32 * double(counts.getMemory("global", "read").l2Sectors);
  double written = double(counts.getL2Bytes()) - read;
  rates.readMissed = read > 0 ? std::min(dram.read / read, 1.0) : 0;
  rates.written = written > 0 ? std::min(dram.written / written, 1.0) : 0;
  rates.bufferedWrites =
      kBufferedShare * double(machine.l2Bytes) / sms / 32 * rates.dram;
  return rates;
}

/// The class that is behind most of its share.
const BlockWork *TraceSimulator::getNext() {
  if (begun >= most)
    return nullptr;
  ++begun;
  for (auto [behind, share] : llvm::zip_equal(due, shares))
    behind += share;
  auto next = llvm::max_element(due);
  *next -= 1;
  return &work[next - due.begin()];
}

double TraceSimulator::getInstructionsOfBlock() const {
  double sum = 0;
  for (auto [block, share] : llvm::zip_equal(work, shares)) {
    double instructions = 0;
    for (const std::vector<uint32_t> &warp : block)
      for (uint32_t segment : warp)
        for (const MachineOp &op : setup->segments[segment].body->ops)
          instructions += op.kind != OpKind::Folded;
    sum += share * instructions;
  }
  return sum;
}

/// Cycles of all blocks, from those that ran.
void TraceSimulator::extrapolate(Multiprocessor &sm, TracedTime &time) {
  llvm::ArrayRef<double> ends = sm.getEnds();
  double resident = setup->resident;
  time.simulatedBlocks = double(ends.size());
  if (begun >= blocks && ends.size() == size_t(begun)) {
    time.cycles = sm.getCycles();
    return;
  }
  if (ends.size() == size_t(begun)) {
    // One block more costs what it did between the first blocks and the last,
    // which run by themselves in the end.
    auto rounds = size_t(double(ends.size()) / resident);
    auto first = size_t(resident), last = size_t(double(rounds - 1) * resident);
    double each = (ends[last - 1] - ends[first - 1]) / double(last - first);
    time.cycles = sm.getCycles() + each * (blocks - begun);
    return;
  }
  // Not one round of blocks has come to its end: by instructions. Warps that
  // wait for ever may have issued few.
  llvm::ArrayRef<std::pair<uint64_t, double>> progress = sm.getProgress();
  if (progress.size() < 2) {
    time.cycles = sm.getCycles();
    return;
  }
  auto [doneFirst, first] = progress[progress.size() / 3];
  auto [doneLast, last] = progress.back();
  double perCycle = double(doneLast - doneFirst) / (last - first);
  double all = blocks * getInstructionsOfBlock();
  time.cycles = last + (all - double(doneLast)) / perCycle;
}

void TraceSimulator::summarize(const Multiprocessor &sm,
                               TracedTime &time) const {
  double all = 0;
  for (auto [line, losses] : llvm::enumerate(sm.getLosses())) {
    double sum = 0;
    for (unsigned i = 0; i < kLosses; ++i) {
      time.losses[i] += losses[i];
      sum += losses[i];
    }
    all += sum;
    auto largest = llvm::max_element(losses);
    if (sum > 0)
      time.lines.push_back(
          {unsigned(line), sum, Loss(uint8_t(largest - losses.begin()))});
  }
  if (all <= 0)
    return;
  for (double &loss : time.losses)
    loss /= all;
  llvm::sort(time.lines, [](auto &a, auto &b) { return a.share > b.share; });
  if (time.lines.size() > 10)
    time.lines.resize(10);
  for (TracedTime::Line &line : time.lines)
    line.share /= all;
}

TracedTime TraceSimulator::run() {
  TracedTime time;
  time.machine = machine.name.str();
  time.launchSeconds = machine.launchSeconds;
  time.error = machine.levelBError;
  blocks = std::ceil(double(counts.grid.count()) / double(machine.smCount));
  time.blocks = blocks;
  time.blocksPerSm = blocksPerSm;
  time.seconds = time.launchSeconds;
  if (trace.blocks.empty())
    return time;
  setup.emplace(MultiprocessorSetup{machine, getRates(), {}, 0, 1, 0, 0});
  setup->mbarriers = trace.mbarriers;
  setup->resident = unsigned(std::min(blocks, double(blocksPerSm)));
  for (const Op &op : trace.program.ops)
    setup->lines = std::max(setup->lines, op.line + 1);
  makeWork();
  // Whole rounds of blocks, and as many in the end as the launch has there.
  double resident = setup->resident, each = getInstructionsOfBlock();
  double rounds = std::floor(kMostInstructions / (each * resident));
  most = blocks;
  if (rounds * resident < blocks && rounds >= 3)
    most = std::min(blocks, rounds * resident + std::fmod(blocks, resident));
  uint64_t limit = rounds >= 3 || blocks * each <= kMostInstructions
                       ? UINT64_MAX
                       : uint64_t(kMostInstructions);
  Multiprocessor sm(*setup);
  if (!sm.run([&] { return getNext(); }, limit))
    time.outside = "warps wait for each other for ever";
  if (!trace.isWhole)
    time.outside = "the trace is cut off";
  if (!trace.program.outside.empty())
    time.outside = trace.program.outside;
  time.instructions = sm.getInstructions();
  extrapolate(sm, time);
  time.seconds += time.cycles / machine.clockHz;
  summarize(sm, time);
  return time;
}

TracedTime simulateTrace(const LaunchTrace &trace, const LaunchCounts &counts,
                         const Machine &machine, unsigned blocksPerSm,
                         int64_t registers) {
  return TraceSimulator(trace, counts, machine, blocksPerSm, registers).run();
}

} // namespace tc::emulator

// Note [Level B]
// ~~~~~~~~~~~~~~
// One multiprocessor runs the blocks that the fullest one of the launch would,
// each class of blocks in its share. What it models:
//
// - Warps issue in order, in the order of Order.h. Each partition issues one
//   instruction at a time, to the warp that issued last if it can, else to the
//   one that can first.
// - Pipes of a partition are busy for the lanes of a warp over their own.
// - Results wait for their operands and for those that still read their
//   register (Registers.h): memory instructions until they have left the queue,
//   f64 for its latency where scoreboards guard it (Machine::guardsF64).
// - Memory instructions go through a port of the partition, a queue of eight,
//   and the one load/store unit, whose time is that of level A: wavefronts,
//   lines or lanes, whichever is most.
// - L2 and memory serve one request after the other at this multiprocessor's
//   share of their rates, L2 a line that is read for no less than two sectors'
//   time. Whole requests miss L2, as often as sectors of the
//   launch do (LaunchCounts::estimateDramBytes). Stores are posted; L2 keeps
//   back what half of it holds before memory slows anybody down.
// - A block begins some cycles after the end of the one whose place it takes,
//   and no sooner than its turn comes where the chip starts blocks one after
//   the other (Machine::cyclesPerStart).
// - Barriers let go when the last warp has come; groups of asynchronous copies
//   land when their last copy does.
// - Bulk copies ask L2 and memory for all their sectors at once, and land when
//   the last one has come; the copy engine has no rate of its own, and the
//   shared memory that it uses is left out. wait_group.read waits as wait_group
//   does. What reaches other blocks of a cluster is outside the model.
// - Instructions on mbarriers are accesses to shared memory. A phase ends when
//   the last arrival has come, those of copies when these have landed, and lets
//   go who waits for it; a wait that fails in a loop is one that lasts longer.
//
// Long launches are cut after some millions of instructions, at the end of a
// round of resident blocks where three rounds fit; what is left goes on at the
// pace between the first round and the last but one, or, where no three rounds
// fit, at that of the instructions.
//
// Left out: the instruction cache, banks of registers, TLBs, rows of memory and
// other multiprocessors' interference beyond their share.
