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

#include "Microkernel/LowerMma.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tc;

/// The instruction of `unit` for the types of the factors of `op`, that with
/// the rows first.
static std::string getIntrinsic(ContractOp op, const Factors &factors,
                                MmaAttr unit) {
  auto getName = [&](unsigned input) {
    return isa<Float8E5M2Type>(factors.getType(input)) ? "e5m2" : "e4m3";
  };
  unsigned row = *op.findIterator(unit.getM().front().iterator.getValue());
  unsigned first = op.getInputMap(0).isFunctionOfDim(row) ? 0 : 1;
  return llvm::formatv(/*Validate=*/false, unit.getShape().intrinsic.data(),
                       getName(first), getName(1 - first));
}

MmaProduct::MmaProduct(OpBuilder &builder, ContractOp op,
                       const Factors &factors, MachineAttr machine)
    : builder(builder), loc(op.getLoc()), unit(op.getScheduleAttr().getUnit()),
      intrinsic(getIntrinsic(op, factors, unit)), machine(machine),
      decomposition(getDecomposition(op.getProductPrecision())),
      components(getComponents(op.getOutput().getType())) {}

Value MmaProduct::constant(float value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}

Value MmaProduct::bits(uint32_t value) {
  return LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value MmaProduct::extract(const MmaElement &element) {
  if (!isa<VectorType>(element.source.getType()))
    return element.source;
  return vector::ExtractOp::create(builder, loc, element.source, element.place);
}

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
  SmallVector<Value> values = llvm::map_to_vector(
      elements, [&](const MmaElement &element) { return extract(element); });
  if (values.size() == 1)
    return values.front();
  auto type = VectorType::get(int64_t(values.size()), values.front().getType());
  return vector::FromElementsOp::create(builder, loc, type, values);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The largest number of tf32.
static constexpr float kLargest = 0x1.ffcp+127F;

/// The number, or of larger ones and of NaN the largest of tf32.
Value MmaProduct::bound(Value number) {
  if (machine.hasSignedMinimum()) // The NVVM dialect has no op for it.
    return LLVM::CallIntrinsicOp::create(
               builder, loc, builder.getF32Type(),
               builder.getStringAttr("llvm.nvvm.fmin.xorsign.abs.f"),
               {number, constant(kLargest)})
        .getResult(0);
  Value below =
      arith::MinNumFOp::create(builder, loc, number, constant(kLargest));
  return arith::MaxNumFOp::create(builder, loc, below, constant(-kLargest));
}

Value MmaProduct::roundPair(ArrayRef<Value> numbers,
                            NVVM::SaturationMode saturation) {
  auto type = VectorType::get(2, builder.getBF16Type());
  // It takes the upper half first.
  Value pair = NVVM::ConvertF32x2ToBF16x2Op::create(
      builder, loc, type, numbers[1], numbers[0], /*random_bits=*/Value(),
      NVVM::FPRoundingMode::RN, saturation);
  return LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), pair);
}

/// A register of numbers of f32, each as the nearest of the parts' type.
Value MmaProduct::round(ArrayRef<Value> numbers) {
  if (numbers.size() > 1)
    return roundPair(numbers, NVVM::SaturationMode::NONE);
  return NVVM::ConvertFloatToTF32Op::create(
      builder, loc, builder.getI32Type(), numbers.front(),
      machine.hasRoundingToTf32() ? NVVM::FPRoundingMode::RN
                                  : NVVM::FPRoundingMode::RNA);
}

/// The same, but of larger numbers the largest.
Value MmaProduct::roundFinite(ArrayRef<Value> numbers) {
  if (numbers.size() > 1)
    return roundPair(numbers, NVVM::SaturationMode::SATFINITE);
  Value number = bound(numbers.front());
  if (machine.hasRoundingToTf32())
    return round(number);
  // Away from zero at the middle, as `round` does: of a finite number these are
  // two of its four instructions.
  Value word =
      LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), number);
  Value up = LLVM::AddOp::create(builder, loc, word, bits(0x1000));
  return LLVM::AndOp::create(builder, loc, up, bits(0xffffe000));
}

/// A number of a rounded register as one of f32: of tf32 it has the bits, and
/// of bf16 the upper half of them.
Value MmaProduct::widen(Value part, size_t place) {
  if (unit.getShape().perRegister > 1 && place == 0)
    part = LLVM::ShlOp::create(builder, loc, part, bits(16));
  else if (unit.getShape().perRegister > 1)
    part = LLVM::AndOp::create(builder, loc, part, bits(0xffff0000));
  return LLVM::BitcastOp::create(builder, loc, builder.getF32Type(), part);
}

/// The parts of the numbers of one register, the largest one first.
SmallVector<Value, 3> MmaProduct::split(SmallVector<Value> numbers) {
  SmallVector<Value, 3> parts;
  while (parts.size() + 1 < decomposition.parts) {
    parts.push_back(roundFinite(numbers));
    for (auto [place, number] : llvm::enumerate(numbers))
      number = arith::SubFOp::create(builder, loc, number,
                                     widen(parts.back(), place));
  }
  parts.push_back(round(numbers));
  return parts;
}

SmallVector<Value, 3> MmaProduct::packReal(ArrayRef<MmaElement> elements) {
  if (!decomposition.type.empty())
    return split(llvm::map_to_vector(
        elements, [&](const MmaElement &element) { return extract(element); }));
  Value joined = join(elements);
  Type type = getElementTypeOrSelf(joined.getType());
  // Intrinsics take vectors of f16, and words of other narrow numbers.
  if (elements.size() == 1 || type.isF16())
    return {joined};
  // LLVM has no floats of 8 bits.
  if (isF8(type))
    joined = arith::BitcastOp::create(
        builder, loc,
        cast<VectorType>(joined.getType()).clone(builder.getI8Type()), joined);
  return {LLVM::BitcastOp::create(builder, loc, builder.getI32Type(), joined)};
}

//===----------------------------------------------------------------------===//
// Components
//===----------------------------------------------------------------------===//

Value MmaProduct::getComponent(Value number, unsigned component) {
  if (components.count == 1)
    return number;
  return component == kReal ? builder.createOrFold<complex::ReOp>(loc, number)
                            : builder.createOrFold<complex::ImOp>(loc, number);
}

/// All numbers of a register with the other sign.
Value MmaProduct::negate(Value part) {
  if (isa<FloatType>(part.getType()))
    return arith::NegFOp::create(builder, loc, part);
  return LLVM::XOrOp::create(
      builder, loc, part,
      bits(unit.getShape().perRegister > 1 ? 0x80008000 : 0x80000000));
}

SmallVector<Value, 3> MmaProduct::pack(ArrayRef<MmaElement> elements) {
  SmallVector<Value, 3> packed;
  for (unsigned component = 0; component < components.count; ++component)
    llvm::append_range(
        packed, packReal(llvm::map_to_vector(
                    elements, [&](const MmaElement &element) -> MmaElement {
                      // There are no vectors of complex numbers.
                      return {getComponent(element.source, component),
                              element.place};
                    })));
  return packed;
}

void MmaProduct::completeSecond(MmaFragment &fragment) {
  if (components.ofSecond == components.count)
    return;
  auto minus = llvm::map_to_vector(
      ArrayRef(fragment).slice(kImaginary * decomposition.parts),
      [&](ArrayRef<Value> part) {
        return llvm::map_to_vector(
            part, [&](Value packed) { return negate(packed); });
      });
  llvm::append_range(fragment, minus);
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// One instruction: `sums` with what it adds.
SmallVector<Value> MmaProduct::issue(ArrayRef<Value> a, ArrayRef<Value> b,
                                     ArrayRef<Value> sums) {
  const MmaShape &shape = unit.getShape();
  auto tuple = LLVM::LLVMStructType::getLiteral(
      builder.getContext(),
      SmallVector<Type>(shape.countResults(), sums.front().getType()));
  auto arguments = llvm::to_vector(llvm::concat<const Value>(a, b, sums));
  auto name = builder.getStringAttr(intrinsic);
  Value all =
      LLVM::CallIntrinsicOp::create(builder, loc, tuple, name, arguments)
          .getResult(0);
  SmallVector<Value> results;
  for (int64_t place = 0; place < shape.countResults(); ++place)
    results.push_back(LLVM::ExtractValueOp::create(builder, loc, all,
                                                   ArrayRef<int64_t>(place)));
  return results;
}

/// The sum if it is finite, and zero if it is not.
Value MmaProduct::dropInfinity(Value sum) {
  // Less itself the others are no number.
  Value rest = arith::SubFOp::create(builder, loc, sum, sum);
  Value isFinite = arith::CmpFOp::create(builder, loc,
                                         arith::CmpFPredicate::ORD, rest, rest);
  return arith::SelectOp::create(builder, loc, isFinite, sum, constant(0));
}

/// The products of these parts of these components of the factors, added to
/// `sums`.
SmallVector<Value> MmaProduct::multiply(const MmaFragment &a,
                                        const MmaFragment &b,
                                        ArrayRef<PartPair> parts,
                                        ArrayRef<PartPair> factors,
                                        ArrayRef<Value> sums) {
  SmallVector<Value> own(sums);
  // A fragment has the parts of one component after those of another.
  unsigned count = decomposition.parts;
  for (PartPair part : parts)
    for (PartPair component : factors)
      own = issue(a[component.first * count + part.first],
                  b[component.second * count + part.second], own);
  return own;
}

/// Of one component of the sums, to which the products of these components of
/// the factors are added.
SmallVector<Value> MmaProduct::multiply(ArrayRef<MmaFragment> a,
                                        ArrayRef<MmaFragment> b,
                                        ArrayRef<PartPair> factors,
                                        ArrayRef<Value> sums) {
  SmallVector<Value> own(sums);
  if (isSeveral())
    own.assign(sums.size(), constant(0));
  auto add = [&](ArrayRef<PartPair> parts) {
    for (auto [left, right] : llvm::zip_equal(a, b))
      own = multiply(left, right, parts, factors, own);
  };
  unsigned spoiled = decomposition.spoiled;
  add(decomposition.products.take_front(spoiled));
  if (spoiled > 0)
    own =
        llvm::map_to_vector(own, [&](Value sum) { return dropInfinity(sum); });
  add(decomposition.products.drop_front(spoiled));
  if (isSeveral())
    for (auto [sum, result] : llvm::zip_equal(sums, own))
      result = arith::AddFOp::create(builder, loc, sum, result);
  return own;
}

SmallVector<Value> MmaProduct::multiply(ArrayRef<MmaFragment> a,
                                        ArrayRef<MmaFragment> b,
                                        ArrayRef<Value> sums) {
  SmallVector<SmallVector<Value>, 2> results;
  for (auto [component, factors] : llvm::enumerate(components.sums))
    results.push_back(
        multiply(a, b, factors, llvm::map_to_vector(sums, [&](Value sum) {
                   return getComponent(sum, component);
                 })));
  if (components.count == 1)
    return results.front();
  return llvm::map_to_vector(
      llvm::zip_equal(sums, results[kReal], results[kImaginary]),
      [&](auto numbers) -> Value {
        auto [sum, re, im] = numbers;
        return complex::CreateOp::create(builder, loc, sum.getType(), re, im);
      });
}

void MmaProduct::keepLoadsBelow() {
  LLVM::InlineAsmOp::create(builder, loc, /*res=*/Type(),
                            /*operands=*/ValueRange(), /*asm_string=*/"",
                            "~{memory}", /*has_side_effects=*/true,
                            /*is_align_stack=*/false, LLVM::TailCallKind::None,
                            LLVM::AsmDialectAttr(), ArrayAttr());
}

SmallVector<Value> MmaProduct::multiply(ArrayRef<MmaFragment> a,
                                        ArrayRef<MmaFragment> b,
                                        ArrayRef<Value> sums, Value isInside) {
  if (!isInside)
    return multiply(a, b, sums);
  auto branch = scf::IfOp::create(builder, loc, TypeRange(ValueRange(sums)),
                                  isInside, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(builder, loc, sums);
  builder.setInsertionPointToStart(branch.thenBlock());
  scf::YieldOp::create(builder, loc, multiply(a, b, sums));
  return branch.getResults();
}

// Note [Parts of f32]
// ~~~~~~~~~~~~~~~~~~~
// A number of f32 is one of a narrower type, the nearest, and a rest, of which
// again the nearest is taken, and so on. Of the products of parts those are
// left out that are below what f32 keeps, or what was asked for
// (Precision.cpp, which has the products of complex numbers, too). See Ootomo
// and Yokota, arXiv:2203.03341, for tf32, and Henry, Tang and Heinecke,
// arXiv:1904.06376, for bf16.
//
// A tensor unit aligns the terms and the accumulator of an instruction to the
// largest of them and cuts off what is below, always towards zero. Over a long
// sum this adds up. So the terms of an instruction, or as many as `promote` of
// the unit says, are added to zero with all parts, small ones of an instruction
// first, and these few to the accumulator by an addition of f32, which rounds
// to nearest. What is spoiled by infinities is added first of all instructions.
//
// All parts but the last are finite, whatever the number: else infinities would
// be subtracted from each other. Infinities and NaN are in the last, and come
// out where that is multiplied by the first part of the other factor.
// Multiplied by its other parts, which may be zero or of the other sign, it
// gives what must not come out.
