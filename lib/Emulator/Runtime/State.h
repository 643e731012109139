//===- State.h - What compiled kernels see of the runtime -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The structs a compiled kernel reads while it runs, and the functions of the
// runtime it calls. The translator takes offsets from here, so these stay plain
// data.
//
// Addresses: global, const and param memory are host addresses, and so is every
// generic one. Shared and local addresses are offsets: shared memory starts at
// `sharedStart`, local memory at `localStart`, so that null is in neither.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_RUNTIME_STATE_H
#define TC_LIB_EMULATOR_RUNTIME_STATE_H

#include <cstdint>

namespace tc::emulator {

constexpr unsigned warpSize = 32;
constexpr uint64_t sharedStart = 1024;
constexpr uint64_t localStart = 1024;
/// The shared memory of the block of rank r begins at `clusterWindow` * (r + 1)
/// + `sharedStart` in the window shared::cluster; what is below is the own
/// block's. On the host the blocks' memory is as far apart.
constexpr uint64_t clusterWindow = 1 << 20;
/// Accesses of 1, 2, 4, 8, 16 and 32 bytes.
constexpr unsigned accessSizes = 6;

/// The allocation that one access of the kernel hit last. An address is fine if
/// `rotr(address - base, log2(size)) < count`: a misaligned one turns huge.
struct Slot {
  uint64_t base = 0;
  uint64_t count = 0;
};

/// How many accesses of 2^shift bytes fit into `bytes`.
inline uint64_t countAccesses(uint64_t bytes, unsigned shift) {
  return bytes >> shift;
}

struct BlockState {
  uint32_t blockDim[3];
  uint32_t gridDim[3];
  uint32_t blockIndex[3];
  uint32_t dynamicShared;
  uint32_t totalShared;
  char *shared;               ///< host address of `sharedStart`
  uint32_t clusterDim[3];     ///< blocks of a cluster
  uint32_t indexInCluster[3]; ///< of this block
  uint32_t clusterIndex[3];   ///< of its cluster
  uint32_t clusterGrid[3];    ///< clusters of the grid
  uint32_t rank;              ///< among the blocks of its cluster
  uint32_t clusterBlocks;     ///< how many these are
  uint32_t isExplicitCluster; ///< 1 if the launch asked for clusters
  /// 1 if it is cooperative: what runs together as one cluster is the grid, and
  /// each block sees itself as a cluster of one.
  uint32_t isCooperative;
  uint64_t gridWorkspace; ///< of a cooperative launch; else 0
  char *clusterShared;    ///< `shared` of the block of rank 0
  uint64_t clusterBytes;  ///< from there to the end of the last one's
  uint64_t sharedCount[accessSizes];
  char *parameters;
  Slot *slots;      ///< one per instruction that accesses memory
  uint64_t *counts; ///< a BlockCount (Count/Counter.h) per basic block
  void *launch;
};

/// A warp: lane i is bit i of every mask.
struct WarpState {
  BlockState *block;
  uint32_t index;    ///< in its block
  uint32_t rank;     ///< of its block
  uint32_t before;   ///< warps of the blocks of lower rank
  uint32_t exists;   ///< lanes that a thread stands for
  uint32_t live;     ///< lanes that have not ended
  uint32_t active;   ///< lanes that run the current block of masked code
  uint32_t waiting;  ///< lanes that wait at a barrier of the block
  uint32_t released; ///< lanes that have waited and may leave the barrier
  uint32_t arrived;  ///< lanes that have to wait at the barrier of the cluster
  uint32_t stalled;  ///< lanes at a collective that others must come to
  uint32_t turns;    ///< basic blocks of masked code run, for fairness
  uint32_t strong;   ///< lanes may wait in a loop: one made a strong access
  uint32_t hasUndefined; ///< 1 once it has found memory that nobody wrote
  uint32_t tid[3][warpSize];
  uint64_t clock; ///< what %clock and %globaltimer said last
  char *local;    ///< host address of lane 0's `localStart`, if there is any
  char *frame;    ///< registers of masked code, behind each lane's block
  /// Lanes in which each register is undefined, and in which each element of a
  /// load was (Translate/Flow/Undefined.h).
  uint32_t *undefined, *holes;

  static constexpr uint64_t clockStep = 32; ///< of one reading to the next

  /// Its number, and that of its first thread, in the cluster. Threads of a
  /// block are numbered as if it had whole warps.
  uint32_t getNumber() const { return before + index; }
  uint32_t getFirstThread() const { return getNumber() * warpSize; }
};

/// One of several accesses that are told together.
struct GroupMember {
  uint64_t site;
  int64_t offset;
};

/// In masked code a lane's position is the rank of a basic block (Flow::rank).
/// This bit says that the block begins with an instruction that lanes come
/// together for: they wait there until no other lane can run.
constexpr uint32_t collectiveBlock = 0x80000000;
/// What tc_emulator_check says where nothing is wrong.
constexpr int64_t allLanesFine = int64_t(1) << 32;
/// What the dispatcher of masked code gives instead of a block.
constexpr uint32_t warpJoined = 0xfffffffe, warpEnded = 0xffffffff;

/// Compiled code of a whole warp whose lanes run together.
using WarpFunction = void (*)(WarpState *, BlockState *);
/// Compiled code of a warp whose lanes have their own positions, in `frame`. It
/// returns true once all 32 lanes are at block `stop`, false when they ended.
using MaskedFunction = bool (*)(WarpState *, BlockState *, uint32_t stop);
/// Compiled code of one lane.
using ThreadFunction = void (*)(WarpState *, BlockState *, uint32_t lane);

} // namespace tc::emulator

// `mask` are the lanes concerned. The address of a lane is `base` +
// offsets[lane].
extern "C" {
/// Looks the addresses of access `site` up and refreshes its slot. Gives
/// `allLanesFine`, or the lanes that may make the access, by the functions
/// below, while the launch goes on without the others. Negative: a fault was
/// recorded and the warp must end.
int64_t tc_emulator_check(tc::emulator::WarpState *warp, uint32_t site,
                          uint32_t mask, uint64_t base, const int64_t *offsets);
/// Copies what the lanes of `mask` load, and zeros for the others, to where
/// compiled code can load it for all: at layout[lane] from the result.
char *tc_emulator_divert(tc::emulator::WarpState *warp, uint32_t site,
                         uint32_t mask, uint64_t base, const int64_t *offsets,
                         const int64_t *layout);
/// Makes a store that is not for all lanes, or is misaligned. `values` hold,
/// for each element, one of each lane.
void tc_emulator_write(tc::emulator::WarpState *warp, uint32_t site,
                       uint32_t mask, uint64_t base, const int64_t *offsets,
                       const char *values);
/// Tells checks and counters of an access that is within bounds.
bool tc_emulator_access(tc::emulator::WarpState *warp, uint32_t site,
                        uint32_t mask, uint64_t base, const int64_t *offsets);
/// The same for weak accesses of one size of which only the checks hear: one,
/// or loads with nothing between them that others notice. What a member adds
/// comes on top of base + offsets[lane].
bool tc_emulator_group(tc::emulator::WarpState *warp,
                       const tc::emulator::GroupMember *members, uint32_t mask,
                       uint64_t base, const int64_t *offsets, uint32_t count);
/// Finds lanes that store different values to one address. `addresses` are host
/// addresses; `values` hold 32 numbers an element.
/// Tells the trace that the lanes of `mask`, perhaps none, run a basic block.
void tc_emulator_enter(tc::emulator::WarpState *warp, uint32_t block,
                       uint32_t mask);
bool tc_emulator_values(tc::emulator::WarpState *warp, uint32_t site,
                        uint32_t mask, const uint64_t *addresses,
                        const uint64_t *values);
/// Lanes use an undefined register so that it matters (UndefinedUse), or have
/// stored it as element `element`. False: the warp must end.
bool tc_emulator_undefined(tc::emulator::WarpState *warp, uint32_t site,
                           uint32_t lanes, uint32_t reg, uint32_t use);
bool tc_emulator_undefined_store(tc::emulator::WarpState *warp, uint32_t site,
                                 uint32_t lanes, uint32_t reg,
                                 uint32_t element);
/// Executes an instruction that is not translated. `sources` and `results`
/// hold 32 numbers an operand. Gives the lanes for which it is done in the low
/// half; the others are to come again. Negative: the warp must end.
int64_t tc_emulator_step(tc::emulator::WarpState *warp, uint32_t site,
                         uint32_t mask, const uint64_t *sources,
                         uint64_t *results);
/// Before an instruction that accesses registers of `wgmma`. False: a fault was
/// recorded and the warp must end.
bool tc_emulator_touch(tc::emulator::WarpState *warp, uint32_t site,
                       uint32_t mask);
/// After a strong access, with which lanes may wait in a loop: lets others run
/// now and then. False: the warp must end.
bool tc_emulator_pause(tc::emulator::WarpState *warp, uint32_t site,
                       uint32_t mask);
/// Lanes end.
void tc_emulator_end(tc::emulator::WarpState *warp, uint32_t mask);
/// Chooses the block that masked code runs next and sets `active`.
uint32_t tc_emulator_dispatch(tc::emulator::WarpState *warp, uint32_t stop);
/// Runs masked code from the positions in the frame; see MaskedFunction.
bool tc_emulator_masked(tc::emulator::WarpState *warp, uint32_t stop);
}

#endif // TC_LIB_EMULATOR_RUNTIME_STATE_H
