//===- ViewOps.td - tc.view, tc.new, tc.stage, tc.cache ----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_VIEWOPS_TD
#define TC_IR_VIEWOPS_TD

include "tc/IR/TCAttrs.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def TC_ViewOp : Op<TC_Dialect, "view", [
    Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface, ["getViewSource"]>]> {
  let summary = "an LMAD view of a buffer";
  let description = [{
    The elements `source[0] + offset + sum(i_d * stride_d)` of a buffer as a
    memref of the LMAD's sizes. Permutations, slices, broadcasts (stride 0),
    diagonals (summed strides), windows (overlapping strides) and reversals
    (negative strides) are all this op. The `?` of the LMAD are the operands, in
    order: offset, sizes, strides. A static view must stay inside a static
    source.

    Example: test/Docs/op-views.mlir.
  }];
  let arguments = (ins AnyMemRef:$source, Variadic<Index>:$dynamics,
                       TC_LmadAttr:$lmad);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    $source (`(` $dynamics^ `)`)? $lmad attr-dict
    `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
  let builders = [
    /// A view of `source`; constants become static entries of the LMAD.
    OpBuilder<(ins "Value":$source, "OpFoldResult":$offset,
                   "ArrayRef<OpFoldResult>":$sizes,
                   "ArrayRef<OpFoldResult>":$strides)>
  ];
  let extraClassDeclaration = [{
    OpFoldResult getMixedOffset();
    SmallVector<OpFoldResult> getMixedSizes();
    SmallVector<OpFoldResult> getMixedStrides();
  }];
}

def TC_NewOp : Op<TC_Dialect, "new", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a buffer of a nest";
  let description = [{
    A buffer that lives as long as the region the op stands in. Without a memory
    space it is for `tc-promote` to place. Outside of any `tc.par` it lies in
    global memory. With `init` every element starts at
    that value. `threads = n` says that the first n dimensions number the threads
    of the block: each thread has the rest for itself, so the buffer may live in
    registers. A thread takes its part by loads, stores, `memref.subview` or static
    `tc.view` at the indices of its `tc.par block`. Buffers of one `slot` lie in the
    same memory: one is not used any more when the next is.

    The example is that of `tc.view`.
  }];
  let arguments = (ins OptionalAttr<TypedAttrInterface>:$init,
                       DefaultValuedAttr<I64Attr, "0">:$threads,
                       OptionalAttr<I64Attr>:$slot);
  let results = (outs AnyMemRef:$result);
  let assemblyFormat = [{
    (`init` `(` $init^ `)`)? (`threads` `(` $threads^ `)`)?
    (`slot` `(` $slot^ `)`)? attr-dict
    `:` type($result)
  }];
  let hasVerifier = 1;
}

def TC_StageOp : Op<TC_Dialect, "stage", []> {
  let summary = "a copy of a view in nearer memory, filled at the edges";
  let description = [{
    Copies `source` into a new buffer of the result's type, together with all
    threads of the block when the result is in workgroup memory. Where the
    source is smaller than the result the buffer is filled with `pad`, so that
    whoever reads it needs no guard. The result's layout may be padded.

    Buffers of one `slot` lie in the same memory: each lives until the next one
    of its slot is filled.

    `chunk(n)` says that the elements of the last dimension are moved n at a
    time: they are neighbours in both memories, from a multiple of their size in
    bytes on, and the source has all of a chunk or nothing.

    `chunk(n) rows(m)` is for a result in which another dimension, d, has stride 1:
    m chunks that follow one another along d are moved together. A thread loads n
    elements at a time, transposes the m by n block in its registers, and stores m
    elements at a time. The source has all of a block or nothing.

    The example is that of `tc.view`.
  }];
  let arguments = (ins Arg<AnyMemRef, "", [MemRead]>:$source,
                       TypedAttrInterface:$pad, OptionalAttr<I64Attr>:$slot,
                       DefaultValuedAttr<I64Attr, "1">:$chunk,
                       DefaultValuedAttr<I64Attr, "1">:$rows);
  let results = (outs Res<AnyMemRef, "", [MemAlloc, MemWrite]>:$result);
  let assemblyFormat = [{
    $source `pad` `(` $pad `)` (`slot` `(` $slot^ `)`)? (`chunk` `(` $chunk^ `)`)?
    (`rows` `(` $rows^ `)`)? attr-dict `:` type($source) `to` type($result)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The dimension of stride 1 in the result, along which the chunks of a block
    /// follow one another: the last one, without `rows`.
    unsigned getRowsDim();
  }];
}

// It stands where it is, as a write does, but touches no memory of its own.
def TC_CacheOp : Op<TC_Dialect, "cache", [MemoryEffects<[MemWrite]>]> {
  let summary = "reads of a buffer go to a copy in shared memory";
  let description = [{
    From here to the end of the region, loads of `source` read a copy that the
    threads of the block make here. `tc-cache` finds the part that is read, by the
    subscripts of the loads and the bounds of the nests round them, and makes a
    `tc.stage` of it; so a cache in a `tc.seq stages(n)` runs ahead. The program
    means the same without the op.

    `order` lists the dimensions of the copy from the slowest to the fastest. By
    default they are as in `source`; but where a loop of each thread goes along one
    of them, and elements are read eight times or more, that is the fastest, so that
    16 bytes are read at once. `pad(n)` leaves n elements free after each row;
    without it rows of even length that threads read across get one, and rows that
    are read by 16 bytes begin at odd multiples of these, so that columns are in
    different banks (as `cache_shared` of Tiramisu does when it is asked to).

    Example: test/Docs/op-cache.mlir.
  }];
  let arguments = (ins AnyMemRef:$source,
                       OptionalAttr<DenseI64ArrayAttr>:$order,
                       OptionalAttr<I64Attr>:$pad);
  let assemblyFormat = [{
    $source (`order` $order^)? (`pad` `(` $pad^ `)`)? attr-dict `:` type($source)
  }];
  let hasVerifier = 1;
}

#endif // TC_IR_VIEWOPS_TD
