//===- Mapping.cpp - A list of combinators over one index space -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Composition, and the order of hardware axes.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/Mapping.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

namespace mlir::tc {

using Kind = Combinator::Kind;

/// May `next` follow? What gives dimensions their role on the machine comes
/// last, and loops of a thread before the grid and the block.
static bool mayFollow(const Combinator &combinator, const Combinator &next) {
  return combinator.kind() != Kind::GridBlock &&
         (combinator.kind() != Kind::Serial || next.kind() == Kind::GridBlock);
}

llvm::Expected<Mapping> Mapping::get(const IndexSpace &domain,
                                     ArrayRef<Combinator> combinators) {
  if (llvm::Error error = domain.verify())
    return llvm::Expected<Mapping>(std::move(error));
  Mapping mapping(domain);
  for (auto [place, combinator] : llvm::enumerate(combinators)) {
    if (place > 0 && !mayFollow(combinators[place - 1], combinator))
      return llvm::createStringError(
          llvm::Twine("expected nothing ") +
          (combinators[place - 1].kind() == Kind::Serial ? "but grid_block "
                                                         : "") +
          "after " + combinators[place - 1].name() + ", got " +
          combinator.name());
    if (llvm::Error error = mapping.append(combinator))
      return llvm::createStringError(combinator.name() + " at place " +
                                     llvm::Twine(place + 1) + ": " +
                                     llvm::toString(std::move(error)));
  }
  return mapping;
}

/// May a grid and a block of `inBlock` dimensions have `rank` together?
static llvm::Error checkAxes(unsigned rank, int64_t inBlock) {
  if (inBlock > rank)
    return llvm::createStringError("expected at least " + llvm::Twine(inBlock) +
                                   " dimensions beside those of serial, got " +
                                   llvm::Twine(rank));
  if (rank - inBlock > 3)
    return llvm::createStringError(
        "expected at most 3 grid dimensions in grid_block, got " +
        llvm::Twine(rank - inBlock));
  return llvm::Error::success();
}

llvm::Error Mapping::append(const Combinator &combinator) {
  llvm::Expected<MapStep> step = combinator.apply(image());
  if (!step)
    return step.takeError();
  if (combinator.kind() == Kind::GridBlock)
    if (llvm::Error error = checkAxes(step->image.rank() - serialRank(),
                                      combinator.arguments().front()))
      return error;
  steps.push_back(std::move(*step));
  applied.push_back(combinator);
  return llvm::Error::success();
}

/// `exprs` of d0, d1, ... at an index.
static SmallVector<AffineExpr> at(ArrayRef<AffineExpr> exprs,
                                  ArrayRef<AffineExpr> index) {
  return llvm::map_to_vector(
      exprs, [&](AffineExpr expr) { return expr.replaceDims(index); });
}

SmallVector<AffineExpr> Mapping::forward(ArrayRef<AffineExpr> index) const {
  assert(index.size() == domain().rank() && "one index a dimension");
  SmallVector<AffineExpr> result(index);
  for (const MapStep &step : steps)
    result = at(step.forward, result);
  return result;
}

SmallVector<AffineExpr> Mapping::inverse(ArrayRef<AffineExpr> thread) const {
  assert(thread.size() == image().rank() && "one index a dimension");
  SmallVector<AffineExpr> result(thread);
  for (const MapStep &step : llvm::reverse(steps))
    result = at(step.inverse, result);
  return result;
}

SmallVector<AffineExpr> Mapping::guard(ArrayRef<AffineExpr> thread) const {
  assert(thread.size() == image().rank() && "one index a dimension");
  SmallVector<AffineExpr> conditions, index(thread);
  for (const MapStep &step : llvm::reverse(steps)) {
    for (AffineExpr condition : at(step.guard, index)) {
      std::optional<int64_t> value = staticValue(condition);
      bool always = value && *value >= 0;
      if (!always && !llvm::is_contained(conditions, condition))
        conditions.push_back(condition);
    }
    index = at(step.inverse, index);
  }
  return conditions;
}

//===----------------------------------------------------------------------===//
// Hardware axes
//===----------------------------------------------------------------------===//

/// The last of `dims` as x, the one before as y, and so on; 1 where none.
static Axes axesOf(ArrayRef<AffineExpr> dims, MLIRContext *context) {
  AffineExpr one = getAffineConstantExpr(1, context);
  auto fromLast = [&](unsigned i) {
    return i < dims.size() ? dims[dims.size() - 1 - i] : one;
  };
  return {fromLast(0), fromLast(1), fromLast(2)};
}

/// The `rank` dimensions that lie on these axes: the inverse of `axesOf`.
static SmallVector<AffineExpr> dimsOf(const Axes &axes, unsigned rank) {
  assert(rank <= 3 && "an axis for each dimension");
  AffineExpr outermostFirst[] = {axes.z, axes.y, axes.x};
  return SmallVector<AffineExpr>(ArrayRef(outermostFirst).take_back(rank));
}

std::optional<unsigned> Mapping::blockRank() const {
  if (applied.empty() || applied.back().kind() != Kind::GridBlock)
    return std::nullopt;
  return applied.back().arguments().front();
}

unsigned Mapping::serialRank() const {
  for (const Combinator &combinator : applied)
    if (combinator.kind() == Kind::Serial)
      return combinator.arguments().front();
  return 0;
}

SmallVector<AffineExpr> Mapping::serialExtents() const {
  SmallVector<AffineExpr> extents = image().extents();
  extents.truncate(serialRank());
  return extents;
}

std::optional<Axes> Mapping::axes() const {
  if (image().rank() - serialRank() > 3)
    return std::nullopt;
  SmallVector<AffineExpr> extents = image().extents();
  return axesOf(ArrayRef(extents).drop_front(serialRank()), getContext());
}

SmallVector<AffineExpr> Mapping::threadAt(const Axes &coordinates,
                                          ArrayRef<AffineExpr> loops) const {
  assert(loops.size() == serialRank() && "an index for each loop");
  SmallVector<AffineExpr> thread(loops);
  llvm::append_range(thread,
                     dimsOf(coordinates, image().rank() - serialRank()));
  return thread;
}

std::optional<LaunchExtents> Mapping::launch() const {
  std::optional<unsigned> inBlock = blockRank();
  if (!inBlock)
    return std::nullopt;
  SmallVector<AffineExpr> extents = image().extents();
  ArrayRef<AffineExpr> all = ArrayRef(extents).drop_front(serialRank());
  return LaunchExtents{axesOf(all.drop_back(*inBlock), getContext()),
                       axesOf(all.take_back(*inBlock), getContext())};
}

SmallVector<AffineExpr> Mapping::threadAt(const Axes &blockIndex,
                                          const Axes &threadIndex,
                                          ArrayRef<AffineExpr> loops) const {
  std::optional<unsigned> inBlock = blockRank();
  assert(inBlock && "the last combinator is grid_block");
  assert(loops.size() == serialRank() && "an index for each loop");
  SmallVector<AffineExpr> thread(loops);
  llvm::append_range(
      thread, dimsOf(blockIndex, image().rank() - loops.size() - *inBlock));
  llvm::append_range(thread, dimsOf(threadIndex, *inBlock));
  return thread;
}

void Mapping::print(llvm::raw_ostream &os) const {
  os << '<';
  llvm::interleaveComma(applied, os);
  os << '>';
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Mapping &mapping) {
  mapping.print(os);
  return os;
}

} // namespace mlir::tc
