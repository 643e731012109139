//===- MapPass.td - The pass that binds nests to threads ---*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_MAPPASS_TD
#define TC_TRANSFORMS_MAPPASS_TD

include "mlir/Pass/PassBase.td"

def Map : Pass<"tc-map", "func::FuncOp"> {
  let summary = "Bind every tc.par to axes of the grid or of the block";
  let description = [{
    Overview: phase 5 to 6, first half. Gives each `tc.par` of a level but
    `thread` a `#tc.map`, if it has none: a list of combinators (IFL 2021, "On
    Mapping N-Dimensional Data-Parallelism Efficiently into GPU-Thread-Spaces")
    from its index space to at most three axes; to those of grid and block for
    `device`, by the strategy of the option. Threads of a block keep their
    numbers where others are left out, and take turns where there are more
    iterations than threads, or nobody knows how many; 256 of them, where the
    threads of a block wait for each other between its nests. A mapping that is
    there is checked and kept.

    The choice is by what accesses cost (`tc/Analysis/MapSearch.h`): orders of
    the dimensions, folds and blocks of threads are compared by predicted time
    (level A, docs/Emulator.md) over the requests and instructions of each; where
    it takes less time that each thread has several iterations, it has; see
    docs/Nests.md. `explain` prints the best. Nests of contractions and `full` ones are not searched.

    Ensures: each mapping obeys the limits of the machine: 1024 threads in a
    block, grid y and z up to 65535, x up to 2^31 - 1. A grid of run-time bounds
    is split over all three axes, so that it does whatever the bounds are; of a
    mapping that was there already the axes of run-time extent are not judged.
    The strategies of the paper do not look at limits: what exceeds them is an
    error, and the launch judges a block of dynamic extents; but `fold_all` fits any. Its blocks
    have 256 threads, or fewer if else multiprocessors of the chip had none.

    Does not: change the nest.

    Example: test/Docs/tc-map.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "Chip to predict for; empty for the tc.machine of the module, else sm_90a">,
    Option<"strategy", "strategy", "::mlir::tc::Strategy",
           /*default=*/"::mlir::tc::Strategy::Auto",
           "What maps a tc.par device",
           [{llvm::cl::values(
             clEnumValN(::mlir::tc::Strategy::Auto, "auto", "by predicted time, legal for any space"),
             clEnumValN(::mlir::tc::Strategy::Jing, "jing", "section 7.1 of the paper"),
             clEnumValN(::mlir::tc::Strategy::JingExt, "jing_ext", "section 7.2"),
             clEnumValN(::mlir::tc::Strategy::FoldAll, "fold_all", "section 7.3"))}]>,
    Option<"search", "search", "bool", /*default=*/"true",
           "Choose by predicted time; else stay as close to the space as limits "
           "allow">,
    Option<"explained", "explain", "unsigned", /*default=*/"0",
           "Print what is predicted for so many of the best mappings, the one "
           "that is taken first">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect"];
}

#endif // TC_TRANSFORMS_MAPPASS_TD
