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
#include "tc/Files/Json.h"

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

/// As JSON: a number or a list of one to three, from 0 to 2^32 - 1; those not
/// given are 1.
struct Extents {
  ::tc::emulator::Dim3 &dim;
};

bool fromJSON(const json::Value &value, Extents &extents, json::Path path) {
  std::vector<uint64_t> given;
  bool isRead = value.getAsArray()
                    ? fromJSON(value, given, path)
                    : json::fromJSON(value, given.emplace_back(), path);
  if (!isRead || given.empty() || given.size() > 3 ||
      !all_of(given, isUInt<32>)) {
    path.report("expected a number or up to three of them");
    return false;
  }
  given.resize(3, 1);
  extents.dim = {uint32_t(given[0]), uint32_t(given[1]), uint32_t(given[2])};
  return true;
}

Error readJson(const json::Value &value, StringRef path, KernelLaunch &launch) {
  json::Path::Root root(path);
  json::ObjectMapper members(value, root);
  if (!members)
    return root.getError();
  for (const auto &[name, member] : *value.getAsObject())
    if (!is_contained(
            {"kernel", "grid", "block", "cluster", "shared", "arguments"},
            StringRef(name)))
      return createStringError(
          path +
          ": expected kernel, grid, block, cluster, shared and "
          "arguments, got '" +
          StringRef(name) + "'");
  ::tc::emulator::Dim3 bytes{0, 1, 1};
  Extents grid{launch.grid}, block{launch.block}, shared{bytes};
  Extents cluster{launch.cluster.blocks};
  std::vector<std::string> arguments;
  if (!members.map("kernel", launch.kernel) || !members.map("grid", grid) ||
      !members.map("block", block) ||
      !members.mapOptional("cluster", cluster) ||
      !members.mapOptional("shared", shared) ||
      !members.mapOptional("arguments", arguments))
    return root.getError();
  launch.shared = bytes.x;
  for (auto [i, text] : enumerate(arguments)) {
    std::string where = (path + ": argument " + Twine(i)).str();
    Reader reader(text, where);
    if (Error error = readArgument(reader, launch.arguments.emplace_back()))
      return error;
    if (!reader.isAtEnd())
      return reader.expected("no more");
  }
  return Error::success();
}

} // namespace

Expected<KernelLaunch> readKernelLaunch(StringRef text) {
  KernelLaunch launch;
  if (!text.ends_with(".json")) {
    if (Error error = readText(text, launch))
      return std::move(error);
    return launch;
  }
  auto file = readFile(text);
  if (!file)
    return file.takeError();
  Expected<json::Value> value = parseJson((*file)->getBuffer());
  if (!value)
    return errorIn(text, value.takeError());
  if (Error error = readJson(*value, text, launch))
    return std::move(error);
  return launch;
}

} // namespace mlir::tc
