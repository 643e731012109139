//===- RegionOps.td - tc.par, tc.seq, tc.yield -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_REGIONOPS_TD
#define TC_IR_REGIONOPS_TD

include "tc/IR/TCAttrs.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

/// What the ops over an index space share: its bounds, steps and widths, one of
/// each per dimension, constants or operands, and a region with one index per
/// dimension.
class TC_NestOp<string mnemonic, list<Trait> traits>
    : Op<TC_Dialect, mnemonic, traits # [
        AttrSizedOperandSegments, RecursiveMemoryEffects, SingleBlock]> {
  dag spaceArguments = (ins Variadic<Index>:$lower, Variadic<Index>:$upper,
                            Variadic<Index>:$step, Variadic<Index>:$width,
                            DenseI64ArrayAttr:$static_lower,
                            DenseI64ArrayAttr:$static_upper,
                            DenseI64ArrayAttr:$static_step,
                            DenseI64ArrayAttr:$static_width);
  string space = "$lower, $upper, $step, $width, $static_lower, "
                 "$static_upper, $static_step, $static_width, ";
  code nestDeclaration = [{
    unsigned getRank() { return getStaticLower().size(); }
    /// The bounds, steps and widths, as attributes where they are constants.
    SpaceBounds getBounds() {
      MLIRContext *context = getContext();
      return {getMixedValues(getStaticLower(), getLower(), context),
              getMixedValues(getStaticUpper(), getUpper(), context),
              getMixedValues(getStaticStep(), getStep(), context),
              getMixedValues(getStaticWidth(), getWidth(), context)};
    }
    SmallVector<OpFoldResult> getMixedLower() {
      return getMixedValues(getStaticLower(), getLower(), getContext());
    }
    SmallVector<OpFoldResult> getMixedUpper() {
      return getMixedValues(getStaticUpper(), getUpper(), getContext());
    }
    /// One index per dimension.
    Block::BlockArgListType getIndices() {
      return getBody()->getArguments().take_front(getRank());
    }
  }];
  /// What LoopLikeOpInterface asks for, of a nest that is a loop.
  code loopDeclaration = [{
    SmallVector<Region *> getLoopRegions() {
      return {&getOperation()->getRegion(0)};
    }
    std::optional<SmallVector<Value>> getLoopInductionVars() {
      return llvm::to_vector_of<Value>(getIndices());
    }
    std::optional<SmallVector<OpFoldResult>> getLoopLowerBounds() {
      return getBounds().lower;
    }
    std::optional<SmallVector<OpFoldResult>> getLoopUpperBounds() {
      return getBounds().upper;
    }
    std::optional<SmallVector<OpFoldResult>> getLoopSteps() {
      return getBounds().step;
    }
  }];
}

def TC_ParOp : TC_NestOp<"par", [
    SingleBlockImplicitTerminator<"YieldOp">, LoopLikeOpInterface]> {
  let summary = "independent iterations over an index space";
  let description = [{
    Runs the region for each index `lower <= i < upper` with
    `(i - lower) mod step < width`; a step is at least 1, a width from 1 to the
    step, and either may be an operand. Iterations are independent: all effects
    before the op are visible inside, all effects inside are visible after it.
    They are concurrent, not necessarily parallel: a pass may run them in any
    order, one after the other, split or merged. Two iterations that touch one
    element, unless both read it or both update it by `memref.atomic_rmw`, leave
    the program without meaning; docs/Nests.md says what is reported when.

    The level says who runs the iterations: `host` the host, which launches the
    kernels inside on several streams, `device` the threads of all blocks,
    `grid` the blocks of a grid (or its clusters, where a tc.par of that level is
    inside), `cluster` the blocks of a cluster, `block` the threads of a block (or its warps or
    warpgroups, where a tc.par of these levels is inside, or warps, where a
    contraction of one is), `warpgroup` and `warp`
    the threads of one, `thread` a thread, one after the other. A level
    is inside of coarser ones, and `host` inside of no other; without a `grid` round it one block, or one
    cluster, has it. Without a level `tc-bind` chooses.

    `full` asks for real threads, each iteration one of them, and may not contain
    another `full`; with `align(n)` the number of its first thread in the block is
    a multiple of n. `mapping` tells how thread numbers become indices;
    `tc-map` sets it.

    Example: test/Docs/op-nests.mlir.
  }];
  let arguments = !con(spaceArguments, (ins
      OptionalAttr<TC_LevelAttr>:$level, UnitAttr:$full,
      DefaultValuedAttr<I64Attr, "1">:$align,
      OptionalAttr<TC_MapAttr>:$mapping));
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = [{
    (`full` $full^)? (`align` `(` $align^ `)`)? (custom<Level>($level)^)?
    custom<Par>(}] # space # "$mapping, attr-dict, $region)";
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    /// Zero-based, or with given bounds; the body is built by `body`, which
    /// gets the indices, and is terminated here.
    OpBuilder<(ins "std::optional<Level>":$level, "ArrayRef<OpFoldResult>":$lower,
                   "ArrayRef<OpFoldResult>":$upper, "ArrayRef<int64_t>":$step,
                   "function_ref<void(OpBuilder &, Location, ValueRange)>":$body)>,
    /// Without a level.
    OpBuilder<(ins "const SpaceBounds &":$bounds,
                   "function_ref<void(OpBuilder &, Location, ValueRange)>":$body)>
  ];
  let extraClassDeclaration = nestDeclaration # loopDeclaration # [{
    /// The index space; a bound, step or width given at run time is the symbol
    /// of its place among the operands.
    IndexSpace getSpace();
    /// Threads that run one iteration together: those of the largest warp or
    /// warpgroup inside, or one. For levels inside of a grid.
    int64_t getMemberThreads();
    /// Is this a grid whose iterations are clusters of blocks, since a tc.par of
    /// level cluster is inside?
    bool hasClusters();
    /// Do the threads of a block run together what is between the tc.par inside
    /// of it? In a grid with clusters those of all blocks of one do.
    bool isOfBlocks() {
      return getLevel() == Level::Grid || getLevel() == Level::Cluster;
    }
  }];
}

def TC_SeqOp : TC_NestOp<"seq", [LoopLikeOpInterface]> {
  let summary = "iterations in order over an index space";
  let description = [{
    As `tc.par`, but the iterations run one after the other, the last dimension
    fastest, and may carry values from one to the next.

    `stages(n)` allows copies to run ahead: the `tc.stage` ops at the head of the
    region, before its first `tc.par`, may fill the buffers of up to n - 1 later
    iterations while one is computed, so each has n buffers. Their sources must
    not be written to in the loop.

    `unroll(n)` has n iterations that follow one another in one body: of the last
    dimension, and where n is more than its iterations, of whole ones of the
    dimensions before. `tc-unroll` writes it where private buffers need it.

    The example is that of `tc.par`.
  }];
  let arguments = !con(spaceArguments, (ins
      Variadic<AnyType>:$inits, DefaultValuedAttr<I64Attr, "1">:$stages,
      DefaultValuedAttr<I64Attr, "1">:$unroll));
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$region);
  let assemblyFormat = "custom<Seq>(" # space # [{
    $inits, type($inits), type($results), $stages, $unroll, attr-dict, $region)}];
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [
    OpBuilder<(ins "ArrayRef<OpFoldResult>":$lower,
                   "ArrayRef<OpFoldResult>":$upper, "ArrayRef<int64_t>":$step,
                   "function_ref<void(OpBuilder &, Location, ValueRange)>":$body)>,
    /// Carries values: `body` gets the indices and what is carried, and returns
    /// what is carried on.
    OpBuilder<(ins "ArrayRef<OpFoldResult>":$lower,
                   "ArrayRef<OpFoldResult>":$upper, "ArrayRef<int64_t>":$step,
                   "ValueRange":$inits,
                   "function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange, ValueRange)>":$body)>,
    /// Over the space of another op.
    OpBuilder<(ins "const SpaceBounds &":$bounds, "ValueRange":$inits,
                   "function_ref<SmallVector<Value>(OpBuilder &, Location, ValueRange, ValueRange)>":$body)>
  ];
  let extraClassDeclaration = nestDeclaration # loopDeclaration # [{
    /// The carried values, as the region sees them.
    Block::BlockArgListType getCarried() {
      return getBody()->getArguments().drop_front(getRank());
    }

    Block::BlockArgListType getRegionIterArgs() { return getCarried(); }
    std::optional<MutableArrayRef<OpOperand>> getYieldedValuesMutable() {
      return getBody()->getTerminator()->getOpOperands();
    }
    std::optional<ResultRange> getLoopResults() { return getResults(); }
  }];
}

def TC_YieldOp : Op<TC_Dialect, "yield", [
    Pure, ReturnLike, Terminator,
    ParentOneOf<["ParOp", "SeqOp", "ContractOp", "PartitionOp", "ReduceOp",
                 "ScanOp"]>]> {
  let summary = "end of a region";
  let description = [{
    Gives the value of a `map` or `combine` region, the carried values of a
    `tc.seq`, or the elements of a `tc.partition`; nothing in a `tc.par` or a
    `finish` region.
  }];
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ }]>];
}

#endif // TC_IR_REGIONOPS_TD
