//===- MmaFragments.cpp - What the lanes of a warp read -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Microkernel/MmaKernel.h"

#include "Contract/Alignment.h"
#include "Contract/Indexing.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::tc;

std::optional<unsigned> MmaKernel::findVector(unsigned input) {
  std::optional<unsigned> i = op.getVectorIterators()[input];
  // There are no vectors of complex numbers.
  if (!i || isa<ComplexType>(getElementTypeOrSelf(op.getInputs()[input])))
    return std::nullopt;
  bool isOfLanes =
      llvm::is_contained(rowLanes, *i) || llvm::is_contained(columnLanes, *i) ||
      termLanes[*i] > 1 ||
      (input == columnInput && !columns.empty() && *i == columns.back());
  return !isOfLanes && written[*i] > 1 ? i : std::nullopt;
}

MmaElement MmaKernel::load(unsigned input, ArrayRef<Point> places) {
  AffineMap map = op.getInputMap(input);
  Value memref = op.getInputs()[input];
  std::optional<unsigned> vector = vectors[input];
  int64_t element = 0;
  std::vector<void *> key;
  SmallVector<OpFoldResult> subscripts;
  for (unsigned d = 0, e = map.getNumResults(); d < e; ++d) {
    SmallVector<Product> parts;
    unsigned i = map.getDimPosition(d);
    for (const Point &place : places) {
      if (!place[i])
        continue;
      std::optional<int64_t> known = getConstantIntValue(place[i]);
      if (known && i == vector)
        element = *known;
      else
        parts.push_back({place[i], builder.getIndexAttr(1)});
    }
    for (const Product &part : parts)
      key.push_back(part.value.getOpaqueValue());
    subscripts.push_back(buildSum(builder, loc, parts));
  }
  auto locate = [&] {
    return getValueOrCreateConstantIndexOp(builder, loc, subscripts);
  };
  if (!vector)
    return {memref::LoadOp::create(builder, loc, memref, locate(),
                                   /*nontemporal=*/false,
                                   findComplexAlignment(memref, op)),
            0};
  auto type =
      VectorType::get(written[*vector], getElementTypeOrSelf(memref.getType()));
  Value &whole = loaded[{input, key}];
  if (!whole)
    whole = vector::LoadOp::create(
        builder, loc, type, memref, locate(), /*nontemporal=*/false,
        llvm::MaybeAlign(type.getNumElements() *
                         (type.getElementTypeBitWidth() / 8)));
  return {whole, element};
}

MmaElement MmaKernel::loadFactor(unsigned input, ArrayRef<Point> places) {
  MmaElement element = load(input, places);
  if (factors.isElement(input))
    return element;
  return {factors.build(builder, loc, input, product.extract(element)), 0};
}

MmaFragment MmaKernel::loadFragment(
    ArrayRef<Point> terms, ArrayRef<Point> places,
    function_ref<MmaElement(const Point &place, const Point &term)> load) {
  MmaFragment fragment;
  for (size_t t = 0; t < terms.size(); t += shape.perRegister)
    for (const Point &place : places) {
      SmallVector<Value, 3> parts = product.pack(llvm::map_to_vector(
          terms.slice(t, shape.perRegister),
          [&](const Point &term) { return load(place, term); }));
      fragment.resize(parts.size());
      for (auto [part, values] : llvm::zip_equal(parts, fragment))
        values.push_back(part);
    }
  return fragment;
}

SmallVector<MmaFragment> MmaKernel::loadRows(const Point &batch,
                                             ArrayRef<Point> terms) {
  SmallVector<MmaFragment> fragments;
  for (size_t r = 0; r < rowPoints.size(); r += shape.countRows())
    fragments.push_back(
        loadFragment(terms, ArrayRef(rowPoints).slice(r, shape.countRows()),
                     [&](const Point &row, const Point &term) {
                       return loadFactor(rowInput, {row, ownRow, batch, term,
                                                    readTerm, passTerm});
                     }));
  return fragments;
}

SmallVector<MmaFragment> MmaKernel::loadColumns(const Point &batch,
                                                ArrayRef<Point> terms) {
  SmallVector<MmaFragment> fragments;
  for (size_t c = 0; c < columnPoints.size(); c += kMmaColumnsPerLane) {
    fragments.push_back(loadFragment(
        terms, columnPoints[c], [&](const Point &column, const Point &term) {
          return loadFactor(columnInput, {column, readColumn, batch, term,
                                          readTerm, passTerm});
        }));
    product.completeSecond(fragments.back());
  }
  return fragments;
}
