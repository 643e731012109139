//===- TCToGPUPtx.cpp - Inline PTX in a kernel ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// The letter of the register that holds `type` (LLVM, "NVPTX inline assembly
/// constraints"), and the type that it takes.
static std::pair<StringRef, Type> getRegister(Type type, Builder &builder) {
  if (type.isF32())
    return {"f", type};
  if (type.isF64())
    return {"d", type};
  if (isa<LLVM::LLVMPointerType>(type))
    return {"l", type};
  unsigned bits = isa<VectorType>(type) ? 32 : type.getIntOrFloatBitWidth();
  StringRef letter = bits == 16 ? "h" : bits == 32 ? "r" : "l";
  return {letter, builder.getIntegerType(bits)};
}

/// The address of the first element of `buffer`, as an i64.
static Value buildAddress(KernelContext &kernel, Location loc, Value buffer) {
  if (Value address = buildClusterAddress(kernel, loc, buffer))
    return address;
  OpBuilder &builder = kernel.builder;
  auto type = cast<MemRefType>(buffer.getType());
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, metadata.getBaseBuffer());
  Value bytes = arith::ConstantIndexOp::create(builder, loc,
                                               getBytes(type.getElementType()));
  Value offset =
      arith::MulIOp::create(builder, loc, metadata.getOffset(), bytes);
  Value address = arith::AddIOp::create(builder, loc, base, offset);
  return arith::IndexCastOp::create(builder, loc, builder.getI64Type(),
                                    address);
}

void mlir::tc::lowerPtx(KernelContext &kernel, PtxOp op) {
  IRRewriter &builder = kernel.builder;
  Location loc = op.getLoc();
  SmallVector<StringRef> constraints;
  SmallVector<Type> types;
  SmallVector<std::string> outputs;
  for (Type type : op.getResultTypes()) {
    auto [letter, own] = getRegister(type, builder);
    outputs.push_back("=" + letter.str());
    types.push_back(own);
  }
  constraints.append(outputs.begin(), outputs.end());
  SmallVector<Value> operands;
  for (Value input : op.getInputs()) {
    auto [letter, own] = getRegister(input.getType(), builder);
    Value value = input;
    if (value.getType() != own)
      value = LLVM::BitcastOp::create(builder, loc, own, value);
    operands.push_back(value);
    constraints.push_back(letter);
  }
  for (Value buffer : llvm::concat<Value>(op.getReads(), op.getWrites())) {
    operands.push_back(buildAddress(kernel, loc, buffer));
    constraints.push_back("l");
  }
  if (!op.getReads().empty() || !op.getWrites().empty() ||
      !op.getOrders().empty())
    constraints.push_back("~{memory}");
  Type result;
  if (types.size() == 1)
    result = types.front();
  else if (types.size() > 1)
    result = LLVM::LLVMStructType::getLiteral(builder.getContext(), types);
  // Kept where it is: lanes of a warp meet here.
  auto text = LLVM::InlineAsmOp::create(
      builder, loc, result, operands, op.getCode(),
      llvm::join(constraints, ","), /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  SmallVector<Value> results;
  for (auto [i, own] : llvm::enumerate(op.getResults())) {
    Value value = text.getResult(0);
    if (types.size() > 1)
      value = LLVM::ExtractValueOp::create(builder, loc, value, i);
    if (value.getType() != own.getType())
      value = LLVM::BitcastOp::create(builder, loc, own.getType(), value);
    results.push_back(value);
  }
  builder.replaceOp(op, results);
}
