//===- Sections.h - The sections of a page ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_PAGE_SECTIONS_H
#define TC_LIB_RUNNER_PAGE_SECTIONS_H

#include "tc/Pages/Html.h"
#include "tc/Pages/Roofline.h"
#include "tc/Runner/Count.h"

namespace mlir::tc {

/// One kernel of a program with one grid and block, or what is predicted of a
/// contraction that is of no one kernel. What is not known is null.
struct PageKernel {
  const KernelReport *report = nullptr;
  const CountedLaunch *counted = nullptr; ///< its first launch
  unsigned launches = 0;
  double seconds = 0; ///< counted, of all launches
  /// What it computes, where that is one contraction.
  const ScheduledContraction *contraction = nullptr;

  std::string getName() const;
  const KernelCost *getCost() const {
    return contraction && contraction->cost ? &*contraction->cost : nullptr;
  }
  bool hasTimes() const { return counted || getCost(); }
};

// Elements of HTML, below a heading of the page.

/// The iteration space of a contraction, and how its operands lie in it.
std::string writeComputation(const ScheduledContraction &contraction);
/// A block's tile, drawn, and the tiles of the inputs.
std::string writeTiles(const ScheduledContraction &contraction);
/// The schedule by its terms, what follows from it, and others that rank high.
std::string writeSchedule(const ScheduledContraction &contraction);
/// What a kernel with times takes of the machine, and its roofline.
std::string writeKernel(const PageKernel &kernel, const Machine &machine);
/// What kernels without times take, as a table.
std::string writeResources(llvm::ArrayRef<PageKernel> kernels);
/// The program in each phase, side by side; and the PTX of all kernels, with
/// counts by line where it was counted: both with their headings, and with the
/// anchors "phases" and "ptx".
HtmlPart writePhases(llvm::ArrayRef<PhaseText> phases);
HtmlPart writePtx(const Compilation &compilation, const CountResult *count);

/// The roofline of a kernel by its terms, predicted and counted, and of what it
/// computes.
Roofline makeRoofline(const PageKernel &kernel, const Machine &machine);

/// Operations of the unit that multiplies, two for each multiply-add, and the
/// fewest bytes that a contraction moves: each element once.
double countOperations(const ScheduledContraction &contraction);
double countLeastBytes(const ScheduledContraction &contraction);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_PAGE_SECTIONS_H
