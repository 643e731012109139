//===- Structure.cpp - What instructions wait for -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Count/Structure.h"

#include "Count/Classify.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

namespace tc::emulator {

namespace {

/// Instructions of a loop that ptxas writes out, at most: whole if it is the
/// only one in the loop around it, else some times over. Seen in what ptxas
/// 12.9 and 13.0 make of COGENT's kernels (848 and 1424 instructions whole; 212
/// in four copies, 372 not) and of siboehm's SGEMM (2752 whole, where another
/// loop stands beside it not).
constexpr int64_t kMostWhole = 2800, kMostCopied = 256;
constexpr unsigned kPartCopies = 4;
/// The widest access of a lane.
constexpr unsigned kWidest = 16;

class StructureFinder {
public:
  StructureFinder(const KernelPlan &plan, const Flow &flow,
                  llvm::ArrayRef<Loop> loops)
      : flat(*plan.flat), plan(plan), flow(flow), loops(loops) {}
  KernelStructure run();

private:
  using Depths = std::vector<unsigned>; ///< by register

  bool isTensor(unsigned i) const;
  bool isMultiplyAdd(unsigned i) const;
  bool isLoad(unsigned i) const;
  bool isAsynchronous(unsigned i) const;
  std::optional<unsigned> findGroupsAhead(unsigned i) const;
  const Loop *findInnermost(llvm::ArrayRef<unsigned> blocks) const;
  bool isCovered(unsigned load) const;
  void findLoadWaits();
  bool isBefore(unsigned a, unsigned b) const;
  bool isCoveredAbove(unsigned wait) const;
  void findCopyWaits();
  std::optional<unsigned> findContinued(unsigned block) const;
  void findChains();
  Depths getIncoming(unsigned block, const std::map<unsigned, Depths> &out);
  std::optional<uint64_t> findStart(unsigned reg, unsigned before) const;
  std::optional<int64_t> findTrips(unsigned block) const;
  bool isAlone(unsigned block) const;
  KernelStructure::Copies getCopies(unsigned block) const;
  void findMerged();
  std::optional<int64_t> findStep(unsigned reg, const Block &block) const;
  void findJoined();
  void mergeLoads(llvm::MutableArrayRef<std::pair<int64_t, uint32_t>> loads,
                  unsigned bytes);

  const FlatBody &flat;
  const KernelPlan &plan;
  const Flow &flow;
  llvm::ArrayRef<Loop> loops; ///< an inner one after those around it
  KernelStructure structure;
};

} // namespace

static bool hasWord(const ptx::Instruction &in, llvm::StringRef word) {
  return llvm::is_contained(in.modifiers, word);
}

bool StructureFinder::isTensor(unsigned i) const {
  const ptx::Instruction &in = flat.body[i];
  return in.root == "mma" || in.root == "wmma" || in.root == "wgmma";
}

bool StructureFinder::isMultiplyAdd(unsigned i) const {
  const ptx::Instruction &in = flat.body[i];
  if (isTensor(i))
    return true;
  return structure.folding[i] == Folding::Fused ||
         ((in.root == "fma" || in.root == "mad") && ptx::isFloat(in.type));
}

/// From global or shared memory, into registers.
bool StructureFinder::isLoad(unsigned i) const {
  const ptx::Instruction &in = flat.body[i];
  return in.root == "ldmatrix" ||
         (in.root == "ld" && (hasWord(in, "global") || hasWord(in, "shared")));
}

bool StructureFinder::isAsynchronous(unsigned i) const {
  const ptx::Instruction &in = flat.body[i];
  return in.root == "cp" && hasWord(in, "async") && hasWord(in, "global");
}

/// Groups of copies that may still be under way behind the instruction, if it
/// waits for some.
std::optional<unsigned> StructureFinder::findGroupsAhead(unsigned i) const {
  const ptx::Instruction &in = flat.body[i];
  if (in.root != "cp")
    return std::nullopt;
  if (hasWord(in, "wait_all"))
    return 0;
  if (!hasWord(in, "wait_group"))
    return std::nullopt;
  for (const ptx::Operand &operand : in.operands)
    if (operand.kind == ptx::Operand::Kind::Immediate)
      return unsigned(operand.bits);
  return 0;
}

const Loop *
StructureFinder::findInnermost(llvm::ArrayRef<unsigned> blocks) const {
  const Loop *innermost = nullptr;
  for (const Loop &loop : loops)
    if (llvm::all_of(blocks,
                     [&](unsigned b) { return llvm::is_contained(loop, b); }))
      innermost = &loop;
  return innermost;
}

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// Are there multiply-adds between the load and the first use of what it loads?
/// In the order of the text; a use above the load is one of the loop's next
/// step. Moves, which ptxas folds away, are no uses.
bool StructureFinder::isCovered(unsigned load) const {
  llvm::SmallDenseSet<unsigned> loaded;
  visitDefinitions(flat, flat.body[load],
                   [&](unsigned r) { loaded.insert(r); });
  unsigned block = flow.blockAt(load);
  const Loop *loop = findInnermost(block);
  unsigned end = flat.body.size();
  if (loop) {
    end = 0;
    for (unsigned inside : *loop)
      end = std::max(end, flow.blocks[inside].end);
  }
  for (unsigned i = load + 1; i < end; ++i) {
    if (isMultiplyAdd(i))
      return true;
    bool isUse = false;
    visitUses(flat, flat.body[i],
              [&](unsigned r) { isUse |= loaded.count(r); });
    if (!isUse)
      continue;
    if (flat.body[i].root != "mov")
      return false;
    visitDefinitions(flat, flat.body[i], [&](unsigned r) { loaded.insert(r); });
  }
  return loop != nullptr; // used by the next step
}

/// Loads into registers: those of one loop are asked for together.
void StructureFinder::findLoadWaits() {
  std::map<std::pair<const Loop *, bool>, llvm::SmallVector<unsigned>> found;
  for (unsigned i = 0; i < flat.body.size(); ++i) {
    if (flat.body[i].root != "ld" || !hasWord(flat.body[i], "global"))
      continue;
    unsigned block = flow.blockAt(i);
    auto &blocks = found[{findInnermost(block), isCovered(i)}];
    if (!llvm::is_contained(blocks, block))
      blocks.push_back(block);
  }
  for (auto &[key, blocks] : found)
    structure.waits.push_back({std::move(blocks), key.second ? 1u : 0u});
}

/// In the order of the flow, which need not be that of the text.
bool StructureFinder::isBefore(unsigned a, unsigned b) const {
  unsigned first = flow.rank[flow.blockAt(a)];
  unsigned second = flow.rank[flow.blockAt(b)];
  return first != second ? first < second : a < b;
}

/// Are there multiply-adds between the wait and the last copy above it?
bool StructureFinder::isCoveredAbove(unsigned wait) const {
  for (unsigned i = wait; i-- > 0;) {
    if (isMultiplyAdd(i))
      return true;
    if (isAsynchronous(i))
      return false;
  }
  return false;
}

/// Asynchronous copies: a wait is at the instruction that says so. Where a loop
/// waits first and then asks, what it asks for is for a step more ahead; so it
/// is where the steps are written out and one lies between asking and waiting.
void StructureFinder::findCopyWaits() {
  llvm::SmallVector<unsigned> copies;
  for (unsigned i = 0; i < flat.body.size(); ++i)
    if (isAsynchronous(i))
      copies.push_back(i);
  if (copies.empty())
    return;
  for (unsigned i = 0; i < flat.body.size(); ++i) {
    std::optional<unsigned> ahead = findGroupsAhead(i);
    if (!ahead)
      continue;
    auto *copy = llvm::find_if(copies, [&](unsigned copy) {
      return findInnermost({flow.blockAt(i), flow.blockAt(copy)}) != nullptr;
    });
    *ahead += copy != copies.end() ? isBefore(i, *copy) : isCoveredAbove(i);
    structure.waits.push_back(
        {{flow.blockAt(i)}, *ahead, /*isForCopies=*/true});
  }
}

//===----------------------------------------------------------------------===//
// Chains of multiply-adds
//===----------------------------------------------------------------------===//

/// What registers hold at the start of a block that one other leads to alone,
/// with no barrier in between.
StructureFinder::Depths
StructureFinder::getIncoming(unsigned block,
                             const std::map<unsigned, Depths> &out) {
  const Block &here = flow.blocks[block];
  if (here.predecessors.size() == 1) {
    const Block &before = flow.blocks[here.predecessors.front()];
    auto it = out.find(here.predecessors.front());
    if (it != out.end() && !isBarrier(flat.body[before.end - 1]))
      return it->second;
  }
  return Depths(flat.registers.size(), 0);
}

/// The number that a register holds at `before`, if the last instruction above
/// that writes it moves a number there.
std::optional<uint64_t> StructureFinder::findStart(unsigned reg,
                                                   unsigned before) const {
  for (unsigned i = before; i-- > 0;) {
    const ptx::Instruction &in = flat.body[i];
    bool isWritten = false;
    visitDefinitions(flat, in, [&](unsigned r) { isWritten |= r == reg; });
    if (!isWritten)
      continue;
    if (in.root != "mov" || in.guard)
      return std::nullopt;
    const ptx::Operand &from = in.operands[1];
    if (from.kind == ptx::Operand::Kind::Immediate)
      return from.bits;
    if (from.kind != ptx::Operand::Kind::Register)
      return std::nullopt;
    reg = from.reg;
  }
  return std::nullopt;
}

/// How often a loop of this one block runs, 0 where that is no number; nothing
/// where it is none, or must not be written out.
std::optional<int64_t> StructureFinder::findTrips(unsigned block) const {
  const Block &body = flow.blocks[block];
  const ptx::Instruction &jump = flat.body[body.end - 1];
  if (!llvm::is_contained(body.successors, block) || jump.root != "bra" ||
      !jump.guard || flat.body[body.first].isAfterNoUnroll)
    return std::nullopt;
  // setp %p, %i, bound of a counter to which the block adds a number.
  std::optional<uint64_t> bound, step, start;
  unsigned counter = 0;
  using Kind = ptx::Operand::Kind;
  for (unsigned i = body.first; i < body.end; ++i) {
    const ptx::Instruction &in = flat.body[i];
    if (in.root != "setp" || in.operands.size() != 3 ||
        in.operands[0].kind != Kind::Register ||
        in.operands[0].reg != *jump.guard ||
        in.operands[1].kind != Kind::Register ||
        in.operands[2].kind != Kind::Immediate)
      continue;
    counter = in.operands[1].reg;
    bound = in.operands[2].bits;
  }
  for (unsigned i = body.first; bound && i < body.end; ++i) {
    const ptx::Instruction &in = flat.body[i];
    if (in.root == "add" && in.operands[0].kind == Kind::Register &&
        in.operands[0].reg == counter &&
        in.operands[1].kind == Kind::Register &&
        in.operands[2].kind == Kind::Immediate) {
      step = in.operands[2].bits;
      // Its next value may have a name of its own.
      start = findStart(in.operands[1].reg, body.first);
    }
  }
  if (!step || !start || int32_t(*step) == 0)
    return 0;
  auto extent = int64_t(*bound - *start);
  return std::max<int64_t>(int32_t(extent) / int64_t(int32_t(*step)), 0);
}

/// Does the loop around this one of one block hold no other?
bool StructureFinder::isAlone(unsigned block) const {
  const Loop *around = nullptr;
  for (const Loop &loop : loops)
    if (loop.size() > 1 && llvm::is_contained(loop, block))
      around = &loop; // an inner one comes later
  return llvm::none_of(loops, [&](const Loop &loop) {
    return &loop != around && loop.front() != block &&
           (!around || llvm::is_contained(*around, loop.front()));
  });
}

KernelStructure::Copies StructureFinder::getCopies(unsigned block) const {
  std::optional<int64_t> trips = findTrips(block);
  if (!trips)
    return {};
  const Block &body = flow.blocks[block];
  int64_t instructions = 0;
  for (unsigned i = body.first; i < body.end; ++i)
    instructions += flat.body[i].root != "mov";
  if (*trips > 0 &&
      *trips * instructions <= (isAlone(block) ? kMostWhole : kMostCopied))
    return {unsigned(*trips), true};
  if (kPartCopies * instructions <= kMostCopied)
    return {kPartCopies, false};
  return {};
}

/// A block begins at each tensor instruction, since a warp meets there. The one
/// that this one goes on from; none where it begins otherwise.
std::optional<unsigned> StructureFinder::findContinued(unsigned block) const {
  const Block &body = flow.blocks[block];
  if (!isTensor(body.first) || body.predecessors.size() != 1 ||
      flow.blocks[body.predecessors.front()].successors.size() != 1)
    return std::nullopt;
  return body.predecessors.front();
}

void StructureFinder::findChains() {
  struct Found {
    KernelStructure::Chain chain;
    bool hasLoads;
  };
  std::map<unsigned, Depths> out;
  std::map<unsigned, Found> found; // by the last block
  for (unsigned block : flow.order) {
    Depths depths = getIncoming(block, out);
    Found now{{block, 0, 1}, /*hasLoads=*/false};
    if (std::optional<unsigned> before = findContinued(block))
      if (auto known = found.extract(*before))
        now = known.mapped();
    auto &[chain, hasLoads] = now;
    for (unsigned i = flow.blocks[block].first; i < flow.blocks[block].end;
         ++i) {
      unsigned depth = 0;
      visitUses(flat, flat.body[i],
                [&](unsigned r) { depth = std::max(depth, depths[r]); });
      hasLoads |= isLoad(i);
      if (isMultiplyAdd(i)) {
        ++chain.multiplyAdds;
        chain.depth = std::max(chain.depth, ++depth);
        // Tensor instructions take as long as many loads, one after the other.
        if (isTensor(i))
          chain.depth = chain.multiplyAdds;
      }
      visitDefinitions(flat, flat.body[i],
                       [&](unsigned r) { depths[r] = depth; });
    }
    out[block] = std::move(depths);
    found.emplace(block, now);
  }
  for (auto &[block, one] : found) {
    one.chain.depth *= structure.copies[one.chain.block].count;
    if (one.hasLoads && one.chain.multiplyAdds)
      structure.chains.push_back(one.chain);
  }
}

//===----------------------------------------------------------------------===//
// Loads that become one
//===----------------------------------------------------------------------===//

/// `loads` are offsets from one address and their sites.
void StructureFinder::mergeLoads(
    llvm::MutableArrayRef<std::pair<int64_t, uint32_t>> loads, unsigned bytes) {
  llvm::sort(loads);
  for (size_t first = 0; first < loads.size();) {
    size_t count = 1;
    while (first + count < loads.size() && (count + 1) * bytes <= kWidest &&
           loads[first + count].first ==
               loads[first].first + int64_t(count * bytes))
      ++count;
    count = count == 3 ? 2 : count; // there is no access of three
    for (size_t i = first; i < first + count; ++i) {
      structure.merged[loads[i].second] = 0;
      structure.leaders[loads[i].second] = loads[first].second;
    }
    structure.merged[loads[first].second] = uint8_t(count);
    first += count;
  }
}

void StructureFinder::findMerged() {
  llvm::DenseMap<const ptx::Instruction *, uint32_t> sites;
  for (uint32_t site = 0; site < plan.sites.size(); ++site) {
    structure.merged.push_back(1);
    structure.leaders.push_back(site);
    sites[plan.sites[site].instruction] = site;
  }
  // By the register or variable that addresses, and the width.
  using Key = std::tuple<unsigned, const ptx::Variable *, unsigned>;
  std::map<Key, llvm::SmallVector<std::pair<int64_t, uint32_t>, 8>> groups;
  auto flush = [&](std::optional<unsigned> reg = std::nullopt) {
    for (auto it = groups.begin(); it != groups.end();) {
      if (reg && std::get<0>(it->first) != *reg) {
        ++it;
        continue;
      }
      mergeLoads(it->second, std::get<2>(it->first));
      it = groups.erase(it);
    }
  };
  for (const Block &block : flow.blocks) {
    for (unsigned i = block.first; i < block.end; ++i) {
      const ptx::Instruction &in = flat.body[i];
      bool isShared = hasWord(in, "shared") || hasWord(in, "shared::cta");
      if (in.root != "ld" && (isShared || isBarrier(in)))
        flush(); // a store comes between
      visitDefinitions(flat, in, [&](unsigned r) { flush(r); });
      auto site = sites.find(&in);
      if (in.root != "ld" || !isShared || in.guard || hasWord(in, "volatile") ||
          site == sites.end() ||
          in.operands[0].kind != ptx::Operand::Kind::Register ||
          in.operands[1].kind != ptx::Operand::Kind::Address)
        continue;
      const ptx::Operand &base = in.operands[1].elements.front();
      unsigned bytes = plan.sites[site->second].bytes;
      if (bytes != 4 && bytes != 8)
        continue;
      bool isRegister = base.kind == ptx::Operand::Kind::Register;
      Key key(isRegister ? base.reg : ~0u, base.variable, bytes);
      groups[key].push_back(
          {base.offset + in.operands[1].offset, site->second});
    }
    flush();
  }
}

/// What a loop of one block adds to a register each time around.
std::optional<int64_t> StructureFinder::findStep(unsigned reg,
                                                 const Block &block) const {
  using Kind = ptx::Operand::Kind;
  auto isRegister = [](const ptx::Operand &operand, unsigned number) {
    return operand.kind == Kind::Register && operand.reg == number;
  };
  unsigned next = reg; // where its next value is
  for (unsigned i = block.end; i-- > block.first;) {
    const ptx::Instruction &in = flat.body[i];
    bool defines = false;
    visitDefinitions(flat, in, [&](unsigned r) { defines |= r == next; });
    if (!defines)
      continue;
    if (in.root == "mov" && in.operands[1].kind == Kind::Register) {
      next = in.operands[1].reg;
    } else if (in.root == "add" && isRegister(in.operands[1], reg) &&
               in.operands[2].kind == Kind::Immediate) {
      return int32_t(in.operands[2].bits);
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

void StructureFinder::findJoined() {
  structure.joined.assign(plan.sites.size(), 1);
  for (uint32_t site = 0; site < plan.sites.size(); ++site) {
    const ptx::Instruction &in = *plan.sites[site].instruction;
    unsigned number = flow.blockAt(site);
    unsigned copies = structure.copies[number].count;
    unsigned leader = structure.leaders[site];
    unsigned bytes = structure.merged[leader] * plan.sites[site].bytes;
    if (copies < 2 || in.root != "ld" || !hasWord(in, "shared") || in.guard ||
        hasWord(in, "volatile") || bytes < 4 || bytes >= kWidest ||
        in.operands[1].kind != ptx::Operand::Kind::Address)
      continue;
    const ptx::Operand &base = in.operands[1].elements.front();
    const Block &block = flow.blocks[number];
    bool stores = false; // between the copies
    for (unsigned i = block.first; i < block.end; ++i)
      stores |= flat.body[i].root != "ld" && hasWord(flat.body[i], "shared");
    if (stores || base.kind != ptx::Operand::Kind::Register ||
        findStep(base.reg, block) != int64_t(bytes))
      continue;
    structure.joined[site] =
        uint8_t(llvm::bit_floor(std::min<unsigned>(copies, kWidest / bytes)));
  }
}

KernelStructure StructureFinder::run() {
  structure.folding = findFolding(flat, flow);
  for (auto [number, block] : llvm::enumerate(flow.blocks))
    if (isBarrier(flat.body[block.end - 1]))
      structure.barriers.push_back(number);
  for (unsigned block = 0; block < flow.blocks.size(); ++block)
    structure.copies.push_back(getCopies(block));
  findLoadWaits();
  findCopyWaits();
  findChains();
  findMerged();
  findJoined();
  return std::move(structure);
}

KernelStructure findStructure(const KernelPlan &plan, const Flow &flow,
                              llvm::ArrayRef<Loop> loops) {
  return StructureFinder(plan, flow, loops).run();
}

} // namespace tc::emulator
