//===- Journal.cpp - What an emulator's launches did
//----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps what launches did.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Session.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileUtilities.h"

#include <chrono>

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace tc::emulator {

const char *getName(FindingClass what) {
  return mlir::tc::schema::getNames<FindingClass>()[size_t(what)].data();
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
  return mlir::tc::schema::getNames<Severity>()[size_t(severity)].data();
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

Error Journal::write(const Settings &settings, StringRef path) const {
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &os) {
    os << format(settings, /*indent=*/2) << '\n';
    return Error::success();
  });
}

} // namespace tc::emulator
