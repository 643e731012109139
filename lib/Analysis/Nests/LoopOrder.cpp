//===- LoopOrder.cpp - May iterations change places -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/LoopOrder.h"

#include "Nests/AccessPair.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// What `op`, and what is inside of it, touches that `loop`, round it, does not
/// make anew in each iteration.
static SmallVector<NestAccess> collect(Operation *op, Operation *loop,
                                       NestValues &values) {
  SmallVector<NestAccess> accesses;
  op->walk([&](Operation *nested) {
    for (NestAccess &access : getAccesses(nested, values))
      if (!loop->isAncestor(access.buffer.getParentRegion()->getParentOp()))
        accesses.push_back(access);
  });
  return accesses;
}

/// Do two atomic updates leave the same, whichever is first?
static bool commute(const NestAccess &first, const NestAccess &second) {
  auto a = dyn_cast<memref::AtomicRMWOp>(first.op),
       b = dyn_cast<memref::AtomicRMWOp>(second.op);
  if (!a || !b || a.getKind() != b.getKind() || !a.use_empty() ||
      !b.use_empty())
    return false;
  switch (a.getKind()) {
  case arith::AtomicRMWKind::addi:
  case arith::AtomicRMWKind::muli:
  case arith::AtomicRMWKind::andi:
  case arith::AtomicRMWKind::ori:
  case arith::AtomicRMWKind::maxs:
  case arith::AtomicRMWKind::mins:
  case arith::AtomicRMWKind::maxu:
  case arith::AtomicRMWKind::minu:
    return true;
  default: // Sums of floats depend on their order.
    return false;
  }
}

static bool mayConflict(const NestAccess &first, const NestAccess &second) {
  return (first.writes || second.writes) &&
         !areDistinct(first.buffer, second.buffer) && !commute(first, second);
}

/// The loops between `op` and `copied`, all of them round it or none. None if
/// something else decides whether it runs.
static std::optional<SmallVector<Operation *>>
findLoops(Operation *op, ArrayRef<Operation *> copied) {
  SmallVector<Operation *> loops;
  for (Operation *parent = op->getParentOp();
       !llvm::is_contained(copied, parent); parent = parent->getParentOp()) {
    if (!isa<ParOp, SeqOp, scf::ForOp>(parent))
      return std::nullopt;
    loops.push_back(parent);
  }
  return loops;
}

Operation *mlir::tc::findUnknownEffect(Operation *op) {
  Operation *found = nullptr;
  op->walk([&](Operation *nested) {
    auto effects = dyn_cast<MemoryEffectOpInterface>(nested);
    bool isKnown = nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
                   nested->hasTrait<OpTrait::IsTerminator>();
    if (effects) {
      SmallVector<MemoryEffects::EffectInstance> instances;
      effects.getEffects(instances);
      isKnown = llvm::all_of(instances, [](const auto &instance) {
        return instance.getValue() ||
               isa<MemoryEffects::Allocate>(instance.getEffect());
      });
    }
    if (isKnown)
      return WalkResult::advance();
    found = nested;
    return WalkResult::interrupt();
  });
  return found;
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

namespace {
/// Looks for a clash of accesses in two copies of the program.
class ClashSearch {
public:
  /// Values in `copied` differ. The iterations of an example are told by
  /// `first` and `second`, indices that the two accesses see.
  ClashSearch(ArrayRef<Operation *> copied, ValueRange first, ValueRange second,
              NestValues &values)
      : copied(copied), values(values) {
    for (Value index : first)
      before.push_back(values.getDim(index));
    for (Value index : second)
      after.push_back(values.getDim(index));
  }

  /// Tries all pairs of accesses that meet in one of the cases, as they are for
  /// the two copies.
  using GetCases = function_ref<Cases(AccessPair &)>;
  void search(ArrayRef<NestAccess> firsts, ArrayRef<NestAccess> seconds,
              GetCases getCases) {
    for (const NestAccess &first : firsts)
      for (const NestAccess &second : seconds)
        if (mayConflict(first, second)) {
          compare(first, second, getCases);
          if (clash && clash->isProven())
            return;
        }
  }

  std::optional<Clash> clash;
  SmallVector<AffineExpr> before, after;

private:
  void compare(const NestAccess &first, const NestAccess &second,
               GetCases getCases);
  SmallVector<int64_t> getIndices(ArrayRef<AffineExpr> dims,
                                  const DenseMap<unsigned, int64_t> &point);

  SmallVector<Operation *> copied;
  NestValues &values;
};
} // namespace

SmallVector<int64_t>
ClashSearch::getIndices(ArrayRef<AffineExpr> dims,
                        const DenseMap<unsigned, int64_t> &point) {
  return llvm::map_to_vector(dims, [&](AffineExpr dim) {
    return point.lookup(cast<AffineDimExpr>(dim).getPosition());
  });
}

void ClashSearch::compare(const NestAccess &first, const NestAccess &second,
                          GetCases getCases) {
  auto subscripts = first.buffer == second.buffer
                        ? alignSubscripts(first, second)
                        : std::nullopt;
  AccessPair meeting(copied, values);
  SmallVector<AffineExpr> later;
  for (AffineExpr dim : after) {
    later.push_back(meeting.inSecond(dim));
    meeting.addKnown(later.back());
  }
  for (AffineExpr dim : before)
    meeting.addKnown(dim);
  if (subscripts)
    meeting.addSame(subscripts->first, subscripts->second);
  for (AffineExpr condition : first.conditions)
    meeting.addNonNegative(condition);
  for (AffineExpr condition : second.conditions)
    meeting.addNonNegative(meeting.inSecond(condition));
  // The example is one of iterations that there are of all loops.
  auto runs = [&](const NestAccess &access, bool isSecond) {
    auto loops = findLoops(access.op, copied);
    for (Operation *loop : loops.value_or(SmallVector<Operation *>()))
      for (const NestRange &range : getRanges(loop)) {
        AffineExpr dim = values.getDim(range.index);
        meeting.addKnown(isSecond ? meeting.inSecond(dim) : dim);
      }
    return access.isExact && loops;
  };
  bool areExact = subscripts && runs(first, false);
  areExact &= runs(second, true);
  for (const Case &current : getCases(meeting)) {
    AccessPair changed = meeting;
    changed.add(current);
    if (changed.isProvablyEmpty())
      continue;
    if (!clash)
      clash = Clash{first, second, {}, {}};
    if (!areExact || !changed.isClosed())
      continue;
    if (auto point = changed.findPoint()) {
      clash = Clash{first, second, getIndices(before, *point),
                    getIndices(later, *point)};
      return;
    }
  }
}

std::optional<Clash> mlir::tc::findReordered(Operation *outermost,
                                             ValueRange indices,
                                             ArrayRef<AffineExpr> times,
                                             NestValues &values) {
  ClashSearch search({outermost}, indices, indices, values);
  SmallVector<NestAccess> accesses = collect(outermost, outermost, values);
  search.search(accesses, accesses, [&](AccessPair &pair) {
    SmallVector<AffineExpr> second, later;
    for (AffineExpr dim : search.after)
      second.push_back(pair.inSecond(dim));
    for (AffineExpr time : times)
      later.push_back(pair.inSecond(time));
    return both(isBefore(search.before, second),
                either(isBefore(later, times), isSame(later, times)));
  });
  return search.clash;
}

/// The indices of a nest; none of another op.
static ValueRange getIndices(Operation *nest) {
  if (auto par = dyn_cast<ParOp>(nest))
    return par.getIndices();
  if (auto seq = dyn_cast<SeqOp>(nest))
    return seq.getIndices();
  return {};
}

std::optional<Clash> mlir::tc::findOvertaken(Operation *first,
                                             Operation *second, bool inOrder,
                                             NestValues &values) {
  ClashSearch search({first, second}, getIndices(first), getIndices(second),
                     values);
  search.search(collect(first, first, values), collect(second, second, values),
                [&](AccessPair &pair) {
                  SmallVector<AffineExpr> later;
                  for (AffineExpr dim : search.after)
                    later.push_back(pair.inSecond(dim));
                  Cases overtaken = isBefore(later, search.before);
                  return inOrder ? overtaken
                                 : either(overtaken,
                                          isBefore(search.before, later));
                });
  return search.clash;
}

std::optional<Clash> mlir::tc::findCutThrough(Operation *loop, Operation *cut,
                                              NestValues &values) {
  SmallVector<NestAccess> before, after;
  for (Operation &op : *cut->getBlock())
    llvm::append_range(&op == cut || cut->isBeforeInBlock(&op) ? after : before,
                       collect(&op, loop, values));
  ValueRange indices = getIndices(loop);
  ClashSearch search({loop}, indices, indices, values);
  search.search(after, before, [&](AccessPair &pair) {
    SmallVector<AffineExpr> later;
    for (AffineExpr dim : search.after)
      later.push_back(pair.inSecond(dim));
    return isBefore(search.before, later);
  });
  return search.clash;
}

std::optional<Clash> mlir::tc::findStale(Operation *nest, Value made,
                                         Operation *later, bool mayFollow,
                                         NestValues &values) {
  SmallVector<NestAccess> reads = collect(nest, nest, values),
                          writes = collect(later, later, values);
  llvm::erase_if(reads, [&](const NestAccess &access) {
    return access.writes || access.buffer == made;
  });
  llvm::erase_if(writes,
                 [](const NestAccess &access) { return !access.writes; });
  ClashSearch search({nest, later}, getIndices(nest), getIndices(later),
                     values);
  search.search(reads, writes, [](AccessPair &) { return Cases{Case()}; });
  if (search.clash && mayFollow)
    search.clash->before.clear();
  return search.clash;
}

std::optional<Clash> mlir::tc::findCarried(Operation *loop, Value buffer,
                                           NestValues &values) {
  SmallVector<NestAccess> writes, reads;
  for (const NestAccess &access : collect(loop, loop, values)) {
    if (access.buffer != buffer)
      continue;
    if (access.writes)
      writes.push_back(access);
    if (!access.writes || access.isAtomic)
      reads.push_back(access);
  }
  ValueRange indices = getIndices(loop);
  ClashSearch search({loop}, indices, indices, values);
  search.search(writes, reads, [&](AccessPair &pair) {
    SmallVector<AffineExpr> later;
    for (AffineExpr dim : search.after)
      later.push_back(pair.inSecond(dim));
    return isBefore(search.before, later);
  });
  return search.clash;
}
