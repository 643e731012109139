//===- Order.cpp - The order that an assembler gives instructions ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Time/Order.h"

#include "Count/GroupRate.h"
#include "Time/Registers.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"

using mlir::tc::Machine;

namespace tc::emulator {

/// Of a partition, in operations a cycle.
static double getPipeRate(Pipe pipe, const Machine &m) {
  auto of = [&](double perSm) { return perSm / double(m.partitionsPerSm); };
  switch (pipe) {
  case Pipe::None:
    return 0;
  case Pipe::F32:
    return of(double(m.f32FmaPerCycle));
  case Pipe::F64:
    return of(double(m.f64FmaPerCycle));
  case Pipe::F16:
    return of(double(m.f16FmaPerCycle));
  case Pipe::Integer:
    return of(double(m.integerPerCycle));
  case Pipe::Convert:
    return of(double(m.convertPerCycle));
  case Pipe::Special:
    return of(double(m.specialPerCycle));
  case Pipe::MatrixF16:
    return of(m.getMmaPerCycle("f16"));
  case Pipe::MatrixTf32:
    return of(m.getMmaPerCycle("tf32"));
  case Pipe::MatrixF64:
    return of(m.getMmaPerCycle("f64"));
  case Pipe::MatrixS8:
    return of(m.getMmaPerCycle("s8"));
  case Pipe::MatrixF8:
    return of(m.getMmaPerCycle("f8"));
  case Pipe::GroupF16:
    return of(getGroupRate(m, "f16"));
  case Pipe::GroupTf32:
    return of(getGroupRate(m, "tf32"));
  case Pipe::GroupS8:
    return of(getGroupRate(m, "s8"));
  case Pipe::GroupF8:
    return of(getGroupRate(m, "f8"));
  case Pipe::GroupB1:
    return of(getGroupRate(m, "b1"));
  }
  return 0;
}

double getPipeCycles(const Op &op, const Machine &machine) {
  double rate = getPipeRate(op.pipe, machine);
  return rate > 0 ? op.operations / rate : 0;
}

double getLatency(const Op &op, const Machine &machine) {
  const Machine::Latencies &cycles = machine.latencies;
  switch (op.kind) {
  case OpKind::Load:
    return op.space == ptx::Space::Shared ? cycles.shared : cycles.l2;
  case OpKind::Atomic:
    return op.space == ptx::Space::Shared ? cycles.shared : cycles.l2;
  case OpKind::Exchange:
    return cycles.shared;
  case OpKind::Product:
    return cycles.group;
  case OpKind::Arithmetic:
    break;
  default:
    return cycles.arithmetic;
  }
  switch (op.pipe) {
  case Pipe::F64:
    return cycles.f64;
  case Pipe::Convert:
  case Pipe::Special:
    return cycles.special;
  case Pipe::MatrixF64:
    return cycles.matrixF64;
  case Pipe::MatrixF16:
  case Pipe::MatrixTf32:
  case Pipe::MatrixS8:
  case Pipe::MatrixF8:
    return cycles.matrix;
  default:
    return cycles.arithmetic;
  }
}

namespace {
class BodyMaker {
public:
  BodyMaker(const Program &program, llvm::ArrayRef<uint32_t> blocks,
            const Machine &machine, unsigned registers)
      : program(program), blocks(blocks), machine(machine), budget(registers) {}
  Body run();

private:
  void gather();
  void name();
  void connect();
  void connectMemory();
  void addEdge(unsigned from, unsigned to);
  void countUses();
  void raiseBudget();
  void order();
  int64_t getGrowth(unsigned index) const;
  double getStart(unsigned index) const;
  void place(unsigned index);
  unsigned choose() const;
  bool isEarly(unsigned index) const;

  const Op &getOp(unsigned index) const { return program.ops[ops[index].op]; }
  uint8_t getWidth(uint32_t reg) const { return widths[reg]; }

  const Program &program;
  llvm::ArrayRef<uint32_t> blocks;
  const Machine &machine;
  int64_t budget;          ///< registers that may be held at a time
  std::vector<BodyOp> ops; ///< in the order of the text
  /// By op, what it reads. A register that is written again has another number
  /// here for what it holds at first.
  std::vector<llvm::SmallVector<uint32_t, 4>> values;
  llvm::DenseMap<uint32_t, uint32_t> firstValues;
  std::vector<uint8_t> widths;

  std::vector<llvm::SmallVector<unsigned, 4>> successors;
  std::vector<unsigned> missing; ///< ops that have to come before
  std::vector<unsigned> ready;   ///< ops for which none is missing
  std::vector<unsigned> uses;    ///< by register, reads that are not placed
  std::vector<double> doneAt;    ///< by register
  int64_t held = 0;              ///< registers
  double now = 0, tensorUnitFree = 0;
  std::vector<unsigned> placed;
};
} // namespace

void BodyMaker::gather() {
  unsigned copy = 0; // of a block that comes several times in a row
  for (auto [step, number] : llvm::enumerate(blocks)) {
    copy = step && blocks[step - 1] == number ? copy + 1 : 0;
    const OpBlock &block = program.blocks[number];
    for (unsigned index = block.first; index < block.end; ++index) {
      const Op &op = program.ops[index];
      // A load that is part of another one is there when that is. A jump from
      // one block of the body to the next is none.
      bool isJoined = copy % op.joined != 0;
      bool isInner = op.kind == OpKind::Branch && step + 1 < blocks.size();
      ops.push_back({index, unsigned(step), isJoined || isInner,
                     isJoined ? op.writes : op.reads, op.writes});
    }
  }
}

/// A new number for each value but the last of a register.
void BodyMaker::name() {
  widths = program.widths;
  llvm::DenseMap<uint32_t, unsigned> last;
  for (auto [index, op] : llvm::enumerate(ops))
    for (uint32_t reg : op.writes)
      last[reg] = index;
  llvm::DenseMap<uint32_t, uint32_t> names;
  auto getFirst = [&](uint32_t reg) {
    auto [it, isNew] = firstValues.try_emplace(reg, widths.size());
    if (isNew)
      widths.push_back(program.widths[reg]);
    return it->second;
  };
  for (auto [index, op] : llvm::enumerate(ops)) {
    llvm::SmallVector<uint32_t, 4> &read = values.emplace_back();
    for (uint32_t &reg : op.reads) {
      auto it = names.find(reg);
      if (it != names.end())
        reg = it->second;
      bool isFirst = it == names.end() && last.count(reg);
      read.push_back(isFirst ? getFirst(reg) : reg);
    }
    for (uint32_t &reg : op.writes) {
      uint32_t own = reg;
      if (last[own] != index) {
        widths.push_back(program.widths[own]);
        reg = widths.size() - 1;
      }
      names[own] = reg;
    }
  }
}

void BodyMaker::addEdge(unsigned from, unsigned to) {
  if (from == to || llvm::is_contained(successors[from], to))
    return;
  successors[from].push_back(to);
  ++missing[to];
}

void BodyMaker::connect() {
  successors.resize(ops.size());
  missing.resize(ops.size());
  llvm::DenseMap<uint32_t, unsigned> writer;
  llvm::DenseMap<uint32_t, llvm::SmallVector<unsigned, 4>> readers;
  for (auto [index, op] : llvm::enumerate(ops)) {
    for (uint32_t reg : op.reads) {
      if (auto it = writer.find(reg); it != writer.end())
        addEdge(it->second, index);
      readers[reg].push_back(index);
    }
    for (uint32_t reg : op.writes) {
      for (unsigned reader : readers[reg])
        addEdge(reader, index);
      writer[reg] = index;
    }
  }
  connectMemory();
  // What ends a block stays at its end, and what waits for products behind what
  // is to be done meanwhile.
  for (unsigned index = 0, begin = 0; index < ops.size(); ++index) {
    OpKind kind = ops[index].getKind(program);
    if (kind != OpKind::Barrier && kind != OpKind::Arrive &&
        kind != OpKind::AwaitProducts &&
        !(kind == OpKind::Branch && ops[index].step + 1 == blocks.size()))
      continue;
    for (unsigned before = begin; before < index; ++before)
      addEdge(before, index);
    if (index + 1 < ops.size() && kind != OpKind::Branch)
      begin = index;
  }
}

/// Stores stay where they are among the accesses of their space.
void BodyMaker::connectMemory() {
  struct Accesses {
    std::optional<unsigned> store;
    llvm::SmallVector<unsigned> loads; ///< since
  };
  Accesses spaces[3]; // global, shared, local
  for (unsigned index = 0; index < ops.size(); ++index) {
    const Op &op = getOp(index);
    if (ops[index].isPart || (!op.readsMemory && !op.writesMemory))
      continue;
    for (auto [number, space] : llvm::enumerate(spaces)) {
      constexpr ptx::Space names[] = {ptx::Space::Global, ptx::Space::Shared,
                                      ptx::Space::Local};
      if (op.space != ptx::Space::Generic && op.space != names[number])
        continue;
      if (space.store)
        addEdge(*space.store, index);
      if (!op.writesMemory) {
        space.loads.push_back(index);
        continue;
      }
      for (unsigned load : space.loads)
        addEdge(load, index);
      space.loads.clear();
      space.store = index;
    }
  }
}

void BodyMaker::countUses() {
  uses.assign(widths.size(), 0);
  doneAt.assign(widths.size(), 0);
  for (llvm::ArrayRef<uint32_t> read : values)
    for (uint32_t reg : read)
      ++uses[reg];
  for (uint32_t reg : program.blocks[blocks.back()].liveOut)
    ++uses[reg];
  for (uint32_t reg : program.blocks[blocks.front()].liveIn)
    held += getWidth(reg);
}

/// Registers that are held more once the op is placed.
int64_t BodyMaker::getGrowth(unsigned index) const {
  int64_t growth = 0;
  for (uint32_t reg : ops[index].writes)
    growth += uses[reg] ? getWidth(reg) : 0;
  for (uint32_t reg : values[index])
    growth -= uses[reg] == 1 ? getWidth(reg) : 0;
  return growth;
}

/// What the order of the text holds is not too much, whatever ptxas reports:
/// it computes some of it again, and knows of values that need no register.
void BodyMaker::raiseBudget() {
  std::vector<unsigned> usesThen = uses;
  int64_t heldThen = held;
  for (unsigned index = 0; index < ops.size(); ++index) {
    held += getGrowth(index);
    for (uint32_t reg : values[index])
      --uses[reg];
    budget = std::max(budget, held);
  }
  uses = std::move(usesThen);
  held = heldThen;
}

/// When its operands are there, and the tensor unit, where it needs that.
double BodyMaker::getStart(unsigned index) const {
  double start = now;
  for (uint32_t reg : ops[index].reads)
    start = std::max(start, doneAt[reg]);
  return isOfTensorUnit(getOp(index).pipe) ? std::max(start, tensorUnitFree)
                                           : start;
}

void BodyMaker::place(unsigned index) {
  const Op &op = getOp(index);
  double start = getStart(index);
  held += getGrowth(index);
  for (uint32_t reg : values[index])
    --uses[reg];
  bool isFolded = ops[index].getKind(program) == OpKind::Folded;
  // Other instructions are issued while the tensor unit works.
  bool usesTensorUnit = isOfTensorUnit(op.pipe);
  bool isInPipe = !isFolded && op.kind != OpKind::Product && !usesTensorUnit;
  if (usesTensorUnit)
    tensorUnitFree = start + getPipeCycles(op, machine);
  if (!isFolded)
    now = start + (isInPipe ? std::max(1.0, getPipeCycles(op, machine)) : 1);
  double latency = isFolded ? 0 : getLatency(op, machine);
  for (uint32_t reg : ops[index].writes)
    doneAt[reg] = start + latency;
  placed.push_back(index);
  for (unsigned successor : successors[index])
    if (--missing[successor] == 0)
      ready.push_back(successor);
}

/// Loads go as early as they can.
bool BodyMaker::isEarly(unsigned index) const {
  OpKind kind = ops[index].getKind(program);
  return kind == OpKind::Load || kind == OpKind::Copy;
}

/// The place in `ready` of what comes next.
unsigned BodyMaker::choose() const {
  unsigned best = 0;
  std::tuple<int, double, unsigned> least(3, 0, 0);
  for (auto [place, index] : llvm::enumerate(ready)) {
    double start = getStart(index);
    bool isFirst = isOfTensorUnit(getOp(index).pipe) && start <= now;
    int64_t growth = getGrowth(index);
    bool fits = growth <= 0 || held + growth <= budget;
    std::tuple<int, double, unsigned> rank;
    if (isEarly(index) && fits)
      rank = {0, 0, index};
    else
      rank = {fits ? 1 : 2, isFirst ? 0 : start, index};
    if (place == 0 || rank < least) {
      least = rank;
      best = place;
    }
  }
  return best;
}

void BodyMaker::order() {
  for (unsigned index = 0; index < ops.size(); ++index)
    if (missing[index] == 0)
      ready.push_back(index);
  while (!ready.empty()) {
    unsigned at = choose(), index = ready[at];
    ready.erase(ready.begin() + at);
    place(index);
  }
}

Body BodyMaker::run() {
  gather();
  name();
  connect();
  countUses();
  raiseBudget();
  order();
  Body body;
  body.registers = widths.size();
  for (unsigned index : placed)
    body.ops.push_back(ops[index]);
  assignRegisters(body, widths, program.blocks[blocks.front()].liveIn,
                  program.blocks[blocks.back()].liveOut);
  return body;
}

Body orderBody(const Program &program, llvm::ArrayRef<uint32_t> blocks,
               const Machine &machine, unsigned registers) {
  return BodyMaker(program, blocks, machine, registers).run();
}

} // namespace tc::emulator

// Note [Order]
// ~~~~~~~~~~~~
// List scheduling: of the ops whose operands are placed, a load comes first as
// long as the registers that are then held fit; then an instruction of the
// tensor unit, where its operands are there and the unit is free; else the op
// whose operands are there first, the earlier of the text among equals. So what
// splits numbers for one product is issued while the unit does another, as
// ptxas 13.0 has it (sm_90a, tf32x3: two to six other instructions between
// products). Each value has a register of its own while ops are ordered, as in
// an assembler, so the steps of a loop that is written out mix. Stores keep
// their place among the accesses of their space.
