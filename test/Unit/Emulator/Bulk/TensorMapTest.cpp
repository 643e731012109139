//===- TensorMapTest.cpp - Tensor maps, and wrong uses of them ------------===//
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
// Requirements, the bytes that stand for a map, and what copies refuse.
//
//===----------------------------------------------------------------------===//

#include "Bulk/TensorCases.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::HasSubstr;

namespace {

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

/// A kernel that makes a map of its own, from zeros or from another one, and
/// copies with it.
TEST(TensorCopy, MapsThatKernelsChange) {
  TensorCase test{"", Element::BF16, {40, 20}, {32, 8}, {4, 3}, 2};
  TensorMap wanted = test.makeMap();
  auto replace = [](const std::string &field, const std::string &operands,
                    bool isWide = false) {
    return "@%p1 tensormap.replace.tile." + field + ".shared::cta.b1024.b" +
           (isWide ? "64" : "32") + " [%i5], " + operands + ";\n";
  };
  std::string change =
      replace("global_address", "%q6", true) + replace("rank", "1") +
      replace("box_dim", "0, 32") + replace("box_dim", "1, 8") +
      replace("global_dim", "0, 40") + replace("global_dim", "1, 20") +
      replace("global_stride", "0, " + std::to_string(wanted.strides[0]),
              true) +
      replace("element_stride", "0, 1") + replace("element_stride", "1, 1") +
      replace("elemtype", "10") + replace("interleave_layout", "0") +
      replace("swizzle_mode", "2") + replace("fill_mode", "0");
  // The buffer has the tile, the map, and the tensor.
  std::string body =
      "add.u32 %i5, %i2, 8192;\nadd.u64 %q7, %q2, 16384;\nadd.u64 %q6, %q2, "
      "16512;\nsetp.lt.u32 %p6, %i1, 32;\n@%p6 st.shared.b32 [%i3+8192], 0;\n" +
      init + change +
      "bar.sync 0;\n@!%p6 bra $made;\n"
      "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release."
      "gpu.sync.aligned [%q7], [%i5], 128;\n"
      "$made: bar.sync 0;\n"
      "@%p1 fence.proxy.tensormap::generic.acquire.gpu [%q7], 128;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], 512;\n"
      "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
      "complete_tx::bytes [%i2], [%q7, {4, 3}], [%i4];\n" +
      waitFor("w", "%i4", "0") +
      "ld.shared.b32 %i22, [%i3];\nst.global.b32 [%q3], %i22;\n";
  for (const LaunchOptions &options : getAllOptions()) {
    std::string text = makeKernel(body);
    Device device(text, Effort::Quick);
    ASSERT_TRUE(device.module) << text;
    std::vector<char> bytes(16512 + test.getTensorBytes(wanted));
    for (size_t i = 16512; i < bytes.size(); ++i)
      bytes[i] = char(i * 7);
    DeviceArray<char> buffer(device.memory, bytes);
    MapBytes none{};
    EXPECT_EQ(runTensor(text, none, device, buffer.get(), options), "");
    std::vector<char> expected(512), got = buffer.values();
    test.forElements(wanted, [&](const Index &index, uint64_t offset) {
      if (std::optional<uint64_t> at = findElement(wanted, index))
        std::memcpy(expected.data() + placeChunk(offset, 2),
                    bytes.data() + 16512 + *at, 2);
    });
    EXPECT_EQ(std::vector<char>(got.begin(), got.begin() + 512), expected);
  }
}

} // namespace
