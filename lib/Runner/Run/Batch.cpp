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

#include <istream>

using namespace mlir;

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
} // namespace

/// "a=16,b=3" of {"a": 16, "b": 3}, or the text as it is. Fails for the rest.
static llvm::Expected<std::string> readSizes(const llvm::json::Value &value) {
  if (auto text = value.getAsString())
    return text->str();
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return llvm::createStringError("expected 'sizes' to be text or an object");
  SmallVector<std::string> entries;
  for (const auto &[label, extent] : *object) {
    std::optional<int64_t> number = extent.getAsInteger();
    if (!number)
      return llvm::createStringError("expected extents in 'sizes' to be "
                                     "integers of 64 bits");
    entries.push_back(label.str() + "=" + std::to_string(*number));
  }
  llvm::sort(entries); // the object is not in order
  return llvm::join(entries, ",");
}

/// The paths in an array of text.
static llvm::Expected<std::vector<std::string>>
readPaths(StringRef member, const llvm::json::Value &value) {
  std::vector<std::string> paths;
  const llvm::json::Array *array = value.getAsArray();
  if (!array)
    return llvm::createStringError("expected '" + member +
                                   "' to be an array of paths");
  for (const llvm::json::Value &path : *array) {
    auto text = path.getAsString();
    if (!text)
      return llvm::createStringError("expected paths in '" + member +
                                     "' to be text");
    paths.push_back(text->str());
  }
  return paths;
}

/// Sets members of `parsed` from those of `object`; refuses unknown ones.
static llvm::Error readMembers(const llvm::json::Object &object, Case &parsed) {
  const std::pair<StringRef, std::string *> texts[] = {
      {"case", &parsed.name},
      {"input", &parsed.input.path},
      {"dtype", &parsed.input.dtype},
      {"accumulate", &parsed.input.accumulate},
      {"run", &parsed.options.run},
      {"name", &parsed.input.name},
      {"chip", &parsed.options.compile.chip},
      {"schedule", &parsed.options.compile.schedule}};
  if (auto name = object.getString("case")) // errors name the case
    parsed.name = name->str();
  for (const auto &[key, value] : object) {
    StringRef name = key;
    if (name == "sizes") {
      if (llvm::Error error = readSizes(value).moveInto(parsed.input.sizes))
        return error;
      continue;
    }
    if (name == "einsum" && value.getAsString()) {
      parsed.input.einsum = value.getAsString()->str();
      continue;
    }
    if (name == "operands") { // as text, or as it is
      parsed.input.operands.clear();
      llvm::raw_string_ostream stream(parsed.input.operands);
      if (auto text = value.getAsString())
        stream << *text;
      else
        stream << value;
      continue;
    }
    if (name == "seed") {
      std::optional<int64_t> seed = value.getAsInteger();
      if (!seed)
        return llvm::createStringError("expected 'seed' to be an integer");
      parsed.options.seed = *seed;
      continue;
    }
    if (name == "inputs" || name == "outputs") {
      if (llvm::Error error =
              readPaths(name, value)
                  .moveInto((name == "inputs" ? parsed.options.inputs
                                              : parsed.options.outputs)))
        return error;
      continue;
    }
    auto *member = llvm::find_if(
        texts, [&](const auto &text) { return text.first == name; });
    auto text = value.getAsString();
    if (member == std::end(texts) || !text)
      return llvm::createStringError("expected a known member of text, got '" +
                                     name + "'");
    *member->second = text->str();
  }
  return llvm::Error::success();
}

/// Runs one case; on success `report` is its JSON. A wrong result is an error.
static llvm::Error runCase(StringRef line, Case &parsed, MLIRContext &context,
                           std::string &report) {
  llvm::Expected<llvm::json::Value> value = parseJson(line);
  if (!value)
    return value.takeError();
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return llvm::createStringError("expected a JSON object");
  if (llvm::Error error = readMembers(*object, parsed))
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
