//===- tc-emu.cpp - Run kernels and CUDA programs on the CPU --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Help.h"
#include "../OutOfMemory.h"
#include "../Version.h"

#include "tc/Files/Files.h"
#include "tc/Inspect/HostProgram.h"
#include "tc/Inspect/KernelRun.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

#include <memory>

using namespace mlir::tc;
namespace cl = llvm::cl;
using tc::emulator::SettingInfo;
using tc::emulator::Settings;

static cl::SubCommand
    runCommand("run", "Run a program, with the emulator as its CUDA driver");
static cl::SubCommand kernelCommand("kernel",
                                    "Run one kernel of a PTX file, and count");

static cl::SubCommand
    schemaCommand("schema", "Print the JSON Schema of the report, or of a "
                            "launch in a file");

static cl::opt<std::string> document(cl::Positional, cl::desc("report|launch"),
                                     cl::Required, cl::sub(schemaCommand));

static cl::OptionCategory emulation("Emulation",
                                    "The same as the variables TC_EMU_...");
static cl::OptionCategory category("Output");

static cl::opt<std::string> program(cl::Positional, cl::desc("PROGRAM"),
                                    cl::Required, cl::sub(runCommand));
static cl::list<std::string>
    arguments(cl::ConsumeAfter, cl::desc("[ARGUMENT...]"), cl::sub(runCommand));

static cl::opt<std::string> ptx(cl::Positional, cl::desc("FILE.ptx"),
                                cl::Required, cl::sub(kernelCommand));
static cl::opt<std::string>
    launch("launch",
           cl::desc("Its launch, as 'axpy<<<4, 256>>>(i32:1000, f32:2.0, "
                    "f32[1000]=random:1, f32[1000]=ones -> y.npy)', or a JSON "
                    "file that says the same"),
           cl::value_desc("launch"), cl::Required, cl::cat(category),
           cl::sub(kernelCommand));
static cl::opt<bool>
    sites("sites",
          cl::desc("In text: also counts by instruction, branch and loop, and "
                   "by line of PTX"),
          cl::cat(category), cl::sub(kernelCommand));
static cl::opt<bool> json("json", cl::desc("Report as one JSON object"),
                          cl::cat(category), cl::sub(kernelCommand));

static cl::opt<unsigned>
    errorExit("error-exit",
              cl::desc("The exit status when errors were found in a program "
                       "that itself returns 0 (default 1)"),
              cl::value_desc("N"), cl::init(1), cl::cat(category),
              cl::sub(runCommand));

static cl::extrahelp examples(R"(
EXAMPLES:
  tc-emu kernel axpy.ptx --launch='axpy<<<4, 256>>>(i32:1000, f32:2.0, f32[1000]=ones, f32[1000]=ones)'
  tc-emu run --checks=all --report=report.json ./program argument

Exit status of `tc-emu kernel`: 0 when no error was found, else 1; 125 when the
kernel could not be run. Of `tc-emu run`: that of the program, or 128 and the
number of the signal that ended it; when it is 0 and errors were found, that of
--error-exit; 125, 126 and 127 as of `env` when the program could not be
started: for another reason, because it is no program, because there is none.
)");

/// Whether `--count` is `--count=1`.
static bool isSwitch(const SettingInfo &info) { return info.form == "0|1"; }

/// One flag for each setting, by its own name.
static std::vector<std::unique_ptr<cl::opt<std::string>>> settingFlags;

static void addSettingFlags() {
  for (const SettingInfo &info : tc::emulator::listSettings()) {
    // tc-emu reads it itself.
    if (info.name == "summary")
      continue;
    auto flag = std::make_unique<cl::opt<std::string>>(
        info.name, cl::desc(info.meaning), cl::value_desc(info.form),
        cl::cat(emulation), cl::sub(runCommand), cl::sub(kernelCommand));
    if (isSwitch(info))
      flag->setValueExpectedFlag(cl::ValueOptional);
    settingFlags.push_back(std::move(flag));
  }
}

/// Settings that were given, each once it is known to be right.
static llvm::Error takeFlags(
    Settings &settings,
    std::vector<std::pair<std::string, std::string>> *environment = nullptr) {
  for (const auto &flag : settingFlags) {
    if (!flag->getNumOccurrences())
      continue;
    bool isBare =
        flag->empty() && flag->getValueExpectedFlag() == cl::ValueOptional;
    std::string value = isBare ? "1" : flag->getValue();
    if (llvm::Error error = settings.set(flag->ArgStr, value))
      return error;
    if (environment)
      environment->push_back({tc::emulator::getVariable(flag->ArgStr), value});
  }
  return llvm::Error::success();
}

static llvm::Expected<int> runKernelCommand() {
  KernelRunOptions options;
  options.ptx = ptx;
  options.launch = launch;
  options.hasSites = sites;
  // What the environment asks for counts, unless the command line says
  // otherwise.
  Settings &settings = options.settings;
  settings.launch.checks = tc::emulator::Checks::All;
  settings.launch.count = true;
  settings.launch.print = [](llvm::StringRef text) { llvm::outs() << text; };
  if (llvm::Error error = settings.readEnvironment())
    return std::move(error);
  if (llvm::Error error = takeFlags(settings))
    return std::move(error);
  llvm::Expected<KernelRunResult> result = runKernel(options);
  if (!result)
    return result.takeError();
  if (llvm::Error error = writeFile("-", json ? result->json : result->text))
    return std::move(error);
  if (!result->findings)
    return 0;
  llvm::WithColor::error(llvm::errs(), "tc-emu")
      << result->findings
      << (result->findings == 1 ? " finding\n" : " findings\n");
  return 1;
}

/// What the user should know beyond what the program and its driver said.
static void conclude(const HostProgramResult &result) {
  auto note = [](const llvm::Twine &text) {
    llvm::WithColor::note(llvm::errs(), "tc-emu") << text << '\n';
  };
  if (!result.signal.empty())
    note("the program was ended by a signal: " + result.signal);
  if (result.processes)
    note("kernels launched: " + llvm::Twine(result.launches) +
         ", errors found: " + llvm::Twine(result.errors));
  else
    note("the program did not call the CUDA driver");
  std::string reason = result.launches ? "" : explainRuntime(program);
  if (!reason.empty())
    note(reason);
}

static llvm::Expected<int> runProgramCommand() {
  HostProgramOptions options;
  options.program = program;
  options.arguments = arguments;
  Settings settings;
  // A sanitizer that looks for little by default would be of little use.
  settings.launch.checks = tc::emulator::Checks::All;
  if (!getenv("TC_EMU_CHECKS"))
    options.environment.push_back({"TC_EMU_CHECKS", "all"});
  if (llvm::Error error = takeFlags(settings, &options.environment))
    return std::move(error);
  llvm::Expected<HostProgramResult> result = runHostProgram(options);
  if (!result)
    return result.takeError();
  conclude(*result);
  return result->status == 0 && result->errors ? int(errorExit)
                                               : result->status;
}

static llvm::Expected<int> runSchemaCommand() {
  if (document != "report" && document != "launch")
    return llvm::createStringError("expected report or launch, got '" +
                                   document + "'");
  llvm::outs() << (document == "report" ? tc::emulator::formatReportSchema()
                                        : formatLaunchSchema());
  return 0;
}

int main(int argc, char **argv) {
  flags::exitWhenOutOfMemory("tc-emu");
  flags::setVersion();
  llvm::InitLLVM init(argc, argv);
  flags::hideOptionsOfLLVM();
  addSettingFlags();
  constexpr int couldNotRun = int(StartFault::Other);
  if (!cl::ParseCommandLineOptions(
          argc, argv,
          "Runs CUDA kernels on the CPU, finds their faults, and counts what "
          "they do\n",
          &llvm::errs()))
    return couldNotRun;
  llvm::Expected<int> status =
      kernelCommand   ? runKernelCommand()
      : runCommand    ? runProgramCommand()
      : schemaCommand ? runSchemaCommand()
                      : llvm::createStringError("expected a command: kernel, "
                                                "run or schema; see --help");
  if (status)
    return *status;
  int failed = couldNotRun;
  llvm::handleAllErrors(
      status.takeError(),
      [&](const StartError &error) {
        failed = int(error.getFault());
        llvm::WithColor::error(llvm::errs(), "tc-emu")
            << error.message() << '\n';
      },
      [&](const llvm::ErrorInfoBase &error) {
        llvm::WithColor::error(llvm::errs(), "tc-emu")
            << error.message() << '\n';
      });
  return failed;
}
