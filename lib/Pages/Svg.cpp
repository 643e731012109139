//===- Svg.cpp - Pictures of lines, boxes and text ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pages/Svg.h"

#include "tc/Pages/Html.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace mlir::tc {

/// A length, to a tenth of a pixel, without digits that say nothing.
static std::string px(double length) {
  std::string digits = formatv("{0:f1}", length);
  StringRef text = digits;
  text.consume_back(".0");
  return text == "-0" ? "0" : text.str();
}

/// Of a stroke, each with a space before it.
static std::string formatStroke(StringRef stroke, StringRef dashes) {
  std::string attributes;
  if (stroke != "none")
    attributes += (" stroke=\"" + stroke + "\"").str();
  if (!dashes.empty())
    attributes += (" stroke-dasharray=\"" + dashes + "\"").str();
  return attributes;
}

Svg::Svg(double width, double height, StringRef title) {
  head = formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                 "height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\" "
                 "font-family=\"system-ui, sans-serif\" font-size=\"{2}\">\n"
                 "<title>{3}</title>\n",
                 px(width), px(height), px(fontSize), escapeHtml(title));
  // Pictures are dark on light, whatever the page around them is.
  addRect(0, 0, width, height, "#fff");
}

void Svg::addRect(double x, double y, double width, double height,
                  StringRef fill, StringRef stroke, StringRef dashes) {
  body += formatv("<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" "
                  "fill=\"{4}\"{5}/>\n",
                  px(x), px(y), px(width), px(height), fill,
                  formatStroke(stroke, dashes));
}

void Svg::addLine(double x1, double y1, double x2, double y2, SvgLine line) {
  body += formatv("<line x1=\"{0}\" y1=\"{1}\" x2=\"{2}\" y2=\"{3}\" "
                  "stroke-width=\"{4}\"{5}/>\n",
                  px(x1), px(y1), px(x2), px(y2), px(line.width),
                  formatStroke(line.color, line.dashes));
}

void Svg::addCircle(double x, double y, double radius, StringRef fill,
                    StringRef stroke) {
  body += formatv("<circle cx=\"{0}\" cy=\"{1}\" r=\"{2}\" fill=\"{3}\" "
                  "stroke-width=\"1.5\"{4}/>\n",
                  px(x), px(y), px(radius), fill, formatStroke(stroke, ""));
}

void Svg::addPolygon(ArrayRef<std::pair<double, double>> corners,
                     StringRef fill, StringRef stroke) {
  body += "<polygon points=\"";
  for (const auto &[x, y] : corners)
    body += px(x) + "," + px(y) + " ";
  body += formatv("\" fill=\"{0}\" stroke-width=\"1.5\"{1}/>\n", fill,
                  formatStroke(stroke, ""));
}

void Svg::addText(double x, double y, StringRef text, Anchor anchor,
                  StringRef color, double size, double angle) {
  body +=
      formatv("<text x=\"{0}\" y=\"{1}\" fill=\"{2}\"", px(x), px(y), color);
  if (anchor != Anchor::Start)
    body += anchor == Anchor::Middle ? " text-anchor=\"middle\""
                                     : " text-anchor=\"end\"";
  if (size != fontSize)
    body += " font-size=\"" + px(size) + "\"";
  if (angle != 0)
    body +=
        formatv(" transform=\"rotate({0} {1} {2})\"", px(angle), px(x), px(y));
  body += ">" + escapeHtml(text) + "</text>\n";
}

std::string Svg::str() const { return head + body + "</svg>\n"; }

} // namespace mlir::tc
