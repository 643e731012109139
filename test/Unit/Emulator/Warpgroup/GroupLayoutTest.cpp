//===- GroupLayoutTest.cpp - Descriptors that contradict the tile ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products that read what was written and fenced, but at other places than
// meant: each kernel with the fault, which is named as a warning, and without
// it, where nothing is found.
//
//===----------------------------------------------------------------------===//

#include "Bulk/TensorCases.h"
#include "GroupFaults.h"

using namespace tc::emulator;
using namespace tc::emulator::test;
using testing::AllOfArray;
using testing::HasSubstr;
using testing::StrEq;

namespace {

/// Everything that was found, a line each.
std::string list(const Device &device) {
  std::string all;
  for (const Finding &finding : device.module->getReport().findings)
    all += std::string(getName(getSeverity(finding.what))) + ": " +
           finding.text + "\n";
  return all;
}

testing::Matcher<const std::string &>
expect(const std::vector<const char *> &parts) {
  std::vector<testing::Matcher<const std::string &>> all = {
      HasSubstr("warning: kernel 'k', block (0,0,0), thread ("),
      HasSubstr("layout: read of 16 bytes at shared address 0x")};
  for (const char *part : parts)
    all.push_back(HasSubstr(part));
  return AllOfArray(all);
}

//===----------------------------------------------------------------------===//
// Against other products
//===----------------------------------------------------------------------===//

std::string findIn(const Parts &parts, const LaunchOptions &options) {
  Device device(parts.getKernel(), Effort::Quick);
  if (!device.module)
    return "no module";
  device.module->setOptions(options);
  DeviceArray<uint32_t> buffer(device.memory, std::vector<uint32_t>(2048));
  std::string error = device.run("k", {1, 1, 1}, {128, 1, 1}, 0, buffer.get());
  return error + list(device);
}

/// A matrix without a swizzle whose halves of k and groups of rows lie so many
/// bytes apart.
std::string describe(const char *name, unsigned leading, unsigned stride) {
  return "mov.u64 " + std::string(name) + ", tile;\nshr.u64 " + name + ", " +
         name + ", 4;\nadd.u64 " + name + ", " + name + ", " +
         std::to_string(uint64_t(stride / 16) << 32 | leading / 16 << 16) +
         ";\n";
}

/// By a b that is MN-major.
std::string multiplyRows(const std::string &d, const std::string &b) {
  std::string text = Parts::product(d, inputs, b);
  return text.replace(text.rfind("0;"), 1, "1");
}

/// Products by three neighbouring tiles of 8 columns, which begin so many bytes
/// apart; the next 8 terms lie `leading` bytes further.
Parts multiplyColumns(unsigned leading, unsigned apart) {
  return with([&](Parts &p) {
    p.meet += describe("%q6", leading, 0);
    p.multiply = multiplyRows("d", "%q6") + "add.u64 %q7, %q6, " +
                 std::to_string(apart / 16) + ";\n" + multiplyRows("e", "%q7");
    p.end += Parts::store("e");
  });
}

Parts multiply(unsigned leading, unsigned stride) {
  return with([&](Parts &p) { p.meet += describe("%q4", leading, stride); });
}

/// A second product reads a from `offset` bytes on, as `more` says.
Parts multiplyAgain(unsigned offset, uint64_t more) {
  return with([&](Parts &p) {
    p.meet += "add.u64 %q6, %q4, " + std::to_string(offset / 16 + more) + ";\n";
    p.multiply += Parts::product("e", inputs, "%q6");
    p.end += Parts::store("e");
  });
}

TEST(LayoutFaults, AgainstOtherProducts) {
  const Case cases[] = {
      // TileLang 2593: rows of 24 columns, read as if of 8.
      {"ColumnsOfAWiderTile",
       multiplyColumns(128, 16),
       {", in the core matrix at 0x410, whose rows lie 16 bytes apart, meets "
        "the read by thread (",
        ",0,0) at PTX line 14 (`wgmma.mma_async",
        "in that at 0x400, whose rows lie 16 bytes apart: expected the two to "
        "be the same or apart"},
       multiplyColumns(128, 256)},
      {"RowsOf32BytesWithoutASwizzle",
       multiply(16, 256),
       {"in the core matrix at 0x410, whose rows lie 16 bytes apart",
        "in that at 0x400"},
       multiply(128, 256)},
      {"OffsetsExchanged",
       multiply(256, 128),
       {"in the core matrix at 0x500", "is in two places of one matrix",
        "leading and stride offsets in its descriptor, perhaps exchanged"},
       multiply(1024, 128)},
      {"GroupsTooNear",
       multiply(128, 128),
       {"in the core matrix at 0x480", "is in two places of one matrix"},
       multiply(128, 256)},
      {"GroupsThatOverlap",
       multiply(1024, 64),
       {"in the core matrix at 0x440", "in that at 0x400"},
       // The same 8 rows, on purpose.
       multiply(128, 0)},
      {"FromARowWithinAGroup",
       multiplyAgain(64, 0),
       {"in the core matrix at 0x440", "in that at 0x400"},
       multiplyAgain(256, 0)},
      {"AnotherSwizzle",
       multiplyAgain(0, uint64_t(3) << 62),
       {"in the core matrix at 0x400, whose rows lie 32 bytes apart",
        "in that at 0x400, whose rows lie 16 bytes apart",
        "the offsets and the swizzle of both descriptors"},
       multiplyAgain(0, 0)},
  };
  for (const Case &test : cases) {
    SCOPED_TRACE(test.name);
    for (const LaunchOptions &options : getAllOptions()) {
      EXPECT_THAT(findIn(test.bad, options), expect(test.report))
          << test.bad.getKernel();
      EXPECT_THAT(findIn(test.good, options), StrEq(""))
          << test.good.getKernel();
    }
  }
}

/// What is written again may be another tile.
TEST(LayoutFaults, WrittenBetween) {
  Parts parts = multiplyAgain(64, 0);
  parts.multiply.insert(Parts::product("d").size(),
                        commit + waitFor(0) + barrier + storeTile + proxy +
                            barrier + fence);
  for (const LaunchOptions &options : getAllOptions())
    EXPECT_EQ(findIn(parts, options), "") << parts.getKernel();
}

//===----------------------------------------------------------------------===//
// Against tensor copies
//===----------------------------------------------------------------------===//

/// Bytes of a swizzle as tensor maps have it.
unsigned getSpan(unsigned swizzle) { return 16 << swizzle; }

/// 8192 bytes by a tensor map, and a product by a descriptor with another
/// swizzle.
std::string findIn(unsigned swizzle, unsigned ofDescriptor,
                   const LaunchOptions &options) {
  uint64_t code = ofDescriptor ? 4 - ofDescriptor : 0;
  uint64_t bits = code << 62 | uint64_t(getSpan(ofDescriptor) / 2) << 32 |
                  uint64_t(8) << 16;
  const std::string d = "{%i24, %i25, %i26, %i27}";
  std::string kernel = makeKernel(
      init +
      "mov.u32 %i10, 0;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared::cta.b64 %q5, [%i4], 8192;\n"
      "@%p1 cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
      "complete_tx::bytes [%i2], [%q1, {%i10, %i10}], [%i4];\n" +
      test::waitFor("w", "%i4", "0") +
      "cvt.u64.u32 %q4, %i2;\nshr.u64 %q4, %q4, 4;\nor.b64 %q4, %q4, " +
      std::to_string(bits) + ";\nsetp.eq.u32 %p6, %i2, 0;\n" + fence +
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 " + d +
      ", %q4, %q4, %p6, 1, 1, 0, 0;\n" + commit + waitFor(0));
  Device device(kernel, Effort::Quick);
  if (!device.module)
    return "no module: " + kernel;
  device.module->setOptions(options);
  DeviceArray<uint32_t> buffer(device.memory, std::vector<uint32_t>(8192));
  TensorMap map;
  map.element = Element::BF16;
  map.rank = 2;
  map.address = reinterpret_cast<uint64_t>(buffer.get());
  map.swizzle = swizzle;
  unsigned rowBytes = swizzle ? getSpan(swizzle) : 128;
  map.extents = {64, 256};
  map.strides[0] = 128;
  map.box = {rowBytes / 2, 8192 / rowBytes};
  MapBytes held;
  map.encode(held.bytes);
  std::string error =
      device.run("k", {1, 1, 1}, {128, 1, 1}, 0, held, buffer.get());
  return error + list(device);
}

TEST(LayoutFaults, AgainstTensorCopies) {
  struct Fault {
    unsigned map, descriptor;
    std::vector<const char *> report;
  };
  const Fault faults[] = {
      {3,
       2,
       {"is by a descriptor with a swizzle of 64 bytes, and the write by "
        "thread (0,0,0) at PTX line ",
        "(`@%p1 cp.async.bulk.tensor",
        "has a swizzle of 128 bytes: give the "
        "tensor map and the descriptor the "
        "same"}},
      {3, 0, {"a descriptor with no swizzle", "has a swizzle of 128 bytes"}},
      {2, 3, {"a swizzle of 128 bytes, and", "has a swizzle of 64 bytes"}},
      {2, 1, {"a swizzle of 32 bytes, and", "has a swizzle of 64 bytes"}},
      {1, 0, {"a descriptor with no swizzle", "has a swizzle of 32 bytes"}},
      {0, 3, {"a swizzle of 128 bytes, and", "has no swizzle"}},
  };
  for (const LaunchOptions &options : getAllOptions()) {
    for (const Fault &fault : faults)
      EXPECT_THAT(findIn(fault.map, fault.descriptor, options),
                  expect(fault.report));
    for (unsigned swizzle : {1, 2, 3})
      EXPECT_EQ(findIn(swizzle, swizzle, options), "") << swizzle;
  }
}

} // namespace
