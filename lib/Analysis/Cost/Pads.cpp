//===- Pads.cpp - What to fill a tile with where it sticks out ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Fill values] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Staging.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Values of `type` that are neutral or absorbing in some semiring.
static SmallVector<TypedAttr> getCandidates(Type type) {
  Builder builder(type.getContext());
  SmallVector<TypedAttr> values = {getZero(type)};
  if (auto complex = dyn_cast<ComplexType>(type)) {
    values.push_back(complex::NumberAttr::get(complex, 1.0, 0.0));
  } else if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    auto add = [&](const APFloat &value) {
      values.push_back(FloatAttr::get(real, value));
    };
    add(APFloat(semantics, 1));
    for (bool negative : {false, true}) {
      if (APFloat::semanticsHasInf(semantics))
        add(APFloat::getInf(semantics, negative));
      add(APFloat::getLargest(semantics, negative));
    }
  } else {
    unsigned bits = type.getIntOrFloatBitWidth();
    for (const APInt &value :
         {APInt(bits, 1), APInt::getAllOnes(bits),
          APInt::getSignedMinValue(bits), APInt::getSignedMaxValue(bits)})
      values.push_back(builder.getIntegerAttr(type, value));
  }
  return values;
}

namespace {
/// The map of a contraction, evaluated on inputs of which some are known.
class MapFolder {
public:
  explicit MapFolder(ContractOp op) : neutral(op.getNeutralElements()) {
    for (Value input : op.getInputs())
      block.addArgument(cast<ShapedType>(input.getType()).getElementType(),
                        op.getLoc());
    OpBuilder builder(op.getContext());
    builder.setInsertionPointToEnd(&block);
    mapped = op.buildMap(builder, op.getLoc(), block.getArguments());
  }

  /// Does the map give the neutral elements when each input that has a value
  /// in `inputs` has it, whatever the others are?
  bool isNeutral(ArrayRef<Attribute> inputs);

private:
  Block block;
  SmallVector<Value> mapped;
  SmallVector<TypedAttr> neutral;
};
} // namespace

/// Are the constants equal as numbers? Zeros of either sign are.
static bool areEqual(Attribute a, Attribute b) {
  auto x = dyn_cast_or_null<FloatAttr>(a), y = dyn_cast_or_null<FloatAttr>(b);
  if (x && y && x.getType() == y.getType())
    return x.getValue().compare(y.getValue()) == APFloat::cmpEqual;
  return a && a == b;
}

/// The constant that `value` is, as one of `known` or by itself; or null.
static Attribute findConstant(Value value,
                              const DenseMap<Value, Attribute> &known) {
  Attribute constant = known.lookup(value);
  if (!constant) // One from outside of the map.
    matchPattern(value, m_Constant(&constant));
  return constant;
}

/// What the results of `op` are where operands are `known`, or nothing.
static SmallVector<OpFoldResult>
foldOnce(Operation &op, const DenseMap<Value, Attribute> &known) {
  // Folds may change an op for what is known here and now: constants to the
  // right, say. Then they look again.
  Operation *copy = op.clone();
  SmallVector<OpFoldResult> results;
  bool changed = true;
  for (int round = 0; changed && round < 3; ++round) {
    SmallVector<Attribute> operands =
        llvm::map_to_vector(copy->getOperands(), [&](Value value) {
          return findConstant(value, known);
        });
    changed = succeeded(copy->fold(operands, results)) && results.empty();
  }
  copy->destroy();
  return results;
}

/// Is the result of `op` zero where its operands are? Of complex numbers few
/// ops have folds.
static bool keepsZero(Operation &op) {
  return isa<complex::AddOp, complex::ConjOp, complex::CreateOp, complex::ImOp,
             complex::MulOp, complex::NegOp, complex::ReOp, complex::SubOp>(op);
}

bool MapFolder::isNeutral(ArrayRef<Attribute> inputs) {
  if (mapped.size() != neutral.size())
    return false;
  DenseMap<Value, Attribute> known;
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), inputs))
    known[argument] = value;
  for (Operation &op : block) {
    if (keepsZero(op) && llvm::all_of(op.getOperands(), [&](Value operand) {
          return isZero(findConstant(operand, known));
        })) {
      known[op.getResult(0)] = getZero(op.getResult(0).getType());
      continue;
    }
    SmallVector<OpFoldResult> results = foldOnce(op, known);
    for (auto [result, folded] : llvm::zip(op.getResults(), results)) {
      auto value = dyn_cast<Value>(folded);
      known[result] =
          value ? findConstant(value, known) : cast<Attribute>(folded);
    }
  }
  return llvm::all_of(llvm::zip_equal(mapped, neutral), [&](auto pair) {
    auto [value, expected] = pair;
    return areEqual(findConstant(value, known), expected);
  });
}

/// Calls `visit` with combinations of candidates, one per input, until it
/// returns true. With many inputs all are given candidates of one rank.
static void forEachChoice(ArrayRef<SmallVector<TypedAttr>> candidates,
                          function_ref<bool(ArrayRef<TypedAttr>)> visit) {
  constexpr size_t maxInputs = 3;
  size_t most = 0;
  for (ArrayRef<TypedAttr> list : candidates)
    most = std::max(most, list.size());
  bool together = candidates.size() > maxInputs;
  SmallVector<size_t> choice(together ? 1 : candidates.size(), 0);
  for (;;) {
    SmallVector<TypedAttr> values;
    for (auto [k, list] : llvm::enumerate(candidates))
      values.push_back(
          list[std::min(choice[together ? 0 : k], list.size() - 1)]);
    if (visit(values))
      return;
    size_t k = 0;
    while (k < choice.size() &&
           ++choice[k] == (together ? most : candidates[k].size()))
      choice[k++] = 0;
    if (k == choice.size())
      return;
  }
}

/// Does input `k` vary with iterator `i`?
static bool varies(ContractOp op, unsigned k, unsigned i) {
  return ContractOp::variesWith(op.getInputMap(k), i);
}

Pads mlir::tc::findPads(ContractOp op) {
  Pads pads;
  SmallVector<SmallVector<TypedAttr>> candidates;
  for (Value input : op.getInputs()) {
    Type type = cast<ShapedType>(input.getType()).getElementType();
    pads.values.push_back(getZero(type));
    candidates.push_back(getCandidates(type));
  }
  SmallVector<unsigned> contracted;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    pads.covers.push_back(!op.isContracted(i));
    if (op.isContracted(i))
      contracted.push_back(i);
  }
  if (op.isMultiplyAdd()) {
    for (unsigned i : contracted)
      pads.covers[i] =
          llvm::all_of(llvm::seq<unsigned>(0, op.getInputs().size()),
                       [&](unsigned k) { return varies(op, k, i); });
    return pads;
  }
  if (!op.mayRegroup())
    return pads;
  MapFolder folder(op);
  size_t best = 0;
  forEachChoice(candidates, [&](ArrayRef<TypedAttr> values) {
    SmallVector<unsigned> covered;
    for (unsigned i : contracted) {
      SmallVector<Attribute> inputs;
      for (auto [k, value] : llvm::enumerate(values))
        inputs.push_back(varies(op, k, i) ? Attribute(value) : Attribute());
      if (folder.isNeutral(inputs))
        covered.push_back(i);
    }
    if (covered.size() > best) {
      best = covered.size();
      pads.values.assign(values.begin(), values.end());
      for (unsigned i : contracted)
        pads.covers[i] = llvm::is_contained(covered, i);
    }
    return best == contracted.size();
  });
  return pads;
}

// Note [Fill values]
// ~~~~~~~~~~~~~~~~~~
// A point beyond the extent of a contracted iterator adds nothing when the map
// gives the neutral element there. An input that varies with the iterator is
// outside of its array together with the point and has its fill value; one that
// does not may have any value. So the fill is right when the map folds to the
// neutral element from the fill values of the inputs that vary with the
// iterator alone: zero times zero for sums of products, infinity plus infinity
// for min-plus, false for or-and. Zero times a value that is not known is no
// zero: the value may be an infinity or a NaN. Where no candidates do, the
// iterator is guarded: the last step of it is shorter.
//
// Sums of products need no folding: they are the common case.
