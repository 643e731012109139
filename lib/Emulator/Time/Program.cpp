//===- Program.cpp - A kernel as a multiprocessor's clock sees it ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Time/Program.h"

#include "Count/Classify.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace tc::emulator {

/// Instructions that ptxas makes conditional rather than jumps over, at most.
/// An estimate: in COGENT's kernels it does so with the 8 to 12 that load a
/// number and put it into shared memory (nvdisasm of ptxas 12.9, sm_70).
static constexpr unsigned kMostGuarded = 16;

namespace {
class ProgramMaker {
public:
  ProgramMaker(const KernelPlan &plan, const Flow &flow,
               const KernelStructure &structure)
      : flat(*plan.flat), plan(plan), flow(flow), structure(structure) {}
  Program run();

private:
  void addOp(unsigned index);
  Op makeOp(const ptx::Instruction &in, uint32_t site) const;
  void addRegisters(unsigned index, Op &op) const;
  std::optional<unsigned> findNext(unsigned block) const;
  bool isShort(const Block &block) const;
  void findGuarded(unsigned block);

  const FlatBody &flat;
  const KernelPlan &plan;
  const Flow &flow;
  const KernelStructure &structure;
  /// By the site that begins a wide load, the op that stands for all of it.
  llvm::DenseMap<uint32_t, unsigned> wide;
  Program program;
};
} // namespace

static Pipe getPipe(llvm::StringRef unit) {
  return llvm::StringSwitch<Pipe>(unit)
      .Case("f32", Pipe::F32)
      .Case("f64", Pipe::F64)
      .Case("f16", Pipe::F16)
      .Case("integer", Pipe::Integer)
      .Case("convert", Pipe::Convert)
      .Case("special", Pipe::Special)
      .Case("mma.f16", Pipe::MatrixF16)
      .Case("mma.tf32", Pipe::MatrixTf32)
      .Case("mma.f64", Pipe::MatrixF64)
      .Case("mma.s8", Pipe::MatrixS8)
      .Case("mma.f8", Pipe::MatrixF8)
      .Case("wgmma.f16", Pipe::GroupF16)
      .Case("wgmma.tf32", Pipe::GroupTf32)
      .Case("wgmma.s8", Pipe::GroupS8)
      .Case("wgmma.f8", Pipe::GroupF8)
      .Case("wgmma.b1", Pipe::GroupB1)
      .Default(Pipe::None);
}

/// The number that operand `index` is; 0 where it is none.
static unsigned getNumber(const ptx::Instruction &in, unsigned index) {
  if (index >= in.operands.size() ||
      in.operands[index].kind != ptx::Operand::Kind::Immediate)
    return 0;
  return unsigned(in.operands[index].bits);
}

static Op makeBarrier(const ptx::Instruction &in, Op op) {
  // The result of a reduction comes first.
  unsigned first = llvm::is_contained(in.modifiers, "red") ? 1 : 0;
  bool arrives = llvm::is_contained(in.modifiers, "arrive");
  op.kind = arrives ? OpKind::Arrive : OpKind::Barrier;
  // Those of clusters are barriers of the block here: only one runs.
  if (in.has("cluster") || llvm::is_contained(in.modifiers, "cluster")) {
    op.kind = arrives ? OpKind::Issue : OpKind::Barrier;
    return op;
  }
  op.barrier = getNumber(in, first);
  op.threads = getNumber(in, first + 1);
  return op;
}

static Op makeCopy(const ptx::Instruction &in, Op op) {
  auto has = [&](llvm::StringRef word) {
    return llvm::is_contained(in.modifiers, word);
  };
  if (has("commit_group"))
    op.kind = OpKind::Commit;
  else if (has("wait_group") || has("wait_all"))
    op.kind = OpKind::Await;
  else
    op.kind = has("mbarrier") ? OpKind::Mbarrier : OpKind::Copy;
  // What is loaded arrives on an mbarrier; the rest ends with its group.
  op.isBulk = has("bulk") && op.kind == OpKind::Copy;
  if (op.isBulk && has("prefetch"))
    op.kind = OpKind::Issue;
  else if (op.isBulk && !has("bulk_group"))
    op.kind = OpKind::Mbarrier;
  op.groups = has("wait_group") ? getNumber(in, 0) : 0;
  op.readsMemory = op.writesMemory = true;
  return op;
}

static Op makeProduct(const ptx::Instruction &in, Op op) {
  auto has = [&](llvm::StringRef word) {
    return llvm::is_contained(in.modifiers, word);
  };
  op.kind = has("commit_group") ? OpKind::CommitProducts
            : has("wait_group") ? OpKind::AwaitProducts
            : in.matrix         ? OpKind::Product
                                : OpKind::Issue;
  op.groups = has("wait_group") ? getNumber(in, 0) : 0;
  if (op.kind == OpKind::Product) {
    InstructionClass found = classify(in);
    op.pipe = getPipe(found.unit);
    op.operations = double(found.operations);
  }
  // All of them stay in their order.
  op.readsMemory = op.writesMemory = true;
  return op;
}

/// An address.
static bool isInRegister(const ptx::Operand &operand) {
  return !operand.elements.empty() &&
         operand.elements[0].kind == ptx::Operand::Kind::Register;
}

Op ProgramMaker::makeOp(const ptx::Instruction &in, uint32_t site) const {
  Op op;
  op.site = site;
  op.line = in.line;
  if (isBarrier(in))
    return makeBarrier(in, op);
  if (in.root == "cp")
    return makeCopy(in, op);
  if (in.root == "wgmma")
    return makeProduct(in, op);
  if (in.root == "mbarrier" && !in.has("pending_count")) {
    op.kind = OpKind::Mbarrier;
    op.readsMemory = op.writesMemory = true;
    return op;
  }
  InstructionClass found = classify(in, structure.folding[site]);
  bool isAccess = plan.sites[site].bytes != 0;
  op.space = plan.sites[site].space;
  if (in.root == "ld" || in.root == "ldu" || in.root == "ldmatrix") {
    // Parameters come with the instruction that uses them, and so do constants
    // whose address is known.
    bool isConstant = op.space == ptx::Space::Const;
    bool isFolded = op.space == ptx::Space::Param || !isAccess ||
                    (isConstant && !isInRegister(in.operands.back()));
    op.kind = isFolded ? OpKind::Folded : OpKind::Load;
    op.readsMemory =
        !isFolded && !isConstant && !llvm::is_contained(in.modifiers, "nc");
    op.writesMemory = !isFolded && plan.sites[site].isStrong;
  } else if (in.root == "st" || in.root == "stmatrix") {
    bool isFolded = op.space == ptx::Space::Param || !isAccess;
    op.kind = isFolded ? OpKind::Folded : OpKind::Store;
    op.writesMemory = !isFolded;
  } else if (in.root == "atom" || in.root == "red") {
    op.kind = OpKind::Atomic;
    op.readsMemory = op.writesMemory = true;
  } else if (found.unit == "memory") {
    op.kind = isAccess ? OpKind::Load : OpKind::Exchange;
    op.readsMemory = isAccess;
  } else if (found.unit == "none") {
    op.kind = OpKind::Folded;
  } else if (Pipe pipe = getPipe(found.unit); pipe != Pipe::None) {
    op.kind = OpKind::Arithmetic;
    op.pipe = pipe;
    op.operations = double(found.operations) * (found.isPerWarp ? 1 : 32);
  } else {
    op.kind = isTerminator(in) ? OpKind::Branch : OpKind::Issue;
    // Fences and their kin order memory.
    op.readsMemory = op.writesMemory = op.kind == OpKind::Issue;
  }
  return op;
}

void ProgramMaker::addRegisters(unsigned index, Op &op) const {
  auto add = [](llvm::SmallVectorImpl<uint32_t> &list, unsigned reg) {
    if (!llvm::is_contained(list, reg))
      list.push_back(reg);
  };
  visitUses(flat, flat.body[index], [&](unsigned r) { add(op.reads, r); });
  if (op.kind == OpKind::Product) // what waits for it brings its results
    return;
  visitDefinitions(flat, flat.body[index],
                   [&](unsigned r) { add(op.writes, r); });
}

void ProgramMaker::addOp(unsigned index) {
  const ptx::Instruction &in = flat.body[index];
  Op op = makeOp(in, index);
  op.joined = structure.joined[index];
  addRegisters(index, op);
  uint32_t leader = structure.leaders[index];
  bool isWide = structure.merged[leader] > 1;
  if (isWide && wide.count(leader)) {
    // Read by an earlier one.
    Op &whole = program.ops[wide[leader]];
    llvm::append_range(whole.writes, op.writes);
    return;
  }
  if (isWide) {
    wide[leader] = program.ops.size();
    op.site = leader;
  }
  program.ops.push_back(std::move(op));
}

/// Blocks that lead to another one, loops that are written out left aside.
static llvm::SmallVector<unsigned> getOthers(llvm::ArrayRef<unsigned> blocks,
                                             unsigned self, bool isWrittenOut) {
  llvm::SmallVector<unsigned> others;
  for (unsigned block : blocks)
    if ((!isWrittenOut || block != self) && !llvm::is_contained(others, block))
      others.push_back(block);
  return others;
}

std::optional<unsigned> ProgramMaker::findNext(unsigned block) const {
  const Block &from = flow.blocks[block];
  bool isWrittenOut = structure.copies[block].isWhole;
  llvm::SmallVector<unsigned> next =
      getOthers(from.successors, block, isWrittenOut);
  if (next.size() != 1 || next.front() == block || next.front() == 0 ||
      from.mayEnd || isBarrier(flat.body[from.end - 1]))
    return std::nullopt;
  const Block &to = flow.blocks[next.front()];
  if (getOthers(to.predecessors, next.front(),
                structure.copies[next.front()].isWhole)
          .size() != 1)
    return std::nullopt;
  return next.front();
}

bool ProgramMaker::isShort(const Block &block) const {
  if (block.mayEnd || block.end - block.first > kMostGuarded)
    return false;
  for (unsigned i = block.first; i < block.end; ++i)
    if (isBarrier(flat.body[i]) || isCollective(flat.body[i]) ||
        flat.body[i].root == "call")
      return false;
  return true;
}

/// Of a block that jumps over another one, or not.
void ProgramMaker::findGuarded(unsigned block) {
  const Block &from = flow.blocks[block];
  if (from.successors.size() != 2 || from.mayEnd || from.first == from.end ||
      flat.body[from.end - 1].root != "bra")
    return;
  for (auto [inner, join] :
       {std::pair(from.successors[0], from.successors[1]),
        std::pair(from.successors[1], from.successors[0])}) {
    const Block &over = flow.blocks[inner], &to = flow.blocks[join];
    if (inner == block || join == block || inner == 0 || join == 0 ||
        over.predecessors.size() != 1 || over.successors.size() != 1 ||
        over.successors.front() != join || to.predecessors.size() != 2 ||
        !isShort(over))
      continue;
    program.blocks[block].guarded = inner;
    program.blocks[block].next = program.blocks[inner].next = join;
    return;
  }
}

Program ProgramMaker::run() {
  for (const ptx::Register &reg : flat.registers) {
    unsigned bits = ptx::getBits(reg.type);
    bool isPredicate = reg.type == ptx::Type::Pred;
    program.widths.push_back(isPredicate ? 0 : uint8_t((bits + 31) / 32));
  }
  for (unsigned number = 0; number < flow.blocks.size(); ++number) {
    const Block &from = flow.blocks[number];
    OpBlock &block = program.blocks.emplace_back();
    block.first = program.ops.size();
    for (unsigned i = from.first; i < from.end; ++i)
      addOp(i);
    block.end = program.ops.size();
    block.copies = structure.copies[number].count;
    block.next = findNext(number);
    for (unsigned reg : from.liveIn.set_bits())
      block.liveIn.push_back(reg);
    for (unsigned reg : from.liveOut.set_bits())
      block.liveOut.push_back(reg);
  }
  for (unsigned number = 0; number < flow.blocks.size(); ++number)
    findGuarded(number);
  return std::move(program);
}

/// Copies and arrivals that reach other blocks of the cluster: each block is
/// simulated by itself.
static std::string findOutside(const KernelPlan &plan) {
  for (const ptx::Instruction &in : plan.flat->body) {
    bool isFar = in.has("multicast::cluster") || in.root == "mapa" ||
                 (in.has("async") && in.root != "cp" && in.root != "fence");
    if (isFar)
      return "'" + in.getOpcode() + "' on other blocks of a cluster";
  }
  return "";
}

Program makeProgram(const KernelPlan &plan, const Flow &flow,
                    const KernelStructure &structure) {
  Program program = ProgramMaker(plan, flow, structure).run();
  program.outside = findOutside(plan);
  return program;
}

} // namespace tc::emulator
