//===- With.cpp - tc.with and tc.partition --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rules.h"

#include "tc/IR/TC.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

SmallVector<PartitionOp> WithOp::getPartitions() {
  return llvm::to_vector(getBody().front().getOps<PartitionOp>());
}

SmallVector<int64_t> WithOp::getStaticShape() {
  SmallVector<int64_t> shape(getRank(), ShapedType::kDynamic);
  for (Type type : getOutputs().getTypes())
    for (auto [extent, own] :
         llvm::zip_equal(shape, cast<MemRefType>(type).getShape()))
      if (ShapedType::isDynamic(extent))
        extent = own;
  return shape;
}

static SmallVector<Type> getElementTypes(WithOp op) {
  return llvm::map_to_vector(op.getOutputs().getTypes(), [](Type type) {
    return cast<MemRefType>(type).getElementType();
  });
}

//===----------------------------------------------------------------------===//
// Rules. Each has a label; test/IR/invalid.mlir has a case of that name.
//===----------------------------------------------------------------------===//

/// Arrays of one shape, as far as it is static.
static LogicalResult verifyOutputs(WithOp op) {
  if (op.getOutputs().empty()) // with_outputs
    return op.emitOpError("expected at least one array");
  for (Type type : op.getOutputs().getTypes())
    if (failed(verifyCompatibleShape(type, op.getOutputs()[0].getType())) ||
        failed(verifyCompatibleShape(cast<MemRefType>(type).getShape(),
                                     op.getStaticShape()))) // with_shapes
      return op.emitOpError("expected arrays of one shape, got ")
             << op.getOutputs()[0].getType() << " and " << type;
  return success();
}

LogicalResult WithOp::verify() {
  if (failed(verifyOutputs(*this)))
    return failure();
  SmallVector<Type> elements = getElementTypes(*this);
  if (!getDefaults().empty() && getDefaults().getTypes() != TypeRange(elements))
    return emitOpError( // with_defaults
               "expected a default of the element type of each array, got ")
           << getDefaults().getTypes();
  if (getBody().front().empty() ||
      !llvm::all_of(getBody().front(),
                    llvm::IsaPred<PartitionOp>)) // with_partitions
    return emitOpError("expected at least one tc.partition, and nothing else");
  return success();
}

LogicalResult mlir::tc::verifyPartition(PartitionOp op) {
  // The tc.with round it is verified already.
  auto with = cast<WithOp>(op->getParentOp());
  int64_t rank = with.getRank();
  if (int64_t(op.getRank()) != rank ||
      int64_t(op.getBody()->getNumArguments()) != rank) // partition_rank
    return op.emitOpError("expected a dimension for each of the ")
           << rank << " of the arrays, got " << op.getRank();
  SmallVector<Type> elements = getElementTypes(with);
  auto yield = dyn_cast<YieldOp>(op.getBody()->back());
  if (!yield || yield.getOperandTypes() != TypeRange(elements))
    return op.emitOpError( // partition_yield
        "expected the region to yield an element of each array");
  for (auto [d, lower, upper, extent] : llvm::enumerate(
           op.getStaticLower(), op.getStaticUpper(), with.getStaticShape())) {
    bool hasUpper = !ShapedType::isDynamic(upper),
         hasLower = !ShapedType::isDynamic(lower);
    if (hasLower && hasUpper && lower >= upper)
      continue;
    if ((hasLower && lower < 0) ||
        (hasUpper && !ShapedType::isDynamic(extent) && upper > extent))
      return op.emitOpError( // partition_bounds
                 "expected bounds within the extent of dimension ")
             << d << ", got (" << (hasLower ? std::to_string(lower) : "?")
             << ") to (" << (hasUpper ? std::to_string(upper) : "?") << ") in "
             << (ShapedType::isDynamic(extent) ? "?" : std::to_string(extent));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Effects
//===----------------------------------------------------------------------===//

void WithOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &output : getOutputsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &output,
                         SideEffects::DefaultResource::get());
}
