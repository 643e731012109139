//===- Multiprocessor.h - One multiprocessor, event by event ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warps of resident blocks issue in order. An instruction issues when its
// registers are there, its pipe is free, and its partition's scheduler takes
// it; a memory instruction also needs a place in the queue of the load/store
// unit. See Note [Level B] in Simulate.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TIME_MULTIPROCESSOR_H
#define TC_LIB_EMULATOR_TIME_MULTIPROCESSOR_H

#include "Time/MbarrierClock.h"
#include "Time/MemorySystem.h"
#include "Time/Program.h"
#include "tc/Emulator/Trace.h"

#include <functional>
#include <limits>

namespace tc::emulator {

/// The pipes of a partition: of arithmetic, one that takes memory instructions,
/// and one that no instruction waits for.
constexpr unsigned kPipes = 8, kTensorPipe = 5, kMemoryPipe = 6, kNoPipe = 7;

/// An op as this machine issues it.
struct MachineOp {
  OpKind kind = OpKind::Issue;
  uint8_t pipe = 0;       ///< of its partition
  uint8_t readCount = 0;  ///< registers from `firstRegister` on that it reads,
  uint8_t writeCount = 0; ///< and, behind these, that it writes
  uint16_t groups = 0, barrier = 0, threads = 0;
  uint32_t firstRegister = 0;
  float pipeCycles = 0, latency = 0;
  float readCycles = 0; ///< from its issue until its operands have been read
  uint32_t line = 0;
};

/// A body for this machine.
struct MachineBody {
  std::vector<MachineOp> ops;
  std::vector<uint32_t> registers;
};

/// A body with what its memory instructions ask for, in the order of the body.
struct Segment {
  const MachineBody *body = nullptr;
  std::vector<MemoryDemand> demands;
  std::vector<MbarrierUse> uses;
};

/// What the warps of a block do: segments, by index.
using BlockWork = std::vector<std::vector<uint32_t>>;

struct MultiprocessorSetup {
  const mlir::tc::Machine &machine;
  MemoryRates rates;
  std::vector<Segment> segments;
  unsigned registers = 0; ///< the highest number of one in a body, plus 1
  unsigned resident = 1;  ///< blocks at a time
  unsigned lines = 0;     ///< the highest line of the PTX, plus 1
  unsigned mbarriers = 0; ///< of a block
};

class Multiprocessor {
public:
  explicit Multiprocessor(const MultiprocessorSetup &setup);

  /// The next block; null when there is none any more.
  using NextBlock = std::function<const BlockWork *()>;
  /// Runs blocks until there are none, or until `most` instructions have been
  /// issued. False where warps wait for each other for ever.
  bool run(const NextBlock &next, uint64_t most);

  /// Cycles until all was done, stores in memory included.
  double getCycles() const;
  uint64_t getInstructions() const { return instructions; }
  llvm::ArrayRef<double> getEnds() const { return ends; } ///< of blocks
  /// Instructions and the time at which they had been issued, now and then.
  llvm::ArrayRef<std::pair<uint64_t, double>> getProgress() const {
    return progress;
  }
  using LineLosses = std::array<double, kLosses>;
  llvm::ArrayRef<LineLosses> getLosses() const { return losses; } ///< by line

private:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  struct Meeting {
    unsigned arrived = 0;                   ///< warps
    unsigned expected = 0;                  ///< 0: all that have not ended
    unsigned line = 0;                      ///< of one that waits
    llvm::SmallVector<unsigned, 8> waiting; ///< warps
  };
  struct ResidentBlock {
    unsigned warps = 0;                     ///< that have not ended
    llvm::SmallVector<Meeting, 1> meetings; ///< by barrier
    std::vector<MbarrierClock> mbarriers;
  };
  struct Warp {
    const std::vector<uint32_t> *work = nullptr;
    unsigned block = 0, partition = 0;
    uint32_t segment = 0;        ///< place in `work`
    uint32_t op = 0, demand = 0; ///< places in the segment
    bool isWaiting = true;       ///< at a barrier, or there is nothing to do
    /// Before this it does not issue, and why.
    double ready = 0;
    Loss why = Loss::Branch;
    unsigned whyLine = 0; ///< of the instruction that it waits at
    double issued = 0;    ///< its last instruction
    double copies = 0;    ///< when those of the open group have landed,
    double allCopies = 0; ///< and all so far
    unsigned phases = 0;  ///< of mbarriers that it waits for
    llvm::SmallVector<double, 4> groups; ///< those that were closed
    /// The same of products of `wgmma`.
    double products = 0;
    llvm::SmallVector<double, 4> groupsOfProducts;
  };
  struct Partition {
    llvm::SmallVector<unsigned, 16> warps;
    double free = 0; ///< its scheduler
    double pipes[kPipes] = {};
    double queue[8] = {}; ///< when the last memory instructions began
    unsigned head = 0;    ///< the oldest of these
    unsigned last = 0;    ///< warp that issued last
    // What it issues next, if nothing changes.
    bool isKnown = false;
    double at = 0;
    unsigned warp = 0;
    Loss why = Loss::Issue;
  };

  double getStart(double earliest);
  void begin(unsigned block, const BlockWork &work, double at);
  void end(unsigned warp, const NextBlock &next);
  bool prepare(Warp &warp, unsigned number);
  void choose(Partition &partition);
  void issue(Partition &partition, const NextBlock &next);
  void lose(Warp &warp, const Partition &partition, unsigned line);
  void arrive(Warp &warp, unsigned number, const MachineOp &op);
  void checkMeetings(ResidentBlock &block);
  const Segment &getSegment(const Warp &warp) const {
    return setup.segments[(*warp.work)[warp.segment]];
  }
  const MachineOp &getOp(const Warp &warp) const {
    return getSegment(warp).body->ops[warp.op];
  }
  bool fold(Warp &warp, unsigned number);
  void await(Warp &warp, const MachineOp &op,
             llvm::SmallVectorImpl<double> &groups, Loss why);
  void multiply(Partition &partition, Warp &warp, const MachineOp &op);
  double useMbarriers(unsigned number, const MachineOp &op,
                      const MemoryDemand &demand, double done);
  void release(Warp &warp, double at, unsigned line);
  MemorySystem::Answer access(Partition &partition, Warp &warp,
                              const MachineOp &op);
  double &readyAt(unsigned warp, uint32_t reg) {
    return ready[size_t(warp) * setup.registers + reg];
  }

  const MultiprocessorSetup &setup;
  MemorySystem memory;
  double interval;           ///< of a partition's scheduler
  double nextStart = 0;      ///< of a block, at the earliest
  std::vector<double> ready; ///< by warp and register
  std::vector<double> read;  ///< until what was there has been read
  std::vector<Loss> readyWhy;
  std::vector<Warp> warps;
  std::vector<ResidentBlock> blocks;
  std::vector<Partition> partitions;
  unsigned live = 0; ///< blocks
  uint64_t instructions = 0;
  double now = 0;
  std::vector<double> ends;
  std::vector<std::pair<uint64_t, double>> progress;
  std::vector<LineLosses> losses;
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TIME_MULTIPROCESSOR_H
