//===- Combinator.cpp - Maps from index spaces to thread spaces -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value, which hands everything to the rules of its kind.
//
//===----------------------------------------------------------------------===//

#include "CombinatorRules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tc {

using Kind = Combinator::Kind;

static constexpr Kind allKinds[] = {
    Kind::ShiftLb,   Kind::CompressGrid, Kind::FoldLast2, Kind::SplitLast,
    Kind::PadLast,   Kind::Permute,      Kind::MaskGrid,  Kind::SplitEven,
    Kind::GridBlock, Kind::Serial};

static const CombinatorRules &rulesOf(Kind kind) {
  switch (kind) {
  case Kind::ShiftLb:
    return shiftLbRules();
  case Kind::CompressGrid:
    return compressGridRules();
  case Kind::FoldLast2:
    return foldLast2Rules();
  case Kind::SplitLast:
    return splitLastRules();
  case Kind::PadLast:
    return padLastRules();
  case Kind::Permute:
    return permuteRules();
  case Kind::MaskGrid:
    return maskGridRules();
  case Kind::SplitEven:
    return splitEvenRules();
  case Kind::GridBlock:
    return gridBlockRules();
  case Kind::Serial:
    return serialRules();
  }
  llvm_unreachable("every kind has rules");
}

//===----------------------------------------------------------------------===//
// What rules share
//===----------------------------------------------------------------------===//

llvm::Error CombinatorRules::expectNoArguments(Arguments arguments) const {
  if (arguments.empty())
    return llvm::Error::success();
  return error("expected " + name() + " to take no argument, got " +
               llvm::Twine(arguments.size()));
}

llvm::Error CombinatorRules::expectOneArgument(Arguments arguments,
                                               int64_t least) const {
  if (arguments.size() != 1)
    return error("expected " + name() + " to take one argument, got " +
                 llvm::Twine(arguments.size()));
  if (arguments[0] < least)
    return error("expected the argument of " + name() + " to be at least " +
                 llvm::Twine(least) + ", got " + llvm::Twine(arguments[0]));
  return llvm::Error::success();
}

llvm::Error CombinatorRules::expectRank(const IndexSpace &domain,
                                        unsigned least) {
  if (domain.rank() >= least)
    return llvm::Error::success();
  return error("expected an index space of rank at least " +
               llvm::Twine(least) + ", got rank " + llvm::Twine(domain.rank()));
}

llvm::Error CombinatorRules::expectZeroBased(const IndexSpace &domain) {
  for (auto [i, range] : llvm::enumerate(domain.ranges()))
    if (!range.isZeroBased())
      return error("expected lower bound 0 in dimension " + llvm::Twine(i) +
                   "; apply shift_lb before it");
  return llvm::Error::success();
}

llvm::Error CombinatorRules::expectPlain(const IndexSpace &domain,
                                         unsigned count) {
  if (llvm::Error failed = expectRank(domain, count))
    return failed;
  for (unsigned i = domain.rank() - count; i < domain.rank(); ++i) {
    if (!domain.range(i).isZeroBased())
      return error("expected lower bound 0 in dimension " + llvm::Twine(i) +
                   "; apply shift_lb before it");
    if (!domain.range(i).isDense())
      return error("expected step and width 1 in dimension " + llvm::Twine(i) +
                   "; apply compress_grid or mask_grid before it");
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Combinator
//===----------------------------------------------------------------------===//

llvm::Expected<Combinator> Combinator::get(Kind kind,
                                           ArrayRef<int64_t> arguments) {
  if (llvm::Error error = rulesOf(kind).checkArguments(arguments))
    return llvm::Expected<Combinator>(std::move(error));
  return Combinator(kind, arguments);
}

llvm::Expected<Combinator> Combinator::get(llvm::StringRef name,
                                           ArrayRef<int64_t> arguments) {
  std::string names;
  for (Kind kind : allKinds) {
    if (rulesOf(kind).name() == name)
      return get(kind, arguments);
    names += (names.empty() ? "" : ", ") + rulesOf(kind).name().str();
  }
  return llvm::createStringError("expected one of " + names + ", got '" + name +
                                 "'");
}

llvm::StringRef Combinator::name() const { return rulesOf(which).name(); }

llvm::Error Combinator::check(const IndexSpace &domain) const {
  const CombinatorRules &rules = rulesOf(which);
  if (llvm::Error error = rules.checkArguments(values))
    return error;
  return rules.check(values, domain);
}

IndexSpace Combinator::image(const IndexSpace &domain) const {
  return rulesOf(which).image(values, domain);
}

SmallVector<AffineExpr> Combinator::forward(const IndexSpace &domain,
                                            ArrayRef<AffineExpr> index) const {
  return rulesOf(which).forward(values, domain, index);
}

SmallVector<AffineExpr> Combinator::inverse(const IndexSpace &domain,
                                            ArrayRef<AffineExpr> thread) const {
  return rulesOf(which).inverse(values, domain, thread);
}

SmallVector<AffineExpr> Combinator::guard(const IndexSpace &domain,
                                          ArrayRef<AffineExpr> thread) const {
  return rulesOf(which).guard(values, domain, thread);
}

void Combinator::print(llvm::raw_ostream &os) const {
  os << name();
  if (values.empty())
    return;
  os << '(';
  llvm::interleaveComma(values, os);
  os << ')';
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const Combinator &combinator) {
  combinator.print(os);
  return os;
}

} // namespace mlir::tc
