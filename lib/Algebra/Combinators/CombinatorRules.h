//===- CombinatorRules.h - What one kind of combinator does -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface behind each Combinator::Kind. A new combinator is an enum case,
// one file that implements this, a line in Combinator.cpp, and a law test.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ALGEBRA_COMBINATORS_COMBINATORRULES_H
#define TC_LIB_ALGEBRA_COMBINATORS_COMBINATORRULES_H

#include "tc/Algebra/Combinators.h"

namespace mlir::tc {

/// The rules of one kind. Stateless: arguments and space are passed in.
class CombinatorRules {
public:
  using Arguments = ArrayRef<int64_t>;
  using Index = SmallVector<AffineExpr>;

  virtual ~CombinatorRules() = default;
  virtual llvm::StringRef name() const = 0;
  /// Whether the arguments make sense on any space.
  virtual llvm::Error checkArguments(Arguments arguments) const = 0;
  /// Whether they do on `domain`; called with arguments that are good.
  virtual llvm::Error check(Arguments arguments,
                            const IndexSpace &domain) const = 0;
  virtual IndexSpace image(Arguments arguments,
                           const IndexSpace &domain) const = 0;
  virtual Index forward(Arguments arguments, const IndexSpace &domain,
                        ArrayRef<AffineExpr> index) const = 0;
  virtual Index inverse(Arguments arguments, const IndexSpace &domain,
                        ArrayRef<AffineExpr> thread) const = 0;
  /// Conditions `expression >= 0`; none for maps that are onto.
  virtual Index guard(Arguments arguments, const IndexSpace &domain,
                      ArrayRef<AffineExpr> thread) const {
    return {};
  }

protected:
  static llvm::Error error(const llvm::Twine &message) {
    return llvm::createStringError(message);
  }
  llvm::Error expectNoArguments(Arguments arguments) const;
  /// Expects one argument of at least `least`.
  llvm::Error expectOneArgument(Arguments arguments, int64_t least) const;
  static llvm::Error expectRank(const IndexSpace &domain, unsigned least);
  static llvm::Error expectZeroBased(const IndexSpace &domain);
  /// Expects the last `count` dimensions to be zero based and dense.
  static llvm::Error expectPlain(const IndexSpace &domain, unsigned count);
  static AffineExpr constant(const IndexSpace &space, int64_t value) {
    return getAffineConstantExpr(value, space.getContext());
  }
  /// The range 0 to `extent`.
  static IndexRange plainRange(const IndexSpace &space, AffineExpr extent) {
    AffineExpr one = constant(space, 1);
    return {constant(space, 0), extent, one, one};
  }
};

// One a kind; each is defined in the file of its name.
const CombinatorRules &shiftLbRules();
const CombinatorRules &compressGridRules();
const CombinatorRules &foldLast2Rules();
const CombinatorRules &splitLastRules();
const CombinatorRules &padLastRules();
const CombinatorRules &permuteRules();
const CombinatorRules &maskGridRules();
const CombinatorRules &splitEvenRules();
const CombinatorRules &gridBlockRules();
const CombinatorRules &serialRules();

} // namespace mlir::tc

#endif // TC_LIB_ALGEBRA_COMBINATORS_COMBINATORRULES_H
