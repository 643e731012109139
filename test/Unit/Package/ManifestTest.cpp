//===- ManifestTest.cpp - Tests for manifests of packages -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/Manifest.h"
#include "tc/Schema/Document.h"

#include "gtest/gtest.h"

using namespace mlir::tc;

namespace {

/// A package of one entry, for one chip.
manifest::Manifest makeManifest() {
  manifest::Manifest whole;
  whole.package = "product";
  whole.interface = 9;
  whole.files = {{"include/tc_product.h", "ab"}, {"lib/tc_product.o", "cd"}};
  whole.tool = {"tc", "0.1.0", std::nullopt};
  whole.host = {"x86_64-unknown-linux-gnu", "x86-64-v2", "", {"x86-64-v2"}};
  manifest::Entry &entry = whole.entries.emplace_back();
  entry.name = "product";
  entry.input.einsum = "ik,kj->ij";
  entry.input.operands = {std::nullopt, manifest::Layout{{2, 3}, {8, 1}, 4}};
  manifest::Argument &buffer = entry.arguments.emplace_back();
  buffer.name = "A";
  buffer.memory = manifest::ArgumentMemory::Device;
  buffer.alignment = 4;
  buffer.shape = {"extent_i", int64_t(32)};
  buffer.strides = {"row-major", int64_t(1)};
  buffer.offset = int64_t(0);
  manifest::Argument &scalar = entry.arguments.emplace_back();
  scalar.kind = manifest::ArgumentKind::Scalar;
  entry.parameters = {{"extent_i", manifest::ParameterKind::Extent}};
  manifest::Variant &variant = entry.variants.emplace_back();
  variant.chip = "sm_90a";
  variant.images = {{"kernels/sm_90a/k.ptx", std::nullopt}};
  variant.thresholds = {{"rows_0", 7}};
  manifest::Kernel &kernel = variant.kernels.emplace_back();
  kernel.block = {{32, 4, 1}};
  kernel.occupancy = 0.375;
  return whole;
}

/// What is wrong with it after `old` is replaced by `fresh`.
std::string refuse(llvm::StringRef old, llvm::StringRef fresh) {
  std::string text = schema::format(makeManifest());
  size_t at = text.find(old.str());
  EXPECT_NE(at, std::string::npos) << old.str() << " in " << text;
  if (at != std::string::npos)
    text.replace(at, old.size(), fresh.str());
  auto read = schema::parse<manifest::Manifest>(text, "manifest.json");
  return read ? "" : toString(read.takeError());
}

TEST(Manifest, IsReadAsItIsWritten) {
  std::string text = schema::format(makeManifest(), 2);
  auto read = schema::parse<manifest::Manifest>(text, "manifest.json");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(schema::format(*read, 2), text);
}

TEST(Manifest, NamesWhatIsWrong) {
  EXPECT_EQ(
      refuse("\"interface\":9", "\"interface\":\"9\""),
      "manifest.json: interface: expected an integer of 64 bits, got '9'");
  EXPECT_EQ(refuse("\"block\":[32,4,1]", "\"block\":[32,4]"),
            "manifest.json: entries[0].variants[0].kernels[0].block: expected "
            "an array of 3 elements, got an array");
  EXPECT_EQ(refuse("\"kind\":\"scalar\"", "\"kind\":\"copied\""),
            "manifest.json: entries[0].arguments[1].kind: expected one of "
            "read, written, scalar, got 'copied'");
  EXPECT_EQ(refuse("\"alignment\":4,", "\"alignment\":4294967296,"),
            "manifest.json: entries[0].arguments[0].alignment: expected an "
            "integer from 0 to 4294967295, got 4294967296");
  EXPECT_EQ(refuse("\"strides\":[8,1]", "\"stride\":[8,1]"),
            "manifest.json: entries[0].input.operands[1]: expected a member "
            "'strides'");
  EXPECT_EQ(refuse("\"chip\":", "\"chips\":[],\"chip\":"),
            "manifest.json: entries[0].variants[0]: expected one of the "
            "members chip, only_this_chip, ptx_version, images, schedules, "
            "thresholds, kernels; got 'chips'");
}

TEST(Manifest, HasAHeadOfAnyVersion) {
  auto head = schema::parse<manifest::Head>(
      R"({"package": "p", "interface": 1, "files": {}, "old": [1]})", "m");
  ASSERT_TRUE(bool(head)) << toString(head.takeError());
  auto other = schema::parse<manifest::Head>(
      R"({"package": "p", "interface": 1, "files": {"a": 3}})", "m");
  EXPECT_EQ(toString(other.takeError()), "m: files.a: expected text, got 3");
}

} // namespace
