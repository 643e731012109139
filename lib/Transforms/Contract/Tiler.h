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
//     tc.seq (%q) step (step of q)       : one for each summand
//       %x = tc.view %X ...              : block tile, what is inside of it
//       tc.par block (%ta, %tb)
//         tc.contract (results of a thread) ins(views of %x, %y) outs(%acc)
//     tc.par block (%ta, %tb)
//       tc.contract ins(view of %acc) sides(...) outs(view of %Z)
//
// Where warps compute with tensor instructions (TilerMma.cpp), the inner tc.par
// is over warps, and the contraction is a warp's.
//
// Where threads share a result, each of them has a part of q, and what they
// have gathered is combined before it is written; see TilerCombine.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_TILER_H
#define TC_LIB_TRANSFORMS_CONTRACT_TILER_H

#include "Contract/StrideTable.h"

#include "tc/Analysis/Staging.h"
#include "tc/Analysis/Tiles.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// Builds the nest of one contraction, or of several that are added into the
/// same results.
class Tiler {
public:
  /// Scheduled, normal contractions with result iterators of the same names in
  /// the same order, and the same threads and registers for them; contracted
  /// iterators have the same threads by their places in the lists.
  Tiler(RewriterBase &rewriter, ArrayRef<ContractOp> ops,
        ArrayRef<StrideTable> tables);
  /// Returns the nest of all blocks.
  ParOp run();

private:
  /// One of the contractions, and where the code being built is in its space.
  struct Summand {
    ContractOp op;
    StrideTable table;
    /// What fills the tiles of inputs that stick out.
    Pads pads;
    /// The numbers of the result and the contracted iterators; of the latter,
    /// those with steps above 1.
    SmallVector<unsigned> results, steps, tiledSteps;
    /// The iterators of the dimensions of a tc.par block, in the order of the
    /// thread number, the fastest last; results that only registers hold come
    /// first.
    SmallVector<unsigned> dims;
    /// Those of the lanes of a warp that computes together, along rows and then
    /// along columns.
    SmallVector<unsigned> laneDims;
    /// Per iterator: where the block tile begins, how much of it is inside, and
    /// the number of the thread, or of the first one of the warp.
    SmallVector<OpFoldResult> origin, inside, thread;

    ScheduleAttr schedule() { return op.getScheduleAttr(); }
    int64_t threads(unsigned i) {
      return schedule().getThread(op.getIterator(i));
    }
    int64_t registers(unsigned i) {
      return schedule().getRegister(op.getIterator(i));
    }
    /// Those of a warp that computes with a tensor instruction, and the warps.
    int64_t lanes(unsigned i) {
      return unit() ? unit().getLanes(op.getIterator(i)) : 1;
    }
    int64_t warps(unsigned i) { return threads(i) / lanes(i); }
    MmaAttr unit() { return schedule().getUnit(); }
    int64_t tile(unsigned i) { return getTileFactor(op, schedule(), i); }
    /// How input `k` is staged.
    StagingAttr staging(unsigned k) { return schedule().getStaging()[k]; }
    /// The iterators of the dimensions of its tile: as it is staged, or as it
    /// lies.
    SmallVector<unsigned> tileOrder(unsigned k);
  };

  Summand makeSummand(ContractOp op, StrideTable table);
  /// Sets where the tile of `iterators` at `indices` is.
  void enter(Summand &summand, ArrayRef<unsigned> iterators,
             ValueRange indices);

  /// Creates the accumulators of a block, thread dimensions first.
  void buildAccumulators();
  /// Gives the accumulators to the lanes that have them with `next`, where
  /// those are others.
  void moveAccumulators(Summand &next);
  /// For each register of a thread that dimensions number: the place that is
  /// meant, or none for all.
  using Place = ArrayRef<std::optional<int64_t>>;
  /// Bytes that the tiles of first inputs have in shared memory.
  int64_t countExchangeBytes();
  /// The dimensions of accumulators of which one place moves at a time, by
  /// their numbers among the registers: so many that the others fit into there.
  SmallVector<size_t> chooseRounds(Summand &next);
  /// A buffer there, for the registers along `moved` of all threads.
  Value buildExchange(Summand &next, ArrayRef<unsigned> moved);
  /// Copies the registers of each thread into it, or back.
  void buildMove(Value buffer, Value accumulator, ArrayRef<unsigned> moved,
                 Place at, bool isBack);
  /// All steps of a summand; and one: views of the block tiles, and the
  /// threads' contractions.
  void buildSteps(Summand &summand);
  void buildStep(Summand &summand);
  void buildRegisterTile(Summand &summand, ArrayRef<Value> tiles);
  /// The same for a warp that computes with a tensor instruction.
  void buildWarpTile(Summand &summand, ArrayRef<Value> tiles);
  /// How far the loops over the terms of such a contraction are unrolled.
  SmallVector<Factor> getUnroll(Summand &summand, ContractOp tile);
  /// The iterator along which two results of a lane are rows of one
  /// instruction, or columns of it: the last one that is for all terms with
  /// these lanes.
  std::optional<unsigned> findPair(Summand &summand, bool isOfRows);
  /// Points of a lane along iterator `i` that are to be computed: where that
  /// spares instructions, without those that all lanes have outside.
  OpFoldResult buildWarpCount(Summand &summand, unsigned i);
  /// Its operands: a dimension for each of `iterators`, then for the lanes.
  ContractArrays buildWarpArrays(Summand &summand, ArrayRef<Value> tiles,
                                 ArrayRef<unsigned> iterators);
  /// Old results to accumulators, and accumulators to results.
  void buildReadIn();
  void buildWriteBack();
  /// Calls `body` in a tc.par block, with the threads' numbers set. Only the
  /// first `working[d]` threads along dimension d run it; by default, all do.
  void buildThreads(function_ref<void()> body, ArrayRef<int64_t> working = {});
  /// Calls `body` in a tc.par block over warps that compute together; and over
  /// their threads, in a tc.par warp inside of it.
  void buildWarps(function_ref<void()> body);
  void buildLanes(function_ref<void()> body);

  /// Combines what the threads of one result have gathered, in registers of the
  /// first of them. Returns how many threads along each dimension have results
  /// in the end: one along contracted iterators.
  SmallVector<int64_t> buildCombine();
  /// What the threads have gathered, to where others can read it, and what
  /// every `among`-th of `count` threads along dimension `d` has put there.
  void buildShare(ArrayRef<Value> partials);
  void buildGather(ArrayRef<Value> partials, unsigned d, int64_t count,
                   int64_t among);

  /// The block tile of input `i`; its copy in shared memory; and what one
  /// thread reads of either.
  Value buildBlockTile(Summand &summand, unsigned i);
  Value buildStage(Summand &summand, Value blockTile, unsigned i);
  Value buildThreadTile(Summand &summand, Value tile, unsigned i);
  /// What a warp reads of a staged tile; a dimension for the lanes along an
  /// iterator follows that for their registers.
  Value buildWarpView(Summand &summand, Value tile, unsigned i);
  /// The thread as which this one reads in place along result iterator `i`:
  /// the last one with a point inside, where it has none itself; and how many
  /// points inside that one has.
  OpFoldResult buildReader(Summand &summand, unsigned i);
  OpFoldResult buildReadCount(Summand &summand, unsigned i);
  /// Points of a thread along iterator `i` of a tile that is filled up; and how
  /// many it computes with: these where no input ends before them.
  int64_t getFullCount(Summand &summand, unsigned i);
  OpFoldResult buildComputedCount(Summand &summand, unsigned i);
  /// The part of the thread, or of the warp, of the accumulators of all; of
  /// its dimensions, those where `at` has a place are at that.
  Value buildAccumulatorTile(Value accumulator, Place at = {});
  /// Adds the thread's accumulators to the operands of a contraction.
  void addAccumulators(Summand &summand, ArrayRef<unsigned> iterators,
                       MappedArrays &tiles);
  /// Of a buffer with a dimension for each of `registers` and then one for each
  /// of `dims`: this thread's part; or, with one for all registers, that of
  /// every `among`-th of `count` threads along dimension `d`, but for this one.
  Value buildPartialTile(Value partial, ArrayRef<unsigned> registers);
  Value buildPartialTile(Value partial, unsigned d, int64_t count,
                         int64_t among);
  /// Adds a thread's part of a side or of a result.
  void addResultTile(Summand &summand, const Access &operand,
                     ArrayRef<unsigned> iterators, MappedArrays &tiles);

  /// Do rows of `count` neighbours along iterator `i` lie at multiples of their
  /// size in `operand`, from where a block tile begins on; and where threads
  /// read input `k`?
  bool hasAlignedRows(Summand &summand, const Access &operand, unsigned i,
                      int64_t count);
  bool hasAlignedRows(Summand &summand, unsigned k, unsigned i, int64_t count);
  /// Sets `tc.vectors` of `tile`, which is over `iterators` and then lanes: the
  /// operands whose rows along an iterator `hasRows` says to be aligned.
  void
  setVectors(ContractOp tile, ArrayRef<unsigned> iterators,
             function_ref<bool(unsigned o, unsigned i, int64_t count)> hasRows);

  /// Points of the thread along iterator `i` that are inside.
  OpFoldResult buildThreadCount(Summand &summand, unsigned i);
  /// The tiled result iterators of a summand, in the order of `dims`.
  SmallVector<unsigned> tiledResults(Summand &summand);
  AffineMap getMap(ArrayRef<unsigned> dims, ArrayRef<unsigned> iterators);
  /// A contraction over `iterators` of a tile, without regions.
  ContractOp buildContract(Summand &summand, ArrayRef<unsigned> iterators,
                           ArrayRef<OpFoldResult> extents,
                           const ContractArrays &arrays, bool overwrite);
  /// What is inside of the thread's points along `iterators`.
  SmallVector<OpFoldResult> buildThreadCounts(Summand &summand,
                                              ArrayRef<unsigned> iterators);
  /// Does accumulation start from the old results, so that the terms keep their
  /// order?
  bool startsFromOld() {
    return !first().op.getOverwrite() && !first().op.mayReorder();
  }
  unsigned getRank() { return first().dims.size(); }
  /// Dimensions of accumulators that number threads.
  unsigned getThreadRank() { return getRank() + holder().laneDims.size(); }
  Summand &first() { return summands.front(); }
  Summand &last() { return summands.back(); }
  /// The one whose lanes have the accumulators.
  Summand &holder() { return summands[held]; }
  /// The shape of accumulators in these lanes.
  SmallVector<int64_t> getAccumulatorShape(Summand &summand);

  RewriterBase &builder;
  Location loc;
  std::vector<Summand> summands;
  SmallVector<Value> accumulators;
  size_t held = 0; ///< the number of the holder
  /// The leading subscripts of the part of this thread or warp.
  SmallVector<OpFoldResult> place;
};

/// Splits each iterator i of scheduled `ops` that has a vector of v, which is
/// known to divide its extent, into one of a v-th of the extent, of the same
/// name, and one of extent v, which a thread or a step holds whole; and one
/// that `thread` lists twice into one for each. The new schedules have no
/// vectors, and list each iterator once; neighbours along other extents are
/// registers of a thread.
FailureOr<ContractGroup> stripMine(RewriterBase &rewriter, ContractGroup ops);

/// Gives `tile` the combine of `op` and what belongs to it.
void cloneCombine(ContractOp op, ContractOp tile);

/// Gives `tile` the map and the combine of `op`.
void cloneTerms(ContractOp op, ContractOp tile);

/// Gives `tile` the epilogue of `op`.
void cloneEpilogue(ContractOp op, ContractOp tile);

/// Makes `tile`, which reads accumulators of `op`, take them as they are.
void takeAccumulators(OpBuilder &builder, ContractOp op, ContractOp tile);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_TILER_H
