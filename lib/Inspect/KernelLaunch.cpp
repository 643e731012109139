//===- KernelLaunch.cpp - A kernel's launch in words ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the description of a launch, from text or from JSON.
//
//===----------------------------------------------------------------------===//

#include "KernelLaunch.h"

#include "tc/Files/Files.h"
#include "tc/Inspect/KernelRun.h"
#include "tc/Schema/Document.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace mlir::tc {

namespace {

/// The types that a value can be written of.
std::optional<ElementType> findType(StringRef name) {
  std::optional<ElementType> type = findElementType(name);
  bool isNumber = type && kindOf(*type) != ElementKind::boolean &&
                  kindOf(*type) != ElementKind::complex;
  return isNumber ? type : std::nullopt;
}

/// Reads text from the left, and knows where it is.
class Reader {
public:
  Reader(StringRef text, StringRef source)
      : all(text), rest(text), source(source) {}

  std::string where() const {
    return (source + ", column " + Twine(all.size() - rest.size() + 1)).str();
  }
  Error expected(const Twine &what) {
    skip();
    StringRef got = rest.take_front(20);
    return createStringError(where() + ": expected " + what + ", got " +
                             (got.empty() ? "the end" : "'" + got + "'"));
  }
  void skip() { rest = rest.ltrim(); }
  bool isAtEnd() {
    skip();
    return rest.empty();
  }
  bool consume(StringRef token) {
    skip();
    return rest.consume_front(token);
  }
  /// What comes before one of the `stops`, or all that is left.
  StringRef takeUntil(StringRef stops) {
    skip();
    StringRef taken = rest.take_front(rest.find_first_of(stops));
    rest = rest.drop_front(taken.size());
    return taken.rtrim();
  }
  StringRef takeName() {
    skip();
    StringRef taken = rest.take_while(
        [](char c) { return isAlnum(c) || c == '_' || c == '$'; });
    rest = rest.drop_front(taken.size());
    return taken;
  }
  template <typename Int>
  bool takeNumber(Int &number) {
    skip();
    StringRef before = rest;
    if (!rest.consumeInteger(10, number))
      return true;
    rest = before; // the digits of one that is too large are gone
    return false;
  }

private:
  StringRef all, rest, source;
};

/// 4, 4x2 or 4x2x1.
Error readExtents(Reader &reader, ::tc::emulator::Dim3 &dim) {
  for (uint32_t *extent : {&dim.x, &dim.y, &dim.z}) {
    if (extent != &dim.x && !reader.consume("x"))
      break;
    if (!reader.takeNumber(*extent))
      return reader.expected("an extent");
  }
  return Error::success();
}

Error readShape(Reader &reader, KernelArgument &argument) {
  constexpr int64_t most = int64_t(1) << 40;
  int64_t bytes = bytesOf(argument.data.type);
  do {
    int64_t extent = 0;
    if (!reader.takeNumber(extent) || extent < 0 ||
        MulOverflow(bytes, extent, bytes) || bytes > most)
      return reader.expected("an extent, and at most 2^40 bytes in all");
    argument.data.shape.push_back(extent);
  } while (reader.consume("x"));
  if (!reader.consume("]"))
    return reader.expected("']'");
  return Error::success();
}

/// i32:5, f32[4x4], f32[4x4]=zeros, f32[4x4]=random:1 -> out.npy
Error readArgument(Reader &reader, KernelArgument &argument) {
  reader.skip();
  argument.where = reader.where();
  StringRef name = reader.takeName();
  std::optional<ElementType> type = findType(name);
  if (!type)
    return createStringError(argument.where +
                             ": expected a type from i8 to i64, u8 to u64, "
                             "f8e4m3, f8e5m2, f16, bf16, f32 or f64, got '" +
                             name + "'");
  argument.data.type = *type;
  if (reader.consume(":")) {
    Error error = encodeValue(*type, reader.takeUntil(",)"))
                      .moveInto(argument.data.bytes);
    return error ? errorIn(argument.where, std::move(error)) : Error::success();
  }
  if (!reader.consume("["))
    return reader.expected("':' and a value, or '[' and a shape");
  argument.isBuffer = true;
  if (Error error = readShape(reader, argument))
    return error;
  if (reader.consume("=")) {
    StringRef fill = reader.takeUntil(",)>");
    // The arrow before a file's name begins with a dash, as a name may.
    if (reader.consume(">") && fill.consume_back("-"))
      argument.output = reader.takeUntil(",)").str();
    argument.fill = fill.rtrim().str();
    if (argument.fill.empty())
      return reader.expected("zeros, ones, arange, full:VALUE, random:SEED or "
                             "a .npy file");
  } else if (reader.consume("->")) {
    argument.output = reader.takeUntil(",)").str();
  }
  return Error::success();
}

Error readText(StringRef text, KernelLaunch &launch) {
  Reader reader(text, "--launch");
  launch.kernel = reader.takeName().str();
  if (launch.kernel.empty())
    return reader.expected("the name of a kernel");
  if (!reader.consume("<<<"))
    return reader.expected("'<<<'");
  if (Error error = readExtents(reader, launch.grid))
    return error;
  if (!reader.consume(","))
    return reader.expected("',' and the extents of a block");
  if (Error error = readExtents(reader, launch.block))
    return error;
  if (reader.consume(",") && !reader.takeNumber(launch.shared))
    return reader.expected("bytes of shared memory");
  if (!reader.consume(">>>"))
    return reader.expected("'>>>'");
  if (!reader.consume("("))
    return reader.expected("'(' and arguments");
  while (!reader.consume(")")) {
    if (!launch.arguments.empty() && !reader.consume(","))
      return reader.expected("',' or ')'");
    if (Error error = readArgument(reader, launch.arguments.emplace_back()))
      return error;
  }
  return reader.isAtEnd() ? Error::success() : reader.expected("no more");
}

/// A launch as JSON has it.
struct LaunchFile {
  std::string kernel;
  ::tc::emulator::Dim3 grid, block;
  std::optional<::tc::emulator::Dim3> cluster;
  uint32_t shared = 0;
  std::vector<std::string> arguments; ///< each as --launch takes it
};

} // namespace

namespace schema {
namespace {
/// A number, or a list of one to three; those not given are 1.
struct Extents {
  using Dim3 = ::tc::emulator::Dim3;

  static Error read(const json::Value &from, const Place &place, Dim3 &dim) {
    std::vector<uint32_t> given;
    if (!from.getAsArray()) {
      if (Error error =
              Codec<uint32_t>::read(from, place, given.emplace_back()))
        return error;
    } else if (Error error =
                   Codec<std::vector<uint32_t>>::read(from, place, given)) {
      return error;
    }
    if (given.empty() || given.size() > 3)
      return place.error("expected a number or one to three of them, got " +
                         Twine(given.size()));
    given.resize(3, 1);
    dim = {given[0], given[1], given[2]};
    return Error::success();
  }
  static void write(json::OStream &json, Dim3 dim) {
    Codec<Dim3>::write(json, dim);
  }
  static void describe(json::OStream &json, Definitions &all) {
    json.attributeArray("anyOf", [&] {
      json.object([&] { Codec<uint32_t>::describe(json, all); });
      json.object([&] {
        Codec<std::vector<uint32_t>>::describe(json, all);
        json.attribute("minItems", 1);
        json.attribute("maxItems", 3);
      });
    });
  }
};

} // namespace

template <>
const Structure<LaunchFile> &describe<LaunchFile>() {
  using Launch = LaunchFile;
  static const auto structure =
      Structure<Launch>("launch", "A launch of a kernel.")
          .member("kernel", &Launch::kernel, "its name")
          .member<Extents>("grid", &Launch::grid, "along x, y and z", "blocks")
          .member<Extents>("block", &Launch::block, "along x, y and z",
                           "threads")
          .optional<Extents>("cluster", &Launch::cluster, "along x, y and z",
                             "blocks")
          .optional("shared", &Launch::shared,
                    "dynamic shared memory of a block", "bytes")
          .optional("arguments", &Launch::arguments,
                    "each as --launch takes it: i32:5, f32[16x100]=arange");
  return structure;
}
} // namespace schema

static Expected<KernelLaunch> readFileOfLaunch(StringRef path) {
  auto text = readFile(path);
  if (!text)
    return text.takeError();
  auto file = schema::parse<LaunchFile>((*text)->getBuffer(), path);
  if (!file)
    return file.takeError();
  KernelLaunch launch;
  launch.kernel = file->kernel;
  launch.grid = file->grid;
  launch.block = file->block;
  launch.shared = file->shared;
  if (file->cluster)
    launch.cluster.blocks = *file->cluster;
  for (auto [i, argument] : enumerate(file->arguments)) {
    std::string where = (path + ": arguments[" + Twine(i) + "]").str();
    Reader reader(argument, where);
    if (Error error = readArgument(reader, launch.arguments.emplace_back()))
      return std::move(error);
    if (!reader.isAtEnd())
      return reader.expected("no more");
  }
  return launch;
}

Expected<KernelLaunch> readKernelLaunch(StringRef text) {
  if (text.ends_with(".json"))
    return readFileOfLaunch(text);
  KernelLaunch launch;
  if (Error error = readText(text, launch))
    return std::move(error);
  return launch;
}

std::string formatLaunchSchema() {
  return schema::formatSchema<LaunchFile>("launch of a kernel");
}

} // namespace mlir::tc
