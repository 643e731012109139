//===- TensorCopyTest.cpp - Bulk copies of tensors ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes, pixels and reductions against a model.
//
//===----------------------------------------------------------------------===//

#include "Bulk/TensorCases.h"

#include <random>

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

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

std::string dimensions(const TensorCase &test) {
  return std::to_string(test.extents.size()) + "d";
}

/// CUTLASS clears bit 21 of the second word of maps of small tensors.
TEST(TensorMap, BitThatCutlassClears) {
  for (const TensorCase &test : cases) {
    TensorMap map = test.makeMap();
    map.address = ~uint64_t(0) << 4;
    uint64_t words[TensorMap::bytes / 8];
    map.encode(words);
    words[1] &= ~(uint64_t(1) << 21);
    std::optional<TensorMap> got = TensorMap::decode(words);
    ASSERT_TRUE(got.has_value()) << test.name;
    EXPECT_EQ(got->address, map.address);
  }
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

/// Both blocks get what each loads a half of. The mbarriers must be fenced.
TEST(TensorCopy, Multicast) {
  TensorCase test{"", Element::F32, {32, 32}, {32, 16}, {0, 0}, 3};
  TensorMap map = test.makeMap();
  const std::string unfenced = init.substr(0, init.find(';') + 1) + "\n";
  auto make = [](const std::string &init) {
    return makeKernel(
        init +
            "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], 4096;\n"
            "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
            "shl.b32 %i10, %i9, 4;\nshl.b32 %i11, %i9, 11;\nadd.u32 %i11, "
            "%i11, "
            "%i2;\nmov.b16 %h1, 3;\n"
            "@%p1 "
            "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
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
  };
  std::vector<char> tensor = makeBytes(test.getTensorBytes(map), 1);
  auto run = [&](const std::string &text, const LaunchOptions &options,
                 std::vector<char> &results) {
    Device device(text, Effort::Quick);
    DeviceArray<char> in(device.memory, tensor),
        out(device.memory, std::vector<char>(8192));
    map.address = reinterpret_cast<uint64_t>(in.get());
    MapBytes held;
    map.encode(held.bytes);
    std::string found = runTensor(text, held, device, out.get(), options, 2);
    for (const Finding &finding : device.module->getReport().findings)
      found += finding.text;
    results = out.values();
    return found;
  };
  for (const LaunchOptions &options : getAllOptions()) {
    std::vector<char> results;
    EXPECT_THAT(
        run(make(unfenced), options, results),
        testing::HasSubstr("execute fence.mbarrier_init.release.cluster"));
    EXPECT_EQ(run(make(init), options, results), "");
    std::vector<char> expected(8192);
    TensorMap whole = map;
    whole.box[1] = 32;
    forTile(whole, {}, [&](const Index &index, uint64_t offset) {
      for (uint64_t block : {0, 4096})
        std::memcpy(expected.data() + block + placeChunk(offset, 3),
                    tensor.data() + *findElement(map, index), 4);
    });
    EXPECT_EQ(results, expected);
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

} // namespace
