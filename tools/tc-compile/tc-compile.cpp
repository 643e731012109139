//===- tc-compile.cpp - An MLIR file or an einsum to a kernel -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/Files.h"
#include "tc/Runner/Compile.h"
#include "tc/Runner/Report.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace mlir::tc;
namespace cl = llvm::cl;

static cl::OptionCategory category("tc-compile options");

static cl::opt<std::string> inputPath(cl::Positional, cl::desc("[INPUT.mlir]"),
                                      cl::cat(category));
static cl::opt<std::string> einsum("einsum",
                                   cl::desc("Contraction instead of a file, as "
                                            "'icaq,qbjk->abcijk'"),
                                   cl::value_desc("subscripts"),
                                   cl::cat(category));
static cl::opt<std::string> sizes("sizes", cl::desc("Extents of the einsum"),
                                  cl::value_desc("a=16,b=16"),
                                  cl::cat(category));
static cl::opt<std::string>
    dtype("dtype", cl::desc("Element type of the einsum (default f32)"),
          cl::value_desc("f32|f64"), cl::init("f32"), cl::cat(category));
static cl::opt<std::string>
    name("name",
         cl::desc("Function to make of the einsum, or to take from the "
                  "file"),
         cl::value_desc("name"), cl::cat(category));
static cl::opt<std::string> chip("chip", cl::desc("Target (default sm_90a)"),
                                 cl::value_desc("sm_NN"), cl::init("sm_90a"),
                                 cl::cat(category));
static cl::opt<std::string>
    schedule("schedule", cl::desc("Schedule of the only contraction"),
             cl::value_desc("#tc.schedule<...>"), cl::cat(category));
static cl::opt<Emit> emit(
    "emit", cl::desc("What to write (default ptx)"), cl::init(Emit::ptx),
    cl::values(clEnumValN(Emit::tc, "tc", "the scheduled contraction"),
               clEnumValN(Emit::gpu, "gpu", "kernel and host code, as MLIR"),
               clEnumValN(Emit::nvvm, "nvvm", "the kernel in the NVVM dialect"),
               clEnumValN(Emit::llvm, "llvm", "the kernel as LLVM IR"),
               clEnumValN(Emit::ptx, "ptx", "PTX text"),
               clEnumValN(Emit::cubin, "cubin", "the output of ptxas")),
    cl::cat(category));
static cl::opt<std::string>
    outputPath("o",
               cl::desc("File to write; '-' is standard output, where it "
                        "goes when there is no report"),
               cl::value_desc("file"), cl::cat(category));
enum class ReportForm { none, json };
static cl::opt<ReportForm>
    report("report", cl::desc("Report on standard output"),
           cl::init(ReportForm::none),
           cl::values(clEnumValN(ReportForm::json, "json", "one JSON object")),
           cl::cat(category));

/// Where the artifact goes; empty: nowhere.
static llvm::Expected<std::string> chooseOutput() {
  if (report == ReportForm::none)
    return outputPath.empty() ? std::string("-") : outputPath;
  if (outputPath == "-")
    return llvm::createStringError("expected -o to name a file when the report "
                                   "goes to standard output");
  return outputPath;
}

static llvm::Error compileAndWrite() {
  llvm::Expected<std::string> output = chooseOutput();
  if (!output)
    return output.takeError();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  registerAllPhases(context);
  llvm::Expected<Program> program =
      loadProgram(context, {inputPath, einsum, sizes, dtype, name});
  if (!program)
    return program.takeError();
  CompileOptions options;
  options.chip = chip;
  if (output->empty() && emit.getNumOccurrences() == 0)
    options.emit = std::nullopt;
  else
    options.emit = emit;
  options.schedule = schedule;
  options.wantsReport = report == ReportForm::json;
  llvm::Expected<Compilation> result = compile(*program, options);
  if (!result)
    return result.takeError();
  llvm::errs() << result->notes;
  if (!output->empty())
    if (llvm::Error error = writeFile(*output, result->artifact))
      return error;
  if (!options.wantsReport)
    return llvm::Error::success();
  return writeFile("-", formatJson(*program, *result, /*result=*/nullptr,
                                   /*pretty=*/true));
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a tensor contraction to a GPU kernel\n");
  if (llvm::Error error = compileAndWrite()) {
    llvm::WithColor::error(llvm::errs(), "tc-compile")
        << toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
