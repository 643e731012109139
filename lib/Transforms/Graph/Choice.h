//===- Choice.h - Loops that choose one of their terms ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An argmax carries several values that belong together: the largest element
// and where it is. One iteration compares what is carried with a term and takes
// parts of either. Whether terms may be combined in any order depends on how
// the body treats ties and NaNs, which is found out by trying all cases: see
// Note [All cases] in ChoiceLaws.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_GRAPH_CHOICE_H
#define TC_LIB_TRANSFORMS_GRAPH_CHOICE_H

#include "tc/IR/TC.h"

namespace mlir::tc {

/// Which of the two ends of its type's order.
enum class Extreme { Lowest, Highest };

/// What terms that are NaN do.
enum class NaNRule {
  Compares, ///< they have a place in the order, or there are none
  Passes,   ///< the loop goes on with what it carries
  Stops     ///< what is carried stays from there on, but for the NaN itself
};

/// next = choose(carried, term), value by value, by comparisons and selections
/// alone.
struct Choice {
  SmallVector<Value> carried, terms, next; ///< alike in number and types
  SmallVector<Operation *> ops;            ///< that make `next`, in order
  /// May terms be combined in any order?
  bool isCommutative = true;
  /// The value whose terms rise from one iteration to the next, if what has
  /// less of it is to be the first argument.
  std::optional<unsigned> order;
  /// What no term is worse than, for each value.
  SmallVector<Extreme> neutral;
  NaNRule rule = NaNRule::Compares;
  /// Is the value compared, and not only taken with others? As an integer
  /// without a sign?
  SmallVector<bool> isKey, isUnsigned;

  /// The only value of floats that are compared, by number, where NaNs have a
  /// rule of their own.
  std::optional<unsigned> findFloat() const;
};

/// The choice that a loop of one block makes of the values that it carries,
/// where a term is known to rise from one iteration to the next if `rises`;
/// none with `refusal`, empty where its ops are others than those of choices.
std::optional<Choice> findChoice(ValueRange carried, ValueRange next,
                                 function_ref<bool(Value)> rises,
                                 std::string &refusal);

/// Finds how terms of a choice, of which `order`, if any, rises, may be
/// regrouped. False where no way is known.
bool findLaws(Choice &choice, std::optional<unsigned> order);

/// choose(before, after).
SmallVector<Value> buildChoice(OpBuilder &builder, const Choice &choice,
                               ValueRange before, ValueRange after);

/// A choice as a tc.reduce. Its values are those of the choice, none of them
/// NaN where NaNs have a rule; behind them, where NaNs stop the loop, the
/// maximum of all terms, which is NaN if one of them is.
class ChoiceFold {
public:
  ChoiceFold(OpBuilder &builder, Location loc, const Choice &choice)
      : builder(builder), loc(loc), choice(choice) {}

  /// May terms be combined in any order?
  bool isCommutative() const {
    return choice.isCommutative && choice.rule != NaNRule::Stops;
  }
  SmallVector<Value> buildNeutral();
  /// What is combined, of what an iteration chooses from.
  SmallVector<Value> buildTerm(ValueRange term);
  SmallVector<Value> buildCombine(ValueRange a, ValueRange b);
  /// What the loop gives that starts from `inits`.
  SmallVector<Value> buildResults(ValueRange inits, ValueRange total);

private:
  SmallVector<Value> buildAnyOrder(ValueRange a, ValueRange b);
  Value isNaN(Value value);
  SmallVector<Value> select(Value condition, ValueRange a, ValueRange b);

  OpBuilder &builder;
  Location loc;
  const Choice &choice;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_GRAPH_CHOICE_H
