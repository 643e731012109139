//===- LowerMma.h - Contractions to tensor instructions ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tensor instruction takes are registers: of several narrow elements, or
// of an element in another type. A product of f32 may be three instructions,
// and one of complex numbers is four.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_MICROKERNEL_LOWERMMA_H
#define TC_LIB_TRANSFORMS_MICROKERNEL_LOWERMMA_H

#include "tc/IR/Factors.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mlir::tc {

/// Emits before `op`, a contraction of a warp as tc-tile makes it, the same in
/// a tc.par warp over its lanes: loads of fragments, and the instructions of
/// its schedule's unit, if `machine` has it. Reports at `op` what does not fit
/// these.
LogicalResult lowerMma(OpBuilder &builder, ContractOp op, MachineAttr machine);

/// An element that has been loaded, maybe as part of a vector.
struct MmaElement {
  Value source;
  int64_t place;
};

/// What one instruction takes of an input, register by register: for each
/// component of its elements, and each of the parts that these consist of, the
/// largest one first.
using MmaFragment = SmallVector<SmallVector<Value>, 3>;

/// Emits the instructions of a contraction of a warp.
class MmaProduct {
public:
  MmaProduct(OpBuilder &builder, ContractOp op, const Factors &factors,
             MachineAttr machine);

  /// The element alone.
  Value extract(const MmaElement &element);
  /// The register of a fragment with these elements; or several, with their
  /// components, and parts that add up to these.
  SmallVector<Value, 3> pack(ArrayRef<MmaElement> elements);
  /// Gives a fragment the components that a second factor has beside its own.
  void completeSecond(MmaFragment &fragment);
  /// Keeps LLVM from loading before a branch what both sides of it load, for
  /// which there would not be enough registers.
  void keepLoadsBelow();
  /// The products of each of `a` with its `b`, with all their parts, added to
  /// `sums`, if `isInside` is null or true: where a product is several
  /// instructions, to zero before.
  SmallVector<Value> multiply(ArrayRef<MmaFragment> a, ArrayRef<MmaFragment> b,
                              ArrayRef<Value> sums, Value isInside);
  bool isSeveral() const { return decomposition.isSeveral(); }

private:
  Value constant(float value);
  Value bits(uint32_t value);
  Value join(ArrayRef<MmaElement> elements);
  Value bound(Value number);
  Value roundPair(ArrayRef<Value> numbers, NVVM::SaturationMode saturation);
  Value round(ArrayRef<Value> numbers);
  Value roundFinite(ArrayRef<Value> numbers);
  Value widen(Value part, size_t place);
  SmallVector<Value, 3> split(SmallVector<Value> numbers);
  SmallVector<Value, 3> packReal(ArrayRef<MmaElement> elements);
  Value getComponent(Value number, unsigned component);
  Value negate(Value part);
  Value dropInfinity(Value sum);
  SmallVector<Value> issue(ArrayRef<Value> a, ArrayRef<Value> b,
                           ArrayRef<Value> sums);
  SmallVector<Value> multiply(const MmaFragment &a, const MmaFragment &b,
                              ArrayRef<PartPair> parts,
                              ArrayRef<PartPair> factors, ArrayRef<Value> sums);
  SmallVector<Value> multiply(ArrayRef<MmaFragment> a, ArrayRef<MmaFragment> b,
                              ArrayRef<PartPair> factors, ArrayRef<Value> sums);
  SmallVector<Value> multiply(ArrayRef<MmaFragment> a, ArrayRef<MmaFragment> b,
                              ArrayRef<Value> sums);

  OpBuilder &builder;
  Location loc;
  MmaAttr unit;
  std::string intrinsic;
  MachineAttr machine;
  const Decomposition &decomposition;
  const Components &components;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_MICROKERNEL_LOWERMMA_H
