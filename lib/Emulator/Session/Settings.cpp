//===- Settings.cpp - Options of the emulator by name ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of options, for the environment, the C interface and the command
// line alike.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Session.h"

#include "tc/Schema/Structure.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstdlib>
#include <unistd.h>

using llvm::Error;
using llvm::StringRef;

namespace tc::emulator {

namespace {

/// Names of the values of an enumeration, in the order of its enumerators.
using Names = llvm::ArrayRef<StringRef>;
/// What TC_EMU_CHECKS may list.
constexpr std::pair<StringRef, uint32_t> checkNames[] = {
    {"none", 0},
    {"all", Checks::All.chosen},
    {"bounds", Checks::Bounds.chosen},
    {"misaligned", Checks::Misaligned},
    {"uninitialised", Checks::Uninitialised},
    {"races", Checks::Races},
    {"async", Checks::Async},
    {"streams", Checks::Streams},
    {"leaks", Checks::Leaks}};
constexpr StringRef stopNames[] = {"first", "never"};
constexpr StringRef scheduleNames[] = {"deterministic", "random",
                                       "adversarial"};
constexpr StringRef executionNames[] = {"warps", "masked", "threads"};
constexpr StringRef arithmeticNames[] = {"exact", "hardware"};
constexpr StringRef logNames[] = {"none", "findings", "calls"};
constexpr StringRef switchNames[] = {"0", "1"};

template <typename Enum>
bool read(Names names, StringRef value, Enum &place) {
  const auto *found = llvm::find(names, value);
  if (found == names.end())
    return false;
  place = static_cast<Enum>(found - names.begin());
  return true;
}

bool readNumber(StringRef value, uint64_t most, uint64_t &number) {
  return !value.getAsInteger(10, number) && number <= most;
}

template <typename Int>
bool readInto(StringRef value, Int &place) {
  uint64_t number = 0;
  if (!readNumber(value, std::numeric_limits<Int>::max(), number))
    return false;
  place = static_cast<Int>(number);
  return true;
}

/// "random:7"; the seed is 0 where there is none, and deterministic has none.
/// A list of checks; `-` takes one away, at the start from all of them.
bool readChecks(StringRef value, Checks &checks) {
  Checks read = value.starts_with("-") ? Checks::All : Checks::None;
  llvm::SmallVector<StringRef> items;
  value.split(items, ',');
  for (StringRef item : items) {
    bool isTaken = item.consume_front("-");
    const auto *found = llvm::find_if(
        checkNames, [&](const auto &entry) { return entry.first == item; });
    if (found == std::end(checkNames))
      return false;
    if (isTaken)
      read.chosen &= ~found->second;
    else
      read.chosen |= found->second;
  }
  checks = read;
  return true;
}

/// As `readChecks` reads it.
std::string print(Checks checks) {
  if (!checks.chosen)
    return "none";
  llvm::SmallVector<StringRef> parts;
  for (auto [name, chosen] : checkNames)
    if (chosen && (checks.chosen & chosen) == chosen) {
      checks.chosen &= ~chosen;
      parts.push_back(name);
    }
  if (checks.chosen)
    parts.append({"bounds", "-misaligned"});
  return llvm::join(parts, ",");
}

bool readSchedule(StringRef value, Schedule &schedule) {
  auto [kind, seed] = value.split(':');
  Schedule read;
  if (!emulator::read(scheduleNames, kind, read.kind))
    return false;
  bool hasSeed = value.contains(':');
  if (hasSeed && (read.kind == Schedule::Deterministic ||
                  !readNumber(seed, UINT64_MAX, read.seed)))
    return false;
  schedule = read;
  return true;
}

/// "V100:126,sm_80": machines, with registers a thread or without.
bool readMachines(StringRef value, std::vector<TimedMachine> &machines) {
  std::vector<TimedMachine> found;
  while (!value.empty()) {
    StringRef one;
    std::tie(one, value) = value.split(',');
    auto [name, registers] = one.split(':');
    TimedMachine timed;
    llvm::Expected<mlir::tc::Machine> machine =
        mlir::tc::findSimulatedMachine(name);
    if (!machine) {
      llvm::consumeError(machine.takeError());
      return false;
    }
    timed.machine = *machine;
    if (one.contains(':') && !readInto(registers, timed.registers))
      return false;
    found.push_back(timed);
  }
  machines = std::move(found);
  return true;
}

/// A file to write; several processes of one program have files of their own
/// by `%p`.
bool readPath(StringRef value, std::string &path) {
  path.clear();
  while (value.contains("%p")) {
    auto [before, after] = value.split("%p");
    path += before.str() + std::to_string(getpid());
    value = after;
  }
  path += value.str();
  return true;
}

struct Option : SettingInfo {
  bool (*read)(Settings &settings, StringRef value);
};

/// The error of the last file that was read.
std::string &getFileError() {
  static thread_local std::string error;
  return error;
}

/// An empty path takes them away.
bool readSuppressions(Settings &settings, StringRef path) {
  std::shared_ptr<Suppressions> read;
  if (!path.empty()) {
    auto parsed = Suppressions::read(path);
    if (!parsed) {
      getFileError() = llvm::toString(parsed.takeError());
      return false;
    }
    read = std::move(*parsed);
  }
  settings.launch.suppressions = read;
  return true;
}

bool readKernels(Settings &settings, StringRef value) {
  if (llvm::Error error = llvm::GlobPattern::create(value).takeError()) {
    llvm::consumeError(std::move(error));
    return false;
  }
  settings.filter.kernels = value.str();
  return true;
}

const Option options[] = {
    {{"checks",
      "a list of none, all, bounds, misaligned, uninitialised, races, async, "
      "streams and leaks, with - before those to leave out",
      "What is looked for", "none|bounds|all|races,-leaks,..."},
     [](Settings &s, StringRef v) { return readChecks(v, s.launch.checks); }},
    {{"stop", "first or never", "Whether a launch ends with its first error",
      "first|never"},
     [](Settings &s, StringRef v) {
       return read(stopNames, v, s.launch.stop);
     }},
    {{"finding-limit", "a number of sites",
      "Tell of so many sites of a launch (default 100)", "N"},
     [](Settings &s, StringRef v) {
       return readInto(v, s.launch.findingLimit);
     }},
    {{"suppressions", "a file of suppressions",
      "Do not tell of the findings that a file lists", "file"},
     readSuppressions},
    {{"write-suppressions", "the path of a file",
      "Write lines that suppress what was found", "file"},
     [](Settings &s, StringRef v) { return readPath(v, s.writeSuppressions); }},
    {{"kernels", "a glob of kernel names",
      "Check and count only kernels of these names", "glob"},
     readKernels},
    {{"launch-skip", "a number of launches",
      "Of their launches, leave out the first ones", "N"},
     [](Settings &s, StringRef v) { return readInto(v, s.filter.skip); }},
    {{"launch-count", "a number of launches",
      "Of their launches, check and count so many", "N"},
     [](Settings &s, StringRef v) { return readInto(v, s.filter.most); }},
    {{"schedule", "deterministic, random:SEED or adversarial:SEED",
      "The order of threads (default deterministic)",
      "deterministic|random:SEED|adversarial:SEED"},
     [](Settings &s, StringRef v) {
       return readSchedule(v, s.launch.schedule);
     }},
    {{"sample-blocks", "a number of blocks, 0 for all",
      "Run so many blocks, and scale what is counted", "N"},
     [](Settings &s, StringRef v) {
       return readInto(v, s.launch.sampleBlocks);
     }},
    {{"sample-seed", "a number", "Chooses these blocks", "N"},
     [](Settings &s, StringRef v) { return readInto(v, s.launch.sampleSeed); }},
    {{"count", "0 or 1", "Whether to count what launches do", "0|1"},
     [](Settings &s, StringRef v) {
       return read(switchNames, v, s.launch.count);
     }},
    {{"simulate", "0 or 1",
      "Whether to simulate a multiprocessor, instruction by instruction, "
      "wherever counting is on (level B)",
      "0|1"},
     [](Settings &s, StringRef v) {
       return read(switchNames, v, s.launch.trace);
     }},
    {{"machines",
      "machines, each with `:REGISTERS` or without, as V100:126,sm_90a "
      "(docs/Sanitize.md lists them)",
      "Tell times on these machines, with the registers of a thread that "
      "ptxas -v prints",
      "NAME[:REGISTERS],..."},
     [](Settings &s, StringRef v) { return readMachines(v, s.machines); }},
    {{"l1", "0 or 1", "Whether counted loads go by L1 (default 1)", "0|1"},
     [](Settings &s, StringRef v) {
       return read(switchNames, v, s.launch.cachesLoads);
     }},
    {{"execution", "warps, masked or threads",
      "How warps are run (default warps; threads is the slow reference)",
      "warps|masked|threads"},
     [](Settings &s, StringRef v) {
       return read(executionNames, v, s.launch.execution);
     }},
    {{"arithmetic", "exact or hardware",
      "How matrix instructions add: exactly (default), or as the tensor units "
      "of the chip",
      "exact|hardware"},
     [](Settings &s, StringRef v) {
       return read(arithmeticNames, v, s.launch.arithmetic);
     }},
    {{"workers", "a number of threads, 0 for one a core",
      "Threads of the host (default one a core)", "N"},
     [](Settings &s, StringRef v) { return readInto(v, s.launch.workers); }},
    {{"report", "the path of a file",
      "Write the report, as JSON; %p is the number of the process", "file"},
     [](Settings &s, StringRef v) { return readPath(v, s.report); }},
    {{"summary", "the path of a file",
      "When a process ends, add a line to a file: the number of the process, "
      "of its launches and of errors",
      "file"},
     [](Settings &s, StringRef v) { return readPath(v, s.summary); }},
    {{"backtraces", "0 or 1",
      "Whether to tell of the host's calls that led to a launch with findings, "
      "and to memory that leaks",
      "0|1"},
     [](Settings &s, StringRef v) {
       return read(switchNames, v, s.backtraces);
     }},
    {{"lines", "0 or 1",
      "Whether to report counts and findings by line of the PTX and of the "
      "source; counts",
      "0|1"},
     [](Settings &s, StringRef v) {
       if (!read(switchNames, v, s.lines))
         return false;
       s.launch.count |= s.lines;
       return true;
     }},
    {{"html", "the path of a file",
      "Write counts and findings by line as a page of HTML; counts", "file"},
     [](Settings &s, StringRef v) {
       s.launch.count |= !v.empty();
       return readPath(v, s.html);
     }},
    {{"log", "none, findings or calls",
      "What to write to standard error (default findings)",
      "none|findings|calls"},
     [](Settings &s, StringRef v) { return read(logNames, v, s.log); }},
};

/// For a value that is not one.
std::string explain(const SettingInfo &option, StringRef value) {
  std::string file = std::exchange(getFileError(), "");
  std::string text = ("expected " + option.expected).str();
  return text + (file.empty() ? ", got '" + value.str() + "'" : ": " + file);
}

Error makeError(const llvm::Twine &message) {
  return llvm::createStringError(std::errc::invalid_argument, "%s",
                                 message.str().c_str());
}

} // namespace

std::string getVariable(StringRef option) {
  std::string name = "TC_EMU_" + option.upper();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::vector<SettingInfo> listSettings() {
  return {std::begin(options), std::end(options)};
}

Error Settings::set(StringRef name, StringRef value) {
  for (const Option &option : options)
    if (option.name == name)
      return option.read(*this, value)
                 ? Error::success()
                 : makeError("option '" + name +
                             "': " + explain(option, value));
  std::string names = llvm::join(
      llvm::map_range(options, [](const Option &o) { return o.name.str(); }),
      ", ");
  return makeError("expected an option of " + names + ", got '" + name + "'");
}

Error Settings::readEnvironment() {
  for (const Option &option : options) {
    std::string variable = getVariable(option.name);
    const char *value = getenv(variable.c_str());
    if (value && !option.read(*this, value))
      return makeError(variable + ": " + explain(option, value));
  }
  return Error::success();
}

LaunchOptions Settings::chooseOptions(StringRef kernel) {
  LaunchOptions options = launch;
  auto pattern = llvm::GlobPattern::create(filter.kernels);
  bool isChosen = pattern && pattern->match(kernel);
  if (!pattern)
    llvm::consumeError(pattern.takeError());
  if (isChosen) {
    uint64_t before = filter.launches++;
    isChosen = before >= filter.skip && before - filter.skip < filter.most;
  }
  if (!isChosen) {
    // Without bounds, a wrong access would be one of the host.
    options.checks.chosen &= Checks::Bounds.chosen;
    options.count = options.trace = false;
  }
  return options;
}

static std::string formatSchedule(const Settings &settings) {
  const Schedule &schedule = settings.launch.schedule;
  std::string text = scheduleNames[schedule.kind].str();
  if (schedule.kind != Schedule::Deterministic)
    text += ":" + std::to_string(schedule.seed);
  return text;
}

} // namespace tc::emulator

namespace mlir::tc::schema {

template <>
const Structure<::tc::emulator::Settings> &
describe<::tc::emulator::Settings>() {
  using namespace ::tc::emulator;
  auto getChecks = [](const Settings &s) {
    return ::tc::emulator::print(s.launch.checks);
  };
  auto getStop = [](const Settings &s) {
    return stopNames[s.launch.stopsAtFirst() ? 0 : 1];
  };
  auto getExecution = [](const Settings &s) {
    return executionNames[static_cast<int>(s.launch.execution)];
  };
  auto getArithmetic = [](const Settings &s) {
    return arithmeticNames[static_cast<int>(s.launch.arithmetic)];
  };
  static const auto structure =
      Structure<Settings>("options", "How kernels were run.")
          .member("checks", getChecks, "as --checks takes them")
          .member("stop", getStop, "whether a kernel stops at its first error")
          .member("schedule", formatSchedule,
                  "the order of warps, as --schedule takes it")
          .member(
              "sample_blocks",
              [](const Settings &s) { return s.launch.sampleBlocks; },
              "the least number of blocks of each launch that run; 0: all")
          .member(
              "sample_seed",
              [](const Settings &s) { return s.launch.sampleSeed; },
              "of their choice")
          .member(
              "count", [](const Settings &s) { return s.launch.count; },
              "whether counts were asked for")
          .member("execution", getExecution, "how instructions are executed")
          .member("arithmetic", getArithmetic,
                  "whether sums of products are those of tensor units");
  return structure;
}

} // namespace mlir::tc::schema
