//===- SchedulePass.td - The pass that chooses -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_SCHEDULEPASS_TD
#define TC_TRANSFORMS_SCHEDULEPASS_TD

include "mlir/Pass/PassBase.td"

def Schedule : Pass<"tc-schedule", "func::FuncOp"> {
  let summary = "Decide how each contraction is tiled";
  let description = [{
    Overview: phase 2 to 3. Puts a `#tc.schedule` on each contraction that has
    none. A schedule that is there already is checked by the same rules and
    kept. This pass alone decides; later passes carry the attribute out.

    Requires: normal contractions.

    Ensures: every schedule can be launched on the machine: its threads, shared
    memory and registers are within the limits.

    The choice is the best schedule by a cost model (`tc/Analysis/CostModel.h`).
    Dynamic extents are taken to be of several sizes, and where no schedule is
    good for all of them the contraction gets others, for fewer results, longer
    sums, or few rows or columns, as `tc.versions`, of which `tc-variants` makes kernels. The terms of a `tc.sum` share threads
    and registers; each has steps of its own, and is judged as if all terms were
    like it. With tensor instructions a warp's lanes may be along other iterators
    in some terms: those that agree are put next to each other, since accumulators
    move in between. `explain` prints every term of what the model predicts.
    `tuning` names a file of schedules that were tried before, counted or measured
    (docs/Reports.md, Tuning files): where it has the contraction on this chip, that
    schedule is taken. One that is not legal is passed over, with a remark. Of a
    schedule that says `kernel = library` and no more, the rest is chosen: it is
    that of the kernel that stands in for the library.

    Does not: measure, or compile what it compares.

    Example: test/Docs/tc-schedule.mlir.

    Example: test/Docs/tc-schedule-explain.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "Chip whose limits hold; by default the module's tc.machine, else "
           "sm_90a">,
    Option<"explained", "explain", "unsigned", /*default=*/"0",
           "Print what the cost model predicts for the schedule, and for so "
           "many of the best">,
    Option<"tuning", "tuning", "std::string", /*default=*/"",
           "Tuning file, whose schedules come before those of the search">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect"];
}

def CallLibrary : Pass<"tc-call-library", "func::FuncOp"> {
  let summary = "Ask a library for matrix products";
  let description = [{
    Overview: within phase 3. A contraction whose schedule says
    `kernel = library` becomes a `tc.library_product`, with workspace for it, and
    an `scf.if` with the contraction as it was, for where that gives false: there
    is no library, or it does not take the product.

    The contraction is the sum of products of two inputs, of static extents and
    strides, with one iterator at most of each kind: rows, columns, contracted,
    batch. Of two rows, or two columns, one may be the batch. Each operand is dense
    along one of its iterators. An epilogue may scale the sum and add a multiple of
    a side.

    Requires: scheduled contractions; others are left alone.

    Ensures: no schedule says `kernel = library`.

    Example: test/Docs/tc-call-library.mlir.
  }];
  let options = [
    Option<"workspace", "workspace", "int64_t", /*default=*/"32 << 20",
           "Bytes that the library may use, allocated once in a function">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def Split : Pass<"tc-split", "func::FuncOp"> {
  let summary = "Divide long sums among blocks";
  let description = [{
    Overview: within phase 3. A contraction whose schedule has a `split` becomes
    two: one of the parts, which has an iterator more in its results and stores
    them in a buffer, and one that combines the parts, in their order, and does
    what comes after: old results, sides, epilogue. Both are contractions as any
    other, each a kernel of its own; results are the same on every run.

    Where parts do not divide the extent the second one is a `tc.sum`, of the
    parts and of what is left over. Where the extent is dynamic, the host computes
    of how many whole steps a part has to be, and an `scf.if` takes the contraction
    as it was if a part would have no step.

    A version (`tc.versions`) whose schedule has a `split` becomes a branch of an
    `scf.if`: for few results of many terms, whose positions 32 bits hold, and for
    which no earlier version is. There
    the number of parts is dynamic: as many as give one tile of results the blocks
    that the schedule says, and several tiles together as many.

    Requires: scheduled contractions; others are left alone.

    Ensures: no schedule and no version has a `split`. The buffers are allocated
    and freed round the two.

    Example: test/Docs/tc-split.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "Chip whose limits hold for the second contraction; by default the "
           "module's tc.machine, else sm_90a">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TC_TRANSFORMS_SCHEDULEPASS_TD
