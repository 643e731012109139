//===- Tiler.h - The nest of one contraction while it is built --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The nest, for result iterators a, b and a contracted iterator q:
//
//   tc.par grid (%a, %b) step (block of a, block of b)
//     %acc = tc.new init(neutral)        : threads x results of a thread
//     tc.seq (%q) step (step of q)
//       %x = tc.view %X ...              : block tile, what is inside of it
//       tc.par block (%ta, %tb)
//         tc.contract (results of a thread) ins(views of %x, %y) outs(%acc)
//     tc.par block (%ta, %tb)
//       tc.contract ins(view of %acc) outs(view of %Z)
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_TILER_H
#define TC_LIB_TRANSFORMS_TILER_H

#include "tc/Analysis/Access.h"
#include "tc/Analysis/Tiles.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// Builds the nest of one contraction.
class Tiler {
public:
  Tiler(RewriterBase &rewriter, ContractOp op, ContractAccess access)
      : builder(rewriter), op(op), loc(op.getLoc()),
        schedule(op.getScheduleAttr()), access(std::move(access)),
        origin(op.getNumIterators(), builder.getIndexAttr(0)),
        inside(op.getNumIterators()), thread(op.getNumIterators()) {
    splitIterators();
  }
  void run();

private:
  void splitIterators();
  /// Creates the accumulator of a block, thread dimensions first.
  void buildAccumulator();
  /// One step: views of the block tiles, and the threads' contractions.
  void buildStep();
  void buildRegisterTile(ArrayRef<Value> blockTiles);
  void buildWriteBack();
  /// Calls `body` in a tc.par block, with `thread` set.
  void buildThreads(function_ref<void()> body);

  /// The block tile of input `i`, and its dimensions.
  Value buildBlockTile(unsigned i);
  /// What one thread reads of a block tile.
  Value buildThreadTile(Value blockTile, unsigned i);
  Value buildAccumulatorTile();
  Value buildResultTile();

  /// Results of the thread along `i` that are inside.
  OpFoldResult buildThreadCount(unsigned i);
  bool isTiled(unsigned i) { return getTileFactor(op, schedule, i) > 1; }
  int64_t getThread(unsigned i) { return schedule.getThread(name(i)); }
  int64_t getRegister(unsigned i) { return schedule.getRegister(name(i)); }
  StringRef name(unsigned i) { return op.getIterator(i); }
  AffineMap getMap(ArrayRef<unsigned> dims, ArrayRef<unsigned> iterators);
  /// A contraction over `iterators`, with this op's regions.
  ContractOp buildContract(ArrayRef<unsigned> iterators, ValueRange inputs,
                           Value output, ArrayRef<AffineMap> maps,
                           bool overwrite);

  RewriterBase &builder;
  ContractOp op;
  Location loc;
  ScheduleAttr schedule;
  ContractAccess access;

  /// All result and contracted iterators; those whose tile is above 1, result
  /// iterators in the order of the thread number, the fastest last.
  SmallVector<unsigned> results, steps, tiledResults, tiledSteps;
  SmallVector<unsigned> tileOrder(unsigned input) {
    return getTileOrder(op, schedule, access.inputs[input].strides);
  }

  /// Per iterator: where the block tile begins, how much of it is inside, and
  /// the thread's number.
  SmallVector<OpFoldResult> origin, inside, thread;
  Value accumulator;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_TILER_H
