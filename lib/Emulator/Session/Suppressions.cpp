//===- Suppressions.cpp - Findings not to be told of ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads suppressions, and compares findings with them.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Suppressions.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator {

static bool isClass(StringRef word) {
  static const StringRef names[] = {"*",
#define TC_NAME(name, text, status) text,
                                    TC_FINDING_CLASSES(TC_NAME)
#undef TC_NAME
  };
  return llvm::is_contained(names, word);
}

static llvm::Error makeError(const Twine &place, const Twine &message) {
  return llvm::createStringError(std::errc::invalid_argument, "%s",
                                 (place + ": " + message).str().c_str());
}

static Expected<Suppressions::Line> parseLine(StringRef text,
                                              const std::string &place) {
  auto [what, rest] = llvm::getToken(text);
  auto [kernel, where] = llvm::getToken(rest);
  where = where.trim();
  if (!isClass(what))
    return makeError(place,
                     "expected a class of findings or '*', got '" + what + "'");
  if (kernel.empty())
    return makeError(place, "expected a kernel behind '" + what + "'");
  Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(kernel);
  if (!pattern)
    return makeError(place, llvm::toString(pattern.takeError()));
  Suppressions::Line line{place, text.str(), what.str(), std::move(*pattern)};
  if (where.empty() || !where.getAsInteger(10, line.line))
    return line;
  Expected<llvm::GlobPattern> glob = llvm::GlobPattern::create(where);
  if (!glob)
    return makeError(place, llvm::toString(glob.takeError()));
  line.where = std::move(*glob);
  return line;
}

Expected<std::shared_ptr<Suppressions>> Suppressions::parse(StringRef text,
                                                            StringRef path) {
  auto all = std::make_shared<Suppressions>();
  all->source = text.str();
  llvm::SmallVector<StringRef> lines;
  StringRef(all->source).split(lines, '\n');
  for (auto [i, line] : llvm::enumerate(lines)) {
    line = line.take_until([](char c) { return c == '#'; }).trim();
    if (line.empty())
      continue;
    Expected<Line> parsed = parseLine(line, (path + ":" + Twine(i + 1)).str());
    if (!parsed)
      return parsed.takeError();
    all->lines.push_back(std::move(*parsed));
  }
  return all;
}

Expected<std::shared_ptr<Suppressions>> Suppressions::read(StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return makeError(path, file.getError().message());
  return parse((*file)->getBuffer(), path);
}

static bool matches(const Suppressions::Line &line, const Finding &finding) {
  if ((line.what != "*" && line.what != getName(finding.what)) ||
      !line.kernel.match(finding.kernel))
    return false;
  auto isAt = [&](const Party &party) {
    if (line.line)
      return party.line == line.line;
    return !line.where || line.where->match(party.source) ||
           line.where->match(party.instruction);
  };
  return isAt(finding.at) || (finding.other && isAt(*finding.other));
}

bool Suppressions::suppress(const Finding &finding) {
  std::lock_guard<std::mutex> lock(mutex);
  for (Line &line : lines)
    if (matches(line, finding)) {
      ++line.findings;
      return true;
    }
  return false;
}

std::string Suppressions::summarize(bool withUnused) const {
  std::lock_guard<std::mutex> lock(mutex);
  std::string text;
  for (const Line &line : lines) {
    std::string by = line.place + " (`" + line.text + "`)\n";
    if (line.findings)
      text += "suppressed " + std::to_string(line.findings) +
              (line.findings == 1 ? " finding by " : " findings by ") + by;
    else if (withUnused)
      text += "suppressed nothing: " + by;
  }
  return text;
}

std::vector<Suppressions::Use> Suppressions::listUses() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<Use> uses;
  for (const Line &line : lines)
    uses.push_back({line.place, line.text, line.findings});
  return uses;
}

/// With nothing in it that a glob or a comment would take for its own.
static std::string quote(StringRef text) {
  std::string quoted;
  for (char c : text)
    quoted += StringRef("[]*?\\{}^#").contains(c) ? '?' : c;
  return quoted;
}

std::string makeSuppression(const Finding &finding) {
  std::string line = getName(finding.what);
  line += " " + (finding.kernel.empty() ? "*" : quote(finding.kernel));
  // Lines of the source outlive another compilation.
  if (!finding.at.source.empty())
    line += " *" + quote(llvm::sys::path::filename(finding.at.source));
  else if (finding.at.line)
    line += " " + std::to_string(finding.at.line);
  return line;
}

} // namespace tc::emulator
