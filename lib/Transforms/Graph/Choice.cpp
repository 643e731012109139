//===- Choice.cpp - Loops that choose one of their terms ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a loop compares, and with what; and the same again as regions of a
// tc.reduce.
//
//===----------------------------------------------------------------------===//

#include "Graph/Choice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;

/// With more, the cases to try are many.
static constexpr size_t kMostValues = 4, kMostKeys = 2;

static bool isMinMax(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
             arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(op);
}

/// Does `op` compare or select, or combine conditions?
static bool isOfChoice(Operation *op) {
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return op->getResult(0).getType().isInteger(1);
  return isMinMax(op) || isa<arith::CmpFOp, arith::CmpIOp, arith::SelectOp>(op);
}

/// Does `op` compare integers with a sign, or without one? Neither where only
/// equality counts.
static std::optional<bool> comparesUnsigned(Operation *op) {
  if (auto cmp = dyn_cast<arith::CmpIOp>(op)) {
    using P = arith::CmpIPredicate;
    if (llvm::is_contained({P::eq, P::ne}, cmp.getPredicate()))
      return std::nullopt;
    return llvm::is_contained({P::ult, P::ule, P::ugt, P::uge},
                              cmp.getPredicate());
  }
  if (isMinMax(op))
    return isa<arith::MaxUIOp, arith::MinUIOp>(op);
  return std::nullopt;
}

static bool isCondition(Value value) { return value.getType().isInteger(1); }

static bool isConstantCondition(Value value) {
  return isCondition(value) && matchPattern(value, m_Constant());
}

namespace {
/// The kinds of values: numbers of one kind may be compared with each other.
class Kinds {
public:
  explicit Kinds(const Choice &choice);

  /// Are all ops on numbers of one kind, and is each next value of its own?
  bool areConsistent();
  SmallVector<bool> getKeys() const { return isKey; }
  SmallVector<bool> getUnsigned() const {
    return llvm::map_to_vector(
        signs, [](std::optional<bool> sign) { return sign.value_or(false); });
  }

private:
  static constexpr int kCondition = -1;

  std::optional<int> find(Operation *op);
  int get(Value value) const { return kinds.lookup(value); }

  const Choice &choice;
  DenseMap<Value, int> kinds;
  SmallVector<bool> isKey;
  SmallVector<std::optional<bool>> signs; ///< how each is compared: unsigned?
};
} // namespace

Kinds::Kinds(const Choice &choice)
    : choice(choice), isKey(choice.carried.size(), false),
      signs(choice.carried.size()) {
  for (auto [i, carried, term] :
       llvm::enumerate(choice.carried, choice.terms)) {
    kinds[carried] = int(i);
    kinds[term] = int(i);
  }
}

std::optional<int> Kinds::find(Operation *op) {
  if (op->hasTrait<OpTrait::ConstantLike>() ||
      isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return kCondition;
  if (isa<arith::SelectOp>(op)) {
    int kind = get(op->getOperand(1));
    return kind == get(op->getOperand(2)) ? std::optional(kind) : std::nullopt;
  }
  int kind = get(op->getOperand(0));
  if (kind == kCondition || kind != get(op->getOperand(1)))
    return std::nullopt;
  isKey[kind] = true;
  if (std::optional<bool> isUnsigned = comparesUnsigned(op)) {
    if (signs[kind].value_or(*isUnsigned) != *isUnsigned)
      return std::nullopt;
    signs[kind] = isUnsigned;
  }
  return isMinMax(op) ? kind : kCondition;
}

bool Kinds::areConsistent() {
  for (Operation *op : choice.ops) {
    std::optional<int> kind = find(op);
    if (!kind)
      return false;
    kinds[op->getResult(0)] = *kind;
  }
  for (auto [i, next] : llvm::enumerate(choice.next))
    if (get(next) != int(i))
      return false;
  return llvm::count(isKey, true) <= ptrdiff_t(kMostKeys);
}

//===----------------------------------------------------------------------===//
// Which loops
//===----------------------------------------------------------------------===//

std::optional<Choice> mlir::tc::findChoice(ValueRange carried, ValueRange next,
                                           function_ref<bool(Value)> rises,
                                           std::string &refusal) {
  refusal.clear();
  if (carried.size() < 2 || carried.size() > kMostValues)
    return std::nullopt;
  Choice choice;
  choice.carried = llvm::to_vector(carried);
  choice.next = llvm::to_vector(next);
  // What the carried values have a part in, and what that reads beside them.
  Block *body = carried.front().getParentBlock();
  DenseSet<Value> made(carried.begin(), carried.end());
  llvm::SetVector<Value> terms;
  llvm::SetVector<Operation *> constants;
  for (Operation &op : body->without_terminator()) {
    auto isMade = [&](Value value) { return made.contains(value); };
    if (llvm::none_of(op.getOperands(), isMade))
      continue;
    if (!isOfChoice(&op))
      return std::nullopt;
    for (Value operand : op.getOperands()) {
      if (isMade(operand))
        continue;
      if (isConstantCondition(operand))
        constants.insert(operand.getDefiningOp());
      else
        terms.insert(operand);
    }
    made.insert(op.getResult(0));
    choice.ops.push_back(&op);
  }
  choice.ops.insert(choice.ops.begin(), constants.begin(), constants.end());
  refusal =
      "it chooses by comparisons that are not known to give the same where "
      "terms are regrouped";
  auto isOther = [](Value value) {
    auto number = dyn_cast<FloatType>(value.getType());
    return isCondition(value) ||
           !(number ? APFloat::semanticsHasInf(number.getFloatSemantics())
                    : value.getType().isSignlessIntOrIndex());
  };
  if (terms.size() != carried.size() || llvm::any_of(terms, isOther))
    return std::nullopt;
  SmallVector<unsigned> places = llvm::to_vector(
      llvm::seq<unsigned>(0, static_cast<unsigned>(carried.size())));
  do {
    choice.terms = llvm::map_to_vector(
        places, [&](unsigned place) { return terms[place]; });
    if (!llvm::equal(TypeRange(ValueRange(choice.terms)),
                     TypeRange(ValueRange(choice.carried))))
      continue;
    Kinds kinds(choice);
    if (!kinds.areConsistent())
      continue;
    choice.isKey = kinds.getKeys();
    choice.isUnsigned = kinds.getUnsigned();
    std::optional<unsigned> order;
    auto *rising = llvm::find_if(choice.terms, rises);
    if (unsigned i = rising - choice.terms.begin();
        i < choice.terms.size() && !choice.isUnsigned[i]) {
      order = i;
      choice.isKey[i] = true;
    }
    if (findLaws(choice, order)) {
      refusal.clear();
      return choice;
    }
  } while (std::next_permutation(places.begin(), places.end()));
  return std::nullopt;
}

std::optional<unsigned> Choice::findFloat() const {
  std::optional<unsigned> found;
  for (auto [i, value] : llvm::enumerate(carried)) {
    if (!isKey[i] || !isa<FloatType>(value.getType()))
      continue;
    if (found)
      return std::nullopt;
    found = i;
  }
  return found;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

SmallVector<Value> mlir::tc::buildChoice(OpBuilder &builder,
                                         const Choice &choice,
                                         ValueRange before, ValueRange after) {
  IRMapping mapping;
  mapping.map(choice.carried, before);
  mapping.map(choice.terms, after);
  for (Operation *op : choice.ops)
    builder.clone(*op, mapping);
  return llvm::map_to_vector(
      choice.next, [&](Value value) { return mapping.lookup(value); });
}

Value ChoiceFold::isNaN(Value value) {
  return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::UNO, value,
                               value);
}

SmallVector<Value> ChoiceFold::select(Value condition, ValueRange a,
                                      ValueRange b) {
  SmallVector<Value> selected;
  for (auto [x, y] : llvm::zip_equal(a, b))
    selected.push_back(arith::SelectOp::create(builder, loc, condition, x, y));
  return selected;
}

SmallVector<Value> ChoiceFold::buildAnyOrder(ValueRange a, ValueRange b) {
  if (!choice.order)
    return buildChoice(builder, choice, a, b);
  Value isAfter = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                        a[*choice.order], b[*choice.order]);
  SmallVector<Value> before = select(isAfter, b, a),
                     after = select(isAfter, a, b);
  return buildChoice(builder, choice, before, after);
}

static TypedAttr getExtreme(Type type, bool isUnsigned, Extreme end) {
  bool isLowest = end == Extreme::Lowest;
  if (auto number = dyn_cast<FloatType>(type))
    return FloatAttr::get(
        type, APFloat::getInf(number.getFloatSemantics(), isLowest));
  // Of an index as many bits as every machine has.
  unsigned bits = type.isIndex() ? 32 : type.getIntOrFloatBitWidth();
  APInt value = isUnsigned ? (isLowest ? APInt::getMinValue(bits)
                                       : APInt::getMaxValue(bits))
                : isLowest ? APInt::getSignedMinValue(bits)
                           : APInt::getSignedMaxValue(bits);
  return IntegerAttr::get(type, type.isIndex() ? value.sext(64) : value);
}

SmallVector<Value> ChoiceFold::buildNeutral() {
  SmallVector<Value> values;
  auto add = [&](Type type, bool isUnsigned, Extreme end) {
    values.push_back(arith::ConstantOp::create(
        builder, loc, getExtreme(type, isUnsigned, end)));
  };
  for (auto [value, isUnsigned, end] :
       llvm::zip_equal(choice.carried, choice.isUnsigned, choice.neutral))
    add(value.getType(), isUnsigned, end);
  if (choice.rule == NaNRule::Stops)
    add(choice.carried[*choice.findFloat()].getType(), /*isUnsigned=*/false,
        Extreme::Lowest);
  return values;
}

SmallVector<Value> ChoiceFold::buildTerm(ValueRange term) {
  if (choice.rule == NaNRule::Compares)
    return term;
  Value number = term[*choice.findFloat()];
  SmallVector<Value> neutral = buildNeutral();
  neutral.truncate(term.size());
  SmallVector<Value> values = select(isNaN(number), neutral, term);
  if (choice.rule == NaNRule::Stops)
    values.push_back(number);
  return values;
}

SmallVector<Value> ChoiceFold::buildCombine(ValueRange a, ValueRange b) {
  if (choice.rule != NaNRule::Stops)
    return buildAnyOrder(a, b);
  ValueRange before = a.drop_back(), after = b.drop_back();
  SmallVector<Value> values =
      select(isNaN(a.back()), before, buildAnyOrder(before, after));
  values.push_back(arith::MaximumFOp::create(builder, loc, a.back(), b.back()));
  return values;
}

SmallVector<Value> ChoiceFold::buildResults(ValueRange inits,
                                            ValueRange total) {
  SmallVector<Value> results =
      buildChoice(builder, choice, inits, total.take_front(inits.size()));
  if (choice.rule == NaNRule::Stops) {
    Value &number = results[*choice.findFloat()];
    number = arith::SelectOp::create(builder, loc, isNaN(total.back()),
                                     total.back(), number);
  }
  return results;
}
