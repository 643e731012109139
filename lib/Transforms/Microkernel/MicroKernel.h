//===- MicroKernel.h - The scalar code of one thread ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_MICROKERNEL_MICROKERNEL_H
#define TC_LIB_TRANSFORMS_MICROKERNEL_MICROKERNEL_H

#include "tc/IR/TC.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::tc {

/// Emits the scalar code of one contraction.
class MicroKernel {
public:
  MicroKernel(OpBuilder &builder, ContractOp op)
      : builder(builder), op(op), loc(op.getLoc()), maps(op.getMaps()),
        vectors(op.getVectorIterators()), extents(op.getMixedExtents()),
        point(op.getNumIterators()) {}
  LogicalResult emit();

private:
  /// Which iterators are unrolled, and in which order.
  void sortIterators();
  /// The largest extent of iterator `i`, if one is known: that of an operand.
  std::optional<int64_t> findBound(unsigned i);
  LogicalResult findBounds();
  void sortUnrolledSteps();
  /// Calls `body` at each result, the `depth`-th result iterator outermost;
  /// guarded where the extent is dynamic, unless results beyond it may be
  /// computed.
  void forEachResult(size_t depth, function_ref<void()> body);
  /// The dynamic extent that a result has to be within along `i`, if there is
  /// one.
  Value findGuard(unsigned i);
  /// Calls `body` in a loop over each contracted iterator that is not unrolled,
  /// and at each point of those that are. Where the last step may be shorter,
  /// the others have loops of their own, with constant trip counts: a branch
  /// out of each unrolled iteration keeps ptxas from having values of several
  /// under way.
  void forEachStep(function_ref<void()> body);
  /// The extents of a whole step, if they are known and it may be shorter; and
  /// whether it is whole.
  std::optional<SmallVector<OpFoldResult>> findWholeExtents();
  Value buildIsWhole(ArrayRef<OpFoldResult> whole);
  /// The loops, which LLVM is told to unroll by `counts`.
  void buildSteps(SmallVector<int64_t> counts, function_ref<void()> body);
  void forEachUnrolledStep(size_t depth, function_ref<void()> body);
  SmallVector<int64_t> getUnrollCounts();

  /// Do the results themselves serve as accumulators?
  bool accumulatesInPlace();
  void buildAccumulators();
  void startAccumulators();
  void accumulate();
  void finish(ValueRange values);

  /// The number of the first result among the operands, behind the sides.
  unsigned firstOutput() { return maps.size() - op.getOutputs().size(); }
  std::optional<unsigned> findVectorAtPoint(unsigned operand);
  llvm::MaybeAlign findAlignment(Value memref, std::optional<unsigned> i);
  /// Where the code being emitted is along the unrolled iterators that `map`
  /// varies with, but for `without`.
  ArrayAttr getPosition(AffineMap map, std::optional<unsigned> without);
  SmallVector<Value> getVectorIndices(Value memref, AffineMap map, unsigned i);
  /// Of an operand, by its number among the shaped ones.
  Value loadElement(unsigned operand);
  void storeElement(Value element, unsigned operand);
  SmallVector<Value> loadInputs();
  SmallVector<Value> loadOld();
  SmallVector<Value> loadAccumulators();
  void storeAccumulators(ValueRange values);
  /// Can accumulators be held from one unrolled step to the next? Where a guard
  /// skips results they would have to be what it yields.
  bool holdsAccumulators();
  void storeHeld();
  /// Where `map` is in `memref` at the point; or, for one beyond the extents,
  /// at the last one within.
  SmallVector<Value> getIndices(Value memref, AffineMap map);
  /// `index` as a value. A constant stands once before all that is emitted, or
  /// constants would be most of the ops.
  Value getIndex(OpFoldResult index);

  OpBuilder &builder;
  ContractOp op;
  Location loc;
  /// By operand: its subscripts, and the iterator of its vectors.
  SmallVector<AffineMap> maps;
  SmallVector<std::optional<unsigned>> vectors;
  SmallVector<OpFoldResult> extents;
  /// Contracted iterators in loops, and those unrolled inside of these.
  SmallVector<unsigned> results, looped, unrolledSteps;
  SmallVector<int64_t> bounds;
  /// Where terms are gathered, and the subscripts of each.
  SmallVector<Value> accumulators;
  SmallVector<AffineMap> accumulatorMaps;
  /// Where the code being emitted is in the iteration space.
  SmallVector<OpFoldResult> point;
  /// What has been loaded of a memref and may serve again, by the position:
  /// elements, or the vectors they are of. What a guard scopes is forgotten
  /// after it.
  DenseMap<std::pair<Value, ArrayAttr>, Value> loaded;
  /// Accumulators of the unrolled steps, by their position: the value, and
  /// where it is to be stored after the last of these. Far fewer ops for every
  /// later pass than a load and a store for each term.
  struct HeldAccumulator {
    Value value;
    SmallVector<Value> indices;
  };
  llvm::MapVector<std::pair<Value, ArrayAttr>, HeldAccumulator> held;
  DenseMap<int64_t, Value> constants; ///< of `getIndex`
  /// Elements of a vector that is still to be stored, by its position.
  DenseMap<std::pair<Value, ArrayAttr>, SmallVector<Value>> toStore;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_MICROKERNEL_MICROKERNEL_H
