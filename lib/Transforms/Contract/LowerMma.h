//===- LowerMma.h - Contractions to tensor instructions ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tensor instruction takes are registers: of several narrow elements, or
// of an element in another type. A product of f32 may be three instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_LOWERMMA_H
#define TC_LIB_TRANSFORMS_CONTRACT_LOWERMMA_H

#include "tc/IR/TC.h"

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

/// What one instruction takes of an input, register by register: for each of
/// the parts that its elements consist of, the larger one first.
using MmaFragment = SmallVector<SmallVector<Value>, 2>;

/// Emits the instructions of a contraction of a warp.
class MmaProduct {
public:
  MmaProduct(OpBuilder &builder, ContractOp op);

  /// The register of a fragment with these elements; or two, with the parts of
  /// an element that add up to it.
  SmallVector<Value, 2> pack(ArrayRef<MmaElement> elements);
  /// The products of `a` and `b`, with all their parts, added to `sums`.
  SmallVector<Value> multiply(const MmaFragment &a, const MmaFragment &b,
                              ArrayRef<Value> sums);

private:
  Value join(ArrayRef<MmaElement> elements);
  Value roundToTf32(Value number);
  SmallVector<Value, 2> split(Value number);
  SmallVector<Value> issue(ArrayRef<Value> a, ArrayRef<Value> b,
                           ArrayRef<Value> sums);

  OpBuilder &builder;
  Location loc;
  MmaAttr unit;
  Precision precision;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_LOWERMMA_H
