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

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

namespace mlir::tc {

void MappingBuilder::apply(const Combinator &combinator) {
  if (failed())
    return;
  if (llvm::Error error = combinator.check(current)) {
    failure = llvm::toString(std::move(error));
    return;
  }
  current = combinator.image(current);
  steps.push_back(combinator);
}

void MappingBuilder::permute(ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> total(permutation);
  bool follows =
      !steps.empty() && steps.back().kind() == Combinator::Kind::Permute;
  if (follows)
    for (int64_t &from : total)
      from = steps.back().arguments()[from];
  IndexSpace result = Combinator::permute(permutation).image(current);
  if (follows)
    steps.pop_back();
  if (!llvm::equal(total, llvm::seq<int64_t>(0, total.size())))
    steps.push_back(Combinator::permute(total));
  current = result;
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
  if (!current.isZeroBased())
    apply(Combinator::shiftLb());
}

void MappingBuilder::compress() {
  SmallVector<int64_t> flags;
  for (const IndexRange &range : current.ranges())
    flags.push_back(!range.isDense());
  if (!current.isDense())
    apply(Combinator::compressGrid(flags));
}

void MappingBuilder::mask() {
  if (!current.isDense())
    apply(Combinator::maskGrid());
}

void MappingBuilder::foldAt(unsigned dim) {
  if (failed())
    return;
  unsigned last = rank() - 1;
  move(dim, last);
  move(dim, last); // what was dim + 1
  apply(Combinator::foldLast2());
  if (!failed())
    move(last - 1, dim);
}

void MappingBuilder::foldRange(unsigned begin, unsigned end) {
  for (unsigned dim = end; dim-- > begin + 1 && !failed();)
    foldAt(dim - 1);
}

void MappingBuilder::splitAt(unsigned dim, const Combinator &split) {
  if (failed())
    return;
  unsigned last = rank() - 1;
  move(dim, last);
  apply(split);
  if (failed())
    return;
  move(last, dim);
  move(last + 1, dim + 1);
}

llvm::Expected<Mapping> MappingBuilder::finish() const {
  if (failed())
    return llvm::createStringError(failure);
  return Mapping::get(domain, steps);
}

} // namespace mlir::tc
