//===- MappingBuilder.cpp - Applies combinators one by one ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The phrases that strategies are written with.
//
//===----------------------------------------------------------------------===//

#include "MappingBuilder.h"

#include "tc/Algebra/Strategies.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace mlir::tc {

void MappingBuilder::apply(const Combinator &combinator) {
  if (failed())
    return;
  if (llvm::Error error = mapping.append(combinator))
    failure = llvm::toString(std::move(error));
}

void MappingBuilder::permute(ArrayRef<int64_t> permutation) {
  if (failed())
    return;
  SmallVector<int64_t> total(permutation);
  ArrayRef<Combinator> steps = mapping.combinators();
  if (!steps.empty() && steps.back().kind() == Combinator::Kind::Permute) {
    for (int64_t &from : total)
      from = steps.back().arguments()[from];
    mapping.dropLast();
  }
  if (!llvm::equal(total, llvm::seq<int64_t>(0, total.size())))
    apply(Combinator::permute(total));
}

void MappingBuilder::move(unsigned from, unsigned to) {
  if (failed() || from == to)
    return;
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank()));
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  permute(order);
}

void MappingBuilder::shift() {
  if (!space().isZeroBased())
    apply(Combinator::shiftLb());
}

void MappingBuilder::compress() {
  SmallVector<int64_t> flags;
  for (const IndexRange &range : space().ranges())
    flags.push_back(!range.isDense());
  if (!space().isDense())
    apply(Combinator::compressGrid(flags));
}

void MappingBuilder::mask() {
  if (!space().isDense())
    apply(Combinator::maskGrid());
}

void MappingBuilder::foldAt(unsigned dim) {
  unsigned last = rank() - 1;
  move(dim, last);
  move(dim, last); // what was dim + 1
  apply(Combinator::foldLast2());
  move(last - 1, dim);
}

void MappingBuilder::foldRange(unsigned begin, unsigned end) {
  for (unsigned dim = end; dim-- > begin + 1 && !failed();)
    foldAt(dim - 1);
}

void MappingBuilder::splitAt(unsigned dim, const Combinator &split) {
  unsigned last = rank() - 1;
  move(dim, last);
  apply(split);
  move(last, dim);
  move(last + 1, dim + 1);
}

void MappingBuilder::splitGridAxis(const LaunchLimits &limits) {
  for (int64_t limit : {limits.gridX, limits.gridY}) {
    std::optional<int64_t> extent = staticExtent(0);
    if (extent && *extent <= limit)
      return;
    splitAt(0, Combinator::splitEven(limit));
  }
}

unsigned MappingBuilder::dropUnits(unsigned count) {
  for (unsigned dim = 0; dim < count && count > 1 && !failed();) {
    if (staticExtent(dim) != 1) {
      ++dim;
      continue;
    }
    foldAt(dim + 1 < count ? dim : dim - 1);
    --count;
  }
  return count;
}

/// True when the `count` outermost dimensions fit the axes of a grid, whatever
/// their extents are.
bool MappingBuilder::fitsGrid(unsigned count,
                              const LaunchLimits &limits) const {
  const int64_t fromLast[] = {limits.gridX, limits.gridY, limits.gridZ};
  if (count > 3)
    return false;
  for (unsigned i = 0; i < count; ++i) {
    std::optional<int64_t> extent = staticExtent(count - 1 - i);
    if (!extent || *extent > fromLast[i])
      return false;
  }
  return true;
}

void MappingBuilder::fitGrid(unsigned count, const LaunchLimits &limits) {
  count = dropUnits(count);
  if (count == 0 || fitsGrid(count, limits))
    return;
  foldRange(0, count);
  splitGridAxis(limits);
}

llvm::Expected<Mapping>
MappingBuilder::finish(const LaunchLimits &limits) const {
  llvm::Expected<Mapping> mapping = finish();
  if (mapping)
    if (llvm::Error error = checkLimits(*mapping, limits))
      return llvm::Expected<Mapping>(std::move(error));
  return mapping;
}

llvm::Expected<Mapping> MappingBuilder::finish() const {
  if (failed())
    return llvm::createStringError(failure);
  return mapping;
}

} // namespace mlir::tc
