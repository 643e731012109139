//===- Batch.cpp - Many runs in one process -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Batch.h"

#include "tc/Files/Json.h"
#include "tc/Runner/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <istream>

using namespace mlir;
using Json = llvm::json::Value;

namespace mlir::tc {

/// No case needs more; what has no end is not a batch.
static constexpr size_t maxLineBytes = size_t(64) << 20;

namespace {
/// One line of the batch.
struct Case {
  std::string name;
  InputOptions input;
  RunOptions options;
};

/// Extents as text, or an object of them: "a=16,b=3" of {"a": 16, "b": 3}.
struct SizesMember {
  std::string &text;
};

/// JSON as text, or as it is.
struct JsonMember {
  std::string &text;
};

bool fromJSON(const Json &value, SizesMember &sizes, llvm::json::Path path) {
  std::map<std::string, int64_t> extents;
  if (value.getAsString())
    return llvm::json::fromJSON(value, sizes.text, path);
  if (!llvm::json::fromJSON(value, extents, path))
    return false;
  auto format = [](const auto &extent) {
    return extent.first + "=" + std::to_string(extent.second);
  };
  sizes.text = llvm::join(llvm::map_range(extents, format), ",");
  return true;
}

bool fromJSON(const Json &value, JsonMember &member, llvm::json::Path path) {
  if (value.getAsString())
    return llvm::json::fromJSON(value, member.text, path);
  member.text = llvm::formatv("{0}", value);
  return true;
}
} // namespace

/// Sets members of `parsed` from those of an object; refuses unknown ones.
static llvm::Error readMembers(const Json &value, Case &parsed) {
  llvm::json::Path::Root root("case");
  llvm::json::ObjectMapper members(value, root);
  InputOptions &input = parsed.input;
  RunOptions &options = parsed.options;
  // Errors name the case, so it comes first.
  if (!members || !members.mapOptional("case", parsed.name))
    return root.getError();
  for (const auto &[name, member] : *value.getAsObject())
    if (!llvm::is_contained({"case", "input", "einsum", "sizes", "operands",
                             "dtype", "accumulate", "precision", "run", "name",
                             "chip", "schedule", "seed", "inputs", "outputs"},
                            StringRef(name)))
      return llvm::createStringError("expected a known member, got '" +
                                     StringRef(name) + "'");
  SizesMember sizes{input.sizes};
  JsonMember operands{input.operands};
  auto seed = int64_t(options.seed);
  if (!members.mapOptional("input", input.path) ||
      !members.mapOptional("einsum", input.einsum) ||
      !members.mapOptional("sizes", sizes) ||
      !members.mapOptional("operands", operands) ||
      !members.mapOptional("dtype", input.dtype) ||
      !members.mapOptional("accumulate", input.accumulate) ||
      !members.mapOptional("precision", input.precision) ||
      !members.mapOptional("run", options.run) ||
      !members.mapOptional("name", input.name) ||
      !members.mapOptional("chip", options.compile.chip) ||
      !members.mapOptional("schedule", options.compile.schedule) ||
      !members.mapOptional("seed", seed) ||
      !members.mapOptional("inputs", options.inputs) ||
      !members.mapOptional("outputs", options.outputs))
    return root.getError();
  options.seed = seed;
  return llvm::Error::success();
}

/// Runs one case; on success `report` is its JSON. A wrong result is an error.
static llvm::Error runCase(StringRef line, Case &parsed, MLIRContext &context,
                           std::string &report) {
  llvm::Expected<Json> value = parseJson(line);
  if (!value)
    return value.takeError();
  if (llvm::Error error = readMembers(*value, parsed))
    return error;
  llvm::Expected<Program> program = loadProgram(context, parsed.input);
  if (!program)
    return program.takeError();
  llvm::Expected<RunResult> result = run(*program, parsed.options);
  if (!result)
    return result.takeError();
  report = formatJson(*program, result->compilation, &*result,
                      /*pretty=*/false);
  return checkVerdict(*result);
}

/// Reads the next line, and whether there is one. A line longer than
/// maxLineBytes is cut there.
static bool readLine(std::istream &lines, std::string &line) {
  line.clear();
  char part[4096];
  for (;;) {
    lines.getline(part, sizeof(part));
    bool isWhole = lines.good();
    // The newline that ends a line is counted, and not stored.
    line.append(part, lines.gcount() - (isWhole ? 1 : 0));
    if (isWhole || line.size() > maxLineBytes)
      return true;
    if (lines.bad() || lines.eof())
      return !line.empty();
    lines.clear(); // a part of the line filled the buffer
  }
}

/// Writes what became of one case, on a line of its own. Returns whether it
/// failed.
static bool writeCase(StringRef name, StringRef line, StringRef report,
                      llvm::Error error, llvm::raw_ostream &out) {
  bool isFailed = bool(error);
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("case", name);
    if (error) {
      // Messages and lines may quote bytes that are no text.
      json.attribute("error", llvm::json::fixUTF8(toString(std::move(error))));
      json.attribute("problem", llvm::json::fixUTF8(line));
    }
    if (!report.empty()) {
      json.attributeBegin("report");
      json.rawValue(report.rtrim());
      json.attributeEnd();
    }
  });
  out << '\n';
  out.flush();
  return isFailed;
}

unsigned runBatch(std::istream &lines, const InputOptions &input,
                  const RunOptions &options, llvm::raw_ostream &out) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  registerAllPhases(context);
  unsigned failures = 0;
  std::string line;
  while (readLine(lines, line)) {
    if (line.size() > maxLineBytes)
      return failures +
             writeCase("", StringRef(line).take_front(80), "",
                       llvm::createStringError(
                           "expected lines of at most " +
                           Twine(maxLineBytes >> 20) +
                           " MiB; the rest of the batch is not read"),
                       out);
    if (StringRef(line).trim().empty())
      continue;
    Case parsed{"", input, options};
    std::string report;
    llvm::Error error = runCase(line, parsed, context, report);
    failures += writeCase(parsed.name, line, report, std::move(error), out);
  }
  if (lines.bad())
    failures += writeCase(
        "", "", "", llvm::createStringError("cannot read the batch to its end"),
        out);
  return failures;
}

} // namespace mlir::tc
