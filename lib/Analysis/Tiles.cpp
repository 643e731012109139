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

#include "tc/Analysis/Requests.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

static constexpr int64_t kWarpLanes = 32;
/// What an instruction moves at most, for a lane.
static constexpr int64_t kMaxAccessBytes = 16;

int64_t mlir::tc::getElementBits(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  return type.getIntOrFloatBitWidth();
}

int64_t mlir::tc::getElementBytes(ShapedType type) {
  return llvm::divideCeil(getElementBits(type.getElementType()), 8);
}

int64_t mlir::tc::getTileFactor(ContractOp op, ScheduleAttr schedule,
                                unsigned i) {
  StringRef name = op.getIterator(i);
  return op.isContracted(i) ? schedule.getStep(name) : schedule.getBlock(name);
}

SmallVector<unsigned> mlir::tc::getTileOrder(ContractOp op,
                                             ScheduleAttr schedule,
                                             const Access &access) {
  SmallVector<unsigned> order;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (access.variesWith(i) && getTileFactor(op, schedule, i) > 1)
      order.push_back(i);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::abs(access.nominal[a]) > std::abs(access.nominal[b]);
  });
  return order;
}

TileDim mlir::tc::getTileDim(ContractOp op, ScheduleAttr schedule, unsigned i) {
  TileDim dim;
  dim.size = getTileFactor(op, schedule, i);
  int64_t faster = 1;
  for (const Factor &factor : llvm::reverse(schedule.getThread())) {
    if (factor.iterator.getValue() == op.getIterator(i)) {
      dim.threads = factor.value;
      dim.threadStride = faster;
    }
    faster *= factor.value;
  }
  return dim;
}

SmallVector<TileDim> mlir::tc::getTileDims(ContractOp op, ScheduleAttr schedule,
                                           const Access &access) {
  struct Strided {
    TileDim dim;
    int64_t stride;
  };
  SmallVector<Strided> dims;
  for (unsigned i : getTileOrder(op, schedule, access)) {
    StringRef name = op.getIterator(i);
    int64_t stride = std::abs(access.nominal[i]);
    int64_t vector = schedule.getVector(name), factor = 1;
    auto add = [&](TileDim dim) {
      dim.inputStride = ShapedType::isDynamic(access.strides[i])
                            ? access.strides[i]
                            : access.strides[i] * factor;
      dims.push_back({dim, stride * factor});
      factor *= dim.size;
    };
    add({vector, 1, 1});
    int64_t size = getTileFactor(op, schedule, i) / vector, faster = 1;
    // The faster of two factors first: its neighbours are neighbours here.
    unsigned left = llvm::count_if(schedule.getThread(), [&](const Factor &f) {
      return f.iterator.getValue() == name;
    });
    for (const Factor &threads : llvm::reverse(schedule.getThread())) {
      if (threads.iterator.getValue() == name) {
        int64_t all = --left == 0 ? size : threads.value;
        add({all, threads.value, faster});
        size /= all;
      }
      faster *= threads.value;
    }
    add({size, 1, 1});
  }
  llvm::erase_if(dims, [](const Strided &s) { return s.dim.size == 1; });
  llvm::stable_sort(dims, [](const Strided &a, const Strided &b) {
    return a.stride > b.stride;
  });
  return llvm::map_to_vector(dims, [](const Strided &s) { return s.dim; });
}

int64_t mlir::tc::getChunk(ArrayRef<TileDim> dims, int64_t elementBytes) {
  if (dims.empty() || dims.back().threads > 1 ||
      dims.back().size * elementBytes > kMaxAccessBytes ||
      !llvm::isPowerOf2_64(dims.back().size * elementBytes))
    return 1;
  return dims.back().size;
}

bool mlir::tc::isReadInPlace(ArrayRef<TileDim> dims, int64_t elementBytes,
                             int64_t threads) {
  int64_t along = 1;
  for (const TileDim &dim : dims)
    along *= dim.threads;
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

namespace {
/// One tile while its strides are chosen.
struct Layout {
  ArrayRef<TileDim> dims;
  int64_t bytes;   ///< of an element
  int64_t chunk;   ///< elements that a lane moves at a time
  int64_t threads; ///< of the block
  SmallVector<int64_t> strides;

  int64_t countElements() const {
    return dims.empty() ? 1 : dims.front().size * strides.front();
  }
  /// Wavefronts of all that the block writes and reads in one step.
  int64_t countWavefronts() const { return countFill() + countReads(); }

private:
  int64_t countFill() const;
  int64_t countReads() const;
};
} // namespace

/// Lanes take chunks in the order of the tile. Rows repeat, so a few requests
/// tell of all.
int64_t Layout::countFill() const {
  constexpr int64_t kLooked = 8;
  int64_t chunks = 1;
  for (const TileDim &dim : dims)
    chunks *= dim.size;
  chunks /= chunk;
  int64_t requests = llvm::divideCeil(chunks, kWarpLanes);
  int64_t looked = std::min(requests, kLooked), wavefronts = 0;
  for (int64_t request = 0; request < looked; ++request) {
    SmallVector<int64_t, kWarpLanes> addresses;
    for (int64_t c = request * kWarpLanes, e = std::min(c + kWarpLanes, chunks);
         c < e; ++c) {
      int64_t address = 0, rest = c * chunk;
      for (size_t d = dims.size(); d-- > 0; rest /= dims[d].size)
        address += rest % dims[d].size * strides[d];
      addresses.push_back(address * bytes);
    }
    wavefronts += tc::countWavefronts(addresses, chunk * bytes, false);
  }
  return wavefronts * requests / looked;
}

/// All requests of a warp are that of its first registers, moved.
int64_t Layout::countReads() const {
  int64_t lanes = std::min(threads, kWarpLanes), requests = 1;
  SmallVector<int64_t, kWarpLanes> addresses(lanes, 0);
  for (auto [dim, stride] : llvm::zip_equal(dims, strides)) {
    requests *= dim.size / dim.threads;
    for (int64_t lane = 0; lane < lanes; ++lane)
      addresses[lane] += lane / dim.threadStride % dim.threads * stride * bytes;
  }
  return tc::countWavefronts(addresses, chunk * bytes, true) *
         (requests / chunk) * llvm::divideCeil(threads, kWarpLanes);
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

StageTile mlir::tc::getStageTile(ArrayRef<TileDim> dims, int64_t elementBytes,
                                 int64_t threads) {
  Layout best{dims, elementBytes, getChunk(dims, elementBytes), threads,
              getStrides(dims, dims.size(), 0)};
  int64_t fewest = best.countWavefronts();
  for (size_t split = dims.size(); split-- > 1;)
    for (int64_t gap : {1, 2, 4, 8}) {
      Layout layout = best;
      layout.strides = getStrides(dims, split, gap * best.chunk);
      int64_t wavefronts = layout.countWavefronts();
      if (std::pair(wavefronts, layout.countElements()) >=
          std::pair(fewest, best.countElements()))
        continue;
      best = layout;
      fewest = wavefronts;
    }
  StageTile tile;
  for (const TileDim &dim : dims)
    tile.sizes.push_back(dim.size);
  tile.elements = best.countElements();
  tile.chunk = best.chunk;
  tile.wavefronts = fewest;
  tile.strides = std::move(best.strides);
  return tile;
}

// Note [Padding]
// ~~~~~~~~~~~~~~
// Lanes that fill a tile walk it in memory order; lanes that read it walk the
// dimensions their threads are along. Where these are not the innermost ones,
// rows an even number of words apart collide in the banks. The thesis makes the
// rows odd (section 4.4, equations 19 to 23). With accesses of 16 bytes rows
// must stay multiples of those, and which gap is best depends on the sizes, so
// a few are tried and what they cost is counted: all requests of a step, by the
// bank rules. The best has fewest wavefronts, then fewest elements.
