//===- tc-compile.cpp - An MLIR file or an einsum to a kernel -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../OutOfMemory.h"
#include "../ProgramFlags.h"
#include "../SchemaFlag.h"
#include "../Version.h"

#include "tc/Files/Files.h"
#include "tc/Runner/Compile.h"
#include "tc/Runner/Package.h"
#include "tc/Runner/Report.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/BuryPointer.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

#include <memory>

using namespace mlir::tc;
namespace cl = llvm::cl;
using flags::Choice;

/// `Emit`, or a package.
enum class Output { tc, gpu, nvvm, llvm, ptx, cubin, package };
static_assert(int(Output::cubin) == int(Emit::cubin), "the same forms");
static Choice<Output> emit(
    "emit", cl::desc("What to write (default ptx)"), cl::init(Output::ptx),
    cl::values(clEnumValN(Output::tc, "tc", "the scheduled contraction"),
               clEnumValN(Output::gpu, "gpu", "kernel and host code, as MLIR"),
               clEnumValN(Output::nvvm, "nvvm",
                          "the kernel in the NVVM dialect"),
               clEnumValN(Output::llvm, "llvm", "the kernel as LLVM IR"),
               clEnumValN(Output::ptx, "ptx", "PTX text"),
               clEnumValN(Output::cubin, "cubin", "the output of ptxas"),
               clEnumValN(Output::package, "package",
                          "a directory to link with C: header, libraries, "
                          "kernels, manifest")),
    cl::cat(flags::category));
static cl::opt<std::string>
    outputPath("o",
               cl::desc("File to write; '-' is standard output, where it "
                        "goes when there is no report. The directory of a "
                        "package"),
               cl::value_desc("file"), cl::cat(flags::category));
static cl::list<std::string>
    chips("chips",
          cl::desc("Targets of a package (default sm_90a); 'none' makes it for "
                   "the CPU alone"),
          cl::value_desc("sm_NN,sm_NN|none"), cl::CommaSeparated,
          cl::cat(flags::category));
static cl::opt<std::string>
    packageName("package-name",
                cl::desc("Name of a package (default: that of its function)"),
                cl::value_desc("name"), cl::cat(flags::category));
static cl::opt<std::string>
    hostTriple("host-triple",
               cl::desc("Machine whose programs link a package (default: this "
                        "one's)"),
               cl::value_desc("triple"), cl::cat(flags::category));
static cl::opt<std::string>
    hostCpu("host-cpu",
            cl::desc("CPU of that machine, as LLVM knows it, or 'native' for "
                     "this machine's (default: any; for x86-64 a version for "
                     "each level from 2 to 4)"),
            cl::value_desc("cpu"), cl::cat(flags::category));
static cl::opt<unsigned>
    hostSchedules("host-schedules",
                  cl::desc("List so many schedules to try for each contraction "
                           "of a package on the CPU (see tc-tune --cpu)"),
                  cl::value_desc("count"), cl::init(0),
                  cl::cat(flags::category));
enum class ReportForm { none, json, html };
static Choice<ReportForm>
    report("report", cl::desc("Report on standard output"),
           cl::init(ReportForm::none),
           cl::values(clEnumValN(ReportForm::json, "json", "one JSON object"),
                      clEnumValN(ReportForm::html, "html",
                                 "a page: tiles, schedule, times, roofline, "
                                 "phases and PTX")),
           cl::cat(flags::category));

static cl::extrahelp examples(R"(
EXAMPLES:
  tc-compile matmul.mlir --chip=sm_90a -o matmul.ptx
  tc-compile --einsum='icaq,qbjk->abcijk' --sizes=i=16,c=16,a=16,q=16,b=16,j=16,k=16 -o sd.ptx
  tc-compile --einsum='ij,jk->ik' --sizes='i=?,j=?,k=?' --emit=cubin -o any.cubin
  tc-compile matmul.mlir --emit=package --chips=sm_80,sm_90a -o matmul
  tc-compile matmul.mlir --emit=package --chips=none --host-cpu=native -o matmul
  tc-compile matmul.mlir --emit=tc                   # the schedule that was chosen
  tc-compile matmul.mlir --report=json --remarks     # what it will cost, and why
  tc-compile matmul.mlir --report=html > matmul.html # the same as a page with pictures

tc-run compiles in the same way, and runs; tc-opt shows every pass between.
)");

/// Where the artifact goes; empty: nowhere.
static llvm::Expected<std::string> chooseOutput() {
  if (report == ReportForm::none)
    return outputPath.empty() ? std::string("-") : outputPath;
  if (outputPath == "-")
    return llvm::createStringError("expected -o to name a file when the report "
                                   "goes to standard output");
  return outputPath;
}

static llvm::Error writeForm(Program &program) {
  llvm::Expected<std::string> output = chooseOutput();
  if (!output)
    return output.takeError();
  if (!chips.empty())
    return llvm::createStringError("expected --chips with --emit=package; "
                                   "other forms take one --chip");
  CompileOptions options = flags::compileOptions();
  if (!output->empty() || emit.getNumOccurrences() != 0)
    options.emit = static_cast<Emit>(emit.getValue());
  options.wantsReport = report != ReportForm::none;
  options.wantsPage = report == ReportForm::html;
  llvm::Expected<Compilation> result = compile(program, options);
  if (!result)
    return result.takeError();
  llvm::errs() << result->notes;
  if (!output->empty())
    if (llvm::Error error = writeFile(*output, result->artifact))
      return error;
  if (!options.wantsReport)
    return llvm::Error::success();
  return writeFile("-", options.wantsPage
                            ? formatHtml(program, *result, /*result=*/nullptr)
                            : formatJson(program, *result, /*result=*/nullptr,
                                         /*pretty=*/true));
}

/// The chips of a package; without any it is for the CPU alone.
static llvm::Expected<std::vector<std::string>> choosePackageChips() {
  std::vector<std::string> chosen(chips.begin(), chips.end());
  if (chosen.empty())
    return std::vector<std::string>{flags::chip};
  if (flags::chip.getNumOccurrences() != 0)
    return llvm::createStringError("expected --chip or --chips, got both");
  for (const std::string &chip : chosen)
    if (llvm::count(chosen, chip) != 1)
      return llvm::createStringError("expected each chip once, got '" + chip +
                                     "' twice");
  if (!llvm::is_contained(chosen, "none"))
    return chosen;
  if (chosen.size() != 1)
    return llvm::createStringError("expected 'none' or chips, got both: '" +
                                   llvm::join(chosen, ",") + "'");
  const cl::Option *ofKernels[] = {&flags::schedule,
                                   std::addressof(flags::thresholds)};
  for (const cl::Option *option : ofKernels)
    if (option->getNumOccurrences() != 0)
      return llvm::createStringError(
          "expected no --" + option->ArgStr +
          " without a chip: it is about the kernels of GPUs");
  return std::vector<std::string>();
}

static llvm::Error writePackage(mlir::MutableArrayRef<Program> programs) {
  if (outputPath.empty() || outputPath == "-")
    return llvm::createStringError("expected -o to name the directory of the "
                                   "package");
  if (report != ReportForm::none)
    return llvm::createStringError("expected no --report with a package: its "
                                   "manifest has what there is to report");
  llvm::Expected<std::vector<std::string>> chosen = choosePackageChips();
  if (!chosen)
    return chosen.takeError();
  if (llvm::Error error = checkDirectory(outputPath))
    return error;
  PackageOptions options;
  options.compile = flags::compileOptions();
  options.compile.hostSchedules = hostSchedules;
  options.chips = std::move(*chosen);
  options.name = packageName;
  options.host = {hostTriple, hostCpu, /*features=*/""};
  std::string notes;
  llvm::Expected<PackageFiles> files = makePackage(programs, options, notes);
  llvm::errs() << notes;
  if (!files)
    return files.takeError();
  return writeDirectory(outputPath, *files);
}

static llvm::Error compileAndWrite() {
  // The process ends soon, and frees all at once.
  auto *kept = new mlir::MLIRContext(mlir::MLIRContext::Threading::DISABLED);
  llvm::BuryPointer(kept);
  mlir::MLIRContext &context = *kept;
  registerAllPhases(context);
  if (flags::remarks)
    reportRemarks(context);
  if (emit == Output::package) {
    auto programs = loadPrograms(context, flags::inputOptions());
    return programs ? writePackage(*programs) : programs.takeError();
  }
  llvm::Expected<Program> program = loadProgram(context, flags::inputOptions());
  if (!program)
    return program.takeError();
  auto *keptProgram = new Program(std::move(*program));
  llvm::BuryPointer(keptProgram);
  return writeForm(*keptProgram);
}

int main(int argc, char **argv) {
  flags::exitWhenOutOfMemory("tc-compile");
  flags::setVersion();
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(
      {&flags::program, &flags::compilation, &flags::category});
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a tensor contraction to a GPU kernel\n");
  if (flags::printSchema())
    return 0;
  if (llvm::Error error = compileAndWrite()) {
    llvm::WithColor::error(llvm::errs(), "tc-compile")
        << toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
