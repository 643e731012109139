//===- KernelRun.cpp - Run one kernel of a PTX file -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Inspect/KernelRun.h"

#include "KernelLaunch.h"

#include "tc/Arrays/Numbers.h"
#include "tc/Files/Files.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <cstring>

using namespace llvm;
using ::tc::emulator::Dim3;
using ::tc::emulator::KernelInfo;
using ::tc::emulator::LaunchRecord;
using ::tc::emulator::Memory;
using ::tc::emulator::TimedMachine;

namespace mlir::tc {

namespace {

/// Where a buffer lies in the emulator's memory.
Expected<void *> makeBuffer(KernelArgument &argument, Memory &memory) {
  NumpyArray &data = argument.data;
  int64_t bytes = *countBytes(data.type, data.shape);
  bool isFilled = !argument.fill.empty();
  if (isFilled && bytes > physicalMemory())
    return createStringError(argument.where +
                             ": expected a buffer that fits into the "
                             "memory of this machine, got " +
                             Twine(bytes) + " bytes");
  Expected<void *> address = memory.allocate(
      bytes, isFilled ? Memory::Contents::Known : Memory::Contents::Fresh);
  if (!address)
    return errorIn(argument.where, address.takeError());
  if (!isFilled)
    return *address;
  if (Error error = fillBuffer(argument))
    return error;
  llvm::copy(data.bytes, static_cast<char *>(*address));
  data.bytes = {};
  return *address;
}

/// The parameters as the kernel wants them; buffers are made on the way.
Expected<std::vector<char>> pack(KernelLaunch &launch, const KernelInfo &info,
                                 Memory &memory,
                                 std::vector<void *> &addresses) {
  if (launch.arguments.size() != info.parameters.size())
    return createStringError("kernel '" + launch.kernel + "': expected " +
                             Twine(info.parameters.size()) +
                             " arguments, got " +
                             Twine(launch.arguments.size()));
  std::vector<char> packed(info.parameterBytes);
  for (auto [argument, place] : zip_equal(launch.arguments, info.parameters)) {
    unsigned bytes = argument.isBuffer ? 8 : bytesOf(argument.data.type);
    if (bytes != place.second)
      return createStringError(argument.where + ": expected an argument of " +
                               Twine(place.second) + " bytes, got " +
                               Twine(bytes));
    void *&address = addresses.emplace_back(nullptr);
    if (argument.isBuffer)
      if (Error error = makeBuffer(argument, memory).moveInto(address))
        return error;
    std::memcpy(&packed[place.first],
                argument.isBuffer ? static_cast<void *>(&address)
                                  : argument.data.bytes.data(),
                bytes);
  }
  return packed;
}

Error writeOutputs(KernelLaunch &launch, ArrayRef<void *> addresses) {
  for (auto [argument, address] : zip_equal(launch.arguments, addresses)) {
    if (argument.output.empty())
      continue;
    NumpyArray &data = argument.data;
    auto *bytes = static_cast<const char *>(address);
    data.bytes.assign(bytes, bytes + *countBytes(data.type, data.shape));
    if (Error error = writeFile(argument.output, formatNumpy(data)))
      return error;
  }
  return Error::success();
}

std::string describe(Dim3 dim) {
  return (Twine(dim.x) + "x" + Twine(dim.y) + "x" + Twine(dim.z)).str();
}

std::string formatRecord(const LaunchRecord &record) {
  std::string text;
  raw_string_ostream os(text);
  os << record.kernel << "<<<" << describe(record.grid) << ", "
     << describe(record.block) << ", " << record.dynamicShared << ">>>: ran "
     << (record.report.blocksRun ? record.report.blocksRun
                                 : record.grid.count())
     << " of " << record.grid.count() << " blocks in "
     << formatv("{0:f3}", record.seconds) << " s\n";
  for (const auto &finding : record.report.findings)
    os << getName(finding.what) << ": " << finding.text
       << describeCount(finding) << '\n';
  os << describeRest(record.report);
  if (!record.getFault())
    os << (record.report.findings.empty() ? "nothing found\n"
                                          : "no error found\n");
  if (record.report.fidelity)
    os << "fidelity: " << describeFidelity(*record.report.fidelity) << '\n';
  // What a kernel with a fault did says nothing of what it does.
  if (!record.getFault())
    os << record.report.countersText;
  return text;
}

/// The chip that PTX says it is for; the variant where that is the one known.
Expected<Machine> findTarget(StringRef ptx) {
  StringRef name = ptx.split(".target").second.ltrim().take_until(
      [](char c) { return c == ',' || isSpace(c); });
  Expected<Machine> machine = findMachine(name);
  if (machine)
    return machine;
  consumeError(machine.takeError());
  return findMachine((name + "a").str());
}

/// Times on the machines that were asked for, else on the chip that the kernel
/// is for.
std::string formatTimes(const LaunchRecord &record,
                        ArrayRef<TimedMachine> machines, StringRef ptx,
                        bool hasTerms) {
  if (!record.report.counts || record.getFault())
    return "";
  TimedMachine target;
  if (machines.empty()) {
    std::optional<Machine> machine = expectedToOptional(findTarget(ptx));
    if (!machine)
      return "";
    target.machine = *machine;
    machines = target;
  }
  std::string text;
  raw_string_ostream os(text);
  ::tc::emulator::printTimes(record.report, machines, os, hasTerms);
  return text;
}

/// By line of PTX.
std::string formatSites(const LaunchRecord &record) {
  if (!record.report.counts || record.getFault())
    return "";
  std::string text;
  raw_string_ostream os(text);
  record.report.counts->printSites(os);
  return text;
}

/// Those that the settings ask for.
Error writeFiles(const ::tc::emulator::Settings &settings,
                 const ::tc::emulator::Journal &journal, StringRef report) {
  if (!settings.report.empty())
    if (Error error = writeFile(settings.report, report))
      return error;
  if (!settings.html.empty())
    if (Error error =
            writeFile(settings.html, formatHtml(journal.getLines().makePage())))
      return error;
  if (settings.writeSuppressions.empty())
    return Error::success();
  std::string lines;
  for (const std::string &line : journal.getSuppressions())
    lines += line + "\n";
  return writeFile(settings.writeSuppressions, lines);
}

} // namespace

Expected<KernelRunResult> runKernel(const KernelRunOptions &options) {
  auto text = readFile(options.ptx);
  if (!text)
    return text.takeError();
  auto module = ::tc::emulator::Module::load((*text)->getBuffer());
  if (!module)
    return errorIn(options.ptx, module.takeError());
  Expected<KernelLaunch> launch = readKernelLaunch(options.launch);
  if (!launch)
    return launch.takeError();
  const KernelInfo *info = (*module)->find(launch->kernel);
  if (!info)
    return createStringError(options.ptx + ": the module has no kernel '" +
                             launch->kernel + "'");
  Memory memory;
  std::vector<void *> addresses;
  Expected<std::vector<char>> parameters =
      pack(*launch, *info, memory, addresses);
  if (!parameters)
    return parameters.takeError();
  (*module)->setOptions(options.settings.launch);
  ::tc::emulator::Journal journal;
  auto record =
      journal.launch(**module, launch->kernel, launch->grid, launch->block,
                     launch->shared, *parameters, memory, launch->cluster);
  if (!record)
    return record.takeError();
  if (Error error = writeOutputs(*launch, addresses))
    return std::move(error);
  KernelRunResult result;
  result.json = journal.format(options.settings, 2) + "\n";
  result.text =
      formatRecord(**record) +
      (options.settings.launch.suppressions
           ? options.settings.launch.suppressions->summarize(true)
           : "") +
      formatTimes(**record, options.settings.machines, (*text)->getBuffer(),
                  options.hasSites) +
      (options.hasSites ? formatSites(**record) : "") +
      (options.settings.lines ? formatText(journal.getLines().makePage()) : "");
  if (Error error = writeFiles(options.settings, journal, result.json))
    return std::move(error);
  result.findings = journal.countErrors();
  return result;
}

} // namespace mlir::tc
