//===- TilePicture.cpp - A block's tile, drawn ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three panels: where the tile is in the result, whose results are in it, and
// the thread of each result in its corner. What is too large for a panel is
// drawn in part, and labels have the whole size.
//
//===----------------------------------------------------------------------===//

#include "Page/TilePicture.h"

#include "tc/Pages/Svg.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace mlir::tc {

namespace {

constexpr double width = 1160, headHeight = 44;
/// Panels by their left ends and widths.
constexpr double gridLeft = 10, gridWidth = 190;
constexpr double tileLeft = 240, tileWidth = 540;
constexpr double cornerLeft = 826, cornerWidth = 324;
/// At most so many places of each are drawn.
constexpr int64_t mostTiles = 32, mostResults = 128, mostTerms = 64;
constexpr int64_t mostCornerRows = 12, mostCornerColumns = 6;
/// Between the tiles of inputs and that of the results.
constexpr double gap = 14;

/// Of warps, in turn; and of what belongs to thread 0.
constexpr llvm::StringLiteral warpColors[] = {"#cfe3f7", "#fde2c8", "#d8efd3",
                                              "#f6d5dc", "#e4daf3", "#fbf3c4",
                                              "#d3eef0", "#e8e0d8"};
constexpr llvm::StringLiteral own = "#1f5fae", ownLight = "#8fb7e3",
                              inputColor = "#eef1f4";

StringRef getColor(int64_t thread) {
  return warpColors[thread / kWarpSize % std::size(warpColors)];
}

/// A panel of places, not all of which may be drawn.
struct Side {
  int64_t all, shown;
  Side(int64_t all, int64_t most) : all(all), shown(std::min(all, most)) {}
  bool isCut() const { return shown < all; }
};

class Picture {
public:
  explicit Picture(const ScheduledContraction &contraction)
      : contraction(contraction), work(contraction.work),
        plan(contraction.plan), axes(getTileAxes(contraction)),
        rows(axes.rows.getSize(), mostResults),
        columns(axes.columns.getSize(), mostResults),
        terms(axes.terms.getSize(), mostTerms),
        indices(work.getNumIterators()) {
    double across = double(columns.shown + (hasLeft() ? terms.shown : 0));
    double down = double(rows.shown + (hasTop() ? terms.shown : 0));
    cell = std::min(
        {26.0, (tileWidth - gap - 40) / across, (tileWidth - gap - 90) / down});
  }

  std::string draw() {
    double tile =
        headHeight + 30 + getTopHeight() + double(rows.shown) * cell + 70;
    height = std::max(tile, 330.0);
    Svg picture(width, height, "result in block tiles, tile of a block");
    svg = &picture;
    drawGrid();
    drawTile();
    drawCorner();
    return picture.str();
  }

private:
  /// Is there an input beside the rows, and one above the columns? Where there
  /// is one column, the latter is a vector, which lies along the terms.
  bool hasLeft() const { return !work.inputs.empty(); }
  bool hasTop() const { return work.inputs.size() > 1 && columns.all > 1; }
  bool hasVector() const { return work.inputs.size() > 1 && !hasTop(); }
  double getLeftWidth() const {
    return hasLeft() ? double(terms.shown) * cell + gap : 0;
  }
  double getTopHeight() const {
    if (hasVector())
      return cell + 24; // and the label of what is below
    return hasTop() ? double(terms.shown) * cell + gap : 0;
  }

  void drawHead(double x, StringRef title, const std::string &below) {
    svg->addText(x, 16, title, Anchor::Start, Svg::ink, 13);
    svg->addText(x, 33, below, Anchor::Start, Svg::dim);
  }

  /// "m 128 x n 4": what is along an axis.
  std::string format(const TileAxis &axis) const {
    SmallVector<std::string> parts;
    for (auto [i, factor] : llvm::zip_equal(axis.iterators, axis.factors))
      if (factor > 1 || axis.iterators.size() == 1)
        parts.push_back(contraction.access.names[i] + " " +
                        std::to_string(factor));
    return parts.empty() ? "1" : llvm::join(parts, " \u00d7 ");
  }

  /// Tiles of the result along an axis.
  int64_t countTiles(const TileAxis &axis) const {
    int64_t tiles = 1;
    for (auto [i, factor] : llvm::zip_equal(axis.iterators, axis.factors))
      tiles *= llvm::divideCeil(work.extents[i], factor);
    return tiles;
  }

  void drawGrid() {
    Side down(countTiles(axes.rows), mostTiles);
    Side across(countTiles(axes.columns), mostTiles);
    int64_t parts = llvm::product_of(plan.split);
    std::string split =
        parts > 1 ? llvm::formatv(", {0} parts of the sum", parts).str() : "";
    drawHead(
        gridLeft, "The result in block tiles",
        llvm::formatv("{0} \u00d7 {1} tiles{2}", down.all, across.all, split));
    double size =
        std::min(22.0, gridWidth / double(std::max(down.shown, across.shown)));
    double top = headHeight + 8;
    double right = gridLeft + double(across.shown) * size;
    double low = top + double(down.shown) * size;
    svg->addRect(gridLeft, top, right - gridLeft, low - top, inputColor);
    svg->addRect(gridLeft, top, size, size, own);
    for (int64_t row = 1; row < down.shown; ++row)
      svg->addLine(gridLeft, top + double(row) * size, right,
                   top + double(row) * size, {"#fff"});
    for (int64_t column = 1; column < across.shown; ++column)
      svg->addLine(gridLeft + double(column) * size, top,
                   gridLeft + double(column) * size, low, {"#fff"});
    double below = low + 16;
    if (down.isCut() || across.isCut()) {
      svg->addText(
          gridLeft, below,
          llvm::formatv("drawn: {0} \u00d7 {1}", down.shown, across.shown)
              .str(),
          Anchor::Start, Svg::dim);
      below += 18;
    }
    drawKey(gridLeft, below, own, "the block shown");
  }

  void drawKey(double x, double y, StringRef color, StringRef meaning) {
    svg->addRect(x, y - 9, 10, 10, color);
    svg->addText(x + 16, y, meaning, Anchor::Start, Svg::dim);
  }

  ResultPlace getPlace(int64_t row, int64_t column) {
    axes.rows.decode(row, indices);
    axes.columns.decode(column, indices);
    return findResultPlace(plan, indices, work.contracted);
  }

  /// Is the term of a step one that thread 0 adds?
  bool isOwnTerm(int64_t term) {
    axes.terms.decode(term, indices);
    return llvm::all_of(axes.terms.iterators, [&](unsigned i) {
      return indices[i] / plan.vector[i] % plan.thread[i] == 0;
    });
  }

  using GetColor = llvm::function_ref<StringRef(int64_t row, int64_t column)>;

  /// A rectangle of places; neighbours of one colour are one box, and so are
  /// rows that look the same.
  void drawPlaces(double x, double y, int64_t down, int64_t across,
                  GetColor color) {
    auto getRow = [&](int64_t row) {
      SmallVector<std::pair<int64_t, StringRef>> runs; // ends and colours
      for (int64_t column = 0; column < across; ++column) {
        StringRef next = color(row, column);
        if (runs.empty() || runs.back().second != next)
          runs.push_back({column, next});
        runs.back().first = column + 1;
      }
      return runs;
    };
    for (int64_t row = 0; row < down;) {
      auto runs = getRow(row);
      int64_t first = row++;
      while (row < down && getRow(row) == runs)
        ++row;
      int64_t begin = 0;
      for (auto [end, fill] : runs) {
        svg->addRect(x + double(begin) * cell, y + double(first) * cell,
                     double(end - begin) * cell, double(row - first) * cell,
                     fill);
        begin = end;
      }
    }
    svg->addRect(x, y, double(across) * cell, double(down) * cell, "none",
                 Svg::dim);
  }

  void drawTile() {
    int64_t threads = plan.getNumThreads();
    drawHead(tileLeft, "The tile of a block, and a step of the inputs",
             llvm::formatv("{0} \u00d7 {1} results, {2} threads, {3} to a warp",
                           rows.all, columns.all, threads, kWarpSize));
    double x = tileLeft + 30 + getLeftWidth();
    double y = headHeight + 30 + getTopHeight();
    // What thread 0 has, by row and by column.
    SmallVector<bool> ownRows, ownColumns, ownTerms;
    for (int64_t row = 0; row < rows.shown; ++row)
      ownRows.push_back(getPlace(row, 0).thread == 0);
    for (int64_t column = 0; column < columns.shown; ++column)
      ownColumns.push_back(getPlace(0, column).thread == 0);
    for (int64_t term = 0; term < terms.shown; ++term)
      ownTerms.push_back(isOwnTerm(term));
    auto pick = [](bool isOwn) -> StringRef {
      return isOwn ? StringRef(ownLight) : StringRef(inputColor);
    };
    drawPlaces(x, y, rows.shown, columns.shown,
               [&](int64_t row, int64_t column) -> StringRef {
                 int64_t thread = getPlace(row, column).thread;
                 return thread == 0 ? StringRef(own) : getColor(thread);
               });
    if (hasLeft())
      drawPlaces(x - getLeftWidth(), y, rows.shown, terms.shown,
                 [&](int64_t row, int64_t term) {
                   return pick(ownRows[row] && ownTerms[term]);
                 });
    if (hasTop())
      drawPlaces(x, y - getTopHeight(), terms.shown, columns.shown,
                 [&](int64_t term, int64_t column) {
                   return pick(ownColumns[column] && ownTerms[term]);
                 });
    if (hasVector())
      drawPlaces(x - getLeftWidth(), y - getTopHeight(), 1, terms.shown,
                 [&](int64_t, int64_t term) { return pick(ownTerms[term]); });
    labelTile(x, y);
  }

  std::string withCut(const TileAxis &axis, const Side &side) const {
    return format(axis) + (side.isCut()
                               ? ", " + std::to_string(side.shown) + " of " +
                                     std::to_string(side.all) + " drawn"
                               : "");
  }

  void labelTile(double x, double y) {
    double right = x + double(columns.shown) * cell;
    double low = y + double(rows.shown) * cell;
    if (hasTop() || hasVector())
      svg->addText(hasTop() ? x : x - getLeftWidth(), y - getTopHeight() - 7,
                   work.inputs.size() > 2 ? "other inputs" : "input 1",
                   Anchor::Start, Svg::dim);
    if (hasLeft())
      svg->addText(x - getLeftWidth(), y - 7, "input 0", Anchor::Start,
                   Svg::dim);
    svg->addText(tileLeft + 16, (y + low) / 2, withCut(axes.rows, rows),
                 Anchor::Middle, Svg::ink, Svg::fontSize, -90);
    svg->addText(std::max((x + right) / 2, x), low + 16,
                 withCut(axes.columns, columns), Anchor::Middle);
    if (hasLeft())
      svg->addText(tileLeft + 30, low + 34,
                   "a step: " + withCut(axes.terms, terms), Anchor::Start);
    double key = low + 54;
    drawKey(tileLeft + 30, key, own, "results of thread 0");
    drawKey(tileLeft + 180, key, ownLight, "their elements of inputs");
    int64_t warps = llvm::divideCeil(plan.getNumThreads(), kWarpSize);
    size_t colors = std::min<size_t>(warps, std::size(warpColors));
    for (size_t n = 0; n < colors; ++n)
      svg->addRect(tileLeft + 350 + 11 * double(n), key - 9, 10, 10,
                   warpColors[n]);
    svg->addText(tileLeft + 356 + 11 * double(colors), key,
                 warps == 1 ? "the warp" : "warps in turn", Anchor::Start,
                 Svg::dim);
  }

  void drawCorner() {
    Side down(rows.all, mostCornerRows), across(columns.all, mostCornerColumns);
    int64_t shares = countShares();
    std::string sharing =
        shares > 1
            ? llvm::formatv("; threads that share each: {0}", shares).str()
            : "";
    drawHead(
        cornerLeft, "Its corner: thread : result of the thread",
        llvm::formatv("results of a thread: {0}{1}",
                      rows.all * columns.all * shares / plan.getNumThreads(),
                      sharing));
    double sizeX = cornerWidth / double(mostCornerColumns), sizeY = 22;
    for (int64_t row = 0; row < down.shown; ++row)
      for (int64_t column = 0; column < across.shown; ++column) {
        ResultPlace place = getPlace(row, column);
        bool isOwn = place.thread == 0;
        double x = cornerLeft + double(column) * sizeX;
        double y = headHeight + 8 + double(row) * sizeY;
        svg->addRect(x, y, sizeX - 2, sizeY - 2,
                     isOwn ? StringRef(own) : getColor(place.thread));
        svg->addText(x + sizeX / 2 - 1, y + 14,
                     llvm::formatv("{0}:{1}", place.thread, place.result).str(),
                     Anchor::Middle, isOwn ? "#ffffff" : Svg::ink, 11);
      }
  }

  /// Threads that add up terms of the same result.
  int64_t countShares() const {
    int64_t shares = 1;
    for (unsigned i : work.getSums())
      shares *= plan.thread[i];
    return shares;
  }

  const ScheduledContraction &contraction;
  const Workload &work;
  const TilePlan &plan;
  TileAxes axes;
  Side rows, columns, terms;
  double cell = 0, height = 0;
  SmallVector<int64_t> indices; ///< of the place that is looked at
  Svg *svg = nullptr;
};

} // namespace

std::string drawTiles(const ScheduledContraction &contraction) {
  return Picture(contraction).draw();
}

} // namespace mlir::tc
