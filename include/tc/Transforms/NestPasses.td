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
    condition, subscripts are linear in indices, and all bounds are known. The
    message names two such iterations. What is not certain is left to the checks
    of the emulator.

    Requires: nothing.

    Ensures: nothing is changed.

    Does not: prove that iterations are independent.

    Example: test/Docs/tc-check-nests.mlir.
  }];
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

    What the threads of a team run together, between the `tc.par` of a grid,
    may read memory; ops there that write to it become a `tc.par` of one
    iteration.

    Requires: memrefs.

    Ensures: each `tc.par` has a level that fits those round it; levels that were
    there are kept. Remarks say which level was chosen and why.

    Does not: choose thread numbers; see tc-map.

    Example: test/Docs/tc-bind.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect"];
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
    is an error.

    Does not: hold copies in registers.

    Example: test/Docs/tc-cache.mlir.
  }];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // TC_TRANSFORMS_NESTPASSES_TD
