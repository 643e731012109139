//===- TextReport.cpp - Reports as text -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Report.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace mlir::tc {

static void writeVerdict(llvm::raw_ostream &stream, const Outcome &outcome) {
  if (outcome.verified)
    stream << (*outcome.verified ? "verified"
               : outcome.isWrong ? "WRONG"
                                 : "NOT JUDGED")
           << ": largest relative error "
           << llvm::formatv("{0:e2}", outcome.maxRelativeError)
           << ", tolerance " << llvm::formatv("{0:e2}", outcome.tolerance)
           << (outcome.hasFewBits ? ", arguments of few bits\n" : "\n");
}

static void writeProblem(llvm::raw_ostream &stream, const Program &program) {
  if (program.problem)
    stream << program.problem->text << "  " << program.problem->sizesText()
           << '\n';
}

std::string formatText(const Program &program, const CountResult &result,
                       bool hasSites) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeProblem(stream, program);
  for (const CountedLaunch &launch : result.launches) {
    launch.counts->print(stream);
    launch.time.print(stream);
    if (launch.simulated)
      print(*launch.simulated, stream);
    if (launch.traced)
      launch.traced->print(stream);
    if (hasSites) {
      launch.time.printTerms(stream);
      launch.counts->printSites(stream);
    }
  }
  if (result.longestSeconds < 0.9999 * result.serialSeconds)
    stream << llvm::formatv(
        "counted time of the program: {0:F2} us one after "
        "the other, at least {1:F2} us side by side\n",
        result.serialSeconds * 1e6,
        std::max(result.longestSeconds, result.busiestSeconds) * 1e6);
  for (const ComparedNumber &one : result.compared)
    stream << "compared: threshold '" << one.limit << "' with " << one.number
           << '\n';
  return text;
}

std::string formatText(const Program &program, const RunResult &result) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  writeProblem(stream, program);
  stream << "device " << result.device << ", compiled for "
         << result.compilation.chip << " in "
         << llvm::formatv("{0:f0}", result.compilation.times.total())
         << " ms, ran in " << llvm::formatv("{0:f3}", result.seconds) << " s\n";
  for (const Outcome &outcome : result.outcomes) {
    stream << outcome.sizes << ": ran in "
           << llvm::formatv("{0:f3}", outcome.seconds) << " s\n";
    writeVerdict(stream, outcome);
  }
  if (result.outcomes.empty())
    writeVerdict(stream, result);
  for (const Fault &fault : result.faults)
    stream << fault.text << ": " << (fault.isCaught ? "caught" : "NOT FOUND")
           << '\n';
  return text;
}

} // namespace mlir::tc
