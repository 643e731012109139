//===- ContractOp.td - tc.contract -------------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_CONTRACTOP_TD
#define TC_IR_CONTRACTOP_TD

include "tc/IR/TCAttrs.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TC_TensorOrMemRef : AnyTypeOf<[AnyTensor, AnyRankedOrUnrankedMemRef]>;

def TC_ContractOp : Op<TC_Dialect, "contract", [
    AttrSizedOperandSegments, DestinationStyleOpInterface,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "a contraction of any operands over one iteration space";
  let description = [{
    For every point of the iteration space, in any order:

    ```
    out[out_map(p)] = combine(out[out_map(p)], map(in_0[map_0(p)], ...))
    ```

    An iterator that the result varies with is a *result* iterator; the others
    are *contracted*. Which operands vary with an iterator is its class: batch,
    row, column, contracted, summed in one operand, broadcast. All are corners
    of one table and none is special.

    Each subscript is a linear expression of the iterators with constant
    coefficients: permutations, diagonals `[i, i]`, windows `[2 * i + w]` and
    reversals `[15 - i]` are all legal for inputs. The result's subscripts must
    be injective.

    Without a `map` region the inputs are multiplied; without a `combine` region
    the products are added. A `combine` region comes with its neutral element
    and must be associative and commutative. With `overwrite` the old contents
    of the result are not read: the contraction starts from the neutral element.

    The op is in destination style: on tensors it returns the new result, on
    memrefs it writes in place.

    Example: test/Docs/op-contract.mlir.
  }];

  let arguments = (ins Variadic<Index>:$extents,
                       Variadic<TC_TensorOrMemRef>:$inputs,
                       TC_TensorOrMemRef:$output,
                       StrArrayAttr:$iterators,
                       DenseI64ArrayAttr:$static_extents,
                       AffineMapArrayAttr:$indexing_maps,
                       UnitAttr:$overwrite,
                       OptionalAttr<TypedAttrInterface>:$neutral,
                       OptionalAttr<TC_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$map, MaxSizedRegion<1>:$combine);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizer = 1;
  let skipDefaultBuilders = 1;

  let builders = [
    /// A contraction with default regions. `extents` are constants or index
    /// values, one for each name; `maps` has one entry per input, then the
    /// result's. Returns a result when `output` is a tensor.
    OpBuilder<(ins "ArrayRef<StringRef>":$iterators,
                   "ArrayRef<OpFoldResult>":$extents,
                   "ValueRange":$inputs, "Value":$output,
                   "ArrayRef<AffineMap>":$maps, CArg<"bool", "false">:$overwrite,
                   CArg<"ScheduleAttr", "{}">:$schedule)>
  ];

  let extraClassDeclaration = [{
    /// Number of iterators.
    unsigned getNumIterators() { return getIterators().size(); }
    /// Name of iterator `i`.
    StringRef getIterator(unsigned i) {
      return cast<StringAttr>(getIterators()[i]).getValue();
    }
    /// The number of the iterator of that name, if there is one.
    std::optional<unsigned> findIterator(StringRef name);
    /// Extent of each iterator: a constant or an index value.
    SmallVector<OpFoldResult> getMixedExtents();
    /// True when no extent is given at run time.
    bool hasStaticExtents() { return getExtents().empty(); }
    /// The subscripts of input `i`, and of the result.
    AffineMap getInputMap(unsigned i);
    AffineMap getOutputMap();
    /// Does operand `map` vary with iterator `i`?
    static bool variesWith(AffineMap map, unsigned i) {
      return map.isFunctionOfDim(i);
    }
    /// Is each subscript a sum of iterators times constants, plus a constant?
    static bool isLinear(AffineMap map);
    /// Does each iterator that `map` varies with stand alone in one subscript?
    /// Then no two points of the result space reach one element.
    static bool isInjective(AffineMap map);
    /// Is iterator `i` contracted, that is, the result does not vary with it?
    bool isContracted(unsigned i) { return !variesWith(getOutputMap(), i); }
    /// Type of one element of the result.
    Type getElementType() {
      return cast<ShapedType>(getOutput().getType()).getElementType();
    }
    bool hasTensorSemantics() { return isa<TensorType>(getOutput().getType()); }
    /// No region: products of the inputs, added.
    bool isMultiplyAdd() { return getMap().empty() && getCombine().empty(); }
    /// The neutral element of combine: as given, or zero for addition.
    TypedAttr getNeutralElement();
    /// Emits map(inputs) on scalars, and combine(acc, value).
    Value buildMap(OpBuilder &builder, Location loc, ValueRange inputs);
    Value buildCombine(OpBuilder &builder, Location loc, Value acc, Value value);

    /// A copy, regions included, with other extents, operands and maps.
    ContractOp cloneWith(OpBuilder &builder, ArrayRef<OpFoldResult> extents,
                         ValueRange inputs, Value output,
                         ArrayRef<AffineMap> maps);

    // DestinationStyleOpInterface
    MutableOperandRange getDpsInitsMutable() { return getOutputMutable(); }
  }];
}

#endif // TC_IR_CONTRACTOP_TD
