//===- RaisePass.td - tc-raise ------------------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_RAISEPASS_TD
#define TC_TRANSFORMS_RAISEPASS_TD

include "mlir/Pass/PassBase.td"

def Raise : Pass<"tc-raise", "func::FuncOp"> {
  let summary = "Turn nests that are redomaps into linalg.generic";
  let description = [{
    Overview: before phase 1. A nest of `tc.par`, `tc.seq`, `scf` and `affine`
    loops whose iterations combine an element of one buffer with a function of
    elements of others (a redomap) becomes a `linalg.generic` over subviews, which
    `convert-linalg-to-tc` makes a `tc.contract`. The old value may stand in
    memory, or be carried by the loops that accumulate; what is stored before and
    after these loops becomes a step of its own. Sums get a buffer of their own where
    what is stored needs the old element beside them, or has another type.

    As any contraction, it may then be computed in another order, with fused
    multiply-adds. With `keep-order` nests that combine floats stay.

    Requires: memrefs. A buffer that is written overlaps no other, as everywhere.

    Ensures: a nest with a level, a mapping, `full`, `stages`, or any op but loops,
    loads, scalar ops and stores to one element stays as it is. So does one that
    combines nothing. A remark says why a nest that accumulates stays: subscripts
    that are not linear, or of which several move one way with a loop and others
    against it, bounds that vary in the nest, an input that the nest writes, several
    buffers written.

    A window that moves against a loop (`A[i - k]`) moves with it where that loop goes
    backwards; other subscripts then fall, which strides say. This needs sums, or
    another op that combines in any order.

    A `tc.par` that stays, and whose iterations go along rows of memory, has its loops
    shared by the threads of a block: those that combine become a `tc.reduce`, others
    whose iterations are independent a `tc.par`. A loop may carry several values that it
    chooses together by comparisons, as argmax does, if trying all cases of three terms
    shows that they may be regrouped: ties and NaNs are as the loop has them.

    Does not: distribute a nest that writes several buffers.

    Example: test/Docs/tc-raise.mlir.
  }];
  let options = [
    Option<"keepOrder", "keep-order", "bool", /*default=*/"false",
           "Leave nests that combine floats as they are">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::memref::MemRefDialect"];
}

#endif // TC_TRANSFORMS_RAISEPASS_TD
