//===- Roofline.cpp - Rates over intensities ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pages/Roofline.h"

#include "tc/Pages/Quantity.h"
#include "tc/Pages/Svg.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace mlir::tc {

namespace {

constexpr double width = 1160, height = 520;
constexpr double left = 90, right = 860, top = 20, bottom = 410;
/// Of slopes, in turn.
constexpr StringLiteral colors[] = {"#1f5fae", "#0f8a6d", "#c2580a", "#7a3fa0"};
/// Between the labels of rows.
constexpr double labelHeight = 17;
/// Room on an axis beyond the values on it, as a factor, and the least ratio of
/// its ends.
constexpr double room = 1.8, leastRange = 30;

/// One axis: from the first value to the last.
struct LogAxis {
  double first, last, start, end;

  double place(double value) const {
    return start +
           std::log(value / first) / std::log(last / first) * (end - start);
  }
  double getValue(double place) const {
    return first * std::pow(last / first, (place - start) / (end - start));
  }
  /// Values with a grid line: 1, 2 and 5 of each decade where there are few.
  std::vector<double> getTicks() const {
    std::vector<double> ticks;
    bool hasFew = last / first < 2000;
    for (double decade = std::pow(10, std::floor(std::log10(first)));
         decade <= last; decade *= 10)
      for (double digit : {1, 2, 5})
        if ((digit == 1 || hasFew) && digit * decade >= first &&
            digit * decade <= last)
          ticks.push_back(digit * decade);
    return ticks;
  }
};

/// Round `values`, which are positive.
LogAxis makeAxis(ArrayRef<double> values, double start, double end) {
  double first = *llvm::min_element(values) / room;
  double last = *llvm::max_element(values) * room;
  return {std::min(first, last / leastRange), last, start, end};
}

class Plot {
public:
  explicit Plot(const Roofline &roofline)
      : roofline(roofline), svg(width, height, "roofline") {
    std::vector<double> intensities, rates;
    for (const RoofRow &row : roofline.rows) {
      rates.push_back(row.perSecond);
      for (double bytes : row.bytes)
        if (bytes > 0)
          intensities.push_back(row.operations / bytes);
    }
    for (const RoofCeiling &ceiling : roofline.ceilings) {
      rates.push_back(ceiling.perSecond);
      // Where the slopes reach it.
      for (const RoofSlope &slope : roofline.slopes)
        intensities.push_back(ceiling.perSecond / slope.bytesPerSecond);
    }
    x = makeAxis(intensities, left, right);
    y = makeAxis(rates, bottom, top);
  }

  std::string draw() {
    drawAxes();
    drawSlopes();
    drawCeilings();
    drawRows();
    drawLegend();
    return svg.str();
  }

private:
  void drawAxes() {
    for (double tick : x.getTicks()) {
      double at = x.place(tick);
      svg.addLine(at, top, at, bottom, {Svg::rule});
      svg.addText(at, bottom + 18, formatQuantity(tick, ""), Anchor::Middle,
                  Svg::dim);
    }
    for (double tick : y.getTicks()) {
      double at = y.place(tick);
      svg.addLine(left, at, right, at, {Svg::rule});
      svg.addText(left - 8, at + 4, formatQuantity(tick, "op/s"), Anchor::End,
                  Svg::dim);
    }
    svg.addRect(left, top, right - left, bottom - top, "none", Svg::dim);
    svg.addText((left + right) / 2, bottom + 42,
                "operations for each byte that the level moves",
                Anchor::Middle);
  }

  double getTop() const {
    double most = 0;
    for (const RoofCeiling &ceiling : roofline.ceilings)
      most = std::max(most, ceiling.perSecond);
    return most > 0 ? most : y.last;
  }

  /// Each slope up to the highest ceiling, its name along it near its low end.
  void drawSlopes() {
    double pixelsX = (right - left) / std::log(x.last / x.first);
    double pixelsY = (bottom - top) / std::log(y.last / y.first);
    double angle = -std::atan2(pixelsY, pixelsX) * 180 / numbers::pi;
    for (auto [i, slope] : enumerate(roofline.slopes)) {
      double low = std::max(x.first, y.first / slope.bytesPerSecond);
      double high = std::min(getTop() / slope.bytesPerSecond, x.last);
      if (high <= low)
        continue;
      svg.addLine(x.place(low), y.place(low * slope.bytesPerSecond),
                  x.place(high), y.place(high * slope.bytesPerSecond),
                  {colors[i % std::size(colors)], 1.5});
      // Above the line, beside its lower end.
      double at = x.getValue(x.place(low) + 14);
      double turn = angle * numbers::pi / 180;
      svg.addText(
          x.place(at) + 5 * std::sin(turn),
          y.place(at * slope.bytesPerSecond) - 5 * std::cos(turn),
          slope.name + " " + formatQuantity(slope.bytesPerSecond, "B/s"),
          Anchor::Start, colors[i % std::size(colors)], Svg::fontSize, angle);
    }
  }

  void drawCeilings() {
    double steepest = 0;
    for (const RoofSlope &slope : roofline.slopes)
      steepest = std::max(steepest, slope.bytesPerSecond);
    for (const RoofCeiling &ceiling : roofline.ceilings) {
      double at = y.place(ceiling.perSecond);
      double from = steepest > 0
                        ? std::max(x.place(ceiling.perSecond / steepest), left)
                        : left;
      svg.addLine(from, at, right, at, {Svg::ink, 1.5});
      svg.addText(from + 30, at - 6,
                  ceiling.name + " " +
                      formatQuantity(ceiling.perSecond, "op/s"));
    }
  }

  /// A mark with `size` from its middle to its border.
  void drawMark(RoofMark mark, double at, double level, StringRef color,
                double size = 5) {
    double far = size + 1;
    switch (mark) {
    case RoofMark::Floor:
      return svg.addPolygon({{at, level - far},
                             {at + far, level},
                             {at, level + far},
                             {at - far, level}},
                            "#fff", color);
    case RoofMark::Predicted:
      return svg.addCircle(at, level, size, "#fff", color);
    case RoofMark::Counted:
      return svg.addCircle(at, level, size, color, "#fff");
    case RoofMark::Simulated:
      return svg.addPolygon({{at, level - far},
                             {at + far, level + size},
                             {at - far, level + size}},
                            color, "#fff");
    }
  }

  /// The points of a row, the first level on top of others. A point around
  /// which others lie is larger, so that all are seen.
  void drawPoints(const RoofRow &row, double level) {
    SmallVector<double> places;
    for (double bytes : row.bytes)
      places.push_back(bytes > 0 ? x.place(row.operations / bytes) : NAN);
    for (size_t i = places.size(); i-- != 0;) {
      if (std::isnan(places[i]))
        continue;
      auto isNear = [&](double other) {
        return std::abs(other - places[i]) < 4;
      };
      size_t covered = llvm::count_if(ArrayRef(places).take_front(i), isNear);
      drawMark(row.mark, places[i], level, colors[i % std::size(colors)],
               5 + 3 * double(covered));
    }
  }

  /// Rows by falling rate, their labels beside the plot at heights of their
  /// own, with a line to what they name.
  void drawRows() {
    std::vector<const RoofRow *> rows;
    for (const RoofRow &row : roofline.rows)
      rows.push_back(&row);
    llvm::sort(rows, [](const RoofRow *a, const RoofRow *b) {
      return a->perSecond > b->perSecond;
    });
    double free = top;
    for (const RoofRow *row : rows) {
      double level = y.place(row->perSecond), last = left;
      double label = std::max(level, free);
      free = label + labelHeight;
      for (double bytes : row->bytes)
        if (bytes > 0)
          last = std::max(last, x.place(row->operations / bytes));
      svg.addLine(last, level, right, level, {Svg::dim, 0.8, "2 3"});
      svg.addLine(right, level, right + 14, label, {Svg::dim, 0.8});
      drawPoints(*row, level);
      svg.addText(right + 18, label + 4, row->label);
    }
  }

  /// What colours and marks mean, below the plot: a line for either.
  void drawLegend() {
    static constexpr std::pair<RoofMark, StringLiteral> marks[] = {
        {RoofMark::Floor, "floor: each element moved once"},
        {RoofMark::Predicted, "predicted"},
        {RoofMark::Counted, "counted, as if nothing waited"},
        {RoofMark::Simulated, "simulated over what is counted"}};
    double at = left + 6;
    for (const auto &[mark, meaning] : marks) {
      auto has = [mark = mark](const RoofRow &row) { return row.mark == mark; };
      if (none_of(roofline.rows, has))
        continue;
      drawMark(mark, at, bottom + 70, Svg::dim);
      svg.addText(at + 14, bottom + 74, meaning, Anchor::Start, Svg::dim);
      at += 235;
    }
    at = left;
    for (auto [i, slope] : enumerate(roofline.slopes)) {
      svg.addRect(at, bottom + 87, 10, 10, colors[i % std::size(colors)]);
      svg.addText(at + 20, bottom + 96, "bytes of " + slope.name, Anchor::Start,
                  Svg::dim);
      at += 235;
    }
  }

  const Roofline &roofline;
  Svg svg;
  LogAxis x, y;
};

} // namespace

std::string drawRoofline(const Roofline &roofline) {
  bool hasPoint = any_of(roofline.rows, [](const RoofRow &row) {
    return row.perSecond > 0 &&
           any_of(row.bytes, [](double bytes) { return bytes > 0; });
  });
  return hasPoint ? Plot(roofline).draw() : "";
}

} // namespace mlir::tc
