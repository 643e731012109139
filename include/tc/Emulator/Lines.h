//===- Lines.h - What kernels cost and do wrong, by line --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts and findings by line of the PTX and of the source that it names, as
// Nsight Compute's source page has them: the sums over all launches of each
// kernel.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_LINES_H
#define TC_EMULATOR_LINES_H

#include "tc/Emulator/Counts.h"
#include "tc/Pages/LinePage.h"

#include <map>

namespace tc::emulator {

class LineReport {
public:
  /// Adds a launch that was counted. Those of a kernel are added up where its
  /// lines are the same: a kernel of another module may have the name, too.
  void add(const LaunchReport &report);
  bool isEmpty() const { return kernels.empty(); }

  /// The page for all of them. Sources are read where they can be.
  mlir::tc::LinePage makePage() const;

private:
  struct Kernel {
    std::string name;
    uint64_t launches = 0, sampled = 0;
    Dim3 grid, block;                         ///< of the first launch
    std::shared_ptr<const Fidelity> fidelity; ///< of the last launch
    std::vector<LineCounts> lines;
    std::vector<std::pair<Finding, uint64_t>> findings; ///< and how often
  };
  std::vector<Kernel> kernels;

  friend class LinePageMaker;
};

} // namespace tc::emulator

#endif // TC_EMULATOR_LINES_H
