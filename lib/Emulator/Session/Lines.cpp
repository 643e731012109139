//===- Lines.cpp - What kernels cost and do wrong, by line ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the counts of launches to a page of lines.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Lines.h"

#include "tc/Files/Files.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir::tc;
using llvm::StringRef;

namespace tc::emulator {

namespace {

struct Column {
  LineColumn column;
  double (*get)(const LineCounts &);
};

const Column columns[] = {
    {{"slots", "slots",
      "Issue slots of warps: instructions without those that "
      "ptxas folds away [smsp__inst_issued]"},
     [](const LineCounts &l) { return double(l.slots); }},
    {{"warps", "warps", "Executions by a warp [smsp__inst_executed]"},
     [](const LineCounts &l) { return double(l.warps); }},
    {{"lanes", "lanes", "Lanes of 32 that take part, on average", false},
     [](const LineCounts &l) {
       return l.warps ? double(l.lanes) / double(l.warps) : 0;
     }},
    {{"divergent", "divergent", "Branches after which lanes parted"},
     [](const LineCounts &l) { return double(l.divergent); }},
    {{"sectors", "sectors",
      "32-byte sectors of global memory that requests "
      "touch [memory_l2_theoretical_sectors_global]"},
     [](const LineCounts &l) { return double(l.global.sectors); }},
    {{"ideal_sectors", "ideal",
      "The fewest sectors for the bytes asked for "
      "[memory_l2_theoretical_sectors_global_ideal]",
      false},
     [](const LineCounts &l) { return double(l.global.idealSectors); }},
    {{"l2_sectors", "to L2", "Sectors that L1 passes on to L2"},
     [](const LineCounts &l) { return double(l.global.l2Sectors); }},
    {{"wavefronts", "wavefronts",
      "Cycles that shared memory is busy "
      "[memory_l1_wavefronts_shared]"},
     [](const LineCounts &l) { return double(l.shared.wavefronts); }},
    {{"ideal_wavefronts", "ideal",
      "The fewest wavefronts for the words asked "
      "for [memory_l1_wavefronts_shared_ideal]",
      false},
     [](const LineCounts &l) { return double(l.shared.idealWavefronts); }},
    {{"local_sectors", "local", "Sectors of local memory that requests touch"},
     [](const LineCounts &l) { return double(l.local.sectors); }},
};
constexpr size_t findingsColumn = std::size(columns);

std::string describe(Dim3 dim) {
  return (llvm::Twine(dim.x) + "x" + llvm::Twine(dim.y) + "x" +
          llvm::Twine(dim.z))
      .str();
}

/// Lines of a source, from 1; empty where it cannot be read, or is too long to
/// be shown as a whole.
std::vector<std::string> readSource(StringRef path) {
  constexpr uint64_t most = 4 << 20;
  uint64_t bytes = 0;
  if (llvm::sys::fs::file_size(path, bytes) || bytes > most)
    return {};
  auto file = readFile(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  std::vector<std::string> lines;
  llvm::SmallVector<StringRef> parts;
  (*file)->getBuffer().split(parts, '\n');
  for (StringRef part : parts)
    lines.push_back(part.rtrim('\r').str());
  return lines;
}

bool isSame(const LineCounts &a, const LineCounts &b) {
  return a.line == b.line && a.text == b.text && a.file == b.file &&
         a.sourceLine == b.sourceLine;
}

} // namespace

void LineReport::add(const LaunchReport &report) {
  if (!report.counts)
    return;
  const LaunchCounts &counts = *report.counts;
  auto matches = [&](const Kernel &kernel) {
    return kernel.name == counts.kernel &&
           llvm::equal(kernel.lines, counts.lines, isSame);
  };
  auto found = llvm::find_if(kernels, matches);
  if (found == kernels.end()) {
    Kernel &added = kernels.emplace_back();
    added.name = counts.kernel;
    added.grid = counts.grid;
    added.block = counts.block;
    added.lines = counts.lines;
    found = std::prev(kernels.end());
  } else {
    for (auto [sum, line] : llvm::zip_equal(found->lines, counts.lines))
      sum += line;
  }
  ++found->launches;
  found->fidelity = report.fidelity;
  found->sampled += counts.isSampled();
  for (const Finding &finding : report.findings) {
    auto isKnown = [&](const auto &known) {
      return known.first.what == finding.what &&
             known.first.at.line == finding.at.line &&
             (known.first.other ? known.first.other->line : 0) ==
                 (finding.other ? finding.other->line : 0);
    };
    auto known = llvm::find_if(found->findings, isKnown);
    if (known != found->findings.end())
      known->second += finding.count;
    else
      found->findings.push_back({finding, finding.count});
  }
}

/// Makes the section of one kernel.
class LinePageMaker {
public:
  explicit LinePageMaker(const LineReport::Kernel &kernel) : kernel(kernel) {}

  LineSection make() {
    section.title = kernel.name + "<<<" + describe(kernel.grid) + ", " +
                    describe(kernel.block) + ">>>";
    section.facts.push_back({"launches", std::to_string(kernel.launches)});
    if (kernel.sampled)
      section.facts.push_back(
          {"sampled", std::to_string(kernel.sampled) +
                          " of them; counts are scaled to whole grids"});
    if (kernel.fidelity)
      section.facts.push_back({"fidelity", describeFidelity(*kernel.fidelity)});
    addInstructions();
    addNotes();
    addSources();
    addTotals();
    // Sources come first, as people read them.
    section.listings = std::move(sources);
    section.listings.push_back(std::move(ptx));
    return std::move(section);
  }

private:
  void addInstructions() {
    ptx.title = "PTX";
    for (const LineCounts &line : kernel.lines) {
      LineRow row;
      row.line = line.line;
      row.text = line.text;
      for (const Column &column : columns)
        row.numbers.push_back(column.get(line));
      row.numbers.push_back(0);
      if (!line.file.empty()) {
        row.listing =
            fileOf.try_emplace(line.file, fileOf.size()).first->second;
        row.of = line.sourceLine;
      }
      rowOf[line.line] = ptx.rows.size();
      ptx.rows.push_back(std::move(row));
    }
  }

  /// Each finding counts at its own line; the other party's is told of it.
  void addNotes() {
    for (const auto &[finding, count] : kernel.findings) {
      std::string often =
          count == 1 ? "" : " (" + std::to_string(count) + " times)";
      LineNote note{getName(getSeverity(finding.what)), finding.text + often};
      if (auto row = rowOf.find(finding.at.line); row != rowOf.end()) {
        ptx.rows[row->second].notes.push_back(note);
        ptx.rows[row->second].numbers[findingsColumn] += double(count);
      } else {
        section.facts.push_back({note.severity, note.text});
      }
      if (!finding.other || finding.other->line == finding.at.line)
        continue;
      note.text = "the other party of PTX line " +
                  std::to_string(finding.at.line) + ": " + note.text;
      if (auto row = rowOf.find(finding.other->line); row != rowOf.end())
        ptx.rows[row->second].notes.push_back(note);
    }
  }

  /// The sum of the instructions of each line of each source.
  void addSources() {
    sources.resize(fileOf.size());
    std::vector<std::map<unsigned, LineRow>> rows(sources.size());
    for (auto [line, row] : llvm::zip_equal(kernel.lines, ptx.rows)) {
      if (row.listing < 0)
        continue;
      LineRow &sum = rows[row.listing][row.of];
      sum.line = row.of;
      sum.numbers.resize(row.numbers.size());
      for (auto [i, number] : llvm::enumerate(row.numbers))
        sum.numbers[i] += number;
      llvm::append_range(sum.notes, row.notes);
      lanes[{row.listing, row.of}] += double(line.lanes);
    }
    for (const auto &[path, number] : fileOf) {
      LineListing &listing = sources[number];
      listing.title = path;
      std::vector<std::string> text = readSource(path);
      if (text.empty())
        listing.note = "the source is not there to be shown";
      for (auto &[line, row] : rows[number]) {
        size_t warps = 1, perWarp = 2; // of `columns`
        if (row.numbers[warps] > 0)
          row.numbers[perWarp] =
              lanes[{int(number), line}] / row.numbers[warps];
      }
      for (auto [i, line] : llvm::enumerate(text)) {
        LineRow &row = rows[number][i + 1];
        row.line = i + 1;
        row.text = line;
      }
      for (auto &[line, row] : rows[number])
        listing.rows.push_back(std::move(row));
    }
  }

  void addTotals() {
    LineCounts sum;
    for (const LineCounts &line : kernel.lines)
      sum += line;
    for (const Column &column : columns)
      section.totals.push_back(column.get(sum));
    double findings = 0;
    for (const LineRow &row : ptx.rows)
      findings += row.numbers[findingsColumn];
    section.totals.push_back(findings);
  }

  const LineReport::Kernel &kernel;
  LineSection section;
  LineListing ptx;
  std::vector<LineListing> sources;
  std::map<std::string, size_t> fileOf; ///< path -> listing
  std::map<unsigned, size_t> rowOf;     ///< line -> row of `ptx`
  std::map<std::pair<int, unsigned>, double> lanes;
};

LinePage LineReport::makePage() const {
  LinePage page;
  page.title = "Kernels by line";
  for (const Column &column : columns)
    page.columns.push_back(column.column);
  page.columns.push_back(
      {"findings", "findings", "How often something was found here", true});
  for (const Kernel &kernel : kernels)
    page.sections.push_back(LinePageMaker(kernel).make());
  return page;
}

} // namespace tc::emulator
