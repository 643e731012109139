//===- NestStorageOps.td - Where values lie, as scripts -- -*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMOPS_NESTSTORAGEOPS_TD
#define TC_TRANSFORMOPS_NESTSTORAGEOPS_TD

include "tc/TransformOps/StepOp.td"

def TC_CacheStepOp : Op<Transform_Dialect, "tc.cache", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TransformOpInterface>,
    ReportTrackingListenerFailuresOpTrait]> {
  let summary = "reads of a nest from a copy in shared memory";
  let description = [{
    Writes a `tc.cache` of the buffer that each `load` reads at the start of `nest`, one
    nest round them all: Tiramisu's `cache_shared`. `tc-cache` finds the part that is read
    and how it lies; `order` and `pad` are those of `tc.cache`. In a `tc.seq` with stages
    (`pipeline`) the copies run ahead.

    Example: test/Docs/step-cache.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$load,
                       TransformHandleTypeInterface:$nest,
                       OptionalAttr<DenseI64ArrayAttr>:$order,
                       OptionalAttr<I64Attr>:$pad);
  let assemblyFormat = [{
    $load `in` $nest (`order` `=` $order^)? (`pad` `=` $pad^)? attr-dict
    `:` type($load) `,` type($nest)
  }];
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

def TC_ComputeAtStepOp : TC_RewriteOp<"compute_at"> {
  let summary = "values where they are needed";
  let description = [{
    Each iteration of the nest `consumer` computes, at its start, what it reads of the
    buffer that `producer` makes: the result is the nest over that box. The box is derived
    from the subscripts of the loads, as that of `tc.cache` is, and lies in a `tc.new` of
    the iteration. Boxes may overlap; elements in several are computed several times. The
    producer goes where nobody else reads its buffer.

    The producer is a `tc.par` that writes one `tc.new`, each iteration the element at its
    indices or a constant apart from them. Nobody may write what the producer reads between
    it and the end of the consumer.

    Example: test/Docs/step-compute-at.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$producer,
                       TransformHandleTypeInterface:$consumer);
  let results = (outs TransformHandleTypeInterface:$computed);
  let assemblyFormat = [{
    $producer `in` $consumer attr-dict `:` functional-type(operands, results)
  }];
}

def TC_StoreInStepOp : TC_RewriteOp<"store_in"> {
  let summary = "elements of a buffer in other places";
  let description = [{
    The elements of each `buffer`, a `tc.new`, are stored at the subscripts that `layout`
    makes of theirs, in a buffer that is as large as these need, or in another buffer of the
    program. A layout may be a permutation, or fold: `(i, j) -> (i mod 2, j)` keeps two
    rows. `threads` is that of `tc.new`: the first dimensions of a new buffer number threads,
    and the rest may be in registers. `discard` says that the program is not interested in what the other buffer holds
    before, where it does not write it, as of a buffer for results.

    Elements may have one place where no value is lost: none is written between a write of
    another one and a read of it. The iterations of a `tc.par` may run in any order.

    Example: test/Docs/step-store-in.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$buffer,
                       Optional<TransformValueHandleTypeInterface>:$other,
                       OptionalAttr<AffineMapAttr>:$layout,
                       DefaultValuedAttr<I64Attr, "0">:$threads, UnitAttr:$discard);
  let assemblyFormat = [{
    $buffer (`in` $other^ (`discard` $discard^)?)? (`layout` `=` $layout^)?
    (`threads` `=` $threads^)? attr-dict `:` type(operands)
  }];
  let hasVerifier = 1;
}

def TC_StoreAtStepOp : TC_RewriteOp<"store_at"> {
  let summary = "a buffer for each iteration";
  let description = [{
    Each iteration of `nest` gets a buffer, the result, for the box that it uses of
    `buffer`, a `tc.new` that nothing else uses; it is derived as by `compute_at`. An
    iteration of a `tc.seq` may not read what an earlier one wrote.

    Example: test/Docs/step-store-at.mlir.
  }];
  let arguments = (ins TransformHandleTypeInterface:$buffer,
                       TransformHandleTypeInterface:$nest);
  let results = (outs TransformHandleTypeInterface:$part);
  let assemblyFormat = [{
    $buffer `in` $nest attr-dict `:` functional-type(operands, results)
  }];
}

#endif // TC_TRANSFORMOPS_NESTSTORAGEOPS_TD
