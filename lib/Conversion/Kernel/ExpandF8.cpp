//===- ExpandF8.cpp - The pass tc-expand-f8 -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Floats of 8 bits] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"

#include "tc/IR/Scalars.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_EXPANDF8
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

static bool holdsF8(Type type) { return isF8(getElementTypeOrSelf(type)); }

/// Does `op` compute with numbers of 8 bits, or convert them?
static bool computesF8(Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()) ||
      isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
    return false;
  return llvm::any_of(op->getOperandTypes(), holdsF8) ||
         llvm::any_of(op->getResultTypes(), holdsF8);
}

//===----------------------------------------------------------------------===//
// Arithmetic in f32
//===----------------------------------------------------------------------===//

/// Arithmetic and functions of `root` on numbers of 8 bits in f32: what is left
/// of these are conversions.
static LogicalResult computeInF32(Operation *root) {
  MLIRContext *context = root->getContext();
  Builder builder(context);
  Type f32 = builder.getF32Type();
  TypeConverter types;
  arith::populateEmulateUnsupportedFloatsConversions(
      types,
      {builder.getType<Float8E4M3FNType>(), builder.getType<Float8E5M2Type>()},
      f32);
  RewritePatternSet patterns(context);
  arith::populateEmulateUnsupportedFloatsPatterns(patterns, types);
  ConversionTarget target(*context);
  arith::populateEmulateUnsupportedFloatsLegality(target, types);
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(applyPartialConversion(root, target, std::move(patterns))))
    return failure();

  SetVector<Type> kept;
  kept.insert_range(ArrayRef<Type>{builder.getF16Type(), builder.getBF16Type(),
                                   f32, builder.getF64Type()});
  TypeConverter functionTypes;
  math::populateExtendToSupportedTypesTypeConverter(functionTypes, kept, f32);
  RewritePatternSet functions(context);
  math::populateExtendToSupportedTypesPatterns(functions, functionTypes);
  ConversionTarget functionTarget(*context);
  functionTarget.addDynamicallyLegalDialect<math::MathDialect>(
      [](Operation *op) { return !computesF8(op); });
  functionTarget.markUnknownOpDynamicallyLegal(
      [](Operation *) { return true; });
  return applyPartialConversion(root, functionTarget, std::move(functions));
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

namespace {
/// Where the parts of a float lie in its bits.
struct Format {
  unsigned significand; ///< bits after the point
  unsigned bias;
  unsigned width;

  explicit Format(Type type) {
    const llvm::fltSemantics &semantics =
        cast<FloatType>(type).getFloatSemantics();
    significand = APFloat::semanticsPrecision(semantics) - 1;
    bias = 1 - APFloat::semanticsMinExponent(semantics);
    width = type.getIntOrFloatBitWidth();
  }
};

/// Emits conversions, of numbers and of vectors.
class Converter {
public:
  Converter(OpBuilder &builder, Location loc) : builder(builder), loc(loc) {}

  /// The number of 8 bits in f32, or in f16.
  Value widen(Value value);
  /// The same in fewer instructions, for GPUs.
  Value widenOnGPU(Value value);
  /// A number of f32 or f64 as the nearest finite one of `type`.
  Value narrow(Value value, Type type);

protected:
  static Type like(Type type, Type element) {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.clone(element) : element;
  }
  Value integer(Value other, uint64_t value) {
    Type element = getElementTypeOrSelf(other.getType());
    APInt bits(element.getIntOrFloatBitWidth(), value);
    TypedAttr attribute = builder.getIntegerAttr(element, bits);
    if (auto vector = dyn_cast<VectorType>(other.getType()))
      attribute = DenseElementsAttr::get(vector, bits);
    return arith::ConstantOp::create(builder, loc, attribute);
  }
  Value cast(Value value, Type element) {
    return arith::BitcastOp::create(builder, loc,
                                    like(value.getType(), element), value);
  }
  template <typename Op>
  Value apply(Value value, uint64_t other) {
    return Op::create(builder, loc, value, integer(value, other));
  }
  Value isBelow(Value value, uint64_t end) {
    return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult, value,
                                 integer(value, end));
  }
  Value select(Value condition, Value value, Value other) {
    return arith::SelectOp::create(builder, loc, condition, value, other);
  }

  OpBuilder &builder;
  Location loc;
};
} // namespace

Value Converter::widen(Value value) {
  Type narrow = getElementTypeOrSelf(value.getType());
  Format from(narrow), to(builder.getF32Type());
  Type word = builder.getI32Type();
  Value bits = arith::ExtUIOp::create(builder, loc, like(value.getType(), word),
                                      cast(value, builder.getI8Type()));
  Value magnitude = apply<arith::AndIOp>(bits, 0x7f);
  Value sign = apply<arith::ShLIOp>(apply<arith::AndIOp>(bits, 0x80), 24);
  Value placed =
      apply<arith::ShLIOp>(magnitude, to.significand - from.significand);
  uint64_t bias = uint64_t(to.bias - from.bias) << to.significand;
  Value normal = apply<arith::AddIOp>(placed, bias);
  // With the exponent of the smallest normal number, from which the bit is
  // taken away that only normal numbers have.
  uint64_t least = bias + (uint64_t(1) << to.significand);
  Value large = cast(apply<arith::AddIOp>(placed, least), builder.getF32Type());
  Value subnormal = arith::SubFOp::create(
      builder, loc, large, cast(integer(placed, least), builder.getF32Type()));
  Value finite = select(isBelow(magnitude, 1 << from.significand),
                        cast(subnormal, word), normal);
  // Infinity and NaN: f8E4M3FN has but one, of which all bits are set.
  uint64_t firstSpecial = isa<Float8E5M2Type>(narrow) ? 0x7c : 0x7f;
  Value special = apply<arith::OrIOp>(placed, 0x7f800000);
  Value result = select(isBelow(magnitude, firstSpecial), finite, special);
  return cast(arith::OrIOp::create(builder, loc, result, sign),
              builder.getF32Type());
}

/// f8E5M2 is the upper half of f16. The exponent of f8E4M3FN, moved in place,
/// is too small, also that of subnormal numbers, which a GPU multiplies as
/// others.
Value Converter::widenOnGPU(Value value) {
  Type narrow = getElementTypeOrSelf(value.getType());
  Value byte = cast(value, builder.getI8Type());
  auto extend = [&](unsigned width) -> Value {
    return arith::ExtUIOp::create(
        builder, loc, like(value.getType(), builder.getIntegerType(width)),
        byte);
  };
  if (isa<Float8E5M2Type>(narrow))
    return cast(apply<arith::ShLIOp>(extend(16), 8), builder.getF16Type());
  Format from(narrow), to(builder.getF32Type());
  Value bits = extend(32);
  Value magnitude = apply<arith::AndIOp>(bits, 0x7f);
  Value sign = apply<arith::ShLIOp>(apply<arith::AndIOp>(bits, 0x80), 24);
  Value placed =
      apply<arith::ShLIOp>(magnitude, to.significand - from.significand);
  Value small = cast(arith::OrIOp::create(builder, loc, placed, sign),
                     builder.getF32Type());
  uint64_t scale = uint64_t(2 * to.bias - from.bias) << to.significand;
  Value number = arith::MulFOp::create(
      builder, loc, small, cast(integer(bits, scale), builder.getF32Type()));
  return select(isBelow(magnitude, 0x7f), number,
                cast(integer(bits, 0x7fc00000), builder.getF32Type()));
}

Value Converter::narrow(Value value, Type type) {
  Type wide = getElementTypeOrSelf(value.getType());
  Format from(wide), to(type);
  const llvm::fltSemantics &semantics =
      mlir::cast<FloatType>(wide).getFloatSemantics();
  auto bitsOf = [&](APFloat number) {
    bool losesInfo = false;
    number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    return number.bitcastToAPInt().getZExtValue();
  };
  const llvm::fltSemantics &own =
      mlir::cast<FloatType>(type).getFloatSemantics();
  Value bits = cast(value, builder.getIntegerType(from.width));
  Value magnitude = apply<arith::AndIOp>(
      bits, llvm::maskTrailingOnes<uint64_t>(from.width - 1));
  Value isNumber = isBelow(magnitude, bitsOf(APFloat::getInf(semantics)) + 1);
  Value bounded = arith::MinUIOp::create(
      builder, loc, magnitude,
      integer(magnitude, bitsOf(APFloat::getLargest(own))));
  // To nearest, to even at the middle.
  unsigned dropped = from.significand - to.significand;
  Value odd = apply<arith::AndIOp>(apply<arith::ShRUIOp>(bounded, dropped), 1);
  Value raised = apply<arith::AddIOp>(
      bounded, llvm::maskTrailingOnes<uint64_t>(dropped - 1));
  raised = arith::AddIOp::create(builder, loc, raised, odd);
  Value normal =
      apply<arith::SubIOp>(apply<arith::ShRUIOp>(raised, dropped),
                           uint64_t(from.bias - to.bias) << to.significand);
  // The addition rounds: the last bit of the sum is that of a subnormal number.
  uint64_t shift = uint64_t(from.bias + 1 - to.bias + dropped)
                   << from.significand;
  Value sum = arith::AddFOp::create(builder, loc, cast(bounded, wide),
                                    cast(integer(bounded, shift), wide));
  Value subnormal = apply<arith::SubIOp>(
      cast(sum, builder.getIntegerType(from.width)), shift);
  uint64_t least = bitsOf(APFloat::getSmallestNormalized(own));
  Value size = select(isBelow(bounded, least), subnormal, normal);
  Value sign =
      apply<arith::AndIOp>(apply<arith::ShRUIOp>(bits, from.width - 8), 0x80);
  Value number = arith::OrIOp::create(builder, loc, size, sign);
  Value result = select(isNumber, number, integer(number, 0x7f));
  result = arith::TruncIOp::create(
      builder, loc, like(value.getType(), builder.getI8Type()), result);
  return cast(result, type);
}

namespace {
/// Emits instructions, which convert two numbers: of numbers, and of vectors of
/// one dimension.
class PairConverter : public Converter {
public:
  using Converter::Converter;

  static bool takes(Type type) {
    auto vector = dyn_cast<VectorType>(type);
    return !vector || (vector.getRank() == 1 && !vector.isScalable());
  }
  /// In f16.
  Value widen(Value value);
  /// Two neighbours of a vector in f16, the first at `place`.
  Value widenPair(Value vector, int64_t place);
  /// Of f32.
  Value narrow(Value value, Type type);

private:
  Value widenPair(Value low, Value high, Type type);
  /// One element; of a vector that at `place`, and zero behind its end.
  Value extract(Value value, int64_t place);
  /// All of `value` by pairs.
  Value forEachPair(Value value, function_ref<Value(Value, Value)> convert);
};
} // namespace

Value PairConverter::extract(Value value, int64_t place) {
  auto vector = dyn_cast<VectorType>(value.getType());
  if (vector && place < vector.getNumElements())
    return vector::ExtractOp::create(builder, loc, value, place);
  if (!vector && place == 0)
    return value;
  return arith::ConstantOp::create(
      builder, loc, builder.getZeroAttr(getElementTypeOrSelf(value.getType())));
}

Value PairConverter::forEachPair(Value value,
                                 function_ref<Value(Value, Value)> convert) {
  auto vector = dyn_cast<VectorType>(value.getType());
  int64_t count = vector ? vector.getNumElements() : 1;
  SmallVector<Value> results;
  for (int64_t i = 0; i < count; i += 2) {
    Value pair = convert(extract(value, i), extract(value, i + 1));
    for (int64_t place = 0; place < std::min<int64_t>(2, count - i); ++place)
      results.push_back(vector::ExtractOp::create(builder, loc, pair, place));
  }
  if (!vector)
    return results.front();
  return vector::FromElementsOp::create(
      builder, loc, vector.clone(results.front().getType()), results);
}

Value PairConverter::widenPair(Value low, Value high, Type type) {
  auto bytes = VectorType::get(2, builder.getI8Type());
  Value pair = vector::FromElementsOp::create(builder, loc, bytes,
                                              ValueRange{low, high});
  return NVVM::ConvertF8x2ToF16x2Op::create(
      builder, loc, VectorType::get(2, builder.getF16Type()), pair,
      /*relu=*/false, type);
}

Value PairConverter::widenPair(Value vector, int64_t place) {
  Value bytes = cast(vector, builder.getI8Type());
  return widenPair(extract(bytes, place), extract(bytes, place + 1),
                   getElementTypeOrSelf(vector.getType()));
}

Value PairConverter::widen(Value value) {
  Type type = getElementTypeOrSelf(value.getType());
  return forEachPair(cast(value, builder.getI8Type()),
                     [&](Value low, Value high) -> Value {
                       return widenPair(low, high, type);
                     });
}

Value PairConverter::narrow(Value value, Type type) {
  auto bytes = VectorType::get(2, builder.getI8Type());
  Value result = forEachPair(value, [&](Value low, Value high) -> Value {
    return NVVM::ConvertF32x2ToF8x2Op::create(
        builder, loc, bytes, high, low, NVVM::FPRoundingMode::RN,
        NVVM::SaturationMode::SATFINITE, /*relu=*/false, type);
  });
  return cast(result, type);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// `value`, of floats of 16 bits or more, in another such type.
static Value convertWide(OpBuilder &builder, Location loc, Value value,
                         Type type) {
  auto getWidth = [](Type type) {
    return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  };
  if (value.getType() == type)
    return value;
  if (getWidth(value.getType()) < getWidth(type))
    return arith::ExtFOp::create(builder, loc, type, value);
  if (getWidth(value.getType()) > getWidth(type))
    return arith::TruncFOp::create(builder, loc, type, value);
  // f16 and bf16, which hold all numbers of 8 bits.
  Type f32 = builder.getF32Type();
  if (auto vector = dyn_cast<VectorType>(type))
    f32 = vector.clone(f32);
  value = arith::ExtFOp::create(builder, loc, f32, value);
  return arith::TruncFOp::create(builder, loc, type, value);
}

namespace {
/// Replaces the conversions of one kernel module or of a program for CPUs.
class Expander {
public:
  Expander(bool isGPU, bool hasInstructions)
      : isGPU(isGPU), hasInstructions(hasInstructions) {}

  void expand(arith::ExtFOp op);
  void expand(arith::TruncFOp op);

private:
  Value widen(OpBuilder &builder, arith::ExtFOp op);

  bool isGPU, hasInstructions;
  /// Of vectors: two neighbours in f16, by the place of the first.
  DenseMap<std::pair<Value, int64_t>, Value> pairs;
};
} // namespace

/// In f16 or in f32.
Value Expander::widen(OpBuilder &builder, arith::ExtFOp op) {
  Location loc = op.getLoc();
  Value value = op.getIn();
  if (!isGPU)
    return Converter(builder, loc).widen(value);
  if (!hasInstructions || !PairConverter::takes(value.getType()))
    return Converter(builder, loc).widenOnGPU(value);
  auto extract = value.getDefiningOp<vector::ExtractOp>();
  if (!extract || extract.getSource().getType().getRank() != 1 ||
      extract.hasDynamicPosition())
    return PairConverter(builder, loc).widen(value);
  // What one access brings is converted two at a time, where it is.
  Value vector = extract.getSource();
  int64_t place = extract.getStaticPosition().front();
  Value &pair = pairs[{vector, place / 2}];
  if (!pair) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointAfterValue(vector);
    pair = PairConverter(builder, loc).widenPair(vector, place / 2 * 2);
  }
  return vector::ExtractOp::create(builder, loc, pair, place % 2);
}

void Expander::expand(arith::ExtFOp op) {
  OpBuilder builder(op);
  Value wide = widen(builder, op);
  op.replaceAllUsesWith(convertWide(builder, op.getLoc(), wide, op.getType()));
  op.erase();
}

void Expander::expand(arith::TruncFOp op) {
  OpBuilder builder(op);
  Location loc = op.getLoc();
  Value value = op.getIn();
  Type type = getElementTypeOrSelf(op.getType());
  // f64 is rounded once.
  if (!getElementTypeOrSelf(value.getType()).isF64()) {
    Type f32 = builder.getF32Type();
    if (auto vector = dyn_cast<VectorType>(value.getType()))
      f32 = vector.clone(f32);
    value = convertWide(builder, loc, value, f32);
  }
  bool usesPairs = hasInstructions && PairConverter::takes(value.getType()) &&
                   getElementTypeOrSelf(value.getType()).isF32();
  op.replaceAllUsesWith(usesPairs
                            ? PairConverter(builder, loc).narrow(value, type)
                            : Converter(builder, loc).narrow(value, type));
  op.erase();
}

/// Reports what has no form in f32: an update of a byte by itself.
static LogicalResult checkAtomics(Operation *root) {
  WalkResult result = root->walk([](memref::AtomicRMWOp op) {
    if (!isF8(op.getType()) || op.getKind() == arith::AtomicRMWKind::assign)
      return WalkResult::advance();
    op.emitOpError("expected an atomic update of numbers of 16 bits or more, "
                   "got one of ")
        << op.getType();
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
struct ExpandF8Pass : tc::impl::ExpandF8Base<ExpandF8Pass> {
  using ExpandF8Base::ExpandF8Base;

  void runOnOperation() override {
    Operation *root = getOperation();
    if (failed(checkAtomics(root)))
      return signalPassFailure();
    if (!containsOp(*root, computesF8))
      return;
    bool isGPU = isa<gpu::GPUModuleOp>(root), hasInstructions = false;
    if (isGPU) {
      FailureOr<MachineAttr> machine = MachineAttr::find(root, chip);
      if (failed(machine))
        return signalPassFailure();
      hasInstructions = machine->hasF8Conversions();
    }
    if (failed(computeInF32(root)))
      return signalPassFailure();
    Expander expander(isGPU, hasInstructions);
    SmallVector<Operation *> conversions;
    root->walk([&](Operation *op) {
      if (computesF8(op))
        conversions.push_back(op);
    });
    for (Operation *op : conversions) {
      if (auto extension = dyn_cast<arith::ExtFOp>(op)) {
        expander.expand(extension);
      } else if (auto truncation = dyn_cast<arith::TruncFOp>(op)) {
        expander.expand(truncation);
      } else {
        op->emitOpError("expected an operation that f32 has, too");
        return signalPassFailure();
      }
    }
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Note [Floats of 8 bits]
//===----------------------------------------------------------------------===//
//
// Neither LLVM nor most machines compute with f8E4M3FN and f8E5M2: they are a
// way to store numbers. What a program computes with them is computed in f32,
// and rounded after each operation; upstream writes this out. It expands
// conversions of bf16, f8E8M0FNU and f4E2M1FN (LLVM 22), and not of these.
//
// A conversion from f32 rounds to nearest, to even at the middle, and what is
// larger than the largest number becomes that, infinities too: PTX has no other
// one (`cvt.rn.satfinite`). f8E4M3FN has no infinity, so that a sum that is
// slightly too large would be NaN, and nothing that follows a number. Machines
// before sm_89 and CPUs do the same by whole numbers here, and so do numbers of
// f64 everywhere, since by way of f32 they would be rounded twice. NaN becomes
// the NaN with all bits of its magnitude set, as by the instruction.
//
// On CPUs whole numbers take no subnormal number of f32, which these are slow
// with, or take for zero.
