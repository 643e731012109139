//===- Program.h - A kernel as a multiprocessor's clock sees it -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions of a kernel without their meaning: which pipe each one
// takes, which registers it waits for, and what it makes others wait for. It
// stands by itself, so that a trace outlives the module it was recorded from.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TIME_PROGRAM_H
#define TC_LIB_EMULATOR_TIME_PROGRAM_H

#include "Count/Structure.h"

namespace tc::emulator {

/// How an instruction is carried out.
enum class OpKind : uint8_t {
  Folded,     ///< none of its own: a move, or part of another one's load
  Issue,      ///< takes an issue slot alone
  Arithmetic, ///< a pipe, and a latency
  Exchange,   ///< between the lanes of a warp: the load/store unit
  Load,
  Store,
  Atomic,         ///< with a result or without
  Copy,           ///< asynchronous, from global to shared memory
  Commit,         ///< ends a group of copies
  Await,          ///< until at most `groups` groups are under way
  Product,        ///< `wgmma`: its results come with a wait
  CommitProducts, ///< ends a group of them
  AwaitProducts,  ///< until at most `groups` groups are under way
  Barrier,        ///< waits for others
  Arrive,         ///< at a barrier, without a wait
  Mbarrier,       ///< changes one in shared memory, or waits for it
  Branch,
};

/// The pipes of arithmetic.
enum class Pipe : uint8_t {
  None,
  F32,
  F64,
  F16,
  Integer,
  Convert,
  Special,
  MatrixF16,
  MatrixTf32,
  MatrixF64,
  MatrixS8,
  MatrixF8,
  GroupF16,
  GroupTf32,
  GroupS8,
  GroupF8,
  GroupB1,
};

/// Is it that of `mma.sync` and its kin, for which a warp waits?
constexpr bool isOfTensorUnit(Pipe pipe) {
  return pipe >= Pipe::MatrixF16 && pipe <= Pipe::MatrixF8;
}

struct Op {
  OpKind kind = OpKind::Issue;
  Pipe pipe = Pipe::None;
  /// Of the pipe, by a warp: lanes, or multiply-adds of an mma.
  double operations = 0;
  /// Registers by number. Those written are waited for, too.
  llvm::SmallVector<uint32_t, 4> reads, writes;
  uint32_t site = 0;    ///< index among the kernel's sites
  unsigned line = 0;    ///< of the PTX, from 1
  unsigned joined = 1;  ///< as KernelStructure::joined
  unsigned groups = 0;  ///< of Await
  unsigned barrier = 0; ///< which one
  unsigned threads = 0; ///< that meet there; 0: all of the block
  /// Where it reads or writes memory; what is in different spaces, other than
  /// Generic, may change places.
  ptx::Space space = ptx::Space::Generic;
  bool readsMemory = false, writesMemory = false;
  bool isBulk = false; ///< the copy engine moves it, not the load/store unit
};

/// A basic block.
struct OpBlock {
  unsigned first = 0, end = 0; ///< ops [first, end)
  /// As KernelStructure::Copies::count.
  unsigned copies = 1;
  /// The block that always comes next and that nothing else leads to, once
  /// loops are written out: ptxas orders both together.
  std::optional<unsigned> next;
  /// A short block that may come before `next` and goes nowhere else: ptxas
  /// makes its instructions conditional and orders all three together.
  std::optional<unsigned> guarded;
  llvm::SmallVector<uint32_t> liveIn, liveOut; ///< registers
};

struct Program {
  std::vector<Op> ops;
  std::vector<OpBlock> blocks; ///< by basic block
  /// By register, how many of 32 bits it takes; 0 for predicates.
  std::vector<uint8_t> widths;
  std::string outside; ///< what of it the model does not know; empty: nothing
};

Program makeProgram(const KernelPlan &plan, const Flow &flow,
                    const KernelStructure &structure);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TIME_PROGRAM_H
