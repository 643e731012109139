//===- Lifetimes.cpp - Values that would lose their place -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Lifetimes.h"

#include "Nests/AccessPair.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tc;

/// The copies of the program that the three accesses run in.
static constexpr unsigned kWrite = 0, kOverwrite = 1, kRead = 2;

namespace {
/// A loop, or a branch, round an access.
struct Around {
  Operation *op;
  SmallVector<AffineExpr> indices;
  bool isOrdered;
};

/// An access of a stored buffer.
struct Use {
  NestAccess access;
  const StoredBuffer *stored;
  SmallVector<Around> around; ///< in the scope, the outermost first
  /// Which element it is: the indices of loops round the buffer, each iteration
  /// of which has one for itself, and the subscripts.
  SmallVector<AffineExpr> element;
  SmallVector<AffineExpr> place;
  bool isExact; ///< does it run whenever the loops do?
};

class OverwriteSearch {
public:
  OverwriteSearch(Block *scope, ArrayRef<StoredBuffer> buffers,
                  NestValues &values)
      : scope(scope), buffers(buffers), values(values) {}

  std::optional<Overwrite> run();

private:
  bool collect();
  std::optional<SmallVector<Around>> findAround(Operation *op);
  Cases getOrder(AccessPair &system, const Use &a, unsigned copyA, const Use &b,
                 unsigned copyB, bool isCertain);
  AccessPair begin(ArrayRef<const Use *> three);
  bool isWrittenOnce(const StoredBuffer &stored);
  std::optional<Use> findWriter(const Use &write, ArrayRef<AffineExpr> element,
                                const Use &other);
  bool addUnwritten(AccessPair &system, const StoredBuffer &stored,
                    ArrayRef<AffineExpr> element, const Use &other, bool isRead,
                    unsigned copy, SmallVectorImpl<Cases> &questions);
  void compareWrites(const Use &write, const Use &overwrite);
  void compareKept(const StoredBuffer &stored, const Use &overwrite);
  void compare(const Use *write, const Use &overwrite, const Use *read);
  void search(const AccessPair &system, ArrayRef<Cases> questions,
              Overwrite &candidate, bool mayProve);
  SmallVector<AffineExpr> inCopy(AccessPair &system, unsigned copy,
                                 ArrayRef<AffineExpr> exprs);

  Block *scope;
  ArrayRef<StoredBuffer> buffers;
  NestValues &values;
  std::vector<Use> uses;
  DenseMap<Value, bool> writtenOnce;
  std::optional<Overwrite> found;
  /// What the iterations of the three accesses are told by.
  SmallVector<AffineExpr> told[3];
};
} // namespace

/// Are iterations of `op` in no order?
static bool isConcurrent(Operation *op) {
  return isa<ParOp, ReduceOp, ScanOp>(op);
}

/// What is round `op` in the scope; none if something else than loops and
/// branches decides when it runs.
std::optional<SmallVector<Around>> OverwriteSearch::findAround(Operation *op) {
  SmallVector<Around> around;
  for (Operation *parent = op; parent->getBlock() != scope;) {
    parent = parent->getParentOp();
    SmallVector<NestRange> ranges = getRanges(parent);
    if (ranges.empty() && !isa<scf::IfOp>(parent))
      return std::nullopt;
    Around next{parent, {}, !isConcurrent(parent)};
    for (const NestRange &range : ranges)
      next.indices.push_back(values.getDim(range.index));
    around.insert(around.begin(), next);
  }
  return around;
}

/// Finds all accesses of the buffers. False, with one that is not known well
/// enough in `found`, if there is one.
bool OverwriteSearch::collect() {
  auto isUnknown = [&](const NestAccess &access) {
    found = Overwrite{std::nullopt, access, std::nullopt, {}, {}, {}};
    return false;
  };
  auto addAccess = [&](NestAccess &access) {
    for (const StoredBuffer &stored : buffers) {
      if (areDistinct(access.buffer, stored.buffer))
        continue;
      auto around = findAround(access.op);
      if (access.buffer != stored.buffer || access.isLinear || !around)
        return isUnknown(access);
      Use use{access, &stored, *around, {}, {}, access.isExact};
      Operation *maker = stored.buffer.getDefiningOp();
      for (const Around &loop : use.around) {
        use.isExact &= !isa<scf::IfOp>(loop.op);
        if (maker && loop.op->isProperAncestor(maker))
          llvm::append_range(use.element, loop.indices);
      }
      llvm::append_range(use.element, access.subscripts);
      for (AffineExpr result : stored.place.getResults())
        use.place.push_back(result.replaceDims(access.subscripts));
      uses.push_back(use);
    }
    return true;
  };
  for (Operation &top : *scope) {
    WalkResult result = top.walk([&](Operation *op) {
      for (NestAccess &access : getAccesses(op, values))
        // Memory that is made, or given back, holds no values.
        if (!access.op->hasTrait<OpTrait::IsTerminator>() &&
            access.op != access.buffer.getDefiningOp() && !addAccess(access))
          return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return false;
  }
  return true;
}

SmallVector<AffineExpr> OverwriteSearch::inCopy(AccessPair &system,
                                                unsigned copy,
                                                ArrayRef<AffineExpr> exprs) {
  return llvm::map_to_vector(
      exprs, [&](AffineExpr expr) { return system.in(copy, expr); });
}

/// The cases in which `a` runs before `b`, or if not certain may do so.
Cases OverwriteSearch::getOrder(AccessPair &system, const Use &a,
                                unsigned copyA, const Use &b, unsigned copyB,
                                bool isCertain) {
  Cases cases;
  Case equal;
  Operation *first = nullptr, *second = nullptr;
  for (unsigned depth = 0; !first; ++depth) {
    auto at = [&](const Use &use) {
      return depth < use.around.size() ? use.around[depth].op : use.access.op;
    };
    if (at(a) != at(b) || depth >= a.around.size() ||
        depth >= b.around.size()) {
      first = at(a), second = at(b);
      break;
    }
    for (auto [indexA, indexB] :
         llvm::zip_equal(a.around[depth].indices, b.around[depth].indices)) {
      AffineExpr x = system.in(copyA, indexA), y = system.in(copyB, indexB);
      for (const Case &differing : a.around[depth].isOrdered
                                       ? isBefore({x}, {y})
                                   : isCertain ? Cases()
                                               : differ({x}, {y}))
        cases.append(both({equal}, {differing}));
      equal.zeros.push_back(y - x);
    }
  }
  if (first != second && first->getBlock() == second->getBlock() &&
      first->isBeforeInBlock(second))
    cases.push_back(equal);
  return cases;
}

/// The ops whose values differ from copy to copy.
static SmallVector<Operation *> getParts(Block *scope) {
  SmallVector<Operation *> parts;
  for (Operation &op : *scope)
    if (op.getNumRegions() > 0)
      parts.push_back(&op);
  return parts;
}

/// What is known of accesses, each in a copy of the program; null for none.
AccessPair OverwriteSearch::begin(ArrayRef<const Use *> three) {
  SmallVector<Operation *> parts = getParts(scope);
  AccessPair system(parts, values);
  for (SmallVector<AffineExpr> &exprs : told)
    exprs.clear();
  for (auto [copy, use] : llvm::enumerate(three)) {
    if (!use)
      continue;
    for (const Around &loop : use->around)
      llvm::append_range(told[copy], inCopy(system, copy, loop.indices));
    for (AffineExpr index : told[copy])
      system.addKnown(index);
    for (AffineExpr condition : use->access.conditions)
      system.addNonNegative(system.in(copy, condition));
  }
  return system;
}

/// Is each element of the buffer written by one iteration alone?
bool OverwriteSearch::isWrittenOnce(const StoredBuffer &stored) {
  auto [entry, isNew] = writtenOnce.try_emplace(stored.buffer, true);
  if (!isNew)
    return entry->second;
  for (const Use &a : uses)
    for (const Use &b : uses) {
      if (a.stored != &stored || b.stored != &stored || !a.access.writes ||
          !b.access.writes)
        continue;
      AccessPair system = begin({&a, &b});
      system.addSame(a.element, b.element);
      for (const Case &ordered : getOrder(system, a, 0, b, 1, false)) {
        AccessPair both = system;
        both.add(ordered);
        if (!both.isProvablyEmpty())
          return entry->second = false;
      }
    }
  return true;
}

/// An iteration of `write` that writes `element`, if there can be one: a use
/// whose indices are over those of `other`, as the element is. Indices that do
/// not say which element it is are those of `other` in the same loop.
std::optional<Use> OverwriteSearch::findWriter(const Use &write,
                                               ArrayRef<AffineExpr> element,
                                               const Use &other) {
  DenseMap<AffineExpr, AffineExpr> replacement;
  for (auto [subscript, wanted] : llvm::zip_equal(write.element, element)) {
    AffineExpr index;
    subscript.walk([&](AffineExpr part) {
      if (isa<AffineDimExpr>(part))
        index = part;
    });
    auto apart = index ? dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
                             subscript - index, values.getNumDims(), 0))
                       : AffineConstantExpr();
    if (!apart || !replacement.try_emplace(index, wanted - apart).second)
      return std::nullopt;
  }
  Use writer = write;
  for (Around &loop : writer.around) {
    bool isShared = llvm::any_of(
        other.around, [&](const Around &own) { return own.op == loop.op; });
    for (AffineExpr &index : loop.indices) {
      auto known = replacement.find(index);
      if (known == replacement.end() && !isShared)
        return std::nullopt;
      if (known != replacement.end())
        index = known->second;
    }
  }
  return writer;
}

/// Adds the questions whether `element`, over the indices of `other` in `copy`,
/// is written by nobody, or, if that is a read, not before it. False if one of
/// the writes has no question.
bool OverwriteSearch::addUnwritten(AccessPair &system,
                                   const StoredBuffer &stored,
                                   ArrayRef<AffineExpr> element,
                                   const Use &other, bool isRead, unsigned copy,
                                   SmallVectorImpl<Cases> &questions) {
  bool areAll = true;
  for (const Use &write : uses) {
    if (!write.access.writes || write.stored != &stored)
      continue;
    std::optional<Use> writer = findWriter(write, element, other);
    if (!writer || !write.isExact) {
      areAll = false;
      continue;
    }
    Cases cases;
    if (isRead)
      cases = getOrder(system, other, copy, *writer, copy, false);
    DenseMap<AffineExpr, AffineExpr> replacement;
    for (auto [loop, known] : llvm::zip_equal(write.around, writer->around))
      for (auto [index, expr] : llvm::zip_equal(loop.indices, known.indices))
        replacement[index] = expr;
    bool isClosed = true;
    for (auto [index, expr] : replacement) {
      unsigned dim = cast<AffineDimExpr>(index).getPosition();
      isClosed &= values.hasAllConditions(dim);
      for (AffineExpr condition : values.getConditions(dim)) {
        Case outside;
        outside.nonNegatives.push_back(
            system.in(copy, -condition.replace(replacement) - 1));
        cases.push_back(outside);
      }
    }
    areAll &= isClosed;
    if (isClosed)
      questions.push_back(cases);
  }
  return areAll;
}

/// Answers the questions one after the other, as long as the answers so far may
/// all be true.
void OverwriteSearch::search(const AccessPair &system,
                             ArrayRef<Cases> questions, Overwrite &candidate,
                             bool mayProve) {
  if (found && found->isProven)
    return;
  if (!questions.empty()) {
    for (const Case &answer : questions.front()) {
      AccessPair next = system;
      next.add(answer);
      if (!next.isProvablyEmpty())
        search(next, questions.drop_front(), candidate, mayProve);
    }
    return;
  }
  if (!found)
    found = candidate;
  if (!mayProve || !system.isClosed())
    return;
  auto point = system.findPoint();
  if (!point)
    return;
  SmallVector<int64_t> *indices[] = {&candidate.written, &candidate.overwritten,
                                     &candidate.needed};
  for (auto [list, exprs] : llvm::zip_equal(indices, told))
    for (AffineExpr expr : exprs)
      list->push_back(point->lookup(cast<AffineDimExpr>(expr).getPosition()));
  candidate.isProven = true;
  found = candidate;
}

/// Is there a value of `write` that `read` needs and `overwrite` destroys? No
/// write: a value from the beginning; no read: one that is needed at the end.
void OverwriteSearch::compare(const Use *write, const Use &overwrite,
                              const Use *read) {
  const Use &value = read ? *read : *write;
  unsigned copy = read ? kRead : kWrite;
  bool mayProve =
      (!write || (isWrittenOnce(*value.stored) && write->isExact)) &&
      overwrite.isExact && (!read || read->isExact);
  AccessPair system = begin({write, &overwrite, read});
  if (write && read)
    for (auto [a, b] : llvm::zip_equal(write->element, read->element))
      system.addZero(system.in(kWrite, a) - system.in(kRead, b));
  for (auto [a, b] : llvm::zip_equal(value.place, overwrite.place))
    system.addZero(system.in(copy, a) - system.in(kOverwrite, b));
  if (system.isProvablyEmpty())
    return;
  SmallVector<Cases> questions;
  if (value.stored == overwrite.stored)
    questions.push_back(differ(inCopy(system, copy, value.element),
                               inCopy(system, kOverwrite, overwrite.element)));
  if (write)
    questions.push_back(
        getOrder(system, *write, kWrite, overwrite, kOverwrite, false));
  if (read)
    questions.push_back(
        getOrder(system, overwrite, kOverwrite, *read, kRead, false));
  if (write && read)
    questions.push_back(getOrder(system, *write, kWrite, *read, kRead, true));
  if (!write)
    mayProve &= addUnwritten(system, *value.stored, value.element, value,
                             /*isRead=*/true, kRead, questions);
  Overwrite candidate{write ? std::optional(write->access) : std::nullopt,
                      overwrite.access,
                      read ? std::optional(read->access) : std::nullopt,
                      {},
                      {},
                      {}};
  search(system, questions, candidate, mayProve);
}

/// Do two writes that are in no order reach one place?
void OverwriteSearch::compareWrites(const Use &write, const Use &overwrite) {
  AccessPair system = begin({&write, &overwrite});
  for (auto [a, b] : llvm::zip_equal(write.place, overwrite.place))
    system.addZero(system.in(kWrite, a) - system.in(kOverwrite, b));
  SmallVector<Cases> questions;
  if (write.stored == overwrite.stored)
    questions.push_back(differ(inCopy(system, kWrite, write.element),
                               inCopy(system, kOverwrite, overwrite.element)));
  questions.push_back(
      getOrder(system, write, kWrite, overwrite, kOverwrite, false));
  questions.push_back(
      getOrder(system, overwrite, kOverwrite, write, kWrite, false));
  Overwrite candidate{write.access, overwrite.access, std::nullopt, {}, {}, {}};
  candidate.isRace = true;
  search(system, questions, candidate, write.isExact && overwrite.isExact);
}

/// Does `overwrite` destroy a value of `stored` that is there from the
/// beginning to the end? The element is that of its place: a buffer with such
/// values is the one that the others are stored in.
void OverwriteSearch::compareKept(const StoredBuffer &stored,
                                  const Use &overwrite) {
  AccessPair system = begin({nullptr, &overwrite});
  SmallVector<Cases> questions;
  bool areAll = addUnwritten(system, stored, overwrite.place, overwrite,
                             /*isRead=*/false, kOverwrite, questions);
  Overwrite candidate{std::nullopt, overwrite.access, std::nullopt, {}, {}, {}};
  search(system, questions, candidate, overwrite.isExact && areAll);
}

std::optional<Overwrite> OverwriteSearch::run() {
  if (!collect())
    return found;
  for (const Use &overwrite : uses) {
    if (!overwrite.access.writes)
      continue;
    for (const Use &use : uses) {
      // An atomic update reads what it writes.
      if (!use.access.writes || use.access.isAtomic) {
        for (const Use &write : uses)
          if (write.access.writes && write.stored == use.stored)
            compare(&write, overwrite, &use);
        if (use.stored->hasInitial)
          compare(nullptr, overwrite, &use);
      }
      if (use.access.writes && use.stored->hasFinal)
        compare(&use, overwrite, nullptr);
      if (use.access.writes)
        compareWrites(use, overwrite);
    }
  }
  for (const StoredBuffer &stored : buffers)
    for (const Use &overwrite : uses)
      if (overwrite.access.writes && overwrite.stored != &stored &&
          stored.hasInitial && stored.hasFinal)
        compareKept(stored, overwrite);
  return found;
}

std::optional<Overwrite> mlir::tc::findOverwrite(Block *scope,
                                                 ArrayRef<StoredBuffer> buffers,
                                                 NestValues &values) {
  return OverwriteSearch(scope, buffers, values).run();
}
