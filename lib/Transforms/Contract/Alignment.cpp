//===- Alignment.cpp - What is known of addresses -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Alignment.h"

#include "tc/IR/IndexBuilder.h"
#include "tc/IR/Scalars.h"

#include "Contract/Indexing.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

Value mlir::tc::findViewedBuffer(Value memref) {
  while (auto view = memref.getDefiningOp<ViewOp>())
    memref = view.getSource();
  return memref;
}

SmallVector<OpFoldResult> mlir::tc::getMixedStrides(Value memref) {
  if (auto view = memref.getDefiningOp<ViewOp>())
    return view.getMixedStrides();
  auto type = cast<MemRefType>(memref.getType());
  return getAsIndexOpFoldResult(type.getContext(),
                                type.getStridesAndOffset().first);
}

/// What the address of `buffer` is a multiple of for `user`, in bytes; 1 if
/// unknown.
static int64_t getAlignment(Value buffer, Operation *user) {
  // tc-annotate-kernels gives workgroup memory this alignment.
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
          cast<MemRefType>(buffer.getType())))
    return kMaxAccessBytes;
  // What a nest holds is no buffer of the caller's.
  Operation *op = buffer.getDefiningOp();
  if (op && op->getParentOfType<ParOp>())
    return 1;
  auto helper = TCDialect::VariantAttrHelper(user->getContext());
  for (; user; user = user->getParentOfType<ParOp>())
    if (VariantAttr variant = helper.getAttr(user))
      return variant.getAlignment();
  return 1;
}

bool mlir::tc::beginsAligned(Value memref, int64_t elements, Operation *user) {
  auto type = cast<MemRefType>(memref.getType());
  for (; auto view = memref.getDefiningOp<ViewOp>(); memref = view.getSource())
    if (!isMultipleOf(view.getMixedOffset(), elements))
      return false;
  int64_t offset =
      cast<MemRefType>(memref.getType()).getStridesAndOffset().second;
  return !ShapedType::isDynamic(offset) && offset % elements == 0 &&
         getAlignment(memref, user) %
                 (elements * getBytes(type.getElementType())) ==
             0;
}

llvm::MaybeAlign mlir::tc::findComplexAlignment(Value memref, Operation *user) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (!isa<ComplexType>(element))
    return {};
  int64_t bytes = getBytes(element);
  return getAlignment(findViewedBuffer(memref), user) % bytes == 0
             ? llvm::MaybeAlign(bytes)
             : llvm::MaybeAlign();
}

bool mlir::tc::isKnownAligned(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  auto holds = [](std::optional<uint64_t> alignment) {
    return alignment && *alignment % kMaxAccessBytes == 0;
  };
  if (auto alloc = dyn_cast_if_present<memref::AllocOp>(op))
    return holds(alloc.getAlignment());
  if (auto assume = dyn_cast_if_present<memref::AssumeAlignmentOp>(op))
    return holds(assume.getAlignment());
  return false;
}

Value mlir::tc::buildAligned(OpBuilder &builder, Location loc,
                             ArrayRef<Value> buffers) {
  IndexBuilder math(loc, builder);
  // All at once: the low bits of any.
  Value bits;
  for (Value buffer : llvm::SetVector<Value>(buffers.begin(), buffers.end())) {
    if (isKnownAligned(buffer))
      continue;
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(math, buffer);
    bits = bits ? arith::OrIOp::create(math, bits, address) : address;
  }
  return bits ? math.isMultiple(bits, kMaxAccessBytes) : Value();
}
