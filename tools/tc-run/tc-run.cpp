//===- tc-run.cpp - Run and verify a contraction or a kernel --------------===//
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
#include "tc/Inspect/KernelRun.h"
#include "tc/Runner/Batch.h"
#include "tc/Runner/Report.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace mlir::tc;
namespace cl = llvm::cl;
using flags::Choice;

static cl::OptionCategory running("Running");
static cl::OptionCategory oneKernel("One kernel of a PTX file",
                                    "Instead of a program; on the emulator.");
static cl::opt<std::string>
    device("device",
           cl::desc("Where to run (default auto: a GPU if there is "
                    "one)"),
           cl::value_desc("emulator|cuda|auto"), cl::init("auto"),
           cl::cat(running));
static cl::opt<std::string>
    library("mgpu-library",
            cl::desc("The mgpu library (default: beside this program)"),
            cl::value_desc("path"), cl::cat(running));
static cl::list<std::string> inputs(
    "inputs", cl::CommaSeparated,
    cl::desc(".npy files of the arguments that are only read, or of all; with "
             "--count, of all, for their shapes"),
    cl::value_desc("A.npy,B.npy"), cl::cat(running));
static cl::list<std::string> outputs("output", cl::CommaSeparated,
                                     cl::desc(".npy files for the results"),
                                     cl::value_desc("C.npy"),
                                     cl::cat(flags::category));
static cl::opt<bool> verify("verify",
                            cl::desc("Compare with the reference evaluation"),
                            cl::cat(running));
static cl::list<std::string> unjudged(
    "unjudged", cl::CommaSeparated,
    cl::desc("With --verify: results that need not be judged, where rounding "
             "may change more than there is"),
    cl::value_desc("result0,result2"), cl::cat(running));
static cl::opt<bool> faults(
    "faults",
    cl::desc("With --verify: then run without each launch in turn, and without "
             "barriers, spoil the results, and say what the verdict finds"),
    cl::cat(running));
static cl::opt<bool> countOnly(
    "count",
    cl::desc(
        "Run --sample-blocks=N blocks of each kernel on the emulator, with "
        "arguments that hold anything, and report what they count"),
    cl::cat(running));
static cl::opt<bool>
    sites("sites",
          cl::desc("With --count or --kernel, in text: also counts by "
                   "instruction, branch and loop, and by line of PTX"),
          cl::cat(running));
static cl::opt<bool> simulate(
    "simulate",
    cl::desc("With --count or --kernel: also simulate a multiprocessor, "
             "instruction by instruction (level B)"),
    cl::cat(running));
static cl::opt<uint64_t> seed("seed",
                              cl::desc("Of the random arguments (default 0)"),
                              cl::init(0), cl::cat(running));
static cl::opt<std::string> runs(
    "run",
    cl::desc("Extents for the '?' among the sizes, once for each time to run; "
             "with --count once"),
    cl::value_desc("a=3,b=5;a=7,b=0"), cl::cat(running));
static cl::opt<std::string>
    batch("batch",
          cl::desc("Run each line of a file, or of standard input (-), a JSON "
                   "object with the names of these options"),
          cl::value_desc("file"), cl::cat(running));
enum class ReportForm { json, text, html };
static Choice<ReportForm>
    report("report", cl::desc("Report on standard output (default text)"),
           cl::init(ReportForm::text),
           cl::values(clEnumValN(ReportForm::json, "json", "one JSON object"),
                      clEnumValN(ReportForm::text, "text", "a few lines"),
                      clEnumValN(ReportForm::html, "html",
                                 "a page: tiles, schedule, times, roofline, "
                                 "phases and PTX")),
           cl::cat(flags::category));

static cl::opt<bool> json("json", cl::desc("The same as --report=json"),
                          cl::cat(flags::category));

// One kernel of a PTX file, on the emulator.
static cl::opt<std::string>
    kernel("kernel",
           cl::desc("Run a kernel of a PTX file, check it and count what it "
                    "does; --schedule is then deterministic, random:SEED or "
                    "adversarial:SEED"),
           cl::value_desc("file.ptx"), cl::cat(oneKernel));
static cl::opt<std::string>
    launch("launch",
           cl::desc("Its launch, as 'axpy<<<4, 256>>>(i32:1000, f32:2.0, "
                    "f32[1000]=random:1, f32[1000]=ones -> y.npy)', or a JSON "
                    "file that says the same"),
           cl::value_desc("launch"), cl::cat(oneKernel));
static cl::opt<std::string>
    checks("checks", cl::desc("What the emulator looks for (default all)"),
           cl::value_desc("none|bounds|all|races,-leaks,..."), cl::init("all"),
           cl::cat(oneKernel));
static cl::opt<std::string>
    stop("stop",
         cl::desc("Whether a launch ends with its first error (default never "
                  "with --kernel, else first)"),
         cl::value_desc("first|never"), cl::cat(oneKernel));
static cl::opt<std::string>
    findingLimit("finding-limit",
                 cl::desc("Tell of so many sites of a launch (default 100)"),
                 cl::value_desc("N"), cl::init("100"), cl::cat(oneKernel));
static cl::opt<std::string>
    suppressions("suppressions",
                 cl::desc("Do not tell of the findings that a file lists"),
                 cl::value_desc("file"), cl::cat(oneKernel));
static cl::opt<std::string>
    newSuppressions("write-suppressions",
                    cl::desc("Write lines that suppress what was found"),
                    cl::value_desc("file"), cl::cat(oneKernel));
static cl::opt<std::string>
    sampleBlocks("sample-blocks",
                 cl::desc("Run so many blocks, and scale what is counted"),
                 cl::value_desc("N"), cl::init("0"), cl::cat(oneKernel));
static cl::opt<std::string>
    machines("machines",
             cl::desc("Tell times on these machines, with the registers of a "
                      "thread that ptxas -v prints (default the chip of the "
                      "PTX)"),
             cl::value_desc("NAME[:REGISTERS],..."), cl::cat(oneKernel));
static cl::opt<std::string>
    execution("execution",
              cl::desc("How warps are run (default warps; threads is the slow "
                       "reference)"),
              cl::value_desc("warps|masked|threads"), cl::init("warps"),
              cl::cat(oneKernel));
static cl::opt<std::string> arithmetic(
    "arithmetic",
    cl::desc("How the emulator adds in matrix instructions: exactly (default), "
             "or as the tensor units of the chip"),
    cl::value_desc("exact|hardware"), cl::init("exact"), cl::cat(running));

static cl::extrahelp examples(R"(
EXAMPLES:
  tc-run matmul.mlir --device=emulator --verify
  tc-run --einsum='ij,jk->ik' --sizes=i=64,j=32,k=48 --inputs=A.npy,B.npy --output=C.npy
  tc-run --einsum='ij,jk->ik' --sizes='i=?,j=?,k=?' --run='i=3,j=5,k=7;i=64,j=32,k=48' --verify
  tc-run matmul.mlir --count --sample-blocks=8       # what it would cost a GPU
  tc-run matmul.mlir --count --sample-blocks=8 --report=html > matmul.html
  tc-run --kernel=axpy.ptx --launch='axpy<<<4, 256>>>(i32:1000, f32:2.0, f32[1000]=ones, f32[1000]=ones -> y.npy)'

Exit status: 0 when all ran and, with --verify, was right; else 1.
)");

/// What the report is to be.
static ReportForm getForm() { return json ? ReportForm::json : report; }

static RunOptions runOptions() {
  RunOptions options;
  options.compile = flags::compileOptions();
  options.compile.wantsReport = batch.empty() && getForm() != ReportForm::text;
  options.compile.wantsPage = getForm() == ReportForm::html;
  options.device = device;
  options.library = library;
  options.inputs = inputs;
  options.outputs = outputs;
  options.verify = verify;
  options.unjudged = unjudged;
  options.faults = faults;
  options.seed = seed;
  options.run = runs;
  return options;
}

/// The emulator takes its options from the environment. What the user has set
/// there counts, unless the command line says otherwise.
static void chooseEmulation() {
  setenv("TC_EMU_CHECKS", checks.c_str(),
         /*overwrite=*/checks.getNumOccurrences() != 0);
  // A verdict needs one error, and what comes after it takes time.
  setenv("TC_EMU_STOP", stop.empty() ? "first" : stop.c_str(),
         /*overwrite=*/!stop.empty());
  if (!suppressions.empty())
    setenv("TC_EMU_SUPPRESSIONS", suppressions.c_str(), /*overwrite=*/1);
  if (!newSuppressions.empty())
    setenv("TC_EMU_WRITE_SUPPRESSIONS", newSuppressions.c_str(),
           /*overwrite=*/1);
  setenv("TC_EMU_ARITHMETIC", arithmetic.c_str(),
         /*overwrite=*/arithmetic.getNumOccurrences() != 0);
}

static std::string format(const Program &program, const RunResult &result) {
  switch (getForm()) {
  case ReportForm::json:
    return formatJson(program, result.compilation, &result, /*pretty=*/true);
  case ReportForm::text:
    return formatText(program, result);
  case ReportForm::html:
    return formatHtml(program, result.compilation, &result);
  }
  llvm_unreachable("all forms are listed");
}

static std::string format(const Program &program, const CountResult &result) {
  switch (getForm()) {
  case ReportForm::json:
    return formatJson(program, result, /*pretty=*/true);
  case ReportForm::text:
    return formatText(program, result, sites);
  case ReportForm::html:
    return formatHtml(program, result);
  }
  llvm_unreachable("all forms are listed");
}

static llvm::Error runOne() {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  registerAllPhases(context);
  if (flags::remarks)
    reportRemarks(context);
  llvm::Expected<Program> program = loadProgram(context, flags::inputOptions());
  if (!program)
    return program.takeError();
  llvm::Expected<RunResult> result = run(*program, runOptions());
  if (!result)
    return result.takeError();
  llvm::errs() << result->compilation.notes;
  if (llvm::Error error = writeFile("-", format(*program, *result)))
    return error;
  return checkVerdict(*result);
}

/// What the launches of the program count.
static llvm::Error runCount() {
  if (device == "cuda")
    return llvm::createStringError("expected --device=emulator with --count");
  CountOptions options;
  options.compile = flags::compileOptions();
  options.compile.wantsPage = getForm() == ReportForm::html;
  options.run = runs;
  options.inputs = inputs;
  options.seed = seed;
  options.simulate = simulate;
  if (llvm::StringRef(sampleBlocks).getAsInteger(10, options.sampleBlocks))
    return llvm::createStringError(
        "sample-blocks: expected a number of blocks, 0 for all, got '" +
        sampleBlocks + "'");
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  registerAllPhases(context);
  if (flags::remarks)
    reportRemarks(context);
  llvm::Expected<Program> program = loadProgram(context, flags::inputOptions());
  if (!program)
    return program.takeError();
  llvm::Expected<CountResult> result = count(*program, options);
  if (!result)
    return result.takeError();
  llvm::errs() << result->compilation.notes;
  return writeFile("-", format(*program, *result));
}

static llvm::Error runMany() {
  std::ifstream lines(batch == "-" ? "/dev/stdin" : batch.getValue());
  if (!lines)
    return llvm::createStringError("cannot read '" + batch +
                                   "': " + std::strerror(errno));
  unsigned failures =
      runBatch(lines, flags::inputOptions(), runOptions(), llvm::outs());
  if (failures == 0)
    return llvm::Error::success();
  return llvm::createStringError("%u cases failed", failures);
}

static llvm::Error runOneKernel() {
  if (launch.empty())
    return llvm::createStringError("expected --launch with --kernel");
  if (device == "cuda")
    return llvm::createStringError("expected --device=emulator with --kernel");
  KernelRunOptions options;
  options.ptx = kernel;
  options.launch = launch;
  options.hasSites = sites;
  options.settings.launch.count = true;
  options.settings.launch.print = [](llvm::StringRef text) {
    llvm::outs() << text;
  };
  const std::pair<llvm::StringRef, std::string> settings[] = {
      {"checks", checks},
      {"finding-limit", findingLimit},
      {"suppressions", suppressions},
      {"write-suppressions", newSuppressions},
      {"sample-blocks", sampleBlocks},
      {"sample-seed", std::to_string(seed)},
      {"machines", machines},
      {"simulate", simulate ? "1" : "0"},
      {"execution", execution},
      {"arithmetic", arithmetic},
      {"schedule",
       flags::schedule.empty() ? "deterministic" : flags::schedule.getValue()}};
  for (const auto &[name, value] : settings)
    if (llvm::Error error = options.settings.set(name, value))
      return error;
  if (!stop.empty())
    if (llvm::Error error = options.settings.set("stop", stop))
      return error;
  llvm::Expected<KernelRunResult> result = runKernel(options);
  if (!result)
    return result.takeError();
  bool asJson = getForm() == ReportForm::json;
  if (llvm::Error error = writeFile("-", asJson ? result->json : result->text))
    return error;
  if (result->findings == 0)
    return llvm::Error::success();
  return llvm::createStringError("%zu finding%s", result->findings,
                                 result->findings == 1 ? "" : "s");
}

/// Options that do not go together.
static llvm::Error checkOptions() {
  if (simulate && !countOnly && kernel.empty())
    return llvm::createStringError(
        "expected --count or --kernel with --simulate");
  if (getForm() != ReportForm::html)
    return llvm::Error::success();
  if (!kernel.empty())
    return llvm::createStringError(
        "expected --report=text or json with --kernel; "
        "'tc-emu kernel --html=FILE' writes a page");
  if (!batch.empty())
    return llvm::createStringError(
        "expected no --report=html with --batch, which writes JSON");
  return llvm::Error::success();
}

int main(int argc, char **argv) {
  flags::exitWhenOutOfMemory("tc-run");
  flags::setVersion();
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions({&flags::program, &flags::compilation, &running,
                            &oneKernel, &flags::category});
  cl::ParseCommandLineOptions(
      argc, argv,
      "Compiles a tensor contraction, runs it, and verifies it; or runs one "
      "kernel\nof a PTX file\n");
  if (flags::printSchema())
    return 0;
  chooseEmulation();
  llvm::Error misuse = checkOptions();
  auto error = misuse            ? std::move(misuse)
               : !kernel.empty() ? runOneKernel()
               : countOnly       ? runCount()
               : batch.empty()   ? runOne()
                                 : runMany();
  if (error) {
    llvm::WithColor::error(llvm::errs(), "tc-run")
        << toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
