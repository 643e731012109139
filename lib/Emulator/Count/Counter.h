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

#include "Count/Structure.h"
#include "Count/Touched.h"
#include "Runtime/Memory/WarpAccess.h"

#include "tc/Target/LoadCache.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace tc::emulator {

/// How often a basic block was executed; compiled code adds to it.
struct BlockCount {
  uint64_t warps = 0;     ///< executions by a warp with a lane that takes part
  uint64_t lanes = 0;     ///< sum over them of the lanes that took part
  uint64_t divergent = 0; ///< its branch sent lanes different ways
};

/// What is known of a kernel before it runs. Outlives its counters; the
/// instructions outlive it.
class CountPlan {
public:
  /// Adds the next site, from 0. `source` is "file:line:column" or empty; loads
  /// go by L1 unless `cachesLoads` is false or they say otherwise.
  void addSite(const ptx::Instruction &instruction, std::string source = {},
               bool cachesLoads = true);
  /// Adds the next basic block, from 0. `folding` is by instruction; empty:
  /// nothing is folded.
  void addBlock(llvm::ArrayRef<const ptx::Instruction *> instructions,
                llvm::ArrayRef<Folding> folding = {});
  /// Adds a loop of blocks; an inner one after those around it.
  void addLoop(unsigned line, llvm::ArrayRef<unsigned> body) {
    loops.push_back({line, llvm::SmallVector<unsigned>(body)});
  }
  void setStructure(KernelStructure found) { structure = std::move(found); }
  /// What the instructions' places in the source point into; outlives it.
  void setModule(const ptx::Module &theModule) { module = &theModule; }

private:
  friend class Counter;
  struct Site {
    const ptx::Instruction *instruction;
    std::string source;
    bool isInL1; ///< what it loads
  };
  struct Block {
    /// Index into `classes`, and how many of it are in the block.
    llvm::SmallVector<std::pair<uint32_t, uint32_t>, 8> histogram;
    /// Each with its index into `classes`.
    std::vector<std::pair<const ptx::Instruction *, uint32_t>> instructions;
    unsigned branchLine = 0; ///< of its conditional branch; 0: none
    unsigned line = 0;       ///< of its first instruction
  };
  struct Loop {
    unsigned line;
    llvm::SmallVector<unsigned> blocks; ///< the first begins each iteration
  };
  std::vector<Site> sites;
  std::vector<Block> blocks;
  std::vector<Loop> loops;
  KernelStructure structure;
  const ptx::Module *module = nullptr;
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

class Tracer;

class Counter {
public:
  Counter(const CountPlan &plan, BlockBox box);

  /// The block with this linear id begins; it has the rank `rank` in a cluster
  /// of blocks that run together.
  void beginBlock(uint64_t block, uint32_t rank = 0);
  /// A barrier of the block completed.
  void endStep(uint32_t rank = 0) { running[rank].cache.clear(); }
  void access(const WarpState &warp, const WarpAccess &access);
  /// A `wgmma` reads `bytes` of shared memory, without conflicts.
  void readMatrices(const WarpState &warp, uint32_t site, uint64_t bytes);
  /// A bulk copy moves stretches of global memory, by address and size, and so
  /// many bytes of shared memory. `kind` is what it does to the former. It
  /// passes L1 by, and has no bank conflicts.
  void moveBulk(const WarpState &warp, uint32_t site,
                llvm::ArrayRef<std::pair<uint64_t, uint64_t>> global,
                AccessKind kind, uint64_t read, uint64_t written);
  /// Tells it of each access from now on; null: nobody.
  void setTracer(Tracer *told) { tracer = told; }
  /// For compiled code to add to, an element a basic block; good until the next
  /// `beginBlock` of this rank.
  BlockCount *getBlockCounts(uint32_t rank = 0) {
    return running[rank].total->blocks.data();
  }

  /// Adds what `other`, of the same plan and box, counted.
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
    uint64_t run = 0; ///< blocks
    std::vector<BlockCount> blocks;
    std::vector<SiteTotals> sites;
  };

  /// A block that runs: where its counts go, what it touches, its L1.
  struct Running {
    ClassTotal *total = nullptr;
    std::vector<Touched> *touched = nullptr;
    mlir::tc::LoadCache cache;
    /// By site, whether copies of a loop can load together: only if the first
    /// one is aligned.
    llvm::DenseMap<uint32_t, bool> joins;
  };

  ClassTotal &getClass(uint32_t lastAxes);
  AccessCounts count(Running &block, const WarpAccess &access);
  void accessGlobal(Running &block, const WarpAccess &access,
                    AccessCounts &counts);
  void accessShared(Running &block, const WarpAccess &access,
                    AccessCounts &counts) const;
  /// As KernelStructure::merged.
  unsigned getMerged(uint32_t site) const {
    return site < plan.structure.merged.size() ? plan.structure.merged[site]
                                               : 1;
  }
  /// As KernelStructure::joined.
  unsigned getJoined(uint32_t site) const {
    return site < plan.structure.joined.size() ? plan.structure.joined[site]
                                               : 1;
  }
  static SiteTotal &getTotal(SiteTotals &totals, ptx::Space space,
                             AccessKind kind);
  void scaleClasses(LaunchCounts &counts) const;
  std::vector<Touched> gatherTouched() const;
  void addSites(LaunchCounts &counts, llvm::ArrayRef<Touched> touched) const;
  /// Executions by warps of a basic block in the whole grid.
  uint64_t getWarps(const LaunchCounts &counts, size_t block) const;
  /// The sum over them of the lanes that took part.
  uint64_t getLanes(const LaunchCounts &counts, size_t block) const;
  void addInstructions(LaunchCounts &counts) const;
  void addLines(LaunchCounts &counts) const;
  void addLoops(LaunchCounts &counts) const;
  void addWaits(LaunchCounts &counts) const;
  void addDistinct(LaunchCounts &counts, const CountedLaunch &launch,
                   llvm::ArrayRef<Touched> touched) const;
  /// What one block touched, by all sites that did so in this way.
  Touched gather(llvm::ArrayRef<Touched> sites, bool reads, bool writes) const;

  const CountPlan &plan;
  BlockBox box;
  Tracer *tracer = nullptr;               ///< null unless launches are traced
  std::map<uint32_t, ClassTotal> classes; ///< by BlockBox::classOf
  std::vector<Running> running;           ///< by rank
  std::vector<AccessKind> kinds; ///< of sites that touched global memory
  /// By site, what each of the base and its neighbours touched.
  std::map<uint64_t, std::vector<Touched>> watched;
  std::vector<Touched> others; ///< and all other blocks
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_COUNT_COUNTER_H
