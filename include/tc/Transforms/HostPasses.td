//===- HostPasses.td - Passes for CPUs ---------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_HOSTPASSES_TD
#define TC_TRANSFORMS_HOSTPASSES_TD

include "mlir/Pass/PassBase.td"

defvar hostDialects = ["::mlir::tc::TCDialect", "::mlir::scf::SCFDialect",
                       "::mlir::arith::ArithDialect",
                       "::mlir::affine::AffineDialect",
                       "::mlir::complex::ComplexDialect",
                       "::mlir::LLVM::LLVMDialect",
                       "::mlir::memref::MemRefDialect",
                       "::mlir::vector::VectorDialect"];

class HostPass<string name> : Pass<name, "func::FuncOp"> {
  let dependentDialects = hostDialects;
}

// Which instructions multiply pairs of neighbours, and add them up.
defvar hostDotOptions = [
  Option<"bf16Dot", "bf16-dot", "int64_t", /*default=*/"0",
         "Width of the vectors whose pairs of bf16 the CPU multiplies "
         "(AVX512-BF16); 0: none">,
  Option<"i16Dot", "i16-dot", "int64_t", /*default=*/"0",
         "The same of pairs of i16 (x86: vpmaddwd, vpdpwssd)">
];

def ScheduleHost : HostPass<"tc-schedule-host"> {
  let summary = "Decide how a CPU computes contractions";
  let description = [{
    Overview: phase 2, on the way to the CPU. Gives each contraction that is worth
    it a `tc.host_schedule`, with all that is decided: which iterators are rows,
    columns and sums, and in which order; the register tile; blocks for the caches;
    which inputs are copied into panels; and what threads share out. The columns are
    those of the input that varies with the innermost iterator of the result. The
    register tile is the one that takes the fewest cycles by a model of a core that
    multiplies or loads a vector in each. Rows whose sums are neighbours are read
    where they lie if few columns follow; columns are, if few rows follow. Inputs of
    fewer bits than their sums are multiplied in pairs (`dot = 2`), where the CPU can.

    `tuning` names a file of schedules that were measured before (docs/Reports.md,
    Tuning files): where it has the contraction on this `cpu`, that schedule is taken.
    One that does not fit is passed over, with a remark. `explain` prints how a tuning
    file calls each contraction, and so many schedules to try, the chosen one first.

    Requires: memrefs of strided layout. `tc-normalize` merges iterators before.

    Ensures: schedules that fit. Contractions of dynamic extents have one for those
    with enough terms, by `scf.if`. A result that is more than its accumulator (an
    epilogue, another type) and has more sums than a block comes from accumulators
    in memory. What has no schedule is for loops: other than two inputs, regions
    that compute and add, booleans, one row or fewer columns than a vector has, a
    batch as the innermost iterator; and products without sums whose innermost
    iterator is a long loop over neighbours.

    Does not: change schedules that are there, or touch contractions in nests.

    Example: test/Docs/tc-schedule-host.mlir.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"128",
           "Width of a vector">,
    Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16",
           "How many vectors registers hold">,
    Option<"tuning", "tuning", "std::string", /*default=*/"",
           "Tuning file, whose schedules come before the pass's own">,
    Option<"cpu", "cpu", "std::string", /*default=*/"",
           "The machine, as entries of the tuning file name it">,
    Option<"explained", "explain", "unsigned", /*default=*/"0",
           "Print how many schedules to try">
  ] # hostDotOptions;
}

def TileHost : HostPass<"tc-tile-host"> {
  let summary = "Tile contractions for the caches and vectors of a CPU";
  let description = [{
    Overview: phase 2 to loops, on the way to the CPU. Carries `tc.host_schedule`
    out. Rows and columns are copied, block by block, into panels in which a
    register tile finds them one after the other, or read where they lie, as the
    schedule says; tables of a block hold the place of each row, column and sum, so
    that no operand is transposed as a whole and inner loops have no index
    arithmetic. Where neighbours in memory are sums, or columns of several panels,
    copies are transposed in registers, a square block of vectors at a time.
    Register tiles are `vector` ops. Tasks are the iterations of an `scf.parallel`.

    Panels hold numbers of the accumulator's type, complex ones in two parts; where
    the schedule says `dot = 2`, pairs of bf16 or i16.

    Requires: memrefs of strided layout, and schedules that fit the contractions;
    one that does not is an error that says why.

    Ensures: what has a schedule is no `tc.contract` any more.

    What stays a contraction is for `convert-tc-to-loops`, with its iterators in
    the order of memory and, where it has enough terms, in tasks of its outer
    results. Where the neighbours of the largest input are those of the result, the
    reduction loops are the outer ones, and a loop over a block of results runs
    inside them: the nest that `tc-tile` makes for one thread, with each block a
    task.

    Does not: touch contractions in nests.

    Example: test/Docs/tc-tile-host.mlir.
  }];
  let dependentDialects =
      hostDialects # ["::mlir::x86vector::X86VectorDialect"];
  let options = hostDotOptions;
}

def DropLevels : HostPass<"tc-drop-levels"> {
  let summary = "Forget which threads of a GPU run a nest";
  let description = [{
    Overview: phase 0, on the way to the CPU. Removes levels, mappings and `full` of an
    outermost `tc.par` and of what is inside of it, so that it is compiled as one that
    nobody has dealt out: it may become a contraction, and `tc-map-host` shares it out.

    Ensures: a nest in which threads work together stays as it is: one with a level
    other than `device` or `thread`, or with a barrier.

    Does not: look at contractions.

    Example: test/Docs/tc-drop-levels.mlir.
  }];
}

def MapHost : HostPass<"tc-map-host"> {
  let summary = "Map nests to tasks and vectors of a CPU";
  let description = [{
    Overview: on the way to the CPU, after `tc-tile-host`. Of each outermost `tc.par`
    without loops inside, the dimension along which most accesses go through neighbours
    becomes the innermost one, for LLVM's vectors. Where other accesses have their
    neighbours along another dimension, as in a transposition, both are run in tiles, so
    that lines are used up while they are in the cache.

    With loops inside, LLVM makes vectors of the innermost ones if these go through
    neighbours and may be taken apart. Else iterations of the nest run together, in
    `vector` ops, with the loops inside of them: sums of windows, forces. A remainder of
    iterations runs together by shorter vectors, and the last ones one by one. Where each
    step of the loop takes another row of memory, as in sums of columns, recurrences and
    scans, a step is run for all columns of a part before the next: what they carry is in
    a buffer, and rows in different pages are read four at a time.

    Runs of the first dimension, each with work enough for a thread, become the
    iterations of an `scf.parallel`, which are tasks. The number of tasks follows from the
    extents when the program runs, where these are dynamic.

    Requires: memrefs.

    Ensures: of a nest with barriers blocks become tasks, and the nests between two
    barriers are mapped. Where a step cannot be taken, a nest only becomes tasks. A nest with too much memory of its own in an
    iteration (64 KiB), or with little work, is not shared.

    Does not: touch contractions, or nests of `scf`.

    Example: test/Docs/tc-map-host.mlir.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"128",
           "Width of a vector">
  ];
}

#endif // TC_TRANSFORMS_HOSTPASSES_TD
