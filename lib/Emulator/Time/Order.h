//===- Order.h - The order that an assembler gives instructions -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX is not the order in which a multiprocessor issues: ptxas moves loads away
// from their uses, as far as registers allow. A body is what it orders as one:
// a basic block, with those that always follow it and with all steps of loops
// that are written out. See Note [Order] in Order.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TIME_ORDER_H
#define TC_LIB_EMULATOR_TIME_ORDER_H

#include "Time/Program.h"
#include "tc/Target/Machine.h"

namespace tc::emulator {

/// An op of a body. Each value has a register of its own; what other bodies
/// read or have written keeps its number.
struct BodyOp {
  unsigned op = 0;   ///< index among the program's
  unsigned step = 0; ///< which of the body's blocks it is of
  /// It takes no instruction: a load that comes with that of the step before,
  /// or a jump from step to step.
  bool isPart = false;
  llvm::SmallVector<uint32_t, 4> reads, writes;

  OpKind getKind(const Program &program) const {
    return isPart ? OpKind::Folded : program.ops[op].kind;
  }
};

struct Body {
  std::vector<BodyOp> ops; ///< in machine order
  unsigned registers = 0;  ///< the highest number of one, plus 1
};

/// The body of `blocks`, which come one after the other, for threads of at most
/// `registers` registers.
Body orderBody(const Program &program, llvm::ArrayRef<uint32_t> blocks,
               const mlir::tc::Machine &machine, unsigned registers);

/// Cycles from the issue of an op to that of one that needs its result, where
/// nothing is in its way. Global memory is taken to be in L2.
double getLatency(const Op &op, const mlir::tc::Machine &machine);
/// Cycles that a pipe of one partition is busy with it.
double getPipeCycles(const Op &op, const mlir::tc::Machine &machine);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TIME_ORDER_H
