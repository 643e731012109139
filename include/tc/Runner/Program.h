//===- Program.h - What a tool was given to work on -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The input of the tools: an MLIR file, or an einsum.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_PROGRAM_H
#define TC_RUNNER_PROGRAM_H

#include "tc/Frontend/BuildEinsum.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/SourceMgr.h"

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir::tc {

/// Milliseconds since it was made or last asked.
class Stopwatch {
public:
  double lap() {
    auto now = std::chrono::steady_clock::now();
    std::chrono::duration<double, std::milli> elapsed = now - last;
    last = now;
    return elapsed.count();
  }

private:
  std::chrono::steady_clock::time_point last = std::chrono::steady_clock::now();
};

/// The folder of libraries that belongs to this program: where it was built, or
/// where it is installed.
std::string findLibraryFolder();

/// How the input is given: a path, or an einsum with sizes or operands.
struct InputOptions {
  std::string path;                  ///< of an MLIR file; "-" is standard input
  std::optional<std::string> einsum; ///< subscripts
  std::string sizes;                 ///< "a=16,b=16"
  std::string operands;      ///< instead: JSON, or the path of such a file
  std::string dtype = "f32"; ///< see parseElementTypes
  std::string accumulate;    ///< type of the sums, or empty
  std::string precision;     ///< of products of f32, or empty
  /// The function: the only public one of a file when empty; the one to make,
  /// for an einsum ("contraction" when empty).
  std::string name;
};

/// A module, and the function of it that is meant.
struct Program {
  OwningOpRef<ModuleOp> module;
  std::string name;                         ///< of the function
  std::shared_ptr<llvm::SourceMgr> sources; ///< the text, for diagnostics
  std::optional<EinsumProblem> problem;     ///< where it is an einsum
  /// Element types: of the einsum, or of the function's first argument that has
  /// one; empty when none does.
  std::string types;
  double parseMilliseconds = 0; ///< it took to read or build it

  func::FuncOp function() { return module->lookupSymbol<func::FuncOp>(name); }
  /// Another with a module of its own: a compilation uses its program up.
  Program copy() const;
};

/// Registers and loads the dialects of input programs and of all phases.
void registerAllPhases(MLIRContext &context);

/// Makes the passes' remarks diagnostics: what was refused or done on a slower
/// path, why, and where.
void reportRemarks(MLIRContext &context);

/// Reads or builds the program. Fails with the place of the error.
llvm::Expected<Program> loadProgram(MLIRContext &context,
                                    const InputOptions &options);

/// The same for all public functions of a file, each with a module of its own,
/// where no name says which.
llvm::Expected<std::vector<Program>> loadPrograms(MLIRContext &context,
                                                  const InputOptions &options);

/// Makes the functions that the program's calls part of it (tc-inline), on the
/// host, too: to see all that it does to its arguments.
llvm::Error inlineCalls(Program &program);

/// Runs `action` and gives what diagnostics it emitted: as an error when it
/// failed, with `notes` behind them, else appended to `notes`.
llvm::Error captureDiagnostics(Program &program, std::string &notes,
                               llvm::function_ref<LogicalResult()> action);

} // namespace mlir::tc

#endif // TC_RUNNER_PROGRAM_H
