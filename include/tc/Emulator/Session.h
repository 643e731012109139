//===- Session.h - Settings and report of an emulator -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the driver library, the C interface and tc-run share: settings by name,
// and a journal of all launches, which becomes the report. Both are documented
// in docs/Sanitize.md.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_SESSION_H
#define TC_EMULATOR_SESSION_H

#include "tc/Emulator/Emulator.h"
#include "tc/Emulator/Lines.h"
#include "tc/Emulator/Trace.h"
#include "tc/Target/Machine.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>

namespace tc::emulator {

/// A machine to tell times of, and the registers of a thread there, as
/// `ptxas -v` says; 0: not known.
struct TimedMachine {
  mlir::tc::Machine machine;
  int64_t registers = 0;
};

/// Counted and simulated times of a launch on one of them; none where no block
/// fits.
struct MachineTimes {
  std::string machine;
  unsigned blocksPerSm = 0;
  int64_t registers = 0; ///< as TimedMachine
  std::optional<CountedTime> counted;
  std::optional<mlir::tc::SimulatedTime> simulated; ///< level A
  std::optional<TracedTime> traced; ///< level B, of a launch that was traced
};
/// Those of what was counted in a launch, on each machine.
std::vector<MachineTimes> tellTimes(const LaunchReport &report,
                                    llvm::ArrayRef<TimedMachine> machines);
/// The same for people, with `hasTerms` what each term of the counted time is
/// made of.
void printTimes(const LaunchReport &report,
                llvm::ArrayRef<TimedMachine> machines, llvm::raw_ostream &os,
                bool hasTerms = false);

/// What may be set, for messages and for flags of tools.
struct SettingInfo {
  llvm::StringRef name;
  llvm::StringRef expected; ///< values in words: "a number of sites"
  llvm::StringRef meaning;  ///< "Tell of so many sites of a launch"
  llvm::StringRef form;     ///< values for --help: "N", "first|never"
};
/// Whatever Settings::set knows, in the order of the documentation.
std::vector<SettingInfo> listSettings();
/// The variable of the environment: "TC_EMU_SAMPLE_BLOCKS".
std::string getVariable(llvm::StringRef setting);

/// What a user may set.
struct Settings {
  LaunchOptions launch;
  std::vector<TimedMachine> machines; ///< to tell times of what is counted
  std::string report; ///< the file that the report goes to; empty: none
  std::string writeSuppressions; ///< the same for lines that suppress it
  bool backtraces = false;       ///< whether the driver notes who calls it
  bool lines = false;            ///< whether the report is by line, too
  std::string html;              ///< a file for a page of lines; empty: none
  std::string summary; ///< a file that gets a line at the end; empty: none
  /// What is checked and counted beyond bounds: launches of kernels that match,
  /// but for the first `skip`, `most` of them.
  struct Filter {
    std::string kernels = "*";
    uint64_t skip = 0, most = UINT64_MAX;
    uint64_t launches = 0; ///< that matched so far
  } filter;
  /// What goes to standard error.
  enum class Log { None, Findings, Calls } log = Log::Findings;

  /// Sets what is called `name` in listSettings(). Fails for another name and
  /// for a value that is not one of the option, and then changes nothing.
  llvm::Error set(llvm::StringRef name, llvm::StringRef value);
  /// Sets all that the environment has (getVariable).
  llvm::Error readEnvironment();
  /// The options of the next launch, of that kernel.
  LaunchOptions chooseOptions(llvm::StringRef kernel);
};

/// One launch that ran.
struct LaunchRecord {
  std::string kernel;
  Dim3 grid, block;
  uint32_t dynamicShared = 0; ///< bytes
  double seconds = 0;         ///< of the host
  /// The host's calls that led to it, the innermost first; known of launches
  /// with findings where it was asked for.
  std::vector<std::string> backtrace;
  LaunchReport report;

  /// The first error, or nothing.
  const Finding *getFault() const {
    for (const Finding &finding : report.findings)
      if (finding.isError())
        return &finding;
    return nullptr;
  }
};

/// A launch that a journal has begun.
struct JournalLaunch {
  Module *module;
  LaunchRecord record;
  std::unique_ptr<RunningLaunch> running;
};

/// Launches, as they ended, and findings in the order in which they came.
class Journal {
public:
  /// Runs a kernel with its module's options and keeps what it did. A fault of
  /// the kernel is a finding of the record, not an error; an error came before
  /// the kernel ran, and leaves no record.
  llvm::Expected<const LaunchRecord *>
  launch(Module &module, llvm::StringRef kernel, Dim3 grid, Dim3 block,
         uint32_t dynamicShared, llvm::ArrayRef<char> parameters,
         Memory &memory, const Cluster &cluster = {});
  /// The same bit by bit: `begin` checks the launch, and `run` goes on with it.
  /// Null while it is under way, as RunningLaunch::run says.
  llvm::Expected<JournalLaunch>
  begin(Module &module, llvm::StringRef kernel, Dim3 grid, Dim3 block,
        uint32_t dynamicShared, llvm::ArrayRef<char> parameters, Memory &memory,
        const Cluster &cluster = {}) const;
  /// Asks for the calls that led to a launch that something was found in.
  const LaunchRecord *
  run(JournalLaunch &launch, uint64_t patience,
      llvm::function_ref<std::vector<std::string>()> getBacktrace = nullptr);
  /// Keeps a finding that belongs to no launch.
  void add(Finding finding);
  /// Forgets all but how much there was.
  void clear();

  size_t countFindings() const { return findings; }
  /// These are of launches that were forgotten, too.
  size_t countErrors() const { return errors; }
  size_t countLaunches() const { return launched; }
  /// Lines that suppress what was found.
  std::set<std::string> getSuppressions() const;
  /// Of launches that were forgotten, too.
  const LineReport &getLines() const { return lines; }
  /// The report as JSON, with lines indented by that much; 0: on one line.
  std::string format(const Settings &settings, unsigned indent) const;
  /// Writes the report to a file that is whole at every moment.
  llvm::Error write(const Settings &settings, llvm::StringRef path) const;

private:
  std::vector<std::unique_ptr<LaunchRecord>> launches;
  std::vector<Finding> others;
  LineReport lines;
  size_t findings = 0;
  size_t errors = 0, launched = 0;
};

/// The JSON Schema of Journal::format.
std::string formatReportSchema();

} // namespace tc::emulator

namespace mlir::tc::schema {
template <>
const Structure<::tc::emulator::Settings> &describe();
} // namespace mlir::tc::schema

#endif // TC_EMULATOR_SESSION_H
