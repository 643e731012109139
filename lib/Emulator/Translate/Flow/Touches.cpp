//===- Touches.cpp - Accesses that may disturb wgmma ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `wgmma` accesses its registers until a `wgmma.wait_group` covers it, and must
// not begin before a `wgmma.fence` has ordered earlier accesses to them (PTX
// ISA, section 9.7.15.7.1). What other instructions do to these registers is
// told to the runtime, which knows the rest, where it could be wrong on some
// path. In right programs that is almost nowhere. Copies by `mov` are placed by
// the assembler: compilers write them behind the fence. So they count as what
// they copy, which is followed here to where it comes from.
//
//===----------------------------------------------------------------------===//

#include "Translate/Flow/Flow.h"

namespace tc::emulator {

namespace {

/// By register, as in FlatBody::trackedRegisters.
class TouchFinder {
public:
  TouchFinder(const FlatBody &flat, const Flow &flow)
      : flat(flat), flow(flow), open(flow.blocks.size()),
        flying(flow.blocks.size()), unfenced(flow.blocks.size()) {}

  llvm::BitVector run() {
    unsigned registers = flat.trackedRegisters.size();
    touches.resize(flat.body.size());
    for (auto *sets : {&open, &flying, &unfenced})
      for (llvm::BitVector &set : *sets)
        set.resize(registers);
    for (bool changed = true; changed;) {
      changed = false;
      for (unsigned block : flow.order)
        changed |= goForward(block);
      for (unsigned block : llvm::reverse(flow.order))
        changed |= goBackward(block);
    }
    return std::move(touches);
  }

private:
  template <typename Visit>
  void visitTracked(const ptx::Instruction &in, Visit visit) {
    auto at = [&](unsigned reg) {
      auto found = flat.trackedPlaces.find(reg);
      if (found != flat.trackedPlaces.end())
        visit(found->second);
    };
    visitUses(flat, in, at);
    visitDefinitions(flat, in, at);
  }

  bool isIn(const llvm::BitVector &set, unsigned reg) const {
    auto found = flat.trackedPlaces.find(reg);
    return found != flat.trackedPlaces.end() && set.test(found->second);
  }

  /// Notes instruction `i` if it accesses a register of `set`.
  void touch(unsigned i, const llvm::BitVector &set) {
    visitTracked(flat.body[i], [&](unsigned place) {
      if (set.test(place))
        touches.set(i);
    });
  }

  /// Registers that a `wgmma` before may still access, whether its group was
  /// committed or not.
  bool goForward(unsigned block) {
    llvm::BitVector ofOpen(flat.trackedRegisters.size()), all = ofOpen;
    for (unsigned from : flow.blocks[block].predecessors) {
      ofOpen |= open[from];
      all |= flying[from];
    }
    for (unsigned i = flow.blocks[block].first; i < flow.blocks[block].end;
         ++i) {
      const ptx::Instruction &in = flat.body[i];
      if (in.root != "wgmma")
        touch(i, all);
      else if (in.matrix)
        visitTracked(in, [&](unsigned place) {
          ofOpen.set(place);
          all.set(place);
        });
      else if (in.has("commit_group") && !in.guard)
        ofOpen.reset();
      else if (writesLate(in) && !in.guard && in.operands[0].bits == 0)
        all = ofOpen;
    }
    bool changed = ofOpen != open[block] || all != flying[block];
    open[block] = std::move(ofOpen);
    flying[block] = std::move(all);
    return changed;
  }

  /// Registers that a `wgmma` behind may access before the next fence.
  bool goBackward(unsigned block) {
    llvm::BitVector set(flat.trackedRegisters.size());
    for (unsigned to : flow.blocks[block].successors)
      set |= unfenced[to];
    for (unsigned i = flow.blocks[block].end; i-- > flow.blocks[block].first;) {
      const ptx::Instruction &in = flat.body[i];
      if (in.root != "wgmma") {
        touch(i, set);
        if (std::optional<Copied> copied = getCopied(in))
          if (copied->from && isIn(set, copied->to))
            set.set(flat.trackedPlaces.lookup(*copied->from));
      } else if (in.matrix)
        visitTracked(in, [&](unsigned place) { set.set(place); });
      else if (in.has("fence") && !in.guard)
        set.reset();
    }
    bool changed = set != unfenced[block];
    unfenced[block] = std::move(set);
    return changed;
  }

  const FlatBody &flat;
  const Flow &flow;
  /// By block, at its end; the first are those that are not committed.
  std::vector<llvm::BitVector> open, flying;
  std::vector<llvm::BitVector> unfenced; ///< by block, at its start
  llvm::BitVector touches;
};

} // namespace

void Flow::findTouches(const FlatBody &flat) {
  if (!flat.lateRegisters.empty())
    touches = TouchFinder(flat, *this).run();
}

} // namespace tc::emulator
