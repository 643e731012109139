//===- Access.cpp - Contractions as tables of strides ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Access.h"

#include "tc/Algebra/Lmad.h"
#include "tc/IR/Scalars.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

bool Access::isAligned(unsigned iterator, int64_t vector) const {
  return getNominalOffset() % vector == 0 &&
         llvm::all_of(llvm::enumerate(nominal), [&](auto stride) {
           return stride.index() == iterator || stride.value() % vector == 0;
         });
}

bool Access::hasKnownRows() const {
  return llvm::none_of(llvm::zip_equal(strides, nominal), [](auto pair) {
    auto [stride, nominal] = pair;
    return ShapedType::isDynamic(stride) && nominal == 1;
  });
}

uint64_t StrideTable::getInputsVarying(unsigned iterator) const {
  uint64_t bits = 0;
  for (auto [i, input] : llvm::enumerate(inputs))
    if (input.variesWith(iterator))
      bits |= uint64_t(1) << (i % 64);
  return bits;
}

bool StrideTable::hasKnownPoints() const {
  return llvm::all_of(extents, [](int64_t extent) {
    return !ShapedType::isDynamic(extent) && extent > 0;
  });
}

/// Are positions, in bytes too, and loop counters over them within 64 bits?
static bool isAddressable(const Lmad &access) {
  if (isEmpty(access))
    return true;
  std::optional<Footprint> reached = footprint(access);
  int64_t span;
  return reached && !llvm::SubOverflow(reached->max, reached->min, span) &&
         span < int64_t(1) << 60;
}

namespace {
/// The layout of a memref: strides in elements, and with estimates for dynamic
/// ones.
struct Layout {
  SmallVector<int64_t> strides, nominal, nominalShape;
};
} // namespace

/// `getNominal` is asked for the sizes of dynamic dimensions.
static FailureOr<Layout> getLayout(MemRefType type,
                                   function_ref<int64_t(size_t)> getNominal) {
  SmallVector<int64_t> strides;
  int64_t offset;
  LogicalResult strided = type.getStridesAndOffset(strides, offset);
  // MLIR gives no strides for arrays without elements; any will do.
  if (llvm::is_contained(type.getShape(), 0))
    llvm::replace(strides, ShapedType::kDynamic, int64_t(0));
  if (failed(strided))
    return failure();
  Layout layout;
  layout.strides = layout.nominal = strides;
  layout.nominalShape.assign(type.getShape().begin(), type.getShape().end());
  for (auto [d, size] : llvm::enumerate(layout.nominalShape))
    if (ShapedType::isDynamic(size))
      size = getNominal(d);
  int64_t dense = 1;
  for (size_t d = strides.size(); d-- != 0;) {
    if (ShapedType::isDynamic(strides[d]))
      layout.nominal[d] = dense;
    int64_t span;
    if (llvm::MulOverflow(std::abs(layout.nominal[d]), layout.nominalShape[d],
                          span) ||
        span > int64_t(1) << 40)
      span = int64_t(1) << 40; // an estimate need not be larger
    dense = std::max(dense, span);
  }
  return layout;
}

/// The strides of `map` over iterators of `extents` into a memref of `shape`
/// and `strides`; nothing where they span more than can be addressed.
static std::optional<Access> composeAccess(ArrayRef<int64_t> shape,
                                           ArrayRef<int64_t> strides,
                                           AffineMap map,
                                           ArrayRef<int64_t> extents) {
  std::optional<Lmad> access = compose(Lmad(0, shape, strides), map, extents);
  if (!access || !isAddressable(*access))
    return std::nullopt;
  Access composed;
  composed.offset = access->offset;
  composed.strides = std::move(access->strides);
  return composed;
}

/// The access of one operand; reports at `op`. The offset of the memref itself
/// is not part of it.
static FailureOr<Access> getAccess(ContractOp op, Value operand, AffineMap map,
                                   ArrayRef<int64_t> extents,
                                   int64_t nominalExtent) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type)
    return op.emitOpError("expected memrefs, got ")
           << operand.getType() << "; bufferize first";
  // A dimension that one iterator walks is as large as its extent.
  FailureOr<Layout> layout = getLayout(type, [&](size_t d) {
    auto walker = dyn_cast<AffineDimExpr>(map.getResult(d));
    return walker ? extents[walker.getPosition()] : nominalExtent;
  });
  if (failed(layout))
    return op.emitOpError("expected operands of strided layout, got ") << type;
  SmallVector<int64_t> strides = layout->strides;
  llvm::replace(strides, ShapedType::kDynamic, int64_t(0));
  auto known = composeAccess(layout->nominalShape, strides, map, extents);
  auto nominal =
      composeAccess(layout->nominalShape, layout->nominal, map, extents);
  if (!known || !nominal)
    return op.emitOpError("expected subscripts to span less than 2^60 "
                          "elements, got ")
           << type;
  Access access = std::move(*known);
  access.nominal = std::move(nominal->strides);
  access.type = type.getElementType();
  access.bytes = getBytes(access.type);
  for (auto [subscript, stride] :
       llvm::zip_equal(map.getResults(), layout->strides)) {
    if (!ShapedType::isDynamic(stride))
      continue;
    for (unsigned i = 0, e = map.getNumDims(); i < e; ++i)
      if (subscript.isFunctionOfDim(i)) {
        access.strides[i] = ShapedType::kDynamic;
        access.nominal[i] = access.nominal[i] == 0 ? 1 : access.nominal[i];
      }
    // A subscript that is a constant other than 0 moves the offset.
    if (subscript != getAffineConstantExpr(0, op.getContext()))
      access.offset = ShapedType::kDynamic;
  }
  return access;
}

std::optional<int64_t> mlir::tc::findNominalExtent(OpFoldResult extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return constant;
  auto value = cast<Value>(extent);
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    auto lhs = findNominalExtent(product.getLhs()),
         rhs = findNominalExtent(product.getRhs());
    return lhs && rhs ? llvm::checkedMul(*lhs, *rhs) : std::nullopt;
  }
  auto dim = value.getDefiningOp<memref::DimOp>();
  auto argument =
      dim ? dyn_cast<BlockArgument>(dim.getSource()) : BlockArgument();
  std::optional<int64_t> number = dim ? dim.getConstantIndex() : std::nullopt;
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  if (!function || !number)
    return std::nullopt;
  auto sizes = function.getArgAttrOfType<DenseI64ArrayAttr>(
      argument.getArgNumber(), TCDialect::getNominalName());
  if (!sizes || *number < 0 || *number >= sizes.size() || sizes[*number] < 1)
    return std::nullopt;
  return sizes[*number];
}

int64_t mlir::tc::estimateExtent(ContractOp op) {
  constexpr int64_t least = 16, most = 4096;
  SmallVector<int64_t> known;
  llvm::copy_if(op.getStaticExtents(), std::back_inserter(known),
                [](int64_t extent) { return !ShapedType::isDynamic(extent); });
  if (known.empty())
    return kNominalExtent;
  llvm::sort(known);
  return std::clamp(known[known.size() / 2], least, most);
}

FailureOr<StrideTable>
mlir::tc::getStrideTable(ContractOp op, std::optional<NominalExtents> nominal) {
  NominalExtents estimate = nominal ? *nominal : estimateExtent(op);
  StrideTable table;
  table.extents.assign(op.getStaticExtents().begin(),
                       op.getStaticExtents().end());
  table.nominalExtents = table.extents;
  table.extentValues = op.getMixedExtents();
  auto getEstimate = [&](unsigned i) {
    if (estimate.single && estimate.single->first == i)
      return estimate.single->second;
    return op.isContracted(i) ? estimate.contracted : estimate.results;
  };
  for (auto [i, extent] : llvm::enumerate(table.nominalExtents))
    if (ShapedType::isDynamic(extent))
      extent =
          findNominalExtent(table.extentValues[i]).value_or(getEstimate(i));
  table.term.assign(op.getNumIterators(), 0);
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    table.names.push_back(op.getIterator(i).str());
    table.contracted.push_back(op.isContracted(i));
  }
  size_t sides = op.getInputs().size(), outputs = sides + op.getSides().size();
  for (auto [o, operand, map] :
       llvm::enumerate(op.getShapedOperands(), op.getMaps())) {
    FailureOr<Access> access =
        getAccess(op, operand, map, table.nominalExtents, estimate.results);
    if (failed(access))
      return failure();
    (o < sides     ? table.inputs
     : o < outputs ? table.sides
                   : table.outputs)
        .push_back(std::move(*access));
  }
  return table;
}
