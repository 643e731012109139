//===- KernelSection.cpp - What a kernel takes, and how long --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page/Sections.h"

#include "tc/Pages/Quantity.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mlir::tc {

std::string PageKernel::getName() const {
  if (counted)
    return counted->counts->kernel;
  if (report)
    return report->launch.kernel;
  return contraction->isNominal() ? "predicted, for nominal extents"
                                  : "predicted";
}

static std::string formatExtents(ArrayRef<int64_t> extents) {
  if (llvm::is_contained(extents, 0))
    return "computed by the host";
  return llvm::join(
      llvm::map_range(extents, [](int64_t n) { return std::to_string(n); }),
      " \u00d7 ");
}

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

static std::string orUnknown(std::optional<int64_t> value, StringRef unit) {
  return value ? std::to_string(*value) + " " + unit.str() : "not known";
}

static std::string writeResources(const PageKernel &kernel) {
  std::vector<std::pair<std::string, std::string>> facts;
  if (kernel.counted) {
    const ::tc::emulator::LaunchCounts &counts = *kernel.counted->counts;
    facts.push_back(
        {"grid", formatExtents({counts.grid.x, counts.grid.y, counts.grid.z})});
    facts.push_back({"block", formatExtents({counts.block.x, counts.block.y,
                                             counts.block.z})});
    facts.push_back(
        {"launches",
         std::to_string(kernel.launches) +
             (kernel.launches > 1 ? "; the first one is shown, all take " +
                                        formatTime(kernel.seconds) + ", counted"
                                  : "")});
    if (counts.isSampled())
      facts.push_back(
          {"sampled", llvm::formatv("{0} of {1} blocks ran; counts "
                                    "are scaled to the whole grid",
                                    counts.blocksRun, counts.grid.count())});
  } else if (kernel.report) {
    facts.push_back({"grid", formatExtents(kernel.report->launch.grid)});
    facts.push_back({"block", formatExtents(kernel.report->launch.block)});
  }
  const KernelReport *report = kernel.report;
  if (!report)
    return facts.empty() ? "" : formatFacts(facts);
  facts.push_back(
      {"ptxas",
       orUnknown(report->registers, "registers a thread") + "; " +
           orUnknown(report->spillBytes, "bytes spilled") + "; " +
           orUnknown(report->sharedBytes, "bytes of shared memory a block")});
  if (report->occupancy)
    facts.push_back(
        {"occupancy",
         llvm::formatv("{0:f2}, {1} blocks a multiprocessor",
                       *report->occupancy, report->blocksPerSm.value_or(0))});
  return formatFacts(facts);
}

static std::string orNothing(std::optional<int64_t> value) {
  return value ? std::to_string(*value) : "";
}

std::string writeResources(ArrayRef<PageKernel> kernels) {
  std::vector<std::vector<HtmlCell>> rows;
  for (const PageKernel &kernel : kernels) {
    const KernelReport &report = *kernel.report;
    rows.push_back(
        {kernel.getName(), formatExtents(report.launch.grid),
         formatExtents(report.launch.block), orNothing(report.registers),
         orNothing(report.spillBytes), orNothing(report.sharedBytes),
         report.occupancy ? llvm::formatv("{0:f2}", *report.occupancy).str()
                          : ""});
  }
  return "<p class=\"help\">Nothing is predicted of these; tc-run --count "
         "counts what they do. Registers and spilled bytes are of a thread, "
         "shared bytes of a block.</p>\n" +
         formatTable({{"kernel", HtmlContent::Prose},
                      {"grid", HtmlContent::Text},
                      {"block", HtmlContent::Text},
                      {"registers"},
                      {"spilled"},
                      {"shared"},
                      {"occupancy"}},
                     rows);
}

//===----------------------------------------------------------------------===//
// Times
//===----------------------------------------------------------------------===//

static StringRef getMeaning(StringRef term) {
  return llvm::StringSwitch<StringRef>(term)
      .Case("issue", "instructions of warps")
      .Cases({"f32", "f64", "f16"}, "lanes of arithmetic, in whole warps")
      .Case("integer", "lanes of integers: indices, loops")
      .Case("convert", "lanes of conversions")
      .Case("special", "lanes of special functions")
      .Case("memory", "lanes of loads, stores and shuffles")
      .Case("shared", "wavefronts of shared memory")
      .Case("l2", "bytes between L1 and L2")
      .Case("dram", "bytes between L2 and memory")
      .Default("multiply-adds of tensor units");
}

namespace {
/// One unit of the machine.
struct TermRow {
  double perSecond = 0;
  /// Amount and seconds.
  std::optional<std::pair<double, double>> predicted, counted;
};
} // namespace

using TermRows = llvm::MapVector<StringRef, TermRow>;

/// Those of both kinds by name. The model calls any tensor unit "tensor".
static TermRows listTerms(const PageKernel &kernel) {
  TermRows rows;
  StringRef tensor = "tensor";
  if (kernel.counted)
    for (const auto &term : kernel.counted->time.terms) {
      rows[term.name].perSecond = term.perSecond;
      rows[term.name].counted = {term.amount, term.seconds};
      if (StringRef(term.name).contains("mma."))
        tensor = term.name;
    }
  if (const KernelCost *cost = kernel.getCost())
    for (const CostTerm &term : cost->terms) {
      TermRow &row = rows[term.name == "tensor" ? tensor : term.name];
      row.perSecond = term.perSecond;
      row.predicted = {term.amount, term.seconds};
    }
  return rows;
}

static void addCells(std::vector<HtmlCell> &cells,
                     const std::optional<std::pair<double, double>> &term,
                     double perSecond, double longest) {
  cells.push_back(term ? formatQuantity(std::round(term->first), "") : "");
  if (!term || perSecond <= 0)
    cells.push_back(term ? "rate not known" : "");
  else
    cells.push_back(HtmlCell(formatTime(term->second),
                             longest > 0 ? term->second / longest : 0));
}

static std::string writeTerms(const PageKernel &kernel) {
  TermRows terms = listTerms(kernel);
  double longest = 0;
  for (const auto &[name, row] : terms)
    for (const auto &term : {row.predicted, row.counted})
      if (term)
        longest = std::max(longest, term->second);
  bool hasPredicted = kernel.getCost(), hasCounted = kernel.counted;
  std::vector<HtmlColumn> columns = {{"term", HtmlContent::Text},
                                     {"what it counts", HtmlContent::Text},
                                     {"rate of the chip"}};
  if (hasPredicted)
    columns.insert(columns.end(), {{"predicted amount"}, {"predicted time"}});
  if (hasCounted)
    columns.insert(columns.end(), {{"counted amount"}, {"counted time"}});
  std::vector<std::vector<HtmlCell>> rows;
  for (const auto &[name, row] : terms) {
    std::vector<HtmlCell> &cells = rows.emplace_back();
    cells.push_back(name);
    cells.push_back(getMeaning(name));
    cells.push_back(row.perSecond > 0 ? formatQuantity(row.perSecond, "")
                                      : "not known");
    if (hasPredicted)
      addCells(cells, row.predicted, row.perSecond, longest);
    if (hasCounted)
      addCells(cells, row.counted, row.perSecond, longest);
  }
  return formatTable(columns, rows);
}

/// The verdicts, a line for each kind of time.
static std::string writeTimes(const PageKernel &kernel) {
  std::vector<std::pair<std::string, std::string>> facts;
  auto add = [&](StringRef kind, const SimulatedTime &time) {
    facts.push_back(
        {kind.str(),
         llvm::formatv("{0}, most of it {1} ({2})", formatTime(time.seconds),
                       time.limiter.empty() ? "launch" : time.limiter,
                       describeError(time.error))});
  };
  if (const KernelCost *cost = kernel.getCost())
    add("predicted", cost->launch);
  if (kernel.counted) {
    const auto &time = kernel.counted->time;
    facts.push_back(
        {"counted",
         llvm::formatv("at least {0}, limited by {1}", formatTime(time.seconds),
                       time.limiter.empty() ? "nothing" : time.limiter)});
    if (kernel.counted->simulated)
      add("simulated", *kernel.counted->simulated);
    if (kernel.counted->traced)
      facts.push_back(
          {"simulated, level B", formatTime(kernel.counted->traced->seconds)});
  }
  return formatFacts(facts);
}

/// Where a block is, and for how long.
static std::string writeStations(const PageKernel &kernel) {
  std::vector<HtmlColumn> columns = {{"station", HtmlContent::Text}};
  SmallVector<const SimulatedTime *> times;
  if (const KernelCost *cost = kernel.getCost()) {
    columns.push_back({"predicted"});
    times.push_back(&cost->launch);
  }
  if (kernel.counted && kernel.counted->simulated) {
    columns.push_back({"counted"});
    times.push_back(&*kernel.counted->simulated);
  }
  llvm::MapVector<StringRef, std::vector<HtmlCell>> rows;
  for (auto [n, time] : llvm::enumerate(times))
    for (const StationTime &station : time->stations) {
      std::vector<HtmlCell> &row = rows[station.name];
      row.resize(times.size(), "");
      row[n] = llvm::formatv("{0:f0}", station.cycles).str();
    }
  if (rows.empty())
    return "";
  std::vector<std::vector<HtmlCell>> cells;
  for (auto &[name, row] : rows) {
    cells.push_back({name});
    llvm::append_range(cells.back(), row);
  }
  return "<h3>Cycles of a block at each station</h3>\n<p class=\"help\">Of "
         "the simulated time: what a block spends without waiting in "
         "queues, by what is predicted or counted.</p>\n" +
         formatTable(columns, cells);
}

std::string writeKernel(const PageKernel &kernel, const Machine &machine) {
  std::string section = writeResources(kernel);
  section += "<h3>Times</h3>\n" + writeTimes(kernel) + writeTerms(kernel) +
             "<p class=\"help\">A term is an amount over the rate of the "
             "chip, as if nothing else took time. The launch, " +
             formatTime(machine.launchSeconds) +
             ", and the longest term bound the time from below.</p>\n";
  if (std::string picture = drawRoofline(makeRoofline(kernel, machine));
      !picture.empty())
    section +=
        "<h3>Roofline</h3>\n<figure class=\"roofline\">\n" + picture +
        "</figure>\n<p class=\"help\">A time is a row of points, one for "
        "each level of memory, at the operations of the busiest unit: two "
        "for each multiply-add of a lane. The level whose point is nearest "
        "to its slope, or the ceiling, binds. Rates of the chip are those "
        "of its description.</p>\n";
  return section + writeStations(kernel);
}

} // namespace mlir::tc
