//===- Workload.cpp - A contraction as far as its cost goes ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Workload.h"

#include "tc/Analysis/Schedules.h"
#include "tc/IR/Factors.h"
#include "tc/IR/Scalars.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

SmallVector<unsigned, 8> Workload::sortResults() const {
  auto order = llvm::to_vector_of<unsigned, 8>(getResults());
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return stored.front().getDistance(a) < stored.front().getDistance(b);
  });
  return order;
}

int64_t Workload::getDensest(unsigned iterator) const {
  int64_t densest = std::numeric_limits<int64_t>::max();
  for (const Access &input : inputs)
    if (input.variesWith(iterator))
      densest = std::min(densest, input.getDistance(iterator));
  return densest;
}

double Workload::countPoints() const { return llvm::product_of(extents, 1.0); }

double Workload::countResults() const {
  double results = 1;
  for (unsigned i : getResults())
    results *= double(extents[i]);
  return results;
}

double Workload::countResultsTogether() const {
  double results = countResults();
  for (auto [extent, isApart] : llvm::zip_equal(extents, apart))
    results /= isApart ? double(extent) : 1;
  return results;
}

double Workload::countElements(const Access &array) const {
  double elements = 1;
  for (auto [extent, stride] : llvm::zip_equal(extents, array.nominal))
    elements *= stride == 0 ? 1 : double(extent);
  return elements;
}

Arithmetic mlir::tc::getUnit(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto complex = dyn_cast<ComplexType>(element))
    element = complex.getElementType();
  if (element.isF64())
    return Arithmetic::F64;
  if (element.isF32())
    return Arithmetic::F32;
  return isa<FloatType>(element) ? Arithmetic::F16 : Arithmetic::Integer;
}

static double countOps(Region &region) {
  if (region.empty())
    return 0;
  return double(region.front().getOperations().size() - 1); // the terminator
}

/// Multiply-adds at one point, or the ops of the regions.
static double countPointOps(ContractOp op) {
  Type type = op.getAccumulatorTypes().front();
  double real = isa<ComplexType>(type) ? 4 : 1; // of a complex multiplication
  if (Factors::match(op))
    return real;
  double factors = double(op.getInputs().size());
  double map = op.getMap().empty() ? std::max(factors - 2, 0.0) * real
                                   : countOps(op.getMap());
  return map + (op.getCombine().empty() ? real : countOps(op.getCombine()));
}

Workload mlir::tc::getWorkload(ContractOp op, const StrideTable &access) {
  Workload work;
  for (auto [extent, nominal] :
       llvm::zip_equal(access.extents, access.nominalExtents)) {
    work.extents.push_back(std::max<int64_t>(nominal, 1));
    work.dynamic.push_back(ShapedType::isDynamic(extent));
  }
  work.contracted.assign(access.contracted.begin(), access.contracted.end());
  work.apart.assign(work.getNumIterators(), false);
  work.scalar.assign(work.getNumIterators(), false);
  work.inputs.assign(access.inputs.begin(), access.inputs.end());
  work.stored.assign(access.outputs.begin(), access.outputs.end());
  work.readBack.assign(access.sides.begin(), access.sides.end());
  if (!op.getOverwrite())
    work.readBack.append(work.stored);
  work.unit = getUnit(op.getAccumulatorTypes().front());
  work.pointOps = countPointOps(op);
  // Each part of a complex number is the sum of two products more.
  work.chainOps = isa<ComplexType>(op.getAccumulatorTypes().front()) ? 2 : 1;
  work.factorOps.assign(op.getInputs().size(), 0);
  if (auto factors = Factors::match(op))
    for (auto [input, ops] : llvm::enumerate(work.factorOps))
      ops = factors->countOps(input);
  work.resultOps = countOps(op.getEpilogue()) + (op.getOverwrite() ? 0 : 1);
  work.accumulatorWords = getAccumulatorWords(op);
  work.mayReorder = op.mayReorder();
  return work;
}
