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
    For every point `r` of the result space:

    ```
    acc = neutral
    for every point p of the iteration space above r:
      acc = combine(acc, map(in_0[in_map_0(p)], ...))
    acc = combine(out[out_map(r)], acc)             // unless `overwrite`
    out[out_map(r)] = epilogue(acc, side_0[side_map_0(r)], ...)
    ```

    An iterator that the result varies with is a *result* iterator; the others
    are *contracted*. Which operands vary with an iterator is its class: batch,
    row, column, contracted, summed in one operand, broadcast. All are corners
    of one table and none is special.

    Each subscript is a linear expression of the iterators with constant
    coefficients: permutations, diagonals `[i, i]`, windows `[2 * i + w]` and
    reversals `[15 - i]` are all legal for inputs. The subscripts of results
    must be injective, those of `sides` vary with result iterators alone. A side
    may be the result itself: its old element is read before it is written.

    Regions, all on scalars:

    - `map` takes an element of each input and yields the values to accumulate.
      Without it the inputs, of which there is one at least, are converted to
      the accumulator's type and multiplied (of i1: `and`). Where it yields the
      product of a function of each of two inputs, that is added without
      rounding before (a fused multiply-add), as without a map.
    - `combine` takes the accumulators and what map yields, and yields the new
      accumulators. Without it they are added (of i1: `or`). A region comes
      with `neutral`, one value for each accumulator, from which accumulation
      starts. Only a region that says `associative` is regrouped, and only one
      that says `commutative` too is reordered; others run over the contracted
      points in lexicographic order, starting from the old result where it is
      not overwritten.
    - `epilogue` takes the accumulators and an element of each side, and yields
      an element for each result. Without it each accumulator is converted to
      the element type of its result.

    The accumulator's type is what map yields. Without a map it is
    `accumulator`, by default the result's element type, but f32 for floats of
    16 and 8 bits, and i32 for i8 and i16. What is rounded to f8E4M3FN or
    f8E5M2 becomes the nearest finite number: larger ones, and infinities, the
    largest. NaN stays NaN.

    `precision` is a permission, for sums of products of f32, or of complex
    numbers of it: with `tf32` or `bf16` factors, or their components, may be
    rounded to that type (11 or 8 bits of significand) before they are
    multiplied. With `tf32x3` and `bf16x3` a product may be three of such numbers,
    and off by up to 2^-21 and 2^-15 of it; with `bf16x6` it may be six, and off
    by up to 2^-24, and with `bf16x9` nine, which is exact. Without it, or with
    `ieee`, products are of f32.

    The op is in destination style: on tensors it returns the new results, on
    memrefs it writes in place.

    Example: test/Docs/op-contract.mlir.
  }];

  let arguments = (ins Variadic<Index>:$extents,
                       Variadic<TC_TensorOrMemRef>:$inputs,
                       Variadic<TC_TensorOrMemRef>:$sides,
                       Variadic<TC_TensorOrMemRef>:$outputs,
                       StrArrayAttr:$iterators,
                       DenseI64ArrayAttr:$static_extents,
                       AffineMapArrayAttr:$indexing_maps,
                       UnitAttr:$overwrite,
                       OptionalAttr<TypeAttr>:$accumulator,
                       OptionalAttr<TC_PrecisionAttr>:$precision,
                       OptionalAttr<ArrayAttr>:$neutral,
                       UnitAttr:$associative, UnitAttr:$commutative,
                       OptionalAttr<TC_ScheduleAttr>:$schedule);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region MaxSizedRegion<1>:$map, MaxSizedRegion<1>:$combine,
                        MaxSizedRegion<1>:$epilogue);
  let assemblyFormat = [{
    custom<Contraction>($iterators, $extents, $static_extents,
                        $inputs, type($inputs), $sides, type($sides),
                        $outputs, type($outputs), $indexing_maps)
    (`overwrite` $overwrite^)? (`accumulate` `(` $accumulator^ `)`)?
    (`precision` `` custom<Precision>($precision)^)?
    (`neutral` `` custom<Neutral>($neutral)^)? attr-dict
    (`map` custom<ScalarRegion>($map)^)?
    (`combine` (`associative` $associative^)? (`commutative` $commutative^)?
     custom<ScalarRegion>($combine)^)?
    (`epilogue` custom<ScalarRegion>($epilogue)^)?
    (`->` custom<ResultTypes>(type($results))^)?
  }];
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
                   CArg<"ScheduleAttr", "{}">:$schedule)>,
    /// The same with sides and any number of results; the order of `maps` is
    /// inputs, sides, results.
    OpBuilder<(ins "ArrayRef<StringRef>":$iterators,
                   "ArrayRef<OpFoldResult>":$extents,
                   "ValueRange":$inputs, "ValueRange":$sides,
                   "ValueRange":$outputs, "ArrayRef<AffineMap>":$maps,
                   "bool":$overwrite, CArg<"ScheduleAttr", "{}">:$schedule)>,
    OpBuilder<(ins "ArrayRef<StringRef>":$iterators,
                   "ArrayRef<OpFoldResult>":$extents,
                   "const ContractArrays &":$arrays,
                   "bool":$overwrite, CArg<"ScheduleAttr", "{}">:$schedule)>
  ];

  let extraClassDeclaration = [{
    /// Is it what the threads of a warp compute together, with a tensor
    /// instruction?
    bool isOfWarp() {
      ScheduleAttr schedule = getScheduleAttr();
      return schedule && schedule.getUnit() && schedule.getThread().empty();
    }
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

    /// All tensors or memrefs: inputs, sides, results; and their subscripts.
    OperandRange getShapedOperands() {
      return (*this)->getOperands().drop_front(getExtents().size());
    }
    SmallVector<AffineMap> getMaps();
    ContractArrays getArrays();
    /// The subscripts of input, side or result `i`.
    AffineMap getInputMap(unsigned i);
    AffineMap getSideMap(unsigned i);
    AffineMap getOutputMap(unsigned i = 0);
    /// Result operand `i`.
    Value getOutput(unsigned i = 0) { return getOutputs()[i]; }
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

    /// The iterator along the last dimension of each shaped operand, where
    /// one access can move that dimension whole as far as the shape goes: it is
    /// dense, no other one varies with the iterator, the extent is static, and
    /// it has 2 to kMaxAccessBytes bytes, a power of two.
    SmallVector<std::optional<unsigned>> findRowIterators();
    /// The same, of the operands whose rows are known to lie at multiples of
    /// their size: `tc.vectors` has their numbers.
    SmallVector<std::optional<unsigned>> getVectorIterators();

    /// Type of one element of result `i`.
    Type getElementType(unsigned i = 0) {
      return cast<ShapedType>(getOutput(i).getType()).getElementType();
    }
    bool hasTensorSemantics() { return isa<TensorType>(getOutput().getType()); }
    /// No map and combine regions: products of the inputs, added.
    bool isMultiplyAdd() { return getMap().empty() && getCombine().empty(); }
    /// Products of f32, or of complex numbers of it, added as such: they alone
    /// have a choice of precision. The factors may be functions of an input
    /// each (see Factors).
    bool areProductsOfF32();
    /// With which products of f32 may be computed.
    Precision getProductPrecision() {
      return getPrecision().value_or(Precision::IEEE);
    }
    /// May terms be grouped, and taken in another order?
    bool mayRegroup() { return getCombine().empty() || getAssociative(); }
    bool mayReorder() {
      return getCombine().empty() || (getAssociative() && getCommutative());
    }
    /// The type of each accumulator.
    SmallVector<Type> getAccumulatorTypes();
    /// Where accumulation starts: as given, or zero for addition.
    SmallVector<TypedAttr> getNeutralElements();

    /// Emits map(inputs): the values to accumulate.
    SmallVector<Value> buildMap(OpBuilder &builder, Location loc,
                                ValueRange inputs);
    /// Emits combine(accumulators, values).
    SmallVector<Value> buildCombine(OpBuilder &builder, Location loc,
                                    ValueRange accumulators, ValueRange values);
    /// Emits epilogue(accumulators, sides): an element of each result.
    SmallVector<Value> buildEpilogue(OpBuilder &builder, Location loc,
                                     ValueRange accumulators, ValueRange sides);
    /// Emits the neutral elements as constants.
    SmallVector<Value> buildNeutral(OpBuilder &builder, Location loc);
    /// Emits old elements of the results as accumulators.
    SmallVector<Value> buildOld(OpBuilder &builder, Location loc,
                                ValueRange elements);

    /// A copy, regions included, with other extents, operands and maps; the
    /// operands are inputs, sides and results, as many of each as here.
    ContractOp cloneWith(OpBuilder &builder, ArrayRef<OpFoldResult> extents,
                         ValueRange operands, ArrayRef<AffineMap> maps);
    /// Takes over what does not depend on iterators and operands: regions,
    /// neutral elements, accumulator, precision, discardable attributes. `from`
    /// is left
    /// without regions.
    void takeMeaning(ContractOp from);

    // DestinationStyleOpInterface
    MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
  }];
}

def TC_SumOp : Op<TC_Dialect, "sum", [
    NoTerminator, NoRegionArguments, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "several contractions into one result";
  let description = [{
    The contractions of the region, which add into one result, as one: the
    result is written once, when all terms are there. The result iterators of
    all have the same names, extents and subscripts; what is contracted is each
    one's own. All but the first add to what is there, so only the first may
    say `overwrite`, and only the last may have an epilogue. Accumulators are
    of one type, and terms may be reordered.

    It is on memrefs: `tc-join-sums` makes it of contractions that follow one
    another.

    Example: test/Docs/op-sum.mlir.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$body attr-dict";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The contractions, first to last.
    SmallVector<ContractOp> getTerms() {
      return llvm::to_vector(getBody().front().getOps<ContractOp>());
    }
  }];
}

#endif // TC_IR_CONTRACTOP_TD
