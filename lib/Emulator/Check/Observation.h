//===- Observation.h - Who saw which atomic writes --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Observation order (PTX ISA, section 8.9): a strong write precedes the strong
// read that finds its value, also through atomics in between, and so whatever
// that reader does later (section 8.9.5). It orders this one write and nothing
// else of its thread: a relaxed atomic is no fence. CUDA's example of a last
// block that resets the counter (threadFenceReduction) relies on it.
//
// The writes of a granule form chains: an atomic that finds the last write goes
// on with its chain, any other strong write begins one. A reader has observed a
// chain up to a moment. So a chain needs no list of its writes, and whether one
// precedes an access is asked of the readers, and of Order.h what they precede.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_OBSERVATION_H
#define TC_LIB_EMULATOR_CHECK_OBSERVATION_H

#include "Check/Order.h"

namespace tc::emulator {

/// A strong access to one granule. The lanes of one instruction act in order,
/// and no other instruction has its tick.
struct Moment {
  Tick tick = 0;
  uint32_t thread = 0;

  bool operator==(const Moment &other) const {
    return tick == other.tick && thread == other.thread;
  }
  bool operator<(const Moment &other) const {
    return tick != other.tick ? tick < other.tick : thread < other.thread;
  }
  bool operator<=(const Moment &other) const { return !(other < *this); }
};

/// What a thread does to a granule.
struct StrongAccess {
  uint64_t address; ///< and `bytes`: of the whole access
  uint32_t bytes;
  uint32_t thread;
  unsigned strength; ///< as in Cell.h, 1 or 2
  bool reads, writes;
};

class Observation {
public:
  explicit Observation(const Order &order) : order(order) {}

  /// Before that of `order`.
  void beginBlock();
  /// The accesses of an instruction, lane by lane. The clock has to advance
  /// after them.
  void access(bool isShared, uint64_t granule, const StrongAccess &access,
              uint32_t threadsOfBlock);

  /// Whether the strong write to the granule is ordered before what `observer`
  /// does now.
  bool isBefore(bool isShared, uint64_t granule, const Moment &write,
                uint32_t observer) const;
  /// Whether all strong writes from `first` on are, where nothing but barriers
  /// of the whole block orders threads.
  bool areAllBefore(bool isShared, uint64_t granule, Tick first,
                    uint32_t observer) const;

private:
  /// The part of a chain that a thread has observed: from `begin` to before
  /// `end`, which is the access of that thread.
  struct Observed {
    Moment begin, end;
  };
  struct Chain {
    Moment begin, last;
    bool isOverwritten = false; ///< by lanes of the instruction that began it
  };
  struct Granule {
    llvm::SmallVector<Chain, 1> chains; ///< the last one goes on
    /// Writes before are not told apart: they count as observed.
    Moment start;
    uint64_t address = 0; ///< and so on: the last write
    uint32_t bytes = 0;
    unsigned strength = 0;
    /// In the block that runs, by thread; and in earlier ones.
    llvm::DenseMap<uint32_t, llvm::SmallVector<Observed, 1>> observers;
    std::vector<Observed> earlier;
  };

  void observe(Granule &granule, const Moment &now, bool writes);
  void write(Granule &granule, const Moment &now, const StrongAccess &access,
             bool goesOn);
  bool isOrdered(const Moment &of, uint32_t observer) const {
    return order.isBefore(of.tick, of.thread, observer);
  }
  /// Calls `body` with what was observed by accesses that are ordered before
  /// the observer, the latest first, until it is true.
  template <typename Body>
  bool anyObserved(const Granule &granule, uint32_t observer, Body body) const;
  const Granule *find(bool isShared, uint64_t granule) const;

  const Order &order;
  llvm::DenseMap<uint64_t, std::unique_ptr<Granule>> globals, shared;
  std::vector<Granule *> touched; ///< with observers in the running block
  size_t kept = 0;                ///< observers in earlier blocks
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_OBSERVATION_H
