//===- Undefined.h - What nobody wrote, until it is used --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load of memory that nobody wrote is no fault: a tile at the edge of a
// matrix is loaded and computed with as a whole, and its results are not
// stored. So what such loads find is followed through registers, shared and
// local memory, and told of where it matters: where it is stored to global
// memory, decides a branch, is part of an address, or is an operand of an
// atomic operation.
//
// Registers are followed by compiled code (Translate/UndefinedCode.cpp), lane
// by lane, each as a whole. Here are memory, and the instructions that the
// runtime executes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_CHECK_UNDEFINED_H
#define TC_LIB_EMULATOR_CHECK_UNDEFINED_H

#include "Runtime/Launch.h"
#include "Runtime/Step.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseSet.h"

namespace tc::emulator {

/// Of the blocks that run on one host thread.
class UndefinedTracker {
public:
  UndefinedTracker(Launch &launch, const UndefinedPlan &plan)
      : launch(launch), plan(plan) {}

  /// Whether anything is undefined in the blocks that run. If not, nothing
  /// below needs to be called.
  bool isAny() const { return any; }
  void beginBlock();

  /// Before an access, whose addresses are as the checks are told them. What
  /// `takeHole` says belongs to it.
  void access(WarpState &warp, const WarpAccess &access);
  /// Some lanes of the access find `bytes` at `address` that nobody wrote.
  /// False: the instruction has no use for that, so it is to be told of.
  bool takeHole(const WarpAccess &access, uint32_t lanes, uint64_t address,
                uint32_t bytes);
  /// Lanes use a register. False: the launch ends.
  bool use(const WarpState &warp, uint32_t site, uint32_t lanes, unsigned reg,
           UndefinedUse how);
  /// Lanes have stored a register as bytes from `first` on of what each stored
  /// last.
  bool store(const WarpState &warp, uint32_t site, uint32_t lanes, unsigned reg,
             uint32_t first, uint32_t bytes);

  /// An instruction of the runtime loads or stores its operand `index`, of
  /// results or sources.
  void beginLoad(unsigned index) { loaded = index; }
  bool storeOperand(const Step &step, unsigned index, uint32_t bytes);
  /// It was executed: what of its results is undefined.
  void step(Step &step, llvm::function_ref<bool(Step &)> run);
  /// Bytes of a copy that were undefined at its source, by lane, as bits.
  std::array<uint32_t, warpSize> takeCopied();
  /// A copy of a lane has written shared memory.
  void writeCopied(uint64_t address, uint32_t bytes, uint32_t undefined);

  /// A bulk copy has written `bytes` of shared memory; `undefined` has a bit
  /// for each byte that was undefined at its source.
  void writeBulk(uint64_t address, uint64_t bytes,
                 llvm::ArrayRef<uint64_t> undefined);

  /// A read races: what shared memory holds may follow from that, and is not
  /// told of in the blocks that run.
  void noteRace() { isRacing = true; }
  /// All threads of the block met, or it ended. Uses of shared memory that
  /// nobody wrote are kept back until then, in case its writer comes.
  bool flush();

private:
  /// A load that found something undefined.
  struct Origin {
    uint32_t site, lanes;
    ptx::Space space;
    std::array<uint64_t, warpSize> addresses;
  };
  struct Use {
    WarpState warp;
    unsigned lane;
    ptx::Space space;
    uint64_t address;
    UndefinedUse how;
    uint64_t count;
  };

  const Origin *findOrigin(const WarpState &warp, unsigned lane, unsigned reg);
  bool tell(uint32_t origin, uint32_t site, const Use &use);
  uint32_t &undefinedOf(const WarpState &warp, const ptx::Operand &operand);
  void stepMatrix(Step &step);
  void loadRows(Step &step);

  Launch &launch;
  const UndefinedPlan &plan;
  bool any = false;
  WarpState *current = nullptr;     ///< whose access it is
  Lanes first{};                    ///< its addresses
  ptx::Space spaces[warpSize] = {}; ///< of what each lane accessed last
  Lanes last{};                     ///< and where
  llvm::DenseSet<uint64_t> shared;  ///< undefined bytes that were stored
  std::vector<std::vector<Origin>> origins; ///< by warp, the latest last
  llvm::DenseMap<uint32_t, llvm::BitVector> dependents;
  std::map<std::pair<uint32_t, uint32_t>, Use> uses; ///< by load and use
  bool isRacing = false;
  unsigned loaded = 0;
  /// Of the instruction that the runtime executes: holes by result, or by byte
  /// of a row or a copy.
  std::vector<uint32_t> results;
  std::array<uint32_t, warpSize> bytesOfLane{};
};

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_CHECK_UNDEFINED_H
