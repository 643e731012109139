//===- RaiseNest.cpp - What a nest computes -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that a nest writes is one element for each point of its result space, and
// it reads nothing else of that buffer. So no iteration sees another's effects,
// but those that it combines with; and statements that follow one another
// within the result iterators may do so for all of them.
//
//===----------------------------------------------------------------------===//

#include "Graph/Raise.h"

#include "tc/Algebra/Exprs.h"
#include "tc/IR/Neutral.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

static bool isLoad(Operation *op) {
  return isa<memref::LoadOp, affine::AffineLoadOp>(op);
}

static bool isStore(Operation *op) {
  return isa<memref::StoreOp, affine::AffineStoreOp>(op);
}

static bool isOrdered(Operation *loop) { return !isa<ParOp>(loop); }

static Value getStored(Operation *store) { return store->getOperand(0); }

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Why a loop stays as it was written; empty if it may go.
static std::string refuseLoop(Operation *loop) {
  if (auto par = dyn_cast<ParOp>(loop))
    if (par.getLevel() || par.getFull() || par.getMapping() ||
        par.getAlign() != 1)
      return "it says who runs its iterations";
  if (auto seq = dyn_cast<SeqOp>(loop); seq && seq.getStages() != 1)
    return "it says how many copies run ahead";
  if (auto reduce = dyn_cast<ReduceOp>(loop); reduce && reduce.getLevel())
    return "it says who runs its iterations";
  if (!isa<ParOp, SeqOp, ReduceOp, scf::ForOp, affine::AffineForOp>(loop))
    return ("it has '" + loop->getName().getStringRef() + "'").str();
  return "";
}

LogicalResult RaiseNest::addRanges(Operation *loop) {
  if (std::string why = refuseLoop(loop); !why.empty())
    return fail(why);
  SmallVector<NestRange> own = getRanges(loop);
  if (own.empty())
    return fail("it has a loop without bounds");
  for (const NestRange &range : own) {
    auto isGiven = [&](OpFoldResult bound) {
      auto value = dyn_cast<Value>(bound);
      return !value || getConstantIntValue(bound) || !isInside(root, value);
    };
    if (!isGiven(range.lower) || !isGiven(range.upper))
      return fail("bounds vary in the nest");
    if (range.step.value_or(0) <= 0)
      return fail("a step is not a positive constant");
    if (range.width != 1)
      return fail("a loop has a width");
    if (values.trace(range.upper) == values.trace(range.lower))
      return fail("a loop has no iterations");
    ranges.push_back(range);
  }
  return success();
}

LogicalResult RaiseNest::enter(Operation *loop) {
  unsigned outside = ranges.size();
  if (failed(addRanges(loop)))
    return failure();
  for (Operation &op : loop->getRegion(0).front().without_terminator()) {
    LogicalResult done = success();
    if (isStore(&op)) {
      done = addStore(&op);
    } else if (auto reduce = dyn_cast<ReduceOp>(op)) {
      done = addReduce(reduce);
    } else if (op.getNumRegions() > 0 && op.getNumResults() > 0) {
      done = addFold(&op);
    } else if (op.getNumRegions() > 0) {
      done = enter(&op);
    } else if (!isLoad(&op) && !isPure(&op)) {
      done = fail("it has '" + op.getName().getStringRef() + "'");
    }
    if (failed(done))
      return failure();
  }
  ranges.truncate(outside);
  return success();
}

ValueRange mlir::tc::getInits(Operation *loop) {
  auto like = dyn_cast<LoopLikeOpInterface>(loop);
  return like ? ValueRange(like.getInits()) : ValueRange();
}

Block::BlockArgListType mlir::tc::getCarried(Operation *loop) {
  return cast<LoopLikeOpInterface>(loop).getRegionIterArgs();
}

/// A loop that carries one value, or such loops inside of one another.
LogicalResult RaiseNest::addFold(Operation *loop) {
  unsigned outside = ranges.size();
  for (Operation *op = loop;;) {
    if (getInits(op).size() != 1 || op->getNumResults() != 1)
      return fail("it has '" + op->getName().getStringRef() +
                  "' that gives other than one sum");
    if (failed(addRanges(op)))
      return failure();
    Value carried = getCarried(op).front();
    Block *body = &op->getRegion(0).front();
    Value next = body->getTerminator()->getOperand(0);
    for (Operation &inner : body->without_terminator())
      if (inner.getNumRegions() == 0 && !isLoad(&inner) && !isPure(&inner))
        return fail("it has '" + inner.getName().getStringRef() + "'");
    Operation *inner = next.getDefiningOp();
    bool isChain = inner && inner->getNumRegions() > 0 &&
                   inner->getBlock() == body && carried.hasOneUse() &&
                   llvm::equal(getInits(inner), ValueRange(carried));
    if (isChain) {
      op = inner;
      continue;
    }
    for (Operation &other : body->without_terminator())
      if (other.getNumRegions() > 0)
        return fail("it has '" + other.getName().getStringRef() + "'");
    folds[loop->getResult(0)] = {
        llvm::to_vector(ArrayRef(ranges).drop_front(outside)),
        getInits(loop).front(),
        carried,
        next,
        {},
        outside};
    break;
  }
  ranges.truncate(outside);
  return success();
}

/// Does `block` hold loads and ops without effects alone, and stores if they
/// may be?
static Operation *findOther(Block &block, bool mayStore) {
  for (Operation &op : block.without_terminator())
    if (op.getNumRegions() > 0 ||
        (!isLoad(&op) && !isPure(&op) && !(mayStore && isStore(&op))))
      return &op;
  return nullptr;
}

/// A tc.reduce of one value by one op is a fold of which `finish` has the
/// result.
LogicalResult RaiseNest::addReduce(ReduceOp reduce) {
  Block &combine = reduce.getCombine().front(), &map = reduce.getMap().front(),
        &finish = reduce.getFinish().front();
  if (reduce.getInits().size() != 1)
    return fail("it has 'tc.reduce' that gives other than one sum");
  bool isOne = llvm::hasSingleElement(combine.without_terminator());
  Operation *op = &combine.front();
  TypedAttr neutral = isOne ? getNeutralElement(op) : TypedAttr();
  if (!neutral || op->getOperand(0) == op->getOperand(1) ||
      combine.getTerminator()->getOperand(0) != op->getResult(0))
    return fail("it has 'tc.reduce' that combines by other than one op");
  for (auto [block, mayStore] : {std::pair(&map, false), {&finish, true}})
    if (Operation *other = findOther(*block, mayStore))
      return fail("it has '" + other->getName().getStringRef() + "'");
  unsigned outside = ranges.size();
  if (failed(addRanges(reduce)))
    return failure();
  folds[finish.getArgument(0)] = {
      llvm::to_vector(ArrayRef(ranges).drop_front(outside)),
      reduce.getInits().front(),
      combine.getArgument(0),
      op->getResult(0),
      {combine.getArgument(1), map.getTerminator()->getOperand(0)},
      outside};
  ranges.truncate(outside);
  for (Operation &inner : finish.without_terminator())
    if (isStore(&inner) && failed(addStore(&inner)))
      return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

SmallVector<AffineExpr> RaiseNest::getSubscripts(Operation *op) {
  return TypeSwitch<Operation *, SmallVector<AffineExpr>>(op)
      .Case<memref::LoadOp, memref::StoreOp>([&](auto access) {
        return llvm::map_to_vector(access.getIndices(), [&](Value index) {
          return values.trace(index);
        });
      })
      .Case<affine::AffineLoadOp, affine::AffineStoreOp>([&](auto access) {
        return values.trace(access.getAffineMap(), access.getMapOperands());
      });
}

/// A window that moves against a loop, as in `A[i - k]`, moves with it if the
/// loop goes backwards. Others may go either way: views of single indices take
/// any stride.
void RaiseNest::findReversed() {
  root->walk([&](Operation *op) {
    if (!isLoad(op) && !isStore(op))
      return;
    for (AffineExpr subscript : getSubscripts(op)) {
      auto form = linearForm(subscript, values.getNumDims());
      if (!form)
        continue;
      SmallVector<Value> inside, falling;
      for (auto [d, factor] : llvm::enumerate(form->factors)) {
        Value value = values.getValue(d);
        if (factor == 0 || !value || !isInside(root, value))
          continue;
        inside.push_back(value);
        if (factor < 0)
          falling.push_back(value);
      }
      if (inside.size() > 1)
        reversed.insert(falling.begin(), falling.end());
    }
  });
}

FailureOr<RaiseElement> RaiseNest::getElement(Operation *op) {
  RaiseElement element;
  element.op = op;
  element.memref = TypeSwitch<Operation *, Value>(op)
                       .Case<memref::LoadOp, memref::StoreOp,
                             affine::AffineLoadOp, affine::AffineStoreOp>(
                           [](auto access) { return access.getMemRef(); });
  element.subscripts = getSubscripts(op);
  std::string why = RaiseViews(root, values, reversed).refuse(element);
  if (!why.empty())
    return fail(why);
  return element;
}

/// The value of a fold that `value` is made of; null if there is none.
Value RaiseNest::findFold(Value value, DenseSet<Value> &seen) const {
  if (folds.contains(value))
    return value;
  Operation *op = value.getDefiningOp();
  if (!op || !isInside(root, value) || op->getNumRegions() > 0 ||
      !seen.insert(value).second)
    return {};
  for (Value operand : op->getOperands())
    if (Value found = findFold(operand, seen))
      return found;
  return {};
}

LogicalResult RaiseNest::addStore(Operation *store) {
  FailureOr<RaiseElement> element = getElement(store);
  if (failed(element))
    return failure();
  if (!statements.empty() && !(statements.front().element == *element))
    return fail("it writes more than one element in an iteration");
  Value value = getStored(store);
  DenseSet<Value> seen;
  Value result = findFold(value, seen);
  if (!result)
    return addStatement({ranges, *element, value});
  // Each iteration of a loop between would compute the sum again.
  if (folds.lookup(result).outside != ranges.size())
    return fail("a loop stores a sum that is the same in all its iterations");
  const Fold fold = folds.lookup(result);
  RaiseStatement init{ranges, *element, fold.init},
      combine{ranges, *element, fold.next}, last{ranges, *element, value};
  llvm::append_range(combine.ranges, fold.ranges);
  combine.old.push_back(fold.carried);
  combine.term = fold.term;
  // What needs the old element, or another type, has its sums elsewhere.
  bool isApart = result.getType() != value.getType() ||
                 (value != result && readsElement(value, *element, result));
  init.isOfSums = combine.isOfSums = isApart;
  if (isApart)
    last.sum = result;
  else
    last.old.push_back(result);
  // Where the loop starts from the element, it goes on with it.
  Operation *start = fold.init.getDefiningOp();
  bool startsFromElement =
      start && isLoad(start) && readsElement(fold.init, *element, /*sum=*/{});
  if (startsFromElement && isApart)
    return fail("a sum that has a buffer of its own starts from the element");
  if (!startsFromElement && failed(addStatement(std::move(init))))
    return failure();
  if (failed(addStatement(std::move(combine),
                          startsFromElement ? start : nullptr)))
    return failure();
  return value == result ? success() : addStatement(std::move(last));
}

/// Is `value` made of what `element` held before, beside `sum`?
bool RaiseNest::readsElement(Value value, const RaiseElement &element,
                             Value sum) {
  Operation *op = value.getDefiningOp();
  if (value == sum || !op || !isInside(root, value) || op->getNumRegions() > 0)
    return false;
  if (isLoad(op)) {
    FailureOr<RaiseElement> loaded = getElement(op);
    return succeeded(loaded) && *loaded == element;
  }
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    return readsElement(operand, element, sum);
  });
}

LogicalResult RaiseNest::addStatement(RaiseStatement statement,
                                      Operation *start) {
  bool isKnown = !statement.old.empty();
  DenseSet<Operation *> seen;
  if (failed(collect(statement.value, statement, seen)))
    return failure();
  SmallVector<Operation *> loads;
  for (Value old : ArrayRef(statement.old).drop_front(isKnown))
    loads.push_back(old.getDefiningOp());
  if (isKnown && !loads.empty())
    return fail("it reads the old element beside the one that a loop carries");
  if (statement.isOfSums && !loads.empty())
    return fail("a sum that has a buffer of its own starts from the element");
  if (start)
    loads.push_back(start);
  if (failed(checkStatement(statement)) || failed(checkOld(loads, statement)))
    return failure();
  statements.push_back(std::move(statement));
  return success();
}

/// Is `op` inside of the loop of `range`?
static bool isOf(const NestRange &range, Operation *op) {
  Value index = range.index;
  return index.getParentRegion()->isAncestor(op->getParentRegion());
}

/// Do `loads` find what the iteration before stored, or the statement before?
LogicalResult RaiseNest::checkOld(ArrayRef<Operation *> loads,
                                  const RaiseStatement &statement) {
  auto written = llvm::find_if(
      llvm::reverse(statements),
      [](const RaiseStatement &before) { return !before.isOfSums; });
  for (Operation *load : loads) {
    if (written != statements.rend() &&
        places.lookup(load) < places.lookup(written->element.op))
      return fail("it reads the element before it writes it");
    // The loops of a fold are not among `ranges`.
    for (unsigned i : statement.contracted)
      if (i < ranges.size() && !isOf(statement.ranges[i], load))
        return fail("it reads the old element outside of a loop that combines");
  }
  return success();
}

/// Adds what makes `value`.
LogicalResult RaiseNest::collect(Value value, RaiseStatement &statement,
                                 DenseSet<Operation *> &seen) {
  if (!isInside(root, value) || value == statement.sum ||
      llvm::is_contained(statement.old, value))
    return success();
  if (value == statement.term.first)
    return collect(statement.term.second, statement, seen);
  Operation *op = value.getDefiningOp();
  if (!op)
    return fail("it computes with an index, or with what a loop carries");
  if (!seen.insert(op).second)
    return success();
  if (isLoad(op))
    return collectLoad(op, statement);
  if (op->getNumRegions() > 0)
    return fail("it computes with what a loop gives");
  auto isScalar = [](Type type) { return isNumber(type) || type.isIndex(); };
  if (!llvm::all_of(op->getOperandTypes(), isScalar) ||
      !llvm::all_of(op->getResultTypes(), isScalar))
    return fail("it computes with other than numbers");
  for (Value operand : op->getOperands())
    if (failed(collect(operand, statement, seen)))
      return failure();
  statement.ops.push_back(op);
  return success();
}

LogicalResult RaiseNest::collectLoad(Operation *load,
                                     RaiseStatement &statement) {
  FailureOr<RaiseElement> element = getElement(load);
  if (failed(element))
    return failure();
  if (!isNumber(load->getResult(0).getType()))
    return fail("it reads other than numbers");
  if (*element == statement.element) {
    statement.old.push_back(load->getResult(0));
    return success();
  }
  Value read = findBuffer(element->memref),
        written = findBuffer(statement.element.memref);
  if (!areDistinct(read, written))
    return fail("it may read other elements of the buffer that it writes");
  statement.loads.push_back(*element);
  return success();
}

/// Is the value of a statement its old one with another added, subtracted, or
/// combined by another op that takes its operands in any order?
static bool addsInAnyOrder(const RaiseStatement &statement) {
  Operation *last = statement.value.getDefiningOp();
  auto isOld = [&](Value value) {
    return llvm::is_contained(statement.old, value);
  };
  auto countOld = [&](Operation *op) {
    return llvm::count_if(op->getOperands(), isOld);
  };
  int64_t uses = 0;
  for (Operation *op : statement.ops)
    uses += countOld(op);
  if (!last || uses != 1 || countOld(last) != 1)
    return false;
  if (isa<math::FmaOp>(last))
    return isOld(last->getOperand(2));
  if (isa<arith::SubFOp, arith::SubIOp>(last))
    return isOld(last->getOperand(0));
  return last->hasTrait<OpTrait::IsCommutative>() && getNeutralElement(last);
}

LogicalResult RaiseNest::checkStatement(RaiseStatement &statement) {
  RaiseViews views(root, values, reversed);
  AffineMap map = views.getMap(statement.element, statement.ranges);
  if (!ContractOp::isInjective(map))
    return fail("several iterations may write to one element");
  SmallVector<AffineMap> maps = {map};
  for (const RaiseElement &load : statement.loads)
    maps.push_back(views.getMap(load, statement.ranges));
  for (unsigned i = 0, e = statement.ranges.size(); i != e; ++i) {
    bool hasExtent = llvm::any_of(maps, [&](AffineMap map) {
      return llvm::is_contained(map.getResults(),
                                getAffineDimExpr(i, map.getContext()));
    });
    if (!hasExtent)
      return fail("no operand has a loop's index alone as a subscript");
    if (map.isFunctionOfDim(i))
      continue;
    statement.contracted.push_back(i);
    Operation *loop = statement.ranges[i].index.getParentBlock()->getParentOp();
    if (!isOrdered(loop))
      return fail("iterations of a tc.par write to one element");
  }
  if (statement.isAccumulating() && statement.old.empty())
    return fail("the last iteration overwrites what others wrote");
  bool isReversed = llvm::any_of(statement.contracted, [&](unsigned i) {
    return reversed.contains(statement.ranges[i].index);
  });
  if (isReversed && !addsInAnyOrder(statement))
    return fail("a loop that would go backwards combines in its order");
  return success();
}

/// Statements that share a loop follow one another in each of its iterations.
/// They may do so for all at once where none of them combines over it.
LogicalResult RaiseNest::checkOrder() {
  if (statements.size() < 2)
    return success();
  for (const RaiseStatement &statement : statements)
    for (unsigned i : statement.contracted)
      for (const RaiseStatement &other : statements)
        if (&other != &statement &&
            llvm::any_of(other.ranges, [&](const NestRange &range) {
              return range.index == statement.ranges[i].index;
            }))
          return fail("it combines over a loop in several statements");
  return success();
}

bool RaiseNest::mayAccumulate() const {
  return containsOp(*root, [](Operation *op) {
    if (!isa<SeqOp, scf::ForOp, affine::AffineForOp>(op))
      return false;
    return op->getNumResults() > 0 ||
           llvm::any_of(op->getRegion(0).getOps(),
                        [](Operation &inner) { return isStore(&inner); });
  });
}

LogicalResult RaiseNest::match() {
  root->walk<WalkOrder::PreOrder>(
      [&](Operation *op) { places[op] = places.size(); });
  if (root->getNumResults() > 0)
    return fail("the outermost loop gives a value");
  findReversed();
  if (failed(enter(root)) || failed(checkOrder()))
    return failure();
  if (llvm::none_of(statements, [](const RaiseStatement &statement) {
        return statement.isAccumulating();
      }))
    return fail("it combines nothing");
  return success();
}
