//===- Passes.td - Passes from one phase to the next -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In the order of the phases; docs/Architecture.md has the table.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_PASSES_TD
#define TC_TRANSFORMS_PASSES_TD

include "tc/Transforms/VariantsPass.td"

include "mlir/Pass/PassBase.td"
include "tc/Transforms/HostPasses.td"
include "tc/Transforms/KernelPasses.td"
include "tc/Transforms/LaunchPasses.td"
include "tc/Transforms/MapPass.td"
include "tc/Transforms/NestPasses.td"
include "tc/Transforms/RaisePass.td"
include "tc/Transforms/SchedulePass.td"

def JoinSums : Pass<"tc-join-sums", "func::FuncOp"> {
  let summary = "Make contractions into one result one kernel";
  let description = [{
    Overview: within phase 1. Contractions that follow one another and add into
    one result (`Z = A1 B1 + A2 B2 + ...`, as in the triples of coupled cluster)
    become the terms of a `tc.sum`, so that the result is written once.

    Requires: memrefs. The inputs do not overlap the result, as everywhere.

    Ensures: terms are in the order they were in. A remark says why
    contractions into one result were not joined.

    Does not: join contractions with an epilogue before the last.

    Example: test/Docs/tc-join-sums.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect"];
}

def Inline : Pass<"tc-inline", "ModuleOp"> {
  let summary = "Put functions where they are called";
  let description = [{
    Overview: before all phases. A kernel calls no function of the host, and what a
    function does to memory is seen where it is called: so each `func.call` in a nest
    of a function that has a body becomes that body; with `host` those of host code,
    too. Private functions that nobody calls any more go.

    Requires: nothing.

    Ensures: calls of functions without a body, of functions that call themselves, and
    in nests of functions with branches stay calls.

    Does not: canonicalize, as upstream's `inline` does.

    Example: test/Docs/tc-inline.mlir.
  }];
  let options = [
    Option<"host", "host", "bool", /*default=*/"false",
           "Inline calls outside of nests, too">
  ];
}

def FoldReshapes : Pass<"tc-fold-reshapes", "func::FuncOp"> {
  let summary = "Turn transpositions between reshapes into transpositions";
  let description = [{
    Overview: before phase 1. `tensor.collapse_shape`, `linalg.transpose` and
    `tensor.expand_shape` after one another become one `linalg.transpose` of all
    dimensions where the reshapes agree, by upstream's patterns; `tc-fuse` makes
    subscripts of it.

    Requires: tensors.

    Ensures: reshapes that do not surround a transposition stay: they are views.

    Does not: look through reshapes of different groups of dimensions.

    Example: test/Docs/tc-fold-reshapes.mlir.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

def Fuse : Pass<"tc-fuse", "func::FuncOp"> {
  let summary = "Put element-wise work into contractions";
  let description = [{
    Overview: within phase 1, on tensors and on memrefs. A contraction without
    contracted iterators that writes all of its result is element-wise: copies, casts,
    transposes, broadcasts, activations. Element-wise producers of an operand
    become part of the map, or of the epilogue; element-wise consumers of results
    become the epilogue, their other operands `sides`; on memrefs, what makes the old
    result that a contraction adds to becomes a part of that, too (`C *= beta` before
    `C += A B`). Chains fuse into one op: `alpha * A B + beta * C`, bias, activation,
    residual.

    Requires: producer and consumer in one block. A producer with other uses is
    recomputed only when it moves or converts one operand; a costly one (division,
    `math`) only when no element of it is needed more than four times. On memrefs,
    nothing in between writes what the first of the two reads, and an intermediate is
    a local `memref.alloc` or a buffer that the second overwrites. Arguments of a
    function are taken to be different buffers, as in kernels.

    Ensures: no intermediate that could be fused goes through memory. What is left
    has a remark: it has other uses, its reader reduces, changes the space or
    may write over what the first reads, or its terms are in order and start from
    an old result.

    Does not: fuse two contractions, or look through reshapes.

    Example: test/Docs/tc-fuse.mlir.
  }];
  let options = [
    Option<"explain", "explain", "bool", /*default=*/"true",
           "Say in remarks what still goes through memory">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect"];
}

def Order : Pass<"tc-order", "func::FuncOp"> {
  let summary = "Contract many operands two at a time, in the best order";
  let description = [{
    Overview: phase 1 to 1. A `tc.contract` of several inputs becomes a chain of
    contractions of two, through temporaries in the accumulator's type. An
    iterator that one input alone has may be summed in it first, by a
    contraction of one input. The order is the one of fewest flops, then of
    fewest bytes in temporaries; it is searched for among all orders of up to 12
    inputs, and by opt_einsum's greedy rule among those of more. Dynamic
    extents count as 256.

    Sides, epilogue, old results and `overwrite` go with the last contraction.
    Inputs may have any subscripts.

    Requires: the default map and combine regions, whose multiplication
    distributes over their addition. Of floats this changes rounding, and
    whether an infinity meets a zero.

    Ensures: no chain has more flops than the nest that was written.

    Does not: touch contractions with regions or a schedule, and nests that no
    chain beats. Of those of more than two inputs a remark says why
    (`--remarks-filter`).

    Example: test/Docs/tc-order.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::tensor::TensorDialect"];
}

def Normalize : Pass<"tc-normalize", "func::FuncOp"> {
  let summary = "Bring contractions to one stride per iterator and operand";
  let description = [{
    Overview: phase 1 to 2. Rewrites each `tc.contract` on memrefs so that each
    operand is a `tc.view` with one dimension per iterator it varies with.
    Iterators of extent 1 go away. Two iterators become one when every operand
    steps through them as through one (`stride_i = extent_j * stride_j`), in all
    terms of a `tc.sum`. A contraction without results is erased.

    Requires: memrefs of strided layout.

    Ensures: subscripts are single iterators. Diagonals, windows, reversals and
    layouts are strides of the views, and nothing else.

    Does not: change the order of iterators, or touch tensors: bufferize first.

    Example: test/Docs/tc-normalize.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::memref::MemRefDialect"];
}

def Tile : Pass<"tc-tile", "func::FuncOp"> {
  let summary = "Tile scheduled contractions into nests";
  let description = [{
    Overview: phase 3 to 4. Iterators with a vector are split, so that neighbours
    are an iterator of their own; see `#tc.schedule`. Then replaces each
    contraction by a `tc.par grid` over block tiles, a `tc.seq` over steps of the
    contracted iterators (one for each term of a `tc.sum`), and a `tc.par block`
    over threads round a contraction of one thread's results. They gather in a
    `tc.new` for each accumulator; threads of one result combine what they have,
    in rounds; results go out through the epilogue. What is in an earlier phase is
    first normalised and scheduled.

    Block tiles of inputs are copied to shared memory by a `tc.stage`, or read in
    place, as the schedule says. Tiles that stick out of the input are filled
    with values that add nothing, if there are any. The terms of a `tc.sum` use
    the same shared memory, one after the other; through it accumulators pass to
    other threads where the lanes of a tensor instruction are along other
    iterators in the next term.

    Requires: memrefs of strided layout.

    Ensures: what several threads read is read from global memory once. Every
    extent of an inner contraction is static where tiles divide or are filled,
    and else an `affine.min` of what is left. Where an input in place sticks out
    along a result iterator, the contraction says `tc.overrun`, and threads
    without results read what the last one with results reads. `tc.vectors` has
    the numbers of operands whose last dimension one aligned access moves.

    Does not: overlap copies with arithmetic; the `stages` of the `tc.seq` say how
    far they may run ahead, and `convert-tc-to-gpu` lets them.

    Example: test/Docs/tc-tile.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "As of tc-schedule, for contractions without a schedule">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def Promote : Pass<"tc-promote", "func::FuncOp"> {
  let summary = "Give each buffer of a nest a memory space";
  let description = [{
    Overview: phase 4 to 5. A `tc.new` without a memory space gets private memory
    where one thread has it, workgroup memory where a team does, and global
    memory where these do not hold it; outside of any `tc.par` it becomes a
    `memref.alloc`. Shared buffers that do not live at the same time share memory,
    once a block needs much of it. Remarks give the reason for each.

    Requires: nests whose `tc.par` have levels, as `tc-tile` and `tc-bind` make
    them.

    Ensures: every buffer of a nest has a memory space, and the shared ones of a
    block fit.

    Does not: copy inputs into shared memory: `tc-tile` and `tc-cache` do.

    Example: test/Docs/tc-promote.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "As of tc-schedule: how much shared memory a block can have">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

def Sync : Pass<"tc-sync", "func::FuncOp"> {
  let summary = "Place barriers between the threads of a block";
  let description = [{
    Overview: phase 5 to 6, second half. `tc.par block` and `tc.stage` join by
    definition; on threads this takes a `gpu.barrier`. The pass places one
    wherever memory that one thread wrote since the last barrier is read or
    written by another, or that one read is written, round the back edges of
    `tc.seq` too, and nowhere else. Where one before a loop saves one in it, it stands
    there.

    Requires: workgroup memory that is reached through `tc.stage`, `tc.new` and
    views of them.

    Ensures: no two threads of a block touch one element without a barrier
    between, unless both read.

    Does not: guard one block from another; those of a grid are independent.

    Example: test/Docs/tc-sync.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::gpu::GPUDialect"];
}

def LowerMicrokernel : Pass<"tc-lower-microkernel", "func::FuncOp"> {
  let summary = "Lower contractions of a thread or a warp to instructions";
  let description = [{
    Overview: phase 6 to 7, first half. A contraction inside a `tc.par block`
    becomes unrolled loads, fused multiply-adds and stores: result iterators are
    unrolled, so that results stay in registers; contracted ones become loops,
    unrolled as often as the schedule says. A value that several results use is
    loaded once, and a row of an operand in `tc.vectors` in one access. Dynamic
    extents guard each result, unless `tc.overrun` says that they are at least 1
    and nobody reads results beyond them: those are computed from the last element
    of an input inside. A step that may be shorter than an operand has two loops:
    one of constant trip count where it is not, one that is not unrolled. With a
    `unit` it is a warp's: a `tc.par warp` loads fragments and multiplies.

    Requires: result iterators of static extent, or bounded by the static shape
    of an operand.

    Ensures: no `tc.contract` is left in a `tc.par block` or `tc.par warp`.

    Does not: reorder terms, but where `mayReorder` allows it.

    Example: test/Docs/tc-lower-microkernel.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "As of tc-schedule; it has to have the tensor instructions">
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tc::TCDialect",
                           "::mlir::vector::VectorDialect"];
}

def DeclareShared : Pass<"tc-declare-shared", "gpu::GPUModuleOp"> {
  let summary = "Declare dynamic shared memory outside of kernels";
  let description = [{
    Overview: within phase 7. `convert-gpu-to-nvvm` makes dynamic shared memory a
    global of no elements that is internal. LLVM may count on such a global to be
    as small as it says, and its PTX printer declares one byte of it in the kernel.
    The pass makes it external: `.extern .shared`, as large as the launch says.

    Requires: kernels in the LLVM dialect.

    Ensures: `gpu.dynamic_shared_memory` is what the launch asks for.

    Does not: touch workgroup memory of known size.

    Example: test/Docs/tc-declare-shared.mlir.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def SplitKernels : Pass<"tc-split-kernels", "ModuleOp"> {
  let summary = "Give each kernel a module of its own";
  let description = [{
    Overview: at the start of phase 7. The conversion to LLVM takes a
    `gpu.module` on each thread. So each kernel but the first moves into a new
    module, with copies of its constants, until `tc-merge-kernels` merges them.

    Requires: kernels of `gpu-kernel-outlining`.

    Ensures: launches name the modules that their kernels are in.

    Does not: split a module that has anything but kernels and private constants.

    Example: test/Docs/tc-split-kernels.mlir.
  }];
}

def MergeKernels : Pass<"tc-merge-kernels", "ModuleOp"> {
  let summary = "Put the kernels of a function into one module";
  let description = [{
    Overview: at the end of phase 7. Each kernel comes in a `gpu.module` of its own
    (`tc-split-kernels`), and those of 32-bit and of 64-bit indices have to, since
    the data layout of a module is what says how wide an index is. Once kernels are
    lowered the modules are put together, so that a function has one binary, which
    is loaded once.

    Dynamic shared memory is declared once, and a constant defined once.

    Requires: kernels in the LLVM dialect.

    Ensures: a function launches kernels of one module, the first of its modules in
    the program, where names and targets allow it.

    Does not: merge the modules of different functions.

    Example: test/Docs/tc-merge-kernels.mlir.
  }];
}

def AttachTarget : Pass<"tc-attach-target", "ModuleOp"> {
  let summary = "Say which chip kernels are compiled for";
  let description = [{
    Overview: within phase 7. Attaches an `#nvvm.target` to each `gpu.module`
    that has none: the same chip that `tc-schedule` obeys, with the version of
    PTX that it needs.

    Requires: a known chip.

    Ensures: `gpu-module-to-binary` knows what to make.

    Does not: change a target that is there already.

    Example: test/Docs/tc-attach-target.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "As of tc-schedule">,
    Option<"optLevel", "opt-level", "int", /*default=*/"2",
           "LLVM's optimisation level, 0 to 3; 2 stands for the passes that "
           "kernels need">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::NVVM::NVVMDialect"];
}

#endif // TC_TRANSFORMS_PASSES_TD
