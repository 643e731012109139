//===- Roofline.h - Rates over intensities ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The roofline of several levels of memory: a kernel has a point for each level
// that it moves bytes through, all at the height of its rate, and the level
// that is nearest to its slope binds (C. Yang et al., "Hierarchical Roofline
// Analysis for GPUs", arXiv:2009.05257).
//
//===----------------------------------------------------------------------===//

#ifndef TC_PAGES_ROOFLINE_H
#define TC_PAGES_ROOFLINE_H

#include <string>
#include <vector>

namespace mlir::tc {

/// A level of memory: a slope.
struct RoofSlope {
  std::string name;
  double bytesPerSecond = 0;
};

/// A unit that calculates: a level line.
struct RoofCeiling {
  std::string name;
  double perSecond = 0; ///< operations
};

enum class RoofMark { Floor, Predicted, Counted, Simulated };

/// What one time of a kernel is: a row of points of the same rate.
struct RoofRow {
  RoofMark mark = RoofMark::Counted;
  std::string label;     ///< "counted, 12.34 us"
  double perSecond = 0;  ///< operations
  double operations = 0; ///< in all
  /// That each level moves, by the number of the slope; 0: none.
  std::vector<double> bytes;
};

struct Roofline {
  std::vector<RoofSlope> slopes;
  std::vector<RoofCeiling> ceilings;
  std::vector<RoofRow> rows;
};

/// The picture as SVG, both axes logarithmic; empty where there is no row.
std::string drawRoofline(const Roofline &roofline);

} // namespace mlir::tc

#endif // TC_PAGES_ROOFLINE_H
