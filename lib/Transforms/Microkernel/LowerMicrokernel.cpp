//===- LowerMicrokernel.cpp - Contractions of one thread to scalar code ---===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Microkernel/LowerMma.h"
#include "Microkernel/MicroKernel.h"

#include "tc/Transforms/Passes.h"

#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Unrolling.h"
#include "tc/IR/Factors.h"
#include "tc/IR/LoopHints.h"
#include "tc/IR/Scalars.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_LOWERMICROKERNEL
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Results are unrolled; more than this would not be in registers anyway.
static constexpr int64_t kMaxUnrolled = 1024;

void MicroKernel::sortIterators() {
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    (op.isContracted(i) ? looped : results).push_back(i);
  // The elements of a vector come one after the other, unrolled.
  auto isNoVector = [&](unsigned i) { return !llvm::is_contained(vectors, i); };
  std::stable_partition(results.begin(), results.end(), isNoVector);
  // In order, all after an unrolled iterator must be unrolled.
  if (op.mayReorder())
    std::stable_partition(looped.begin(), looped.end(), isNoVector);
  while (!looped.empty() && !isNoVector(looped.back()))
    unrolledSteps.insert(unrolledSteps.begin(), looped.pop_back_val());
}

std::optional<int64_t> MicroKernel::findBound(unsigned i) {
  if (std::optional<int64_t> extent = getConstantIntValue(extents[i]))
    return *extent;
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps())) {
    auto shape = cast<ShapedType>(operand.getType()).getShape();
    for (auto [size, subscript] : llvm::zip_equal(shape, map.getResults()))
      if (subscript == builder.getAffineDimExpr(i) &&
          !ShapedType::isDynamic(size))
        return size;
  }
  return std::nullopt;
}

LogicalResult MicroKernel::findBounds() {
  int64_t unrolled = 1;
  for (unsigned i : results) {
    std::optional<int64_t> bound = findBound(i);
    if (!bound)
      return op.emitOpError("expected '")
             << op.getIterator(i)
             << "' to have a static extent, or to index an operand of static "
                "size";
    bounds.push_back(*bound);
    if (llvm::MulOverflow(unrolled, *bound, unrolled) ||
        unrolled > kMaxUnrolled)
      return op.emitOpError("expected at most ")
             << kMaxUnrolled << " results of one thread";
  }
  return success();
}

/// Vectors of the innermost step are held for that step, others for all steps
/// around it, too; so the input of which that spares most comes innermost.
void MicroKernel::sortUnrolledSteps() {
  if (!op.mayReorder())
    return;
  int64_t all = 1;
  for (unsigned step : unrolledSteps)
    all *= *getConstantIntValue(extents[step]);
  DenseMap<unsigned, int64_t> spared;
  for (unsigned k = 0, e = op.getInputs().size(); k < e; ++k) {
    std::optional<unsigned> step = vectors[k];
    if (!step || !op.isContracted(*step))
      continue;
    int64_t values = all - *getConstantIntValue(extents[*step]);
    for (auto [i, bound] : llvm::zip_equal(results, bounds))
      values *= maps[k].isFunctionOfDim(i) ? bound : 1;
    spared[*step] += values;
  }
  llvm::stable_sort(unrolledSteps, [&](unsigned a, unsigned b) {
    return spared.lookup(a) < spared.lookup(b);
  });
}

Value MicroKernel::findGuard(unsigned i) {
  bool overruns =
      TCDialect::OverrunAttrHelper(op.getContext()).isAttrPresent(op);
  return overruns ? Value() : dyn_cast<Value>(extents[i]);
}

void MicroKernel::forEachResult(size_t depth, function_ref<void()> body) {
  if (depth == results.size())
    return body();
  unsigned i = results[depth];
  for (int64_t r = 0; r < bounds[depth]; ++r) {
    OpBuilder::InsertionGuard guard(builder);
    point[i] = builder.getIndexAttr(r);
    Value extent = findGuard(i);
    decltype(loaded) known;
    if (extent) {
      known = loaded;
      Value isInside =
          arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                getIndex(builder.getIndexAttr(r)), extent);
      auto branch = scf::IfOp::create(builder, loc, isInside);
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    forEachResult(depth + 1, body);
    if (extent)
      loaded = std::move(known);
  }
}

/// How often each loop over contracted iterators is unrolled: as the schedule
/// says, or in a nest that has none by the rule that makes schedules.
SmallVector<int64_t> MicroKernel::getUnrollCounts() {
  if (ScheduleAttr schedule = op.getScheduleAttr())
    return llvm::map_to_vector(looped, [&](unsigned i) {
      return schedule.findUnroll(op.getIterator(i)).value_or(1);
    });
  // A term is an instruction, or two of half the rate; and there are loads.
  int64_t accumulators = getAccumulatorWords(op);
  for (int64_t bound : bounds)
    accumulators *= std::max<int64_t>(bound, 1);
  int64_t instructions = accumulators + int64_t(op.getInputs().size());
  for (unsigned step : unrolledSteps)
    instructions *= *getConstantIntValue(extents[step]);
  return tc::getUnrollCounts(
      instructions,
      llvm::map_to_vector(looped,
                          [&](unsigned i) {
                            return getConstantIntValue(extents[i])
                                .value_or(std::numeric_limits<int64_t>::max());
                          }),
      accumulators);
}

std::optional<SmallVector<OpFoldResult>> MicroKernel::findWholeExtents() {
  SmallVector<OpFoldResult> whole = extents;
  bool isKnown = true, isDynamic = false;
  for (unsigned i : looped) {
    std::optional<int64_t> bound = findBound(i);
    isKnown &= bound.has_value();
    isDynamic |= isa<Value>(extents[i]);
    whole[i] = builder.getIndexAttr(bound.value_or(0));
  }
  return isKnown && isDynamic ? std::optional(whole) : std::nullopt;
}

Value MicroKernel::buildIsWhole(ArrayRef<OpFoldResult> whole) {
  Value all;
  for (unsigned i : looped) {
    auto extent = dyn_cast<Value>(extents[i]);
    if (!extent)
      continue;
    Value is = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                     extent, getIndex(whole[i]));
    all = all ? arith::AndIOp::create(builder, loc, all, is) : is;
  }
  return all;
}

void MicroKernel::forEachStep(function_ref<void()> body) {
  std::optional<SmallVector<OpFoldResult>> whole = findWholeExtents();
  if (!whole)
    return buildSteps(getUnrollCounts(), body);
  OpBuilder::InsertionGuard guard(builder);
  auto branch = scf::IfOp::create(builder, loc, buildIsWhole(*whole),
                                  /*withElseRegion=*/true);
  builder.setInsertionPoint(branch.elseBlock()->getTerminator());
  buildSteps(SmallVector<int64_t>(looped.size(), 1), body);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  extents = std::move(*whole);
  buildSteps(getUnrollCounts(), body);
}

void MicroKernel::buildSteps(SmallVector<int64_t> counts,
                             function_ref<void()> body) {
  OpBuilder::InsertionGuard guard(builder);
  Value zero = getIndex(builder.getIndexAttr(0));
  Value one = getIndex(builder.getIndexAttr(1));
  // A loop in which there is one still is left.
  for (size_t l = looped.size(); l-- > 1;)
    if (!getConstantIntValue(extents[looped[l]])) {
      std::fill_n(counts.begin(), l, 1);
      break;
    }
  for (auto [i, count] : llvm::zip_equal(looped, counts)) {
    // A loop of one iteration is none.
    if (getConstantIntValue(extents[i]) == 1) {
      point[i] = builder.getIndexAttr(0);
      continue;
    }
    Value extent = getIndex(extents[i]);
    auto loop = scf::ForOp::create(builder, loc, zero, extent, one);
    setUnrollCount(loop, count);
    point[i] = loop.getInductionVar();
    builder.setInsertionPoint(loop.getBody()->getTerminator());
  }
  loaded.clear();
  forEachUnrolledStep(0, body);
  storeHeld();
}

void MicroKernel::forEachUnrolledStep(size_t depth, function_ref<void()> body) {
  if (depth == unrolledSteps.size())
    return body();
  unsigned i = unrolledSteps[depth];
  for (int64_t step = 0, e = *getConstantIntValue(extents[i]); step < e;
       ++step) {
    point[i] = builder.getIndexAttr(step);
    forEachUnrolledStep(depth + 1, body);
  }
}

//===----------------------------------------------------------------------===//
// Accumulation
//===----------------------------------------------------------------------===//

bool MicroKernel::accumulatesInPlace() {
  SmallVector<Type> types = op.getAccumulatorTypes();
  if (!op.getEpilogue().empty() || types.size() != op.getOutputs().size() ||
      (!op.getOverwrite() && looped.empty() && unrolledSteps.empty()))
    return false;
  for (auto [o, type] : llvm::enumerate(types))
    if (op.getElementType(o) != type)
      return false;
  return true;
}

/// The results, or private memory that holds an accumulator for each.
void MicroKernel::buildAccumulators() {
  if (accumulatesInPlace()) {
    for (auto [o, output] : llvm::enumerate(op.getOutputs())) {
      accumulators.push_back(output);
      accumulatorMaps.push_back(op.getOutputMap(o));
    }
    return;
  }
  AffineMap map = AffineMap::getMultiDimMapWithTargets(
      op.getNumIterators(), results, builder.getContext());
  Attribute space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                               gpu::AddressSpace::Private);
  for (Type type : op.getAccumulatorTypes()) {
    auto buffer =
        MemRefType::get(bounds, type, MemRefLayoutAttrInterface(), space);
    accumulators.push_back(memref::AllocaOp::create(builder, loc, buffer));
    accumulatorMaps.push_back(map);
  }
}

/// Old results go first where the order of terms counts, and where they are the
/// accumulators; else they are combined at the end.
void MicroKernel::startAccumulators() {
  bool startsFromOld = !op.getOverwrite() && !op.mayReorder();
  if (accumulatesInPlace() && !op.getOverwrite())
    return;
  SmallVector<Value> neutral;
  if (!startsFromOld)
    neutral = op.buildNeutral(builder, loc);
  forEachResult(
      0, [&] { storeAccumulators(startsFromOld ? loadOld() : neutral); });
}

void MicroKernel::accumulate() {
  bool holds = holdsAccumulators();
  forEachResult(0, [&] {
    SmallVector<Value> inputs = loadInputs();
    if (!holds)
      return storeAccumulators(
          addTerm(builder, loc, op, loadAccumulators(), inputs));
    SmallVector<std::pair<Value, ArrayAttr>> places;
    SmallVector<Value> old;
    for (auto [buffer, map] : llvm::zip_equal(accumulators, accumulatorMaps)) {
      places.emplace_back(buffer, getPosition(map, std::nullopt));
      HeldAccumulator &own = held[places.back()];
      if (!own.value) {
        own.indices = getIndices(buffer, map);
        own.value = memref::LoadOp::create(builder, loc, buffer, own.indices);
      }
      old.push_back(own.value);
    }
    for (auto [place, value] :
         llvm::zip_equal(places, addTerm(builder, loc, op, old, inputs)))
      held[place].value = value;
  });
}

/// Stores the results that `values`, as accumulators, come to.
void MicroKernel::finish(ValueRange values) {
  SmallVector<Value> sides;
  for (unsigned s : llvm::seq<unsigned>(op.getInputs().size(), firstOutput()))
    sides.push_back(loadElement(s));
  SmallVector<Value> elements = op.buildEpilogue(builder, loc, values, sides);
  for (auto [o, element] : llvm::enumerate(elements))
    storeElement(element, firstOutput() + o);
}

LogicalResult MicroKernel::emit() {
  if (op.hasTensorSemantics())
    return op.emitOpError("expected memrefs, got ")
           << op.getOutput().getType() << "; bufferize first";
  sortIterators();
  if (failed(findBounds()))
    return failure();
  sortUnrolledSteps();
  if (looped.empty() &&
      unrolledSteps
          .empty()) { // nothing is accumulated: one term for each result
    forEachResult(0, [&] {
      SmallVector<Value> inputs = loadInputs();
      finish(op.getOverwrite() ? op.buildMap(builder, loc, inputs)
                               : addTerm(builder, loc, op, loadOld(), inputs));
    });
    return success();
  }
  buildAccumulators();
  startAccumulators();
  forEachStep([&] { accumulate(); });
  loaded.clear();
  if (accumulatesInPlace())
    return success();
  forEachResult(0, [&] {
    SmallVector<Value> values = loadAccumulators();
    if (!op.getOverwrite() && op.mayReorder())
      values = op.buildCombine(builder, loc, loadOld(), values);
    finish(values);
  });
  return success();
}

namespace {
struct LowerMicrokernelPass
    : tc::impl::LowerMicrokernelBase<LowerMicrokernelPass> {
  using LowerMicrokernelBase::LowerMicrokernelBase;

  void runOnOperation() override {
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(machine))
      return signalPassFailure();
    // Or of a warp, with a tensor instruction.
    auto isOfThread = [](ContractOp op) {
      auto par = op->getParentOfType<ParOp>();
      return par &&
             llvm::is_contained<std::optional<Level>>(
                 {Level::Device, Level::Block, Level::Warp, Level::Thread},
                 par.getLevel());
    };
    for (ContractOp op : collectOps<ContractOp>(getOperation(), isOfThread)) {
      OpBuilder builder(op);
      if (failed(op.isOfWarp() ? lowerMma(builder, op, *machine)
                               : MicroKernel(builder, op).emit()))
        return signalPassFailure();
      // A warp's part of its accumulators is that of its lanes now.
      Operation *part =
          op.isOfWarp() ? op.getOutput().getDefiningOp() : nullptr;
      op.erase();
      if (part && isOpTriviallyDead(part))
        part->erase();
    }
  }
};
} // namespace
