//===- LowerMma.cpp - Contractions of a warp to tensor instructions -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which lane has which results, and the order of its instructions. See
// MmaKernel.h.
//
//===----------------------------------------------------------------------===//

#include "Microkernel/MmaKernel.h"

#include "Contract/Indexing.h"

#include "tc/Algebra/Strategies.h"
#include "tc/IR/LoopHints.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Iterators
//===----------------------------------------------------------------------===//

LogicalResult MmaKernel::checkForm() {
  Type like = op.getOutput().getType();
  auto inputTypes = llvm::map_to_vector<2>(
      unit.getInputTypes(op.getProductPrecision()),
      [&](Type real) { return getNumberLike(real, like); });
  SmallVector<Type, 2> sumTypes = {getNumberLike(unit.getSumType(), like)};
  for (auto [element, types] : {std::pair(factors.getType(0), inputTypes),
                                std::pair(factors.getType(1), inputTypes),
                                std::pair(op.getElementType(), sumTypes)})
    if (!llvm::is_contained(types, element)) {
      InFlightDiagnostic error = op.emitOpError("expected elements of ");
      llvm::interleave(types, error, " or ");
      return error << " for " << unit << ", got " << element;
    }
  for (AffineMap map :
       {op.getInputMap(0), op.getInputMap(1), op.getOutputMap(0)})
    if (!map.isProjectedPermutation())
      return op.emitOpError("expected an iterator in each dimension of the "
                            "tile of a warp, got ")
             << AffineMapAttr::get(map);
  auto part = op.getOutput().getDefiningOp<memref::SubViewOp>();
  if (!part)
    return op.emitOpError("expected the results of a warp in a memref.subview "
                          "of accumulators, got ")
           << op.getOutput().getType();
  if (failed(findExtents()))
    return failure();
  unsigned d = 0,
           first = part.getSourceType().getRank() - part.getType().getRank();
  for (const Factor &lane :
       llvm::concat<const Factor>(unit.getM(), unit.getN())) {
    unsigned i = *op.findIterator(lane.iterator.getValue());
    if (op.getStaticExtents()[i] != lane.value ||
        d >= op.getOutputMap(0).getNumResults() ||
        op.getOutputMap(0).getDimPosition(d) != i ||
        !isConstantIntValue(part.getMixedOffsets()[first + d], 0))
      return op.emitOpError("expected '")
             << lane.iterator.getValue() << "' of " << lane.value
             << " lanes to be dimension " << d << " of the results";
    ++d;
  }
  return success();
}

LogicalResult MmaKernel::findExtents() {
  llvm::append_range(extents, op.getStaticExtents());
  AffineMap map = op.getOutputMap(0);
  auto shape = cast<MemRefType>(op.getOutput().getType()).getShape();
  for (auto [d, size] : llvm::enumerate(shape))
    if (int64_t &extent = extents[map.getDimPosition(d)];
        ShapedType::isDynamic(extent))
      extent = size;
  if (llvm::any_of(extents, ShapedType::isDynamic))
    return op.emitOpError("expected static extents of the terms of a warp");
  return success();
}

void MmaKernel::sortIterators() {
  auto collect = [&](ArrayRef<Factor> factors) {
    return llvm::map_to_vector(factors, [&](const Factor &factor) {
      return *op.findIterator(factor.iterator.getValue());
    });
  };
  rowLanes = collect(unit.getM());
  columnLanes = collect(unit.getN());
  if (!op.getInputMap(0).isFunctionOfDim(rowLanes.front()))
    std::swap(rowInput, columnInput);
  ScheduleAttr schedule = op.getScheduleAttr();
  written = extents;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    termLanes.push_back(unit.getTermLanes(op.getIterator(i)));
    if (op.isContracted(i) && !schedule.getUnroll().empty())
      written[i] = schedule.findUnroll(op.getIterator(i)).value_or(1);
    if (llvm::is_contained(rowLanes, i) || llvm::is_contained(columnLanes, i))
      continue;
    bool hasRow = op.getInputMap(rowInput).isFunctionOfDim(i),
         hasColumn = op.getInputMap(columnInput).isFunctionOfDim(i);
    if (op.isContracted(i))
      terms.push_back(i);
    else
      (hasRow == hasColumn ? batches : hasRow ? rows : columns).push_back(i);
  }
  // Two neighbours along the last one are two columns of a fragment.
  llvm::stable_sort(columns, [&](unsigned a, unsigned b) {
    return getExtent(a) % kMmaColumnsPerLane != 0 &&
           getExtent(b) % kMmaColumnsPerLane == 0;
  });
  vectors = {findVector(0), findVector(1)};
  // What one access brings goes into one instruction, or the next.
  auto isVector = [&](unsigned i) { return llvm::is_contained(vectors, i); };
  llvm::stable_sort(
      terms, [&](unsigned a, unsigned b) { return isVector(a) < isVector(b); });
}

int64_t MmaKernel::countPlaces(ArrayRef<unsigned> iterators) {
  int64_t places = 1;
  for (unsigned i : iterators)
    places *= written[i];
  return places;
}

LogicalResult MmaKernel::checkCounts() {
  auto expect = [&](int64_t factor, const Twine &what, int64_t found) {
    if (found % factor == 0)
      return success();
    return LogicalResult(op.emitOpError("expected a multiple of ")
                         << factor << " " << what << " for " << unit << ", got "
                         << found);
  };
  if (failed(
          expect(shape.countRows(), "rows of each lane", countPlaces(rows))) ||
      failed(expect(kMmaColumnsPerLane,
                    "places along an iterator of the columns",
                    columns.empty() ? 1 : getExtent(columns.back()))) ||
      failed(expect(shape.k, "terms", countPlaces(terms))))
    return failure();
  for (unsigned i : terms)
    if (failed(expect(termLanes[i], "terms along '" + op.getIterator(i) + "'",
                      written[i])) ||
        failed(expect(written[i],
                      "unrolled terms along '" + op.getIterator(i) + "'",
                      getExtent(i))))
      return failure();
  return success();
}

SmallVector<Point> MmaKernel::enumerate(ArrayRef<unsigned> iterators) {
  auto counts = llvm::map_to_vector(
      iterators, [&](unsigned i) { return written[i] / termLanes[i]; });
  SmallVector<int64_t> strides = computeSuffixProduct(counts);
  SmallVector<Point> points;
  for (int64_t n = 0, e = computeProduct(counts); n < e; ++n) {
    Point point(op.getNumIterators());
    for (auto [i, place] :
         llvm::zip_equal(iterators, mlir::delinearize(n, strides)))
      point[i] = builder.getIndexAttr(place * termLanes[i]);
    points.push_back(std::move(point));
  }
  return points;
}

//===----------------------------------------------------------------------===//
// Lanes
//===----------------------------------------------------------------------===//

void MmaKernel::enterLanes(ValueRange lanes) {
  for (Point *point : {&ownRow, &readColumn, &readTerm, &passTerm})
    point->assign(op.getNumIterators(), OpFoldResult());
  auto linearize = [&](ArrayRef<unsigned> iterators, ValueRange own) {
    SmallVector<int64_t> extents = llvm::map_to_vector(
        iterators, [&](unsigned i) { return getExtent(i); });
    SmallVector<Product> products;
    for (auto [lane, stride] :
         llvm::zip_equal(own, computeSuffixProduct(extents)))
      products.push_back({lane, builder.getIndexAttr(stride)});
    return buildSum(builder, loc, products);
  };
  ValueRange alongRows = lanes.take_front(rowLanes.size()),
             alongColumns = lanes.drop_front(rowLanes.size());
  OpFoldResult row = linearize(rowLanes, alongRows),
               column = linearize(columnLanes, alongColumns);
  for (auto [i, lane] : llvm::zip_equal(rowLanes, alongRows))
    ownRow[i] = lane;
  // The columns of a fragment by the row of the lane: two of each lane.
  readColumn[columns.back()] =
      buildDigit(builder, loc, row, 1, kMmaColumnsPerLane);
  int64_t divisor = kMmaColumnsPerLane;
  for (unsigned i : llvm::reverse(columnLanes)) {
    readColumn[i] = buildDigit(builder, loc, row, divisor, getExtent(i));
    divisor *= getExtent(i);
  }
  divisor = 1;
  for (unsigned i : llvm::reverse(terms)) {
    if (termLanes[i] > 1)
      readTerm[i] = buildDigit(builder, loc, column, divisor, termLanes[i]);
    divisor *= termLanes[i];
  }
}

/// Of the warp's part of the accumulators, that of the lane: the subscripts of
/// the warp, then those of the lane, then the rest.
void MmaKernel::viewResults(ValueRange lanes) {
  auto warp = op.getOutput().getDefiningOp<memref::SubViewOp>();
  SmallVector<OpFoldResult> offsets = warp.getMixedOffsets(),
                            sizes = warp.getMixedSizes();
  unsigned first = warp.getSourceType().getRank() - warp.getType().getRank();
  for (auto [d, lane] : llvm::enumerate(lanes)) {
    offsets[first + d] = lane;
    sizes[first + d] = builder.getIndexAttr(1);
  }
  MemRefType own = memref::SubViewOp::inferRankReducedResultType(
      warp.getType().getShape().drop_front(lanes.size()), warp.getSourceType(),
      offsets, sizes, warp.getMixedStrides());
  results = memref::SubViewOp::create(builder, loc, own, warp.getSource(),
                                      offsets, sizes, warp.getMixedStrides());
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

SmallVector<Value> MmaKernel::locate(const Point &row, const Point &column,
                                     const Point &batch) {
  AffineMap map = op.getOutputMap(0);
  SmallVector<Value> subscripts;
  for (unsigned d = rowLanes.size() + columnLanes.size(),
                e = map.getNumResults();
       d < e; ++d) {
    unsigned i = map.getDimPosition(d);
    subscripts.push_back(getValueOrCreateConstantIndexOp(
        builder, loc, getPlace(i, row, column, batch)));
  }
  return subscripts;
}

Value MmaKernel::buildIsInside(ArrayRef<Point> rows, const Point &column,
                               const Point &batch) {
  Value any;
  for (const Point &row : isEdge ? rows : ArrayRef<Point>()) {
    Value all;
    for (auto [i, extent] : llvm::enumerate(op.getMixedExtents())) {
      OpFoldResult place = getPlace(i, row, column, batch);
      auto inside = dyn_cast<Value>(extent);
      if (!place || !inside)
        continue;
      Value is = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt,
          getValueOrCreateConstantIndexOp(builder, loc, place), inside);
      all = all ? arith::AndIOp::create(builder, loc, all, is) : is;
    }
    if (!all)
      return Value();
    any = any ? arith::OrIOp::create(builder, loc, any, all) : all;
  }
  return any;
}

void MmaKernel::multiply(const Point &batch, ArrayRef<Point> terms,
                         Sums &sums) {
  // By rows or columns, then by instructions.
  std::vector<SmallVector<MmaFragment, 2>> left, right;
  auto append = [](auto &all, SmallVector<MmaFragment> fragments) {
    all.resize(fragments.size());
    for (auto [own, fragment] : llvm::zip_equal(all, fragments))
      own.push_back(std::move(fragment));
  };
  for (; !terms.empty(); terms = terms.drop_front(shape.countTerms())) {
    ArrayRef<Point> own = terms.take_front(shape.countTerms());
    append(left, loadRows(batch, own));
    append(right, loadColumns(batch, own));
  }
  for (auto [r, a] : llvm::enumerate(left))
    for (auto [c, b] : llvm::enumerate(right)) {
      size_t row = r * shape.countRows(), column = c * kMmaColumnsPerLane;
      SmallVector<Value *> own;
      for (SmallVector<Value> &ofRow :
           MutableArrayRef(sums).slice(row, shape.countRows()))
        for (Value &sum :
             MutableArrayRef(ofRow).slice(column, kMmaColumnsPerLane))
          own.push_back(&sum);
      // The first of neighbouring columns is inside if any is.
      Value isInside =
          buildIsInside(ArrayRef(rowPoints).slice(row, shape.countRows()),
                        columnPoints[column], batch);
      auto added = product.multiply(
          a, b, llvm::map_to_vector(own, [](Value *sum) { return *sum; }),
          isInside);
      for (auto [sum, value] : llvm::zip_equal(own, added))
        *sum = value;
    }
}

MmaKernel::Sums MmaKernel::getZeros(const Sums &sums) {
  Type type = sums.front().front().getType();
  Value zero = buildNumber(builder, loc, getZero(type));
  return llvm::map_to_vector(sums, [&](const SmallVector<Value> &row) {
    return SmallVector<Value>(row.size(), zero);
  });
}

MmaKernel::Sums MmaKernel::add(const Sums &left, const Sums &right) {
  Sums sums = left;
  for (auto [row, others] : llvm::zip_equal(sums, right))
    for (auto [sum, other] : llvm::zip_equal(row, others))
      sum = addNumbers(builder, loc, sum, other);
  return sums;
}

/// Promoted terms are added to the accumulators after they have been gathered,
/// and at the latest at the end of a step: the products of one pair of
/// fragments after the other where they are several instructions, and else all
/// together.
void MmaKernel::addTerms(const Point &batch, ArrayRef<Point> terms,
                         Sums &sums) {
  int64_t promote = unit.getPromotedTerms(op.getProductPrecision());
  size_t chain = promote ? promote / kMmaColumnLanes : terms.size();
  bool arePromoted = promote && !product.isSeveral();
  while (!terms.empty()) {
    ArrayRef<Point> together = terms.take_front(std::min(chain, terms.size()));
    terms = terms.drop_front(together.size());
    if (product.isSeveral()) {
      multiply(batch, together, sums);
      continue;
    }
    Sums own = arePromoted ? getZeros(sums) : sums;
    for (; !together.empty();
         together = together.drop_front(shape.countTerms()))
      multiply(batch, together.take_front(shape.countTerms()), own);
    sums = arePromoted ? add(sums, own) : own;
  }
}

void MmaKernel::emitPass(const Point &batch, ArrayRef<Point> terms) {
  Sums sums;
  for (const Point &row : rowPoints)
    sums.push_back(
        llvm::map_to_vector(columnPoints, [&](const Point &column) -> Value {
          return memref::LoadOp::create(builder, loc, results,
                                        locate(row, column, batch));
        }));
  addTerms(batch, terms, sums);
  for (auto [row, ofRow] : llvm::zip_equal(rowPoints, sums))
    for (auto [column, sum] : llvm::zip_equal(columnPoints, ofRow))
      memref::StoreOp::create(builder, loc, sum, results,
                              locate(row, column, batch));
}

void MmaKernel::emitPasses(function_ref<void()> emit) {
  OpBuilder::InsertionGuard guard(builder);
  bool isLoop = false;
  for (unsigned i : terms) {
    if (written[i] == getExtent(i))
      continue;
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto loop = scf::ForOp::create(builder, loc, index(0), index(getExtent(i)),
                                   index(written[i]));
    setUnrollCount(loop, 1);
    passTerm[i] = loop.getInductionVar();
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    isLoop = true;
  }
  // What a loop has loaded is there alone.
  if (isLoop)
    loaded.clear();
  emit();
  if (isLoop)
    loaded.clear();
}

void MmaKernel::emitBatches() {
  SmallVector<Point> termPoints = enumerate(terms);
  for (const Point &batch : enumerate(batches))
    emitPasses([&] { emitPass(batch, termPoints); });
}

void MmaKernel::emitLane() {
  rowPoints = enumerate(rows);
  columnPoints = enumerate(columns);
  // The tile is whole if its last result is inside.
  Value isWhole = buildIsInside(rowPoints.back(), columnPoints.back(),
                                enumerate(batches).back());
  if (!isWhole)
    return emitBatches();
  // Whole tiles have no branches: ptxas moves no loads across these.
  auto branch =
      scf::IfOp::create(builder, loc, isWhole, /*withElseRegion=*/true);
  for (Block *block : {branch.thenBlock(), branch.elseBlock()}) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(block->getTerminator());
    isEdge = block == branch.elseBlock();
    loaded.clear();
    if (isEdge)
      product.keepLoadsBelow();
    emitBatches();
  }
}

LogicalResult MmaKernel::emit() {
  if (failed(checkForm()))
    return failure();
  sortIterators();
  if (failed(checkCounts()))
    return failure();
  SmallVector<OpFoldResult> lower, upper;
  for (unsigned i : llvm::concat<unsigned>(rowLanes, columnLanes)) {
    lower.push_back(builder.getIndexAttr(0));
    upper.push_back(builder.getIndexAttr(getExtent(i)));
  }
  auto par = ParOp::create(builder, loc, Level::Warp, lower, upper,
                           SmallVector<int64_t>(lower.size(), 1),
                           [&](OpBuilder &, Location, ValueRange lanes) {
                             enterLanes(lanes);
                             viewResults(lanes);
                             emitLane();
                           });
  llvm::Expected<Mapping> mapping = mapToThreads(par.getSpace());
  if (!mapping)
    return op.emitOpError("cannot be mapped: ")
           << llvm::toString(mapping.takeError());
  par.setMappingAttr(
      MapAttr::get(builder.getContext(), mapping->combinators()));
  return success();
}

LogicalResult mlir::tc::lowerMma(OpBuilder &builder, ContractOp op,
                                 MachineAttr machine) {
  const MmaShape &shape = op.getScheduleAttr().getUnit().getShape();
  if (auto problem = machine.findInstructionProblem(shape))
    return op.emitOpError(*problem);
  std::optional<Factors> factors = Factors::match(op);
  if (!factors || op.getOutputs().size() != 1 || op.getOverwrite())
    return op.emitOpError("expected products of two inputs to be added to "
                          "accumulators for ")
           << op.getScheduleAttr().getUnit();
  return MmaKernel(builder, op, *factors, machine).emit();
}
