//===- TensorCases.h - Tensors to copy --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes, pixels and reductions against a model; requirements of tensor maps.
//
//===----------------------------------------------------------------------===//
//
// Kernels with a tensor map, and tensors with boxes of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_BULK_TENSORCASES_H
#define TC_TEST_UNIT_EMULATOR_BULK_TENSORCASES_H

#include "Bulk/BulkHarness.h"
#include "Bulk/TensorModel.h"

namespace tc::emulator::test {

using Element = TensorMap::Element;

/// A tensor map as a kernel gets it.
struct alignas(64) MapBytes {
  char bytes[TensorMap::bytes];
};

constexpr unsigned tileBytes = 16384;

/// A kernel k(map, buffer) of 128 threads whose body begins on line 6;
/// `copyOut` moves the tile to the buffer, `copyIn` the buffer to the tile.
inline std::string makeKernel(const std::string &body,
                              const std::string &directives = "") {
  return ".version 8.6\n.target sm_90a\n.address_size 64\n\n"
         ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 "
         "buffer) " +
         directives +
         " { .reg .pred %p<8>; .reg .b16 %h<8>; .reg .b32 %i<32>; .reg .b64 "
         "%q<16>; .shared .align 1024 .b8 tile[" +
         std::to_string(tileBytes) +
         "]; .shared .align 8 .b64 bars[4]; mov.b64 %q1, map; "
         "cvta.param.u64 %q1, %q1; ld.param.u64 %q2, [buffer]; mov.u32 %i1, "
         "%tid.x; setp.eq.u32 %p1, %i1, 0; mov.u32 %i2, tile; mov.u32 %i4, "
         "bars; shl.b32 %i3, %i1, 2; cvt.u64.u32 %q3, %i3; add.u64 %q3, %q2, "
         "%q3; add.u32 %i3, %i2, %i3; mov.u32 %i9, %cluster_ctarank;\n" +
         body + "\nret;\n}\n";
}

/// Each thread moves its words of the tile.
inline std::string loopOver(const std::string &label, const std::string &body) {
  return "mov.u32 %i20, 0;\n$" + label +
         ": cvt.u64.u32 %q10, %i20;\nadd.u64 %q10, %q10, %q3;\nadd.u32 %i21, "
         "%i20, %i3;\n" +
         body + "add.u32 %i20, %i20, 512;\nsetp.lt.u32 %p5, %i20, " +
         std::to_string(tileBytes) + ";\n@%p5 bra $" + label + ";\n";
}
inline const std::string copyOut =
    loopOver("out", "ld.shared.b32 %i22, [%i21];\n"
                    "st.global.b32 [%q10], %i22;\n");
inline const std::string copyIn =
    loopOver("in", "ld.global.b32 %i22, [%q10];\n"
                   "st.shared.b32 [%i21], %i22;\n");

inline std::string join(const Index &index, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(index[i]);
  return "{" + text + "}";
}

inline const std::string init = "@%p1 mbarrier.init.shared::cta.b64 [%i4], 1;\n"
                                "fence.proxy.async;\nbar.sync 0;\n";

struct TensorCase {
  const char *name;
  Element element;
  std::vector<uint64_t> extents;
  std::vector<uint32_t> box;
  std::vector<int64_t> at;
  unsigned swizzle = 0;
  std::vector<uint32_t> steps = {};
  bool fillsNan = false;
  // Of im2col; `box` is channels and pixels.
  std::vector<int32_t> lower = {}, upper = {};
  std::vector<int64_t> offsets = {};

  bool isIm2col() const { return !lower.empty(); }
  Index getStart() const {
    Index start{};
    std::copy(at.begin(), at.end(), start.begin());
    return start;
  }
  Index getOffsets() const {
    Index all{};
    std::copy(offsets.begin(), offsets.end(), all.begin());
    return all;
  }
  TensorMap makeMap() const {
    TensorMap map;
    map.element = element;
    map.rank = extents.size();
    map.swizzle = swizzle;
    map.fillsNan = fillsNan;
    std::copy(extents.begin(), extents.end(), map.extents.begin());
    std::copy(steps.begin(), steps.end(), map.steps.begin());
    // Rows with a gap of up to 31 bytes.
    uint64_t stride = extents[0] * map.getElementBytes();
    for (unsigned i = 0; i + 1 < map.rank; ++i) {
      stride = llvm::alignTo<16>(stride) + 16;
      map.strides[i] = stride;
      stride *= extents[i + 1];
    }
    if (!isIm2col()) {
      std::copy(box.begin(), box.end(), map.box.begin());
      return map;
    }
    map.kind = TensorMap::Kind::Im2col;
    map.channels = box[0];
    map.pixels = box[1];
    std::copy(lower.begin(), lower.end(), map.lower.begin());
    std::copy(upper.begin(), upper.end(), map.upper.begin());
    return map;
  }
  uint64_t getTensorBytes(const TensorMap &map) const {
    return map.rank == 1 ? llvm::alignTo<16>(extents[0] * map.getElementBytes())
                         : map.strides[map.rank - 2] * extents[map.rank - 1];
  }
  void
  forElements(const TensorMap &map,
              const std::function<void(const Index &, uint64_t)> &body) const {
    if (isIm2col())
      forPixels(map, getStart(), getOffsets(), body);
    else
      forTile(map, getStart(), body);
  }
};

inline const TensorCase cases[] = {
    {"OneDimension", Element::U8, {64}, {64}, {0}},
    {"OneDimensionBeyondTheEnd", Element::F32, {50}, {32}, {40}},
    {"BeforeTheBegin", Element::F32, {50}, {32}, {-7}},
    {"WhollyOutside", Element::F32, {50, 4}, {16, 4}, {3, 9}},
    {"TwoDimensions", Element::U16, {40, 20}, {16, 8}, {8, 4}},
    {"Corner", Element::U16, {40, 20}, {16, 8}, {35, 15}},
    {"NegativeCorner", Element::F64, {10, 10}, {4, 6}, {-2, -3}},
    {"NegativeCornerNan",
     Element::F64,
     {10, 10},
     {4, 6},
     {-2, -3},
     0,
     {},
     true},
    {"Nan16", Element::BF16, {40, 20}, {16, 8}, {35, 15}, 0, {}, true},
    {"Nan32", Element::F32, {40, 20}, {16, 8}, {35, 15}, 0, {}, true},
    {"ThreeDimensions", Element::S32, {20, 6, 5}, {8, 3, 4}, {4, 5, 2}},
    {"FourDimensions", Element::U64, {6, 5, 4, 3}, {4, 3, 2, 2}, {1, 1, 1, 1}},
    {"FiveDimensions",
     Element::S64,
     {6, 4, 4, 3, 3},
     {2, 2, 2, 2, 3},
     {1, 1, 1, 1, 1}},
    {"Steps", Element::F16, {64, 40, 9}, {16, 15, 5}, {8, 3, 1}, 0, {1, 2, 3}},
    {"StepsBeyond", Element::F16, {64, 20}, {16, 24}, {8, 3}, 0, {1, 5}},
    {"Swizzle128", Element::F16, {256, 80}, {64, 40}, {64, 8}, 3},
    {"Swizzle128Beyond", Element::F16, {100, 30}, {64, 40}, {60, 8}, 3},
    {"Swizzle64", Element::F32, {64, 40}, {16, 24}, {16, 3}, 2},
    {"Swizzle32", Element::U8, {200, 40, 3}, {32, 10, 3}, {19, 3, 1}, 1},
    {"Swizzle128Inner", Element::F32, {64, 9, 9}, {32, 8, 4}, {-5, 2, 3}, 3},
    // PTX ISA, section 5.5.4.1: the two examples, with fewer channels.
    {"Im2col1",
     Element::F16,
     {16, 9, 14, 10},
     {8, 64},
     {0, 4, 7, 7},
     0,
     {},
     false,
     {-1, -1},
     {-1, -1},
     {0, 0}},
    {"Im2col2",
     Element::F16,
     {16, 9, 14, 10},
     {8, 64},
     {0, 4, 7, 7},
     0,
     {},
     false,
     {0, 0},
     {-2, -2},
     {2, 2}},
    {"Im2colSteps",
     Element::F16,
     {16, 8, 14, 10},
     {16, 32},
     {0, 5, 7, 7},
     0,
     {1, 2, 2, 1},
     false,
     {-1, -1},
     {-1, -1},
     {1, 1}},
    {"Im2colLine",
     Element::F32,
     {8, 20, 6},
     {8, 30},
     {0, 12, 2},
     0,
     {},
     false,
     {-2},
     {1},
     {3}},
    {"Im2colVolume",
     Element::F32,
     {8, 4, 4, 4, 3},
     {4, 50},
     {4, 1, 2, 0, 1},
     0,
     {},
     false,
     {-1, 0, -1},
     {-1, -1, 0},
     {0, 1, 1}},
    {"Im2colSwizzle",
     Element::F16,
     {64, 9, 9, 3},
     {64, 70},
     {0, -1, -1, 0},
     3,
     {},
     false,
     {-1, -1},
     {-1, -1},
     {1, 0}},
};

inline std::string runTensor(const std::string &text, const MapBytes &map,
                             Device &device, char *buffer,
                             LaunchOptions options, unsigned blocks = 1) {
  device.module->setOptions(options);
  return device.run("k", {blocks, 1, 1}, {128, 1, 1}, 0, map, buffer);
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_BULK_TENSORCASES_H
