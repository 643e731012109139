//===- Batch.cpp - Many runs in one process -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Batch.h"

#include "Report/ReportViews.h"

#include "tc/Schema/Document.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <istream>

using namespace mlir;
using Json = llvm::json::Value;

namespace mlir::tc {

/// No case needs more; what has no end is not a batch.
static constexpr size_t maxLineBytes = size_t(64) << 20;

namespace {
/// Extents as text, "a=16,b=3", or an object of them.
using SizesMember = std::variant<std::map<std::string, int64_t>, std::string>;

/// One line of the batch. Members that are not there are as the options say.
struct Case {
  std::string name;
  InputOptions input;
  RunOptions options;
  std::optional<SizesMember> sizes;
  std::optional<std::string> operands;
};

/// What became of a line.
struct Answer {
  std::string name;
  std::optional<std::string> error, problem;
  std::string report; ///< JSON
};
} // namespace

namespace schema {
namespace {
/// Text, or any JSON, whose text it is then.
struct TextOfJson {
  static llvm::Error read(const llvm::json::Value &from, const Place &place,
                          std::string &text) {
    if (from.getAsString())
      return Codec<std::string>::read(from, place, text);
    text = llvm::formatv("{0}", from);
    return llvm::Error::success();
  }
  static void write(llvm::json::OStream &json, const std::string &text) {
    json.value(text);
  }
  static void describe(llvm::json::OStream &, Definitions &) {}
};

/// The report of a run, which is JSON already.
struct Report {
  static void write(llvm::json::OStream &json, const std::string &text) {
    json.rawValue(text);
  }
  static llvm::Error read(const llvm::json::Value &from, const Place &,
                          std::string &text) {
    text = llvm::formatv("{0}", from);
    return llvm::Error::success();
  }
  static void describe(llvm::json::OStream &json, Definitions &all) {
    Codec<RunView>::describe(json, all);
  }
};
} // namespace

template <>
const Structure<InputOptions> &describe<InputOptions>() {
  using Input = InputOptions;
  static const auto structure =
      Structure<Input>("input", "A program.")
          .optional("input", &Input::path, "the path of an MLIR file")
          .optional("einsum", &Input::einsum, "subscripts")
          .optional("dtype", &Input::dtype, "element types, as --dtype")
          .optional("accumulate", &Input::accumulate, "the type of sums")
          .optional("precision", &Input::precision, "of products of f32")
          .optional("name", &Input::name, "of the function");
  return structure;
}

template <>
const Structure<CompileOptions> &describe<CompileOptions>() {
  using Options = CompileOptions;
  static const auto structure =
      Structure<Options>("compile-options", "How it is compiled.")
          .optional("chip", &Options::chip, "the target")
          .optional("schedule", &Options::schedule, "a #tc.schedule");
  return structure;
}

template <>
const Structure<RunOptions> &describe<RunOptions>() {
  using Options = RunOptions;
  static const auto structure =
      Structure<Options>("run-options", "How it is run.")
          .include(&Options::compile)
          .optional("run", &Options::run, "dynamic extents of each run")
          .optional("seed", &Options::seed,
                    "of the arguments that no file gives")
          .optional("inputs", &Options::inputs, "paths of .npy files")
          .optional("outputs", &Options::outputs, "paths of .npy files");
  return structure;
}

template <>
const Structure<Case> &describe<Case>() {
  static const auto structure =
      Structure<Case>("case",
                      "A line of a batch. Options apply where members are left "
                      "out.")
          .optional("case", &Case::name, "a name for the answer")
          .include(&Case::input)
          .optional("sizes", &Case::sizes,
                    "extents by label: text as --sizes, or an object")
          .optional<TextOfJson>("operands", &Case::operands,
                                "as --operands: text, or the JSON itself")
          .include(&Case::options);
  return structure;
}

template <>
const Structure<Answer> &describe<Answer>() {
  static const auto structure =
      Structure<Answer>("answer", "What became of a line of a batch.",
                        Order::AsDescribed)
          .member("case", &Answer::name, "the name that the line gave")
          .optional("error", &Answer::error, "what went wrong")
          .optional("problem", &Answer::problem, "the line, after an error")
          .optional<Report>("report", &Answer::report,
                            "of the run; after a wrong result, too");
  return structure;
}
} // namespace schema

static std::string formatSizes(const SizesMember &sizes) {
  if (auto *text = std::get_if<std::string>(&sizes))
    return *text;
  auto format = [](const auto &extent) {
    return extent.first + "=" + std::to_string(extent.second);
  };
  return llvm::join(llvm::map_range(std::get<0>(sizes), format), ",");
}

/// Runs one case; on success `report` is its JSON. A wrong result is an error.
static llvm::Error runCase(StringRef line, Case &parsed, MLIRContext &context,
                           std::string &report) {
  llvm::Expected<Json> value = schema::parseText(line, "case");
  if (!value)
    return value.takeError();
  if (llvm::Error error =
          schema::Codec<Case>::read(*value, schema::Place("case"), parsed))
    return error;
  if (parsed.sizes)
    parsed.input.sizes = formatSizes(*parsed.sizes);
  if (parsed.operands)
    parsed.input.operands = *parsed.operands;
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
  Answer answer{name.str(), std::nullopt, std::nullopt, report.rtrim().str()};
  bool isFailed = bool(error);
  if (error) {
    answer.error = toString(std::move(error));
    answer.problem = line.str();
  }
  out << schema::format(answer) << '\n';
  out.flush();
  return isFailed;
}

std::string formatBatchSchema() {
  return schema::formatSchema<Case>("line of a batch");
}

std::string formatAnswerSchema() {
  return schema::formatSchema<Answer>("answer to a line of a batch");
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
    Case parsed{"", input, options, std::nullopt, std::nullopt};
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
