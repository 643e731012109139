//===- FuseMemory.cpp - Who computes what an operand holds ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor is the result of one op. What a buffer holds was written by the last
// op that did; and a computation that moves down its block must still find what
// it reads.
//
//===----------------------------------------------------------------------===//

#include "Graph/Fuse.h"

#include "tc/Analysis/NestAccess.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

std::optional<unsigned> mlir::tc::findResult(ContractOp op, Value value) {
  if (op.hasTensorSemantics())
    return value.getDefiningOp() == op
               ? std::optional(cast<OpResult>(value).getResultNumber())
               : std::nullopt;
  auto outputs = op.getOutputs();
  auto place = llvm::find(outputs, value);
  return place == outputs.end()
             ? std::nullopt
             : std::optional<unsigned>(std::distance(outputs.begin(), place));
}

unsigned mlir::tc::countOperandsFrom(ContractOp producer, ContractOp op) {
  auto isFrom = [&](Value value) {
    return findResult(producer, value).has_value();
  };
  return llvm::count_if(op.getInputs(), isFrom) +
         llvm::count_if(op.getSides(), isFrom);
}

/// May `op` write or free the memory of `memref`, or, if `alsoReads`, read it?
static bool mayAccess(Operation *op, Value memref, bool alsoReads) {
  return mayTouch(op, alsoReads, [&](Value other) {
    return !areDistinct(findBuffer(other), findBuffer(memref));
  });
}

ContractOp mlir::tc::findProducer(ContractOp user, Value operand) {
  if (user.hasTensorSemantics()) {
    auto producer = operand.getDefiningOp<ContractOp>();
    return producer && producer->getBlock() == user->getBlock() ? producer
                                                                : ContractOp();
  }
  for (Operation *op = user->getPrevNode(); op; op = op->getPrevNode())
    if (mayAccess(op, operand, /*alsoReads=*/false)) {
      auto producer = dyn_cast<ContractOp>(op);
      return producer && findResult(producer, operand) ? producer
                                                       : ContractOp();
    }
  return {};
}

static auto getOpsBetween(Operation *first, Operation *second) {
  return llvm::make_range(std::next(first->getIterator()),
                          second->getIterator());
}

/// Does `user` alone see what `op` writes to `memref`?
static bool isSeenByOnly(ContractOp op, Value memref, ContractOp user) {
  for (auto [o, output] : llvm::enumerate(user.getOutputs()))
    if (output == memref && replacesResult(user, o))
      return llvm::none_of(getOpsBetween(op, user), [&](Operation &between) {
        return mayAccess(&between, memref, /*alsoReads=*/true);
      });
  if (!memref.getDefiningOp<memref::AllocOp>())
    return false;
  return llvm::all_of(memref.getUsers(), [&](Operation *other) {
    return other == op || other == user ||
           isa<memref::DeallocOp, memref::DimOp>(other);
  });
}

bool mlir::tc::isUsedByOnly(ContractOp op, ContractOp user) {
  if (op.hasTensorSemantics())
    return llvm::all_of(op->getUsers(),
                        [&](Operation *other) { return other == user; });
  return llvm::all_of(op.getOutputs(), [&](Value memref) {
    return isSeenByOnly(op, memref, user);
  });
}

/// Does an op of these arrays write, for one point, what it reads for another?
static bool overwritesInputs(const ContractArrays &arrays) {
  for (auto [output, written] :
       llvm::zip_equal(arrays.outputs.values, arrays.outputs.maps)) {
    auto isSafe = [output = output, written = written](
                      Value value, AffineMap read, bool isInput) {
      return areDistinct(findBuffer(value), findBuffer(output)) ||
             (value == output && read == written &&
              (!isInput || written.isPermutation()));
    };
    for (auto [value, map] :
         llvm::zip_equal(arrays.inputs.values, arrays.inputs.maps))
      if (!isSafe(value, map, /*isInput=*/true))
        return true;
    for (auto [value, map] :
         llvm::zip_equal(arrays.sides.values, arrays.sides.maps))
      if (!isSafe(value, map, /*isInput=*/false))
        return true;
  }
  return false;
}

bool mlir::tc::updatesInPlace(ContractOp op) {
  if (op.hasTensorSemantics())
    return false;
  size_t readers = op.getInputs().size() + op.getSides().size();
  for (Value read : op.getShapedOperands().take_front(readers))
    for (Value written : op.getOutputs())
      if (!areDistinct(findBuffer(read), findBuffer(written)))
        return true;
  return false;
}

std::optional<std::string>
mlir::tc::explainMemory(ContractOp first, ContractOp second,
                        const ContractArrays &fused) {
  if (first.hasTensorSemantics())
    return std::nullopt;
  for (Operation &between : getOpsBetween(first, second))
    for (Value value : first.getShapedOperands())
      if (mayAccess(&between, value, /*alsoReads=*/false))
        return "what it reads is written before its reader";
  if (overwritesInputs(fused))
    return "its reader may write over what it reads";
  return std::nullopt;
}
