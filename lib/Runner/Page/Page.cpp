//===- Page.cpp - One page of a program -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page/Sections.h"

#include "tc/Pages/Quantity.h"
#include "tc/Runner/Report.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace mlir;

namespace mlir::tc {

namespace {

/// Wide enough for pictures, and for 1280 pixels of a screen.
constexpr llvm::StringLiteral style = R"(
body { max-width: 1200px; margin: 1.5rem auto; padding: 0 1.5rem; }
h2 { border-top: 1px solid var(--rule); padding-top: 1rem; }
nav a { margin-right: 1rem; } a { color: inherit; }
figure { margin: .5rem 0; overflow-x: auto; } figure svg { display: block; }
p.verdict { font-size: 1.05rem; }
)";

using Facts = std::vector<std::pair<std::string, std::string>>;

/// Gathers one page.
class PageMaker {
public:
  PageMaker(const Program &program, const Compilation &compilation,
            const Machine &machine, const RunResult *run,
            const CountResult *count)
      : program(program), compilation(compilation), machine(machine), run(run),
        count(count) {
    if (count)
      listCounted();
    else
      listCompiled();
    matchContractions();
  }

  std::string make() {
    std::vector<HtmlPart> parts(1); // the head, which has the index
    parts.push_back(writeContractions());
    parts.push_back(writeKernels());
    parts.push_back(writePhases(compilation.phases));
    parts.push_back(writePtx(compilation, count));
    parts.front() = writeHead();
    return formatHtmlPage(getTitle(), parts);
  }

private:
  std::string getTitle() const {
    return program.problem ? program.problem->text : program.name;
  }

  /// The heading of the n-th of several, or of the only one; the index leads to
  /// it.
  std::string makeHeading(StringRef kind, size_t n, size_t all,
                          StringRef title) {
    std::string anchor = (kind + llvm::Twine(n)).str();
    std::string text = kind.str();
    text.front() = llvm::toUpper(text.front());
    if (all > 1)
      text += llvm::formatv(" {0} of {1}", n + 1, all);
    if (!title.empty())
      text += ": " + title.str();
    index.push_back({anchor, text});
    return "<h2 id=\"" + anchor + "\">" + escapeHtml(text) + "</h2>\n";
  }

  HtmlPart writeContractions() {
    HtmlPart part;
    const auto &all = compilation.contractions;
    for (auto [n, contraction] : llvm::enumerate(all))
      part.body += makeHeading("contraction", n, all.size(), "") +
                   writeComputation(contraction) + writeTiles(contraction) +
                   writeSchedule(contraction);
    return part;
  }

  HtmlPart writeKernels() {
    HtmlPart part;
    std::vector<PageKernel> timed, others;
    for (const PageKernel &kernel : kernels)
      (kernel.hasTimes() ? timed : others).push_back(kernel);
    for (auto [n, kernel] : llvm::enumerate(timed))
      part.body += makeHeading("kernel", n, timed.size(), kernel.getName()) +
                   writeKernel(kernel, machine);
    if (!others.empty())
      part.body +=
          makeHeading("kernels", 0, 1,
                      std::to_string(others.size()) + " without times") +
          writeResources(others);
    return part;
  }

  void listCounted() {
    for (const CountedLaunch &launch : count->launches) {
      auto isSame = [&](const PageKernel &kernel) {
        const auto &a = *kernel.counted->counts, &b = *launch.counts;
        return std::tie(a.kernel, a.grid.x, a.grid.y, a.grid.z, a.block.x,
                        a.block.y, a.block.z) ==
               std::tie(b.kernel, b.grid.x, b.grid.y, b.grid.z, b.block.x,
                        b.block.y, b.block.z);
      };
      auto found = llvm::find_if(kernels, isSame);
      if (found == kernels.end()) {
        kernels.push_back({findReport(launch.counts->kernel), &launch});
        found = std::prev(kernels.end());
      }
      ++found->launches;
      found->seconds += launch.time.seconds;
    }
  }

  void listCompiled() {
    for (const KernelReport &report : compilation.kernels)
      if (llvm::none_of(kernels, [&](const PageKernel &kernel) {
            return kernel.report->launch.kernel == report.launch.kernel &&
                   kernel.report->launch.grid == report.launch.grid;
          }))
        kernels.push_back({&report});
  }

  const KernelReport *findReport(StringRef kernel) const {
    for (const KernelReport &report : compilation.kernels)
      if (report.launch.kernel == kernel)
        return &report;
    return nullptr;
  }

  /// Contractions and kernels one by one, in order, if there are as many. An
  /// only contraction is of the kernel that is the most work: others add up
  /// parts. What is predicted for nominal extents is of no kernel.
  void matchContractions() {
    const auto &contractions = compilation.contractions;
    auto isNominal = [](const ScheduledContraction &contraction) {
      return contraction.isNominal();
    };
    bool isStatic = llvm::none_of(contractions, isNominal);
    if (isStatic && contractions.size() == kernels.size()) {
      for (auto [kernel, contraction] : llvm::zip(kernels, contractions))
        kernel.contraction = &contraction;
      return;
    }
    if (isStatic && contractions.size() == 1 && !kernels.empty()) {
      findMain()->contraction = &contractions.front();
      return;
    }
    for (const ScheduledContraction &contraction : contractions)
      if (contraction.cost)
        kernels.push_back({nullptr, nullptr, 0, 0, &contraction});
  }

  /// The kernel that takes longest, or has most threads where that is not
  /// known.
  std::vector<PageKernel>::iterator findMain() {
    auto getWork = [&](const PageKernel &kernel) {
      const HostLaunch *launch =
          kernel.report ? &kernel.report->launch : nullptr;
      double threads = launch ? llvm::product_of(launch->grid, 1.0) *
                                    llvm::product_of(launch->block, 1.0)
                              : 0;
      return count ? kernel.seconds : threads;
    };
    return llvm::max_element(kernels,
                             [&](const PageKernel &a, const PageKernel &b) {
                               return getWork(a) < getWork(b);
                             });
  }

  /// What it is, for what, and how long it takes.
  HtmlPart writeHead() const {
    Facts facts;
    if (program.problem)
      facts.push_back({"extents", program.problem->sizesText()});
    if (!program.types.empty())
      facts.push_back({"type", program.types});
    facts.push_back({"chip", compilation.chip + " (rates of the " +
                                 machine.product.str() + ")"});
    addTimes(facts);
    if (run)
      addRun(facts);
    HtmlPart head;
    head.style = style;
    head.body = formatFacts(facts) + writeIndex();
    return head;
  }

  void addTimes(Facts &facts) const {
    double predicted = 0, simulated = 0;
    for (const ScheduledContraction &contraction : compilation.contractions)
      predicted += contraction.cost ? contraction.cost->seconds : NAN;
    bool isNominal = llvm::any_of(compilation.contractions,
                                  [](const ScheduledContraction &contraction) {
                                    return contraction.isNominal();
                                  });
    if (predicted > 0)
      facts.push_back(
          {"predicted time",
           formatTime(predicted) + (isNominal ? " for nominal extents" : "")});
    if (!count)
      return;
    std::string counted = "at least " + formatTime(count->serialSeconds);
    if (count->launches.size() > 1)
      counted += llvm::formatv(
          " for {0} launches one after the other, {1} side by side",
          count->launches.size(),
          formatTime(std::max(count->longestSeconds, count->busiestSeconds)));
    facts.push_back({"counted time", counted});
    for (const CountedLaunch &launch : count->launches)
      simulated += launch.simulated ? launch.simulated->seconds : NAN;
    if (simulated > 0)
      facts.push_back({"simulated time", formatTime(simulated)});
  }

  void addRun(Facts &facts) const {
    facts.push_back({"ran", "on " + run->device});
    if (run->verified)
      facts.push_back(
          {"verified",
           llvm::formatv("{0}; largest relative error {1:e2}, tolerance {2:e2}",
                         *run->verified ? "yes"
                         : run->isWrong ? "WRONG"
                                        : "NOT JUDGED",
                         run->maxRelativeError, run->tolerance)});
  }

  std::string writeIndex() const {
    std::string list = "<nav><p>";
    for (const auto &[anchor, text] : index)
      list += "<a href=\"#" + anchor + "\">" + escapeHtml(text) + "</a>\n";
    return list + "<a href=\"#phases\">Phases</a>\n<a href=\"#ptx\">PTX</a>"
                  "</p></nav>\n";
  }

  const Program &program;
  const Compilation &compilation;
  const Machine &machine;
  const RunResult *run;
  const CountResult *count;
  std::vector<PageKernel> kernels;
  std::vector<std::pair<std::string, std::string>> index; ///< anchors, texts
};

} // namespace

/// The description of a chip for which something was compiled.
static Machine getMachine(const Compilation &compilation) {
  return cantFail(findMachine(compilation.chip));
}

std::string formatHtml(const Program &program, const Compilation &compilation,
                       const RunResult *result) {
  return PageMaker(program, compilation, getMachine(compilation), result,
                   /*count=*/nullptr)
      .make();
}

std::string formatHtml(const Program &program, const CountResult &result) {
  return PageMaker(program, result.compilation, result.machine,
                   /*run=*/nullptr, &result)
      .make();
}

} // namespace mlir::tc
