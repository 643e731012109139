//===- Registers.h - Registers of a thread ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many a thread may have, and how many blocks that leaves room for.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_COST_REGISTERS_H
#define TC_LIB_ANALYSIS_COST_REGISTERS_H

#include "tc/Analysis/CostModel.h"

namespace mlir::tc {

/// What every kernel needs beside the values that it holds; see Note
/// [Estimates].
inline constexpr int64_t kBaseRegisters = 44;

/// Registers that ptxas may give a thread where `resident` blocks are to fit on
/// a multiprocessor: a warp has them out of the file of the partition that runs
/// it.
int64_t getMostRegisters(const Machine &machine, int64_t threads,
                         int64_t resident = 1);

/// The blocks that a multiprocessor has to be left room for, so that as many
/// are resident as `cost` counts on; 1 where ptxas leaves room by itself.
int64_t getResident(const Machine &machine, const KernelCost &cost);

/// What ptxas must have in hand over an estimate to be trusted not to spill,
/// with this instruction for these products, or without any (null).
/// `areSingle`: of each row and column a lane holds one real number at a time.
int64_t getSpareRegisters(const MmaShape *shape, const Decomposition *product,
                          bool areSingle);

/// Does each of `threads` threads of a block have registers for `values` beside
/// what every kernel needs, and `spare` ones?
bool isSafeFromSpills(const Machine &machine, int64_t threads, double values,
                      int64_t spare);

/// Blocks of such threads on a multiprocessor, whatever their shared memory; at
/// least 1.
double countResident(const Machine &machine, int64_t threads, double values);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_COST_REGISTERS_H
