//===- SchemaTest.cpp - Tests for structures described once ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Schema/Document.h"

#include "gtest/gtest.h"

#include <cmath>

using namespace mlir::tc;
using llvm::StringLiteral;

namespace {
enum class Memory { Host, Device };

struct Kernel {
  std::string name;
  std::array<int64_t, 3> grid = {1, 1, 1};
  uint8_t warps = 0;
  std::optional<double> occupancy;
};

struct Base {
  uint64_t bytes = 0;
};

struct Report : Base {
  bool isWhole = false;
  Memory memory = Memory::Host;
  int32_t depth = 0;
  std::vector<Kernel> kernels;
  std::optional<Kernel> main;
  std::map<std::string, int64_t> limits;
  std::variant<int64_t, std::string> extent = int64_t(0);
};
} // namespace

template <>
llvm::ArrayRef<StringLiteral> schema::getNames<Memory>() {
  static constexpr StringLiteral names[] = {"host", "device"};
  return names;
}

template <>
const schema::Structure<Kernel> &schema::describe<Kernel>() {
  static const auto structure =
      Structure<Kernel>("kernel", "A kernel.", Order::AsDescribed)
          .member("name", &Kernel::name, "its name")
          .member("grid", &Kernel::grid, "extents", "blocks")
          .optional("warps", &Kernel::warps, "of a block")
          .optional("occupancy", &Kernel::occupancy, "a share")
          .optional(
              "doubled", [](const Kernel &k) { return 2 * k.warps; },
              "computed");
  return structure;
}

template <>
const schema::Structure<Base> &schema::describe<Base>() {
  static const auto structure =
      Structure<Base>("base", "").member("bytes", &Base::bytes, "size");
  return structure;
}

template <>
const schema::Structure<Report> &schema::describe<Report>() {
  static const auto structure =
      Structure<Report>("report", "All of it.")
          .includeBase<Base>()
          .optional("whole", &Report::isWhole, "")
          .optional(
              "memory",
              [](const Report &r) { return std::optional<Memory>(r.memory); },
              "")
          .optional("place", &Report::isWhole, "")
          .member("depth", &Report::depth, "")
          .member("kernels", &Report::kernels, "in order")
          .member("main", &Report::main, "the longest")
          .optional("limits", &Report::limits, "by name")
          .optional(
              "extent", [](const Report &r) { return std::optional(r.extent); },
              "");
  return structure;
}

namespace {

/// The message that says what is wrong with a kernel, or with a report.
template <typename T>
std::string refuse(llvm::StringRef text) {
  llvm::Expected<T> value = schema::parse<T>(text, "x.json");
  return value ? "" : toString(value.takeError());
}

std::string refuseReport(llvm::StringRef member) {
  return refuse<Report>(
      (R"({"bytes": 1, "depth": 0, "kernels": [], "main": null, )" + member +
       "}")
          .str());
}

TEST(Schema, WritesInOrder) {
  Kernel kernel{"a", {2, 3, 4}, 8, std::nullopt};
  EXPECT_EQ(schema::format(kernel),
            R"({"name":"a","grid":[2,3,4],"warps":8,"doubled":16})");
  Report report;
  report.bytes = UINT64_MAX;
  report.kernels = {{"\xff", {1, 1, 1}, 0, 0.1}};
  report.limits = {{"b", 1}, {"a", -1}};
  report.memory = Memory::Device;
  EXPECT_EQ(schema::format(report),
            "{\"bytes\":18446744073709551615,\"depth\":0,\"extent\":0,"
            "\"kernels\":[{\"name\":\"\xef\xbf\xbd\",\"grid\":[1,1,1],"
            "\"occupancy\":0.10000000000000001}],"
            "\"limits\":{\"a\":-1,\"b\":1},\"main\":null,"
            "\"memory\":\"device\"}");
}

TEST(Schema, WritesNumbersThatJsonHas) {
  using schema::Rounded;
  EXPECT_EQ(schema::format(Rounded(1.0 / 3)), "0.333333");
  EXPECT_EQ(schema::format(Rounded(2.0 / 3, "%.3f")), "0.667");
  EXPECT_EQ(schema::format(Rounded(std::nullopt)), "null");
  EXPECT_EQ(schema::format(Rounded(std::nan(""))), "null");
  EXPECT_EQ(schema::format(INFINITY * 1.0), "null");
  EXPECT_EQ(schema::format(int64_t(INT64_MIN)), "-9223372036854775808");
}

TEST(Schema, ReadsWhatItWrites) {
  Report report;
  report.bytes = UINT64_MAX;
  report.depth = INT32_MIN;
  report.isWhole = true;
  report.kernels = {{"a", {2, 3, 4}, 8, 0.1}, {"b", {1, 1, 1}, 0, {}}};
  report.main = report.kernels.front();
  report.limits = {{"a", INT64_MAX}};
  std::string text = schema::format(report, 2);
  llvm::Expected<Report> read = schema::parse<Report>(text, "x.json");
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(schema::format(*read, 2), text);
  EXPECT_EQ(read->kernels[1].occupancy, std::nullopt);
}

TEST(Schema, NamesThePlace) {
  EXPECT_EQ(refuse<Kernel>("[]"), "x.json: expected an object, got an array");
  EXPECT_EQ(refuse<std::vector<Kernel>>("[3]"),
            "x.json[0]: expected an object, got 3");
  EXPECT_EQ(refuse<Kernel>(R"({"grid": [1, 2, 3]})"),
            "x.json: expected a member 'name'");
  EXPECT_EQ(
      refuseReport(R"("kernels": [{"name": "a", "grid": "1"}])"),
      "x.json: kernels[0].grid: expected an array of 3 elements, got '1'");
  EXPECT_EQ(refuseReport(R"("main": {"name": "a", "grid": [1, 2, "c"]})"),
            "x.json: main.grid[2]: expected an integer of 64 bits, got 'c'");
  EXPECT_EQ(refuse<Kernel>("{"),
            "x.json: expected JSON: [1:1, byte=1]: Expected object key");
}

TEST(Schema, RefusesOtherTypes) {
  EXPECT_EQ(refuseReport(R"("whole": 1)"),
            "x.json: whole: expected true or false, got 1");
  EXPECT_EQ(refuseReport(R"("limits": {"a": null})"),
            "x.json: limits.a: expected an integer of 64 bits, got null");
  EXPECT_EQ(refuseReport(R"("limits": [])"),
            "x.json: limits: expected an object, got an array");
  EXPECT_EQ(refuse<Kernel>(R"({"name": {}})"),
            "x.json: name: expected text, got an object");
  EXPECT_EQ(refuse<Memory>(R"("disk")"),
            "x.json: expected one of host, device, got 'disk'");
  EXPECT_EQ(refuse<double>(R"("a text that is longer than it has to be")"),
            "x.json: expected a number, got 'a text that is longer than it has "
            "to be'");
  EXPECT_EQ(refuse<std::optional<bool>>("\"" + std::string(41, 'x') + "\""),
            "x.json: expected true or false, got '" + std::string(40, 'x') +
                "...'");
}

TEST(Schema, RefusesNumbersThatDoNotFit) {
  EXPECT_EQ(refuse<uint8_t>("256"),
            "x.json: expected an integer from 0 to 255, got 256");
  EXPECT_EQ(refuse<int32_t>("-2147483649"),
            "x.json: expected an integer from -2147483648 to 2147483647, got "
            "-2147483649");
  EXPECT_EQ(refuse<uint64_t>("-1"),
            "x.json: expected an integer from 0 to 2^64-1, got -1");
  EXPECT_EQ(refuse<int64_t>("9223372036854775808"),
            "x.json: expected an integer of 64 bits, got 9223372036854775808");
  EXPECT_EQ(refuse<int64_t>("1.5"),
            "x.json: expected an integer of 64 bits, got 1.5");
  EXPECT_EQ(refuse<uint64_t>("18446744073709551615"), "");
}

TEST(Schema, RefusesUnknownMembers) {
  EXPECT_EQ(
      refuse<Kernel>(R"({"name": "", "grid": [1, 1, 1], "z": 1, "y": 2})"),
      "x.json: expected one of the members name, grid, warps, occupancy, "
      "doubled; got 'y'");
}

TEST(Schema, DescribesInJsonSchema) {
  std::string text = schema::formatSchema<Report>("a report");
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
  ASSERT_TRUE(bool(parsed)) << toString(parsed.takeError());
  const llvm::json::Object &all = *parsed->getAsObject();
  EXPECT_EQ(all.getString("$ref"), "#/$defs/report");
  const llvm::json::Object *kernel =
      all.getObject("$defs")->getObject("kernel");
  ASSERT_TRUE(kernel);
  EXPECT_EQ(*kernel->getArray("required"), (llvm::json::Array{"name", "grid"}));
  EXPECT_EQ(kernel->getBoolean("additionalProperties"), false);
  const llvm::json::Object *properties = kernel->getObject("properties");
  EXPECT_EQ(
      *properties->getObject("grid"),
      (llvm::json::Object{{"description", "extents"},
                          {"unit", "blocks"},
                          {"type", "array"},
                          {"items", llvm::json::Object{{"type", "integer"}}},
                          {"minItems", 3},
                          {"maxItems", 3}}));
  EXPECT_EQ(properties->getObject("warps")->getInteger("maximum"), 255);
}

} // namespace
