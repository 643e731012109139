//===- TileSection.cpp - How a block's tile is laid out -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page/Sections.h"
#include "Page/TilePicture.h"

#include "tc/Pages/Quantity.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mlir::tc {

/// "k 8 x m 128": the dimensions of a tile, outermost first.
static std::string formatDims(const ScheduledContraction &contraction,
                              const StagedInput &input) {
  SmallVector<std::string> dims;
  for (const TileDim &dim : input.dims)
    dims.push_back(contraction.access.names[dim.iterator] + " " +
                   std::to_string(dim.size));
  return dims.empty() ? "1" : llvm::join(dims, " \u00d7 ");
}

/// Elements from the first to the last of a tile in shared memory, gaps too.
static int64_t countSpan(const StagedInput &input) {
  int64_t span = 1;
  for (auto [dim, stride] : llvm::zip(input.dims, input.strides))
    span += (dim.size - 1) * stride;
  return span;
}

static std::vector<HtmlCell> makeRow(const ScheduledContraction &contraction,
                                     unsigned k, const StagedInput &input) {
  std::string dims = formatDims(contraction, input);
  if (input.isInPlace())
    return {std::to_string(k),
            dims,
            "each thread reads it where it lies in global memory",
            "",
            "",
            ""};
  SmallVector<std::string> strides;
  for (int64_t stride : input.strides)
    strides.push_back(std::to_string(stride));
  int64_t bytes = countSpan(input) * contraction.access.inputs[k].bytes;
  std::string way = "copied to shared memory";
  if (input.chunk > 1)
    way += llvm::formatv(", {0} elements at a time", input.chunk);
  int64_t stages = contraction.plan.stages;
  return {std::to_string(k),
          dims,
          way,
          llvm::join(strides, ", "),
          std::to_string(stages),
          std::to_string(bytes * stages)};
}

std::string writeTiles(const ScheduledContraction &contraction) {
  std::vector<std::vector<HtmlCell>> rows;
  for (auto [k, input] : llvm::enumerate(contraction.inputs))
    rows.push_back(makeRow(contraction, k, input));
  return "<h3>How it is tiled</h3>\n<figure class=\"tiles\">\n" +
         drawTiles(contraction) +
         "</figure>\n<p class=\"help\">A block computes one tile of the "
         "result. In each step it takes a tile of each input. Dimensions are "
         "listed outermost first; strides in shared memory are in elements."
         "</p>\n" +
         formatTable({{"input", HtmlContent::Text},
                      {"tile of a step", HtmlContent::Text},
                      {"way to the threads", HtmlContent::Text},
                      {"strides"},
                      {"buffers"},
                      {"bytes of shared memory"}},
                     rows);
}

} // namespace mlir::tc
