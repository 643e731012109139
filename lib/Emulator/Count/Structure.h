//===- Structure.h - What instructions wait for -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What simulated time needs to know of a kernel beside amounts, found in its
// text: where warps wait for global memory and how far ahead they asked, how
// many multiply-adds depend on each other, and which loads the assembler makes
// one.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_COUNT_STRUCTURE_H
#define TC_LIB_EMULATOR_COUNT_STRUCTURE_H

#include "Count/Folding.h"
#include "Translate/Flow/Flow.h"
#include "Translate/Flow/Loops.h"
#include "Translate/Flow/Plan.h"

namespace tc::emulator {

struct KernelStructure {
  /// Blocks of which one run of all is one wait for global memory.
  struct Wait {
    llvm::SmallVector<unsigned> blocks;
    /// Steps of the loop between asking and waiting.
    unsigned ahead = 0;
    bool isForCopies = false; ///< asynchronous ones
  };
  /// A block that loads, multiplies and adds.
  struct Chain {
    unsigned block;
    unsigned multiplyAdds;
    /// The most that depend on one another, those of the blocks that come right
    /// before included, and those of all steps of a loop that ptxas writes out;
    /// of tensor instructions, all of them.
    unsigned depth;
  };
  std::vector<Wait> waits;
  std::vector<Chain> chains;
  std::vector<unsigned> barriers; ///< the blocks that end in one
  /// By site, how many loads of neighbours in shared memory, this one the
  /// first, are one machine instruction of up to 16 bytes if its address is
  /// aligned to them all; 0: it is part of one that another site begins.
  std::vector<uint8_t> merged;
  /// By site, the one that begins the load it is part of: itself, if no other.
  std::vector<uint32_t> leaders;
  /// By site, how many copies of a loop that is written out read neighbours of
  /// one another, so that their loads are one of up to 16 bytes in all.
  std::vector<uint8_t> joined;
  /// How often a loop of one block stands in the machine code.
  struct Copies {
    unsigned count = 1;
    bool isWhole = false; ///< no loop is left
  };
  std::vector<Copies> copies;   ///< by block
  std::vector<Folding> folding; ///< by instruction
};

KernelStructure findStructure(const KernelPlan &plan, const Flow &flow,
                              llvm::ArrayRef<Loop> loops);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_COUNT_STRUCTURE_H
