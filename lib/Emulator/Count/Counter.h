//===- Counter.h - Counts a launch as it runs -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counters' side of the runtime's hooks. Compiled code adds to two numbers
// a basic block; what each instruction did follows from them afterwards. Every
// memory access comes in with its addresses. A counter belongs to one host
// thread; those of several are merged.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_COUNT_COUNTER_H
#define TC_LIB_EMULATOR_COUNT_COUNTER_H

#include "Count/Touched.h"
#include "Runtime/WarpAccess.h"

#include "llvm/ADT/StringMap.h"

#include <functional>

namespace tc::emulator {

/// What is known of a kernel before it runs. Outlives its counters.
class CountPlan {
public:
  /// Sites are indices into `body`, which outlives the plan. `describe` gives
  /// "file:line:column" where that is known, else nothing.
  CountPlan(llvm::ArrayRef<ptx::Instruction> body,
            std::function<std::string(const ptx::Instruction &)> describe = {});
  /// Adds the next basic block, from 0: instructions [first, end).
  void addBlock(unsigned first, unsigned end);

private:
  friend class Counter;
  struct Block {
    /// Index into `classes`, and how many of it are in the block.
    llvm::SmallVector<std::pair<uint32_t, uint32_t>, 8> histogram;
    unsigned branchLine = 0; ///< of its conditional branch; 0: none
  };
  llvm::ArrayRef<ptx::Instruction> body;
  std::function<std::string(const ptx::Instruction &)> describe;
  std::vector<Block> blocks;
  std::vector<InstructionCounts> classes; ///< `operations`: of one execution
  std::vector<bool> isPerWarp;            ///< by class
  llvm::StringMap<uint32_t> classOf;      ///< by name
};

/// What a report says of the launch besides its counts.
struct CountedLaunch {
  llvm::StringRef kernel;
  Dim3 grid, block;
  uint64_t sharedBytes = 0;
  /// Address and size of the allocations and variables of global memory, in
  /// order of addresses and disjoint.
  llvm::ArrayRef<std::pair<uint64_t, uint64_t>> allocations;
};

class Counter {
public:
  Counter(const CountPlan &plan, Dim3 grid);

  /// What follows happens in this block of the grid.
  void beginBlock(const uint32_t (&index)[3]);
  void access(const WarpState &warp, const WarpAccess &access);
  void executed(uint32_t basicBlock, uint64_t warps, uint64_t lanes);
  /// The branch that ends `basicBlock` sent lanes of a warp different ways.
  void diverged(uint32_t basicBlock);
  /// For compiled code to add to, good until the next `beginBlock`. With n
  /// basic blocks, block i has its executions by a warp (with a lane that takes
  /// part) at 2 i, the sum of lanes that took part at 2 i + 1, and at 2 n + i
  /// how often its branch sent lanes of a warp different ways.
  uint64_t *getBlockCounts() { return current->blocks.data(); }

  /// Adds what `other`, of the same plan and grid, counted.
  void merge(const Counter &other);
  LaunchCounts finish(const CountedLaunch &launch) const;

private:
  /// Accesses of one site to one space.
  struct SiteTotal {
    ptx::Space space;
    AccessKind kind;
    AccessCounts counts;
  };
  using SiteTotals = llvm::SmallVector<SiteTotal, 1>;
  /// What the blocks of one class did.
  struct ClassTotal {
    uint64_t run = 0;             ///< blocks
    std::vector<uint64_t> blocks; ///< see getBlockCounts
    std::vector<SiteTotals> sites;
  };

  ClassTotal &getClass(unsigned lastAxes);
  static SiteTotal &getTotal(SiteTotals &totals, ptx::Space space,
                             AccessKind kind);
  void scaleClasses(LaunchCounts &counts) const;
  void addSites(LaunchCounts &counts) const;
  void addInstructions(LaunchCounts &counts) const;
  void addDistinct(LaunchCounts &counts, const CountedLaunch &launch) const;

  const CountPlan &plan;
  Dim3 grid;
  std::array<std::unique_ptr<ClassTotal>, 8> classes;
  ClassTotal *current = nullptr;
  std::vector<Touched> touched;  ///< by site
  std::vector<AccessKind> kinds; ///< of sites that touched global memory
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_COUNT_COUNTER_H
