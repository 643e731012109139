//===- NestDependence.cpp - Do accesses of threads meet -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two accesses are two copies of the program's values: those that both see are
// shared, those of a thread's own iteration, and of loops in between, are not.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/NestDependence.h"

#include "tc/Analysis/IntegerSystem.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

/// The coordinates x, y and z among the members of `op`'s team; none without a
/// mapping.
static ThreadNumber getMember(ParOp op, NestValues &values) {
  if (!op.getMappingAttr() || op.getLevel() == Level::Device)
    return std::nullopt;
  auto mapping =
      llvm::expectedToOptional(op.getMappingAttr().getMapping(op.getSpace()));
  if (!mapping)
    return std::nullopt;
  MLIRContext *context = values.getContext();
  SmallVector<AffineExpr> indices, symbols;
  for (Value index : op.getIndices())
    indices.push_back(values.getDim(index));
  for (Value bound : op->getOperands())
    symbols.push_back(values.trace(bound));
  SmallVector<AffineExpr, 3> coordinates(3, getAffineConstantExpr(0, context));
  SmallVector<AffineExpr> thread = mapping->forward(indices);
  for (auto [i, expr] : llvm::enumerate(
           llvm::reverse(ArrayRef(thread).drop_front(mapping->serialRank()))))
    if (i < 3)
      coordinates[i] = expr.replaceSymbols(symbols);
  return coordinates;
}

ThreadNumber mlir::tc::getThreadNumber(Operation *op, ParOp outermost,
                                       NestValues &values) {
  ThreadNumber number = getMember(outermost, values);
  if (!number)
    return std::nullopt;
  SmallVector<ParOp> nest; // of several threads, the innermost first
  for (Operation *parent = op; parent != outermost;
       parent = parent->getParentOp())
    if (auto par = dyn_cast<ParOp>(parent);
        par && par.getLevel() && *par.getLevel() != Level::Thread)
      nest.push_back(par);
  // A block of the cluster, and a thread of it.
  if (outermost.getLevel() == Level::Cluster) {
    ThreadNumber thread =
        nest.empty() ? std::nullopt : getThreadNumber(op, nest.back(), values);
    if (!thread)
      return std::nullopt;
    llvm::append_range(*number, *thread);
    return number;
  }
  int64_t perMember = outermost.getMemberThreads();
  for (ParOp par : llvm::reverse(nest)) {
    // The member of a member: its number among all threads is linear.
    ThreadNumber inner = getMember(par, values);
    if (!inner || perMember != getTeamThreads(*par.getLevel()))
      return std::nullopt;
    int64_t innerThreads = par.getMemberThreads();
    (*number)[0] = (*number)[0] * (perMember / innerThreads) + (*inner)[0];
    perMember = innerThreads;
  }
  return perMember == 1 ? number : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Dependences
//===----------------------------------------------------------------------===//

namespace {
/// The conditions under which two accesses reach one element.
class Pair {
public:
  /// Values of `copied` and of what is inside of these ops differ.
  Pair(ArrayRef<Operation *> copied, NestValues &values)
      : values(values), system(values.getContext()), copied(copied) {}

  /// Adds `expr >= 0`, and what is known of its variables.
  void addNonNegative(AffineExpr expr) {
    system.addNonNegative(expr);
    addKnown(expr);
  }
  void addZero(AffineExpr expr) {
    system.addZero(expr);
    addKnown(expr);
  }
  /// Are the subscripts of the first access those of the second?
  void addSame(ArrayRef<AffineExpr> first, ArrayRef<AffineExpr> second) {
    for (auto [a, b] : llvm::zip_equal(first, second))
      addZero(a - inSecond(b));
  }
  /// `expr` over the values that the second access sees.
  AffineExpr inSecond(AffineExpr expr) {
    DenseMap<AffineExpr, AffineExpr> replacement;
    expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        if (!isShared(dim.getPosition()))
          replacement[part] = getSecond(dim.getPosition());
    });
    return expr.replace(replacement);
  }
  bool isProvablyEmpty() const { return system.isProvablyEmpty(); }
  /// Are all variables indices, of which everything is known?
  bool isClosed() const {
    return llvm::all_of(known, [&](unsigned dim) {
      return values.hasAllConditions(origin.lookup_or(dim, dim));
    });
  }
  std::optional<DenseMap<unsigned, int64_t>> findPoint() const {
    return system.findPoint();
  }

private:
  /// Has the variable one value for both?
  bool isShared(unsigned dim) {
    Value value = values.getValue(dim);
    if (!value)
      return false;
    Region *region = value.getParentRegion();
    return llvm::none_of(copied, [&](Operation *op) {
      return op->isAncestor(region->getParentOp()) ||
             value.getDefiningOp() == op;
    });
  }
  AffineExpr getSecond(unsigned dim) {
    AffineExpr &copy = second[dim];
    if (!copy) {
      copy = values.addDim();
      origin[cast<AffineDimExpr>(copy).getPosition()] = dim;
    }
    return copy;
  }
  void addKnown(AffineExpr expr) {
    expr.walk([&](AffineExpr part) {
      auto dim = dyn_cast<AffineDimExpr>(part);
      if (!dim || !known.insert(dim.getPosition()).second)
        return;
      unsigned own = dim.getPosition(), original = origin.lookup_or(own, own);
      for (AffineExpr condition : values.getConditions(original))
        addNonNegative(own == original ? condition : inSecond(condition));
    });
  }

  NestValues &values;
  IntegerSystem system;
  /// Ops whose values either access has for itself.
  SmallVector<Operation *> copied;
  DenseMap<unsigned, AffineExpr> second;
  DenseMap<unsigned, unsigned> origin;
  DenseSet<unsigned> known;
};
} // namespace

/// The subscripts of both in one form; none when that is not known.
static std::optional<
    std::pair<SmallVector<AffineExpr>, SmallVector<AffineExpr>>>
alignSubscripts(const NestAccess &first, const NestAccess &second) {
  if (!first.isKnown() || !second.isKnown())
    return std::nullopt;
  if (first.isLinear == second.isLinear)
    return std::make_pair(first.subscripts, second.subscripts);
  auto type = dyn_cast<MemRefType>(first.buffer.getType());
  if (!type)
    return std::nullopt;
  auto flatten = [&](const NestAccess &access) -> SmallVector<AffineExpr> {
    if (access.isLinear)
      return access.subscripts;
    return {getDistance(type, access.subscripts)};
  };
  auto flat = std::make_pair(flatten(first), flatten(second));
  if (!flat.first.front() || !flat.second.front())
    return std::nullopt;
  return flat;
}

bool mlir::tc::mayCrossThreads(const ThreadAccess &first,
                               const ThreadAccess &second,
                               ArrayRef<Operation *> carriers,
                               NestValues &values) {
  auto subscripts = alignSubscripts(first.access, second.access);
  if (!subscripts)
    return true;
  SmallVector<Operation *> copied(carriers);
  for (const ThreadAccess *access : {&first, &second})
    if (isa<ParOp>(access->teamOp))
      copied.push_back(access->teamOp);
  Pair meeting(copied, values);
  meeting.addSame(subscripts->first, subscripts->second);
  for (AffineExpr condition : first.access.conditions)
    meeting.addNonNegative(condition);
  for (AffineExpr condition : second.access.conditions)
    meeting.addNonNegative(meeting.inSecond(condition));
  if (meeting.isProvablyEmpty())
    return false;
  if (!first.thread || !second.thread)
    return true;
  for (auto [a, b] : llvm::zip_equal(*first.thread, *second.thread)) {
    AffineExpr difference = a - meeting.inSecond(b);
    for (AffineExpr apart : {difference - 1, -difference - 1}) {
      Pair crossing = meeting;
      crossing.addNonNegative(apart);
      if (!crossing.isProvablyEmpty())
        return true;
    }
  }
  return false;
}

/// The indices of an iteration at a point; those that do not occur may be any,
/// and are the first.
static SmallVector<int64_t>
getIndices(ParOp par, function_ref<std::optional<int64_t>(Value)> find) {
  SmallVector<int64_t> indices;
  for (auto [index, lower] :
       llvm::zip_equal(par.getIndices(), par.getStaticLower()))
    indices.push_back(
        find(index).value_or(ShapedType::isDynamic(lower) ? 0 : lower));
  return indices;
}

std::optional<IterationPair> mlir::tc::findMeeting(ParOp par,
                                                   const NestAccess &first,
                                                   const NestAccess &second,
                                                   NestValues &values) {
  auto subscripts = alignSubscripts(first, second);
  if (!subscripts)
    return std::nullopt;
  Operation *copied[] = {par};
  Pair meeting(copied, values);
  meeting.addSame(subscripts->first, subscripts->second);
  for (Value index : par.getIndices()) {
    AffineExpr here = values.getDim(index), there = meeting.inSecond(here);
    for (AffineExpr apart : {here - there - 1, there - here - 1}) {
      Pair differing = meeting;
      differing.addNonNegative(apart);
      auto point = differing.isClosed() ? differing.findPoint() : std::nullopt;
      if (!point)
        continue;
      auto valueOf = [&](AffineExpr dim) -> std::optional<int64_t> {
        auto at = point->find(cast<AffineDimExpr>(dim).getPosition());
        return at == point->end() ? std::nullopt : std::optional(at->second);
      };
      return IterationPair{
          getIndices(par, [&](Value i) { return valueOf(values.getDim(i)); }),
          getIndices(par, [&](Value i) {
            return valueOf(differing.inSecond(values.getDim(i)));
          })};
    }
  }
  return std::nullopt;
}
