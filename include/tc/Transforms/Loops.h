//===- Loops.h - Steps of a schedule, one nest at a time --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the transform ops do to a tc.par or tc.seq, "the nest". A step that
// cannot be taken, or that would change what the program computes, is refused,
// and nothing is changed. Iterations of a tc.par are independent, so most steps
// need no proof for it; for a tc.seq LoopOrder.h has it.
//
// The steps are the commands of Tiramisu: Baghdadi et al., "Tiramisu: a
// polyhedral compiler for expressing fast and portable code", CGO 2019.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_LOOPS_H
#define TC_TRANSFORMS_LOOPS_H

#include "tc/Analysis/Lifetimes.h"
#include "tc/Analysis/LoopOrder.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// Why a step is refused.
struct Refusal {
  std::string why;                    ///< what was expected, and what was found
  std::optional<Clash> clash;         ///< accesses that would change places
  std::optional<Overwrite> overwrite; ///< a value that would be lost
  std::string remedy; ///< what would make it legal; empty if unknown
};

/// A nest and the one in it, or one after the other.
struct TwoNests {
  Operation *first, *second;
};

/// Makes nests of a tc.contract, tc.reduce or tc.scan, so that steps on nests
/// apply to it: a tc.par of its results, if it has one or there is none round
/// it, and the tc.seq of its terms, if there are several.
FailureOr<TwoNests> expandToNests(RewriterBase &rewriter, Operation *op,
                                  Refusal &refusal);

/// Makes a tc.par of the results of `op`, which is of memrefs and has no
/// schedule; the tc.seq of its terms carries the accumulators.
ParOp expandCarrying(RewriterBase &rewriter, ContractOp op);

/// Makes `outer`, whose iterations are tiles, and `inner`, the iterations of
/// one. Dimensions of size 0 are not tiled and stay in `inner`; those of size 1
/// are in `outer` alone.
FailureOr<TwoNests> tileNest(RewriterBase &rewriter, Operation *nest,
                             ArrayRef<int64_t> sizes, Refusal &refusal);

/// Puts the dimensions of `nest`, and of nests that are all there is in it, in
/// another order: `order` numbers them from the outermost. Gives one nest, or
/// one in the other where bounds depend on indices: the outermost and the
/// innermost. A tc.par of a tc.seq may become a tc.seq of a tc.par.
FailureOr<TwoNests> interchangeNest(RewriterBase &rewriter, Operation *nest,
                                    ArrayRef<int64_t> order, Refusal &refusal);

/// Runs dimension `dim` from its last index to its first.
FailureOr<Operation *> reverseNest(RewriterBase &rewriter, Operation *nest,
                                   int64_t dim, Refusal &refusal);

/// Adds `factor` times the index of dimension `by` to that of `dim`, a later
/// one, which becomes the first of a nest in a nest.
FailureOr<TwoNests> skewNest(RewriterBase &rewriter, Operation *nest,
                             int64_t dim, int64_t by, int64_t factor,
                             Refusal &refusal);

/// Adds `distance` to the index of dimension `dim`.
FailureOr<Operation *> shiftNest(RewriterBase &rewriter, Operation *nest,
                                 int64_t dim, int64_t distance,
                                 Refusal &refusal);

/// Lets the indices be the lower bounds plus the steps times numbers from 0 on.
LogicalResult normalizeNest(RewriterBase &rewriter, Operation *nest,
                            Refusal &refusal);

/// Makes a tc.par of a tc.seq.
FailureOr<Operation *> parallelizeNest(RewriterBase &rewriter, SeqOp nest,
                                       Refusal &refusal);

/// Makes a tc.seq of a tc.par.
FailureOr<Operation *> serializeNest(RewriterBase &rewriter, ParOp nest,
                                     Refusal &refusal);

/// Makes two nests, one after the other: of the ops before `cut`, and of the
/// others. Both compute the indices and integers that they need.
FailureOr<TwoNests> distributeNest(RewriterBase &rewriter, Operation *nest,
                                   Operation *cut, Refusal &refusal);

/// Makes one nest of `first` and `second`, a later one in the same block over
/// the same space. What stands between them, and does not touch memory, is put
/// before.
FailureOr<Operation *> fuseNests(RewriterBase &rewriter, Operation *first,
                                 Operation *second, Refusal &refusal);

/// Lets what is in `nest` read the buffer of `load` from a copy in shared
/// memory: a tc.cache at the start of each iteration.
FailureOr<CacheOp> cacheInNest(RewriterBase &rewriter, Operation *nest,
                               Operation *load, DenseI64ArrayAttr order,
                               IntegerAttr pad, Refusal &refusal);

/// Runs `width` iterations along dimension `dim` together, by vectors: the nest
/// of these, and the nest of those that are left over, or null.
FailureOr<TwoNests> vectorizeNest(RewriterBase &rewriter, Operation *nest,
                                  int64_t dim, int64_t width, Refusal &refusal);

/// Where the elements of a buffer are to lie.
struct Storage {
  Value other;      ///< the buffer that they share; null for a new one
  AffineMap layout; ///< of subscripts; null for the same ones
  /// Is what the other buffer holds before, and is not written, of no interest?
  bool discard = false;
  int64_t threads = 0; ///< as tc.new has it, of a new buffer
};

/// Stores the elements of `buffer` elsewhere. Several may have one place, and
/// share it with those of another buffer, where no value is lost.
LogicalResult storeIn(RewriterBase &rewriter, NewOp buffer,
                      const Storage &storage, Refusal &refusal);

/// Gives each iteration of `nest` a buffer for what it uses of `buffer`, which
/// nothing else uses.
FailureOr<Operation *> storeAt(RewriterBase &rewriter, NewOp buffer,
                               Operation *nest, Refusal &refusal);

/// Computes what `consumer`, a nest, reads of the buffer that `producer` makes
/// in a buffer of each iteration, at its start: the new nest. `producer` goes
/// if nobody else reads its buffer.
FailureOr<Operation *> computeAt(RewriterBase &rewriter, ParOp producer,
                                 Operation *consumer, Refusal &refusal);

} // namespace mlir::tc

#endif // TC_TRANSFORMS_LOOPS_H
