//===- NestTransformOps.td - Schedules of nests as scripts -*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMOPS_NESTTRANSFORMOPS_TD
#define TC_TRANSFORMOPS_NESTTRANSFORMOPS_TD

include "tc/TransformOps/NestStorageOps.td"
include "tc/TransformOps/StepOp.td"

def TC_TileStepOp : TC_RewriteOp<"tile"> {
  let summary = "iterations of a nest in tiles";
  let description = [{
    Makes a nest over tiles and in it one over the iterations of a tile: Tiramisu's
    `split` for one dimension, and `tile` for several. Each dimension has a size. One of
    size 0 is not tiled and stays whole in the inner nest; one of size 1 is in the outer
    nest alone, so sizes of 1 and 0 take a nest apart. Sizes may be parameters, as
    `transform.tune.knob` gives them.

    Iterations of a `tc.par` are independent, so any tiles are right. Those of a `tc.seq`
    come in another order, and none may depend on one that would come later.

    Example: test/Docs/step-tile.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
      Variadic<TransformParamTypeInterface>:$dynamic_sizes,
      DenseI64ArrayAttr:$static_sizes);
  let results = (outs TransformHandleTypeInterface:$outer,
                      TransformHandleTypeInterface:$inner);
  let assemblyFormat = [{
    $target `sizes` custom<DynamicIndexList>($dynamic_sizes, $static_sizes)
    attr-dict `:` functional-type(operands, results)
  }];
}

def TC_ExpandStepOp : TC_RewriteOp<"expand"> {
  let summary = "a contraction, reduction or scan as nests";
  let description = [{
    Makes a `tc.par` of a `tc.contract`, an iteration for each result, with a `tc.seq` of
    its terms; and a `tc.seq` of a `tc.reduce` or `tc.scan`, in a `tc.par` of one iteration
    where there is none round it. Other steps then apply to these. A handle holds nothing
    where there is no such nest: a product of elements has no `tc.seq`.

    Sums are in the results themselves where these have the type of the accumulator, and
    no epilogue follows; else in a buffer of the iteration, which `transform.tc.store_at`
    and `transform.tc.store_in` may put elsewhere. Terms are added in the order of the
    loop. A `precision` that allows less than the type has is not used.

    What has a schedule or a level is refused: somebody has said who does it.

    Example: test/Docs/step-expand.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$nest,
                      TransformHandleTypeInterface:$loop);
  let assemblyFormat = [{
    $target attr-dict `:` functional-type(operands, results)
  }];
}

def TC_InterchangeStepOp : TC_RewriteOp<"interchange"> {
  let summary = "dimensions of a nest in another order";
  let description = [{
    The target and the nests that are all there is in it, as many as `order` has
    dimensions, run with dimension `order[0]` outermost. They become one nest, also if
    `order` is that of before, or, where bounds depend on indices, as after a skew, one in
    the other. Where it is one nest, both results are that nest.

    A `tc.par` that holds nothing but a `tc.seq` becomes a `tc.seq` of a `tc.par` where
    `order` has all dimensions of the loop first. No iteration of the `tc.par` sees what
    another one does, so this is always right.

    Example: test/Docs/step-wavefront.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DenseI64ArrayAttr:$order);
  let results = (outs TransformHandleTypeInterface:$outermost,
                      TransformHandleTypeInterface:$innermost);
  let assemblyFormat = [{
    $target `order` `=` $order attr-dict `:` functional-type(operands, results)
  }];
}

def TC_ReverseStepOp : TC_RewriteOp<"reverse"> {
  let summary = "a dimension from its last index to its first";
  let description = [{
    Example: test/Docs/step-reverse.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$dim);
  let results = (outs TransformHandleTypeInterface:$reversed);
  let assemblyFormat = [{
    $target `dim` `=` $dim attr-dict `:` functional-type(operands, results)
  }];
}

def TC_SkewStepOp : TC_RewriteOp<"skew"> {
  let summary = "an index plus a multiple of an earlier one";
  let description = [{
    The index of dimension `dim` becomes the sum of itself and `factor` times that of
    dimension `by`, one before it. The order of iterations stays the same; an interchange
    after it runs them along diagonals, and those of one diagonal may be independent
    (Lamport's wavefront). The dimensions from `dim` on are the inner nest.

    Example: test/Docs/step-wavefront.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$dim,
                       I64Attr:$by, DefaultValuedAttr<I64Attr, "1">:$factor);
  let results = (outs TransformHandleTypeInterface:$outer,
                      TransformHandleTypeInterface:$inner);
  let assemblyFormat = [{
    $target `dim` `=` $dim `by` `=` $by (`factor` `=` $factor^)? attr-dict
    `:` functional-type(operands, results)
  }];
}

def TC_ShiftStepOp : TC_RewriteOp<"shift"> {
  let summary = "an index plus a constant";
  let description = [{
    The index of dimension `dim`, and its bounds, grow by `distance`. Two nests whose
    spaces differ by a shift have one space after it and may be fused.

    Example: test/Docs/step-fuse.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$dim,
                       I64Attr:$distance);
  let results = (outs TransformHandleTypeInterface:$shifted);
  let assemblyFormat = [{
    $target `dim` `=` $dim `distance` `=` $distance attr-dict
    `:` functional-type(operands, results)
  }];
}

def TC_NormalizeStepOp : TC_AnnotateOp<"normalize"> {
  let summary = "indices that count from 0 by ones";
  let description = [{
    Each index becomes the lower bound plus the step times a number from 0 on.

    Example: test/Docs/step-normalize.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def TC_ParallelizeStepOp : TC_RewriteOp<"parallelize"> {
  let summary = "a tc.par of a tc.seq";
  let description = [{
    No iteration of the `tc.seq` may depend on another one.

    Example: test/Docs/step-wavefront.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$parallel);
  let assemblyFormat = "$target attr-dict `:` functional-type(operands, results)";
}

def TC_SerializeStepOp : TC_RewriteOp<"serialize"> {
  let summary = "a tc.seq of a tc.par";
  let description = [{
    Example: test/Docs/step-reverse.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target);
  let results = (outs TransformHandleTypeInterface:$serial);
  let assemblyFormat = "$target attr-dict `:` functional-type(operands, results)";
}

def TC_DistributeStepOp : TC_RewriteOp<"distribute"> {
  let summary = "two nests of one";
  let description = [{
    Cuts the body of the nest round `cut` before it, and makes a nest of each part, one
    after the other. Both compute the indices and numbers they need; nothing else that one
    makes may be needed by the other. In a `tc.seq` no iteration of the first part may
    depend on an earlier one of the second.

    Example: test/Docs/step-distribute.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$cut);
  let results = (outs TransformHandleTypeInterface:$first,
                      TransformHandleTypeInterface:$second);
  let assemblyFormat = [{
    `before` $cut attr-dict `:` functional-type(operands, results)
  }];
}

def TC_FuseStepOp : Op<Transform_Dialect, "tc.fuse", [
    FunctionalStyleTransformOpTrait, MemoryEffectsOpInterface,
    DeclareOpInterfaceMethods<TransformOpInterface>,
    ReportTrackingListenerFailuresOpTrait]> {
  let summary = "one nest of two";
  let description = [{
    The nests of both handles, as many of each, are fused pair by pair: each iteration
    runs the body of the first and then that of the second. They stand in one block and
    have one space, written with the same bounds, and nothing that touches memory is
    between them. No iteration of the second may depend on a later one of the first, or,
    of two `tc.par`, on another one.

    Example: test/Docs/step-fuse.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$first,
                       TransformHandleTypeInterface:$second);
  let results = (outs TransformHandleTypeInterface:$fused);
  let assemblyFormat = [{
    $first `,` $second attr-dict `:` functional-type(operands, results)
  }];
}

def TC_UnrollStepOp : TC_AnnotateOp<"unroll"> {
  let summary = "iterations of a tc.seq in one body";
  let description = [{
    Writes `unroll(n)`, with n iterations in one body.

    Example: test/Docs/step-bind.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
      Variadic<TransformParamTypeInterface>:$dynamic_factor,
      DenseI64ArrayAttr:$static_factor);
  let assemblyFormat = [{
    $target `factor` custom<DynamicIndexList>($dynamic_factor, $static_factor)
    attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

def TC_PipelineStepOp : TC_AnnotateOp<"pipeline"> {
  let summary = "copies of a tc.seq ahead of their use";
  let description = [{
    Writes `stages(n)`: the `tc.stage` ops at the head of the loop run up to n - 1
    iterations ahead.

    Example: test/Docs/step-pipeline.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$stages);
  let assemblyFormat = [{
    $target `stages` `=` $stages attr-dict `:` type($target)
  }];
}

def TC_VectorizeStepOp : TC_RewriteOp<"vectorize"> {
  let summary = "iterations of a nest together, by vectors";
  let description = [{
    `width` iterations along dimension `dim` run together: loads and stores of neighbours
    move vectors, and `arith` and `math` compute on them. What all of them read is read
    once. The second result is the nest of the iterations that are left over, and holds
    nothing where there are none.

    No iteration may depend on another one of its group. Inside of the nest are loads,
    stores, arithmetic, and nests; what a loop carries may be vectors. Along `dim`,
    subscripts are those of neighbours, or the same. A vector moves as one access where buffers are aligned
    (`memref.assume_alignment`, or shared memory) and the group begins at a multiple of its
    width.

    Example: test/Docs/step-vectorize.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target, I64Attr:$dim,
                       I64Attr:$width);
  let results = (outs TransformHandleTypeInterface:$vectors,
                      TransformHandleTypeInterface:$rest);
  let assemblyFormat = [{
    $target `dim` `=` $dim `width` `=` $width attr-dict
    `:` functional-type(operands, results)
  }];
}

def TC_BindStepOp : TC_AnnotateOp<"bind"> {
  let summary = "who runs the iterations of a tc.par, tc.reduce or tc.scan";
  let description = [{
    Writes the level, of a `tc.par` with `full` as real threads. What is inside of it may
    have a finer level, as the verifiers say.

    Example: test/Docs/step-bind.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       TC_LevelAttr:$level, UnitAttr:$full);
  let assemblyFormat = [{
    $target $level (`full` $full^)? attr-dict `:` type($target)
  }];
}

def TC_MapStepOp : TC_AnnotateOp<"map"> {
  let summary = "how thread numbers become indices";
  let description = [{
    Writes the `#tc.map` of a `tc.par`, instead of the one that `tc-map` would choose.

    Example: test/Docs/step-bind.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       TC_MapAttr:$mapping);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

#endif // TC_TRANSFORMOPS_NESTTRANSFORMOPS_TD
