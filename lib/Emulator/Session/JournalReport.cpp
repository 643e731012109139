//===- JournalReport.cpp - The report of an emulator ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is written of a journal: views of what it keeps.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Session.h"
#include "tc/Schema/Document.h"

#include "llvm/ADT/StringExtras.h"

namespace tc::emulator {
namespace {

struct LaunchView {
  const LaunchRecord &record;
  std::vector<MachineTimes> times; ///< none where nothing was counted
};

struct FindingView {
  const Finding &finding;
  std::optional<size_t> launch;
};

struct JournalView {
  const Settings &settings;
  std::vector<LaunchView> launches;
  std::vector<FindingView> findings;
  std::optional<mlir::tc::LinePage> lines;
  std::optional<std::vector<Suppressions::Use>> suppressions;
};

llvm::StringRef getStatus(const LaunchView &launch) {
  static const llvm::StringRef names[] = {
#define TC_STATUS(name, text, status) "CUDA_ERROR_" #status,
      TC_FINDING_CLASSES(TC_STATUS)
#undef TC_STATUS
  };
  const Finding *fault = launch.record.getFault();
  return fault ? names[size_t(fault->what)] : "CUDA_SUCCESS";
}

std::string formatAddress(const Finding &finding) {
  if (!finding.address)
    return "";
  return "0x" + llvm::utohexstr(*finding.address, /*LowerCase=*/true);
}

} // namespace

std::string Journal::format(const Settings &settings, unsigned indent) const {
  JournalView view{settings, {}, {}, std::nullopt, std::nullopt};
  for (auto [i, launch] : llvm::enumerate(launches)) {
    const LaunchReport &report = launch->report;
    view.launches.push_back({*launch, {}});
    if (report.counts)
      view.launches.back().times = tellTimes(report, settings.machines);
    for (const Finding &finding : report.findings)
      view.findings.push_back({finding, i});
  }
  for (const Finding &finding : others)
    view.findings.push_back({finding, std::nullopt});
  if (settings.lines)
    view.lines = lines.makePage();
  if (settings.launch.suppressions)
    view.suppressions = settings.launch.suppressions->listUses();
  return mlir::tc::schema::format(view, indent);
}

} // namespace tc::emulator

namespace mlir::tc::schema {
using namespace ::tc::emulator;

void Codec<Dim3>::write(llvm::json::OStream &json, Dim3 dim) {
  Codec<std::array<uint32_t, 3>>::write(json, {dim.x, dim.y, dim.z});
}

void Codec<Dim3>::describe(llvm::json::OStream &json, Definitions &all) {
  Codec<std::array<uint32_t, 3>>::describe(json, all);
}

template <>
llvm::ArrayRef<llvm::StringLiteral> getNames<FindingClass>() {
  static constexpr llvm::StringLiteral names[] = {
#define TC_NAME(name, text, status) text,
      TC_FINDING_CLASSES(TC_NAME)
#undef TC_NAME
  };
  return names;
}

template <>
llvm::ArrayRef<llvm::StringLiteral> getNames<Severity>() {
  static constexpr llvm::StringLiteral names[] = {"error", "warning",
                                                  "information"};
  return names;
}

template <>
const Structure<Party> &describe<Party>() {
  static const auto structure =
      Structure<Party>("party",
                       "An instruction, and who ran it. What is not known is "
                       "left out.")
          .optional("line", &Party::line, "of the PTX, from 1")
          .optional("instruction", &Party::instruction, "as written")
          .optional("source", &Party::source, "file:line, where .loc tells")
          .optional("block", &Party::block, "its index along x, y and z")
          .optional("thread", &Party::thread, "its index along x, y and z");
  return structure;
}

template <>
const Structure<Finding> &describe<Finding>() {
  auto judge = [](const Finding &finding) {
    return ::tc::emulator::getSeverity(finding.what);
  };
  static const auto structure =
      Structure<Finding>("finding", "What is wrong, at its first occurrence.")
          .member("class", &Finding::what, "what is wrong")
          .member("severity", judge, "errors alone make a launch fail")
          .member("text", &Finding::text, "in full")
          .member("count", &Finding::count,
                  "how often it was seen at these places")
          .member("suppression", makeSuppression,
                  "a line for --suppressions that hides it")
          .optional("kernel", &Finding::kernel, "of the launch")
          .include(&Finding::at)
          .optional("address", formatAddress, "in hexadecimal")
          .optional("backtrace", &Finding::backtrace,
                    "of what belongs to no launch: the host's calls that led "
                    "to it, the innermost first")
          .optional("other", &Finding::other,
                    "the other party: of a race, an overwritten copy, ...");
  return structure;
}

template <>
const Structure<FindingView> &describe<FindingView>() {
  using View = FindingView;
  static const auto structure =
      Structure<View>("finding-of-launch", "A finding, and its launch.")
          .include(
              [](const View &view) -> const Finding & { return view.finding; })
          .member("launch", &View::launch,
                  "an index into launches; null if it belongs to none");
  return structure;
}

template <>
const Structure<MachineTimes> &describe<MachineTimes>() {
  using Times = MachineTimes;
  static const auto structure =
      Structure<Times>("times",
                       "Times of a launch on a machine; none if no block fits.")
          .member("machine", &Times::machine, "the chip")
          .member("blocks_per_multiprocessor", &Times::blocksPerSm,
                  "resident at a time")
          .optional("registers", &Times::registers,
                    "of a thread, as --machines says")
          .optional("counted", &Times::counted, "by amounts over rates")
          .optional("simulated", &Times::simulated, "level A")
          .optional("simulated_b", &Times::traced, "level B, with --simulate");
  return structure;
}

template <>
const Structure<LaunchView> &describe<LaunchView>() {
  using View = LaunchView;
  auto of = [](auto member) {
    return [member](const View &view) { return view.record.*member; };
  };
  auto ofReport = [](auto member) {
    return [member](const View &view) { return view.record.report.*member; };
  };
  auto getFidelity = [](const View &view) {
    return view.record.report.fidelity.get();
  };
  auto getCounts = [](const View &view) {
    return view.record.report.counts.get();
  };
  static const auto structure =
      Structure<View>("launch-record", "A launch that ran.")
          .member("kernel", of(&LaunchRecord::kernel), "its name")
          .member("grid", of(&LaunchRecord::grid), "along x, y and z", "blocks")
          .member("block", of(&LaunchRecord::block), "along x, y and z",
                  "threads")
          .member("dynamic_shared_bytes", of(&LaunchRecord::dynamicShared),
                  "shared memory that the launch asked for, per block", "bytes")
          .member("blocks_run", ofReport(&LaunchReport::blocksRun),
                  "blocks that ran")
          .member("status", getStatus, "as the driver returns it")
          .member("seconds", of(&LaunchRecord::seconds),
                  "wall-clock time of the host, which says nothing about a GPU",
                  "seconds")
          .optional("backtrace", of(&LaunchRecord::backtrace),
                    "with --backtraces, of a launch with findings: the host's "
                    "calls that led to it, the innermost first")
          .optional("fidelity", getFidelity,
                    "how closely instructions were executed")
          .optional("suppressed", ofReport(&LaunchReport::suppressed),
                    "places with findings that are suppressed")
          .optional("sites_left_out", ofReport(&LaunchReport::sitesLeftOut),
                    "places with findings beyond --finding-limit")
          .optional("counters", getCounts, "if counting was on")
          .optional("times", &View::times, "for each of --machines");
  return structure;
}

template <>
const Structure<Suppressions::Use> &describe<Suppressions::Use>() {
  using Use = Suppressions::Use;
  static const auto structure =
      Structure<Use>("suppression", "A line of --suppressions.")
          .member("place", &Use::place, "file:line")
          .member("text", &Use::text, "the line as it is there")
          .member("findings", &Use::findings, "places that it suppressed");
  return structure;
}

template <>
const Structure<JournalView> &describe<JournalView>() {
  using View = JournalView;
  auto getOptions = [](const View &view) -> const Settings & {
    return view.settings;
  };
  static const auto structure =
      Structure<View>("emulator-report", "What launches on the emulator did.")
          .member(
              "version", [](const View &) { return 1; },
              "grows when a name changes its meaning")
          .member("options", getOptions, "how kernels were run")
          .member("launches", &View::launches, "in order")
          .member("findings", &View::findings, "in order")
          .optional("lines", &View::lines,
                    "with --lines: each kernel line by line")
          .optional("suppressions", &View::suppressions,
                    "with --suppressions: what its lines did");
  return structure;
}

} // namespace mlir::tc::schema

std::string tc::emulator::formatReportSchema() {
  return mlir::tc::schema::formatSchema<JournalView>("report of the emulator");
}
