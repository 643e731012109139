//===- ProgramRun.h - The runs of one program -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_RUN_PROGRAMRUN_H
#define TC_LIB_RUNNER_RUN_PROGRAMRUN_H

#include "Run/Device.h"
#include "Run/HostArray.h"
#include "Run/HostCode.h"

#include "tc/Files/Files.h"
#include "tc/Reference/Reference.h"
#include "tc/Runner/Run.h"

namespace mlir::tc {

/// The values of one run: on the host, and in the reference.
struct Values {
  std::vector<NumpyArray> arguments; ///< of the host function
  std::vector<BufferLayout> layouts; ///< of the same
  std::vector<Array> expected;       ///< of the outputs, in the reference
  std::vector<NumpyArray> before;    ///< the arguments before the run
  bool haveFewBits = false;          ///< see Outcome
  /// Do the arguments that the program writes hold what no kernel leaves there?
  bool areErased = false;
  /// Where rounding errors decide which way the program takes; else empty.
  std::string undecided;

  /// An argument of that type and shape that holds zeros; `name` is for errors.
  llvm::Error addArgument(Type type, ArrayRef<int64_t> shape,
                          const llvm::Twine &name);
};

/// A device, and code that is loaded there. A fault of a kernel stays with a
/// device, and the next one that is opened takes its place.
struct LoadedCode {
  std::unique_ptr<Device> device;
  std::optional<HostCode> code;

  llvm::Error open(ModuleOp module, const RunOptions &options);
  void close() {
    code.reset();
    device.reset();
  }
};

/// The runs of one program.
class Runner {
public:
  Runner(Program &program, const RunOptions &options)
      : program(program), options(options) {}

  llvm::Expected<RunResult> run();

private:
  using Shapes = SmallVector<SmallVector<int64_t>>;

  llvm::Error analyze();
  llvm::Expected<SmallVector<Sizes>> readExtents();
  llvm::Expected<Shapes> shapesFor(const Sizes &extents);
  llvm::Error takeShapesOfInputs(Shapes &shapes);
  llvm::Error checkMemory(const Shapes &shapes);
  llvm::Expected<Values> makeArguments(const Shapes &shapes);
  llvm::Error fillArguments(RandomBits bits, Values &values);
  llvm::Expected<Values> makeValues(const Sizes &extents);
  llvm::Error readInputs(ArrayRef<unsigned> targets, Values &values);
  std::optional<Evaluation> evaluateOverwriting(Values &values,
                                                MutableArrayRef<Array> arrays);
  EvaluateOptions getEvaluation() const;
  llvm::Error evaluateReference(Values &values);
  llvm::Error placeResults(Values &values);
  llvm::Error call(HostCode &code, Device &device, Values &values,
                   Outcome &outcome);
  void verify(const Values &values, Outcome &outcome);
  llvm::Expected<Outcome> runOnce(HostCode &code, Device &device,
                                  Values &values, StringRef sizes);
  llvm::Error runFaults(const Values &before, const Values &after,
                        int64_t launches, Outcome &outcome);
  void spoilResults(const Values &after, Outcome &outcome);
  enum class Effect { none, missed, caught };
  Effect runFaulty(LoadedCode &loaded, int64_t launch, Values values,
                   const Values &after);
  llvm::Error leaveOutLaunches(const Values &before, const Values &after,
                               int64_t launches, Outcome &outcome);
  llvm::Error leaveOutBarriers(const Values &before, const Values &after,
                               Outcome &outcome);
  llvm::Error writeOutputs(const Values &values);
  void summarize();

  Program &program;
  const RunOptions &options;
  RunResult result;

  OwningOpRef<ModuleOp> original; ///< the program before its compilation
  func::FuncOp function;          ///< of it
  SmallVector<bool> isWritten;    ///< by argument of the program
  /// For each result of the program: the argument it starts from, if any.
  SmallVector<std::optional<unsigned>> origins;
  /// The arguments with what the program computes: written ones, then results.
  SmallVector<unsigned> outputs;
};

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_RUN_PROGRAMRUN_H
