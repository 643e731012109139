//===- MmaKernel.h - The code of one warp's contraction ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A lane holds the results of its own rows and columns, as threads do without
// tensor units. It reads rows at its own place, but of the terms every fourth
// alone; and of the columns those of the group of lanes that shares its row:
// Target/Mma.h has the fragments.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_MICROKERNEL_MMAKERNEL_H
#define TC_LIB_TRANSFORMS_MICROKERNEL_MMAKERNEL_H

#include "Microkernel/LowerMma.h"

#include <map>

namespace mlir::tc {

/// A value for each iterator that an operand varies with; null for others.
using Point = SmallVector<OpFoldResult>;

/// Emits the code of one contraction.
class MmaKernel {
public:
  MmaKernel(OpBuilder &builder, ContractOp op, const Factors &factors,
            MachineAttr machine)
      : builder(builder), op(op), loc(op.getLoc()),
        unit(op.getScheduleAttr().getUnit()), shape(unit.getShape()),
        factors(factors), product(builder, op, factors, machine) {}
  LogicalResult emit();

private:
  /// Results of a lane for one place of the batch, by rows and columns.
  using Sums = SmallVector<SmallVector<Value>>;

  /// Reports operands and results that are not as tc-tile writes them.
  LogicalResult checkForm();
  /// What iterators do.
  void sortIterators();
  LogicalResult checkCounts();
  /// Sets `extents`, or reports that there are none.
  LogicalResult findExtents();
  int64_t getExtent(unsigned i) { return extents[i]; }
  int64_t countPlaces(ArrayRef<unsigned> iterators);
  /// All places along `iterators`, the last one fastest; of terms those of the
  /// first lane in a pass.
  SmallVector<Point> enumerate(ArrayRef<unsigned> iterators);

  void enterLanes(ValueRange lanes);
  void viewResults(ValueRange lanes);
  void emitLane();
  void emitBatches();
  /// Adds the terms that are written out to the sums of a place of the batch.
  void emitPass(const Point &batch, ArrayRef<Point> terms);
  /// Calls `emit` in loops over the terms that are not written out.
  void emitPasses(function_ref<void()> emit);
  /// Is the result of any of these rows inside? Null where that is known.
  Value buildIsInside(ArrayRef<Point> rows, const Point &column,
                      const Point &batch);
  /// As many zeros as there are sums, and sums of two numbers each.
  Sums getZeros(const Sums &sums);
  Sums add(const Sums &left, const Sums &right);
  /// Adds the terms of a step.
  void addTerms(const Point &batch, ArrayRef<Point> terms, Sums &sums);
  /// Adds the terms of instructions, those of one pair of fragments after the
  /// other.
  void multiply(const Point &batch, ArrayRef<Point> terms, Sums &sums);
  /// The fragments of all rows or all columns.
  SmallVector<MmaFragment> loadRows(const Point &batch, ArrayRef<Point> terms);
  SmallVector<MmaFragment> loadColumns(const Point &batch,
                                       ArrayRef<Point> terms);
  std::optional<unsigned> findVector(unsigned input);
  /// Element of an input where all of `places` are added; and its factor.
  MmaElement load(unsigned input, ArrayRef<Point> places);
  MmaElement loadFactor(unsigned input, ArrayRef<Point> places);
  /// What one instruction takes of an input: register by register along the
  /// terms, of each of `places`.
  MmaFragment loadFragment(
      ArrayRef<Point> terms, ArrayRef<Point> places,
      function_ref<MmaElement(const Point &place, const Point &term)> load);
  /// Of the three the one that has a place along `i`.
  OpFoldResult getPlace(unsigned i, const Point &row, const Point &column,
                        const Point &batch) {
    return row[i] ? row[i] : column[i] ? column[i] : batch[i];
  }
  SmallVector<Value> locate(const Point &row, const Point &column,
                            const Point &batch);

  OpBuilder &builder;
  ContractOp op;
  Location loc;
  MmaAttr unit;
  const MmaShape &shape;
  Factors factors;
  MmaProduct product;

  /// The inputs with rows and with columns.
  unsigned rowInput = 0, columnInput = 1;
  /// The iterators of lanes, and those of what a lane holds.
  SmallVector<unsigned> rowLanes, columnLanes;
  SmallVector<unsigned> rows, columns, batches, terms;
  /// By iterator: lanes along the terms; places in the tile, of which a dynamic
  /// extent says how many are inside; and those that are written out.
  SmallVector<int64_t> termLanes, extents, written;
  /// The iterator of the last dimension of an input, where a lane reads that
  /// whole in one access.
  std::array<std::optional<unsigned>, 2> vectors;
  SmallVector<Point> rowPoints, columnPoints;
  /// Where the lane is in its own rows; and in the columns and the terms that
  /// it reads. Where a pass begins.
  Point ownRow, readColumn, readTerm, passTerm;
  /// Vectors that have been loaded of an input, by the places along the other
  /// dimensions.
  std::map<std::pair<unsigned, std::vector<void *>>, Value> loaded;
  /// This lane's results.
  Value results;
  /// May what is emitted be for a tile that sticks out?
  bool isEdge = true;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_MICROKERNEL_MMAKERNEL_H
