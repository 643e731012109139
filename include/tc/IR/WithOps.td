//===- WithOps.td - tc.with, tc.partition ------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_WITHOPS_TD
#define TC_IR_WITHOPS_TD

include "tc/IR/RegionOps.td"

def TC_WithOp : Op<TC_Dialect, "with", [
    AttrSizedOperandSegments, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    NoRegionArguments, NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "arrays whose elements are given by partitions of their index space";
  let description = [{
    Writes every element of one or more arrays of one shape, as SaC's with-loop
    does (Janssen and Scholz, IFL 2021, section 2.1). The region holds a
    `tc.partition` for each part of the index space. An element is what the
    partition yields at its index; where several contain it, the last one; where
    none does, the value of `default`, or, without `default`, what it was.

    `tc.partition` regions run once for each index whose elements they give. These
    are independent iterations, as those of a `tc.par`: none may touch what another
    one writes, be it of the same partition. So a region may read the element of
    its own index from the arrays, and no other one.

    `tc-lower-with` makes nests in `tc.par` of it, and as few kernels as the
    partitions allow.

    Example: test/Docs/op-with.mlir.
  }];
  let arguments = (ins Variadic<AnyMemRef>:$outputs, Variadic<AnyType>:$defaults);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $outputs (`default` `(` $defaults^ `:` type($defaults) `)`)? `:`
    type($outputs) attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Of the arrays, and so of each partition.
    int64_t getRank() {
      return cast<MemRefType>(getOutputs().front().getType()).getRank();
    }
    /// The extents of the arrays, as far as they are static.
    SmallVector<int64_t> getStaticShape();
    /// In the order of the program.
    SmallVector<PartitionOp> getPartitions();
  }];
}

def TC_PartitionOp : TC_NestOp<"partition", [HasParent<"WithOp">]> {
  let summary = "what a tc.with writes at the indices of an index space";
  let description = [{
    An index space as that of `tc.par`, and a region that yields one element for
    each array of the `tc.with`, at the index that it gets.

    The example is that of `tc.with`.
  }];
  let arguments = spaceArguments;
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat =
      "custom<Partition>(" # space # "attr-dict, $region)";
  let hasVerifier = 1;
  let extraClassDeclaration = nestDeclaration;
}

#endif // TC_IR_WITHOPS_TD
