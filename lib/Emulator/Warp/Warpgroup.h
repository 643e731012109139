//===- Warpgroup.h - Matrix products of four warps --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `wgmma` (PTX ISA, section 9.7.15). Four warps, from a multiple of four on,
// issue a product together; it reads shared memory and the registers of its
// matrix a, and writes its accumulators, at any time until they wait for it.
//
// Note [Warpgroups]. Warps do not wait for each other when they issue. What
// each of them executes of `wgmma` is compared, one after the other, with what
// the others did, since they must do the same. A product can be done once all
// four have issued it; whoever waits for it first waits for the others, too, so
// that what one warp has waited for is over for all four. As copies
// (Async/Async.h), products are done at the latest moment, or in schedules that
// are not deterministic also at the earliest, or at any. Until then the
// accumulators in registers hold what they held, or some of the result; what
// products add to is kept here. Registers have a product in flight from its
// issue until the warp has waited for it, even if it is done.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_WARP_WARPGROUP_H
#define TC_LIB_EMULATOR_WARP_WARPGROUP_H

#include "Runtime/Step.h"
#include "Warp/Descriptor.h"

#include "llvm/ADT/DenseMap.h"

#include <deque>

namespace tc::emulator {

struct AsyncState;

namespace warpgroup {

constexpr unsigned warpsOfGroup = 4;

/// Registers of a warp's fragment of a; it has as many for each type.
constexpr unsigned registersOfA = 4;

struct Product {
  const ptx::Instruction *instruction;
  uint32_t site;
  uint64_t number; ///< of the group's products, from 0
  Descriptor a, b;
  bool isAdded; ///< to what is in the accumulators; else these begin at zero
  uint32_t issued = 0; ///< by which warps
  bool isDone = false;
  /// Accumulators, and registers of a if it is in some: places in
  /// FlatBody::lateRegisters.
  llvm::SmallVector<unsigned> accumulators, inputs;
  std::array<Lanes, registersOfA> fragments[warpsOfGroup] = {};

  bool isInRegisters() const { return !inputs.empty(); }
  /// Addresses in shared memory of what it reads for one of the four warps:
  /// its rows of a, and all of b.
  llvm::SmallVector<uint32_t> getPieces(unsigned member) const;
  SharedMatrix getShape(bool isA) const;
};

/// An instruction that the four warps must execute alike.
struct Event {
  uint32_t site;
  uint64_t a = 0, b = 0;
  bool isAdded = false;
  unsigned warp = 0; ///< that came first
};

/// A register of `wgmma` in one warp.
struct LateRegister {
  Lanes value{}; ///< of an accumulator of products in flight
  /// The last product that writes or reads it, by number plus 1.
  uint64_t writer = 0, reader = 0;
  /// Since the last fence: the shape of a product that wrote it, and whether
  /// another instruction accessed it, and which.
  llvm::StringRef shape;
  bool isUnfenced = true, isUsed = false; ///< by a product since then
  std::optional<std::pair<uint32_t, unsigned>> touch; ///< site and lane
};

/// One warp of the four.
struct Member {
  uint64_t events = 0, issued = 0, retired = 0; ///< of the last two, products
  /// By group of products that was committed, the products up to its end.
  std::deque<uint64_t> ends;
  std::vector<LateRegister> registers; ///< as FlatBody::trackedRegisters
  bool isWaiting = false;
};

struct Group {
  std::deque<Event> events;
  uint64_t firstEvent = 0; ///< the number of the first one that is kept
  std::deque<Product> products;
  uint64_t firstProduct = 0, done = 0; ///< numbers
  Member members[warpsOfGroup];

  Product &getProduct(uint64_t number) {
    return products[number - firstProduct];
  }
};

struct State {
  std::array<std::unique_ptr<Group>, 8> groups; ///< a block has at most
  /// What instructions access of FlatBody::trackedRegisters, by site.
  llvm::DenseMap<uint32_t, llvm::SmallVector<unsigned, 4>> touched;
};

/// Does a product for all four warps (GroupProduct.cpp).
void execute(Launch &launch, const BlockState &block, Group &group,
             Product &product);

/// The lanes access registers in an instruction that is none of these.
bool touch(Launch &launch, WarpState &warp, uint32_t site, uint32_t lanes);
/// They end. False after a fault.
bool finish(Launch &launch, AsyncState &state, WarpState &warp, uint32_t lanes);

// What rows of the instruction table name.
bool multiply(Step &step);
bool fence(Step &step);
bool commitGroup(Step &step);
bool waitGroup(Step &step);

} // namespace warpgroup
} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_WARP_WARPGROUP_H
