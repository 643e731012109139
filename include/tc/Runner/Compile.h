//===- Compile.h - A program to any of its forms ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles a program through the pipeline and gathers what there is to say
// about the result.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_COMPILE_H
#define TC_RUNNER_COMPILE_H

#include "tc/Analysis/CostModel.h"
#include "tc/Analysis/Tuning.h"
#include "tc/Emulator/Blocks.h"
#include "tc/Package/GpuBinary.h"
#include "tc/Pipelines/Pipelines.h"
#include "tc/Runner/Program.h"
#include "tc/Runner/ScheduledContraction.h"
#include "tc/Target/Machine.h"

#include <optional>
#include <string>
#include <vector>

namespace mlir::tc {

/// What to write out. The forms up to `ptx` are text.
enum class Emit { tc, gpu, nvvm, llvm, ptx, cubin };

struct CompileOptions {
  std::string chip = kDefaultChip.str();
  std::optional<Emit> emit = Emit::ptx; ///< nothing: only report
  /// A `#tc.schedule<...>` for the only contraction; empty: the compiler's.
  std::string schedule;
  OperandOrder order = OperandOrder::AsWritten;
  bool keepOrder = false; ///< nests that combine floats stay nests
  bool async = true;      ///< see KernelOptions
  bool overlap = false;   ///< see KernelOptions
  std::string tuning;     ///< path of a tuning file; empty: none
  /// List so many schedules to try for each contraction on the CPU.
  unsigned hostSchedules = 0;
  /// Limits of tc.threshold as NAME=VALUE, before those of the tuning file.
  std::vector<std::string> thresholds;
  bool notesThresholds = false; ///< see KernelOptions
  /// Find out everything a report has, whatever `emit` is, and make cubins.
  bool wantsReport = false;
  /// Keep what a page shows beside: the text of the phases, and contractions.
  bool wantsPage = false;
  /// Keep the module with the gpu.binary and the host code.
  bool wantsModule = false;
  /// Have the host code take workspace and a call (tc/Package/HostEntry.h).
  bool takesWorkspace = false;
};

/// One kernel of the program. What is not known is empty.
struct KernelReport {
  HostLaunch launch;
  std::optional<int64_t> registers;   ///< per thread
  std::optional<int64_t> spillBytes;  ///< stored and loaded, per thread
  std::optional<int64_t> localBytes;  ///< of local memory, per thread
  std::optional<int64_t> sharedBytes; ///< static and dynamic, per block
  std::optional<double> occupancy;    ///< resident warps / most warps (0 to 1)
  std::optional<int64_t> blocksPerSm; ///< resident on a multiprocessor
};

/// Blocks or threads along x, y and z; nothing where the host computes them.
std::optional<std::array<int64_t, 3>>
extentsOf(const std::array<int64_t, 3> &extents);

/// Milliseconds of wall clock.
struct CompileTimes {
  double parse = 0;            ///< text to module
  double lower = 0;            ///< module to NVVM dialect and host code
  double ptx = 0;              ///< NVVM dialect to PTX
  std::optional<double> ptxas; ///< PTX to cubin, where it was run
  double total() const { return parse + lower + ptx + ptxas.value_or(0); }
};

/// The program in one phase, as text.
struct PhaseText {
  Phase phase;
  std::string text;
};

struct Compilation {
  std::string artifact;                ///< the requested form
  llvm::SmallVector<KernelBinary> ptx; ///< empty when stopped before it
  std::string chip;
  std::vector<std::string> schedules; ///< of each contraction, in program order
  /// How a tuning file identifies each of these; nothing for what cannot be
  /// tuned.
  std::vector<std::optional<TunableContraction>> tunable;
  /// By the cost model, of each of these; nothing where it does not cover one.
  std::vector<std::optional<KernelCost>> predicted;
  /// With CompileOptions::wantsPage: each of these, with its schedule, in the
  /// context of the program; and the program in each phase.
  std::vector<ScheduledContraction> contractions;
  std::vector<PhaseText> phases;
  /// How the block tiles of each contraction are numbered; without axes where
  /// extents are known at run time only, or too many.
  std::vector<::tc::emulator::BlockBox> boxes;
  /// The least, over all contractions, of results / (result places of all block
  /// tiles): what the tiles that stick out leave of the accumulators' work.
  std::optional<double> usefulShare;
  /// The limits that the function compares with, and their defaults.
  std::vector<std::pair<std::string, int64_t>> thresholds;
  std::vector<KernelReport> kernels; ///< in the order of their launches
  /// The memrefs that the host function takes: those of the program, then a
  /// place for each result that is not computed in one of them.
  SmallVector<Type> hostArguments;
  SmallVector<bool> isWritten; ///< each of them
  CompileTimes times;
  std::string notes;            ///< diagnostics, and why something is not known
  OwningOpRef<ModuleOp> module; ///< see CompileOptions::wantsModule
};

/// Compiles `program`, which is used up. Fails with the diagnostics of the pass
/// that failed.
llvm::Expected<Compilation> compile(Program &program,
                                    const CompileOptions &options);

} // namespace mlir::tc

#endif // TC_RUNNER_COMPILE_H
