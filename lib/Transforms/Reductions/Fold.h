//===- Fold.h - A tc.reduce or tc.scan that is being lowered ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the lowerings of the two ops share. An index space is cut into tiles and
// chunks as the range of the positions of its indices.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_REDUCTIONS_FOLD_H
#define TC_LIB_TRANSFORMS_REDUCTIONS_FOLD_H

#include "Nests/IndexPositions.h"

#include "tc/IR/TC.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// The parts of a tc.reduce or tc.scan, emitted at the insertion point of the
/// builder.
class Fold {
public:
  template <typename FoldOp>
  Fold(OpBuilder &builder, FoldOp op)
      : builder(builder), loc(op.getLoc()), inits(op.getInits()),
        mapRegion(op.getMap()), combineRegion(op.getCombine()),
        positions(op.getBounds()) {}

  OpBuilder &builder;
  Location loc;
  SmallVector<Value> inits;

  /// Emits how many terms there are, which what follows needs: once, where it
  /// dominates all of the lowering.
  OpFoldResult count() {
    IndexBuilder here = math();
    return positions.count(here);
  }
  /// The indices of the term at `position`.
  SmallVector<Value> indicesAt(Value position) {
    IndexBuilder here = math();
    return positions.indicesAt(here, position);
  }
  /// The term at `position`.
  SmallVector<Value> map(Value position) {
    return copyRegion(builder, mapRegion, indicesAt(position));
  }
  SmallVector<Value> combine(ValueRange before, ValueRange after);
  /// `condition ? a : b`, value by value.
  SmallVector<Value> select(Value condition, ValueRange a, ValueRange b);
  /// f(value), in affine arithmetic.
  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> values);
  OpFoldResult multiply(OpFoldResult a, OpFoldResult b) {
    IndexBuilder here = math();
    return multiplyCounts(here, a, b);
  }
  Value asValue(OpFoldResult value) { return math().get(value); }
  AffineExpr dim(unsigned d) { return builder.getAffineDimExpr(d); }
  /// Arithmetic at the insertion point.
  IndexBuilder math() { return IndexBuilder(loc, builder); }

private:
  Region &mapRegion, &combineRegion;
  IndexPositions positions;
};

/// Buffers for the values of a fold.
class FoldBuffers {
public:
  /// `size` elements of memory of the team for each value. Two values of a type
  /// are neighbours, which one access is for. If `isPadded`, a bank
  /// is left out behind each row of banks.
  static FoldBuffers createShared(Fold &fold, int64_t size,
                                  bool isPadded = false);
  /// As many elements of global memory, which the function allocates.
  static FoldBuffers createGlobal(Fold &fold, OpFoldResult size);
  void dealloc();

  SmallVector<Value> load(OpFoldResult index);
  void store(ValueRange values, OpFoldResult index);

private:
  /// Memory for a value, or for two as a vector.
  struct Buffer {
    Value memory;
    VectorType pair = {};     ///< null for one value
    int64_t row = 0, pad = 0; ///< elements; 0 without pads
  };

  explicit FoldBuffers(Fold &fold) : fold(fold) {}
  Value placeOf(const Buffer &buffer, OpFoldResult index);

  Fold &fold;
  SmallVector<Buffer> buffers;
};

/// Copies what `par` computes beside its reduction to the insertion point, for
/// the iteration of `indices`; what became of which value.
IRMapping copyArithmetic(OpBuilder &builder, ParOp par, ValueRange indices);
/// Has `root`, and what is inside of it, use what its operands became.
void useCopies(Operation *root, const IRMapping &copies);

/// Bytes that a value of `type` takes in a buffer; 0 of what none can hold.
int64_t getBufferBytes(Type type);

/// Replaces a reduction by the loop of one thread.
void lowerToThread(RewriterBase &rewriter, ReduceOp op);
void lowerToThread(RewriterBase &rewriter, ScanOp op);

/// Replaces a reduction by nests of the threads of a team: of level block,
/// warpgroup or warp. It has at most `most` terms where that is known.
void lowerToTeam(RewriterBase &rewriter, ReduceOp op, Level level,
                 std::optional<int64_t> most = std::nullopt);
void lowerToTeam(RewriterBase &rewriter, ScanOp op, Level level,
                 std::optional<int64_t> most = std::nullopt);

/// A reduction of the threads of a block, and how many terms it has at most,
/// where that is known.
struct BlockFold {
  Operation *op;
  std::optional<int64_t> most;
};

/// Replaces a reduction by kernels for all blocks, each with a reduction of the
/// threads of a block in it; returns these.
SmallVector<BlockFold> lowerToDevice(RewriterBase &rewriter, ReduceOp op,
                                     ParOp segments, MachineAttr machine);
SmallVector<BlockFold> lowerToDevice(RewriterBase &rewriter, ScanOp op,
                                     ParOp segments, MachineAttr machine);

/// Rows that a block has at once if each is of a thread.
inline constexpr int64_t kRowsOfTile = 128;

/// Replaces a reduction of the threads of a block, and the tc.par of the block
/// that it is alone in: each iteration is of a thread.
void lowerToRows(RewriterBase &rewriter, ReduceOp op, ParOp rows);
void lowerToRows(RewriterBase &rewriter, ScanOp op, ParOp rows);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_REDUCTIONS_FOLD_H
