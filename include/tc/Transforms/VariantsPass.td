//===- VariantsPass.td - tc-variants -----------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_VARIANTSPASS_TD
#define TC_TRANSFORMS_VARIANTSPASS_TD

include "mlir/Pass/PassBase.td"

def Variants : Pass<"tc-variants", "func::FuncOp"> {
  let summary = "Choose between several kernels at run time";
  let description = [{
    Overview: within phase 3. A contraction of dynamic extents or strides
    becomes a chain of `scf.if` round copies of it. The copies differ in
    four things. *Tiles*: all of them inside of the iteration space, those of
    contracted iterators sticking out, those of result iterators, or both, which
    are the four kernels of Holst's thesis (docs/LMAD.md; section 4.3); where
    tiles do not stick out the extent is written `(n floordiv tile) * tile`, and
    `tc-tile` emits no guard. *Indices*: of 32 bits where every position and block number is below
    2^31, else of 64. *Vectors*: where the schedule has some, and the buffers are
    aligned to 16 bytes and extents, offsets and strides are multiples of them,
    accesses are of several elements. Each copy says by its `tc.variant` which it is, and its
    kernel is named after it. *Versions*: a schedule of `tc.versions` has kernels of its
    own, for the sizes that it says, of the other three the fastest only; where an
    extent is small (`most`), for tiles that stick out, with and without vectors.

    A contraction of static extents and strides gets 32-bit indices when they
    will do. It stays one, unless its schedule has vectors and addresses of its
    buffers are not known: then there is a copy for buffers that are aligned to
    16 bytes, and one for others.

    Requires: scheduled contractions; others are left alone.

    Ensures: the copy that runs is right for the extents and strides it meets. The
    last one, `both` with 64-bit indices, is made whatever the options say,
    unless an earlier one is always right. A remark says which of the wanted
    variants were not made, and why.

    Does not: look for dense rows where a stride is dynamic and may be 1.

    Example: test/Docs/tc-variants.mlir.
  }];
  let options = [
    Option<"tiles", "tiles", "::mlir::tc::TileVariants",
           /*default=*/"::mlir::tc::TileVariants::Two",
           "Which variants are made by the tiles that stick out",
           [{::llvm::cl::values(
               clEnumValN(::mlir::tc::TileVariants::One, "one",
                          "one kernel for all"),
               clEnumValN(::mlir::tc::TileVariants::Two, "two",
                          "also one where none sticks out (default)"),
               clEnumValN(::mlir::tc::TileVariants::Four, "four",
                          "also those of contracted, of result iterators"))}]>,
    Option<"indices", "indices", "::mlir::tc::IndexVariants",
           /*default=*/"::mlir::tc::IndexVariants::Both",
           "Which variants are made by the width of indices",
           [{::llvm::cl::values(
               clEnumValN(::mlir::tc::IndexVariants::Only64, "64",
                          "64 bits"),
               clEnumValN(::mlir::tc::IndexVariants::Both, "both",
                          "also 32 bits (default)"))}]>
  ];
  let dependentDialects = ["::mlir::tc::TCDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TC_TRANSFORMS_VARIANTSPASS_TD
