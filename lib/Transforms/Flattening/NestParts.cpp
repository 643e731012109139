//===- NestParts.cpp - Cutting a tc.par into nests ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flattening/NestParts.h"

#include "Nests/Bands.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

std::string mlir::tc::quoteName(Operation *op) {
  return "'" + op->getName().getStringRef().str() + "'";
}

NestParts::NestParts(ParOp par, std::function<bool(Operation *)> isToComeOut)
    : par(par), comesOut(std::move(isToComeOut)) {
  bool isOpen = false; // may the next op join the last part?
  for (Operation &op : par.getBody()->without_terminator()) {
    if (auto buffer = dyn_cast<NewOp>(op)) {
      buffers.push_back(buffer);
      continue;
    }
    bool isFromArithmetic = llvm::all_of(op.getOperands(), [&](Value value) {
      Operation *made = value.getDefiningOp();
      return !made || made->getBlock() != par.getBody() ||
             arithmetic.contains(made) || isa<NewOp>(made);
    });
    if (op.getNumRegions() == 0 && isPure(&op) && isFromArithmetic) {
      arithmetic.insert(&op);
      continue;
    }
    if (comesOut(&op) || !isOpen)
      parts.emplace_back();
    parts.back().push_back(&op);
    partOf[&op] = parts.size() - 1;
    isOpen = !comesOut(&op);
  }
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// Does each iteration need a place outside for `buffer`? Where several parts
/// use it, or what comes out, directly or by a view.
bool NestParts::needsPlaces(NewOp buffer) {
  DenseSet<unsigned> users;
  bool isOfOne = false;
  SmallVector<Value> reached = {buffer};
  while (!reached.empty())
    for (Operation *user : reached.pop_back_val().getUsers()) {
      Operation *inBody = par.getBody()->findAncestorOpInBlock(*user);
      if (arithmetic.contains(inBody))
        llvm::append_range(reached, user->getResults());
      else if (auto it = partOf.find(inBody); it != partOf.end())
        users.insert(it->second);
      isOfOne |= comesOut(inBody);
    }
  return isOfOne || users.size() > 1;
}

bool NestParts::canNumberPlaces(bool areFilled) {
  SpaceBounds bounds = par.getBounds();
  return llvm::all_of(
      llvm::zip_equal(bounds.lower, bounds.upper, bounds.step, bounds.width),
      [&](auto dimension) {
        auto [lower, upper, step, width] = dimension;
        // Memory of a dynamic size is not filled.
        std::optional<int64_t> most = getConstantUpperBound(upper);
        bool isSized = most ? *most > 0 : !areFilled;
        return isSized && getConstantIntValue(lower) == 0 &&
               getConstantIntValue(step) == 1 &&
               getConstantIntValue(width) == 1;
      });
}

std::string NestParts::findObstacle(NewOp buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  bool isPlain = !type.getMemorySpace() && type.getLayout().isIdentity() &&
                 type.hasStaticShape() && buffer.getThreads() == 0 &&
                 !buffer.getSlot();
  // A view of the place has another type than the buffer.
  for (Operation *user : buffer->getUsers())
    isPlain &= isa<ContractOp, memref::LoadOp, memref::StoreOp>(user);
  isPlain &= canNumberPlaces(/*areFilled=*/bool(buffer.getInitAttr()));
  return isPlain ? "" : "a buffer of each iteration has no place outside";
}

/// Memory of `type` for all iterations of `par`.
static Value allocate(ParOp par, NewOp buffer, MemRefType type,
                      ValueRange sizes) {
  OpBuilder builder(par);
  Location loc = buffer.getLoc();
  if (sizes.empty())
    return NewOp::create(builder, loc, type, buffer.getInitAttr(), 0,
                         IntegerAttr());
  // An index space that is empty may end before it begins.
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  SmallVector<Value> counts = llvm::map_to_vector(sizes, [&](Value size) {
    return arith::MaxSIOp::create(builder, loc, size, zero).getResult();
  });
  Value all = memref::AllocOp::create(builder, loc, type, counts);
  builder.setInsertionPointAfter(par);
  memref::DeallocOp::create(builder, loc, all);
  return all;
}

/// Makes a buffer of all iterations, of which each has its part.
void NestParts::givePlaces(NewOp buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  Builder attributes(par.getContext());
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> offsets, sizes;
  SmallVector<Value> dynamic;
  for (auto [index, upper] :
       llvm::zip_equal(par.getIndices(), par.getMixedUpper())) {
    std::optional<int64_t> most = getConstantUpperBound(upper);
    shape.push_back(most.value_or(ShapedType::kDynamic));
    if (!most)
      dynamic.push_back(cast<Value>(upper));
    offsets.push_back(index);
    sizes.push_back(attributes.getIndexAttr(1));
  }
  for (int64_t size : type.getShape()) {
    shape.push_back(size);
    offsets.push_back(attributes.getIndexAttr(0));
    sizes.push_back(attributes.getIndexAttr(size));
  }
  Value all = allocate(par, buffer,
                       MemRefType::get(shape, type.getElementType()), dynamic);
  SmallVector<OpFoldResult> strides(shape.size(), attributes.getIndexAttr(1));
  OpBuilder builder(buffer);
  auto own = memref::SubViewOp::create(
      builder, buffer.getLoc(),
      cast<MemRefType>(memref::SubViewOp::inferRankReducedResultType(
          type.getShape(), cast<MemRefType>(all.getType()), offsets, sizes,
          strides)),
      all, offsets, sizes, strides);
  buffer.replaceAllUsesWith(own.getResult());
  arithmetic.insert(own);
  buffer.erase();
}

/// Is `use` where nothing may be read?
static bool isInCombine(OpOperand *use) {
  Region *region = use->getOwner()->getParentRegion();
  for (; region; region = region->getParentRegion()) {
    bool isOne = TypeSwitch<Operation *, bool>(region->getParentOp())
                     .Case<ReduceOp, ScanOp>([&](auto fold) {
                       return region == &fold.getCombine();
                     })
                     .Default(false);
    if (isOne)
      return true;
  }
  return false;
}

SmallVector<OpOperand *> NestParts::findUsesElsewhere(OpResult value) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : value.getUses()) {
    auto it =
        partOf.find(par.getBody()->findAncestorOpInBlock(*use.getOwner()));
    if (it == partOf.end() || it->second != partOf[value.getOwner()])
      uses.push_back(&use);
  }
  return uses;
}

std::string NestParts::findObstacle(OpResult value) {
  SmallVector<OpOperand *> uses = findUsesElsewhere(value);
  bool isHeld =
      isa<IntegerType, IndexType, FloatType, ComplexType>(value.getType()) &&
      canNumberPlaces(/*areFilled=*/false);
  bool canBeRead = llvm::all_of(uses, [&](OpOperand *use) {
    return partOf.contains(
               par.getBody()->findAncestorOpInBlock(*use->getOwner())) &&
           !isInCombine(use);
  });
  if (uses.empty() || (isHeld && canBeRead))
    return {};
  return "what " + quoteName(value.getOwner()) + " gives is used elsewhere";
}

void NestParts::passByMemory(OpResult value) {
  SmallVector<OpOperand *> uses = findUsesElsewhere(value);
  if (uses.empty())
    return;
  Operation *op = value.getOwner();
  Location loc = value.getLoc();
  OpBuilder builder(par.getBody(), par.getBody()->begin());
  Type type = value.getType(), held = type;
  if (type.isIndex()) // has no size of its own
    held = builder.getI64Type();
  auto cast = [&](Value from, Type to) {
    return builder.createOrFold<arith::IndexCastOp>(loc, to, from);
  };
  Value buffer = NewOp::create(builder, loc, MemRefType::get({}, held),
                               TypedAttr(), 0, IntegerAttr());
  buffers.push_back(buffer.getDefiningOp<NewOp>());
  // What is made belongs to the part of the op that it is made for.
  auto makeBeside = [&](Operation *other, function_ref<void()> make) {
    Operation *before = &*builder.getInsertionPoint();
    Operation *last = before->getPrevNode();
    make();
    auto it = partOf.find(other);
    if (it == partOf.end())
      return;
    unsigned part = it->second;
    for (Operation *made = last ? last->getNextNode()
                                : &before->getBlock()->front();
         made != before; made = made->getNextNode()) {
      parts[part].push_back(made);
      partOf[made] = part;
    }
  };
  builder.setInsertionPointAfter(op);
  makeBeside(op, [&] {
    Value stored = type == held ? Value(value) : cast(value, held);
    memref::StoreOp::create(builder, loc, stored, buffer);
  });
  for (OpOperand *use : uses) {
    builder.setInsertionPoint(use->getOwner());
    makeBeside(use->getOwner(), [&] {
      Value loaded = memref::LoadOp::create(builder, loc, buffer, ValueRange());
      use->set(type == held ? loaded : cast(loaded, type));
    });
  }
}

void NestParts::givePlaces() {
  SmallVector<OpResult> results;
  for (const Part &part : parts)
    for (Operation *op : part)
      llvm::append_range(results, op->getOpResults());
  for (OpResult result : results)
    passByMemory(result);
  for (NewOp buffer : buffers)
    if (needsPlaces(buffer))
      givePlaces(buffer);
}

void NestParts::giveAllPlaces() {
  for (NewOp buffer : buffers)
    givePlaces(buffer);
}

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

std::string NestParts::findObstacle() {
  if (isWrittenByHand(par))
    return "it is written who runs the iterations";
  for (const Part &part : parts)
    for (Operation *op : part)
      for (OpResult result : op->getOpResults())
        if (std::string obstacle = findObstacle(result); !obstacle.empty())
          return obstacle;
  for (NewOp buffer : buffers)
    if (needsPlaces(buffer))
      if (std::string obstacle = findObstacle(buffer); !obstacle.empty())
        return obstacle;
  return {};
}

std::string NestParts::findObstacle(SeqOp loop) {
  bool isFixed = llvm::none_of(loop->getOperands(), [&](Value value) {
    return par.getRegion().isAncestor(value.getParentRegion());
  });
  if (!isFixed || !loop.getInits().empty())
    return "'tc.seq' carries values, or its bounds change with the index";
  // The loop would begin each iteration with new ones.
  for (NewOp buffer : buffers)
    if (std::string obstacle = findObstacle(buffer); !obstacle.empty())
      return obstacle;
  return {};
}

ParOp NestParts::copyWith(const Part &part) {
  IRMapping mapping;
  auto copy = cast<ParOp>(OpBuilder(par).clone(*par, mapping));
  for (Operation &op : llvm::reverse(par.getBody()->without_terminator())) {
    Operation *own = mapping.lookup(&op);
    if (!llvm::is_contained(part, &op) && own->use_empty())
      own->erase();
  }
  return copy;
}

void mlir::tc::interchange(ParOp par, SeqOp loop) {
  OpBuilder builder(par);
  auto outer = cast<SeqOp>(builder.clone(*loop));
  Block &body = *outer.getBody(), &inner = *loop.getBody();
  while (Operation *last = body.getTerminator()->getPrevNode())
    last->erase();
  par->moveBefore(body.getTerminator());
  for (auto [own, index] :
       llvm::zip_equal(inner.getArguments(), body.getArguments()))
    own.replaceAllUsesWith(index);
  par.getBody()->getOperations().splice(loop->getIterator(),
                                        inner.getOperations(), inner.begin(),
                                        inner.getTerminator()->getIterator());
  loop.erase();
}
