//===- Trace.h - What warps did, step by step -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A trace holds one block of each class of a launch (BlockBox), and of each of
// its warps the steps: executions of a basic block with what its accesses asked
// for. Steps alike are one, so a loop that repeats itself costs four bytes a
// step. A tracer belongs to a counter, which tells it of accesses.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TIME_TRACE_H
#define TC_LIB_EMULATOR_TIME_TRACE_H

#include "Async/Mbarrier.h"
#include "Runtime/Memory/WarpAccess.h"
#include "Time/Program.h"
#include "tc/Emulator/Counts.h"
#include "tc/Emulator/Trace.h"

#include "llvm/ADT/StringMap.h"

#include <map>

namespace tc::emulator {

/// What one instruction of a warp asked of memory; AccessCounts of one request.
struct Request {
  uint32_t site = 0;
  ptx::Space space = ptx::Space::Global;
  uint32_t requests = 0;               ///< machine instructions that it is
  uint32_t sectors = 0, lines = 0;     ///< global and local memory
  uint32_t l2Sectors = 0, l2Lines = 0; ///< of these, what goes to L2
  uint32_t wavefronts = 0;             ///< shared memory
};

/// What one instruction of a warp did to an mbarrier; `object` is a number from
/// 0 on, in the order in which the launch came by them.
struct MbarrierRequest {
  uint32_t site = 0;
  MbarrierUse use;
};

/// An execution of a basic block by a warp.
struct TraceStep {
  uint32_t block = 0;
  llvm::SmallVector<Request, 0> requests;     ///< by rising site
  llvm::SmallVector<MbarrierRequest, 0> uses; ///< in their order
  bool isPoll = false;                        ///< it waited in vain

  void clear() {
    requests.clear();
    uses.clear();
    isPoll = false;
  }
};

struct TracedBlock {
  uint32_t lastAxes = 0;                    ///< its class
  std::vector<std::vector<uint32_t>> warps; ///< indices into `steps`
};

class LaunchTrace {
public:
  Program program;
  std::vector<TraceStep> steps;
  std::vector<TracedBlock> blocks; ///< one of each class that ran
  bool isWhole = true;             ///< nothing was left out for its length
  unsigned mbarriers = 0;          ///< of a block, the highest number plus 1
};

/// Records while blocks run.
class Tracer {
public:
  Tracer(Program program, const Flow &flow, BlockBox box);

  /// As Counter::beginBlock.
  void beginBlock(uint64_t block, uint32_t rank, unsigned warps);
  /// The warp begins a basic block.
  void enter(const WarpState &warp, uint32_t block);
  /// It accessed memory there, or is about to begin the block that does.
  void access(const WarpState &warp, uint32_t site, ptx::Space space,
              const AccessCounts &counts);
  /// It does something to an mbarrier.
  void use(const WarpState &warp, uint32_t site, MbarrierUse use);
  /// It finds that a phase is not over. Where it comes to the same block again
  /// without doing anything else, a machine would have let it wait: the steps
  /// between are left out.
  void failWait(const WarpState &warp, uint32_t site);
  /// The launch is over.
  std::shared_ptr<const LaunchTrace> finish();

private:
  /// A warp of a block that runs.
  struct Running {
    TraceStep step, early; ///< the present one, what is known of the next one
    bool isInStep = false;
    /// Of a wait that failed, its block and how many steps came before, while
    /// nothing else is done.
    std::optional<std::pair<uint32_t, size_t>> poll;
  };
  struct RunningBlock {
    size_t index = 0; ///< among `trace->blocks`
    std::vector<Running> warps;
  };

  void add(llvm::SmallVectorImpl<Request> &requests, const Request &request);
  void endStep(RunningBlock &block, uint32_t warp);
  void endBlock(uint32_t rank);
  uint32_t getNumber(TraceStep &step);
  TraceStep *findStep(const WarpState &warp, uint32_t site);

  const Flow &flow;
  BlockBox box;
  std::shared_ptr<LaunchTrace> trace = std::make_shared<LaunchTrace>();
  std::map<uint32_t, RunningBlock> running;   ///< by rank; those traced
  llvm::StringMap<uint32_t> numbers;          ///< of steps, by what they hold
  llvm::DenseMap<uint32_t, uint32_t> objects; ///< mbarriers, by address
  uint64_t recorded = 0;                      ///< steps of all warps
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TIME_TRACE_H
