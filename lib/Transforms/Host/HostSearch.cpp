//===- HostSearch.cpp - The schedule of a contraction on a CPU ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Iterators are put in an order in which lines of caches are used as wholes,
// the register tile is the one that a model of a core predicts to be fastest,
// and blocks are what caches of usual sizes hold.
//
//===----------------------------------------------------------------------===//

#include "Host/HostSearch.h"

#include "Host/HostPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

/// Half of a second-level cache of usual size, for a block of columns, and a
/// share of the third, for panels of rows.
static constexpr int64_t kColumnBytes = 256 << 10, kRowBytes = 4 << 20;
static constexpr int64_t kDepth = 256, kMostColumns = 768;
/// Rows that pay for packing a block of columns once more; and how many tasks
/// keep all threads busy to the end.
static constexpr int64_t kLeastRowGroup = 256, kTasks = 16;
/// Register tiles along a row up to which it is read where it lies, if its sums
/// are neighbours; a panel of it would be read as often, but without gaps.
static constexpr int64_t kMostReads = 8;
/// Rows of a block that takes no room, at least; there may be fewer.
static constexpr int64_t kAnyRows = 1 << 20;

namespace {
/// An iterator, or with `inner` that many of its innermost points.
struct Digit {
  unsigned iterator;
  int64_t inner = 0;
};
using Digits = SmallVector<Digit>;

/// The search for one contraction.
class HostSearch {
public:
  HostSearch(ContractOp op, const StrideTable &table, HostVectors unit)
      : op(op), table(table), unit(unit) {}
  HostScheduleAttr run();

private:
  bool classify();
  void sortBy(const Access &operand, Digits &digits);
  std::optional<unsigned> findNeighbours(const Access &operand,
                                         const Digits &digits);
  int64_t chooseInner(unsigned iterator, int64_t most);
  void interleave(Digits &digits, std::optional<unsigned> first,
                  int64_t mostFirst, std::optional<unsigned> last,
                  int64_t mostLast);
  void sortIterators();
  void chooseTile();
  void chooseSources();
  void chooseBlocks();
  int64_t count(const Digits &digits);
  SmallVector<Factor> getFactors(const Digits &digits);

  ContractOp op;
  const StrideTable &table;
  HostVectors unit;
  HostParts parts;
  Digits batch, rows, columns, sums;
  unsigned rowInput = 0, columnInput = 1;
  /// Columns, and sums, of a tile of neighbours of both operands; 1 where there
  /// is none.
  int64_t columnUnit = 1, sumUnit = 1;
  int64_t lanes = 1, tileRows = 1, tileColumns = 1;
  HostSource rowsFrom = HostSource::Panels, columnsFrom = HostSource::Panels;
  int64_t depth = 1, blockRows = 1, blockColumns = 1, task = 1;
  bool sharesBatch = false;
};
} // namespace

/// The product of the extents, as far as 64 bits hold it.
static int64_t countPoints(ArrayRef<int64_t> extents) {
  uint64_t count = 1;
  for (int64_t extent : extents)
    count = llvm::SaturatingMultiply(count, uint64_t(extent));
  return std::min<uint64_t>(count, INT64_MAX);
}

/// The points of iterators that are whole.
int64_t HostSearch::count(const Digits &digits) {
  SmallVector<int64_t> extents;
  for (const Digit &digit : digits)
    if (digit.inner == 0)
      extents.push_back(table.nominalExtents[digit.iterator]);
  return countPoints(extents);
}

SmallVector<Factor> HostSearch::getFactors(const Digits &digits) {
  return llvm::map_to_vector(digits, [&](const Digit &digit) {
    return Factor{StringAttr::get(op.getContext(), table.names[digit.iterator]),
                  digit.inner};
  });
}

/// Sorts iterators into classes by what varies with them. The columns are those
/// of the input that varies with the innermost iterator of the result.
bool HostSearch::classify() {
  const Access &output = table.output();
  std::optional<unsigned> last;
  for (unsigned i = 0, e = table.getNumIterators(); i != e; ++i)
    if (!table.contracted[i] &&
        (!last || output.getDistance(i) < output.getDistance(*last)))
      last = i;
  if (!last || table.getInputsVarying(*last) % 3 == 0)
    return false;
  columnInput = table.inputs[1].variesWith(*last) ? 1 : 0;
  rowInput = 1 - columnInput;
  for (unsigned i = 0, e = table.getNumIterators(); i != e; ++i) {
    uint64_t varying = table.getInputsVarying(i);
    (table.contracted[i]                     ? sums
     : varying == uint64_t(1) << columnInput ? columns
     : varying == uint64_t(1) << rowInput    ? rows
                                             : batch)
        .push_back({i});
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The order of iterators
//===----------------------------------------------------------------------===//

/// Outermost is what `operand` steps through in the largest steps.
void HostSearch::sortBy(const Access &operand, Digits &digits) {
  auto stride = [&](const Digit &digit) {
    return operand.variesWith(digit.iterator)
               ? operand.getDistance(digit.iterator)
               : INT64_MAX;
  };
  llvm::stable_sort(digits, [&](const Digit &a, const Digit &b) {
    return stride(a) > stride(b);
  });
}

/// The iterator in which elements of `operand` are neighbours, in ascending
/// order.
std::optional<unsigned> HostSearch::findNeighbours(const Access &operand,
                                                   const Digits &digits) {
  for (const Digit &digit : digits)
    if (operand.strides[digit.iterator] == 1)
      return digit.iterator;
  return std::nullopt;
}

/// Inner points of an iterator, at most `most`, if a divisor of its extent
/// allows that; else 0.
int64_t HostSearch::chooseInner(unsigned iterator, int64_t most) {
  int64_t extent = table.extents[iterator];
  if (ShapedType::isDynamic(extent) || extent <= most)
    return 0;
  // Best is what pieces of vectors divide, then what is large.
  int64_t size = 1;
  auto worth = [](int64_t n) { return std::pair(std::gcd(n, int64_t(16)), n); };
  for (int64_t n = 4; n <= most; ++n)
    if (extent % n == 0 && (size == 1 || worth(n) > worth(size)))
      size = n;
  return size == 1 ? 0 : size;
}

/// Where the neighbours of one operand are not those of another, a block has
/// some of both, so that each line of a cache that is read is used while it is
/// there: `first` and `last` are the innermost, in parts.
void HostSearch::interleave(Digits &digits, std::optional<unsigned> first,
                            int64_t mostFirst, std::optional<unsigned> last,
                            int64_t mostLast) {
  if (!first || !last || first == last)
    return;
  llvm::erase_if(digits, [&](const Digit &digit) {
    return digit.iterator == *first || digit.iterator == *last;
  });
  Digit partOfFirst{*first, chooseInner(*first, mostFirst)},
      partOfLast{*last, chooseInner(*last, mostLast)};
  // What has no inner part is inside as a whole.
  for (const Digit &part : {partOfFirst, partOfLast})
    if (part.inner != 0)
      digits.push_back({part.iterator});
  digits.append({partOfFirst, partOfLast});
}

/// Results are written along columns, inputs read as they lie.
void HostSearch::sortIterators() {
  /// A line of a cache, and a few vectors.
  constexpr int64_t kLine = 16, kVectors = 48;
  const Access &ofRows = table.inputs[rowInput],
               &ofColumns = table.inputs[columnInput];
  sortBy(table.output(), batch);
  sortBy(findNeighbours(ofRows, rows) ? ofRows : table.output(), rows);
  sortBy(table.output(), columns);
  sortBy(ofColumns, sums);
  std::optional<unsigned> rowSums = findNeighbours(ofRows, sums),
                          columnSums = findNeighbours(ofColumns, sums);
  if (rowSums && !columnSums)
    sortBy(ofRows, sums);
  std::optional<unsigned> read = findNeighbours(ofColumns, columns),
                          written = findNeighbours(table.output(), columns);
  interleave(columns, read, kLine, written, kVectors);
  auto countInner = [&](const Digits &digits) {
    int64_t points = 1;
    for (const Digit &digit : ArrayRef(digits).take_back(2))
      points *=
          digit.inner != 0 ? digit.inner : table.nominalExtents[digit.iterator];
    return points;
  };
  if (read && written && read != written)
    columnUnit = countInner(columns);
  interleave(sums, rowSums, kLine, columnSums, kLine);
  if (rowSums && columnSums && rowSums != columnSums)
    sumUnit = countInner(sums);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// Does a core hold the accumulators of a tile, the vectors of a step and an
/// element of a row? LLVM begins loads early, so a quarter of the registers is
/// left to these, and more where products of parts are added to two sums.
static bool fitsRegisters(int64_t rows, int64_t vectors, int64_t parts,
                          int64_t registers) {
  int64_t accumulators = parts * rows * vectors;
  return accumulators <= registers * 3 / (parts + 3) &&
         accumulators + parts * (vectors + 1) <= registers;
}

/// The register tile with which a core takes the fewest cycles for all results:
/// it multiplies a vector, or loads one, in each. A step takes a cycle more,
/// and loads are not free either, least those of columns, which come from the
/// second-level cache.
void HostSearch::chooseTile() {
  lanes = std::max<int64_t>(1, unit.bits /
                                   int64_t(parts.type.getIntOrFloatBitWidth()));
  auto rank = [&](int64_t r, int64_t v) {
    double tiles = double(llvm::divideCeil(count(rows), r)) *
                   double(llvm::divideCeil(count(columns), v * lanes));
    double products = double(parts.count * r * v), loads = double(r + v);
    // Among equals, panels of rows that vectors can transpose, and large tiles.
    return std::tuple(
        tiles * (std::max(products, loads) + 1 + loads / 10 + v / 10.0),
        r % 4 != 0, -r * v);
  };
  std::pair<int64_t, int64_t> best(2, 1);
  for (int64_t v = 1; v <= 6; ++v)
    for (int64_t r = 2; r <= kMostHostTile; r += 2)
      if (fitsRegisters(r, v, parts.count, unit.registers) &&
          rank(r, v) < rank(best.first, best.second))
        best = {r, v};
  tileRows = best.first;
  tileColumns = best.second * lanes;
}

void HostSearch::chooseSources() {
  auto isNumber = [&](unsigned input) {
    return parts.count == 1 && table.inputs[input].type == parts.type;
  };
  const Access &ofRows = table.inputs[rowInput],
               &ofColumns = table.inputs[columnInput];
  const Digit &innerSum = sums.back(), &innerColumn = columns.back();
  bool hasRuns = ofRows.strides[innerSum.iterator] == 1;
  int64_t reads = llvm::divideCeil(count(columns), tileColumns);
  if (isNumber(rowInput) && reads <= (hasRuns ? kMostReads : 1))
    rowsFrom = HostSource::Memory;
  int64_t run = innerColumn.inner != 0 ? innerColumn.inner
                                       : table.extents[innerColumn.iterator];
  if (isNumber(columnInput) && ofColumns.strides[innerColumn.iterator] == 1 &&
      !ShapedType::isDynamic(run) && run % lanes == 0 &&
      count(rows) <= tileRows)
    columnsFrom = HostSource::Memory;
}

void HostSearch::chooseBlocks() {
  int64_t bytes = parts.count * parts.type.getIntOrFloatBitWidth() / 8;
  int64_t rowCount = count(rows), columnCount = count(columns);
  depth = std::min(kDepth, count(sums));
  if (sumUnit <= depth) // whole tiles, so that copies can transpose them
    depth = depth / sumUnit * sumUnit;
  auto blockOf = [&](int64_t budget, int64_t extent, int64_t tile) {
    int64_t most = std::max(tile, budget / (depth * bytes) / tile * tile);
    return std::min(most, extent > most ? most
                                        : int64_t(llvm::alignTo(extent, tile)));
  };
  blockColumns =
      std::min(blockOf(kColumnBytes, columnCount, tileColumns),
               std::max(tileColumns, kMostColumns / tileColumns * tileColumns));
  // Tiles of columns are packed as wholes, so blocks hold whole ones, even
  // where that is more than the budget.
  int64_t whole = std::lcm(columnUnit, tileColumns);
  if (whole <= kMostColumns && parts.count == 1)
    blockColumns = std::max<int64_t>(1, blockColumns / whole) * whole;
  // Rows that are read where they lie take no room.
  auto blockOfRows = [&](int64_t budget) {
    return rowsFrom == HostSource::Panels
               ? blockOf(budget, rowCount, tileRows)
               : int64_t(llvm::alignTo(std::max(rowCount, kAnyRows), tileRows));
  };
  blockRows = blockOfRows(kRowBytes);
  int64_t blocks = llvm::divideCeil(columnCount, blockColumns);
  int64_t groups = std::max<int64_t>(1, kTasks / blocks);
  auto inTiles = [&](int64_t n) { return int64_t(llvm::alignTo(n, tileRows)); };
  task = std::min(blockRows,
                  std::max(inTiles(kLeastRowGroup),
                           inTiles(llvm::divideCeil(
                               std::min(blockRows, rowCount), groups))));
  int64_t tasks = blocks * llvm::divideCeil(rowCount, task);
  sharesBatch = count(batch) > 1 && tasks < kTasks;
  if (sharesBatch) // panels of rows lie on each task's stack
    task = blockRows = blockOfRows(kColumnBytes);
}

HostScheduleAttr HostSearch::run() {
  std::optional<HostParts> found = findHostParts(op);
  if (!op.isMultiplyAdd() || op.getInputs().size() != 2 || !found ||
      !classify())
    return {};
  parts = *found;
  // Of a vector times a matrix each element is used once, of an outer product
  // each result: nothing is gained by copies.
  if (countPoints(table.nominalExtents) < kHostTerms || count(sums) < 2 ||
      count(rows) < 2)
    return {};
  sortIterators();
  chooseTile();
  if (count(columns) < lanes)
    return {};
  chooseSources();
  chooseBlocks();
  return HostScheduleAttr::get(
      op.getContext(), getFactors(batch), getFactors(rows), getFactors(columns),
      getFactors(sums), lanes, {tileRows, tileColumns},
      {blockRows, blockColumns, depth}, task, rowsFrom, columnsFrom,
      sharesBatch ? HostTasks::Batch : HostTasks::Blocks);
}

HostScheduleAttr mlir::tc::chooseHostSchedule(ContractOp op,
                                              const StrideTable &table,
                                              HostVectors unit) {
  return HostSearch(op, table, unit).run();
}
