//===- Journal.cpp - The report of an emulator ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps what launches did, and writes it as JSON.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Session.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"

#include <chrono>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
namespace json = llvm::json;

namespace tc::emulator {

const char *getName(FindingClass what) {
  static const char *const names[] = {
#define TC_NAME(name, text, status) text,
      TC_FINDING_CLASSES(TC_NAME)
#undef TC_NAME
  };
  return names[static_cast<int>(what)];
}

/// The driver's status after a finding.
Severity getSeverity(FindingClass what) {
  switch (what) {
  case FindingClass::SameValue:
    return Severity::Information;
  case FindingClass::Layout:
  case FindingClass::Leak:
    return Severity::Warning;
  default:
    return Severity::Error;
  }
}

const char *getName(Severity severity) {
  static const char *const names[] = {"error", "warning", "information"};
  return names[static_cast<int>(severity)];
}

static const char *getStatus(const Finding *finding) {
  static const char *const names[] = {
#define TC_STATUS(name, text, status) "CUDA_ERROR_" #status,
      TC_FINDING_CLASSES(TC_STATUS)
#undef TC_STATUS
  };
  return finding ? names[static_cast<int>(finding->what)] : "CUDA_SUCCESS";
}

static json::Value toJson(Dim3 dim) { return json::Array{dim.x, dim.y, dim.z}; }

/// What is known of a party, into `object`.
static void describe(const Party &party, json::Object &object) {
  if (party.line)
    object["line"] = party.line;
  if (!party.instruction.empty())
    object["instruction"] = party.instruction;
  if (!party.source.empty())
    object["source"] = party.source;
  if (party.block)
    object["block"] = toJson(*party.block);
  if (party.thread)
    object["thread"] = toJson(*party.thread);
}

json::Value toJson(const Finding &finding) {
  json::Object object{{"class", getName(finding.what)},
                      {"severity", getName(getSeverity(finding.what))},
                      {"text", finding.text},
                      {"count", finding.count},
                      {"suppression", makeSuppression(finding)}};
  if (!finding.kernel.empty())
    object["kernel"] = finding.kernel;
  describe(finding.at, object);
  if (finding.address)
    object["address"] = "0x" + llvm::utohexstr(*finding.address, true);
  if (!finding.backtrace.empty())
    object["backtrace"] = json::Array(finding.backtrace);
  if (finding.other) {
    json::Object other;
    describe(*finding.other, other);
    object["other"] = std::move(other);
  }
  return object;
}

std::string describeCount(const Finding &finding) {
  if (finding.count == 1)
    return "";
  return " (" + std::to_string(finding.count) + " times)";
}

std::string describeRest(const LaunchReport &report) {
  if (!report.sitesLeftOut)
    return "";
  return "and findings at " + std::to_string(report.sitesLeftOut) +
         " more sites; option finding-limit tells more of them\n";
}

static json::Value toJson(const LaunchRecord &launch,
                          llvm::ArrayRef<TimedMachine> machines) {
  json::Object object{{"kernel", launch.kernel},
                      {"grid", toJson(launch.grid)},
                      {"block", toJson(launch.block)},
                      {"dynamic_shared_bytes", launch.dynamicShared},
                      {"blocks_run", launch.report.blocksRun},
                      {"status", getStatus(launch.getFault())},
                      {"seconds", launch.seconds}};
  if (!launch.backtrace.empty())
    object["backtrace"] = json::Array(launch.backtrace);
  if (launch.report.fidelity)
    object["fidelity"] = toJson(*launch.report.fidelity);
  if (launch.report.suppressed)
    object["suppressed"] = launch.report.suppressed;
  if (launch.report.sitesLeftOut)
    object["sites_left_out"] = launch.report.sitesLeftOut;
  if (!launch.report.counters.empty())
    object["counters"] = json::Object(launch.report.counters);
  if (launch.report.counts && !machines.empty())
    object["times"] = timesToJson(launch.report, machines);
  return object;
}

/// The class of a fault that came without a finding.
static FindingClass classify(FaultKind kind) {
  switch (kind) {
  case FaultKind::Address:
    return FindingClass::OutOfBounds;
  case FaultKind::Alignment:
    return FindingClass::Misaligned;
  case FaultKind::Timeout:
    return FindingClass::Deadlock;
  case FaultKind::Assertion:
    return FindingClass::Assert;
  case FaultKind::Failure:
    return FindingClass::Trap;
  }
  return FindingClass::Trap;
}

Expected<JournalLaunch>
Journal::begin(Module &module, StringRef kernel, Dim3 grid, Dim3 block,
               uint32_t dynamicShared, llvm::ArrayRef<char> parameters,
               Memory &memory, const Cluster &cluster) const {
  auto running = module.begin(kernel, grid, block, dynamicShared, parameters,
                              memory, cluster);
  if (!running)
    return running.takeError();
  JournalLaunch launch{&module, {}, std::move(*running)};
  launch.record.kernel = kernel.str();
  launch.record.grid = grid;
  launch.record.block = block;
  launch.record.dynamicShared = dynamicShared;
  return launch;
}

const LaunchRecord *
Journal::run(JournalLaunch &launch, uint64_t patience,
             llvm::function_ref<std::vector<std::string>()> getBacktrace) {
  using Clock = std::chrono::steady_clock;
  LaunchRecord &record = launch.record;
  Clock::time_point start = Clock::now();
  Expected<bool> ended = launch.running->run(patience);
  record.seconds += std::chrono::duration<double>(Clock::now() - start).count();
  if (ended && !*ended)
    return nullptr;
  std::optional<Finding> fault;
  llvm::handleAllErrors(
      ended.takeError(),
      [&](const emulator::Fault &f) {
        fault.emplace();
        fault->what = classify(f.getKind());
        fault->text = f.getReport();
      },
      // What is prepared in the first turn may find no memory on the host.
      [&](const llvm::ErrorInfoBase &info) {
        fault.emplace();
        if (info.convertToErrorCode() == std::errc::not_enough_memory)
          fault->what = FindingClass::OutOfMemory;
        fault->text = info.message();
      });
  record.report = launch.module->getReport();
  if (fault && !record.getFault())
    record.report.findings.push_back(std::move(*fault));
  for (Finding &finding : record.report.findings)
    finding.kernel = record.kernel;
  if (getBacktrace && !record.report.findings.empty())
    record.backtrace = getBacktrace();
  findings += record.report.findings.size();
  errors += llvm::count_if(record.report.findings,
                           [](const Finding &one) { return one.isError(); });
  ++launched;
  lines.add(record.report);
  launches.push_back(std::make_unique<LaunchRecord>(std::move(record)));
  return launches.back().get();
}

Expected<const LaunchRecord *>
Journal::launch(Module &module, StringRef kernel, Dim3 grid, Dim3 block,
                uint32_t dynamicShared, llvm::ArrayRef<char> parameters,
                Memory &memory, const Cluster &cluster) {
  Expected<JournalLaunch> begun = begin(
      module, kernel, grid, block, dynamicShared, parameters, memory, cluster);
  if (!begun)
    return begun.takeError();
  return run(*begun, RunningLaunch::unlimited);
}

std::set<std::string> Journal::getSuppressions() const {
  std::set<std::string> lines;
  for (const auto &launch : launches)
    for (const Finding &finding : launch->report.findings)
      lines.insert(makeSuppression(finding));
  for (const Finding &finding : others)
    lines.insert(makeSuppression(finding));
  return lines;
}

void Journal::add(Finding finding) {
  errors += finding.isError();
  others.push_back(std::move(finding));
  ++findings;
}

void Journal::clear() {
  launches.clear();
  others.clear();
  findings = 0;
}

json::Value Journal::toJson(const Settings &settings) const {
  json::Array allLaunches, allFindings;
  auto add = [&](const Finding &finding, json::Value launch) {
    json::Value value = emulator::toJson(finding);
    (*value.getAsObject())["launch"] = std::move(launch);
    allFindings.push_back(std::move(value));
  };
  for (auto [i, launch] : llvm::enumerate(launches)) {
    allLaunches.push_back(emulator::toJson(*launch, settings.machines));
    for (const Finding &finding : launch->report.findings)
      add(finding, i);
  }
  for (const Finding &finding : others)
    add(finding, nullptr);
  json::Object report{{"version", 1},
                      {"options", settings.toJson()},
                      {"launches", std::move(allLaunches)},
                      {"findings", std::move(allFindings)}};
  if (settings.lines)
    report["lines"] = mlir::tc::toJson(lines.makePage());
  if (settings.launch.suppressions)
    report["suppressions"] = settings.launch.suppressions->toJson();
  return report;
}

Error Journal::write(const Settings &settings, StringRef path) const {
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << llvm::formatv("{0:2}\n", toJson(settings));
    return Error::success();
  });
}

} // namespace tc::emulator
