//===- LaunchPlan.h - What the host code does, as data ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of static extents launches kernels on its arguments and on buffers
// of its own, one after the other. Written down, whoever has the kernels can do
// the same without the host code: from another language, or another driver API.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_LAUNCHPLAN_H
#define TC_RUNNER_LAUNCHPLAN_H

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>

namespace mlir::tc {

/// A pointer that a kernel takes.
struct LaunchPointer {
  /// Is it one of LaunchPlan::temporaries, or of the host's arguments?
  bool isTemporary;
  int64_t index;
};

/// When a launch takes place. Two that exclude each other follow each other.
enum class LaunchCondition { always, aligned, unaligned };

struct PlannedLaunch {
  std::string kernel;
  LaunchCondition when = LaunchCondition::always;
  llvm::SmallVector<LaunchPointer> pointers;
};

struct LaunchPlan {
  llvm::SmallVector<int64_t> temporaries; ///< bytes of each
  llvm::SmallVector<PlannedLaunch> launches;
};

/// The plan of `module`, whose kernels are outlined and called (`gpu.func`,
/// `gpu.launch_func`). Nothing when the host code does more: computes what only
/// the run decides, launches in clusters, copies, calls, or has several
/// functions.
std::optional<LaunchPlan> findLaunchPlan(ModuleOp module);

} // namespace mlir::tc

#endif // TC_RUNNER_LAUNCHPLAN_H
