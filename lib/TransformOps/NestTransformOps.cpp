//===- NestTransformOps.cpp - Schedules of nests as scripts ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/TransformOps/NestTransformOps.h"

#include "tc/Transforms/Loops.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::transform;

#define GET_OP_CLASSES
#include "tc/TransformOps/NestTransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static std::string describe(const NestAccess &access,
                            ArrayRef<int64_t> indices) {
  std::string text = access.writes ? "writes" : "reads";
  if (!indices.empty())
    text = "iteration (" +
           llvm::join(llvm::map_range(indices,
                                      [](int64_t i) { return Twine(i).str(); }),
                      ", ") +
           ") " + text;
  return text;
}

/// The error of a step on `nest`, with the accesses that are in the way and
/// what would help.
static DiagnosedSilenceableFailure report(Operation *nest,
                                          const Refusal &refusal) {
  DiagnosedSilenceableFailure error = emitSilenceableFailure(nest, refusal.why);
  if (const auto &clash = refusal.clash) {
    error.attachNote(clash->first.op->getLoc())
        << describe(clash->first, clash->before) << " here first";
    error.attachNote(clash->second.op->getLoc())
        << describe(clash->second, clash->after)
        << (clash->isProven() ? " the same element here"
                              : " what may be the same element here");
  }
  if (const auto &lost = refusal.overwrite) {
    if (lost->write)
      error.attachNote(lost->write->op->getLoc())
          << describe(*lost->write, lost->written) << " a value here";
    error.attachNote(lost->overwrite.op->getLoc())
        << describe(lost->overwrite, lost->overwritten)
        << (lost->isProven ? " another one to its place here"
                           : " what may be another one to its place here");
    if (lost->read)
      error.attachNote(lost->read->op->getLoc())
          << describe(*lost->read, lost->needed) << " the value here";
    else if (!lost->isRace)
      error.attachNote(nest->getLoc()) << "the value is needed at the end";
  }
  if (!refusal.remedy.empty())
    error.attachNote(nest->getLoc()) << refusal.remedy;
  return error;
}

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

using Made = FailureOr<SmallVector<Operation *>>;

/// Takes a step on each target of the first operand. `step` gives an op for
/// each result, or null for none.
static DiagnosedSilenceableFailure
applyToEach(Operation *op, TransformResults &results, TransformState &state,
            function_ref<Made(Operation *, Refusal &)> step) {
  SmallVector<SmallVector<Operation *>> made(op->getNumResults());
  // Steps change what the handle holds.
  for (Operation *target :
       llvm::to_vector(state.getPayloadOps(op->getOperand(0)))) {
    Refusal refusal;
    Made ops = step(target, refusal);
    if (failed(ops))
      return report(target, refusal);
    for (auto [all, one] : llvm::zip_equal(made, *ops))
      all.push_back(one);
  }
  for (auto [result, ops] : llvm::zip_equal(op->getResults(), made)) {
    llvm::erase(ops, nullptr);
    results.set(result, ops);
  }
  return DiagnosedSilenceableFailure::success();
}

template <typename... Ops>
static LogicalResult expect(Operation *target, StringRef what,
                            Refusal &refusal) {
  if (isa<Ops...>(target))
    return success();
  refusal.why = ("expected " + what + ", found '" +
                 target->getName().getStringRef() + "'")
                    .str();
  return failure();
}

static LogicalResult expectNest(Operation *target, Refusal &refusal) {
  return expect<ParOp, SeqOp>(target, "a tc.par or tc.seq", refusal);
}

/// Takes a step on each target, which is to be a tc.par or tc.seq.
static DiagnosedSilenceableFailure
applyToNests(Operation *op, TransformResults &results, TransformState &state,
             function_ref<Made(Operation *, Refusal &)> step) {
  return applyToEach(op, results, state,
                     [&](Operation *target, Refusal &refusal) -> Made {
                       if (failed(expectNest(target, refusal)))
                         return failure();
                       return step(target, refusal);
                     });
}

/// What a step makes, if it makes one nest or two.
static Made asMade(FailureOr<Operation *> nest) {
  if (failed(nest))
    return failure();
  return SmallVector<Operation *>{*nest};
}
static Made asMade(FailureOr<TwoNests> nests) {
  if (failed(nests))
    return failure();
  return SmallVector<Operation *>{nests->first, nests->second};
}

/// The numbers of a list of constants and parameters.
static DiagnosedSilenceableFailure
getNumbers(Operation *op, ArrayRef<int64_t> constants, ValueRange params,
           const TransformState &state, SmallVectorImpl<int64_t> &numbers) {
  for (int64_t constant : constants) {
    if (!ShapedType::isDynamic(constant)) {
      numbers.push_back(constant);
      continue;
    }
    ArrayRef<Attribute> values = state.getParams(params.front());
    params = params.drop_front();
    auto number =
        values.size() == 1 ? dyn_cast<IntegerAttr>(values.front()) : nullptr;
    if (!number)
      return emitSilenceableFailure(op, "expected a parameter of one integer");
    numbers.push_back(number.getInt());
  }
  return DiagnosedSilenceableFailure::success();
}

/// The one op that `handle` holds, the `what` of a step.
static DiagnosedSilenceableFailure getOne(Operation *op, Value handle,
                                          StringRef what,
                                          const TransformState &state,
                                          Operation *&one) {
  auto held = llvm::to_vector(state.getPayloadOps(handle));
  if (held.size() != 1)
    return emitSilenceableFailure(
        op->getLoc(), "expected one " + what + ", found " + Twine(held.size()));
  one = held.front();
  return DiagnosedSilenceableFailure::success();
}

//===----------------------------------------------------------------------===//
// Steps that make nests
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure TileStepOp::apply(TransformRewriter &rewriter,
                                              TransformResults &results,
                                              TransformState &state) {
  SmallVector<int64_t> sizes;
  if (auto error =
          getNumbers(*this, getStaticSizes(), getDynamicSizes(), state, sizes);
      !error.succeeded())
    return error;
  return applyToNests(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        return asMade(tileNest(rewriter, target, sizes, refusal));
      });
}

DiagnosedSilenceableFailure ExpandStepOp::apply(TransformRewriter &rewriter,
                                                TransformResults &results,
                                                TransformState &state) {
  return applyToEach(*this, results, state,
                     [&](Operation *target, Refusal &refusal) -> Made {
                       return asMade(expandToNests(rewriter, target, refusal));
                     });
}

DiagnosedSilenceableFailure
InterchangeStepOp::apply(TransformRewriter &rewriter, TransformResults &results,
                         TransformState &state) {
  return applyToNests(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        return asMade(interchangeNest(rewriter, target, getOrder(), refusal));
      });
}

DiagnosedSilenceableFailure ReverseStepOp::apply(TransformRewriter &rewriter,
                                                 TransformResults &results,
                                                 TransformState &state) {
  return applyToNests(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        return asMade(reverseNest(rewriter, target, getDim(), refusal));
      });
}

DiagnosedSilenceableFailure SkewStepOp::apply(TransformRewriter &rewriter,
                                              TransformResults &results,
                                              TransformState &state) {
  return applyToNests(*this, results, state,
                      [&](Operation *target, Refusal &refusal) -> Made {
                        return asMade(skewNest(rewriter, target, getDim(),
                                               getBy(), getFactor(), refusal));
                      });
}

DiagnosedSilenceableFailure ShiftStepOp::apply(TransformRewriter &rewriter,
                                               TransformResults &results,
                                               TransformState &state) {
  return applyToNests(*this, results, state,
                      [&](Operation *target, Refusal &refusal) -> Made {
                        return asMade(shiftNest(rewriter, target, getDim(),
                                                getDistance(), refusal));
                      });
}

DiagnosedSilenceableFailure NormalizeStepOp::apply(TransformRewriter &rewriter,
                                                   TransformResults &results,
                                                   TransformState &state) {
  return applyToNests(*this, results, state,
                      [&](Operation *target, Refusal &refusal) -> Made {
                        if (failed(normalizeNest(rewriter, target, refusal)))
                          return failure();
                        return SmallVector<Operation *>();
                      });
}

DiagnosedSilenceableFailure
ParallelizeStepOp::apply(TransformRewriter &rewriter, TransformResults &results,
                         TransformState &state) {
  return applyToEach(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        if (failed(expect<SeqOp>(target, "a tc.seq", refusal)))
          return failure();
        return asMade(parallelizeNest(rewriter, cast<SeqOp>(target), refusal));
      });
}

DiagnosedSilenceableFailure SerializeStepOp::apply(TransformRewriter &rewriter,
                                                   TransformResults &results,
                                                   TransformState &state) {
  return applyToEach(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        if (failed(expect<ParOp>(target, "a tc.par", refusal)))
          return failure();
        return asMade(serializeNest(rewriter, cast<ParOp>(target), refusal));
      });
}

DiagnosedSilenceableFailure DistributeStepOp::apply(TransformRewriter &rewriter,
                                                    TransformResults &results,
                                                    TransformState &state) {
  return applyToEach(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        Operation *nest = target->getParentOp();
        if (failed(expectNest(nest, refusal)))
          return failure();
        return asMade(distributeNest(rewriter, nest, target, refusal));
      });
}

DiagnosedSilenceableFailure FuseStepOp::apply(TransformRewriter &rewriter,
                                              TransformResults &results,
                                              TransformState &state) {
  auto seconds = llvm::to_vector(state.getPayloadOps(getSecond()));
  size_t numFirsts = llvm::range_size(state.getPayloadOps(getFirst()));
  if (numFirsts != seconds.size())
    return emitSilenceableFailure(
        getLoc(), "expected as many nests of each handle, found " +
                      Twine(numFirsts) + " and " + Twine(seconds.size()));
  const Operation *const *next = seconds.begin();
  return applyToEach(
      *this, results, state, [&](Operation *first, Refusal &refusal) -> Made {
        auto *second = const_cast<Operation *>(*next++);
        if (failed(expectNest(first, refusal)) ||
            failed(expectNest(second, refusal)))
          return failure();
        return asMade(fuseNests(rewriter, first, second, refusal));
      });
}

DiagnosedSilenceableFailure ComputeAtStepOp::apply(TransformRewriter &rewriter,
                                                   TransformResults &results,
                                                   TransformState &state) {
  Operation *consumer = nullptr;
  if (auto error = getOne(*this, getConsumer(), "consumer", state, consumer);
      !error.succeeded())
    return error;
  return applyToEach(*this, results, state,
                     [&](Operation *target, Refusal &refusal) -> Made {
                       if (failed(expect<ParOp>(target, "a tc.par", refusal)) ||
                           failed(expectNest(consumer, refusal)))
                         return failure();
                       return asMade(computeAt(rewriter, cast<ParOp>(target),
                                               consumer, refusal));
                     });
}

DiagnosedSilenceableFailure VectorizeStepOp::apply(TransformRewriter &rewriter,
                                                   TransformResults &results,
                                                   TransformState &state) {
  return applyToNests(*this, results, state,
                      [&](Operation *target, Refusal &refusal) -> Made {
                        return asMade(vectorizeNest(rewriter, target, getDim(),
                                                    getWidth(), refusal));
                      });
}

DiagnosedSilenceableFailure StoreInStepOp::apply(TransformRewriter &rewriter,
                                                 TransformResults &results,
                                                 TransformState &state) {
  Storage storage{{},
                  getLayout().value_or(AffineMap()),
                  getDiscard(),
                  int64_t(getThreads())};
  if (Value handle = getOther()) {
    auto held = llvm::to_vector(state.getPayloadValues(handle));
    if (held.size() != 1)
      return emitSilenceableFailure(getLoc(), "expected one other buffer, "
                                              "found " +
                                                  Twine(held.size()));
    storage.other = held.front();
  }
  return applyToEach(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        if (failed(expect<NewOp>(target, "a tc.new", refusal)) ||
            failed(storeIn(rewriter, cast<NewOp>(target), storage, refusal)))
          return failure();
        return SmallVector<Operation *>();
      });
}

DiagnosedSilenceableFailure StoreAtStepOp::apply(TransformRewriter &rewriter,
                                                 TransformResults &results,
                                                 TransformState &state) {
  Operation *nest = nullptr;
  if (auto error = getOne(*this, getNest(), "nest", state, nest);
      !error.succeeded())
    return error;
  return applyToEach(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        if (failed(expect<NewOp>(target, "a tc.new", refusal)) ||
            failed(expectNest(nest, refusal)))
          return failure();
        return asMade(storeAt(rewriter, cast<NewOp>(target), nest, refusal));
      });
}

LogicalResult StoreInStepOp::verify() {
  if (!getOther() && !getLayout())
    return emitOpError("expected another buffer, a layout, or both");
  if (getDiscard() && !getOther())
    return emitOpError("expected discard of another buffer");
  return success();
}

//===----------------------------------------------------------------------===//
// Steps that write attributes
//===----------------------------------------------------------------------===//

/// What the verifier says of `target` or what stands round it; empty if all is
/// right.
static std::string findMistake(Operation *target) {
  std::string found;
  ScopedDiagnosticHandler handler(target->getContext(),
                                  [&](Diagnostic &diagnostic) {
                                    if (found.empty())
                                      found = diagnostic.str();
                                    return success();
                                  });
  Operation *root = target;
  while (isa_and_present<ParOp, SeqOp>(root->getParentOp()))
    root = root->getParentOp();
  return succeeded(verify(root)) ? "" : found;
}

/// Changes `target`, and undoes that if it does not verify then.
static Made annotate(TransformRewriter &rewriter, Operation *target,
                     Refusal &refusal, function_ref<void()> change) {
  Attribute before = target->getPropertiesAsAttribute();
  rewriter.modifyOpInPlace(target, change);
  refusal.why = findMistake(target);
  if (refusal.why.empty())
    return SmallVector<Operation *>();
  rewriter.modifyOpInPlace(target, [&] {
    (void)target->setPropertiesFromAttribute(
        before, [&] { return target->emitError(); });
  });
  return failure();
}

DiagnosedSilenceableFailure UnrollStepOp::apply(TransformRewriter &rewriter,
                                                TransformResults &results,
                                                TransformState &state) {
  SmallVector<int64_t> factor;
  if (auto error = getNumbers(*this, getStaticFactor(), getDynamicFactor(),
                              state, factor);
      !error.succeeded())
    return error;
  return applyToEach(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        if (failed(expect<SeqOp>(target, "a tc.seq", refusal)))
          return failure();
        return annotate(rewriter, target, refusal,
                        [&] { cast<SeqOp>(target).setUnroll(factor.front()); });
      });
}

LogicalResult UnrollStepOp::verify() {
  if (getStaticFactor().size() != 1)
    return emitOpError("expected one factor, found ")
           << getStaticFactor().size();
  return success();
}

DiagnosedSilenceableFailure PipelineStepOp::apply(TransformRewriter &rewriter,
                                                  TransformResults &results,
                                                  TransformState &state) {
  return applyToEach(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        if (failed(expect<SeqOp>(target, "a tc.seq", refusal)))
          return failure();
        return annotate(rewriter, target, refusal,
                        [&] { cast<SeqOp>(target).setStages(getStages()); });
      });
}

DiagnosedSilenceableFailure CacheStepOp::apply(TransformRewriter &rewriter,
                                               TransformResults &results,
                                               TransformState &state) {
  Operation *nest = nullptr;
  if (auto error = getOne(*this, getNest(), "nest", state, nest);
      !error.succeeded())
    return error;
  return applyToEach(
      *this, results, state, [&](Operation *load, Refusal &refusal) -> Made {
        if (failed(expectNest(nest, refusal)))
          return failure();
        auto made = cacheInNest(rewriter, nest, load, getOrderAttr(),
                                getPadAttr(), refusal);
        if (failed(made))
          return failure();
        std::string found = findMistake(nest);
        if (found.empty())
          return SmallVector<Operation *>();
        rewriter.eraseOp(*made);
        refusal.why = found;
        return failure();
      });
}

DiagnosedSilenceableFailure BindStepOp::apply(TransformRewriter &rewriter,
                                              TransformResults &results,
                                              TransformState &state) {
  return applyToEach(
      *this, results, state, [&](Operation *target, Refusal &refusal) -> Made {
        if (failed(getFull() ? expect<ParOp>(target, "a tc.par", refusal)
                             : expect<ParOp, ReduceOp, ScanOp>(
                                   target, "a tc.par, tc.reduce or tc.scan",
                                   refusal)))
          return failure();
        return annotate(rewriter, target, refusal, [&] {
          TypeSwitch<Operation *>(target)
              .Case<ReduceOp, ScanOp>(
                  [&](auto fold) { fold.setLevel(getLevel()); })
              .Case([&](ParOp par) {
                par.setLevel(getLevel());
                par.setFull(getFull());
              });
        });
      });
}

DiagnosedSilenceableFailure MapStepOp::apply(TransformRewriter &rewriter,
                                             TransformResults &results,
                                             TransformState &state) {
  return applyToEach(*this, results, state,
                     [&](Operation *target, Refusal &refusal) -> Made {
                       if (failed(expect<ParOp>(target, "a tc.par", refusal)))
                         return failure();
                       return annotate(rewriter, target, refusal, [&] {
                         cast<ParOp>(target).setMappingAttr(getMapping());
                       });
                     });
}
