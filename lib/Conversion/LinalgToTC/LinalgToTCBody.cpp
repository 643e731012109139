//===- LinalgToTCBody.cpp - Reading the body of a linalg op ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LinalgToTC/LinalgToTC.h"

#include "tc/IR/Neutral.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

/// Of i1, addition is `or`; arith's is `xor`.
static bool isSum(Operation *op) {
  if (op->getResult(0).getType().isInteger(1))
    return isa<arith::OrIOp>(op);
  return isa<arith::AddFOp, arith::AddIOp, complex::AddOp>(op);
}

/// Is `op` what adds its second operand with the other sign?
static bool isDifference(Operation *op) {
  return isa<arith::SubFOp, arith::SubIOp, complex::SubOp>(op) &&
         !op->getResult(0).getType().isInteger(1);
}

static bool addsUp(Operation *op) { return isSum(op) || isDifference(op); }

bool ScalarBody::isAddition() const {
  return !joins.empty() && llvm::all_of(joins, addsUp);
}

bool ScalarBody::isSubtracted(unsigned i) const {
  return !joins.empty() && isDifference(joins[i]);
}

static TypedAttr getNeutralOf(Operation *join) {
  Type type = join->getResult(0).getType();
  // Adding 0.0 and not -0.0: where every product is -0.0 the sign differs.
  if (addsUp(join))
    return getZero(type);
  if (isa<complex::MulOp>(join))
    return complex::NumberAttr::get(cast<ComplexType>(type), 1.0, 0.0);
  return tc::getNeutralElement(join);
}

SmallVector<TypedAttr> ScalarBody::getNeutral() const {
  return llvm::map_to_vector(joins, getNeutralOf);
}

Type ScalarBody::getType(Operation *combineOp) const {
  auto wide = widened.find(combineOp);
  return wide == widened.end() ? combineOp->getResult(0).getType()
                               : wide->second;
}

Type ScalarBody::getTypeIn(Operation *combineOp, Value operand) const {
  Type type = operand.getType();
  return type == combineOp->getResult(0).getType() ? getType(combineOp) : type;
}

bool ScalarBody::mayStartFrom(unsigned i, TypedAttr value) const {
  bool idempotent =
      isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
          arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
          arith::MinUIOp, arith::AndIOp, arith::OrIOp>(joins[i]);
  return idempotent || value == getNeutralOf(joins[i]);
}

//===----------------------------------------------------------------------===//
// What a body may have
//===----------------------------------------------------------------------===//

/// Associative and commutative scalar ops; rounding apart.
static bool isJoin(Operation *op) {
  return isa<arith::AddFOp, arith::AddIOp, arith::MulFOp, arith::MulIOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::MaxSIOp, arith::MaxUIOp, arith::MinSIOp,
             arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp,
             complex::AddOp, complex::MulOp>(op);
}

/// Is `inner` a scalar computation that may be done any number of times?
static bool isScalarOp(Operation &inner) {
  auto isScalar = [](Type type) { return isNumber(type) || type.isIndex(); };
  return inner.getNumRegions() == 0 && isPure(&inner) &&
         !isa<linalg::IndexOp>(inner) &&
         llvm::all_of(inner.getOperandTypes(), isScalar) &&
         llvm::all_of(inner.getResultTypes(), isScalar);
}

static bool isConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>();
}

/// The arguments of the body that are old elements of results.
static ArrayRef<BlockArgument> getOld(linalg::LinalgOp op) {
  return op.getBlock()->getArguments().drop_front(op.getNumDpsInputs());
}

//===----------------------------------------------------------------------===//
// Cutting
//===----------------------------------------------------------------------===//

namespace {
/// The two sides of the cut, of what the results need.
class Cut {
public:
  explicit Cut(linalg::LinalgOp op);

  bool dependsOnOld(Value value) const { return dependent.contains(value); }
  bool isNeeded(Operation *op) const { return needed.contains(op); }

private:
  llvm::SmallDenseSet<Value> dependent;
  llvm::SmallDenseSet<Operation *> needed;
};
} // namespace

Cut::Cut(linalg::LinalgOp op) {
  Block &block = *op.getBlock();
  dependent.insert_range(getOld(op));
  for (Operation &inner : block.without_terminator())
    if (llvm::any_of(inner.getOperands(),
                     [&](Value value) { return dependsOnOld(value); }))
      dependent.insert_range(inner.getResults());
  needed.insert(block.getTerminator());
  for (Operation &inner : llvm::reverse(block))
    if (isNeeded(&inner))
      for (Value operand : inner.getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && def->getBlock() == &block)
          needed.insert(def);
}

/// The join of result `i`, when there is one and it is all that the result is.
static Operation *findJoin(linalg::LinalgOp op, const Cut &cut, unsigned i) {
  Value yielded = op.getBlock()->getTerminator()->getOperand(i);
  Value old = getOld(op)[i];
  Operation *join = yielded.getDefiningOp();
  bool isOfOld =
      join && isDifference(join) && cut.dependsOnOld(join->getOperand(0));
  if (!join || (!isJoin(join) && !isOfOld) || !old.hasOneUse() ||
      *old.user_begin() != join || !yielded.hasOneUse())
    return nullptr;
  return cut.dependsOnOld(join->getOperand(0)) &&
                 cut.dependsOnOld(join->getOperand(1))
             ? nullptr
             : join;
}

/// Does a step of a sum round, or wrap?
static bool isRounded(Operation *step) { return !isa<arith::SelectOp>(step); }

/// May `op` compute a sum with any accumulator? It adds to what it is given or
/// chooses.
static bool isStepOfSum(Operation *op, const Cut &cut) {
  if (auto choice = dyn_cast<arith::SelectOp>(op))
    return !cut.dependsOnOld(choice.getCondition());
  if (isa<arith::SubFOp, arith::SubIOp>(op))
    return !cut.dependsOnOld(op->getOperand(1));
  return isSum(op) && !(cut.dependsOnOld(op->getOperand(0)) &&
                        cut.dependsOnOld(op->getOperand(1)));
}

/// The ops that make result `i` of its old value where it is a sum that no
/// other result has a part in; else none.
static SmallVector<Operation *> findSum(linalg::LinalgOp op, const Cut &cut,
                                        unsigned i) {
  Operation *yield = op.getBlock()->getTerminator();
  Value old = getOld(op)[i];
  llvm::SmallSetVector<Value, 4> partial;
  partial.insert(old);
  SmallVector<Operation *> steps;
  for (unsigned next = 0; next != partial.size(); ++next)
    for (OpOperand &use : partial[next].getUses()) {
      Operation *user = use.getOwner();
      if (!cut.isNeeded(user))
        continue;
      if (user == yield ? use.getOperandNumber() != i : !isStepOfSum(user, cut))
        return {};
      if (user != yield && partial.insert(user->getResult(0)))
        steps.push_back(user);
    }
  // A partial sum may not take in other old values.
  for (Operation *step : steps)
    for (Value operand : step->getOperands())
      if (cut.dependsOnOld(operand) && !partial.contains(operand))
        return {};
  bool isResult = partial.contains(yield->getOperand(i));
  return isResult && llvm::any_of(steps, isRounded)
             ? steps
             : SmallVector<Operation *>();
}

/// Sums that are narrower than those of the field are kept in its type.
static void widenSums(linalg::LinalgOp op, const Cut &cut, ScalarBody &body) {
  for (auto [i, old] : llvm::enumerate(getOld(op))) {
    Type narrow = old.getType(), wide = getDefaultAccumulator(narrow);
    SmallVector<Operation *> steps;
    if (wide != narrow)
      steps = findSum(op, cut, i);
    body.accumulators.push_back(steps.empty() ? narrow : wide);
    for (Operation *step : steps)
      body.widened[step] = wide;
  }
}

/// Appends what the combine ops use and do not compute.
static void collectCrossing(linalg::LinalgOp op, const Cut &cut,
                            ScalarBody &body) {
  auto add = [&](Value value, Type type) {
    bool isInside = value.getParentBlock() == op.getBlock();
    bool isRead = isInside && !isConstant(value);
    if (!cut.dependsOnOld(value) && (isRead || type != value.getType()) &&
        !llvm::is_contained(body.mapped, Mapped(value, type)))
      body.mapped.push_back({value, type});
  };
  for (Operation *inner : body.combineOps)
    for (Value operand : inner->getOperands())
      add(operand, body.getTypeIn(inner, operand));
  for (Value value : op.getBlock()->getTerminator()->getOperands())
    add(value, value.getType());
}

/// Sets joins, or leaves them empty, and what the map yields.
static void setMapped(linalg::LinalgOp op, const Cut &cut, ScalarBody &body) {
  OperandRange yielded = op.getBlock()->getTerminator()->getOperands();
  if (!body.accumulates) {
    for (Value value : yielded)
      body.mapped.push_back({value, value.getType()});
    return;
  }
  widenSums(op, cut, body);
  for (unsigned i = 0, e = yielded.size(); i < e; ++i)
    body.joins.push_back(findJoin(op, cut, i));
  if (llvm::is_contained(body.joins, nullptr)) {
    body.joins.clear();
    return collectCrossing(op, cut, body);
  }
  for (auto [join, type] : llvm::zip_equal(body.joins, body.accumulators))
    body.mapped.push_back(
        {join->getOperand(cut.dependsOnOld(join->getOperand(0))), type});
}

/// The inputs that the map reads. A scalar operand is a value like any other
/// from outside. Where terms are accumulated, an input has to stand there even
/// if it is not read.
static LogicalResult setInputs(linalg::LinalgOp op, ScalarBody &body,
                               std::string &reason) {
  auto isShaped = [&](unsigned i) {
    return isa<ShapedType>(op.getDpsInputOperand(i)->get().getType());
  };
  auto isRead = [&](unsigned i) {
    Value argument = op.getBlock()->getArgument(i);
    return llvm::is_contained(llvm::make_first_range(body.mapped), argument) ||
           llvm::any_of(argument.getUsers(), [&](Operation *user) {
             return llvm::is_contained(body.mapOps, user);
           });
  };
  for (unsigned i = 0, e = op.getNumDpsInputs(); i < e; ++i)
    if (isShaped(i) && isRead(i))
      body.inputs.push_back(i);
  for (unsigned i = 0, e = op.getNumDpsInputs(); i < e; ++i)
    if (isShaped(i) && body.inputs.empty() && body.accumulates)
      body.inputs.push_back(i);
  if (!body.accumulates)
    return success();
  if (!body.inputs.empty()) {
    // A map yields something, even if the combine does not use it.
    Value argument = op.getBlock()->getArgument(body.inputs.front());
    if (body.mapped.empty())
      body.mapped.push_back({argument, argument.getType()});
    return success();
  }
  reason = "it has no input";
  return failure();
}

static bool readsOld(linalg::LinalgOp op, const Cut &cut) {
  return llvm::any_of(getOld(op), [&](Value old) {
    return llvm::any_of(old.getUsers(),
                        [&](Operation *user) { return cut.isNeeded(user); });
  });
}

/// Is there an iterator that the results do not vary with? Then their elements
/// are written more than once.
static bool hasContracted(linalg::LinalgOp op) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (unsigned i = 0, e = op.getNumLoops(); i < e; ++i)
    if (!map.isFunctionOfDim(i))
      return true;
  return false;
}

FailureOr<ScalarBody> mlir::tc::matchBody(linalg::LinalgOp op,
                                          std::string &reason) {
  Block &block = *op.getBlock();
  for (Operation &inner : block.without_terminator())
    if (!isScalarOp(inner)) {
      reason = ("its body has '" + inner.getName().getStringRef() + "'").str();
      return failure();
    }
  Cut cut(op);
  ScalarBody body;
  body.accumulates = readsOld(op, cut) || hasContracted(op);
  for (Operation &inner : block.without_terminator()) {
    if (!cut.isNeeded(&inner) || inner.hasTrait<OpTrait::ConstantLike>())
      continue;
    bool dependent = cut.dependsOnOld(inner.getResult(0));
    (dependent ? body.combineOps : body.mapOps).push_back(&inner);
  }
  setMapped(op, cut, body);
  if (failed(setInputs(op, body, reason)))
    return failure();
  return body;
}
