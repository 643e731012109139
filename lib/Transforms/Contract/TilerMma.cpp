//===- TilerMma.cpp - Nests of warps that compute together ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With a tensor instruction the contraction inside is one of a warp: the lanes
// along rows and columns are iterators of it. Accumulators are numbered by
// warps, then by lanes. What a thread does alone, to read and to write results,
// is in a tc.par warp:
//
//   %acc = tc.new init(neutral) threads(4)  : warps x lanes x results of a
//   thread tc.par block (%wa, %wb)
//     tc.contract (lanes, results) ins(views of %x, %y) outs(%acc of the warp)
//   tc.par block (%wa, %wb)
//     tc.par warp (%la, %lb)
//       tc.contract ins(%acc of the thread) sides(...) outs(view of %Z)
//
// The terms of a sum may be folded in different ways. Between two that are,
// accumulators move to the lanes of the second one, through shared memory, a
// part of the registers of all threads at a time:
//
//   %moved = tc.new threads(4)      : warps x lanes x results of a thread
//   tc.par block (%wa, %wb)
//     tc.par warp (%la, %lb)
//       tc.contract ins(part of %acc) outs(%buffer) overwrite
//   tc.par block (%wa, %wb)
//     tc.par warp (%la, %lb)
//       tc.contract ins(%buffer) outs(part of %moved) overwrite
//
//===----------------------------------------------------------------------===//

#include "Contract/Tiler.h"

#include "tc/Analysis/Requests.h"
#include "tc/Analysis/Schedules.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

void Tiler::buildWarps(function_ref<void()> body) {
  SmallVector<OpFoldResult> lower(getRank(), builder.getIndexAttr(0)), upper;
  for (unsigned i : holder().dims)
    upper.push_back(builder.getIndexAttr(holder().warps(i)));
  SmallVector<int64_t> steps(getRank(), 1);
  ParOp::create(builder, loc, Level::Block, lower, upper, steps,
                [&](OpBuilder &, Location, ValueRange indices) {
                  place = getAsOpFoldResult(indices);
                  for (Summand &summand : summands)
                    for (auto [i, own, index] :
                         llvm::zip_equal(summand.dims, holder().dims, indices))
                      summand.thread[i] = buildProduct(builder, loc, index,
                                                       holder().lanes(own));
                  body();
                });
}

void Tiler::buildLanes(function_ref<void()> body) {
  buildWarps([&] {
    SmallVector<size_t> places; // in `dims`
    SmallVector<OpFoldResult> upper;
    for (unsigned i : holder().laneDims) {
      places.push_back(llvm::find(holder().dims, i) - holder().dims.begin());
      upper.push_back(builder.getIndexAttr(holder().lanes(i)));
    }
    SmallVector<OpFoldResult> lower(upper.size(), builder.getIndexAttr(0));
    SmallVector<int64_t> steps(upper.size(), 1);
    ParOp::create(builder, loc, Level::Warp, lower, upper, steps,
                  [&](OpBuilder &, Location, ValueRange indices) {
                    llvm::append_range(place, getAsOpFoldResult(indices));
                    OpFoldResult one = builder.getIndexAttr(1);
                    for (Summand &summand : summands)
                      for (auto [d, index] : llvm::zip_equal(places, indices)) {
                        OpFoldResult &thread = summand.thread[summand.dims[d]];
                        thread = buildSum(builder, loc,
                                          {{thread, one}, {index, one}});
                      }
                    body();
                  });
  });
}

//===----------------------------------------------------------------------===//
// Other lanes
//===----------------------------------------------------------------------===//

namespace {
/// The places in shared memory of a number of each thread.
struct ExchangeLayout {
  SmallVector<int64_t> threads; ///< along each dimension of the block
  /// Lanes of a warp along each, before and after.
  std::array<SmallVector<int64_t>, 2> lanes;
  int64_t bytes; ///< of a number

  /// The strides of the threads with these gaps behind dimensions, and what all
  /// threads take.
  std::pair<SmallVector<int64_t>, int64_t>
  getStrides(ArrayRef<int64_t> gaps) const;
  int64_t countWavefronts(ArrayRef<int64_t> strides) const;
  SmallVector<int64_t> chooseGaps(int64_t most) const;
};
} // namespace

std::pair<SmallVector<int64_t>, int64_t>
ExchangeLayout::getStrides(ArrayRef<int64_t> gaps) const {
  // Lanes before and after are next to each other.
  auto order = llvm::to_vector(llvm::seq<size_t>(0, threads.size()));
  auto countLanes = [&](size_t d) {
    return (lanes[0][d] > 1) + (lanes[1][d] > 1);
  };
  llvm::stable_sort(
      order, [&](size_t a, size_t b) { return countLanes(a) > countLanes(b); });
  SmallVector<int64_t> strides(threads.size());
  int64_t stride = 1;
  for (size_t d : order) {
    strides[d] = stride;
    stride = stride * threads[d] + gaps[d];
  }
  return {strides, stride};
}

/// Of a warp that writes, and of one that reads.
int64_t ExchangeLayout::countWavefronts(ArrayRef<int64_t> strides) const {
  int64_t wavefronts = 0;
  for (const SmallVector<int64_t> &own : lanes) {
    SmallVector<int64_t> addresses = {0};
    for (auto [count, stride] : llvm::zip_equal(own, strides)) {
      SmallVector<int64_t> more;
      for (int64_t lane = 0; lane < count; ++lane)
        for (int64_t address : addresses)
          more.push_back(address + lane * stride * bytes);
      addresses = std::move(more);
    }
    wavefronts +=
        tc::countWavefronts(addresses, bytes, /*isRead=*/&own == &lanes.back());
  }
  return wavefronts;
}

/// Those with the fewest wavefronts, of `most` numbers in all.
SmallVector<int64_t> ExchangeLayout::chooseGaps(int64_t most) const {
  SmallVector<int64_t> gaps(threads.size(), 0), best = gaps;
  int64_t least = countWavefronts(getStrides(gaps).first);
  // One dimension after the other: where lanes are along a few.
  for (size_t d = 0; d < threads.size(); ++d)
    for (int64_t gap : {1, 2, 4, 8}) {
      if (lanes[0][d] == 1 && lanes[1][d] == 1)
        continue;
      gaps = best;
      gaps[d] = gap;
      auto [strides, all] = getStrides(gaps);
      if (int64_t found = countWavefronts(strides);
          all <= most && found < least) {
        least = found;
        best = gaps;
      }
    }
  return best;
}

int64_t Tiler::countExchangeBytes() {
  int64_t most = 0;
  for (Summand &summand : summands)
    most =
        std::max(most, getNeeds(summand.op, summand.table, summand.schedule())
                           .stageBytes.front());
  return most;
}

SmallVector<size_t> Tiler::chooseRounds(Summand &next) {
  // What an instruction has together is together in registers: it moves in one
  // round, so that it leaves room for what comes.
  SmallVector<unsigned> results = tiledResults(first());
  auto isTogether = [&](size_t r) {
    size_t d = llvm::find(first().dims, results[r]) - first().dims.begin();
    return llvm::any_of(std::array{&holder(), &next}, [&](Summand *term) {
      return findPair(*term, /*isOfRows=*/true) == term->dims[d] ||
             findPair(*term, /*isOfRows=*/false) == term->dims[d];
    });
  };
  auto order = llvm::to_vector(llvm::seq<size_t>(0, results.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return !isTogether(a) && isTogether(b);
  });
  int64_t bytes = first().schedule().getNumThreads() *
                  getBytes(first().op.getAccumulatorTypes().front()) *
                  countResults(first().op, first().schedule());
  size_t count = 0;
  for (int64_t room = countExchangeBytes();
       count < order.size() && bytes > room; ++count)
    bytes /= first().registers(results[order[count]]);
  order.resize(count);
  return order;
}

Value Tiler::buildExchange(Summand &next, ArrayRef<unsigned> moved) {
  Type element = first().op.getAccumulatorTypes().front();
  ExchangeLayout layout;
  layout.bytes = getBytes(element);
  for (auto [own, other] : llvm::zip_equal(holder().dims, next.dims)) {
    layout.threads.push_back(holder().threads(own));
    layout.lanes[0].push_back(holder().lanes(own));
    layout.lanes[1].push_back(next.lanes(other));
  }
  auto shape = llvm::map_to_vector(
      moved, [&](unsigned i) { return first().registers(i); });
  auto [threadStrides, perRegister] = layout.getStrides(layout.chooseGaps(
      countExchangeBytes() / layout.bytes / computeProduct(shape)));
  SmallVector<int64_t> strides = computeSuffixProduct(shape);
  for (int64_t &stride : strides)
    stride *= perRegister;
  llvm::append_range(strides, threadStrides);
  llvm::append_range(shape, layout.threads);
  // It lies where the tiles of first inputs do, which nobody reads now.
  return NewOp::create(
      builder, loc,
      MemRefType::get(
          shape, element,
          StridedLayoutAttr::get(builder.getContext(), /*offset=*/0, strides)),
      TypedAttr(), /*threads=*/uint64_t(0), builder.getI64IntegerAttr(0));
}

void Tiler::buildMove(Value buffer, Value accumulator, ArrayRef<unsigned> moved,
                      Place at, bool isBack) {
  buildThreads([&] {
    Value from = buildAccumulatorTile(accumulator, at),
          to = buildPartialTile(buffer, moved);
    if (isBack)
      std::swap(from, to);
    AffineMap map = getMap(moved, moved);
    ContractArrays arrays;
    arrays.inputs.add(from, map);
    arrays.outputs.add(to, map);
    auto extents = llvm::map_to_vector(moved, [&](unsigned i) -> OpFoldResult {
      return builder.getIndexAttr(first().registers(i));
    });
    takeAccumulators(builder, first().op,
                     buildContract(first(), moved, extents, arrays,
                                   /*overwrite=*/true));
  });
}

void Tiler::moveAccumulators(Summand &next) {
  if (!changesLanes(holder().schedule(), next.schedule()))
    return;
  SmallVector<unsigned> results = tiledResults(first()), moved;
  SmallVector<size_t> rounds = chooseRounds(next);
  for (auto [r, i] : llvm::enumerate(results))
    if (!llvm::is_contained(rounds, r))
      moved.push_back(i);
  auto counts = llvm::map_to_vector(
      rounds, [&](size_t r) { return first().registers(results[r]); });
  Value buffer = buildExchange(next, moved), from = accumulators.front(),
        to = NewOp::create(
            builder, loc,
            MemRefType::get(getAccumulatorShape(next),
                            getElementTypeOrSelf(from.getType())),
            TypedAttr(), getRank() + next.laneDims.size(), IntegerAttr());
  size_t before = held;
  SmallVector<int64_t> strides = computeSuffixProduct(counts);
  SmallVector<std::optional<int64_t>> at(results.size());
  for (int64_t n = 0, e = computeProduct(counts); n < e; ++n) {
    for (auto [r, place] :
         llvm::zip_equal(rounds, mlir::delinearize(n, strides)))
      at[r] = place;
    held = before;
    buildMove(buffer, from, moved, at, /*isBack=*/false);
    held = &next - summands.data();
    buildMove(buffer, to, moved, at, /*isBack=*/true);
  }
  accumulators.front() = to;
}

//===----------------------------------------------------------------------===//
// Contractions of a warp
//===----------------------------------------------------------------------===//

Value Tiler::buildWarpView(Summand &summand, Value tile, unsigned input) {
  SmallVector<Product> products;
  SmallVector<OpFoldResult> sizes, strides;
  for (auto [i, dim] : llvm::zip_equal(summand.tileOrder(input),
                                       summand.staging(input).getStrides())) {
    OpFoldResult stride = builder.getIndexAttr(dim.value);
    if (summand.threads(i) > 1)
      products.push_back({summand.thread[i], stride});
    sizes.push_back(builder.getIndexAttr(getFullCount(summand, i)));
    strides.push_back(buildProduct(builder, loc, stride, summand.threads(i)));
    if (summand.lanes(i) == 1)
      continue;
    sizes.push_back(builder.getIndexAttr(summand.lanes(i)));
    strides.push_back(stride);
  }
  return ViewOp::create(builder, loc, tile, buildSum(builder, loc, products),
                        sizes, strides);
}

/// Names for the lanes along iterators of `op`.
static SmallVector<std::string> nameLanes(ContractOp op,
                                          ArrayRef<unsigned> laneDims) {
  return llvm::map_to_vector(laneDims, [&](unsigned i) {
    std::string name = op.getIterator(i).str();
    do
      name += "_l";
    while (op.findIterator(name));
    return name;
  });
}

/// In `m` and `n` the lanes have names of their own.
static MmaAttr renameLanes(ContractOp op, MmaAttr unit,
                           ArrayRef<unsigned> laneDims,
                           ArrayRef<std::string> names) {
  return unit.mapLists([&](ArrayRef<Factor> factors) {
    return llvm::map_to_vector(factors, [&](Factor factor) {
      unsigned i = *op.findIterator(factor.iterator.getValue());
      for (auto [lane, name] : llvm::zip_equal(laneDims, names))
        if (lane == i)
          factor.iterator = StringAttr::get(op.getContext(), name);
      return factor;
    });
  });
}

ContractArrays Tiler::buildWarpArrays(Summand &summand, ArrayRef<Value> tiles,
                                      ArrayRef<unsigned> iterators) {
  auto find = [&](ArrayRef<unsigned> list, unsigned i) {
    return unsigned(llvm::find(list, i) - list.begin());
  };
  SmallVector<AffineExpr> subscripts;
  auto addPlace = [&](unsigned i) {
    subscripts.push_back(builder.getAffineDimExpr(find(iterators, i)));
  };
  auto addLane = [&](unsigned i) {
    subscripts.push_back(
        builder.getAffineDimExpr(iterators.size() + find(summand.laneDims, i)));
  };
  auto takeMap = [&] {
    return AffineMap::get(iterators.size() + summand.laneDims.size(), 0,
                          std::exchange(subscripts, {}), builder.getContext());
  };
  ContractArrays arrays;
  for (auto [k, tile] : llvm::enumerate(tiles)) {
    for (unsigned i : summand.tileOrder(k)) {
      addPlace(i);
      if (summand.lanes(i) > 1)
        addLane(i);
    }
    arrays.inputs.add(buildWarpView(summand, tile, k), takeMap());
  }
  llvm::for_each(summand.laneDims, addLane);
  llvm::for_each(tiledResults(summand), addPlace);
  arrays.outputs.add(buildAccumulatorTile(accumulators.front()), takeMap());
  return arrays;
}

std::optional<unsigned> Tiler::findPair(Summand &summand, bool isOfRows) {
  auto isAlong = [&](Summand &term, unsigned i) {
    MmaAttr unit = term.unit();
    StringRef lane =
        (isOfRows ? unit.getM() : unit.getN()).front().iterator.getValue();
    unsigned input =
        term.table.inputs[0].variesWith(*term.op.findIterator(lane)) ? 0 : 1;
    return term.table.inputs[input].variesWith(i) &&
           !term.table.inputs[1 - input].variesWith(i);
  };
  for (size_t d = summand.dims.size(); d-- != 0;)
    if (summand.registers(summand.dims[d]) % 2 == 0 &&
        llvm::all_of(summands, [&](Summand &term) {
          return changesLanes(term.schedule(), summand.schedule()) ||
                 isAlong(term, term.dims[d]);
        }))
      return summand.dims[d];
  return std::nullopt;
}

OpFoldResult Tiler::buildWarpCount(Summand &summand, unsigned i) {
  OpFoldResult full = builder.getIndexAttr(getFullCount(summand, i));
  int64_t extent = summand.table.extents[i];
  if (summand.op.isContracted(i) || ShapedType::isDynamic(extent))
    return full;
  int64_t computed =
      countComputed(getPlan(summand.op, summand.schedule()), i, extent,
                    summand.table.contracted, summand.table.inputs);
  bool sparesAny = computed < int64_t(llvm::alignTo(extent, summand.tile(i)));
  return sparesAny ? buildThreadCount(summand, i) : full;
}

void Tiler::buildWarpTile(Summand &summand, ArrayRef<Value> tiles) {
  // The results and terms of each lane, then the lanes themselves. Results that
  // only registers hold last: two of them are columns of one instruction.
  SmallVector<unsigned> iterators = summand.dims;
  llvm::stable_sort(iterators, [&](unsigned a, unsigned b) {
    return summand.threads(a) > 1 && summand.threads(b) == 1;
  });
  // An instruction has its results in neighbouring registers. Terms that have
  // others together would have ptxas move them about, or spill.
  for (bool isOfRows : {true, false})
    if (summands.size() > 1)
      if (auto pair = findPair(summand, isOfRows))
        llvm::stable_sort(iterators, [&](unsigned a, unsigned b) {
          return a != *pair && b == *pair;
        });
  llvm::append_range(iterators, summand.tiledSteps);
  SmallVector<std::string> lanes = nameLanes(summand.op, summand.laneDims);
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents;
  for (unsigned i : iterators) {
    names.push_back(summand.op.getIterator(i));
    extents.push_back(buildWarpCount(summand, i));
  }
  for (auto [i, name] : llvm::zip_equal(summand.laneDims, lanes)) {
    names.push_back(name);
    extents.push_back(builder.getIndexAttr(summand.lanes(i)));
  }
  auto tile = ContractOp::create(builder, loc, names, extents,
                                 buildWarpArrays(summand, tiles, iterators),
                                 /*overwrite=*/false);
  MmaAttr unit =
      renameLanes(summand.op, summand.unit(), summand.laneDims, lanes);
  auto schedule = ScheduleAttr::get(builder.getContext(), /*thread=*/{},
                                    /*reg=*/{}, /*step=*/{},
                                    /*vector=*/{}, /*split=*/{}, /*stages=*/1,
                                    /*resident=*/1, Kernel::Mma, unit);
  tile.setScheduleAttr(schedule.withUnroll(getUnroll(summand, tile)));
  cloneTerms(summand.op, tile);
  setVectors(tile, iterators, [&](unsigned k, unsigned i, int64_t count) {
    return k < tiles.size() && hasAlignedRows(summand, k, i, count);
  });
}
