//===- MmaProduct.cpp - Tensor instructions and their operands ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Parts of f32] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Contract/LowerMma.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// The largest number of tf32.
static constexpr float kLargestTf32 = 0x1.ffcp+127F;

MmaProduct::MmaProduct(OpBuilder &builder, ContractOp op)
    : builder(builder), loc(op.getLoc()), unit(op.getScheduleAttr().getUnit()),
      precision(op.getProductPrecision()) {}

/// One number, or a vector of several.
Value MmaProduct::join(ArrayRef<MmaElement> elements) {
  Value first = elements.front().source;
  int64_t place = elements.front().place;
  bool areNeighbours = isa<VectorType>(first.getType()) && elements.size() > 1;
  for (auto [n, element] : llvm::enumerate(elements))
    areNeighbours &=
        element.source == first && element.place == place + int64_t(n);
  // Neighbours of one access are in a register as they are.
  if (areNeighbours)
    return vector::ShuffleOp::create(
        builder, loc, first, first,
        llvm::to_vector(llvm::seq(place, place + int64_t(elements.size()))));
  SmallVector<Value> values;
  for (const MmaElement &element : elements)
    values.push_back(isa<VectorType>(element.source.getType())
                         ? vector::ExtractOp::create(
                               builder, loc, element.source, element.place)
                         : element.source);
  if (values.size() == 1)
    return values.front();
  auto type = VectorType::get(int64_t(values.size()), unit.getInputType());
  return vector::FromElementsOp::create(builder, loc, type, values);
}

Value MmaProduct::roundToTf32(Value number) {
  return LLVM::CallIntrinsicOp::create(
             builder, loc, builder.getI32Type(),
             builder.getStringAttr("llvm.nvvm.f2tf32.rna"), ValueRange(number))
      .getResult(0);
}

/// The parts of a number of f32 that are of tf32, the larger one first.
SmallVector<Value, 2> MmaProduct::split(Value number) {
  if (precision != Precision::TF32x3)
    return {roundToTf32(number)};
  auto constant = [&](float value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  };
  Value below =
      arith::MinNumFOp::create(builder, loc, number, constant(kLargestTf32));
  Value finite =
      arith::MaxNumFOp::create(builder, loc, below, constant(-kLargestTf32));
  Value large = roundToTf32(finite);
  Value rest = arith::SubFOp::create(
      builder, loc, number,
      LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), large));
  return {large, roundToTf32(rest)};
}

SmallVector<Value, 2> MmaProduct::pack(ArrayRef<MmaElement> elements) {
  Value joined = join(elements);
  Type type = unit.getInputType();
  if (type.isF32())
    return split(joined);
  // Intrinsics take vectors of f16, and words of other narrow numbers.
  if (elements.size() == 1 || type.isF16())
    return {joined};
  return {LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), joined)};
}

/// One instruction: `sums` with what it adds.
SmallVector<Value> MmaProduct::issue(ArrayRef<Value> a, ArrayRef<Value> b,
                                     ArrayRef<Value> sums) {
  const MmaShape &shape = unit.getShape();
  auto tuple = LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      SmallVector<Type>(shape.countResults(), unit.getSumType()));
  auto arguments = llvm::to_vector(llvm::concat<const Value>(a, b, sums));
  Value all = LLVM::CallIntrinsicOp::create(
                  builder, loc, tuple, builder.getStringAttr(shape.intrinsic),
                  arguments)
                  .getResult(0);
  SmallVector<Value> results;
  for (int64_t place = 0; place < shape.countResults(); ++place)
    results.push_back(LLVM::ExtractValueOp::create(builder, loc, all,
                                                   ArrayRef<int64_t>(place)));
  return results;
}

SmallVector<Value> MmaProduct::multiply(const MmaFragment &a,
                                        const MmaFragment &b,
                                        ArrayRef<Value> sums) {
  if (a.size() == 1)
    return issue(a[0], b[0], sums);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(0));
  SmallVector<Value> own(sums.size(), zero);
  own = issue(a[1], b[0], own);
  own = issue(a[0], b[1], own);
  own = issue(a[0], b[0], own);
  for (auto [sum, result] : llvm::zip_equal(sums, own))
    result = arith::AddFOp::create(builder, loc, sum, result);
  return own;
}

// Note [Parts of f32]
// ~~~~~~~~~~~~~~~~~~~
// A number of f32 (24 bits) is one of tf32 (11 bits), the nearest, and a rest,
// of which again the nearest is taken: 22 bits and a sign. Of the four products
// of two such numbers that of both rests is below what f32 keeps, and is left
// out. See Ootomo and Yokota, arXiv:2203.03341.
//
// A tensor unit aligns the terms and the accumulator of an instruction to the
// largest of them and cuts off what is below, always towards zero. Over a long
// sum this adds up. So the terms of an instruction, with all parts, small ones
// first, are added to zero, and these few to the accumulator by an addition of
// f32, which rounds to nearest.
//
// The larger part is finite, whatever the number: else infinities would be
// subtracted from each other. Infinities and NaN are in the rest.
