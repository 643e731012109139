//===- NestDependence.cpp - Do accesses of threads meet -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "tc/Analysis/NestDependence.h"

#include "Nests/AccessPair.h"

#include "llvm/ADT/STLExtras.h"

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
  AccessPair meeting(copied, values);
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
      AccessPair crossing = meeting;
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
  AccessPair meeting(copied, values);
  meeting.addSame(subscripts->first, subscripts->second);
  for (Value index : par.getIndices()) {
    AffineExpr here = values.getDim(index), there = meeting.inSecond(here);
    for (AffineExpr apart : {here - there - 1, there - here - 1}) {
      AccessPair differing = meeting;
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
