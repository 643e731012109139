//===- LaunchPasses.td - Passes on launches ----------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which launches, copies and releases of a program wait for which, and on which
// streams they run.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_LAUNCHPASSES_TD
#define TC_TRANSFORMS_LAUNCHPASSES_TD

include "mlir/Pass/PassBase.td"

def SerializeHost : Pass<"tc-serialize-host", "func::FuncOp"> {
  let summary = "Make loops of the host of tc.par host";
  let description = [{
    Overview: before phase 1. A `tc.par host` becomes a `tc.seq` with the attribute
    `tc.independent`: a loop of the host as any other to the passes that make kernels
    of what is inside. The attribute stays on the loops that the `tc.seq` becomes, and
    `tc-async` deals their iterations out.

    Requires: nothing.

    Ensures: no `tc.par host` is left. Two iterations that touch one element are an
    error here already, as `tc-check-nests` has it of other levels.

    Does not: prove that iterations are independent.

    Example: test/Docs/tc-serialize-host.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect"];
}

def Async : Pass<"tc-async", "ModuleOp"> {
  let summary = "Let launches and copies wait only for what they depend on";
  let description = [{
    Overview: within phase 7. Launches, copies, sets and releases of device memory
    become a graph of `!gpu.async.token`: each waits for those before it in its block
    that write what it touches, or touch what it writes, and for no other. What two
    of them touch is compared by buffer and, within a buffer, by element: strides,
    offsets and extents of views, and indices of kernels, as far as they are linear.
    A host function's arguments do not overlap.

    The host waits where it touches the same memory itself (loads, stores, calls),
    and at the end of the function. An `scf.if` that has nothing but such work, and
    computes nothing for the host, is a part of the graph, and gives a token; its own
    work goes one after the other. So is an `scf.for` of nothing but such work, which
    carries tokens from iteration to iteration:

    - one, where each op of an iteration waits for the one before anyway;
    - four in a ring, where its iterations are independent (`tc.independent`, which
      `tc.par host` becomes): iteration i comes after iteration i - 4. The ops of one
      iteration go one after the other. Buffers that an iteration allocates, of sizes
      that are known outside, become four of the loop, in the same ring.

    Other loops and conditions have graphs of their own in each block, and the host
    waits before and after them.

    Allocations wait for nothing, and nothing waits for them: the host has the
    memory when the call returns.

    Requires: outlined kernels in the `gpu` dialect, and their launches.

    Ensures: of two ops that conflict, the later waits for the earlier, by a path of
    tokens or because the host has waited in between. Remarks say how many ops of a
    block do not wait for the one before, of each pair that it orders on a buffer, why,
    and which loops of independent iterations were dealt out.

    Does not: touch functions that have tokens of their own, nor blocks of less than
    two such ops. Does not choose streams: that is for `tc-fork-streams`, and for
    packages ([Packaging.md](../Packaging.md#streams)).

    Example: test/Docs/tc-async.mlir.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect"];
}

def ForkStreams : Pass<"tc-fork-streams", "func::FuncOp"> {
  let summary = "Give ops that need not wait for each other streams of their own";
  let description = [{
    Overview: between phases 7 and 8. Upstream's `gpu-to-llvm` takes the token of an
    op for the stream that the op ran on: an op that waits for it runs there, too.
    This pass inserts the `gpu.wait async` that make streams of tokens: a new one for
    an op that waits for none, or for several, or for one whose stream another op
    goes on with. So every launch, copy and release has one token to wait for. The
    tokens that a loop carries are streams that are made before it.

    Requires: what is to be lowered by `gpu-to-llvm`. No canonicalization may come in
    between: it takes a `gpu.wait async` of one token for that token.

    Ensures: streams that are not waited for by the host are waited for at the end of
    the block that made them, so that they are given back.

    Does not: change what waits for what.

    Example: test/Docs/tc-fork-streams.mlir.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

#endif // TC_TRANSFORMS_LAUNCHPASSES_TD
