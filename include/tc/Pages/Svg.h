//===- Svg.h - Pictures of lines, boxes and text ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One picture as SVG, which is part of a page or a file by itself: it has no
// rules of style but attributes. Lengths are in pixels, y grows downwards.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PAGES_SVG_H
#define TC_PAGES_SVG_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <utility>

namespace mlir::tc {

/// Where a text is to the place that it is given.
enum class Anchor { Start, Middle, End };

struct SvgLine {
  llvm::StringRef color = "#1c2126";
  double width = 1;
  llvm::StringRef dashes = ""; ///< "4 3"; empty: none
};

class Svg {
public:
  /// Colours of text and of what is less important.
  static constexpr llvm::StringLiteral ink = "#1c2126", dim = "#5c6670",
                                       rule = "#dfe3e8";
  /// Of text; nothing is smaller than 11.
  static constexpr double fontSize = 12;

  /// `title` says what is seen to those who do not see it.
  Svg(double width, double height, llvm::StringRef title);

  void addRect(double x, double y, double width, double height,
               llvm::StringRef fill, llvm::StringRef stroke = "none",
               llvm::StringRef dashes = "");
  void addLine(double x1, double y1, double x2, double y2,
               SvgLine line = SvgLine());
  void addCircle(double x, double y, double radius, llvm::StringRef fill,
                 llvm::StringRef stroke);
  void addPolygon(llvm::ArrayRef<std::pair<double, double>> corners,
                  llvm::StringRef fill, llvm::StringRef stroke);
  /// `y` is the base line; `angle` turns the text clockwise around its place.
  void addText(double x, double y, llvm::StringRef text,
               Anchor anchor = Anchor::Start, llvm::StringRef color = ink,
               double size = fontSize, double angle = 0);

  /// The element `svg`, which is a whole file, too.
  std::string str() const;

private:
  std::string head, body;
};

} // namespace mlir::tc

#endif // TC_PAGES_SVG_H
