//===- TensorCopyTest.cpp - Bulk copies of tensors ------------------------===//
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

#include "Bulk/BulkHarness.h"
#include "Bulk/TensorModel.h"

#include <random>

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;
using Element = TensorMap::Element;

namespace {

/// A tensor map as a kernel gets it.
struct alignas(64) MapBytes {
  char bytes[TensorMap::bytes];
};

constexpr unsigned tileBytes = 16384;

/// A kernel k(map, buffer) of 128 threads whose body begins on line 6;
/// `copyOut` moves the tile to the buffer, `copyIn` the buffer to the tile.
std::string makeKernel(const std::string &body,
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
std::string loopOver(const std::string &label, const std::string &body) {
  return "mov.u32 %i20, 0;\n$" + label +
         ": cvt.u64.u32 %q10, %i20;\nadd.u64 %q10, %q10, %q3;\nadd.u32 %i21, "
         "%i20, %i3;\n" +
         body + "add.u32 %i20, %i20, 512;\nsetp.lt.u32 %p5, %i20, " +
         std::to_string(tileBytes) + ";\n@%p5 bra $" + label + ";\n";
}
const std::string copyOut = loopOver("out", "ld.shared.b32 %i22, [%i21];\n"
                                            "st.global.b32 [%q10], %i22;\n");
const std::string copyIn = loopOver("in", "ld.global.b32 %i22, [%q10];\n"
                                          "st.shared.b32 [%i21], %i22;\n");

std::string join(const Index &index, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", " : "") + std::to_string(index[i]);
  return "{" + text + "}";
}

const std::string init = "@%p1 mbarrier.init.shared::cta.b64 [%i4], 1;\n"
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

const TensorCase cases[] = {
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

/// What stands for an element that is not there.
uint64_t getFill(const TensorMap &map) {
  if (!map.fillsNan)
    return 0;
  return map.getElementBytes() == 8   ? 0x7ff8000000000000
         : map.getElementBytes() == 4 ? 0x7fffffff
                                      : 0x7fff;
}

std::vector<char> makeBytes(uint64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<char> bytes(count);
  for (char &byte : bytes)
    byte = char(random());
  return bytes;
}

std::string runTensor(const std::string &text, const MapBytes &map,
                      Device &device, char *buffer, LaunchOptions options,
                      unsigned blocks = 1) {
  device.module->setOptions(options);
  return device.run("k", {blocks, 1, 1}, {128, 1, 1}, 0, map, buffer);
}

std::string dimensions(const TensorCase &test) {
  return std::to_string(test.extents.size()) + "d";
}

TEST(TensorCopy, Loads) {
  for (const TensorCase &test : cases) {
    SCOPED_TRACE(test.name);
    TensorMap map = test.makeMap();
    std::string bytes = std::to_string(map.getBoxBytes());
    std::string text = makeKernel(
        loopOver("clear", "st.shared.b32 [%i21], 0x55555555;\n") + init +
        "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], " + bytes +
        ";\n@%p1 cp.async.bulk.tensor." + dimensions(test) +
        ".shared::cluster.global." + (test.isIm2col() ? "im2col" : "tile") +
        ".mbarrier::complete_tx::bytes [%i2], [%q1, " +
        join(test.getStart(), map.rank) + "], [%i4]" +
        (test.isIm2col() ? ", " + join(test.getOffsets(), map.rank - 2) : "") +
        ";\n" + waitFor("w", "%i4", "0") + copyOut);
    for (const LaunchOptions &options : getAllOptions()) {
      if (options.schedule.seed > 2)
        continue;
      Device device(text, Effort::Quick);
      ASSERT_TRUE(device.module) << text;
      std::vector<char> tensor = makeBytes(test.getTensorBytes(map), 1);
      DeviceArray<char> in(device.memory, tensor),
          out(device.memory, std::vector<char>(tileBytes));
      map.address = reinterpret_cast<uint64_t>(in.get());
      EXPECT_EQ(map.findFault(), "");
      MapBytes held;
      map.encode(held.bytes);
      EXPECT_EQ(runTensor(text, held, device, out.get(), options), "");
      std::vector<char> expected(tileBytes, 0x55), got = out.values();
      uint64_t size = map.getElementBytes(), fill = getFill(map);
      test.forElements(map, [&](const Index &index, uint64_t offset) {
        std::optional<uint64_t> at = findElement(map, index);
        std::memcpy(expected.data() + placeChunk(offset, map.swizzle),
                    at ? tensor.data() + *at
                       : reinterpret_cast<const char *>(&fill),
                    size);
      });
      EXPECT_EQ(got, expected);
    }
  }
}

TEST(TensorCopy, Stores) {
  for (const TensorCase &test : cases) {
    // Pixels that offsets move are for loads alone.
    bool isMoved = llvm::any_of(test.offsets, [](int64_t o) { return o != 0; });
    if (isMoved || test.fillsNan)
      continue;
    SCOPED_TRACE(test.name);
    TensorMap map = test.makeMap();
    std::string text = makeKernel(
        copyIn +
        "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
        "@%p1 cp.async.bulk.tensor." +
        dimensions(test) + ".global.shared::cta." +
        (test.isIm2col() ? "im2col_no_offs" : "tile") + ".bulk_group [%q1, " +
        join(test.getStart(), map.rank) +
        "], [%i2];\n@%p1 cp.async.bulk.commit_group;\n@%p1 cp.async.bulk."
        "wait_group.read 0;\n");
    for (const LaunchOptions &options : getAllOptions()) {
      if (options.schedule.seed > 2)
        continue;
      Device device(text, Effort::Quick);
      ASSERT_TRUE(device.module) << text;
      std::vector<char> tile = makeBytes(tileBytes, 2);
      std::vector<char> expected = makeBytes(test.getTensorBytes(map), 3);
      DeviceArray<char> tensor(device.memory, expected),
          in(device.memory, tile);
      map.address = reinterpret_cast<uint64_t>(tensor.get());
      MapBytes held;
      map.encode(held.bytes);
      EXPECT_EQ(runTensor(text, held, device, in.get(), options), "");
      test.forElements(map, [&](const Index &index, uint64_t offset) {
        if (std::optional<uint64_t> at = findElement(map, index))
          std::memcpy(expected.data() + *at,
                      tile.data() + placeChunk(offset, map.swizzle),
                      map.getElementBytes());
      });
      EXPECT_EQ(tensor.values(), expected);
    }
  }
}

TEST(TensorCopy, ReducesWhatIsInside) {
  TensorCase test{"", Element::U32, {40, 20}, {16, 8}, {35, 15}};
  TensorMap map = test.makeMap();
  std::string text = makeKernel(
      copyIn +
      "fence.proxy.async;\nbar.sync 0;\n"
      "@%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile."
      "bulk_group [%q1, {35, 15}], [%i2];\n"
      "@%p1 cp.async.bulk.commit_group;\n"
      "@%p1 cp.async.bulk.wait_group 0;\n");
  for (const LaunchOptions &options : getAllOptions()) {
    Device device(text, Effort::Quick);
    std::vector<char> tile = makeBytes(tileBytes, 2);
    std::vector<char> expected = makeBytes(test.getTensorBytes(map), 3);
    DeviceArray<char> tensor(device.memory, expected), in(device.memory, tile);
    map.address = reinterpret_cast<uint64_t>(tensor.get());
    MapBytes held;
    map.encode(held.bytes);
    EXPECT_EQ(runTensor(text, held, device, in.get(), options, 3), "");
    test.forElements(map, [&](const Index &index, uint64_t offset) {
      std::optional<uint64_t> at = findElement(map, index);
      if (!at)
        return;
      uint32_t x, y;
      std::memcpy(&x, expected.data() + *at, 4);
      std::memcpy(&y, tile.data() + offset, 4);
      x += 3 * y;
      std::memcpy(expected.data() + *at, &x, 4);
    });
    EXPECT_EQ(tensor.values(), expected);
  }
}

/// Both blocks get what each loads a half of.
TEST(TensorCopy, Multicast) {
  TensorCase test{"", Element::F32, {32, 32}, {32, 16}, {0, 0}, 3};
  TensorMap map = test.makeMap();
  std::string text = makeKernel(
      init +
          "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], 4096;\n"
          "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
          "shl.b32 %i10, %i9, 4;\nshl.b32 %i11, %i9, 11;\nadd.u32 %i11, %i11, "
          "%i2;\nmov.b16 %h1, 3;\n"
          "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
          "complete_tx::bytes.multicast::cluster [%i11], [%q1, {0, %i10}], "
          "[%i4], %h1;\n" +
          waitFor("w", "%i4", "0") +
          "mul.wide.u32 %q11, %i9, 4096;\nadd.u64 %q3, %q3, %q11;\n"
          "mov.u32 %i20, 0;\n$out: cvt.u64.u32 %q10, %i20;\nadd.u64 %q10, "
          "%q10, "
          "%q3;\nadd.u32 %i21, %i20, %i3;\nld.shared.b32 %i22, [%i21];\n"
          "st.global.b32 [%q10], %i22;\nadd.u32 %i20, %i20, 512;\n"
          "setp.lt.u32 %p5, %i20, 4096;\n@%p5 bra $out;\n",
      ".reqnctapercluster 2");
  for (const LaunchOptions &options : getAllOptions()) {
    Device device(text, Effort::Quick);
    ASSERT_TRUE(device.module) << text;
    std::vector<char> tensor = makeBytes(test.getTensorBytes(map), 1);
    DeviceArray<char> in(device.memory, tensor),
        out(device.memory, std::vector<char>(8192));
    map.address = reinterpret_cast<uint64_t>(in.get());
    MapBytes held;
    map.encode(held.bytes);
    EXPECT_EQ(runTensor(text, held, device, out.get(), options, 2), "");
    std::vector<char> expected(8192);
    TensorMap whole = map;
    whole.box[1] = 32;
    forTile(whole, {}, [&](const Index &index, uint64_t offset) {
      for (uint64_t block : {0, 4096})
        std::memcpy(expected.data() + block + placeChunk(offset, 3),
                    tensor.data() + *findElement(map, index), 4);
    });
    EXPECT_EQ(out.values(), expected);
  }
}

/// Numbers are rounded to tf32, and subnormal ones flushed, on the way in.
TEST(TensorCopy, TypesThatChangeNumbers) {
  struct Case {
    Element element;
    uint32_t in, out;
  };
  const Case numbers[] = {
      {Element::F32, 0x00000001, 0x00000001},
      {Element::F32Ftz, 0x80000001, 0x80000000},
      {Element::F32Ftz, 0x3f800001, 0x3f800001},
      {Element::TF32, 0x3f801000, 0x3f802000},
      {Element::TF32, 0x3f800fff, 0x3f800000},
      {Element::TF32, 0x7f800000, 0x7f800000},
      {Element::TF32Ftz, 0x00700000, 0x00000000},
  };
  for (const Case &number : numbers) {
    TensorCase test{"", number.element, {32}, {32}, {0}};
    TensorMap map = test.makeMap();
    std::string text = makeKernel(
        init +
        "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], 128;\n"
        "@%p1 cp.async.bulk.tensor.1d.shared::cta.global.tile.mbarrier::"
        "complete_tx::bytes [%i2], [%q1, {0}], [%i4];\n" +
        waitFor("w", "%i4", "0") +
        "setp.lt.u32 %p6, %i1, 32;\n@%p6 ld.shared.b32 %i22, [%i3];\n"
        "@%p6 st.global.b32 [%q3], %i22;\n");
    Device device(text, Effort::Quick);
    DeviceArray<uint32_t> in(device.memory,
                             std::vector<uint32_t>(32, number.in)),
        out(device.memory, std::vector<uint32_t>(32));
    map.address = reinterpret_cast<uint64_t>(in.get());
    MapBytes held;
    map.encode(held.bytes);
    EXPECT_EQ(
        runTensor(text, held, device, reinterpret_cast<char *>(out.get()), {}),
        "");
    EXPECT_EQ(out.values(), std::vector<uint32_t>(32, number.out));
  }
}

//===----------------------------------------------------------------------===//
// What is wrong with a map
//===----------------------------------------------------------------------===//

TEST(TensorCopy, Requirements) {
  TensorMap good =
      TensorCase{"", Element::F16, {64, 32, 8}, {64, 8, 2}, {}, 3}.makeMap();
  good.address = 0x1000;
  EXPECT_EQ(good.findFault(), "");
  TensorMap pixels = cases[20].makeMap();
  EXPECT_EQ(pixels.findFault(), "");
  struct Case {
    std::function<void(TensorMap &)> change;
    const char *fault;
  };
  const Case tiled[] = {
      {[](TensorMap &m) { m.rank = 0; }, "expected a rank from 1 to 5, got 0"},
      {[](TensorMap &m) { m.rank = 6; }, "expected a rank from 1 to 5, got 6"},
      {[](TensorMap &m) { m.rank = 2, m.interleave = 1; },
       "from 3 to 5, got 2"},
      {[](TensorMap &m) { m.element = Element(13); }, "from 0 to 12, got 13"},
      {[](TensorMap &m) { m.address = 0x1008; },
       "a multiple of 16, got 0x1008"},
      {[](TensorMap &m) {
         m.interleave = 2, m.swizzle = 1, m.address = 0x1010;
       },
       "a multiple of 32, got 0x1010"},
      {[](TensorMap &m) { m.extents[1] = 0; }, "globalDim[1] from 1 to 2^32"},
      {[](TensorMap &m) { m.extents[2] = (1ull << 32) + 1; },
       "globalDim[2] from 1 to 2^32, got 4294967297"},
      {[](TensorMap &m) { m.strides[0] = 136; }, "globalStrides[0] below 2^40"},
      {[](TensorMap &m) { m.strides[1] = 1ull << 40; },
       "globalStrides[1] below 2^40"},
      {[](TensorMap &m) { m.box[1] = 257; },
       "boxDim[1] from 1 to 256, got 257"},
      {[](TensorMap &m) { m.box[2] = 0; }, "boxDim[2] from 1 to 256, got 0"},
      {[](TensorMap &m) { m.box[0] = 12; },
       "boxDim[0] elements to be a multiple of 16 bytes, got 24"},
      {[](TensorMap &m) { m.box[0] = 72; },
       "boxDim[0] elements to be at most the 128 bytes of the swizzle, got "
       "144"},
      {[](TensorMap &m) { m.steps[1] = 9; }, "elementStrides[1] from 1 to 8"},
      {[](TensorMap &m) { m.steps[2] = 0; }, "elementStrides[2] from 1 to 8"},
      {[](TensorMap &m) { m.swizzle = 4; }, "a swizzle of sm_90"},
      {[](TensorMap &m) { m.interleave = 3; }, "an interleave from 0 to 2"},
      {[](TensorMap &m) { m.interleave = 2; }, "a swizzle of 32 bytes"},
      {[](TensorMap &m) { m.promotion = 4; }, "an L2 promotion from 0 to 3"},
      {[](TensorMap &m) { m.element = Element::U16, m.fillsNan = true; },
       "a floating-point type for a fill with NaN"},
  };
  for (const Case &test : tiled) {
    TensorMap map = good;
    test.change(map);
    EXPECT_THAT(map.findFault(), HasSubstr(test.fault));
  }
  // The innermost step does not count.
  good.steps[0] = 0;
  EXPECT_EQ(good.findFault(), "");
  const Case im2col[] = {
      {[](TensorMap &m) { m.rank = 2; }, "a rank from 3 to 5, got 2"},
      {[](TensorMap &m) { m.lower[0] = -129; }, "from -128 to 127, got -129"},
      {[](TensorMap &m) { m.rank = 5, m.upper[2] = 16; },
       "from -16 to 15, got 16"},
      {[](TensorMap &m) { m.lower[1] = 20; }, "a pixel box that is not empty"},
      {[](TensorMap &m) { m.channels = 257; }, "from 1 to 256, got 257"},
      {[](TensorMap &m) { m.pixels = 1025; }, "from 1 to 1024, got 1025"},
      {[](TensorMap &m) { m.channels = 4; }, "a multiple of 16 bytes, got 8"},
  };
  for (const Case &test : im2col) {
    TensorMap map = pixels;
    map.extents[4] = 4;
    test.change(map);
    EXPECT_THAT(map.findFault(), HasSubstr(test.fault));
  }
}

TEST(TensorCopy, MapsAreHeldInFull) {
  for (const TensorCase &test : cases) {
    TensorMap map = test.makeMap();
    map.address = 0x123456789ab0;
    map.promotion = 2;
    map.extents[map.rank - 1] = 1ull << 32;
    MapBytes first, second;
    map.encode(first.bytes);
    std::optional<TensorMap> held = TensorMap::decode(first.bytes);
    ASSERT_TRUE(held);
    held->encode(second.bytes);
    EXPECT_EQ(std::memcmp(first.bytes, second.bytes, 128), 0);
    EXPECT_EQ(held->extents, map.extents);
    EXPECT_EQ(held->strides, map.strides);
    EXPECT_EQ(held->address, map.address);
    first.bytes[20] ^= 1;
    EXPECT_FALSE(TensorMap::decode(first.bytes));
  }
}

TEST(TensorCopy, WrongUses) {
  struct Case {
    const char *name;
    std::string copy;
    std::function<void(TensorMap &)> change;
    const char *fault;
  };
  const std::string load =
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile."
      "mbarrier::complete_tx::bytes ";
  auto keep = [](TensorMap &) {};
  const Case wrong[] = {
      {"NoMap",
       "add.u64 %q1, %q2, 0;\n@%p1 " + load + "[%i2], [%q1, {0, 0}], [%i4];\n",
       keep, "expected a tensor map, as cuTensorMapEncodeTiled makes them"},
      {"MisalignedMap",
       "add.u64 %q1, %q1, 16;\n@%p1 " + load + "[%i2], [%q1, {0, 0}], [%i4];\n",
       keep, "is misaligned: expected a multiple of 64"},
      {"Rank",
       "@%p1 cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::"
       "complete_tx::bytes [%i2], [%q1, {0, 0, 0}], [%i4];\n",
       keep, "expected a tensor of 3 dimensions, got a tensor map of 2"},
      {"Misaligned", "@%p1 " + load + "[%i2+64], [%q1, {0, 0}], [%i4];\n", keep,
       "the destination of a bulk copy is misaligned: expected a multiple of "
       "128"},
      {"TooLarge", "@%p1 " + load + "[%i2+16256], [%q1, {0, 0}], [%i4];\n",
       keep, "is out of bounds"},
      {"TensorTooLarge", "@%p1 " + load + "[%i2], [%q1, {0, 30}], [%i4];\n",
       [](TensorMap &m) { m.extents[1] = 64; }, "bytes at global address"},
      {"NarrowSwizzle", "@%p1 " + load + "[%i2], [%q1, {0, 0}], [%i4];\n",
       [](TensorMap &m) { m.box[0] = 16; },
       "expected an inner dimension of the box of 128 bytes, which the swizzle "
       "has, got 32"},
      {"Im2colOfTiles",
       "@%p1 cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::"
       "complete_tx::bytes [%i2], [%q1, {0, 0, 0}], [%i4], {0};\n",
       keep, "expected a tensor map for im2col, got a tiled one"},
      {"Reduction",
       "@%p1 cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile."
       "bulk_group [%q1, {0, 0}], [%i2];\n",
       keep, "'.xor' does not reduce the elements of the tensor map"},
      {"Mask",
       "mov.b16 %h1, 4;\n@%p1 cp.async.bulk.tensor.2d.shared::cluster."
       "global.tile.mbarrier::complete_tx::bytes.multicast::cluster "
       "[%i2], [%q1, {0, 0}], [%i4], %h1;\n",
       keep, "the mask 0x4 names blocks beyond the 1 of the cluster"},
  };
  for (const Case &test : wrong) {
    SCOPED_TRACE(test.name);
    TensorCase base{"", Element::F16, {64, 32}, {64, 16}, {}, 3};
    TensorMap map = base.makeMap();
    std::string text = makeKernel(init + test.copy);
    Device device(text, Effort::Quick);
    ASSERT_TRUE(device.module) << text;
    DeviceArray<char> in(device.memory,
                         std::vector<char>(base.getTensorBytes(map))),
        out(device.memory, std::vector<char>(tileBytes));
    map.address = reinterpret_cast<uint64_t>(in.get());
    test.change(map);
    MapBytes held;
    map.encode(held.bytes);
    LaunchOptions options;
    options.checks = Checks::Bounds;
    EXPECT_THAT(runTensor(text, held, device, out.get(), options),
                HasSubstr(test.fault));
  }
}

TEST(TensorCopy, RefusedBeforeItRuns) {
  auto refuse = [](const std::string &body) {
    return loadError(makeKernel(body));
  };
  const std::string load =
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile."
      "mbarrier::complete_tx::bytes ";
  EXPECT_THAT(refuse(load + "[%i2], [%q1], [%i4];"),
              HasSubstr("expected a tensor map and coordinates in brackets"));
  EXPECT_THAT(refuse(load + "[%i2], [%q1, {%i1}], [%i4];"),
              HasSubstr("expected a vector of 2 coordinates"));
  EXPECT_THAT(refuse(load + "[%i2], [%q1, {%i1, %q2}], [%i4];"),
              HasSubstr("expected coordinates to be registers of 32 bits"));
  EXPECT_THAT(refuse("cp.async.bulk.tensor.4d.shared::cluster.global.im2col."
                     "mbarrier::complete_tx::bytes [%i2], [%q1, {0, 0, 0, 0}], "
                     "[%i4], {%h1};"),
              HasSubstr("expected a vector of 2 offsets"));
  EXPECT_THAT(refuse("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4."
                     "mbarrier::complete_tx::bytes [%i2], [%q1, {0, 0, 0, 0, "
                     "0}], [%i4];"),
              HasSubstr("is not covered (at the modifier '.tile::gather4')"));
}

} // namespace
