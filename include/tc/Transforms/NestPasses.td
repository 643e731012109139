//===- NestPasses.td - Passes on par/seq programs ----------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a nest that a person wrote needs before it is mapped, and a nest that
// tc-tile made has already.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_NESTPASSES_TD
#define TC_TRANSFORMS_NESTPASSES_TD

include "mlir/Pass/PassBase.td"

def CheckNests : Pass<"tc-check-nests", "func::FuncOp"> {
  let summary = "Report iterations that are not independent";
  let description = [{
    Overview: within phase 4. An error where two iterations of a `tc.par` touch
    one element, one of them writes, and this is certain: the ops are under no
    condition, subscripts are linear in indices, all bounds are known, and no
    `tc.ptx orders` is on each way between them. The
    message names two such iterations. An error, too, where a subscript is certain
    to be out of bounds in some iteration. What is not certain is left to the checks
    of the emulator.

    Requires: nothing.

    Ensures: nothing is changed.

    Does not: prove that iterations are independent.

    Example: test/Docs/tc-check-nests.mlir.
  }];
}

def Distribute : Pass<"tc-distribute", "func::FuncOp"> {
  let summary = "Take contractions out of the tc.par round them";
  let description = [{
    Overview: phase 1, on memrefs. A contraction in a `tc.par` over views that move
    with its indices becomes one contraction, with these indices as iterators. Where
    the views are tiles, an index and the iterator of a tile are one iterator again.
    Ops beside it become a `tc.par` of their own before or behind it, and a `tc.seq`
    in the `tc.par` one round it, which needs no proof: iterations are independent.
    A `tc.new` that both sides use becomes one of all iterations.

    A `tc.par` stays where somebody has written who runs it (a level, `full`, a
    mapping), where a view is not linear in the indices, where an index is no
    dimension of the result, and where a number that one side computes is used on
    the other. The results of its contractions are iterations of the nest then, as
    far as nobody has written who runs it: a thread computes one.

    Requires: memrefs.

    Ensures: remarks say which contractions came out, and why others did not.

    Does not: take contractions out of reductions and conditions.

    Example: test/Docs/tc-distribute.mlir.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tc::TCDialect"];
}

def FuseNests : Pass<"tc-fuse-nests", "func::FuncOp"> {
  let summary = "Make one nest of neighbours over the same index space";
  let description = [{
    Overview: within phase 4. Fuses nests of one block that stand next to each other
    and have one index space:

    - map with map: two `tc.par` become one;
    - map with reduction or scan: a `tc.par` before a `tc.reduce` or `tc.scan`, or
      behind one that does not need it, goes into its `map` region;
    - reductions with each other: two `tc.reduce`, both `commutative` or both not,
      combine the values of both.

    Perfect nests of `tc.par` become one first. A `tc.new` or `memref.alloc` beside
    the nest that only it uses, at subscripts that are its indices, moves in without
    these dimensions if 64 registers hold the rest: each iteration has a buffer for its
    own elements, and what the one nest hands to the other stays in registers.

    Fusion runs all of an iteration before the next one begins, so it needs a proof
    that no iteration of the one nest touches what another of the other writes, and
    that nothing in between has effects. A nest is left alone where somebody has
    written who runs it (a level, `full`, a mapping), and where its iterations hold
    parallel loops, which would be nested then.

    Requires: memrefs.

    Ensures: remarks say which neighbours were fused, and why others were not.

    Does not: reorder nests; fuse nests of `tc.contract`, which `tc-fuse` does.

    Example: test/Docs/tc-fuse-nests.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect"];
}

def Flatten : Pass<"tc-flatten", "func::FuncOp"> {
  let summary = "Choose by extents who runs the rows of a nest";
  let description = [{
    Overview: within phase 4. The iterations of an outermost `tc.par` without a level
    that have work for several threads (`tc.par`, `tc.reduce` or `tc.scan` of more
    than 16 iterations) are rows. They get one of four versions:

    - `device`: the nest becomes one nest for each op with such work. Maps are over
      all indices; a `tc.reduce` or `tc.scan` gets level `device`, and the iterations
      round it number segments. A buffer of each row that several of these use
      becomes one of all rows, and a value that they use goes through one;
    - `thread`: a `tc.par grid` of blocks of 128 rows, each a `tc.par block` that is cut
      as the nest is for `device`;
    - `warp`: a `tc.par grid` of blocks of 8 warps, one for each row;
    - `block`: a `tc.par grid`, which has a block for each row. A `tc.new` or
      `memref.alloc` beside the nest that only it uses, at subscripts that are its
      indices, becomes one of each block, and so shared memory, if all such buffers
      together have at most 14 KiB a row. Of dynamic sizes the host compares, and it
      compares the extents of what is in a `tc.seq` with 256, too: a kernel for so few
      iterations has no loop of turns.

    The nest of a `tc.seq` with such ops is a loop of nests. Rows that hold nests of
    rows in turn have the versions `device`, which cuts them in the same way, and
    `block`; the nests that come out have versions of their own.

    The first version is taken whose number reaches its limit, else `block`. The
    numbers are, for r rows, t terms of the first op with work for several threads, and
    p multiprocessors of the chip:

    - of `device` the terms that processors without a row could do while others have
      one: (4p - r) t, or where rows are scanned (p - r) t, at least 0; the default of
      its limit is that of one row of 12288 terms. Of rows that hold nests the number is
      2p - r, and the default 1;
    - of `thread` the rows if t is at most 64, else 0; the default of its limit is 512p;
    - of `warp` the rows, each of which is as many more as the start of a block is worth
      terms of a row: r' (1 + 896 / t), where r' is at least 3p. The default of its limit
      is 24p, which rows of 128 terms reach, however few there are.

    Static extents decide when the program is compiled. For dynamic ones the host
    compares, by `tc.threshold` in an `scf.if`. A limit is called `rows.N.VERSION` for
    the nest of rows number N of the function, `rows.N.M.VERSION` for number M of those
    that this one is cut into, and so on; others than the defaults may be set by the
    options, and after compilation (see `tc.threshold`). A nest has at most eight
    versions, with those of the nests that it is cut into; `thread` is left out first.
    This is the incremental
    flattening of Henriksen, Thoroe, Elsman and Oancea, *Incremental flattening for
    nested data parallelism*, PPoPP 2019.

    `tc.flatten = #tc<level warp>` on an outermost `tc.par`, or another level, asks for
    a version whatever the extents are.

    Requires: memrefs.

    Ensures: remarks say which versions a nest has, and which it cannot have and why:
    nests in a reduction, an op with a region beside them, buffers of dynamic shape,
    bounds that change from row to row.

    Does not: touch nests in which somebody has written a level, `full`, a mapping, or
    what is for the threads of one block: a barrier, `tc.stage`, `tc.cache`, `tc.ptx`;
    reorder the terms of a reduction that is not `commutative`. It does change how
    they are grouped, and with that how floats are rounded.

    Example: test/Docs/tc-flatten.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "As of tc-schedule; says how many rows fill the machine">,
    Option<"version", "version", "std::string", /*default=*/"",
           "The version of all nests that can have it: thread, warp, block or "
           "device">,
    Option<"tuning", "tuning", "std::string", /*default=*/"",
           "Tuning file, whose limits come before the defaults">,
    ListOption<"thresholds", "thresholds", "std::string",
               "Limits as NAME=VALUE, which come before both">
  ];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tc::TCDialect"];
}

def Unroll : Pass<"tc-unroll", "func::FuncOp"> {
  let summary = "Unroll the loops that registers and wide reads need unrolled";
  let description = [{
    Overview: within phase 5. A private buffer lives in registers only if each of its
    subscripts is a constant. Where a subscript is the index of a loop of a thread
    (`tc.seq`, `scf.for`, `affine.for`, `tc.par thread`) whose bounds are constants,
    the loop is unrolled: a `tc.seq` gets `unroll(n)`, a `tc.par thread` becomes one,
    an `scf.for` a hint for LLVM. What a `tc.seq` says of unrolling stays.

    A loop that reads consecutive elements of shared memory, from multiples of 16
    bytes on, gets several iterations in one body, so that LLVM reads 16 bytes at
    once: as many as make 640 arithmetic instructions, as for contractions, or all
    where it would go round twice.

    Requires: buffers that have memory spaces (tc-promote).

    Ensures: a private buffer is indexed by constants once loops are unrolled, or a
    remark says why it will lie in local memory: a subscript that is no index of a
    loop, dynamic bounds, more elements than a thread has registers, or more than
    6000 ops.

    Does not: unroll other loops, which LLVM does by its own costs, and `unroll(n)`
    on request; move elements next to one another, which `tc-cache` does.

    Example: test/Docs/tc-unroll.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def Bind : Pass<"tc-bind", "func::FuncOp"> {
  let summary = "Say for every tc.par who runs its iterations";
  let description = [{
    Overview: within phase 4. Gives every `tc.par` a level. Perfect nests of
    `tc.par` whose bounds do not depend on one another become one. An outermost
    `tc.par` runs on the threads of the `device` if none of its iterations has
    work for several threads, else on the blocks of a `grid`; the outermost ones
    inside a grid run on the threads of a `block`, and what is inside of these
    on one `thread`, or, if it is `full` and as large as one, on a `warp`. A
    small `tc.par` (16 iterations, or fewer) is no work for several threads.

    What is written for the threads of a block outside of any grid (a `tc.par`,
    `tc.reduce` or `tc.scan` of level `block`, `warpgroup`, `warp` or `thread`, or a
    `full` without a level) gets a grid of one block, and a `tc.par cluster` a
    grid of one cluster, with a remark.

    What the threads of a team run together, between the `tc.par` of a grid,
    may read memory; ops there that write to it become a `tc.par` of one
    iteration, and hand on the numbers that they give in a `tc.new`.

    Requires: memrefs.

    Ensures: each `tc.par` has a level that fits those round it; levels that were
    there are kept. Remarks say which level was chosen and why.

    Does not: choose thread numbers; see tc-map.

    Example: test/Docs/tc-bind.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::memref::MemRefDialect"];
}

def LowerWith : Pass<"tc-lower-with", "func::FuncOp"> {
  let summary = "Make one nest of the partitions of an array";
  let description = [{
    Overview: before phase 1. Replaces each `tc.with` by one `tc.par`, in which
    each iteration takes the region of the last partition that has its index:

    - over the whole arrays, where there is a `default` or a partition that
      contains everything; partitions before that one are dropped;
    - over the space of the only partition;
    - over the bounding box of all partitions, where these fill half of it;
    - else over the concatenated index spaces of the partitions.

    Requires: partitions within the arrays.

    Ensures: no `tc.with` is left. A remark says which nest was made.

    Does not: check that iterations are independent; see tc-check-nests.

    Example: test/Docs/tc-lower-with.mlir.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tc::TCDialect"];
}

def Cache : Pass<"tc-cache", "func::FuncOp"> {
  let summary = "Carry out requests for copies in shared memory";
  let description = [{
    Overview: phase 4 to 5. Replaces each `tc.cache` by a `tc.stage` of what the
    loads after it in its region read: the box of their subscripts over the
    nests inside, from an offset that depends on what is round it, of a static
    size. The box is moved inside of the buffer where it would begin before it,
    and what lies behind its end is filled with zeros that no one reads. The
    loads then read the copy.

    Requires: a `tc.cache` between the `tc.par` of a grid; loads, and no stores,
    of the buffer itself; subscripts that are linear in the indices of the nests
    inside, whose extents are constants.

    Ensures: rows of the copy are padded as the op says. What cannot be carried out
    is an error. Copies move 16 bytes at once where rows of the buffer and of the
    copy are whole and aligned groups of these and the buffers of the nest are
    aligned; of a copy in another order, blocks of rows are transposed. Unless that is known (`memref.assume_alignment`), the host tests it
    and chooses between two nests, as `tc-variants` does for contractions.

    Does not: hold copies in registers.

    Example: test/Docs/tc-cache.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def LowerReductions : Pass<"tc-lower-reductions", "func::FuncOp"> {
  let summary = "Lower tc.reduce and tc.scan to nests";
  let description = [{
    Overview: phase 4 to 4. Replaces each `tc.reduce` and `tc.scan` by `tc.par`,
    `tc.seq` and `tc.new`, according to its level:

    - `thread`: a `tc.seq` that carries the terms combined so far.
    - `block`, `warpgroup`, `warp`: threads gather terms, in memory of the team
      combine what they have in rounds, and one of them, or each for its terms,
      does `finish`. Terms of a scan, and those that have an order, are taken a
      tile at a time.
    - `device`: a kernel in which each block reduces a chunk of the index space
      into a buffer, and one of one block for the rest; a third one for a scan,
      in which each block scans its chunk from what is before it. Few terms are
      one kernel of one block.

    The order in which terms are combined depends on the index space and the
    chip alone: results are the same on each run.

    Without a level it is that of the threads that stand by: `device` outside of
    any `tc.par`, `block` in a `tc.par grid`, `warp` where warps run the `tc.par`
    round it, `thread` elsewhere.

    Requires: a level that can be where it is. Between threads values are
    integers, floats, complex numbers or indices.

    Ensures: no `tc.reduce` and `tc.scan` is left. Nests of threads have their
    level.

    Does not: merge reductions, or run the `map` region of a `tc.scan` more than
    once if it writes; if it only reads, each block reads its chunk twice.

    Example: test/Docs/tc-lower-reductions.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "As of tc-schedule; says how many blocks there should be">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // TC_TRANSFORMS_NESTPASSES_TD
