//===- Bulk.h - Bulk copies in flight ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread asks for many bytes to be moved; the copy engine moves them at any
// time until somebody knows that it has (PTX ISA, sections 9.7.9.25.4 to
// 9.7.9.25.6).
//
// Note [Bulk copies]. What is copied into shared memory ends on an mbarrier: it
// has *landed* once its bytes are counted there, and is *observed* when a
// thread has seen the end of that phase; only then is it over. What is copied
// to global memory ends with its group: the source is *read* after
// `wait_group.read`, and all is over after `wait_group`. Bytes move at the
// latest moment, when somebody waits for them, or in schedules that are not
// deterministic also at the earliest, or piece by piece at any moment between.
// All copies of a cluster are in one list, since they may reach other blocks.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ASYNC_BULK_BULK_H
#define TC_LIB_EMULATOR_ASYNC_BULK_BULK_H

#include "Async/Async.h"

namespace tc::emulator::bulk {

/// Sizes and addresses of bulk copies are multiples of it.
constexpr uint32_t unitBytes = 16;

/// Bytes that move together.
struct Piece {
  char *to;
  const char *from; ///< null: what stands for elements that are not there
  uint32_t bytes;
};

/// Adds `bytes` at `from` to those at `to`, by the operation that it is for.
using Combine = void (*)(char *to, const char *from, uint32_t bytes);
/// The reduction of that name ("add", "inc") on elements of a type; null: there
/// is none (Reduce.cpp).
Combine findCombine(llvm::StringRef operation, ptx::Type type);

/// Changes numbers that were loaded.
using Transform = void (*)(char *at, uint32_t bytes);

/// Bytes of the shared memory of a block; none where there are 0.
struct SharedRange {
  char *at = nullptr;
  uint32_t bytes = 0;
};

struct Copy {
  const ptx::Instruction *instruction = nullptr;
  WarpState *warp = nullptr; ///< of the thread that issued it
  uint32_t site = 0;
  unsigned lane = 0;
  std::vector<Piece> pieces;
  size_t moved = 0;          ///< of the pieces
  Combine combine = nullptr; ///< of a reduction
  Transform transform = nullptr;
  /// Stands for the elements that are not there.
  std::array<char, 8> fill{};
  unsigned fillBytes = 1;
  SharedRange to, from; ///< in shared memory
  uint8_t span = 0;     ///< bytes of the swizzle of a box, 16 for none; else 0
  /// What it reads or writes of global memory: addresses and sizes.
  llvm::SmallVector<std::pair<uint64_t, uint64_t>, 1> global;
  /// What the global source held at the issue, piece by piece, if that is
  /// compared; of a copy to global memory, what was read.
  std::vector<char> buffer;
  /// Shared addresses of bytes that nobody wrote at the source.
  std::vector<uint64_t> undefined;

  /// The mbarrier that it ends on; null: a bulk group.
  char *object = nullptr;
  int64_t bytes = 0;        ///< counted there
  uint64_t phase = 0;       ///< of the object: at the issue, then at the end
  bool hasLanded = false;   ///< and waits to be observed
  uint32_t group = 0;       ///< of its thread
  bool isBuffered = false;  ///< the source was read into `buffer`
  bool isGeneric = false;   ///< not through the async proxy
  bool isReadKnown = false; ///< and the thread has waited for that
  uint64_t readNumber = 0;  ///< what the checks call its read of shared memory

  void addGlobal(uint64_t address, uint64_t size) {
    if (!global.empty() &&
        global.back().first + global.back().second == address)
      global.back().second += size;
    else
      global.push_back({address, size});
  }
  bool isOf(const WarpState &of, uint32_t lanes) const {
    return warp == &of && lanes >> lane & 1;
  }
};

struct State {
  std::array<uint32_t, 3> cluster; ///< that all this is of
  std::vector<std::unique_ptr<Copy>> copies;
  /// Groups committed so far, by thread of the cluster.
  llvm::DenseMap<uint32_t, uint32_t> groups;
  AsyncState::Moment moment = AsyncState::Moment::Latest;
  std::mt19937_64 random;
};

/// The state for the cluster that runs; what is left of another one goes.
State &getState(Launch &launch);

/// Puts a copy under way that is complete but for its moments (Land.cpp).
bool issue(Step &step, std::unique_ptr<Copy> copy);
/// Ends copies, at the latest all, that a wait on `object` is for. False after
/// a fault.
bool settle(Launch &launch, const char *object, bool isAll);
/// Whether copies are in flight that are to end on `object`.
bool isPending(const Launch &launch, const char *object);
/// The phase of that number of `object` has ended: no copy that was issued in
/// it may be in flight.
void endPhase(Launch &launch, const char *object, uint64_t phase);
/// A thread has seen that the phases before `phase` have ended.
void observe(Launch &launch, const char *object, uint64_t phase);
/// Threads end; all threads of a block have.
bool finish(Launch &launch, WarpState &warp, uint32_t lanes);
void endBlock(Launch &launch, uint32_t rank);

/// How much of `bytes` at an address in `space` (as the kernel has it, but host
/// addresses for Cluster) a lane may access: all, or what lies before a wrong
/// part, which is told of. Nothing after a fault.
std::optional<uint64_t> checkSpan(Step &step, unsigned lane, ptx::Space space,
                                  uint64_t address, uint64_t bytes,
                                  bool isStore);
/// Whether it is a multiple of `multiple`; else it is told of. A copy for which
/// that goes on moves nothing.
bool checkMultiple(Step &step, unsigned lane, llvm::StringRef what,
                   uint64_t value, uint64_t multiple);

/// The blocks that a copy brings bytes to, and where: in the shared memory of
/// each, and the mbarrier.
struct Target {
  char *to;
  char *object;
};
using Targets = llvm::SmallVector<Target, 1>;
/// Of a lane: the operands are the destination and the mbarrier, and a mask of
/// blocks if the instruction has one. False after a fault.
bool findTargets(Step &step, unsigned lane, uint64_t to, uint64_t object,
                 std::optional<uint64_t> blocks, Targets &targets);

// What rows of the instruction table name.
bool copy(Step &step);
bool prefetch(Step &step);
bool loadTensor(Step &step);
bool storeTensor(Step &step);
bool prefetchTensor(Step &step);
bool storeValues(Step &step);  ///< st.async
bool reduceValue(Step &step);  ///< red.async
bool replaceField(Step &step); ///< tensormap.replace
bool publishMap(Step &step);   ///< tensormap.cp_fenceproxy
bool commitGroup(Step &step);
bool waitGroup(Step &step);

} // namespace tc::emulator::bulk

#endif // TC_LIB_EMULATOR_ASYNC_BULK_BULK_H
