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

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

/// Half of a second-level cache of usual size, for a block of columns, and a
/// share of the third, for panels of rows.
static constexpr int64_t kColumnBytes = 256 << 10, kRowBytes = 4 << 20;
static constexpr int64_t kMostColumns = 768;
/// Sums of a block, a multiple of the piece, so that vectors can transpose
/// them: a panel of eight rows of f64 takes three quarters of a first-level
/// cache, and results are read and written the less often.
static constexpr int64_t kDepth = 400, kDepthPiece = 16;
/// Rows that pay for packing a block of columns once more; and how many tasks
/// keep all threads busy to the end.
static constexpr int64_t kLeastRowGroup = 256, kTasks = 16;
/// Results of an outer product that loops over neighbours write one vector
/// after the other well enough.
static constexpr int64_t kLongRun = 256;
/// Register tiles along a row up to which it is read where it lies, if its sums
/// are neighbours; a panel of it would be read as often, but without gaps.
static constexpr int64_t kMostReads = 8;
/// Columns are padded by one for so many, at most.
static constexpr int64_t kLeastOfPadding = 4;
/// Rows of a block that takes no room, at least; there may be fewer.
static constexpr int64_t kAnyRows = 1 << 20;

namespace {
/// An iterator, or with `inner` that many of its innermost points; or, if there
/// are fewer, all of them, padded to so many.
struct Digit {
  unsigned iterator;
  int64_t inner = 0;
};
using Digits = SmallVector<Digit>;

/// What of a schedule is tried in other ways when it is tuned.
struct HostVariation {
  unsigned tile = 0; ///< by rank
  int64_t depth = kDepth, columnBytes = kColumnBytes, task = kLeastRowGroup;
  bool otherRows = false, otherColumns = false; ///< not from the usual source
};

/// The search for one contraction.
class HostSearch {
public:
  HostSearch(ContractOp op, const StrideTable &table, HostVectors unit,
             const HostVariation &variation)
      : op(op), table(table), unit(unit), variation(variation) {}
  HostScheduleAttr run();

private:
  bool classify();
  bool isWorthwhile();
  void sortBy(const Access &operand, Digits &digits);
  std::optional<unsigned> findNeighbours(const Access &operand,
                                         const Digits &digits);
  int64_t chooseInner(unsigned iterator, int64_t most);
  int64_t getPadded(unsigned iterator);
  void interleave(Digits &digits, std::optional<unsigned> first,
                  int64_t mostFirst, std::optional<unsigned> last,
                  int64_t mostLast);
  void sortIterators();
  bool chooseTile();
  int64_t countWritten();
  int64_t countRowsInside(int64_t written);
  void chooseSources();
  void chooseBlocks();
  int64_t count(const Digits &digits);
  SmallVector<Factor> getFactors(const Digits &digits);

  ContractOp op;
  const StrideTable &table;
  HostVectors unit;
  HostVariation variation;
  HostParts parts;
  Digits batch, rows, columns, sums;
  unsigned rowInput = 0, columnInput = 1;
  /// Columns, and sums, of a tile of neighbours of both operands; 1 where there
  /// is none.
  int64_t columnUnit = 1, sumUnit = 1;
  int64_t lanes = 1, dot = 1, tileRows = 1, tileColumns = 1;
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

/// The points of iterators that are whole, or padded.
int64_t HostSearch::count(const Digits &digits) {
  SmallVector<int64_t> extents;
  for (const Digit &digit : digits) {
    int64_t extent = table.nominalExtents[digit.iterator];
    if (digit.inner == 0 || digit.inner > extent)
      extents.push_back(std::max(digit.inner, extent));
  }
  return countPoints(extents);
}

SmallVector<Factor> HostSearch::getFactors(const Digits &digits) {
  SmallVector<Factor> factors;
  for (const Digit &digit : digits) {
    auto name = StringAttr::get(op.getContext(), table.names[digit.iterator]);
    if (digit.inner > table.nominalExtents[digit.iterator])
      factors.push_back({name, 0});
    factors.push_back({name, digit.inner});
  }
  return factors;
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

/// As how many points columns along `iterator` count, so that vectors of them
/// are neighbours in the result; 0 for as many as there are. Worth it are runs
/// of neighbours that are not of halves of vectors. The instructions that write
/// parts of vectors come with AVX-512.
int64_t HostSearch::getPadded(unsigned iterator) {
  int64_t extent = table.extents[iterator];
  if (ShapedType::isDynamic(extent) || unit.bits < 512 || parts.count != 1 ||
      extent % (lanes / 2) == 0 || !isBare(op) ||
      findDotType(op, table, lanes, unit.dots) ||
      table.output().strides[iterator] != 1 || count(columns) == extent)
    return 0;
  auto goesOn = [&](const Access &operand) {
    return operand.strides[iterator] == 1 &&
           llvm::any_of(columns, [&](const Digit &digit) {
             return operand.strides[digit.iterator] == extent;
           });
  };
  if (goesOn(table.output()) && goesOn(table.inputs[columnInput]))
    return 0;
  int64_t padded = llvm::alignTo(extent, lanes), added = padded - extent;
  return added != 0 && added <= extent / kLeastOfPadding ? padded : 0;
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
  sortBy(table.output(), columns);
  if (sums.empty()) // which is large beside the inputs
    return sortBy(table.output(), rows);
  // Rows are packed in the order of what has more elements, the result or they.
  bool writesMore = count(columns) > count(sums);
  sortBy(findNeighbours(ofRows, rows) && !writesMore ? ofRows : table.output(),
         rows);
  sortBy(ofColumns, sums);
  std::optional<unsigned> rowSums = findNeighbours(ofRows, sums),
                          columnSums = findNeighbours(ofColumns, sums);
  if (rowSums && !columnSums)
    sortBy(ofRows, sums);
  std::optional<unsigned> read = findNeighbours(ofColumns, columns),
                          written = findNeighbours(table.output(), columns);
  if (read && written && read != written && count(sums) > count(rows))
    sortBy(ofColumns, columns); // which has more elements than the result
  interleave(columns, read, kLine, written, kVectors);
  if (written && columns.back().iterator == *written &&
      columns.back().inner == 0)
    columns.back().inner = getPadded(*written);
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

/// Columns that are neighbours in the result, as far as that is known.
int64_t HostSearch::countWritten() {
  int64_t run = 1;
  for (const Digit &digit : llvm::reverse(columns)) {
    int64_t extent =
        digit.inner != 0 ? digit.inner : table.extents[digit.iterator];
    if (table.output().strides[digit.iterator] != run ||
        ShapedType::isDynamic(extent))
      break;
    run *= extent;
  }
  return run;
}

/// Rows that are nearer in the result than what comes behind the first
/// `written` columns.
int64_t HostSearch::countRowsInside(int64_t written) {
  int64_t behind = INT64_MAX, columnsInside = 1;
  for (const Digit &digit : llvm::reverse(columns)) {
    int64_t extent =
        digit.inner != 0 ? digit.inner : table.nominalExtents[digit.iterator];
    if (extent > written / columnsInside) {
      behind = table.output().getDistance(digit.iterator);
      break;
    }
    columnsInside *= extent;
  }
  return count(llvm::filter_to_vector(rows, [&](const Digit &digit) {
    return table.output().getDistance(digit.iterator) < behind;
  }));
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
/// second-level cache. False if there are too few tiles for the variation.
bool HostSearch::chooseTile() {
  auto rank = [&](int64_t r, int64_t v) {
    double tiles = double(llvm::divideCeil(count(rows), r)) *
                   double(llvm::divideCeil(count(columns), v * lanes));
    double products = double(parts.count * r * v), loads = double(r + v);
    // Among equals, panels of rows that vectors can transpose, and large tiles.
    return std::tuple(
        tiles * (std::max(products, loads) + 1 + loads / 10 + v / 10.0),
        r % 4 != 0, -r * v);
  };
  // Without sums a tile does no more than write, so it is of neighbours, and
  // large.
  int64_t mostVectors = 6, inside = 0;
  if (sums.empty()) {
    mostVectors = std::clamp<int64_t>(countWritten() / lanes, 1, mostVectors);
    inside = countRowsInside(mostVectors * lanes);
  }
  auto rankOuter = [&](int64_t r, int64_t v) {
    return std::tuple(v != mostVectors, inside % r != 0, -r * v);
  };
  SmallVector<std::pair<int64_t, int64_t>> tiles;
  for (int64_t v = 1; v <= mostVectors; ++v)
    for (int64_t r = 2; r <= kMostHostTile; r += 2)
      if (fitsRegisters(r, v, parts.count, unit.registers))
        tiles.push_back({r, v});
  if (tiles.empty())
    tiles.push_back({2, 1});
  llvm::stable_sort(tiles, [&](const auto &a, const auto &b) {
    return sums.empty()
               ? rankOuter(a.first, a.second) < rankOuter(b.first, b.second)
               : rank(a.first, a.second) < rank(b.first, b.second);
  });
  if (variation.tile >= tiles.size())
    return false;
  tileRows = tiles[variation.tile].first;
  tileColumns = tiles[variation.tile].second * lanes;
  return true;
}

void HostSearch::chooseSources() {
  auto isNumber = [&](unsigned input) {
    return parts.count == 1 && dot == 1 &&
           table.inputs[input].type == parts.type;
  };
  const Access &ofRows = table.inputs[rowInput],
               &ofColumns = table.inputs[columnInput];
  const Digit &innerColumn = columns.back();
  bool hasRuns = !sums.empty() && ofRows.strides[sums.back().iterator] == 1;
  int64_t reads = llvm::divideCeil(count(columns), tileColumns);
  bool fewReads = sums.empty() || reads <= (hasRuns ? kMostReads : 1);
  if (isNumber(rowInput) && fewReads != variation.otherRows)
    rowsFrom = HostSource::Memory;
  int64_t run = innerColumn.inner != 0 ? innerColumn.inner
                                       : table.extents[innerColumn.iterator];
  if (isNumber(columnInput) && run <= table.extents[innerColumn.iterator] &&
      ofColumns.strides[innerColumn.iterator] == 1 &&
      !ShapedType::isDynamic(run) && run % lanes == 0 &&
      (sums.empty() || count(rows) <= tileRows) != variation.otherColumns)
    columnsFrom = HostSource::Memory;
}

void HostSearch::chooseBlocks() {
  int64_t bytes = parts.count * parts.type.getIntOrFloatBitWidth() / 8;
  int64_t rowCount = count(rows), columnCount = count(columns);
  // Blocks of about the same size.
  depth = std::max<int64_t>(
      1, llvm::divideCeil(count(sums),
                          llvm::divideCeil(count(sums), variation.depth)));
  int64_t piece = std::lcm(kDepthPiece, sumUnit);
  if (piece > variation.depth)
    piece = kDepthPiece;
  depth = std::min(int64_t(llvm::alignTo(depth, piece)), count(sums));
  depth = llvm::alignTo(depth, dot);
  auto blockOf = [&](int64_t budget, int64_t extent, int64_t tile) {
    int64_t most = std::max(tile, budget / (depth * bytes) / tile * tile);
    return std::min(most, extent > most ? most
                                        : int64_t(llvm::alignTo(extent, tile)));
  };
  blockColumns =
      std::min(blockOf(variation.columnBytes, columnCount, tileColumns),
               std::max(tileColumns, kMostColumns / tileColumns * tileColumns));
  // Tiles of columns are packed as wholes, so blocks hold whole ones, even
  // where that is more than the budget, if the stack has room.
  int64_t whole = std::lcm(columnUnit, tileColumns);
  int64_t room = std::min(2 * variation.columnBytes, kHostStackBytes / 8 * 7);
  if (whole <= 2 * kMostColumns && parts.count == 1 &&
      whole * depth * bytes <= room)
    blockColumns = std::max<int64_t>(1, blockColumns / whole) * whole;
  // Without sums, what follows a tile in the result is what comes next: rows,
  // and then other columns.
  int64_t inside = sums.empty() ? countRowsInside(tileColumns) : 0;
  if (inside > tileRows)
    blockColumns = tileColumns;
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
                  std::max(inTiles(variation.task),
                           inTiles(llvm::divideCeil(
                               std::min(blockRows, rowCount), groups))));
  if (sums.empty())
    task = std::min(blockRows, inTiles(inside));
  int64_t tasks = blocks * llvm::divideCeil(rowCount, task);
  sharesBatch = count(batch) > 1 && tasks < kTasks;
  if (sharesBatch) // panels of rows lie on each task's stack
    task = blockRows = blockOfRows(kColumnBytes);
}

/// Of a vector times a matrix each element is used once: nothing is gained by
/// copies. Nor is by an outer product whose loops go through neighbours that
/// are many; where they are few, tiles write one vector after the other.
bool HostSearch::isWorthwhile() {
  if (countPoints(table.nominalExtents) < kHostTerms || count(rows) < 2 ||
      count(columns) < lanes)
    return false;
  if (!sums.empty())
    return count(sums) >= 2;
  unsigned last = columns.back().iterator;
  bool isLoop = table.inputs[columnInput].strides[last] == 1 &&
                table.nominalExtents[last] >= kLongRun;
  return !isLoop && isBare(op) && parts.count == 1;
}

HostScheduleAttr HostSearch::run() {
  std::optional<HostParts> found = findHostParts(op);
  if (!op.isMultiplyAdd() || op.getInputs().size() != 2 || !found ||
      !classify())
    return {};
  parts = *found;
  lanes = std::max<int64_t>(1, unit.bits /
                                   int64_t(parts.type.getIntOrFloatBitWidth()));
  sortIterators();
  if (!isWorthwhile())
    return {};
  if (findDotType(op, table, lanes, unit.dots))
    dot = 2;
  if (!chooseTile())
    return {};
  chooseSources();
  chooseBlocks();
  return HostScheduleAttr::get(
      op.getContext(), getFactors(batch), getFactors(rows), getFactors(columns),
      getFactors(sums), lanes, dot, {tileRows, tileColumns},
      {blockRows, blockColumns, depth}, task, rowsFrom, columnsFrom,
      sharesBatch ? HostTasks::Batch : HostTasks::Blocks);
}

HostScheduleAttr mlir::tc::chooseHostSchedule(ContractOp op,
                                              const StrideTable &table,
                                              HostVectors unit) {
  return HostSearch(op, table, unit, {}).run();
}

//===----------------------------------------------------------------------===//
// Variations
//===----------------------------------------------------------------------===//

/// All of them, with how many parts of each differ from the usual.
static SmallVector<std::pair<unsigned, HostVariation>> listVariations() {
  SmallVector<std::pair<unsigned, HostVariation>> all;
  const HostVariation usual;
  for (unsigned tile = 0; tile != 5; ++tile)
    for (int64_t depth : {kDepth, kDepth * 3 / 2, kDepth * 2, kDepth / 2})
      for (int64_t bytes : {kColumnBytes, kColumnBytes * 2, kColumnBytes / 2})
        for (int64_t task : {kLeastRowGroup, kLeastRowGroup * 4})
          for (bool otherRows : {false, true})
            for (bool otherColumns : {false, true})
              all.push_back(
                  {unsigned(llvm::count(
                       ArrayRef({tile != usual.tile, depth != usual.depth,
                                 bytes != usual.columnBytes, task != usual.task,
                                 otherRows, otherColumns}),
                       true)),
                   {tile, depth, bytes, task, otherRows, otherColumns}});
  llvm::stable_sort(all, llvm::less_first());
  return all;
}

SmallVector<HostScheduleAttr>
mlir::tc::listHostSchedules(ContractOp op, const StrideTable &table,
                            HostVectors unit, size_t count) {
  llvm::SetVector<HostScheduleAttr> found;
  for (const auto &[distance, variation] : listVariations()) {
    if (found.size() == count)
      break;
    HostScheduleAttr schedule = HostSearch(op, table, unit, variation).run();
    if (schedule && !findHostScheduleProblem(op, table, schedule, unit.dots))
      found.insert(schedule);
  }
  return found.takeVector();
}
