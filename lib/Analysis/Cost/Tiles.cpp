//===- Tiles.cpp - What a schedule means for a contraction ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Padding] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Tiles.h"

#include "Saturating.h"
#include "tc/Algebra/Digits.h"
#include "tc/Analysis/Requests.h"
#include "tc/Target/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

int64_t mlir::tc::getTileFactor(ContractOp op, ScheduleAttr schedule,
                                unsigned i) {
  StringRef name = op.getIterator(i);
  return op.isContracted(i) ? schedule.getStep(name) : schedule.getBlock(name);
}

void TileDim::addPlaces(int64_t first, int64_t stride,
                        MutableArrayRef<int64_t> addresses) const {
  addDigits(first, threadStride, threads, stride, addresses);
  if (isPaired)
    addDigits(first, kMmaColumnLanes, kMmaColumnsPerLane, threads * stride,
              addresses);
}

/// All iterators, those along which an array of these strides has neighbours
/// furthest apart first.
static SmallVector<unsigned> sortByStride(ArrayRef<int64_t> nominal) {
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, nominal.size()));
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::abs(nominal[a]) > std::abs(nominal[b]);
  });
  return order;
}

/// Along iterator `i` of a tile that lanes read as fragments: threads, and how
/// far apart neighbours are. Those of other warps read other rows alike.
static std::pair<int64_t, int64_t> findFragmentLanes(const TilePlan &plan,
                                                     unsigned i) {
  const MmaFold &fold = *plan.mma;
  auto find = [&](ArrayRef<LaneFactor> lanes,
                  int64_t faster) -> std::optional<int64_t> {
    for (const LaneFactor &lane : llvm::reverse(lanes)) {
      if (lane.iterator == i)
        return faster;
      faster *= lane.threads;
    }
    return std::nullopt;
  };
  // Lane 4 g + t reads row g and terms t, or column g and terms t.
  if (auto stride = find(fold.terms, 1))
    return {fold.getLanes(i), *stride};
  if (auto stride = find(fold.rows, kMmaColumnLanes))
    return {plan.thread[i], *stride};
  if (auto stride = find(fold.columns, kMmaColumnLanes * kMmaColumnsPerLane))
    return {plan.thread[i], *stride};
  return {plan.thread[i], kWarpSize};
}

/// Splits iterator `i`, of which a tile has `factor`, the innermost dimension
/// first.
static void addDims(const TilePlan &plan, unsigned i, int64_t factor,
                    int64_t stride, int64_t nominal,
                    SmallVector<TileDim> &dims) {
  int64_t inner = 1;
  auto add = [&](int64_t size, int64_t threads, int64_t threadStride) {
    bool isDynamic = ShapedType::isDynamic(stride);
    if (size > 1)
      dims.push_back({size, threads, threadStride,
                      isDynamic ? stride : multiply(stride, inner), i,
                      multiply(std::abs(nominal), inner)});
    inner = multiply(inner, size);
  };
  if (plan.mma) {
    bool isPair =
        plan.mma->pair == i && plan.vector[i] % kMmaColumnsPerLane == 0;
    add(plan.vector[i], isPair ? kMmaColumnsPerLane : 1,
        isPair ? kMmaColumnLanes : 1);
    if (isPair)
      dims.back().isVector = true;
    auto [threads, threadStride] = findFragmentLanes(plan, i);
    add(factor / plan.vector[i], threads, threadStride);
    if (plan.mma->pair == i && !isPair)
      dims.back().isPaired = true;
    return;
  }
  add(plan.vector[i], 1, 1);
  auto isOwn = [&](const LaneFactor &lane) { return lane.iterator == i; };
  int64_t left = factor / plan.vector[i], faster = 1;
  int64_t listed = llvm::count_if(plan.lanes, isOwn);
  // The faster of two factors first: its neighbours are neighbours here.
  for (const LaneFactor &lane : llvm::reverse(plan.lanes)) {
    if (isOwn(lane)) {
      int64_t all = --listed == 0 ? left : lane.threads;
      add(all, lane.threads, faster);
      left /= all;
    }
    faster = multiply(faster, lane.threads);
  }
  add(left, 1, 1);
}

SmallVector<TileDim> mlir::tc::getTileDims(const TilePlan &plan,
                                           ArrayRef<bool> contracted,
                                           ArrayRef<int64_t> strides,
                                           ArrayRef<int64_t> nominal) {
  SmallVector<TileDim> dims;
  for (unsigned i : sortByStride(nominal)) {
    int64_t factor = contracted[i] ? plan.step[i] : plan.getBlock(i);
    if (strides[i] != 0 && factor > 1)
      addDims(plan, i, factor, strides[i], nominal[i], dims);
  }
  llvm::stable_sort(dims, [](const TileDim &a, const TileDim &b) {
    return a.nominalStride > b.nominalStride;
  });
  return dims;
}

SmallVector<TileDim> mlir::tc::getTileDims(ContractOp op, ScheduleAttr schedule,
                                           const Access &access) {
  auto contracted =
      llvm::map_to_vector(llvm::seq(op.getNumIterators()),
                          [&](unsigned i) { return op.isContracted(i); });
  return getTileDims(getPlan(op, schedule), contracted, access.strides,
                     access.nominal);
}

int64_t mlir::tc::countElements(ArrayRef<TileDim> dims) {
  int64_t elements = 1;
  for (const TileDim &dim : dims)
    elements = multiply(elements, dim.size);
  return elements;
}

int64_t mlir::tc::getChunk(ArrayRef<TileDim> dims, int64_t elementBytes,
                           bool isCopy) {
  if (dims.empty() ||
      (dims.back().threads > 1 && !(isCopy && dims.back().isVector)))
    return 1;
  int64_t bytes = multiply(dims.back().size, elementBytes);
  return bytes <= kMaxAccessBytes && llvm::isPowerOf2_64(bytes)
             ? dims.back().size
             : 1;
}

bool mlir::tc::mayCopyTogether(const TilePlan &plan, int64_t bytes,
                               int64_t chunk) {
  return bytes >= 4 || (plan.mma && multiply(bytes, chunk) >= 4);
}

bool mlir::tc::isReadInPlace(ArrayRef<TileDim> dims, int64_t elementBytes,
                             int64_t threads) {
  int64_t along = 1;
  for (const TileDim &dim : dims)
    along = multiply(along, dim.threads);
  if (threads == 1 || along != threads)
    return false;
  ArrayRef<TileDim> lanes = dims;
  if (int64_t chunk = getChunk(dims, elementBytes); chunk > 1) {
    lanes = lanes.drop_back();
    if (lanes.empty() || dims.back().inputStride != 1 ||
        lanes.back().inputStride != chunk)
      return false;
  }
  return !lanes.empty() && lanes.back().threads > 1 &&
         lanes.back().threadStride == 1;
}

/// Row-major strides where each row of the dimensions from `split` on is
/// followed by a gap of `gap` elements.
static SmallVector<int64_t> getStrides(ArrayRef<TileDim> dims, size_t split,
                                       int64_t gap) {
  SmallVector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    if (d + 1 == split)
      stride += gap;
    strides[d] = stride;
    stride *= dims[d].size;
  }
  return strides;
}

namespace {
/// One tile while its strides are chosen: where gaps follow rows, and how wide
/// they are.
class Layout {
public:
  Layout(ArrayRef<TileDim> dims, int64_t bytes, int64_t chunk,
         int64_t readChunk, int64_t threads);

  /// Makes rows of the dimensions from `split` on.
  void splitRows(size_t split);
  /// Wavefronts of all that the block writes and reads in one step where a gap
  /// of `gap` elements follows each row; or a lower bound of it that is more
  /// than `most`.
  int64_t countWavefronts(int64_t gap, int64_t most) const;
  /// The same if no lanes collided in a bank.
  int64_t countLeast() const { return leastFill + leastRead; }

private:
  /// What a lane accesses begins behind so many elements and rows of the tile.
  struct Lane {
    int64_t elements, rows;
  };
  using Addresses = SmallVector<int64_t, kWarpSize>; ///< in bytes

  void placeFill();
  void placeRead();
  void findLeast();
  Addresses locate(ArrayRef<Lane> lanes, int64_t gap) const;
  int64_t countFillWavefronts(
      function_ref<int64_t(const Addresses &, int64_t bytes)> count,
      int64_t gap, int64_t most) const;

  ArrayRef<TileDim> dims;
  int64_t bytes;            ///< of an element
  int64_t chunk, readChunk; ///< elements that a lane copies and reads at a time
  int64_t threads;          ///< of the block
  /// Lanes that fill take chunks in the order of the tile. Rows repeat, so a
  /// few warps of all `fillRequests` tell of the rest.
  SmallVector<Lane> fill;
  int64_t fillRequests = 0;
  /// All reads of a warp are that of its first registers, moved.
  SmallVector<Lane, kWarpSize> read;
  int64_t readRequests = 0;
  int64_t leastFill = 0, leastRead = 0;
};
} // namespace

Layout::Layout(ArrayRef<TileDim> dims, int64_t bytes, int64_t chunk,
               int64_t readChunk, int64_t threads)
    : dims(dims), bytes(bytes), chunk(chunk), readChunk(readChunk),
      threads(threads) {
  placeFill();
  placeRead();
  findLeast();
}

void Layout::placeFill() {
  constexpr int64_t kLooked = 8;
  int64_t chunks = tc::countElements(dims) / chunk;
  fillRequests = llvm::divideCeil(chunks, kWarpSize);
  for (int64_t c = 0, e = std::min(chunks, kLooked * kWarpSize); c < e; ++c)
    fill.push_back({c * chunk, 0});
}

void Layout::placeRead() {
  readRequests = llvm::divideCeil(threads, kWarpSize);
  for (const TileDim &dim : dims)
    readRequests *=
        dim.size / dim.threads / (dim.isPaired ? kMmaColumnsPerLane : 1);
  readRequests /= readChunk;
  // Without dimensions all lanes read one element.
  int64_t lanes = dims.empty() ? 1 : std::min(threads, kWarpSize);
  SmallVector<int64_t, kWarpSize> elements(lanes, 0);
  for (auto [dim, stride] :
       llvm::zip_equal(dims, getStrides(dims, dims.size(), 0)))
    dim.addPlaces(/*first=*/0, stride, elements);
  for (int64_t begin : elements)
    read.push_back({begin, 0});
}

void Layout::splitRows(size_t split) {
  int64_t row = tc::countElements(dims.drop_front(split));
  for (MutableArrayRef<Lane> lanes :
       {MutableArrayRef(fill), MutableArrayRef<Lane>(read)})
    for (Lane &lane : lanes)
      lane.rows = lane.elements / row;
}

Layout::Addresses Layout::locate(ArrayRef<Lane> lanes, int64_t gap) const {
  Addresses addresses(lanes.size());
  for (auto [address, lane] : llvm::zip_equal(addresses, lanes))
    address = (lane.elements + lane.rows * gap) * bytes;
  return addresses;
}

/// Counts all requests that fill by some; or less, but more than `most`.
int64_t Layout::countFillWavefronts(
    function_ref<int64_t(const Addresses &, int64_t bytes)> count, int64_t gap,
    int64_t most) const {
  int64_t looked = llvm::divideCeil(int64_t(fill.size()), kWarpSize), sum = 0;
  auto scale = [&] { return sum * fillRequests / looked; };
  for (ArrayRef<Lane> left = fill; !left.empty() && scale() <= most;) {
    ArrayRef<Lane> warp =
        left.take_front(std::min<size_t>(left.size(), kWarpSize));
    sum += count(locate(warp, gap), chunk * bytes);
    left = left.drop_front(warp.size());
  }
  return scale();
}

void Layout::findLeast() {
  // Which lanes agree does not depend on the strides, as long as there are no
  // overlaps.
  auto count = [](const Addresses &addresses, int64_t size) {
    return countTogether(addresses, size, /*isRead=*/false);
  };
  leastFill =
      countFillWavefronts(count, 0, std::numeric_limits<int64_t>::max());
  leastRead = readRequests * countTogether(locate(read, 0), readChunk * bytes,
                                           /*isRead=*/true);
}

int64_t Layout::countWavefronts(int64_t gap, int64_t most) const {
  int64_t reading =
      readRequests * tc::countWavefronts(locate(read, gap), readChunk * bytes,
                                         /*isRead=*/true);
  if (reading + leastFill > most)
    return reading + leastFill;
  auto count = [](const Addresses &addresses, int64_t size) {
    return tc::countWavefronts(addresses, size, /*isRead=*/false);
  };
  return countFillWavefronts(count, gap, most - reading) + reading;
}

StageTile mlir::tc::getStageTile(ArrayRef<TileDim> dims, int64_t elementBytes,
                                 int64_t threads) {
  StageTile tile;
  for (const TileDim &dim : dims)
    tile.sizes.push_back(dim.size);
  tile.chunk = getChunk(dims, elementBytes, /*isCopy=*/true);
  tile.read = getChunk(dims, elementBytes);
  Layout layout(dims, elementBytes, tile.chunk, tile.read, threads);
  tile.strides = getStrides(dims, dims.size(), 0);
  tile.elements = countElements(dims);
  tile.wavefronts =
      layout.countWavefronts(/*gap=*/0, std::numeric_limits<int64_t>::max());
  int64_t least = layout.countLeast();
  for (size_t split = dims.size(); split-- > 1;) {
    layout.splitRows(split);
    for (int64_t width : {1, 2, 4, 8}) {
      int64_t gap = width * tile.chunk;
      SmallVector<int64_t> strides = getStrides(dims, split, gap);
      int64_t elements = dims.front().size * strides.front();
      if (tile.wavefronts == least && elements >= tile.elements)
        continue;
      int64_t wavefronts = layout.countWavefronts(gap, tile.wavefronts);
      if (std::pair(wavefronts, elements) >=
          std::pair(tile.wavefronts, tile.elements))
        continue;
      tile.strides = strides;
      tile.elements = elements;
      tile.wavefronts = wavefronts;
    }
  }
  return tile;
}

// Note [Padding]
// ~~~~~~~~~~~~~~
// Lanes that fill a tile walk it in memory order; lanes that read it walk the
// dimensions their threads are along. Where these are not the innermost ones,
// rows an even number of words apart collide in the banks. Holst's thesis
// (docs/LMAD.md) makes the rows odd (section 4.4, equations 19 to 23). With
// accesses of 16 bytes rows must stay multiples of those, and which gap is best
// depends on the sizes, so a few are tried and what they cost is counted: all
// requests of a step, by the bank rules. The best has fewest wavefronts, then
// fewest elements.
