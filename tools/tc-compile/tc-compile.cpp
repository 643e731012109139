//===- tc-compile.cpp - An MLIR file or an einsum to a kernel -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../ProgramFlags.h"

#include "tc/Frontend/Files.h"
#include "tc/Runner/Compile.h"
#include "tc/Runner/Report.h"

#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace mlir::tc;
namespace cl = llvm::cl;

static cl::opt<Emit> emit(
    "emit", cl::desc("What to write (default ptx)"), cl::init(Emit::ptx),
    cl::values(clEnumValN(Emit::tc, "tc", "the scheduled contraction"),
               clEnumValN(Emit::gpu, "gpu", "kernel and host code, as MLIR"),
               clEnumValN(Emit::nvvm, "nvvm", "the kernel in the NVVM dialect"),
               clEnumValN(Emit::llvm, "llvm", "the kernel as LLVM IR"),
               clEnumValN(Emit::ptx, "ptx", "PTX text"),
               clEnumValN(Emit::cubin, "cubin", "the output of ptxas")),
    cl::cat(flags::category));
static cl::opt<std::string>
    outputPath("o",
               cl::desc("File to write; '-' is standard output, where it "
                        "goes when there is no report"),
               cl::value_desc("file"), cl::cat(flags::category));
enum class ReportForm { none, json };
static cl::opt<ReportForm>
    report("report", cl::desc("Report on standard output"),
           cl::init(ReportForm::none),
           cl::values(clEnumValN(ReportForm::json, "json", "one JSON object")),
           cl::cat(flags::category));

static cl::extrahelp examples(R"(
EXAMPLES:
  tc-compile matmul.mlir --chip=sm_90a -o matmul.ptx
  tc-compile --einsum='icaq,qbjk->abcijk' --sizes=i=16,c=16,a=16,q=16,b=16,j=16,k=16 -o sd.ptx
  tc-compile --einsum='ij,jk->ik' --sizes='i=?,j=?,k=?' --emit=cubin -o any.cubin
  tc-compile matmul.mlir --emit=tc                   # the schedule that was chosen
  tc-compile matmul.mlir --report=json --remarks     # what it will cost, and why

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

static llvm::Error compileAndWrite() {
  llvm::Expected<std::string> output = chooseOutput();
  if (!output)
    return output.takeError();
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  registerAllPhases(context);
  if (flags::remarks)
    reportRemarks(context);
  llvm::Expected<Program> program = loadProgram(context, flags::inputOptions());
  if (!program)
    return program.takeError();
  CompileOptions options = flags::compileOptions();
  if (!output->empty() || emit.getNumOccurrences() != 0)
    options.emit = emit;
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
  cl::HideUnrelatedOptions(
      {&flags::program, &flags::compilation, &flags::category});
  cl::ParseCommandLineOptions(
      argc, argv, "Compiles a tensor contraction to a GPU kernel\n");
  if (llvm::Error error = compileAndWrite()) {
    llvm::WithColor::error(llvm::errs(), "tc-compile")
        << toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}
