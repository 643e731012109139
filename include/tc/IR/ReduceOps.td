//===- ReduceOps.td - tc.reduce, tc.scan -------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_REDUCEOPS_TD
#define TC_IR_REDUCEOPS_TD

include "tc/IR/RegionOps.td"

/// What tc.reduce and tc.scan share: the index space of a tc.par, a neutral
/// element, the regions that make, combine and use values, and a word of its own.
class TC_FoldOp<string mnemonic, string flag> : TC_NestOp<mnemonic, []> {
  dag foldArguments = !con(spaceArguments, (ins
      Variadic<AnyType>:$inits, OptionalAttr<TC_LevelAttr>:$level));
  let assemblyFormat = "(custom<Level>($level)^)? custom<Fold>(" # space #
      "$inits, type($inits), $" # flag # [{, "\"}] # flag # [{\"",
      attr-dict, $map, $combine, $finish)}];
  let regions = (region SizedRegion<1>:$map, SizedRegion<1>:$combine,
                        SizedRegion<1>:$finish);
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Zero-based or with given bounds, in steps of 1; with a block for each
    /// region, which is empty but for its arguments.
    OpBuilder<(ins "Level":$level, "ArrayRef<OpFoldResult>":$lower,
                   "ArrayRef<OpFoldResult>":$upper, "ValueRange":$inits,
                   "bool":$flag)>
  ];
  let extraClassDeclaration = nestDeclaration;
}

def TC_ReduceOp : TC_FoldOp<"reduce", "commutative"> {
  let summary = "combine the values of all iterations into one";
  let description = [{
    Runs the `map` region for each index of an index space as that of `tc.par`,
    each of which yields a term: one value for each of `init`. `combine` joins two
    terms into one; `finish` is run once, by one thread, after all `map` regions,
    and gets the terms of all iterations combined. Without iterations that is
    `init`.

    `combine` is associative, and has no effects. `init` is its neutral element,
    which may be combined with any number of times. Without `commutative` terms are
    combined in lexicographic order of their indices; with it in any, though in
    the same one on each run.

    `map` regions are independent iterations, as those of a `tc.par`. They and
    `finish` may have any effects. There are no results: `finish` stores, or does
    whatever else the value is needed for.

    The level says who runs the iterations, as for `tc.par`: `device` the threads
    of all blocks, `block`, `warpgroup` and `warp` those of one, `thread` one
    thread. Without it that is whoever is there: all blocks outside of any
    `tc.par`, the threads of a block in a `tc.par grid`, the lanes of a warp where
    warps run the `tc.par` round it, one thread elsewhere. Outside of any `tc.par`
    a level of the threads of a block makes one block do it. Alone in an outermost
    `tc.par` with `device`, or in a `tc.par block` with `block`, iterations of that
    are segments: the threads of all blocks, or of the block, reduce all of them.

    Example: test/Docs/op-reduce.mlir.
  }];
  let arguments = !con(foldArguments, (ins UnitAttr:$commutative));
}

def TC_ScanOp : TC_FoldOp<"scan", "exclusive"> {
  let summary = "combine the values of all iterations up to each";
  let description = [{
    As `tc.reduce`, but `finish` is run for each index, which it gets before the
    values: those of all iterations up to this one combined, or with `exclusive`
    those of all before it, `init` for the first. Terms are combined in
    lexicographic order of their indices.

    `finish` of an index runs after `map` of this index. For two different indices
    neither `map` nor `finish` of the one may touch what that of the other writes.

    Example: test/Docs/op-reduce.mlir.
  }];
  let arguments = !con(foldArguments, (ins UnitAttr:$exclusive));
}

#endif // TC_IR_REDUCEOPS_TD
