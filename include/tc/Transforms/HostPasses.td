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

def TileHost : Pass<"tc-tile-host", "func::FuncOp"> {
  let summary = "Tile contractions for the caches and vectors of a CPU";
  let description = [{
    Overview: phase 2 to loops, on the way to the CPU. A contraction of two
    inputs is a matrix product whose rows, columns and sums are each several
    iterators, counted as one. Rows and columns are copied, block by block, into
    panels in which a register tile finds them one after the other; tables of a
    block hold the place of each row, column and sum, so that no operand is
    transposed as a whole and inner loops have no index arithmetic. Register
    tiles are `vector` ops: three vectors by four or eight rows, as
    `vector-registers` allows. Blocks of columns are tasks of an `scf.parallel`;
    where a batch has more of them than a product, the batch is.

    The columns are those of the input that varies with the innermost iterator
    of the result. Panels hold numbers of the accumulator's type, complex ones in
    two parts. A result that is more than its accumulator (an epilogue, another
    type) and has more sums than a block comes from accumulators in memory.

    Requires: memrefs of strided layout. `tc-normalize` merges iterators before.

    Ensures: what it tiled has no `tc.contract` any more. Contractions of
    dynamic extents are tiled for those with enough terms, by `scf.if`.

    What stays a contraction is for `convert-tc-to-loops`, with its iterators in
    the order of memory and, where it has enough terms, in tasks of its outer
    results: other than two inputs, regions that compute and add, booleans, one
    row or fewer columns than a vector has, a batch as the innermost iterator.
    Where the neighbours of the largest input are those of the result, the
    reduction loops are the outer ones, and a loop over a block of results runs
    inside them: the nest that `tc-tile` makes for one thread, with each block a
    task.

    Does not: touch contractions in nests.

    Example: test/Docs/tc-tile-host.mlir.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "int64_t", /*default=*/"128",
           "Width of a vector">,
    Option<"vectorRegisters", "vector-registers", "int64_t", /*default=*/"16",
           "How many vectors registers hold">
  ];
  let dependentDialects = ["::mlir::tc::TCDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect",
                           "::mlir::complex::ComplexDialect",
                           "::mlir::LLVM::LLVMDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

#endif // TC_TRANSFORMS_HOSTPASSES_TD
