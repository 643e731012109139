//===- HostPanels.cpp - Register tiles from panels ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostPanels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Products of vectors, which become fused ones where the CPU has those.
struct VectorMath {
  HostBuilder &builder;
  const HostPlan &plan;
  bool isFloat = isa<FloatType>(plan.part);

  Value multiply(Value a, Value b) {
    if (!isFloat)
      return arith::MulIOp::create(builder, a, b);
    return arith::MulFOp::create(builder, a, b, arith::FastMathFlags::contract);
  }
  Value add(Value a, Value b) {
    if (!isFloat)
      return arith::AddIOp::create(builder, a, b);
    return arith::AddFOp::create(builder, a, b, arith::FastMathFlags::contract);
  }
  Value accumulate(Value sum, Value a, Value b) {
    if (plan.dot == 1)
      return add(sum, multiply(a, b));
    if (isFloat)
      return x86vector::DotBF16Op::create(builder, sum.getType(), sum, a, b);
    return add(sum, multiplyPairs(sum.getType(), a, b));
  }
  /// LLVM makes one instruction of this and the sum where there is one (VNNI).
  Value multiplyPairs(Type type, Value a, Value b) {
    StringRef name = plan.lanes == 16  ? "llvm.x86.avx512.pmaddw.d.512"
                     : plan.lanes == 8 ? "llvm.x86.avx2.pmadd.wd"
                                       : "llvm.x86.sse2.pmadd.wd";
    return LLVM::CallIntrinsicOp::create(
               builder, type, builder.getStringAttr(name), ValueRange{a, b})
        .getResult(0);
  }
  Value subtract(Value a, Value b) {
    return arith::SubFOp::create(builder, a, b, arith::FastMathFlags::contract);
  }
};
} // namespace

SmallVector<Value> HostFactor::indicesOf(HostBuilder &builder, int64_t part,
                                         Value sum, int64_t line,
                                         int64_t width) const {
  if (!memory)
    return {builder.load(sums, sum)};
  return {panel, builder.constant(part), sum, builder.constant(line * width)};
}

Value mlir::tc::createMask(HostBuilder &builder, Value count, int64_t start,
                           int64_t length) {
  Value left = builder.subtract(count, builder.constant(start));
  Value some = arith::MaxSIOp::create(builder, left, builder.constant(0));
  return vector::CreateMaskOp::create(
      builder, VectorType::get(length, builder.getI1Type()), some);
}

Value mlir::tc::createZeros(HostBuilder &builder, VectorType type) {
  return arith::ConstantOp::create(builder,
                                   cast<TypedAttr>(builder.getZeroAttr(type)));
}

SmallVector<Value> mlir::tc::viewLines(HostBuilder &builder,
                                       const Access &operand, Value batch,
                                       Value table, int64_t count) {
  SmallVector<Value> lines;
  Value size = memref::DimOp::create(builder, operand.base, 0);
  for (int64_t line = 0; line != count; ++line) {
    Value place =
        builder.add(batch, builder.load(table, builder.constant(line)));
    lines.push_back(ViewOp::create(builder, operand.base, OpFoldResult(place),
                                   OpFoldResult(builder.subtract(size, place)),
                                   OpFoldResult(builder.getIndexAttr(1))));
  }
  return lines;
}

/// The pair at `indices` of a panel, over and over, as one word each.
static Value broadcastPair(HostBuilder &builder, VectorType type, Value memory,
                           ValueRange indices) {
  Type word = builder.getI32Type();
  Value pair = vector::LoadOp::create(
      builder, VectorType::get(2, type.getElementType()), memory, indices);
  Value element = vector::ExtractOp::create(
      builder,
      vector::BitCastOp::create(builder, VectorType::get(1, word), pair), 0);
  Value words = vector::BroadcastOp::create(
      builder, VectorType::get(type.getNumElements() / 2, word), element);
  return vector::BitCastOp::create(builder, type, words);
}

HostTile mlir::tc::multiplyPanels(HostBuilder &builder, const HostPlan &plan,
                                  const HostFactor &rows,
                                  const HostFactor &columns, Value depth) {
  VectorMath math{builder, plan};
  auto type = VectorType::get(plan.lanes, plan.part);
  auto numbers = VectorType::get(plan.lanes * plan.dot, plan.number);
  Value zero = createZeros(builder, type);
  HostTile zeros(plan.parts * plan.rowTile * plan.vectors, zero);
  Value steps = plan.dot == 1 ? depth : builder.divideCeil(depth, plan.dot);
  auto loop = scf::ForOp::create(builder, builder.constant(0), steps,
                                 builder.constant(1), zeros);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value sum = loop.getInductionVar();
  HostTile tile(loop.getRegionIterArgs());
  auto loadColumns = [&](int64_t part, int64_t v) -> Value {
    return vector::LoadOp::create(
        builder, numbers, columns.getMemory(v),
        columns.indicesOf(builder, part, sum, v, plan.lanes * plan.dot));
  };
  auto loadRow = [&](int64_t part, int64_t row) -> Value {
    SmallVector<Value> indices =
        rows.indicesOf(builder, part, sum, row, plan.dot);
    if (plan.dot == 1)
      return vector::BroadcastOp::create(
          builder, type, builder.load(rows.getMemory(row), indices));
    return broadcastPair(builder, numbers, rows.getMemory(row), indices);
  };
  SmallVector<Value> right;
  for (int64_t part = 0; part != plan.parts; ++part)
    for (int64_t v = 0; v != plan.vectors; ++v)
      right.push_back(loadColumns(part, v));
  int64_t part = plan.rowTile * plan.vectors;
  for (int64_t row = 0; row != plan.rowTile; ++row) {
    Value left = loadRow(0, row);
    Value imaginary = plan.parts == 2 ? loadRow(1, row) : Value();
    for (int64_t v = 0; v != plan.vectors; ++v) {
      Value &real = tile[row * plan.vectors + v];
      real = math.accumulate(real, left, right[v]);
      if (!imaginary)
        continue;
      Value &other = tile[part + row * plan.vectors + v];
      Value rightImaginary = right[plan.vectors + v];
      real = math.subtract(real, math.multiply(imaginary, rightImaginary));
      other = math.add(other, math.multiply(left, rightImaginary));
      other = math.add(other, math.multiply(imaginary, right[v]));
    }
  }
  scf::YieldOp::create(builder, tile);
  return HostTile(loop.getResults());
}
