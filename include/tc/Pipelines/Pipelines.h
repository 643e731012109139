//===- Pipelines.h - Passes in order ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place where passes are put in order. Each pass runs what is left to
// do in the phase it finds, so every pipeline starts from any phase.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PIPELINES_PIPELINES_H
#define TC_PIPELINES_PIPELINES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

#include <functional>

namespace mlir::tc {

/// What a gpu.binary holds: PTX text, or machine code made by ptxas.
enum class BinaryFormat { Isa, Cubin, Fatbin };

/// The phases of a program before it is binary: docs/Architecture.md.
enum class Phase {
  Named,
  Contract,
  Normal,
  Scheduled,
  Tiled,
  Placed,
  Mapped,
  Kernel
};

/// Is shown the program in each phase that a pipeline reaches. Without one, as
/// by default, pipelines are the same and nothing is called.
using PhaseObserver = std::function<void(Phase, ModuleOp)>;

/// In which order a contraction of several inputs takes them: all in one nest,
/// as it is written, or two at a time as tc-order finds best.
enum class OperandOrder { AsWritten, Optimal };

struct ToNVVMOptions : PassPipelineOptions<ToNVVMOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("chip to compile for, as sm_90a; by default the module's "
                     "tc.machine, else sm_90a"),
      llvm::cl::init("")};
  Option<BinaryFormat> format{
      *this, "format", llvm::cl::desc("what the gpu.binary holds"),
      llvm::cl::init(BinaryFormat::Isa),
      llvm::cl::values(
          clEnumValN(BinaryFormat::Isa, "isa", "PTX text; needs no ptxas"),
          clEnumValN(BinaryFormat::Cubin, "cubin", "machine code of the chip"),
          clEnumValN(BinaryFormat::Fatbin, "fatbin", "both"))};
  Option<OperandOrder> order{
      *this, "order", llvm::cl::desc("order of contractions of many inputs"),
      llvm::cl::init(OperandOrder::AsWritten),
      llvm::cl::values(
          clEnumValN(OperandOrder::AsWritten, "as-written", "one nest"),
          clEnumValN(OperandOrder::Optimal, "optimal",
                     "two inputs at a time, of fewest flops"))};
  Option<std::string> tuning{
      *this, "tuning",
      llvm::cl::desc("file of schedules and limits that were tried before "
                     "(tc-schedule, tc-flatten)"),
      llvm::cl::init("")};
  ListOption<std::string> thresholds{
      *this, "thresholds",
      llvm::cl::desc("limits as NAME=VALUE, before those of the file "
                     "(tc-flatten)")};
  Option<bool> keepOrder{
      *this, "keep-order",
      llvm::cl::desc("leave nests that combine floats as they are"),
      llvm::cl::init(false)};
  Option<bool> async{
      *this, "async",
      llvm::cl::desc("let launches wait only for what they depend on "
                     "(tc-async)"),
      llvm::cl::init(true)};
  Option<bool> overlap{
      *this, "overlap",
      llvm::cl::desc("let kernels begin before those that they wait for have "
                     "ended (tc-overlap-launches)"),
      llvm::cl::init(false)};
  Option<int> optLevel{
      *this, "opt-level",
      llvm::cl::desc("LLVM's optimisation level, 0 to 3; 2 stands for "
                     "the passes that kernels need"),
      llvm::cl::init(2)};
};

/// Phases 0 to 2: linalg, nests or tc on tensors or memrefs to normal
/// contractions. With `keepOrder` nests that combine floats stay
/// nests.
void buildToNormalPipeline(OpPassManager &pm,
                           OperandOrder order = OperandOrder::AsWritten,
                           bool keepOrder = false,
                           const PhaseObserver &observer = {});

/// Phases 2 to 3: normal contractions get schedules, those that have one keep
/// it. An unknown chip is reported, with the known ones, when the pipeline
/// runs.
void buildSchedulePipeline(OpPassManager &pm, StringRef chip,
                           StringRef tuning = "");

/// Phases 0 to 3: linalg or tc on tensors or memrefs to scheduled contractions.
void buildToScheduledPipeline(OpPassManager &pm, StringRef chip,
                              OperandOrder order = OperandOrder::AsWritten,
                              StringRef tuning = "", bool keepOrder = false);

/// The same of a program on memrefs alone, whose bufferization, copies and
/// signatures stay as they are. What its producer must have seen to is in
/// docs/Embedding.md.
void buildBuffersToScheduledPipeline(
    OpPassManager &pm, StringRef chip,
    OperandOrder order = OperandOrder::AsWritten, StringRef tuning = "",
    bool keepOrder = false);

/// How nests become kernels.
struct KernelOptions {
  std::string chip;
  bool keepsHostCode = true; ///< else a nest that must be host code is an error
  std::string tuning = {};   ///< file with limits of tc.threshold
  /// Limits as NAME=VALUE, before those of the file.
  std::vector<std::string> thresholds = {};
  bool notesThresholds = false; ///< host code tells what it compares with these
  bool async = true; ///< launches wait only for what they depend on (tc-async)
  /// Kernels begin before those that they wait for have ended
  /// (tc-overlap-launches).
  bool overlap = false;
  PhaseObserver observer = {};
};

/// Phases 3 to 7: to gpu.func kernels and host code without tc ops.
void buildToKernelPipeline(OpPassManager &pm, const KernelOptions &options);

/// Phase 7 to kernels in the NVVM dialect, with the target attached.
void buildToNVVMDialectPipeline(OpPassManager &pm,
                                const ToNVVMOptions &options);

/// Kernels in the NVVM dialect to gpu.binary, and the host code to the LLVM
/// dialect.
void buildToBinaryPipeline(OpPassManager &pm, const ToNVVMOptions &options);

/// What a program for the CPU is compiled for.
struct HostOptions {
  OperandOrder order = OperandOrder::AsWritten;
  int64_t vectorBits = 128, vectorRegisters = 16;
  bool keepOrder = false; ///< as of ToNVVMOptions
  /// Width of the vectors whose pairs of bf16, or i16, the CPU multiplies.
  int64_t bf16Dot = 0, i16Dot = 0;
  std::string tuning = {}; ///< file of schedules; empty: none
  std::string cpu = {};    ///< the machine, as entries of this file name it
  unsigned explained = 0;  ///< list so many schedules of each contraction
};

/// Phases 0 to 2 to loops on memrefs, for the CPU: no op of tc is left. The one
/// place where it is decided how contractions run there.
void buildToLoopsPipeline(OpPassManager &pm, const HostOptions &options);

/// Loops on memrefs to the LLVM dialect.
void buildLoopsToLLVMPipeline(OpPassManager &pm);

/// All of the above but the last two: `tc-to-nvvm`. Kernels take bare pointers,
/// one for each memref; memrefs given to a function that launches kernels are
/// device buffers.
void buildToNVVMPipeline(OpPassManager &pm, const ToNVVMOptions &options);

/// All of the above from memrefs: `tc-buffers-to-nvvm`.
void buildBuffersToNVVMPipeline(OpPassManager &pm,
                                const ToNVVMOptions &options);

/// Registers the pipelines for textual ones: `tc-to-nvvm`,
/// `tc-buffers-to-nvvm`.
void registerTCPipelines();

/// Registers every pass of the project, and its pipelines, for textual
/// pipelines, transform scripts and command lines. A compiler that adds passes
/// by their functions does not need this.
void registerPasses();

/// Registers the dialect tc, and what its passes and pipelines need of upstream
/// and do not register themselves: dialects, models of interfaces,
/// translations. A compiler that only has ops of tc inserts TCDialect, which
/// comes with its own interfaces.
void registerDialects(DialectRegistry &registry);

} // namespace mlir::tc

#endif // TC_PIPELINES_PIPELINES_H
