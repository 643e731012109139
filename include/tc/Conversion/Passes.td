//===- Passes.td - Conversions into and out of tc ----------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_PASSES_TD
#define TC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"
include "tc/Conversion/KernelPasses.td"

def ConvertCopyToLinalg : Pass<"convert-copy-to-linalg", "func::FuncOp"> {
  let summary = "Turn memref.copy into linalg ops";
  let description = [{
    Overview: on the way to the CPU. A `memref.copy`, whether it was written or
    comes from bufferization, becomes a `linalg.generic` over its elements, so
    that `convert-linalg-to-tc` finds it: copies then have the tasks and vectors
    of other contractions, and any strides.

    Requires: memrefs of known rank; others are reported.

    Ensures: no `memref.copy` is left. Upstream would make it a call of
    `memrefCopy`, which the runtime of packages does not have.

    Does not: touch kernels. Host code of a GPU keeps its copies, since those are
    of device memory.

    Example: test/Docs/convert-copy-to-linalg.mlir.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def ConvertIndexedToLoops : Pass<"convert-indexed-to-loops", "func::FuncOp"> {
  let summary = "Turn linalg ops that read indices into loops";
  let description = [{
    Overview: in phase 0, on memrefs. The regions of a `tc.contract` get elements, and
    not where they are, so a `linalg` op whose body has a `linalg.index` (argmax, masks
    by position, iota) becomes upstream's `scf.parallel` and `scf.for` over its
    elements, which `convert-scf-to-tc` and `tc-raise` make nests and reductions of.
    Loops carry what they combine, from a constant that a `linalg.fill` has just
    written, which then goes away.

    Requires: memrefs; what is on tensors is left until it is bufferized.

    Ensures: no op on memrefs has a `linalg.index`.

    Does not: touch other `linalg` ops.

    Example: test/Docs/convert-indexed-to-loops.mlir.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ConvertLinalgToTC : Pass<"convert-linalg-to-tc", "func::FuncOp"> {
  let summary = "Turn linalg contractions and reductions into tc.contract";
  let description = [{
    Overview: rewrites each `linalg` op, named or generic, into one `tc.contract`:
    contractions, reductions, convolutions and pooling, copies, transposes,
    broadcasts and element-wise ops. The body is cut in two: what old results have
    no part in becomes `map`, what they have a part in becomes `combine`. Products
    of the inputs, converted or not, and sums need no region. Scalar operands and
    values from outside are read in the regions; so zero points are part of the
    map. `linalg.softmax` is first taken apart. An op of several results that reads
    positions as a tensor (iota) reads `linalg.index` instead, and is left for loops.

    A combine that joins each result with a new value by one associative and
    commutative op (add, mul, min, max, and, or, xor) may be regrouped and
    reordered. Any other keeps the order of the loops, unless attributes of the
    `linalg` op vouch for it: `tc.associative` and `tc.commutative`, with
    `tc.neutral`, a list of one constant for each result.

    A `linalg.fill` with a constant that has just written the whole result goes
    away. The contraction starts from the constant where it may: the neutral
    element, any when combining is idempotent or in order. Else an epilogue
    combines it with the rest. Sums of narrow floats, i8 and i16 are kept in f32
    and i32, and rounded once, unless another result sees partial sums. Another
    `linalg.fill` becomes a contraction without inputs, as does any op whose
    results depend on none.

    `tc.precision`, as `#tc<precision tf32>`, is what a product of f32 permits.

    Result iterators are named a, b, c ..., contracted ones q, r, s ..., in the
    order of the loops.

    Requires: subscripts linear in the iterators; extents that are dimensions of
    operands; elements that are numbers. Function arguments of one op do not
    overlap.

    Ensures: no convertible op is left. Other `linalg` ops stay as they are, with
    a remark that says why (`--remarks`). A sum that starts from the
    neutral element 0.0 gives 0.0 where all its terms are -0.0.

    Does not: bufferize, merge iterators, or choose a schedule. A body that asks
    for its indices (`linalg.index`), or reads memory, is not converted.

    Example: test/Docs/convert-linalg-to-tc.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect"];
}

def ConvertSCFToTC : Pass<"convert-scf-to-tc", "func::FuncOp"> {
  let summary = "Turn scf.forall, scf.parallel and affine.parallel into tc.par";
  let description = [{
    Overview: what upstream knows to be parallel becomes a `tc.par` of the same
    space, or a `tc.reduce` if it combines values: these go through a buffer, from
    which the nests and stores that need them load. Sums of narrow floats are kept in
    f32. The mapping of an `scf.forall` gives the level: blocks are `grid`,
    threads, warps and warpgroups of a block `block`, lanes `warp`; which axis it
    names is not kept, `tc-map` chooses. A dynamic step becomes a
    factor of the index. Accesses and loops of `affine` in a function with an
    `affine.parallel` become those of `memref` and `scf`. An `scf.for` in a nest that
    has nests inside becomes a `tc.seq`, which `tc-flatten` can interchange.

    Requires: memrefs.

    Ensures: a loop that gives tensors, one that combines values by an operation
    whose neutral element is not known, and one whose values the host needs stay,
    with a remark (`--remarks`) that says why.

    Does not: convert any other `scf.for`; loops in order may stand in a nest as they
    are.

    Example: test/Docs/convert-scf-to-tc.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

def ConvertTCToLoops : Pass<"convert-tc-to-loops"> {
  let summary = "Lower tc at any phase to loops for the CPU";
  let description = [{
    Overview: gives every phase a meaning on the CPU. `tc.contract`, `tc.par`,
    `tc.seq`, `tc.reduce`, `tc.scan` and `tc.stage` become `scf.for` nests over `memref` loads and
    stores, `tc.view` becomes `memref.reinterpret_cast`; `tc.new` and `tc.stage`
    become `memref.alloc`, freed where their region ends; `gpu.barrier` goes
    away, since a `tc.par` joins.

    Requires: memrefs (bufferized programs). No barrier between the ops of a
    `tc.par block`.

    Ensures: no `tc` op or attribute is left, and no memory space in any type: the
    program lowers to LLVM by upstream passes. Indices run in ascending order, the
    last dimension fastest; terms are combined in that order.

    With `vectorize` sums of contractions without a `combine` may be added up in
    another order (`reassoc`), and loop annotations have LLVM make vectors of their
    innermost loops and of no others.

    With `parallel` a `tc.par` becomes an `scf.parallel`, for what upstream makes
    of these; a width that is neither 1 nor the step is a loop inside.

    Does not: optimise. It is the reference other lowerings are compared with.

    Example: test/Docs/convert-tc-to-loops.mlir.
  }];
  let options = [
    Option<"parallel", "parallel", "bool", /*default=*/"false",
           "Turn tc.par into scf.parallel">,
    Option<"vectorize", "vectorize", "bool", /*default=*/"false",
           "Let LLVM make vectors of the innermost loops of contractions">
  ];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::scf::SCFDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect"];
}

def ApproximateFunctions : Pass<"tc-approximate-functions"> {
  let summary = "Compute functions of f32 on the CPU by polynomials";
  let description = [{
    Overview: on the way to the CPU. The C library computes a function of one number,
    so a loop that calls it has no vectors. Functions of f32 become upstream's
    polynomials, of which LLVM makes vectors as of any arithmetic. Their errors are in
    docs/Accuracy.md.

    Ensures: only functions whose polynomial is about as accurate as a library for
    vectors, at most 4 units in the last place off, are replaced: `exp`.

    Does not: touch f64, and f16 and bf16, whose functions are computed in f32 later.

    Example: test/Docs/tc-approximate-functions.mlir.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::vector::VectorDialect"];
}

def ConvertParallelToTasks : Pass<"convert-parallel-to-tasks", "ModuleOp"> {
  let summary = "Share parallel loops out among the threads of a CPU";
  let description = [{
    Overview: on the way to the CPU. The body of each outermost `scf.parallel` without
    results becomes a function of a range of iterations, which
    `tcPackageParallel` of the runtime calls from several threads
    (`tc-runtime/tc_package.h`). The values that it uses travel by address, in a
    struct on the caller's stack. `tc.distinct` on the loop says that what it writes
    through one buffer it reaches through no other; the body's parameters then
    say so to LLVM.

    Requires: values of types that the conversion to LLVM knows.

    Ensures: `memref.alloca` of static size stands at the start of its
    function. Parallel loops in others stay, to become sequential ones.

    Does not: touch loops that reduce.

    Example: test/Docs/convert-parallel-to-tasks.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect", "::mlir::scf::SCFDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::arith::ArithDialect"];
}

def ConvertTCToGPU : Pass<"convert-tc-to-gpu", "ModuleOp"> {
  let summary = "Turn mapped nests into GPU kernels";
  let description = [{
    Overview: phase 6 to 7, second half. Each `tc.par grid` becomes a
    `gpu.launch`: block and thread numbers become indices by the inverse of the
    mapping, a `tc.par block` becomes its body under the guard of its mapping,
    `tc.seq` becomes `scf.for`, views become `memref.reinterpret_cast`, private
    buffers become registers, and workgroup buffers attributions of the launch.
    Of a private buffer of `threads(n)` each thread has the part that a
    `memref.subview` takes at its own number.
    A `tc.stage` becomes a loop in which the threads of the block take turns,
    consecutive threads along the last dimension, chunk by chunk. In a `tc.seq`
    of several stages copies become `nvgpu.device_async_copy`, or
    `nvvm.cp.async.shared.global` for complex numbers, so many steps ahead, and a
    step waits for its own and for one barrier; what these cannot copy, and all on
    chips before sm_80, is loaded into registers before a step is computed, and
    stored after it. Buffers that the host
    allocates and copies between kernels become `gpu.alloc` and `gpu.memcpy`;
    constants that kernels read (`memref.get_global`) are copied to the device
    each time the function runs.

    A limit of `tc.threshold` is a variable of the module, `FUNCTION.threshold.LIMIT`
    (i64): the program that the host code is linked into may set it. It is -1, which
    is the default, to begin with.

    What depends on run-time bounds alone is computed by the host, which launches
    nothing where a range is empty. Indices from outside are passed as integers
    of the kernel's index width, memrefs of run-time layout as their buffer and
    such integers. A nest whose `tc.variant` says 32-bit indices goes into a
    `gpu.module` whose data layout says the same. Where there is no `tc.variant` and
    extents are dynamic, there are two launches, and the host takes the one of 32 bits
    if bounds of all indices are below 2^31; a remark says which op has no bound.

    Requires: nests that `tc-map` and `tc-sync` have run on, without
    contractions. The function's memrefs are device buffers.

    Ensures: no `tc` op is left; `gpu-kernel-outlining` makes the kernels.

    Does not: vectorise; `tc-promote` and `tc-lower-microkernel` do.

    Example: test/Docs/convert-tc-to-gpu.mlir.
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"",
           "Chip that kernels are for; by default the module's tc.machine, else "
           "sm_90a">,
    Option<"noteThresholds", "note-thresholds", "bool", /*default=*/"false",
           "Call tcNoteThreshold(number of the variable, number compared) before "
           "each comparison with a limit">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::DLTIDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::nvgpu::NVGPUDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def DropHostSpace : Pass<"tc-drop-host-space", "ModuleOp"> {
  let summary = "Take #tc.host off the types of host code";
  let description = [{
    Overview: between phases 7 and 8, after `tc-async`. To LLVM the memory of the host
    has no address space of its own: `memref<8xf32, #tc.host>` becomes
    `memref<8xf32>`.

    Requires: copies to and from such memory as `gpu.memcpy`, as `convert-tc-to-gpu`
    makes them.

    Ensures: no type has `#tc.host`.

    Does not: touch other memory spaces.

    Example: test/Docs/tc-drop-host-space.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect"];
}

def OutlineHost : Pass<"tc-outline-host", "ModuleOp"> {
  let summary = "Leave nests that call external functions to the host";
  let description = [{
    Overview: before phase 4. A kernel has the functions that have a body, those of
    libdevice (`__nv_...`) and those of the driver (`malloc`, `free`, `vprintf`,
    `__assertfail`). An outermost `tc.par`, `tc.reduce` or `tc.scan` that calls
    another one becomes a function of the host, of the loops that
    `convert-tc-to-loops` makes of it: it copies the buffers of the nest from the
    device, and back those that it may have written.

    Requires: buffers in dense layouts; memrefs, as device buffers. No `tc.ptx` in
    such a nest.

    Ensures: no nest calls a function that kernels do not have. A remark at the call
    says that the nest is the host's. With `refuse` it is an error.

    Does not: cut a nest, so that the rest of it could be a kernel.

    Example: test/Docs/tc-outline-host.mlir.
  }];
  let options = [
    Option<"refuse", "refuse", "bool", /*default=*/"false",
           "Report such a nest, for outputs that hold launches alone">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TC_CONVERSION_PASSES_TD
