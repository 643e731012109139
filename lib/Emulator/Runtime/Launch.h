//===- Launch.h - State of a running kernel ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The state of a launch that the runtime's functions reach from a warp. Each
// host thread that runs blocks has one of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_LAUNCH_H
#define TC_LIB_EMULATOR_RUNTIME_LAUNCH_H

#include "Check/Mapping.h"
#include "Runtime/Findings.h"
#include "Runtime/Kernel.h"
#include "Runtime/Memory/MemoryImpl.h"
#include "Runtime/Memory/WarpAccess.h"
#include "Runtime/State.h"

#include <map>

namespace tc::emulator {

namespace bulk {
struct State;
}
struct AsyncState;
struct CheckFinding;
class Checker;
class Counter;
class Scheduler;
class Tracer;
class UndefinedTracker;

/// A module-level variable and where it lies.
struct VariableRegion {
  const ptx::Variable *variable;
  Region region;
};

/// The most that a lane accesses at once.
constexpr uint32_t spareBytes = 64;

struct Launch {
  const ptx::Module &ptx;
  const KernelPlan &plan;
  const Memory::Impl &memory;
  llvm::ArrayRef<VariableRegion> variables;
  uint64_t parameterBytes = 0;
  LaunchOptions options = {};
  Memory *heap = nullptr; ///< where kernels allocate
  Effort effort = Effort::Adaptive;
  KernelCode *code = nullptr;
  void *function = nullptr;           ///< a WarpFunction or a ThreadFunction
  BlockState block{};                 ///< of rank 0 in its cluster
  std::vector<BlockState> peers = {}; ///< those of the other ranks
  std::vector<Slot> slots = {};
  Scheduler *scheduler = nullptr;
  Checker *checker = nullptr;            ///< null unless all is checked
  UndefinedTracker *undefined = nullptr; ///< null unless that is followed
  Counter *counter = nullptr;            ///< null unless it is counted
  Tracer *tracer = nullptr;              ///< null unless it is traced
  FindingLog findings = {};
  std::optional<Finding> fault = {}; ///< what ends the launch
  uint64_t faultBlock = 0;           ///< linear index of its block
  /// Copies in flight and mbarrier objects, by rank of the block; made when the
  /// first one is.
  std::map<uint32_t, std::shared_ptr<AsyncState>> async = {};
  std::shared_ptr<bulk::State> bulk = {}; ///< once a bulk copy came
  /// What stands for memory that a lane must not access: to read, to write.
  alignas(spareBytes) char spare[2][spareBytes] = {};
  Mapping diverted = {}; ///< for tc_emulator_divert

  uint32_t countBlocks() const { return 1 + peers.size(); }
  BlockState &getBlock(uint32_t rank) { return rank ? peers[rank - 1] : block; }

  bool isThreads() const {
    return options.execution == LaunchOptions::Execution::Threads;
  }
};

inline Launch &getLaunch(const WarpState &warp) {
  return *static_cast<Launch *>(warp.block->launch);
}

/// Records what a lane did wrong at `site`. The launch goes on, unless its
/// options let it stop: then it is a fault, and the result false.
bool reportSite(const WarpState &warp, unsigned lane, uint32_t site,
                FindingClass what, llvm::function_ref<std::string()> describeIt,
                std::optional<uint64_t> address = std::nullopt,
                std::optional<Party> other = std::nullopt,
                uint32_t otherSite = FindingLog::nobody, uint64_t count = 1);

/// Records a fault of a lane at `site`, which ends the launch, unless there is
/// one already. Returns false.
bool reportFault(const WarpState &warp, unsigned lane, uint32_t site,
                 const llvm::Twine &what, FindingClass kind,
                 std::optional<uint64_t> address = std::nullopt,
                 std::optional<Party> other = std::nullopt);

/// Records what the checker found. False: the launch ends with it.
bool reportFinding(Launch &launch, const CheckFinding &found);

/// What becomes of one lane's access. `isFatal`: a wrong one ends the launch.
struct AccessVerdict {
  enum Kind {
    Fine,
    Unaligned, ///< it is not looked for, and the access is made as it is
    Skipped,   ///< wrong; the launch goes on without it
    Fault,
  } kind = Fine;
  /// The region that a fine one hits, empty where no other may rely on it.
  Region region = {};
};
AccessVerdict checkAccess(Launch &launch, const WarpState &warp, unsigned lane,
                          uint32_t site, ptx::Space space, uint64_t address,
                          uint32_t bytes, bool isStore, bool isFatal = false);
/// Where memory of a lane is on the host, at an address in `space` (not
/// Cluster).
char *getPointer(const Launch &launch, const WarpState &warp, unsigned lane,
                 ptx::Space space, uint64_t address);

/// Where a told address in shared memory is on the host: with the rank of its
/// block.
inline char *getShared(const Launch &launch, uint64_t address) {
  return launch.block.shared + (address - sharedStart);
}
/// From shared::cluster to a host address.
uint64_t toGeneric(const BlockState &block, uint64_t address);
/// The shared memory of a block that `pointer` is in, by rank.
std::optional<uint32_t> findWindow(const BlockState &block, uint64_t pointer);

/// "(1,0,0)": its index in the grid.
std::string describeBlock(const BlockState &block);
/// Index of a block in its grid, x fastest.
uint64_t getLinearIndex(const BlockState &block);
/// "PTX line 12 (`bar.sync 0`)", and the source line where one is known.
std::string describeSite(const Launch &launch, uint32_t site);
Party describeParty(const Launch &launch, uint32_t site);
Dim3 getThread(const BlockState &block, uint32_t linear);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_RUNTIME_LAUNCH_H
